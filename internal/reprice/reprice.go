// Package reprice prices stored observations again, as a background job: after a price was added or
// mended, rows of the past get the cost that they would get today.
package reprice

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/jobs"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// Kind is the name of the job.
const Kind = "reprice"

const (
	// pageRows is how many rows are read, priced and written at once: large enough that the store
	// gets few inserts, small enough that a page with much metadata fits in memory.
	pageRows = 2000
	// minPageRows is where a page that is too expensive to read is not made smaller any more.
	minPageRows = 50
	// minRest bounds the rate: at most pageRows per minRest.
	minRest = 100 * time.Millisecond
	maxRest = 2 * time.Second
)

// Pricer gives rows of one project the cost that they have by today's prices. Applied twice it does
// the same as once. Prices that it cannot read now are a fault of kind Unavailable: it must not price
// by half of them.
type Pricer interface {
	Apply(ctx context.Context, rows []*model.Observation) error
}

// Store is what the job needs of the trace store.
type Store interface {
	Observations(ctx context.Context, q tracestore.ObservationQuery) ([]*model.Observation, error)
	CountObservations(ctx context.Context, projectID string, where []filter.Condition) (uint64, error)
	tracestore.Amender
}

// Handler does jobs of this kind.
//
// Promises: rows whose cost a client provided stay as they are. A row that a client sends again
// meanwhile keeps what the client sent. A job that was interrupted and goes on ends with the same
// rows and the same result as one that was not. A preview writes nothing.
type Handler struct {
	store  Store
	pricer Pricer
	rows   int // of a page
	rest   func(ctx context.Context, worked time.Duration) error
}

var _ jobs.Handler = (*Handler)(nil)

// New makes the handler. On a node that only takes jobs in, both may be nil.
func New(store Store, pricer Pricer) *Handler { return &Handler{store, pricer, pageRows, rest} }

// rest leaves the store to others for as long as it was used: whatever the machine, ingest and reads
// find it free half of the time.
func rest(ctx context.Context, worked time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(min(max(worked, minRest), maxRest)):
		return nil
	}
}

// Run walks the rows newest first, a page at a time.
func (h *Handler) Run(ctx context.Context, task jobs.Task) (json.RawMessage, error) {
	w, err := h.newWalk(ctx, task)
	if err != nil {
		return nil, err
	}
	if err := w.repeat(ctx); err != nil {
		return nil, err
	}
	for {
		began := time.Now()
		more, err := w.page(ctx)
		if err != nil {
			return nil, err
		}
		if !more {
			return json.Marshal(w.at.result(w.parameters.Preview))
		}
		if err := h.rest(ctx, time.Since(began)); err != nil {
			return nil, err
		}
	}
}

// walk is one run of a job.
type walk struct {
	*Handler
	task       jobs.Task
	project    string
	parameters Parameters
	where      []filter.Condition
	rows       int // of a page
	at         checkpoint
}

func (h *Handler) newWalk(ctx context.Context, task jobs.Task) (*walk, error) {
	job := task.Job()
	w := &walk{Handler: h, task: task, project: job.ProjectID, rows: h.rows}
	if err := json.Unmarshal(job.Parameters, &w.parameters); err != nil {
		return nil, fmt.Errorf("read parameters: %w", err)
	}
	w.where = []filter.Condition{
		filter.Time{Column: filter.StartTime, Op: filter.AtLeast, At: w.parameters.From},
		filter.Time{Column: filter.StartTime, Op: filter.Below, At: w.parameters.To},
	}
	if job.Checkpoint != nil {
		if err := json.Unmarshal(job.Checkpoint, &w.at); err != nil {
			return nil, fmt.Errorf("read checkpoint: %w", err)
		}
		return w, nil
	}
	total, err := h.store.CountObservations(ctx, w.project, w.where)
	if tooMuch := errors.Is(err, tracestore.ErrTooExpensive) || errors.Is(err, context.DeadlineExceeded); err != nil && (!tooMuch || ctx.Err() != nil) {
		return nil, fmt.Errorf("count rows: %w", err)
	}
	w.at.Total = total // 0, not known, where counting was too much
	w.show()
	return w, nil
}

// repeat writes the page of the checkpoint again: it was counted, but perhaps not written before the
// last runner died. Rows that were written have today's cost, so nothing is written twice.
func (w *walk) repeat(ctx context.Context) error {
	if w.parameters.Preview || w.at.Until == nil {
		return nil
	}
	for after := w.at.After; ; {
		rows, err := w.read(ctx, after)
		if err != nil {
			return err
		}
		last := len(rows)
		for i, row := range rows {
			if positionOf(row) == *w.at.Until {
				last = i + 1
				break
			}
			if row.StartTime.Before(w.at.Until.StartTime) {
				last = i
				break
			}
		}
		priced, err := w.price(ctx, rows[:last])
		if err != nil {
			return err
		}
		if err := w.amend(ctx, priced); err != nil {
			return err
		}
		if last < len(rows) || len(rows) == 0 || positionOf(rows[last-1]) == *w.at.Until {
			return nil
		}
		end := positionOf(rows[last-1])
		after = &end
	}
}

// page prices the next rows, keeps what it found, then writes. In this order a page that is counted
// is always written, by this runner or by the next.
func (w *walk) page(ctx context.Context) (more bool, err error) {
	rows, err := w.read(ctx, w.at.Until)
	if err != nil || len(rows) == 0 {
		return false, err
	}
	priced, err := w.price(ctx, rows)
	if err != nil {
		return false, err
	}
	for _, p := range priced {
		w.at.count(p)
	}
	end := positionOf(rows[len(rows)-1])
	w.at.After, w.at.Until = w.at.Until, &end
	w.at.Seen += uint64(len(rows))
	w.show()
	text, err := json.Marshal(w.at)
	if err != nil {
		return false, fmt.Errorf("write checkpoint: %w", err)
	}
	if err := w.task.Checkpoint(ctx, text); err != nil {
		return false, fmt.Errorf("keep checkpoint: %w", err)
	}
	if w.parameters.Preview {
		return true, nil
	}
	return true, w.amend(ctx, priced)
}

// read returns a page, a smaller one where the store cannot read so many rows at once.
func (w *walk) read(ctx context.Context, after *filter.Position) ([]*model.Observation, error) {
	for {
		rows, err := w.store.Observations(ctx, tracestore.ObservationQuery{
			ProjectID: w.project, Where: w.where, After: after, Limit: w.rows, Metadata: true, OwnOnly: true,
		})
		timeout := errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil // the read's own
		switch {
		case err == nil:
			return rows, nil
		case !timeout && !errors.Is(err, tracestore.ErrTooExpensive):
			return nil, fmt.Errorf("read rows: %w", err)
		case timeout && w.rows <= minPageRows:
			return nil, fault.Unavailablef("the trace store is too slow now").Because(err)
		case w.rows <= minPageRows:
			return nil, fault.New(fault.Exhausted, "the store cannot read these rows within its bounds").
				Hint("start the job for a shorter time range").Because(err)
		}
		w.rows = max(w.rows/4, minPageRows)
	}
}

// priced is a row before and after.
type priced struct {
	before, after *model.Observation
}

// price applies today's prices to copies of the rows that may be priced.
func (w *walk) price(ctx context.Context, rows []*model.Observation) ([]priced, error) {
	var list []priced
	var copies []*model.Observation
	for _, row := range rows {
		provided := len(row.CostDetails) > 0 && row.CostOrigin != model.Priced
		if provided || w.parameters.Model != "" && row.Model != w.parameters.Model {
			continue
		}
		after := *row
		after.CostDetails, after.UsageDetails = maps.Clone(row.CostDetails), maps.Clone(row.UsageDetails)
		copies = append(copies, &after)
		list = append(list, priced{row, &after})
	}
	if err := w.pricer.Apply(ctx, copies); err != nil {
		return nil, fmt.Errorf("price rows: %w", err)
	}
	return list, nil
}

// amend writes the rows that changed.
func (w *walk) amend(ctx context.Context, list []priced) error {
	var rows []*model.Observation
	for _, p := range list {
		if p.changed() {
			p.after.Version = p.before.Version + 1
			rows = append(rows, p.after)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	switch err := w.store.Amend(ctx, rows); {
	case err == nil:
		return nil
	case errors.Is(err, tracestore.ErrRefused), fault.KindOf(err) != fault.Internal, ctx.Err() != nil:
		return fmt.Errorf("write rows: %w", err)
	default: // as with every insert: not now
		return fault.Unavailablef("the trace store does not take rows now").Because(fmt.Errorf("write rows: %w", err))
	}
}

func (w *walk) show() {
	w.task.Progress(jobs.Progress{
		Done: w.at.Seen, Total: max(w.at.Total, w.at.Seen),
		Text: fmt.Sprintf("%d rows change", w.at.Sum.Changed),
	})
}

func positionOf(o *model.Observation) filter.Position {
	return filter.Position{StartTime: o.StartTime, TraceID: o.TraceID, ID: o.ID}
}
