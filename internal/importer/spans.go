package importer

import (
	"encoding/json"
	"strings"
)

// span is a span of OpenTelemetry in JSON.
type span struct {
	TraceID           string      `json:"traceId"`
	SpanID            string      `json:"spanId"`
	ParentSpanID      string      `json:"parentSpanId,omitempty"`
	Name              string      `json:"name"`
	StartTimeUnixNano string      `json:"startTimeUnixNano"`
	EndTimeUnixNano   string      `json:"endTimeUnixNano"`
	Attributes        []attribute `json:"attributes"`
}

type attribute struct {
	Key   string `json:"key"`
	Value any    `json:"value"`
}

// attributes collects what is set under the names that SDKs use.
type attributes []attribute

func (a *attributes) text(name, value string) {
	if value != "" {
		*a = append(*a, attribute{"langfuse." + name, map[string]string{"stringValue": value}})
	}
}

func (a *attributes) flag(name string, value bool) {
	if value {
		*a = append(*a, attribute{"langfuse." + name, map[string]bool{"boolValue": true}})
	}
}

func (a *attributes) list(name string, values []string) {
	if len(values) == 0 {
		return
	}
	items := make([]map[string]string, len(values))
	for i, value := range values {
		items[i] = map[string]string{"stringValue": value}
	}
	*a = append(*a, attribute{"langfuse." + name, map[string]any{"arrayValue": map[string]any{"values": items}}})
}

func (a *attributes) json(name string, value any) error {
	text, err := encode(value)
	if err == nil {
		a.text(name, string(text))
	}
	return err
}

// span is the row as the span that it was.
func (o *observation) span() (s span, err error) {
	s = span{TraceID: o.TraceID, SpanID: o.ID, ParentSpanID: o.ParentObservationID, Name: o.Name}
	if s.StartTimeUnixNano, err = nanoseconds(o.StartTime); err != nil {
		return s, err
	}
	if s.EndTimeUnixNano, err = nanoseconds(o.EndTime); err != nil {
		return s, err
	}
	var a attributes
	for _, given := range []struct{ name, value string }{
		{"observation.type", strings.ToLower(o.Type)},
		{"observation.level", o.Level},
		{"observation.status_message", o.StatusMessage},
		{"observation.completion_start_time", o.CompletionStartTime},
		{"observation.model.name", o.model()},
		{"observation.input", text(o.Input)},
		{"observation.output", text(o.Output)},
		{"observation.prompt.name", o.PromptName},
		{"observation.prompt.version", o.PromptVersion.String()},
		{"observation.model.parameters", string(object(o.ModelParameters))},
		{"version", o.Version},
		{"release", o.Release},
		{"environment", o.Environment},
		{"user.id", o.UserID},
		{"session.id", o.SessionID},
		{"trace.name", o.TraceName},
	} {
		a.text(given.name, given.value)
	}
	a.list("trace.tags", o.Tags)
	a.flag("trace.public", o.Public)
	a.flag("internal.as_root", o.IsRootObservation && o.ParentObservationID != "")
	if usage := o.usage(); len(usage) > 0 {
		err = a.json("observation.usage_details", usage)
	}
	if costs := o.givenCosts(); err == nil && len(costs) > 0 {
		err = a.json("observation.cost_details", costs)
	}
	if err == nil {
		err = a.json("observation.metadata", spanMetadata(o.Metadata))
	}
	s.Attributes = a
	return s, err
}

// buckets are the parts of metadata that a server adds to every span. Given by a client they take the place of the server's:
// so what the source had stands there and nothing else.
var buckets = []string{"attributes", "resourceAttributes", "scope"}

// spanMetadata is metadata with the parts that servers add made whole again: newer sources show them under dotted names.
func spanMetadata(raw json.RawMessage) map[string]any {
	metadata := map[string]any{}
	for _, bucket := range buckets {
		metadata[bucket] = map[string]json.RawMessage{}
	}
	var given map[string]json.RawMessage
	if json.Unmarshal(raw, &given) != nil {
		return metadata
	}
	for name, value := range given {
		bucket, inside, dotted := strings.Cut(name, ".")
		if part, ok := metadata[bucket].(map[string]json.RawMessage); ok && dotted {
			part[inside] = value
			continue
		}
		metadata[name] = value
	}
	return metadata
}
