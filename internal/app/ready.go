package app

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/sondehq/sonde/internal/eventlog"
	"github.com/sondehq/sonde/internal/fault"
)

// stallBound is how long a writer may store nothing, although something waits, before it is not
// ready any more. Engines restart within a few seconds.
const stallBound = 30 * time.Second

// progress remembers since when each partition has waited without any of its records being stored.
type progress struct {
	mu     sync.Mutex
	floors []uint64
	since  []time.Time // zero: nothing waits
}

// observe compares the log's state with the one before.
func (p *progress) observe(status eventlog.Status, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.floors) != len(status.Parts) {
		p.floors, p.since = make([]uint64, len(status.Parts)), make([]time.Time, len(status.Parts))
	}
	for i, part := range status.Parts {
		switch {
		case part.Pending == 0:
			p.since[i] = time.Time{}
		case p.since[i].IsZero() || status.Floors[i] != p.floors[i]:
			p.since[i] = now
		}
		p.floors[i] = status.Floors[i]
	}
}

// stalled is for how long the partition that stands still the longest does so.
func (p *progress) stalled(now time.Time) (longest time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, since := range p.since {
		if !since.IsZero() {
			longest = max(longest, now.Sub(since))
		}
	}
	return longest
}

// probes answers health checks.
type probes struct{ node *node }

// Database fails when metadata cannot be read.
func (p probes) Database(ctx context.Context) error { return p.node.meta.Ping(ctx) }

// Ready fails when requests of this node would fail: a part they need does not answer, what is sent
// cannot be acknowledged, or what was acknowledged is not stored. The fault's text is for anybody.
func (p probes) Ready(ctx context.Context) error {
	n := p.node
	if err := n.meta.Ping(ctx); err != nil {
		return fault.Unavailablef("the metadata database does not answer").Because(err)
	}
	if n.log != nil {
		if _, err := n.log.Status(ctx); err != nil {
			return fault.Unavailablef("the ingest log does not answer").Because(err)
		}
	}
	if n.config.Runs("ingest") {
		if err := n.gate.check(); err != nil {
			return err
		}
		if err := n.ingest.Acknowledging(); err != nil {
			return err
		}
	}
	if stalled := n.progress.stalled(time.Now()); n.config.Runs("write") && stalled > stallBound {
		return fault.Unavailablef("the writer has stored nothing of a partition for %s although records wait", stalled.Round(time.Second))
	}
	if n.store == nil {
		return nil
	}
	if !n.state.migrated.Load() {
		return fault.Unavailablef("the trace store has not been set up yet")
	}
	if err := n.store.Ping(ctx); err != nil {
		return fault.Unavailablef("the trace store does not answer").Because(err)
	}
	return nil
}

// RecentEvents reports whether an observation started at or after since.
func (p probes) RecentEvents(ctx context.Context, since time.Time) (bool, error) {
	if p.node.store == nil {
		return false, errors.New("this node has no trace store to look into")
	}
	return p.node.store.AnySince(ctx, since)
}

// Draining reports whether the process is stopping.
func (p probes) Draining() bool { return p.node.state.draining.Load() }
