package partial

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
)

// ParseScores reads a request of scores: an object is one score, a list is many. Every score is
// checked alone. A score without a time is of now, one without an id gets one. It fails only when
// the request as a whole cannot be read.
func ParseScores(body []byte, now time.Time) (b Batch, many bool, err error) {
	body = bytes.TrimSpace(bytes.ToValidUTF8(body, []byte("\uFFFD")))
	var list []json.RawMessage
	switch {
	case len(body) > 0 && body[0] == '[':
		many = true
		err = json.Unmarshal(body, &list)
	case len(body) > 0 && body[0] == '{':
		list = make([]json.RawMessage, 1)
		err = json.Unmarshal(body, &list[0])
	default:
		return Batch{}, false, fault.New(fault.Invalid, "The body must be a JSON object of a score, or a list of them")
	}
	if err != nil {
		return Batch{}, many, fault.New(fault.Invalid, "The body is not valid JSON").
			Hint("send one score as an object, or a list of them").Because(err)
	}
	now = now.UTC().Truncate(time.Microsecond)
	for _, raw := range list {
		f, issue := readScore(raw)
		if issue == "" && f.source == model.FromEvaluation {
			issue = "source: expected one of API, ANNOTATION"
		}
		if issue != "" {
			b.refuse(cmp.Or(f.id, unknownID), issue)
			continue
		}
		e := Event{Time: f.at, Kind: Score, Body: f.body(idOrNew(f.id))}
		if e.Time.IsZero() {
			e.Time = now
		}
		b.Events = append(b.Events, e)
	}
	return b, many, nil
}

// NewEvaluationScore is the event of a score that an evaluator of the server gives. It fails for what is no score, as for a
// client's.
func NewEvaluationScore(body json.RawMessage, at time.Time) (Event, error) {
	f, issue := readScore(body)
	if issue != "" {
		return Event{}, invalidScore(issue)
	}
	f.members["source"] = quote(string(model.FromEvaluation))
	return Event{Time: at.UTC().Truncate(time.Microsecond), Kind: Score, Body: f.body(f.id)}, nil
}

func idOrNew(id string) string {
	if id == "" {
		return uuid.NewString()
	}
	return id
}

// refuse notes an event that does not fit its description.
func (b *Batch) refuse(id, issue string) {
	b.Problems = append(b.Problems, Problem{ID: id, Status: statusInvalid, Message: "Invalid request data", Error: issue})
}

// Fault is what is wrong with the event, with the member at fault as its field.
func (p Problem) Fault() error { return invalidScore(p.Error) }

func invalidScore(issue string) error {
	field, text, found := strings.Cut(issue, ": ")
	if !found {
		return fault.New(fault.Invalid, "%s", issue)
	}
	return fault.Invalidf(field, "%s", text)
}
