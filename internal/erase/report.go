package erase

import (
	"context"
	"fmt"
	"time"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
)

// count notes what the trace store hides, once, when everything from before the delete is in it.
func (r *run) count(ctx context.Context) (err error) {
	if r.at.Rows != nil {
		return nil
	}
	if r.at.Rows, err = r.Store.Hidden(ctx, r.project, r.list); err != nil {
		return err
	}
	return r.keep(ctx)
}

// verify counts again. A report that says that nothing is left has been looked for.
func (r *run) verify(ctx context.Context) error {
	left, err := r.Store.Hidden(ctx, r.project, r.list)
	if err != nil {
		return err
	}
	for table, rows := range left {
		if rows > 0 {
			return fault.Unavailablef("%d rows of %s are hidden and still there", rows, table).Hint("the job goes on by itself")
		}
	}
	return nil
}

// report finishes the requests that a round has erased. A full round may hold half of a request: that one waits for the next.
func (r *run) report(ctx context.Context, full bool) error {
	until := r.at.Until
	if full {
		until--
	}
	done := r.at.Result
	err := r.Metadata.FinishErasures(ctx, r.project, until, time.Now(), model.ErasureReport{
		JobID: r.task.Job().ID, Traces: done.Traces, Scores: done.Scores, Rows: r.at.Rows,
		DeadLetters: done.DeadLetters, Media: done.Media, UnreadableDeadLetters: done.UnreadableLetters,
	})
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}
