// Package partial reads events that tell a part of something: creates and updates of older
// clients, scores, and log records with the messages of a span. It checks each event alone and
// merges all events of one entity into its row.
//
// Promise: what Merge makes depends on the set of events, never on the order of their arrival.
package partial

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/model"
)

// Kind says what an event tells and how its body is to be read. The texts are stored: never
// change the meaning of one.
type Kind string

// The kinds that are not an observation's create or update.
const (
	Trace Kind = "trace-create"
	Score Kind = "score"
	// ScoreDelete hides everything of a score that was accepted before it.
	ScoreDelete Kind = "score-delete"
	// Log is a log record that carries messages of a span.
	Log Kind = "log"
	// Place marks a start time that a row was stored under before its first create arrived.
	Place Kind = "place"
)

// Event tells a part of one entity.
type Event struct {
	ID   string // the client's id of the event
	Time time.Time
	Kind Kind
	Body json.RawMessage
	// SDKName and SDKVersion name who sent it.
	SDKName    string
	SDKVersion string
	// Version orders events by acceptance, see model.RowVersion. Zero until the event is stored.
	Version uint64
}

// Entity names what the event tells about. The row of a trace has an id made of the trace's. A
// score is found by its id alone, because its later events may name another trace.
func (e *Event) Entity() (traceID, id string) {
	r := newReader(e.Body)
	id, traceID = r.text("id"), r.text("traceId")
	switch {
	case e.Kind == Trace:
		if id == "" {
			id = e.ID // the same at every delivery
		}
		return id, model.TraceRowID(id)
	case e.Kind.OfScore():
		return "", id
	case traceID == "":
		return id, id
	}
	return traceID, id
}

// Makes reports whether events of this kind make a row of their own.
func (k Kind) Makes() bool {
	_, known := observationTypes[k]
	return known || k == Trace
}

// OfScore reports whether events of this kind tell about a score.
func (k Kind) OfScore() bool { return k == Score || k == ScoreDelete }

// update reports whether the event changes what others create.
func (k Kind) update() bool { return strings.HasSuffix(string(k), "-update") }

// line is an event in the log: one line of JSON.
type line struct {
	ID   string          `json:"id"`
	Time int64           `json:"time_us"`
	Kind Kind            `json:"kind"`
	Body json.RawMessage `json:"body"`
}

// AppendLine appends an event as one line of JSON, without who sent it.
func AppendLine(dst []byte, e *Event) ([]byte, error) {
	text, err := encode(line{e.ID, e.Time.UnixMicro(), e.Kind, e.Body})
	return append(dst, text...), err
}

// encode is json.Marshal with a newline that leaves the client's text as it is.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, fmt.Errorf("encode event: %w", err)
	}
	return b.Bytes(), nil
}

// ParseLines reads what AppendLine wrote.
func ParseLines(payload []byte) ([]Event, error) {
	var events []Event
	for text := range bytes.Lines(payload) {
		var l line
		if err := json.Unmarshal(text, &l); err != nil {
			return nil, fmt.Errorf("decode event %d: %w", len(events), err)
		}
		events = append(events, Event{ID: l.ID, Time: time.UnixMicro(l.Time).UTC(), Kind: l.Kind, Body: l.Body})
	}
	return events, nil
}

// stored is an event's body in the store, with what its key and kind do not say.
type stored struct {
	SDKName    string          `json:"sdk,omitempty"`
	SDKVersion string          `json:"sdk_version,omitempty"`
	Body       json.RawMessage `json:"body"`
}

// Stored is what the store keeps of the event beside its key.
func (e *Event) Stored() ([]byte, error) {
	body := e.Body
	if len(body) == 0 {
		body = json.RawMessage("{}")
	}
	return encode(stored{e.SDKName, e.SDKVersion, body})
}

// Restore reads what Stored wrote into an event whose key the store returned.
func Restore(e Event, text []byte) (Event, error) {
	var s stored
	if err := json.Unmarshal(text, &s); err != nil {
		return Event{}, fmt.Errorf("decode event %q: %w", e.ID, err)
	}
	e.SDKName, e.SDKVersion, e.Body = s.SDKName, s.SDKVersion, s.Body
	return e, nil
}
