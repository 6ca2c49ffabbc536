package partial

import (
	"encoding/json"
	"math"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/sondehq/sonde/internal/model"
)

// maxScoreText is the longest text of a score of type TEXT, in characters.
const maxScoreText = 500

// categoryNumber is the member that holds the number of a category. No client writes it: it comes
// from the score's config.
const categoryNumber = "number"

// authorMember is the member that names the user who scored. No client writes it, either.
const authorMember = "authorUserId"

// scoreMembers are the members of a score that are kept; its time is the event's.
var scoreMembers = []string{
	"name", "value", "dataType", "traceId", "observationId", "sessionId", "datasetRunId", "configId",
	"comment", "queueId", "executionTraceId", "environment", "source", "metadata",
}

// scoreFields is what one event says about a score. Zero values are not set.
type scoreFields struct {
	id, name string
	kind     model.ScoreType // empty: the value decides
	value    json.RawMessage
	number   float64 // of a category
	source   model.ScoreSource
	at       time.Time

	traceID, observationID, sessionID, experimentID string

	environment, comment, configID, queueID, executionTraceID, author string

	metadata json.RawMessage

	members  map[string]json.RawMessage // all of the above as they came
	category json.RawMessage            // the number of a category, when a config just gave it
	by       string                     // the author, when it was just named
}

// readScore takes the fields out of the body of a score and says what is wrong with it.
func readScore(body json.RawMessage) (scoreFields, string) {
	r := newReader(body)
	f := scoreFields{
		id: r.id("id"), name: r.text("name"), value: r.raw("value"), metadata: r.raw("metadata"),
		comment: r.text("comment"), configID: r.text("configId"), queueID: r.text("queueId"),
		executionTraceID: r.text("executionTraceId"), environment: r.text("environment"), at: r.time("timestamp"),
		author:  r.text(authorMember),
		members: r.members,
	}
	if f.name == "" {
		r.complain("name", "required")
	}
	f.kind = model.ScoreType(r.oneOf("dataType", texts(model.ScoreTypes)...))
	if text := valueIssue(f.kind, f.value); text != "" {
		r.complain("value", "%s", text)
	}
	r.into(categoryNumber, &f.number, "a number")
	r.scoreTarget(&f)
	f.source = model.ScoreSource(r.oneOf("source", texts(model.ScoreSources)...))
	switch {
	case f.kind == model.Correction && f.configID != "":
		r.complain("configId", "a correction has no config")
	case f.kind != model.Correction && f.configID == "" && f.source == model.FromAnnotation:
		r.complain("configId", "required for annotations")
	}
	return f, r.issue
}

func texts[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = string(s)
	}
	return out
}

// valueIssue says why a value is none of a type; without a type it may be a number or text.
func valueIssue(kind model.ScoreType, raw json.RawMessage) string {
	if raw == nil {
		return "required"
	}
	number, isNumber := numberOf(raw)
	text, isText := textOf(raw)
	switch kind {
	case model.Numeric:
		if !isNumber {
			return "expected a number"
		}
	case model.Boolean:
		if !isNumber || number != 0 && number != 1 {
			return "expected 0 or 1"
		}
	case model.Categorical, model.Correction:
		if !isText {
			return "expected text"
		}
	case model.TextScore:
		if n := utf8.RuneCountInString(text); !isText || n == 0 || n > maxScoreText {
			return "expected text of 1 to " + strconv.Itoa(maxScoreText) + " characters"
		}
	default:
		if !isNumber && !isText {
			return "expected a number or text"
		}
	}
	return ""
}

func numberOf(raw json.RawMessage) (number float64, ok bool) {
	return number, json.Unmarshal(raw, &number) == nil && !math.IsInf(number, 0)
}

func textOf(raw json.RawMessage) (text string, ok bool) {
	return text, json.Unmarshal(raw, &text) == nil
}

func (r *reader) scoreTarget(f *scoreFields) {
	f.traceID, f.observationID = r.id("traceId"), r.id("observationId")
	f.sessionID, f.experimentID = r.id("sessionId"), r.id("datasetRunId")
	targets := 0
	for _, id := range []string{f.traceID, f.sessionID, f.experimentID} {
		if id != "" {
			targets++
		}
	}
	switch {
	case targets != 1:
		r.complain("traceId", "exactly one of traceId, sessionId and datasetRunId is needed")
	case f.observationID != "" && f.traceID == "":
		r.complain("observationId", "needs traceId")
	case f.kind == model.Correction && f.traceID == "":
		r.complain("traceId", "a correction is about a trace or an observation")
	}
}

// body is the score as the log has it, without members that nobody reads. So no client says what
// only a config can, or who scored.
func (f *scoreFields) body(id string) json.RawMessage {
	var kept object
	kept.add("id", quote(id))
	for _, name := range scoreMembers {
		if raw := f.members[name]; len(raw) > 0 && raw[0] != 'n' {
			kept.add(name, raw)
		}
	}
	if f.category != nil {
		kept.add(categoryNumber, f.category)
	}
	if f.by != "" {
		kept.add(authorMember, quote(f.by))
	}
	return kept.json()
}

// NameAuthor says of all scores of the batch who made them, unless that is nobody (""). It comes after Configure, which
// leaves of a score only what clients say.
func (b *Batch) NameAuthor(userID string) {
	for i := range b.Events {
		e := &b.Events[i]
		if e.Kind != Score || userID == "" {
			continue
		}
		f, _ := readScore(e.Body)
		f.by = userID
		if number := f.members[categoryNumber]; number != nil {
			f.category = number
		}
		e.Body = f.body(f.id)
	}
}

// NewScoreDelete is the event that deletes what was accepted of a score before it. It fails for an
// id that no score can have.
func NewScoreDelete(id string, at time.Time) (Event, error) {
	if text := idProblem(id); text != "" {
		return Event{}, invalidScore("scoreId: " + text)
	}
	var body object
	body.add("id", quote(id))
	return Event{Time: at.UTC().Truncate(time.Microsecond), Kind: ScoreDelete, Body: body.json()}, nil
}
