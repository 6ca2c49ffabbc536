package writer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sondehq/sonde/internal/eventlog"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// KeepRejections says where reasons go: those that ingest left in the log, and those of records that
// this writer buries. They are stored before their record is acknowledged. Without it they are
// dropped. Call it before Run.
func (w *Writer) KeepRejections(store tracestore.Rejections) { w.rejections = store }

// openRejections reads a record of reasons.
func openRejections(d eventlog.Delivery, envelope eventlog.Envelope) (unit, error) {
	read, err := eventlog.DecodeRejections(envelope.Payload)
	if err != nil {
		return unit{}, fmt.Errorf("%w: %w", errUnreadable, err)
	}
	u := unit{delivery: d, bytes: len(envelope.Payload)}
	for _, item := range read.List {
		u.rejections = append(u.rejections, rejection(d, envelope.ProjectID, envelope.AcceptedAt, item))
	}
	return u, nil
}

func rejection(d eventlog.Delivery, projectID string, at time.Time, item eventlog.Rejection) tracestore.Rejection {
	return tracestore.Rejection{
		ProjectID: projectID, Partition: d.Position().Partition, Sequence: d.Position().Sequence,
		Item: item.Item, TraceID: item.TraceID, ObservationID: item.ObservationID,
		Reason: eventlog.ShortReason(item.Reason), At: at,
	}
}

// noteRejections stores the reasons of a batch: those its records carry, and those of its rows that
// were refused.
func (w *Writer) noteRejections(ctx context.Context, b batch, refused map[*model.Observation]error) error {
	var list []tracestore.Rejection
	for _, u := range b.units {
		list = append(list, u.rejections...)
		if len(refused) > 0 {
			list = append(list, refusals(u, refused)...)
		}
	}
	return w.insertRejections(ctx, list)
}

// refusals says why rows of a unit are not stored.
func refusals(u unit, refused map[*model.Observation]error) (list []tracestore.Rejection) {
	for i, row := range u.rows {
		err := refused[row]
		if err == nil {
			continue
		}
		envelope, decodeErr := eventlog.DecodeEnvelope(u.delivery.Record())
		if decodeErr != nil {
			return nil // it was read before: cannot be
		}
		list = append(list, rejection(u.delivery, row.ProjectID, envelope.AcceptedAt, eventlog.Rejection{
			Item: envelope.First + i, TraceID: row.TraceID, ObservationID: row.ID, Reason: err.Error(),
		}))
	}
	return list
}

// buryUnreadable buries a record that cannot be opened. One reason stands for all of its spans.
func (w *Writer) buryUnreadable(ctx context.Context, d eventlog.Delivery, reason string) {
	item, acceptedAt := eventlog.Rejection{Reason: reason}, d.AppendedAt()
	if envelope, err := eventlog.DecodeEnvelope(d.Record()); err == nil {
		item.Item, acceptedAt = envelope.First, envelope.AcceptedAt
	}
	if projectID, _ := eventlog.Owner(d.Record()); projectID != "" {
		if err := w.insertRejections(ctx, []tracestore.Rejection{rejection(d, projectID, acceptedAt, item)}); err != nil {
			w.held.drop(d)
			return
		}
	}
	w.bury(ctx, d, reason)
}

// insertRejections waits for the store as long as ctx lasts. Reasons that the store refuses are
// dropped: they must not hold up anybody's rows.
func (w *Writer) insertRejections(ctx context.Context, list []tracestore.Rejection) error {
	if w.rejections == nil || len(list) == 0 {
		return nil
	}
	for wait := firstRetry; ; wait = min(2*wait, lastRetry) {
		err := w.rejections.InsertRejections(ctx, list)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, tracestore.ErrRefused):
			w.logger.ErrorContext(ctx, "store refuses reasons of rejected spans", "count", len(list), "error", err)
			return nil
		case ctx.Err() != nil:
			return err
		}
		w.metrics.InsertFailed()
		w.logger.WarnContext(ctx, "store does not take reasons, trying again", "count", len(list), "in", wait, "error", err)
		pause(ctx, wait)
	}
}
