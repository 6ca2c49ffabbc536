package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sondehq/sonde/internal/jobs"
	"github.com/sondehq/sonde/internal/reprice"
)

// jobKinds lists every kind of job; a new kind is one line here.
func (n *node) jobKinds() map[string]jobs.Handler {
	return map[string]jobs.Handler{reprice.Kind: reprice.New(n.store, n.pricer)}
}

// openJobs opens the store of jobs, which lies beside the log and lives as long.
func (n *node) openJobs(ctx context.Context) (err error) {
	n.jobs, err = n.log.Jobs(ctx)
	if err != nil {
		return fmt.Errorf("open jobs: %w", err)
	}
	return nil
}

// jobService is what the API offers, nil on a node without the log.
func (n *node) jobService() *jobs.Service {
	if n.jobs == nil {
		return nil
	}
	return jobs.NewService(n.jobs, n.jobKinds())
}

// runnerPart works on jobs; a job in hand is given back when it stops.
func (n *node) runnerPart() part {
	var cancel context.CancelFunc
	done := make(chan struct{})
	return part{
		name: "job runner",
		start: func(ctx context.Context) error {
			ctx, cancel = context.WithCancel(context.WithoutCancel(ctx)) //nolint:gosec // stop calls it
			go func() {
				defer close(done)
				if n.awaitMigrated(ctx) {
					jobs.NewRunner(n.jobs, n.jobKinds(), n.logger, jobs.Options{}).Run(ctx)
				}
			}()
			return nil
		},
		stop: func(ctx context.Context) error {
			cancel()
			select {
			case <-done:
				return nil
			case <-ctx.Done():
				return errors.New("a job was still at work; it goes on from its last checkpoint")
			}
		},
	}
}

// awaitMigrated waits until the store has its tables; false when ctx ends first.
func (n *node) awaitMigrated(ctx context.Context) bool {
	for !n.state.migrated.Load() {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(100 * time.Millisecond):
		}
	}
	return true
}
