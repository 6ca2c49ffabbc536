package demo

import (
	"encoding/hex"
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"time"
)

// span is one observation on its way.
type span struct {
	trace, id, parent string
	name, kind        string // kind is the observation's type
	start             time.Time
	end               time.Time // zero: it has not ended
	attributes        map[string]any
	failure           string // empty: it went well
}

// traceFacts are what every span of a trace repeats.
type traceFacts struct {
	name, user, session, release, environment string
	tags                                      []string
	metadata                                  map[string]string
}

func (f traceFacts) attributes() map[string]any {
	list := map[string]any{"langfuse.trace.name": f.name, "langfuse.release": f.release, "langfuse.environment": f.environment}
	if f.user != "" {
		list["user.id"] = f.user
	}
	if f.session != "" {
		list["session.id"] = f.session
	}
	if len(f.tags) > 0 {
		list["langfuse.trace.tags"] = jsonText(f.tags)
	}
	for key, value := range f.metadata {
		list["langfuse.trace.metadata."+key] = value
	}
	return list
}

// tree makes the spans of one trace.
type tree struct {
	rand  *rand.Rand
	facts traceFacts
	id    string
	spans []*span
}

func newTree(r *rand.Rand, facts traceFacts) *tree {
	return &tree{rand: r, facts: facts, id: randomHex(r, 16)}
}

// add begins a span below parent; nil makes a root.
func (t *tree) add(parent *span, kind, name string, start time.Time, took time.Duration) *span {
	s := &span{trace: t.id, id: randomHex(t.rand, 8), name: name, kind: kind, start: start, end: start.Add(took), attributes: t.facts.attributes()}
	if parent != nil {
		s.parent = parent.id
	}
	t.spans = append(t.spans, s)
	return s
}

func (s *span) set(key string, value any) *span {
	s.attributes["langfuse.observation."+key] = value
	return s
}

func (s *span) io(input, output any) *span {
	return s.set("input", textOf(input)).set("output", textOf(output))
}

// model makes s a call of a language model.
func (s *span) model(name string, input, output int, first time.Duration) {
	s.set("model.name", name)
	s.set("usage_details", jsonText(map[string]int{"input": input, "output": output, "total": input + output}))
	s.set("model.parameters", `{"temperature":0.2,"max_tokens":1024}`)
	s.set("completion_start_time", s.start.Add(first).UTC().Format(time.RFC3339Nano))
}

// fail marks s as failed.
func (s *span) fail(reason string) *span {
	s.failure = reason
	return s.set("level", "ERROR").set("status_message", reason)
}

// json renders s as OTLP has it.
func (s *span) json() map[string]any {
	s.set("type", s.kind)
	out := map[string]any{
		"traceId": s.trace, "spanId": s.id, "name": s.name, "kind": 1,
		"startTimeUnixNano": strconv.FormatInt(s.start.UnixNano(), 10),
		"attributes":        attributeList(s.attributes),
	}
	if s.parent != "" {
		out["parentSpanId"] = s.parent
	}
	if !s.end.IsZero() {
		out["endTimeUnixNano"] = strconv.FormatInt(s.end.UnixNano(), 10)
	}
	if s.failure != "" {
		out["status"] = map[string]any{"code": 2, "message": s.failure}
	}
	return out
}

func attributeList(values map[string]any) []map[string]any {
	list := make([]map[string]any, 0, len(values))
	for key, value := range values {
		list = append(list, map[string]any{"key": key, "value": map[string]any{"stringValue": textOf(value)}})
	}
	return list
}

func textOf(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	return jsonText(value)
}

func jsonText(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // maps, lists and strings always marshal
	}
	return string(text)
}

func randomHex(r *rand.Rand, size int) string {
	id := make([]byte, size)
	for i := range id {
		id[i] = byte(r.Uint32())
	}
	id[0] |= 1 // an id of zeros is no id
	return hex.EncodeToString(id)
}
