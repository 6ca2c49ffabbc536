package app

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/sondehq/sonde/internal/alerts"
	"github.com/sondehq/sonde/internal/blob"
	"github.com/sondehq/sonde/internal/jobs"
	"github.com/sondehq/sonde/internal/selfobs"
)

// pulse is a part that the server depends on, and how to find out whether it is there.
type pulse struct {
	of    string // empty: ask shows what it finds itself
	every time.Duration
	// ask fails when the part does not answer. It returns the clock of a part that has one of its own.
	ask func(ctx context.Context) (clock time.Time, err error)
}

// The times of looks at parts that are elsewhere. They are short enough for an alert within a minute.
const (
	pulseEvery  = 5 * time.Second
	pulseWithin = 3 * time.Second
	// rareLook is for looks that cost others money or this node work.
	rareLook = 15 * time.Second
)

// pulses lists what this node depends on.
func (n *node) pulses() []pulse {
	list := []pulse{
		{selfobs.Metadata, pulseEvery, n.meta.Clock},
		{selfobs.Blobs, rareLook, n.askBlobs},
	}
	if n.log != nil {
		list = append(list, pulse{selfobs.Log, pulseEvery, n.askLog})
	}
	if n.store != nil {
		list = append(list, pulse{selfobs.Engine, pulseEvery, n.askEngine})
	}
	if n.jobs != nil && n.config.Runs("write") {
		list = append(list, pulse{"", rareLook, n.countJobs})
	}
	return append(list, pulse{"", pulseEvery, n.showReady})
}

// feel asks one part and shows what it finds.
func (n *node) feel(ctx context.Context, p pulse) {
	ctx, cancel := context.WithTimeout(ctx, pulseWithin)
	defer cancel()
	began := time.Now()
	clock, err := p.ask(ctx)
	if p.of == "" {
		return
	}
	n.metrics.Up(p.of, err == nil)
	if err == nil && !clock.IsZero() {
		n.metrics.ClockOffset(p.of, offset(clock, began, time.Now()))
	}
}

func (n *node) showReady(ctx context.Context) (time.Time, error) {
	err := probes{n}.Ready(ctx)
	n.metrics.Ready(err == nil)
	return time.Time{}, err
}

// offset is how far a clock is ahead of ours that was read between began and ended.
func offset(clock, began, ended time.Time) time.Duration {
	return clock.Sub(began.Add(ended.Sub(began) / 2))
}

func (n *node) askLog(ctx context.Context) (clock time.Time, err error) {
	status, err := n.log.Status(ctx)
	if err == nil && len(status.Parts) > 0 {
		clock = status.Parts[0].At
	}
	return clock, err
}

// askEngine also looks at the disk of an engine that is elsewhere.
func (n *node) askEngine(ctx context.Context) (time.Time, error) {
	if err := n.store.Ping(ctx); err != nil || n.engine != nil {
		return time.Time{}, err
	}
	state, err := n.store.Server(ctx)
	if err == nil {
		n.metrics.Disk(selfobs.Engine, state.DiskFree, state.DiskSize)
	}
	return state.Clock, err
}

// probeKey is where nothing is ever kept: a store that says so is there.
const probeKey = "probe"

func (n *node) askBlobs(ctx context.Context) (time.Time, error) {
	content, err := n.blobs.Get(ctx, probeKey)
	if errors.Is(err, blob.ErrNotFound) {
		return time.Time{}, nil
	}
	if err == nil {
		err = content.Close()
	}
	return time.Time{}, err
}

// otherKind stands for kinds of jobs that this version does not know.
const otherKind = "other"

// countJobs shows how many jobs wait, and whether one that should move does not.
func (n *node) countJobs(ctx context.Context) (time.Time, error) {
	kinds := map[string]selfobs.OpenJobs{alerts.Kind: {}, otherKind: {}}
	for kind := range n.jobKinds() {
		kinds[kind] = selfobs.OpenJobs{}
	}
	now, busy := time.Now(), false
	var queued []jobs.Job
	err := n.jobs.Open(ctx, func(job jobs.Job) bool {
		if _, known := kinds[job.Kind]; !known {
			job.Kind = otherKind
		}
		open := kinds[job.Kind]
		switch {
		case job.State == jobs.Running:
			open.Running++
			open.Idle = max(open.Idle, now.Sub(job.UpdatedAt))
			busy = busy || job.Kind != alerts.Kind && now.Sub(job.UpdatedAt) < pulseEvery
		case job.NotBefore.After(now):
			open.Waiting++
		default:
			open.Queued++
			queued = append(queued, job)
		}
		kinds[job.Kind] = open
		return true
	})
	for _, job := range queued {
		if busy && job.Kind != alerts.Kind {
			continue // it waits for its turn
		}
		open := kinds[job.Kind]
		open.Idle = max(open.Idle, now.Sub(laterOf(job.UpdatedAt, job.NotBefore)))
		kinds[job.Kind] = open
	}
	if err == nil {
		n.metrics.Jobs(kinds)
	}
	return time.Time{}, err
}

func laterOf(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// showBounds shows what does not change while the server runs.
func (n *node) showBounds() {
	reads := n.config.Reads
	if n.jobs != nil && n.config.Runs("write") {
		n.metrics.KnowJobs(append(slices.Collect(maps.Keys(n.jobKinds())), alerts.Kind), jobs.Outcomes)
	}
	n.metrics.Bounds(uint64(n.config.Ingest.DiskReserve), reads.Within, reads.Rows, uint64(cmp.Or(reads.Memory, n.config.Engine.Memory/3)))
}
