package app

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/sondehq/sonde/internal/erase"
	"github.com/sondehq/sonde/internal/evaluation"
	"github.com/sondehq/sonde/internal/export"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/jobs"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/price"
	"github.com/sondehq/sonde/internal/pricing"
	"github.com/sondehq/sonde/internal/reprice"
	"github.com/sondehq/sonde/internal/retention"
)

// jobKinds lists every kind of job; a new kind is one line here.
func (n *node) jobKinds() map[string]jobs.Handler {
	return map[string]jobs.Handler{
		reprice.Kind: reprice.New(n.store, todaysPrices{n.prices, n.meta, n.logger}),
		erase.Kind:   erase.NewHandler(n.eraseParts()),
		export.Kind:  n.exportHandler(),

		evaluation.Kind: n.evaluationHandler(),

		retention.Kind: retention.New(n.retentionParts()),
	}
}

// todaysPrices prices rows of the past strictly. The writer goes on with the prices known last when
// it cannot read a project's own; a job waits.
type todaysPrices struct {
	builtin     *price.List
	definitions pricing.Definitions
	logger      *slog.Logger
}

// Apply prices rows of one project with one reading of its definitions.
func (t todaysPrices) Apply(ctx context.Context, rows []*model.Observation) error {
	if len(rows) == 0 {
		return nil
	}
	own, err := t.definitions.Models(ctx, rows[0].ProjectID)
	if err != nil {
		return fault.Unavailablef("the prices of the project cannot be read now").Because(err)
	}
	return pricing.New(t.builtin, asRead(own), t.logger).Apply(ctx, rows)
}

// asRead are the definitions of one project at one moment.
type asRead []price.Definition

// Models returns them.
func (d asRead) Models(context.Context, string) ([]price.Definition, error) { return d, nil }

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
	return background("job runner", "a job was still at work; it goes on from its last checkpoint", func(context.Context) func(context.Context) {
		return func(ctx context.Context) {
			if n.awaitMigrated(ctx) {
				jobs.NewRunner(n.jobs, n.jobKinds(), n.logger, n.jobOptions()).Run(ctx)
			}
		}
	})
}

// jobOptions are those of all runners of this node.
func (n *node) jobOptions() jobs.Options {
	return jobs.Options{Settled: n.sawRun}
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
