package writer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sondehq/sonde/internal/eventlog"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/selfobs"
	"github.com/sondehq/sonde/internal/tracestore"
)

// refused holds what the store looked at and will not take.
type refused struct {
	rows     map[*model.Observation]error
	entities map[tracestore.Entity]error
}

// flush stores a batch and acknowledges its records.
func (w *Writer) flush(ctx context.Context, b batch) {
	r := refused{rows: map[*model.Observation]error{}, entities: map[tracestore.Entity]error{}}
	told := b.summary()
	defer func() {
		told.Took = time.Since(told.Began)
		w.observe(told)
	}()
	if err := w.storeAll(ctx, b, r, &told); err != nil {
		told.Failed = true
		// Only the end of the storing context gets here: the log keeps the records.
		for i := range b.units {
			w.held.drop(b.units[i].delivery)
		}
		return
	}
	for i := range b.units {
		u := &b.units[i]
		if list := r.of(u); len(list) > 0 {
			w.bury(ctx, u.delivery, list[0].String())
			continue
		}
		if err := u.delivery.Ack(); err != nil {
			w.logger.WarnContext(ctx, "acknowledgement lost, the record will come again", "error", err)
		}
		w.metrics.Stored(u.delivery.Position().Partition, u.acceptedAt)
		w.held.drop(u.delivery)
	}
}

// storeAll stores everything of a batch, waiting for the store as long as ctx lasts.
func (w *Writer) storeAll(ctx context.Context, b batch, r refused, told *selfobs.Batch) error {
	for _, stage := range []struct {
		name string
		do   func() error
	}{
		{"insert rows", func() error { return w.insert(ctx, b.all(), r.rows) }},
		{"merge partial events", func() error { return w.storePartials(ctx, b, r) }},
		{"join messages", func() error { return w.joinMessages(ctx, b) }},
		{"note rejections", func() error { return w.noteRejections(ctx, b, r) }},
	} {
		began := time.Now()
		err := stage.do()
		told.Stages = append(told.Stages, selfobs.Stage{Name: stage.name, Began: began, Took: time.Since(began)})
		if err != nil {
			return err
		}
	}
	return nil
}

// summary is what is told of a batch before the work on it.
func (b batch) summary() selfobs.Batch {
	own := true
	for i := range b.units {
		own = own && b.units[i].own
	}
	return selfobs.Batch{Envelopes: len(b.units), Rows: b.rows, Bytes: b.bytes, Began: time.Now(), Own: own}
}

// refusal says why something of a record cannot be stored.
type refusal struct {
	item      int    // position in the client's request
	trace, id string // a score is named without a trace
	reason    error
}

func (r refusal) String() string {
	if r.trace == "" {
		return fmt.Sprintf("score %s: %v", r.id, r.reason)
	}
	return fmt.Sprintf("observation %s of trace %s: %v", r.id, r.trace, r.reason)
}

// of lists what of a unit is refused; the rest of it is stored.
func (r refused) of(u *unit) (list []refusal) {
	for i, o := range u.rows {
		if err := r.rows[o]; err != nil {
			list = append(list, refusal{u.first + i, o.TraceID, o.ID, err})
		}
	}
	for i := range u.partials {
		of := entityOf(&u.partials[i])
		if err := r.entities[of]; err != nil {
			list = append(list, refusal{u.first + i, of.TraceID, of.EntityID, err})
		}
	}
	return list
}

// insert stores rows, waiting for the store as long as ctx lasts. Rows that the store refuses
// when they are alone end in refused; they are found by halving.
func (w *Writer) insert(ctx context.Context, rows []*model.Observation, refused map[*model.Observation]error) error {
	if len(rows) == 0 {
		return nil
	}
	began := time.Now()
	err := w.patiently(ctx, func() error {
		began = time.Now()
		return w.store.Insert(ctx, rows)
	})
	switch {
	case err == nil:
		w.metrics.Inserted(len(rows), time.Since(began))
		w.tellRows(rows)
		return nil
	case !errors.Is(err, tracestore.ErrRefused):
		return err
	case len(rows) == 1:
		refused[rows[0]] = err
		return nil
	}
	half := len(rows) / 2
	if err := w.insert(ctx, rows[:half], refused); err != nil {
		return err
	}
	return w.insert(ctx, rows[half:], refused)
}

// firstRetry and lastRetry bound the wait between tries at a store that is away.
const (
	firstRetry = 50 * time.Millisecond
	lastRetry  = 2 * time.Second
)

// patiently does something again and again until it works, ctx ends, or the error says that it
// never will.
func (w *Writer) patiently(ctx context.Context, try func() error) error {
	for wait := firstRetry; ; wait = min(2*wait, lastRetry) {
		err := try()
		if err == nil || errors.Is(err, tracestore.ErrRefused) || errors.Is(err, tracestore.ErrTooExpensive) || ctx.Err() != nil {
			return err
		}
		w.metrics.InsertFailed()
		w.logger.WarnContext(ctx, "batch cannot be stored now, trying again", "in", wait, "error", err)
		pause(ctx, wait)
	}
}

// bury moves a record to the dead letters. If even that fails the record stays in the log.
func (w *Writer) bury(ctx context.Context, d eventlog.Delivery, reason string) {
	if err := w.log.Bury(ctx, d, reason); err != nil {
		w.logger.ErrorContext(ctx, "dead letter not kept, the record will come again", "error", err)
	} else {
		w.metrics.Buried()
		w.logger.ErrorContext(ctx, "record moved to dead letters", "partition", d.Position().Partition, "sequence", d.Position().Sequence, "reason", reason)
	}
	w.held.drop(d)
}
