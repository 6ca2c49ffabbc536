package partial

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/model"
)

// Limits on what clients may send.
const (
	maxIDBytes        = 800
	maxTraceNameBytes = 1000
)

// firstYear and endYear bound times: outside of them a client mistook one unit for another.
const (
	firstYear = 1970
	endYear   = 2100
)

// reader takes typed members out of a JSON object. Absent and null are the same: not set. It
// remembers the first member that has the wrong form; keys it is not asked for do not matter.
type reader struct {
	members map[string]json.RawMessage
	issue   string
}

func newReader(body []byte) reader {
	var r reader
	if err := json.Unmarshal(body, &r.members); err != nil || r.members == nil {
		r.issue = "body: expected an object"
	}
	return r
}

func (r *reader) complain(key, format string, args ...any) {
	if r.issue == "" {
		r.issue = key + ": " + fmt.Sprintf(format, args...)
	}
}

// raw is the JSON text of a member, nil when it is not set.
func (r *reader) raw(key string) json.RawMessage {
	if text := r.members[key]; len(text) > 0 && text[0] != 'n' {
		return text
	}
	return nil
}

// into decodes a member and reports whether it is set and has the right form.
func (r *reader) into(key string, value any, form string) bool {
	text := r.raw(key)
	if text == nil {
		return false
	}
	if json.Unmarshal(text, value) != nil {
		r.complain(key, "expected %s", form)
		return false
	}
	return true
}

func (r *reader) text(key string) (s string) {
	r.into(key, &s, "text")
	return s
}

// id is a text that names something.
func (r *reader) id(key string) string {
	s := r.text(key)
	if problem := idProblem(s); s != "" && problem != "" {
		r.complain(key, "%s", problem)
	}
	return s
}

func idProblem(s string) string {
	switch {
	case s == "":
		return "required"
	case len(s) > maxIDBytes:
		return "longer than " + strconv.Itoa(maxIDBytes) + " bytes"
	case strings.ContainsRune(s, '\r'):
		return "must not contain a carriage return"
	}
	return ""
}

// time is a member in RFC 3339 with an offset.
func (r *reader) time(key string) time.Time {
	s := r.text(key)
	if s == "" {
		return time.Time{}
	}
	t, ok := parseTime(s)
	if !ok {
		r.complain(key, "expected a time such as 2026-05-01T10:00:00.000Z")
	}
	return t
}

// parseTime reads a time to the microsecond, which is what the store keeps of an event's time.
func parseTime(s string) (time.Time, bool) {
	t, err := time.Parse(time.RFC3339Nano, s)
	if t = t.UTC(); err != nil || t.Year() < firstYear || t.Year() >= endYear {
		return time.Time{}, false
	}
	return t.Truncate(time.Microsecond), true
}

func (r *reader) object(key string) json.RawMessage {
	text := r.raw(key)
	if text != nil && text[0] != '{' {
		r.complain(key, "expected an object")
		return nil
	}
	return text
}

func (r *reader) oneOf(key string, allowed ...string) string {
	s := r.text(key)
	if s != "" && !slices.Contains(allowed, s) {
		r.complain(key, "expected one of %s", strings.Join(allowed, ", "))
		return ""
	}
	return s
}

// fields is what one event says about a row. Zero values are not set.
type fields struct {
	parentID      string
	name          string
	start         time.Time
	end           time.Time
	firstToken    time.Time
	kind          model.Type
	level         model.Level
	statusMessage string
	version       string
	environment   string

	input, output, metadata json.RawMessage

	model         string
	parameters    json.RawMessage
	usage         map[string]uint64
	cost          costs
	promptName    string
	promptVersion uint32

	userID, sessionID, release string
	tags                       []string
	public, bookmarked         *bool
}

// observationTypes are the kinds of events about observations. An empty type is in the body.
var observationTypes = map[Kind]model.Type{
	"event-create": model.Event, "span-create": model.Span, "span-update": model.Span,
	"generation-create": model.Generation, "generation-update": model.Generation,
	"agent-create": model.Agent, "tool-create": model.Tool, "chain-create": model.Chain,
	"retriever-create": model.Retriever, "evaluator-create": model.Evaluator,
	"embedding-create": model.Embedding, "guardrail-create": model.Guardrail,
	"observation-create": "", "observation-update": "",
}

// read takes the fields out of an event that makes a row, and says what is wrong with it.
func read(e *Event) (fields, string) {
	r := newReader(e.Body)
	var f fields
	if e.Kind == Trace {
		r.trace(&f)
	} else {
		r.observation(e.Kind, &f)
	}
	f.version = r.text("version")
	f.environment = r.text("environment")
	f.input, f.output, f.metadata = r.raw("input"), r.raw("output"), r.raw("metadata")
	return f, r.issue
}

func (r *reader) trace(f *fields) {
	r.id("id")
	f.start = r.time("timestamp")
	f.name = r.text("name")
	if len(f.name) > maxTraceNameBytes {
		r.complain("name", "longer than %d bytes", maxTraceNameBytes)
	}
	f.userID, f.sessionID, f.release = r.text("userId"), r.text("sessionId"), r.text("release")
	r.into("tags", &f.tags, "a list of texts")
	var public, bookmarked bool
	if r.into("public", &public, "true or false") {
		f.public = &public
	}
	if r.into("bookmarked", &bookmarked, "true or false") {
		f.bookmarked = &bookmarked
	}
	f.kind = model.Span
}

func (r *reader) observation(kind Kind, f *fields) {
	if id := r.id("id"); id == "" {
		r.complain("id", "required")
	}
	r.id("traceId")
	f.parentID = r.id("parentObservationId")
	f.name = r.text("name")
	f.start, f.end, f.firstToken = r.time("startTime"), r.time("endTime"), r.time("completionStartTime")
	f.level = model.Level(r.oneOf("level", string(model.Debug), string(model.Default), string(model.Warning), string(model.Error)))
	f.statusMessage = r.text("statusMessage")
	if f.kind = observationTypes[kind]; f.kind == "" {
		f.kind = model.Type(r.oneOf("type", string(model.Generation), string(model.Span), string(model.Event)))
		if f.kind == "" {
			r.complain("type", "required")
		}
	}
	f.model = r.text("model")
	f.parameters = r.object("modelParameters")
	given := r.object("usage")
	f.usage = usageOf(given, r.object("usageDetails"))
	f.cost = costOf(given, r.object("costDetails"))
	f.promptName = r.text("promptName")
	var version float64
	if r.into("promptVersion", &version, "a whole number") {
		if version != math.Trunc(version) || version < 0 || version > math.MaxUint32 {
			r.complain("promptVersion", "expected a whole number")
		}
		f.promptVersion = uint32(version)
	}
	if (f.promptName == "") != (f.promptVersion == 0) {
		r.complain("promptName", "promptName and promptVersion go together")
	}
}

// rowText is a value as rows hold it: a string as it is, everything else as compact JSON.
func rowText(raw json.RawMessage) string {
	if len(raw) == 0 {
		return ""
	}
	if raw[0] == '"' {
		var s string
		if json.Unmarshal(raw, &s) == nil {
			return s
		}
	}
	var compact bytes.Buffer
	if json.Compact(&compact, raw) != nil {
		return string(raw)
	}
	return compact.String()
}

// truthy is how older clients and servers tell a value from none.
func truthy(raw json.RawMessage) bool {
	switch string(raw) {
	case "", `""`, "0", "false", "null", "0.0", "-0":
		return false
	}
	return true
}
