package writer

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/sondehq/sonde/internal/eventlog"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// flush stores a batch and acknowledges its records.
func (w *Writer) flush(ctx context.Context, b batch) {
	rows := b.all()
	refused := map[*model.Observation]error{}
	err := w.insert(ctx, rows, b.token(), refused)
	if err == nil {
		err = w.noteRejections(ctx, b, refused)
	}
	if err != nil {
		// Only the end of the storing context gets here: the log keeps the records.
		for _, u := range b.units {
			w.held.drop(u.delivery)
		}
		return
	}
	for _, u := range b.units {
		if reason := refusalOf(u, refused); reason != "" {
			w.bury(ctx, u.delivery, reason)
			continue
		}
		if err := u.delivery.Ack(); err != nil {
			w.logger.WarnContext(ctx, "acknowledgement lost, the record will come again", "error", err)
		}
		w.held.drop(u.delivery)
	}
}

// refusalOf says why a unit cannot be stored whole; its other rows are stored.
func refusalOf(u unit, refused map[*model.Observation]error) string {
	if len(refused) == 0 {
		return ""
	}
	for _, o := range u.rows {
		if err := refused[o]; err != nil {
			return fmt.Sprintf("observation %s of trace %s: %v", o.ID, o.TraceID, err)
		}
	}
	return ""
}

// insert stores rows, waiting for the store as long as ctx lasts. Rows that the store refuses
// when they are alone end in refused; they are found by halving.
func (w *Writer) insert(ctx context.Context, rows []*model.Observation, token string, refused map[*model.Observation]error) error {
	if len(rows) == 0 {
		return nil
	}
	err := w.insertPatiently(ctx, tracestore.Batch{Rows: rows, Token: token})
	switch {
	case err == nil:
		return nil
	case !errors.Is(err, tracestore.ErrRefused):
		return err
	case len(rows) == 1:
		refused[rows[0]] = err
		return nil
	}
	half := len(rows) / 2
	if err := w.insert(ctx, rows[:half], "", refused); err != nil {
		return err
	}
	return w.insert(ctx, rows[half:], "", refused)
}

// firstRetry and lastRetry bound the wait between tries at a store that is away.
const (
	firstRetry = 50 * time.Millisecond
	lastRetry  = 2 * time.Second
)

func (w *Writer) insertPatiently(ctx context.Context, b tracestore.Batch) error {
	for wait := firstRetry; ; wait = min(2*wait, lastRetry) {
		began := time.Now()
		err := w.store.Insert(ctx, b)
		if err == nil {
			w.metrics.Inserted(len(b.Rows), time.Since(began))
			return nil
		}
		if errors.Is(err, tracestore.ErrRefused) || ctx.Err() != nil {
			return err
		}
		w.metrics.InsertFailed()
		w.logger.WarnContext(ctx, "store does not take a batch, trying again", "rows", len(b.Rows), "in", wait, "error", err)
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

// held are the deliveries this writer works on; the log must be told that they are not lost.
type held struct {
	mu   sync.Mutex
	list map[eventlog.Position]eventlog.Delivery
}

func (h *held) add(d eventlog.Delivery) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.list[d.Position()] = d
}

func (h *held) drop(d eventlog.Delivery) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.list, d.Position())
}

// extend keeps everything held from being delivered to somebody else, until ctx ends.
func (h *held) extend(ctx context.Context) {
	ticker := time.NewTicker(eventlog.ExtendWithin / 3)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		h.mu.Lock()
		list := make([]eventlog.Delivery, 0, len(h.list))
		for _, d := range h.list {
			list = append(list, d)
		}
		h.mu.Unlock()
		for _, d := range list {
			_ = d.Extend() // a lost extension costs a second delivery, which folds
		}
	}
}
