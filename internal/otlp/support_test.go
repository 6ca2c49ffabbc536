package otlp

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/model"
)

// accepted is when the tests' bodies were accepted; it has a part below the millisecond.
var accepted = time.Date(2026, 1, 2, 3, 4, 5, 678_901_000, time.UTC)

const (
	testTrace = "0af7651916cd43dd8448eb211c80319c"
	testSpan  = "b7ad6b7169203331"
)

func testSource() Source {
	return Source{ProjectID: "p1", AcceptedAt: accepted, SDKName: "python", SDKVersion: "5.0.4"}
}

// object writes JSON bodies in tests.
type object = map[string]any

// list is a JSON array.
type list = []any

func asJSON(t testing.TB, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// attr is an attribute with a string value.
func attr(key, text string) object {
	return object{"key": key, "value": object{"stringValue": text}}
}

// spanWith is a minimal span with the given members on top.
func spanWith(members object) object {
	span := object{"traceId": testTrace, "spanId": testSpan, "name": "n", "startTimeUnixNano": "1767323045678901234"}
	for k, v := range members {
		if v == nil {
			delete(span, k)
			continue
		}
		span[k] = v
	}
	return span
}

// body wraps spans in one resource and one scope.
func body(scope string, resource list, spans ...any) object {
	return object{"resourceSpans": list{object{
		"resource":   object{"attributes": resource},
		"scopeSpans": list{object{"scope": object{"name": scope}, "spans": spans}},
	}}}
}

func parseJSON(t testing.TB, v any) *Request {
	t.Helper()
	r, err := ParseJSON(asJSON(t, v))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// mapAll maps every usable span of a request.
func mapAll(t testing.TB, r *Request) []*model.Observation {
	t.Helper()
	return mapParts(t, r.Split(1<<30))
}

func mapParts(t testing.TB, parts []Part) []*model.Observation {
	t.Helper()
	var rows []*model.Observation
	for _, part := range parts {
		src := testSource()
		src.First = part.First
		got, err := Map(part.Payload, src)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != part.Spans {
			t.Fatalf("a part says %d spans and maps to %d", part.Spans, len(got))
		}
		rows = append(rows, got...)
	}
	return rows
}

// mapOne maps a body with a single span of a foreign scope.
func mapOne(t testing.TB, span object) *model.Observation {
	t.Helper()
	rows := mapAll(t, parseJSON(t, body("other.lib", nil, span)))
	if len(rows) != 1 {
		t.Fatalf("%d rows, want 1", len(rows))
	}
	return rows[0]
}

var typeWords = map[model.MetadataType]string{
	model.MetadataString: "string", model.MetadataNumber: "number", model.MetadataBool: "boolean",
	model.MetadataNull: "null", model.MetadataJSON: "array",
}

// leafValue is what a leaf means in JSON.
func leafValue(e model.MetadataEntry) any {
	if e.Type == model.MetadataString {
		return e.Value
	}
	var v any
	if err := json.Unmarshal([]byte(e.Value), &v); err != nil {
		return "not JSON: " + e.Value
	}
	return v
}

func isoTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format("2006-01-02T15:04:05.000Z")
}
