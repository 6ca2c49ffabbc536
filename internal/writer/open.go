package writer

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/sondehq/sonde/internal/blob"
	"github.com/sondehq/sonde/internal/eventlog"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/otlp"
	"github.com/sondehq/sonde/internal/partial"
	"github.com/sondehq/sonde/internal/selfobs"
	"github.com/sondehq/sonde/internal/tracestore"
)

var errUnreadable = errors.New("unreadable record")

// open decodes a record. The unit it returns beside an error knows the delivery and, as far as the
// record says so, its project.
func (w *Writer) open(ctx context.Context, d eventlog.Delivery) (unit, error) {
	u := unit{delivery: d, acceptedAt: d.AppendedAt()}
	envelope, err := eventlog.DecodeEnvelope(d.Record())
	if err != nil {
		u.project, _ = eventlog.Owner(d.Record())
		return u, fmt.Errorf("%w: %w", errUnreadable, err)
	}
	u.project, u.acceptedAt, u.first = envelope.ProjectID, envelope.AcceptedAt, envelope.First
	u.own = envelope.SDKName == selfobs.SelfSDK
	if envelope.BlobKey != "" {
		if envelope.Payload, err = w.payload(ctx, envelope.BlobKey); err != nil {
			return u, err
		}
	}
	u.bytes = len(envelope.Payload)
	switch envelope.Kind {
	case eventlog.KindOTLPTraces:
		err = w.openSpans(ctx, &u, envelope)
	case eventlog.KindPartials:
		err = openPartials(&u, envelope)
	case eventlog.KindRejections:
		err = openRejections(&u, envelope)
	case eventlog.KindPadding:
	default:
		err = fmt.Errorf("%w: unknown kind %q", errUnreadable, envelope.Kind)
	}
	return u, err
}

func (w *Writer) payload(ctx context.Context, key string) ([]byte, error) {
	r, err := w.blobs.Get(ctx, key)
	if errors.Is(err, blob.ErrNotFound) {
		return nil, fmt.Errorf("%w: its payload %s is gone", errUnreadable, key)
	}
	if err != nil {
		return nil, fmt.Errorf("read payload %s: %w", key, err)
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("read payload %s: %w", key, err)
	}
	return data, nil
}

// openSpans maps spans to rows.
func (w *Writer) openSpans(ctx context.Context, u *unit, envelope eventlog.Envelope) (err error) {
	u.rows, err = otlp.Map(envelope.Payload, otlp.Source{
		ProjectID: envelope.ProjectID, AcceptedAt: envelope.AcceptedAt, First: envelope.First,
		SDKName: envelope.SDKName, SDKVersion: envelope.SDKVersion,
	})
	if err != nil {
		return fmt.Errorf("%w: %w", errUnreadable, err)
	}
	return w.complete(ctx, u.rows)
}

// complete takes rows through the steps.
func (w *Writer) complete(ctx context.Context, rows []*model.Observation) error {
	for _, step := range w.steps {
		if err := step.Apply(ctx, rows); err != nil {
			return fmt.Errorf("complete rows: %w", err)
		}
	}
	return nil
}

// openPartials turns events into what the store keeps of them.
func openPartials(u *unit, envelope eventlog.Envelope) error {
	events, err := partial.ParseLines(envelope.Payload)
	if err != nil {
		return fmt.Errorf("%w: %w", errUnreadable, err)
	}
	for i := range events {
		e := &events[i]
		e.SDKName, e.SDKVersion = envelope.SDKName, envelope.SDKVersion
		e.Version = model.RowVersion(envelope.AcceptedAt, envelope.First+i)
		traceID, id := e.Entity()
		p, err := storedPartial(tracestore.Entity{ProjectID: envelope.ProjectID, TraceID: traceID, EntityID: id}, e)
		if err != nil {
			return fmt.Errorf("%w: %w", errUnreadable, err)
		}
		u.partials = append(u.partials, p)
	}
	return nil
}

func storedPartial(of tracestore.Entity, e *partial.Event) (tracestore.Partial, error) {
	body, err := e.Stored()
	return tracestore.Partial{
		ProjectID: of.ProjectID, TraceID: of.TraceID, EntityID: of.EntityID, Kind: string(e.Kind),
		EventTime: e.Time, EventID: e.ID, Version: e.Version, Body: body,
	}, err
}
