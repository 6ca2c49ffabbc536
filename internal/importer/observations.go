package importer

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
)

// The reads of observations, the newest first: a source has one or both.
var (
	newerObservations = list{
		path: "/api/public/v2/observations", from: "fromStartTime", to: "toStartTime", limit: 500, cursors: true,
		query: url.Values{"fields": {"core,basic,time,io,metadata,model,usage,prompt,trace_context"}},
	}
	olderObservations = list{path: "/api/public/observations", from: "fromStartTime", to: "toStartTime", limit: maxPage}
	// olderTraces are kept apart only by servers that have the older read.
	olderTraces = list{
		path: "/api/public/traces", from: "fromTimestamp", to: "toTimestamp", limit: maxPage,
		query: url.Values{"fields": {"core,io"}},
	}
)

// maxPage is the largest numbered page.
const maxPage = 100

// observationWriter sends rows of the list of observations.
type observationWriter struct {
	writer
	source *client
	// traces counts rows that stand for a trace, which newer servers list among the observations.
	traces *Tally
	list   list
	cut    cutMetadata
}

func (w *observationWriter) begin() {
	w.writer.begin()
	*w.traces = Tally{}
	w.cut.begin()
}

func (w *observationWriter) row(ctx context.Context, raw json.RawMessage) error {
	var o observation
	if err := json.Unmarshal(raw, &o); err != nil {
		return fmt.Errorf("the source answers with an observation that cannot be read: %w", err)
	}
	if w.list.cursors && w.cut.isCut(&o) {
		return w.cut.keep(o, func(held []observation) error { return w.whole(ctx, held) })
	}
	return w.write(ctx, o)
}

// whole sends rows whose metadata was cut, after it was asked for.
func (w *observationWriter) whole(ctx context.Context, held []observation) error {
	if err := w.cut.fill(ctx, w.source, held); err != nil {
		return err
	}
	for i := range held {
		if err := w.write(ctx, held[i]); err != nil {
			return err
		}
	}
	return nil
}

func (w *observationWriter) write(ctx context.Context, o observation) error {
	if o.standsForTrace() && w.list.cursors {
		t := o.trace()
		w.traces.add(Tally{Rows: 1})
		w.step.take(recordOfTrace(&t))
		return w.event(ctx, t.event())
	}
	w.tally.add(o.tally())
	w.step.take(recordOf(&o, w.list.cursors))
	if w.list.cursors && o.fromSpan() {
		s, err := o.span()
		if err != nil {
			return err
		}
		return w.span(ctx, s)
	}
	return w.event(ctx, o.event())
}

func (w *observationWriter) end(ctx context.Context) (Tally, error) {
	if held := w.cut.held; len(held) > 0 {
		w.cut.begin()
		if err := w.whole(ctx, held); err != nil {
			return Tally{}, err
		}
	}
	return w.writer.end(ctx)
}

// traceWriter sends rows of the list of traces.
type traceWriter struct{ writer }

func (w *traceWriter) row(ctx context.Context, raw json.RawMessage) error {
	var t trace
	if err := json.Unmarshal(raw, &t); err != nil {
		return fmt.Errorf("the source answers with a trace that cannot be read: %w", err)
	}
	w.tally.add(Tally{Rows: 1})
	w.step.take(recordOfTrace(&t))
	return w.event(ctx, t.event())
}
