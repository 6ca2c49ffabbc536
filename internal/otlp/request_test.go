package otlp

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/sondehq/sonde/internal/fault"
)

// field appends a length-delimited field.
func field(dst []byte, number protowire.Number, content []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(dst, number, protowire.BytesType), content)
}

// wireBody wraps encoded spans in one resource and the scope "my-lib".
func wireBody(spans ...[]byte) []byte {
	scope := field(nil, 1, field(nil, 1, []byte("my-lib")))
	for _, span := range spans {
		scope = field(scope, 2, span)
	}
	return field(nil, 1, field(nil, 2, scope))
}

// wireSpan is a good encoded span with more fields behind.
func wireSpan(more ...byte) []byte {
	span := field(nil, 1, bytes.Repeat([]byte{1}, traceIDBytes))
	span = field(span, 2, bytes.Repeat([]byte{2}, spanIDBytes))
	return append(span, more...)
}

func fixed64Field(number protowire.Number, v uint64) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(nil, number, protowire.Fixed64Type), v)
}

// nestedValue is an attribute value of the given depth.
func nestedValue(depth int) []byte {
	value := field(nil, 1, []byte("deep"))
	for range depth - 1 {
		value = field(nil, 5, field(nil, 1, value))
	}
	return value
}

func TestRejectedSpans(t *testing.T) {
	t.Parallel()
	var (
		trace = bytes.Repeat([]byte{1}, traceIDBytes)
		span  = bytes.Repeat([]byte{2}, spanIDBytes)
	)
	attribute := func(value []byte) []byte {
		return field(nil, 9, field(field(nil, 1, []byte("k")), 2, value))
	}
	for _, c := range []struct {
		name string
		span []byte
		want string // "" for a good span
	}{
		{"good", wireSpan(), ""},
		{"no trace id", field(nil, 2, span), "traceId:absent"},
		{"empty trace id", field(field(nil, 1, nil), 2, span), "traceId:absent"},
		{"short trace id", field(field(nil, 1, trace[:8]), 2, span), "traceId:not_an_id"},
		{"zero trace id", field(field(nil, 1, make([]byte, traceIDBytes)), 2, span), "traceId:all_zero"},
		{"no span id", field(nil, 1, trace), "spanId:absent"},
		{"long span id", field(field(nil, 1, trace), 2, trace), "spanId:not_an_id"},
		{"zero span id", field(field(nil, 1, trace), 2, make([]byte, spanIDBytes)), "spanId:all_zero"},
		{"parent", wireSpan(field(nil, 4, span)...), ""},
		{"empty parent", wireSpan(field(nil, 4, nil)...), ""},
		{"zero parent", wireSpan(field(nil, 4, make([]byte, spanIDBytes))...), ""},
		{"long parent", wireSpan(field(nil, 4, trace)...), "parentSpanId:not_an_id"},
		{
			"start in 2100", wireSpan(fixed64Field(7, 4102444800_000_000_000)...),
			"startTimeUnixNano:after_2100 (nanoseconds since 1970 are expected)",
		},
		{"start just before", wireSpan(fixed64Field(7, 4102444800_000_000_000-1)...), ""},
		{
			"end in 2100", wireSpan(fixed64Field(8, 4102444800_000_000_000)...),
			"endTimeUnixNano:after_2100 (nanoseconds since 1970 are expected)",
		},
		{"depth 32", wireSpan(attribute(nestedValue(32))...), ""},
		{"depth 33", wireSpan(attribute(nestedValue(33))...), "attributes:nested_too_deep"},
		{"10000 attributes", wireSpan(bytes.Repeat(attribute(nestedValue(1)), maxAttributes)...), ""},
		{"more attributes", wireSpan(bytes.Repeat(attribute(nestedValue(1)), maxAttributes+1)...), "attributes:more_than_10000"},
		{"broken attribute", wireSpan(field(nil, 9, []byte{0x0a, 0x7f})...), "attributes:malformed"},
		{"broken value", wireSpan(attribute([]byte{0x0a, 0x7f})...), "attributes:malformed"},
		{"broken array", wireSpan(attribute(field(nil, 5, []byte{0x0a, 0x7f}))...), "attributes:malformed"},
		{"broken event", wireSpan(field(nil, 11, []byte{0xff})...), "event:malformed"},
		{"broken link", wireSpan(field(nil, 13, []byte{0xff})...), "link:malformed"},
		{"broken status", wireSpan(field(nil, 15, []byte{0x08})...), "status:malformed"},
		{"broken event attribute", wireSpan(field(nil, 11, field(nil, 3, []byte{0xff}))...), "attributes:malformed"},
		{"broken span", wireSpan(0xff), "span:malformed"},
		{"known field of another wire type", wireSpan(fixed64Field(9, 1)...), ""},
		{"group", wireSpan(protowire.AppendTag(protowire.AppendTag(nil, 50, protowire.StartGroupType), 50, protowire.EndGroupType)...), ""},
		{"open group", wireSpan(protowire.AppendTag(nil, 50, protowire.StartGroupType)...), "span:malformed"},
		{"field number 0", wireSpan(0x02, 0x00), "span:malformed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r, err := ParseProtobuf(wireBody(wireSpan(), c.span))
			if err != nil {
				t.Fatal(err)
			}
			count, message := r.Rejected()
			if c.want == "" {
				if count != 0 || message != "" || r.Spans() != 2 {
					t.Errorf("%d spans, %d rejected: %s", r.Spans(), count, message)
				}
			} else if want := c.want + " ×1 (scope my-lib)"; count != 1 || message != want || r.Spans() != 1 {
				t.Errorf("%d spans, %d rejected:\n%s\nwant\n%s", r.Spans(), count, message, want)
			}
			if rows := mapAll(t, r); len(rows) != r.Spans() {
				t.Errorf("%d rows of %d spans", len(rows), r.Spans())
			}
		})
	}
}

func TestBrokenBodies(t *testing.T) {
	t.Parallel()
	good := wireBody(wireSpan())
	for name, body := range map[string][]byte{
		"truncated":             good[:len(good)-1],
		"text":                  []byte("hello, this is no protobuf"),
		"broken resource spans": field(nil, 1, []byte{0x12}),
		"broken scope spans":    field(nil, 1, field(nil, 2, []byte{0x12})),
	} {
		_, err := ParseProtobuf(body)
		var f *fault.Fault
		if !errors.As(err, &f) || f.Kind != fault.Invalid || f.Public() != "Failed to parse OTel Protobuf Trace" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Map(good[:len(good)-1], testSource()); err == nil {
		t.Error("Map took a truncated payload")
	}
	if _, err := Map(wireBody(nil), testSource()); err == nil {
		t.Error("Map took a span without ids")
	}
}

func TestEmptyBody(t *testing.T) {
	t.Parallel()
	r, err := ParseProtobuf(nil)
	if err != nil || r.Spans() != 0 || r.Split(100) != nil {
		t.Errorf("an empty body is an empty request: %v", err)
	}
}

// A logs export sent to the traces path decodes as spans without ids.
func TestLogsAreNoSpans(t *testing.T) {
	t.Parallel()
	record := fixed64Field(1, 1767323045678901234)
	record = protowire.AppendVarint(protowire.AppendTag(record, 2, protowire.VarintType), 9)
	record = field(record, 5, field(nil, 1, []byte("a line")))
	r, err := ParseProtobuf(wireBody(record, record, record))
	if err != nil {
		t.Fatal(err)
	}
	count, message := r.Rejected()
	if count != 3 || r.Spans() != 0 || message != "traceId:absent ×3 (scope my-lib)" {
		t.Errorf("%d spans, %d rejected: %s", r.Spans(), count, message)
	}
}

func TestBrokenResourceCostsItsSpansOnly(t *testing.T) {
	t.Parallel()
	spans := field(nil, 2, field(field(nil, 2, wireSpan()), 2, wireSpan()))
	broken := field(nil, 1, append(bytes.Clone(spans), field(nil, 1, []byte{0xff})...))
	brokenScope := field(nil, 1, field(nil, 2, append(field(nil, 2, wireSpan()), field(nil, 1, field(nil, 3, []byte{0xff}))...)))
	r, err := ParseProtobuf(append(append(broken, brokenScope...), wireBody(wireSpan())...))
	if err != nil {
		t.Fatal(err)
	}
	count, message := r.Rejected()
	if want := "resource:malformed ×2; attributes:malformed ×1"; count != 3 || r.Spans() != 1 || message != want {
		t.Errorf("%d spans, %d rejected: %s", r.Spans(), count, message)
	}
	if rows := mapAll(t, r); len(rows) != 1 || rows[0].ScopeName != "my-lib" {
		t.Errorf("%d rows", len(rows))
	}
}

func TestRejectionMessageIsBounded(t *testing.T) {
	t.Parallel()
	var r rejections
	for i := range 1000 {
		r.add("traceId:absent", strings.Repeat("s", 300)+string(rune('a'+i%26))+"\xff", 1)
		r.add(strings.Repeat("r", i%50), "", 2)
	}
	message := r.message()
	if len(message) > maxRejectionBytes+100 || !strings.Contains(message, "more") {
		t.Errorf("%d bytes: %s", len(message), message)
	}
	if r.count != 3000 {
		t.Errorf("count %d", r.count)
	}
}

// Private fields are ours: a client that writes them is not heard, and the payload loses them.
func TestPrivateFieldsAreStripped(t *testing.T) {
	t.Parallel()
	forged := wireSpan(field(nil, 1001, []byte("other-trace"))...)
	forged = field(field(forged, 1002, []byte("other-span")), 1003, []byte("other-parent"))
	r, err := ParseProtobuf(wireBody(forged, wireSpan()))
	if err != nil {
		t.Fatal(err)
	}
	parts := r.Split(1 << 20)
	if len(parts) != 1 || parts[0].Spans != 2 || bytes.Contains(parts[0].Payload, []byte("other-")) {
		t.Fatalf("forged ids are still there: %+v", parts)
	}
	rows := mapParts(t, parts)
	if rows[0].TraceID != strings.Repeat("01", traceIDBytes) || rows[0].ID != strings.Repeat("02", spanIDBytes) || rows[0].ParentID != "" {
		t.Errorf("row %+v", rows[0])
	}
	only := field(field(nil, 1001, []byte("other-trace")), 1002, []byte("other-span"))
	r, err = ParseProtobuf(wireBody(only))
	if count, message := r.Rejected(); err != nil || count != 1 || !strings.HasPrefix(message, "traceId:absent") {
		t.Errorf("%d rejected: %s, %v", count, message, err)
	}
}

// Fields may come in any order: the collector's library writes the resource behind the spans and
// values before keys.
func TestFieldOrderDoesNotMatter(t *testing.T) {
	t.Parallel()
	traces := agentTraces(5)
	span := traces.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
	nested := span.Attributes().PutEmptyMap("langfuse.observation.metadata.map")
	nested.PutInt("n", 1)
	nested.PutEmptySlice("s").AppendEmpty().SetStr("x")
	span.Status().SetCode(ptrace.StatusCodeError)
	span.Status().SetMessage("boom")
	span.Events().AppendEmpty().SetName("exception")
	span.Links().AppendEmpty().SetTraceID(pcommon.TraceID{1})
	collector, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(traces)
	if err != nil {
		t.Fatal(err)
	}
	r, err := ParseProtobuf(collector)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(mapAll(t, parseRaw(t, agentJSON(t, traces))), mapAll(t, r)); diff != "" {
		t.Error(diff)
	}
}

func parseRaw(t *testing.T, body []byte) *Request {
	t.Helper()
	r, err := ParseJSON(body)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
