package importer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// The bounds of a request to the target.
const (
	maxBatchBytes = 3 << 20
	maxBatchRows  = 500
)

const (
	ingestionPath = "/api/public/ingestion"
	spansPath     = "/api/public/otel/v1/traces"
)

// batch collects the texts of one request.
type batch struct {
	texts [][]byte
	bytes int
}

func (b *batch) add(text []byte) {
	b.texts = append(b.texts, text)
	b.bytes += len(text)
}

// room reports whether a text fits. One text always does.
func (b *batch) room(text []byte) bool {
	return len(b.texts) == 0 || b.bytes+len(text) <= maxBatchBytes && len(b.texts) < maxBatchRows
}

func (b *batch) reset() { b.texts, b.bytes = b.texts[:0], 0 }

// wrapped is the request's text.
func (b *batch) wrapped(before, after string) []byte {
	return []byte(before + string(bytes.Join(b.texts, []byte(","))) + after)
}

// writer sends rows to the target.
type writer struct {
	target *client
	step   *Step
	events batch
	spans  batch
	tally  Tally
	// refused is told of events that the target did not take; nil: they are noted.
	refused func(ctx context.Context, id, why string) error
}

func (w *writer) begin() {
	w.events.reset()
	w.spans.reset()
	w.tally = Tally{}
}

// end sends what is left of the page.
func (w *writer) end(ctx context.Context) (Tally, error) {
	for len(w.events.texts) > 0 { // what is refused may be sent another way
		if err := w.sendEvents(ctx); err != nil {
			return w.tally, err
		}
	}
	return w.tally, w.sendSpans(ctx)
}

// event adds an event to the next request.
func (w *writer) event(ctx context.Context, e event) error {
	texts, err := e.texts()
	if err != nil {
		w.step.refuse(e.ID, err.Error())
		return nil
	}
	for _, text := range texts {
		if !w.events.room(text) {
			if err := w.sendEvents(ctx); err != nil {
				return err
			}
		}
		w.events.add(text)
	}
	return nil
}

// span adds a span to the next request.
func (w *writer) span(ctx context.Context, s span) error {
	text, err := encode(s)
	if err != nil {
		return err
	}
	if !w.spans.room(text) {
		if err := w.sendSpans(ctx); err != nil {
			return err
		}
	}
	w.spans.add(text)
	return nil
}

// errScoresOnly is the answer of a target that takes no traces by events.
var errScoresOnly = errors.New("the target takes no traces of older SDKs, which is how rows with older ids are sent; start it with --ingest-legacy accept for the time of the import")

func (w *writer) sendEvents(ctx context.Context) error {
	if len(w.events.texts) == 0 {
		return nil
	}
	var answer struct {
		Errors []struct{ ID, Message, Error string }
	}
	err := w.target.post(ctx, http.MethodPost, ingestionPath, w.events.wrapped(`{"batch":[`, `]}`), &answer)
	w.events.reset()
	if err != nil {
		return fmt.Errorf("send rows to the target: %w", err)
	}
	for _, e := range answer.Errors {
		if e.Message == "Event type not accepted" {
			return errScoresOnly
		}
		if w.refused != nil {
			if err := w.refused(ctx, e.ID, e.Error); err != nil {
				return err
			}
			continue
		}
		w.step.refuse(strings.TrimSuffix(e.ID, "-output"), e.Error)
	}
	return nil
}

func (w *writer) sendSpans(ctx context.Context) error {
	if len(w.spans.texts) == 0 {
		return nil
	}
	var answer struct {
		PartialSuccess struct {
			RejectedSpans json.Number
			ErrorMessage  string
		}
	}
	rows := len(w.spans.texts)
	err := w.target.post(ctx, http.MethodPost, spansPath,
		w.spans.wrapped(`{"resourceSpans":[{"scopeSpans":[{"scope":{"name":"sonde-import"},"spans":[`, `]}]}]}`), &answer)
	w.spans.reset()
	if err != nil {
		return fmt.Errorf("send %d spans to the target: %w", rows, err)
	}
	rejected, _ := answer.PartialSuccess.RejectedSpans.Int64() // absent: none
	for range rejected {
		w.step.refuse("a span", answer.PartialSuccess.ErrorMessage)
	}
	return nil
}
