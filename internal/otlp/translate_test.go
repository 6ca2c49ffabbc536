package otlp

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
)

func TestJSONBodies(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, body string
		ok         bool
	}{
		{"nothing", "", false},
		{"empty object", "{}", true},
		{"empty list", `{"resourceSpans":[]}`, true},
		{"null list", `{"resourceSpans":null}`, true},
		{"snake case", `{"resource_spans":[{"x":1}]}`, true},
		{"white space", " {\n\t} \r\n", true},
		{"array", "[]", false},
		{"object for a list", `{"resourceSpans":{}}`, false},
		{"broken", `{"resourceSpans":[`, false},
		{"trailing comma", `{"resourceSpans":[],}`, false},
		{"more behind", `{} {}`, false},
		{"broken span", `{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"x]}]}]}`, false},
		{"nested out of all bounds", `{"x":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `}`, false},
	} {
		r, err := ParseJSON([]byte(c.body))
		if c.ok {
			if err != nil || r.Spans() != 0 || r.rejects.count != 0 {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		var f *fault.Fault
		if !errors.As(err, &f) || f.Kind != fault.Invalid || f.Public() != "Failed to parse OTel JSON Trace" {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestWrongShapesCostOneSpan(t *testing.T) {
	t.Parallel()
	deep := object{"stringValue": "x"}
	for range 40 {
		deep = object{"arrayValue": object{"values": list{deep}}}
	}
	for _, c := range []struct {
		members object
		want    string
	}{
		{object{"attributes": object{"k": "v"}}, "attributes:not_an_array"},
		{object{"attributes": list{"k"}}, "attributes:not_an_object"},
		{object{"attributes": list{object{"key": 5}}}, "attributes.key:not_a_string"},
		{object{"attributes": list{object{"key": "k", "value": "v"}}}, "attributes.value:not_an_object"},
		{object{"attributes": list{object{"key": "k", "value": object{"intValue": "x"}}}}, "attributes.intValue:not_a_number"},
		{object{"attributes": list{object{"key": "k", "value": object{"boolValue": 1}}}}, "attributes.boolValue:not_a_boolean"},
		{object{"attributes": list{object{"key": "k", "value": object{"doubleValue": list{}}}}}, "attributes.doubleValue:not_a_number"},
		{object{"attributes": list{object{"key": "k", "value": object{"bytesValue": "?"}}}}, "attributes.bytesValue:not_base64"},
		{object{"attributes": list{object{"key": "k", "value": deep}}}, "attributes:nested_too_deep"},
		{object{"events": object{}}, "events:not_an_array"},
		{object{"events": list{object{"attributes": "x"}}}, "event.attributes:not_an_array"},
		{object{"links": 5}, "links:not_an_array"},
		{object{"status": "error"}, "status:not_an_object"},
		{object{"name": 5}, "name:not_a_string"},
		{object{"startTimeUnixNano": "yesterday"}, "startTimeUnixNano:not_a_number"},
		{object{"startTimeUnixNano": object{}}, "startTimeUnixNano:not_a_number"},
		{object{"startTimeUnixNano": "-1"}, "startTimeUnixNano:not_a_number"},
		{object{"traceId": 5}, "traceId:not_an_id"},
		{object{"spanId": object{"data": list{300}}}, "spanId:not_an_id"},
		{object{"spanId": object{"type": "Buffer"}}, "spanId:not_an_id"},
		{object{"parentSpanId": true}, "parentSpanId:not_an_id"},
		{object{"traceId": nil}, "traceId:absent"},
		{object{"traceId": ""}, "traceId:absent"},
		{object{"spanId": strings.Repeat("0", 16)}, "spanId:all_zero"},
		{object{"spanId": strings.Repeat("x", 801)}, "spanId:too_long"},
	} {
		t.Run(c.want, func(t *testing.T) {
			t.Parallel()
			r := parseJSON(t, body("my-lib", nil, spanWith(nil), spanWith(c.members), spanWith(object{"name": "last"})))
			count, message := r.Rejected()
			if want := c.want + " ×1 (scope my-lib)"; count != 1 || message != want {
				t.Errorf("%d rejected: %s, want %s", count, message, want)
			}
			if rows := mapAll(t, r); len(rows) != 2 || rows[1].Name != "last" {
				t.Errorf("%d rows", len(rows))
			}
		})
	}
}

func TestWrongShapesAboveSpans(t *testing.T) {
	t.Parallel()
	good := object{"scopeSpans": list{object{"scope": object{"name": "ok"}, "spans": list{spanWith(nil)}}}}
	two := list{spanWith(nil), spanWith(nil)}
	for _, c := range []struct {
		bad  any
		want string
	}{
		{5, "resourceSpans:not_an_object ×1"},
		{object{"scopeSpans": 5}, "scopeSpans:not_an_array ×1"},
		{object{"scopeSpans": list{5}}, "scopeSpans:not_an_object ×1"},
		{object{"scopeSpans": list{object{"spans": object{}}}}, "spans:not_an_array ×1"},
		{
			object{"scopeSpans": list{object{"scope": object{"name": "s"}, "spans": list{5, spanWith(object{"name": 1})}}}},
			"spans:not_an_object ×1 (scope s); name:not_a_string ×1 (scope s)",
		},
		{
			object{"resource": object{"attributes": object{}}, "scopeSpans": list{object{"spans": two}}},
			"resource.attributes:not_an_array ×2",
		},
		{object{"resource": 5, "scopeSpans": list{object{"spans": two}}}, "resource:not_an_object ×2"},
		{object{"scopeSpans": list{object{"scope": object{"attributes": 5}, "spans": two}}}, "scope.attributes:not_an_array ×2"},
	} {
		r := parseJSON(t, object{"resourceSpans": list{good, c.bad, good}})
		if _, message := r.Rejected(); message != c.want {
			t.Errorf("%s, want %s", message, c.want)
		}
		if rows := mapAll(t, r); len(rows) != 2 || rows[1].ScopeName != "ok" {
			t.Errorf("%s: %d rows", c.want, len(rows))
		}
	}
}

func TestJSONIDs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		given, want object
	}{
		{object{"traceId": strings.ToUpper(testTrace), "spanId": strings.ToUpper(testSpan)}, object{"trace": testTrace, "span": testSpan}},
		{
			object{"traceId": "cm1-legacy", "spanId": "550e8400-e29b-41d4-a716-446655440000", "parentSpanId": "Parent"},
			object{"trace": "cm1-legacy", "span": "550e8400-e29b-41d4-a716-446655440000", "parent": "Parent"},
		},
		{object{"traceId": testSpan}, object{"trace": testSpan, "span": testSpan}}, // hex of another length is text
		{object{"parentSpanId": ""}, object{"trace": testTrace, "span": testSpan}},
		{object{"parentSpanId": strings.Repeat("0", 16)}, object{"trace": testTrace, "span": testSpan}},
		{object{"spanId": object{"type": "Buffer", "data": list{183, 173, 107, 113, 105, 32, 51, 49}}}, object{"trace": testTrace, "span": testSpan}},
		{object{"traceId": "t\u00e9\n"}, object{"trace": "té\n", "span": testSpan}},
	} {
		o := mapOne(t, spanWith(c.given))
		parent, _ := c.want["parent"].(string)
		if o.TraceID != c.want["trace"] || o.ID != c.want["span"] || o.ParentID != parent {
			t.Errorf("%v: %q %q %q", c.given, o.TraceID, o.ID, o.ParentID)
		}
	}
}

func TestJSONNumbers(t *testing.T) {
	t.Parallel()
	value := func(kind string, v any) object {
		return object{"key": "k", "value": object{kind: v}}
	}
	raw := func(text string) any { return rawJSON(text) }
	for _, c := range []struct {
		attribute object
		want      string
		kind      model.MetadataType
	}{
		{value("intValue", "9223372036854775807"), "9223372036854775807", model.MetadataNumber},
		{value("intValue", raw("-9223372036854775808")), "-9223372036854775808", model.MetadataNumber},
		{value("intValue", raw("1e3")), "1000", model.MetadataNumber},
		{value("intValue", raw("9223372036854775808")), "9223372036854776000", model.MetadataNumber},
		{value("doubleValue", raw("1.50")), "1.5", model.MetadataNumber},
		{value("doubleValue", raw("1e21")), "1e+21", model.MetadataNumber},
		{value("doubleValue", raw("1e-7")), "1e-7", model.MetadataNumber},
		{value("doubleValue", "NaN"), "NaN", model.MetadataString},
		{value("doubleValue", "-Infinity"), "-Infinity", model.MetadataString},
		{value("doubleValue", "much"), "much", model.MetadataString},
		{value("boolValue", true), "true", model.MetadataBool},
		{value("boolValue", "false"), "false", model.MetadataBool},
		{value("bytesValue", "AQID"), "AQID", model.MetadataString},
		{value("bytesValue", "_-8"), "/+8=", model.MetadataString},
		{value("stringValue", "a\u0000\"\\/\b\f\n\r\t\u2028\U0001F600"), "a\u0000\"\\/\b\f\n\r\t\u2028\U0001F600", model.MetadataString},
		{value("stringValue", raw(`"\ud83d\ude00 \ud83d \ude00x \u00fc"`)), "\U0001F600 \uFFFD \uFFFDx ü", model.MetadataString},
	} {
		o := mapOne(t, spanWith(object{"attributes": list{c.attribute}}))
		want := model.MetadataEntry{Name: "attributes.k", Value: c.want, Type: c.kind}
		if len(o.Metadata) == 0 || o.Metadata[0] != want {
			t.Errorf("%v: %+v, want %+v", c.attribute, o.Metadata, want)
		}
	}
}

// rawJSON goes into a body as it stands.
type rawJSON string

func (r rawJSON) MarshalJSON() ([]byte, error) { return []byte(r), nil }

func TestJSONTimesAndStatus(t *testing.T) {
	t.Parallel()
	for i, c := range []object{
		{"startTimeUnixNano": "1767323045678901234", "status": object{"code": 2, "message": "m"}},
		{"startTimeUnixNano": rawJSON("1767323045678901234"), "status": object{"code": "2", "message": "m"}},
		{"startTimeUnixNano": rawJSON("1.767323045678901e18"), "status": object{"code": "STATUS_CODE_ERROR", "message": "m"}},
	} {
		o := mapOne(t, spanWith(c))
		if got := isoTime(o.StartTime); got != "2026-01-02T03:04:05.678Z" || o.Level != model.Error || o.StatusMessage != "m" {
			t.Errorf("%d: %s %s %s", i, got, o.Level, o.StatusMessage)
		}
	}
}

func TestJSONKeysInAnyOrder(t *testing.T) {
	t.Parallel()
	const late = `{"resourceSpans":[{"scopeSpans":[{"spans":[{"attributes":[{"value":{"stringValue":"v"},"k\u0065y":"a"}],` +
		`"unknown":{"x":[1,{"y":null}]},"name":"n","spanId":%q,"traceId":"x","traceId":%q}],"scope":{"version":"1","name":"lib"}}],` +
		`"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"svc"}}]},"schemaUrl":"u"}]}`
	rows := mapAll(t, parseRaw(t, fmt.Appendf(nil, late, testSpan, testTrace)))
	if len(rows) != 1 {
		t.Fatalf("%d rows", len(rows))
	}
	o := rows[0]
	if o.TraceID != testTrace || o.ServiceName != "svc" || o.ScopeName != "lib" || o.ScopeVersion != "1" || o.Metadata[0].Name != "attributes.a" {
		t.Errorf("%+v", o)
	}
}
