package app

import (
	"context"
	"fmt"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/sondehq/sonde/internal/eventlog"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/selfobs"
)

// gate refuses new data while the disk is nearly full, early enough that what the log holds can
// still be stored and deletes can still run.
type gate struct {
	refusal atomic.Pointer[fault.Fault]
}

func (g *gate) check() error {
	if f := g.refusal.Load(); f != nil {
		return f
	}
	return nil
}

// watchEvery is how often disk, lag and engine are looked at, calmLook how often the log is while
// nothing of this node waits in it; trimEvery how often the log is relieved of what it need not keep.
const (
	watchEvery = 500 * time.Millisecond
	calmLook   = 5 * time.Second
	trimEvery  = 10 * time.Second
)

func (n *node) startWatch(ctx context.Context) error {
	ctx, n.watchCancel = context.WithCancel(context.WithoutCancel(ctx))
	n.watching = ctx
	n.showBounds()
	n.watchDone.Go(func() { every(ctx, watchEvery, n.look) })
	for _, p := range n.pulses() {
		n.watchDone.Go(func() { every(ctx, p.every, func(ctx context.Context) { n.feel(ctx, p) }) })
	}
	if n.store != nil && !n.state.migrated.Load() {
		n.watchDone.Go(func() { n.migrateLater(ctx) })
	}
	if n.log == nil {
		return nil
	}
	n.metrics.WatchLog(n.logState)
	n.watchDone.Go(func() {
		every(ctx, trimEvery, func(ctx context.Context) {
			if err := n.log.Trim(ctx, n.config.Eventlog.Keep); err != nil && ctx.Err() == nil {
				n.logger.WarnContext(ctx, "the log was not trimmed", "error", err)
			}
		})
	})
	return nil
}

func (n *node) stopWatch(context.Context) error {
	n.watchCancel()
	n.watchDone.Wait()
	return nil
}

func every(ctx context.Context, interval time.Duration, do func(context.Context)) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		do(ctx)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// logState reads the log for the metrics.
func (n *node) logState() (selfobs.LogState, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(n.watching), 2*time.Second)
	defer cancel()
	status, err := n.log.Status(ctx)
	if err != nil {
		return selfobs.LogState{}, err
	}
	state := selfobs.LogState{
		Pending: status.Pending, Lag: ageOf(status.OldestPending), Bytes: status.Bytes, CapacityBytes: status.CapacityBytes, DeadLetters: status.DeadLetters,
	}
	for _, p := range status.Parts {
		state.Partitions = append(state.Partitions, selfobs.PartitionState{
			Pending: p.Pending, Lag: ageOf(p.OldestPending), Redelivered: p.Redelivered, ReplicasMissing: p.ReplicasMissing,
		})
	}
	return state, nil
}

// ageOf is 0 for what is not there, and for what another clock says is still to come.
func ageOf(at time.Time) time.Duration {
	if at.IsZero() {
		return 0
	}
	return max(0, time.Since(at))
}

// look measures room, and opens or closes the gate.
func (n *node) look(ctx context.Context) {
	if n.engine != nil {
		n.metrics.EngineRestarts(n.engine.Restarts())
	}
	refusal := n.noRoom()
	if full := n.lookAtLog(ctx); refusal == nil {
		refusal = full
	}
	n.gate.refusal.Store(refusal)
	n.metrics.Stalled(n.progress.stalled(time.Now()))
}

// The log is relieved early of what it need not keep when it is crowded, and refuses when it is
// nearly full.
const (
	crowdedPercent    = 90
	nearlyFullPercent = 97
)

// lookAtLog tells ingest how far the store has come, and says whether the log is nearly full. A
// log that does not answer says so at the next append; that of other nodes is asked only when something of ours is in it.
func (n *node) lookAtLog(ctx context.Context) *fault.Fault {
	calm := n.gate.refusal.Load() == nil && !n.ingest.Waiting()
	look := n.logStatus()
	if look == nil || calm && (n.log == nil || time.Since(n.logSeen) < calmLook) {
		return nil
	}
	n.logSeen = time.Now()
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	status, err := look(ctx)
	if err != nil {
		return nil
	}
	if n.log != nil && filled(status) > crowdedPercent && n.log.Trim(ctx, n.config.Eventlog.Keep) == nil {
		if trimmed, err := n.log.Status(ctx); err == nil {
			status = trimmed
		}
	}
	n.ingest.Observe(status)
	n.progress.observe(status, time.Now())
	if filled(status) <= nearlyFullPercent {
		return nil
	}
	return fault.Unavailablef("the ingest log is nearly full").
		Hint("the server takes data again when the store has caught up; send again")
}

// filled is how full the log is, in percent.
func filled(s eventlog.Status) uint64 {
	if s.CapacityBytes == 0 {
		return 0
	}
	return s.Bytes * 100 / s.CapacityBytes
}

// noRoom says why new data must wait, or nil. Only disks of this machine can be looked at.
func (n *node) noRoom() *fault.Fault {
	reserve := uint64(n.config.Ingest.DiskReserve)
	var refusal *fault.Fault
	for _, place := range []struct{ label, name, dir string }{
		{selfobs.Log, "the ingest log", n.dir("log")}, {selfobs.Engine, "the trace store", n.dir("engine")}, {selfobs.Blobs, "blobs", n.blobDir()},
	} {
		var fs syscall.Statfs_t
		if syscall.Statfs(place.dir, &fs) != nil {
			continue // that part lives elsewhere
		}
		free := fs.Bavail * uint64(fs.Bsize)
		n.metrics.Disk(place.label, free, fs.Blocks*uint64(fs.Bsize))
		if free < reserve && refusal == nil {
			refusal = fault.Unavailablef("the disk of %s is nearly full (%s left)", place.name, mebibytes(free)).
				Hint("the server takes data again when there is room; raise the disk or delete data")
		}
	}
	return refusal
}

func mebibytes(n uint64) string { return fmt.Sprintf("%d MiB", n>>20) }
