package partial

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/sondehq/sonde/internal/fault"
)

// Policy says which events a request may bring.
type Policy struct {
	// ScoresOnly is a server that takes traces and observations by OTLP alone.
	ScoresOnly bool
	// PublicKey is a caller that showed only the public half of its key.
	PublicKey bool
}

// Problem says why one event was refused.
type Problem struct {
	ID      string // of the event, "unknown" when it has none
	Status  int
	Message string
	Error   string // what exactly, or what to do
}

// The statuses of problems; they are those of HTTP.
const (
	statusInvalid      = 400
	statusUnauthorized = 401
)

// unknownID stands for the id of an event that has none.
const unknownID = "unknown"

// Batch is what became of the events of one request.
type Batch struct {
	Events   []Event  // to be kept, in the order of the request
	Accepted []string // ids of events that are answered with success, in the order of the answer
	Problems []Problem
	Notes    int // events about the client itself, which are counted and not answered
	// SDKName and SDKVersion are what the request says about its sender beside the events.
	SDKName, SDKVersion string

	answers []answer // one for each of Accepted
}

// The types in requests that are no kinds of events.
const (
	typeScore = "score-create"
	typeNote  = "sdk-log"
)

const refusedHint = "this server takes traces and observations by OpenTelemetry only; " +
	"update the SDK to one that sends to /api/public/otel/v1/traces, or set ingest-legacy to accept"

// Parse reads a request and checks every event alone. It fails only when the request as a whole
// cannot be read.
func Parse(body []byte, policy Policy) (Batch, error) {
	var request struct {
		Batch    *[]json.RawMessage `json:"batch"`
		Metadata json.RawMessage    `json:"metadata"`
	}
	if err := json.Unmarshal(bytes.ToValidUTF8(body, []byte("\uFFFD")), &request); err != nil {
		return Batch{}, fault.New(fault.Invalid, "the body must be a JSON object with a list called batch").Because(err)
	}
	if request.Batch == nil {
		return Batch{}, fault.New(fault.Invalid, "batch: expected a list of events")
	}
	about := newReader(request.Metadata)
	b := Batch{SDKName: about.text("sdk_name"), SDKVersion: about.text("sdk_version")}
	for _, raw := range *request.Batch {
		e, kind, problem := parseEvent(raw, policy)
		switch {
		case problem != nil:
			b.Problems = append(b.Problems, *problem)
			continue
		case kind == typeNote:
			b.Notes++
			continue
		}
		a := answer{id: e.ID, at: e.Time, update: e.Kind.update(), event: -1}
		if !unkeepable(&e) {
			a.event = len(b.Events)
			b.Events = append(b.Events, e)
		}
		b.answers = append(b.answers, a)
	}
	b.Accepted = inAnswerOrder(b.answers)
	return b, nil
}

type answer struct {
	id     string
	at     time.Time
	update bool
	event  int // position in Batch.Events, -1: not kept
}

// inAnswerOrder puts updates last; equal times keep the order of the request.
func inAnswerOrder(answers []answer) []string {
	slices.SortStableFunc(answers, func(a, b answer) int {
		if a.update != b.update {
			if a.update {
				return 1
			}
			return -1
		}
		return a.at.Compare(b.at)
	})
	ids := make([]string, len(answers))
	for i, a := range answers {
		ids[i] = a.id
	}
	return ids
}

// unkeepable is a score without an id: nobody could find or replace it.
func unkeepable(e *Event) bool {
	_, id := e.Entity()
	return e.Kind == Score && id == ""
}

// parseEvent checks one event of a request. Its type is returned as the client spelled it.
func parseEvent(raw json.RawMessage, policy Policy) (Event, string, *Problem) {
	r := newReader(raw)
	kind := r.text("type")
	id := r.text("id")
	problem := func(status int, message, text string) (Event, string, *Problem) {
		return Event{}, kind, &Problem{ID: cmp.Or(id, unknownID), Status: status, Message: message, Error: text}
	}
	open := kind == typeScore || kind == typeNote // what a public key and a scores-only server allow
	if policy.ScoresOnly && !open {
		return problem(statusInvalid, "Event type not accepted", refusedHint)
	}
	e := Event{ID: id, Kind: Kind(kind), Body: r.raw("body")}
	if text := idProblem(id); text != "" {
		r.complain("id", "%s", text)
	}
	if e.Time = r.time("timestamp"); e.Time.IsZero() {
		r.complain("timestamp", "required")
	}
	if r.issue == "" {
		r.issue = checkBody(&e, kind)
	}
	if r.issue != "" {
		return problem(statusInvalid, "Invalid request data", r.issue)
	}
	if policy.PublicKey && !open {
		return problem(statusUnauthorized, "Authentication error", "a public key may send scores only; send the secret key too")
	}
	return e, kind, nil
}

// checkBody says what is wrong with an event's body, and gives scores their kind.
func checkBody(e *Event, kind string) string {
	if kind != typeNote && (len(e.Body) == 0 || e.Body[0] != '{') {
		return "body: expected an object"
	}
	switch {
	case kind == typeNote:
		return ""
	case kind == typeScore:
		e.Kind = Score
		f, issue := readScore(e.Body)
		e.Body = f.body(f.id)
		return issue
	case e.Kind.Makes():
		_, issue := read(e)
		return issue
	}
	return "type: unknown event type"
}
