package writer

import (
	"context"
	"errors"
	"fmt"

	"github.com/sondehq/sonde/internal/eventlog"
	"github.com/sondehq/sonde/internal/tracestore"
)

// openRejections reads a record of reasons that ingest left in the log.
func openRejections(u *unit, envelope eventlog.Envelope) error {
	read, err := eventlog.DecodeRejections(envelope.Payload)
	if err != nil {
		return fmt.Errorf("%w: %w", errUnreadable, err)
	}
	for _, item := range read.List {
		u.rejections = append(u.rejections, u.rejection(item))
	}
	return nil
}

// rejection is a reason as the store keeps it.
func (u *unit) rejection(item eventlog.Rejection) tracestore.Rejection {
	at := u.delivery.Position()
	return tracestore.Rejection{
		ProjectID: u.project, Partition: at.Partition, Sequence: at.Sequence,
		Item: item.Item, TraceID: item.TraceID, ObservationID: item.ObservationID,
		Reason: eventlog.ShortReason(item.Reason), At: u.acceptedAt,
	}
}

// noteRejections stores the reasons of a batch before its records are acknowledged: those the
// records carry, and those of what was refused of them.
func (w *Writer) noteRejections(ctx context.Context, b batch, r refused) error {
	var list []tracestore.Rejection
	for i := range b.units {
		u := &b.units[i]
		list = append(list, u.rejections...)
		for _, no := range r.of(u) {
			list = append(list, u.rejection(eventlog.Rejection{Item: no.item, TraceID: no.trace, ObservationID: no.id, Reason: no.reason.Error()}))
		}
	}
	return w.insertRejections(ctx, list)
}

// buryUnreadable buries a record that cannot be opened. One reason stands for all that is in it.
func (w *Writer) buryUnreadable(ctx context.Context, u unit, reason error) {
	if u.project != "" {
		note := u.rejection(eventlog.Rejection{Item: u.first, Reason: reason.Error()})
		if err := w.insertRejections(ctx, []tracestore.Rejection{note}); err != nil {
			w.held.drop(u.delivery) // ctx has ended
			return
		}
	}
	w.bury(ctx, u.delivery, reason.Error())
}

// insertRejections waits for the store as long as ctx lasts. Reasons that the store refuses are
// dropped: they must not hold up anybody's rows.
func (w *Writer) insertRejections(ctx context.Context, list []tracestore.Rejection) error {
	if len(list) == 0 {
		return nil
	}
	err := w.patiently(ctx, func() error { return w.store.InsertRejections(ctx, list) })
	if errors.Is(err, tracestore.ErrRefused) {
		w.logger.ErrorContext(ctx, "store refuses reasons of rejected spans", "count", len(list), "error", err)
		return nil
	}
	return err
}
