package otlp

import (
	"bytes"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// checkRejections checks that rejected spans are named once each, in order, with bounds.
func checkRejections(t *testing.T, r *Request) {
	t.Helper()
	count, _ := r.Rejected()
	list := r.Rejections()
	if len(list) > MaxRejections || len(list) > count || len(list) < min(count, MaxRejections) {
		t.Fatalf("%d of %d rejected spans are named", len(list), count)
	}
	last := -1
	for _, s := range list {
		if s.Item <= last || s.Reason == "" || len(s.TraceID) > 2*maxIDShown || len(s.SpanID) > 2*maxIDShown ||
			!utf8.ValidString(s.TraceID+s.SpanID+s.Reason) {
			t.Fatalf("rejection %+v after item %d", s, last)
		}
		last = s.Item
	}
}

func TestRejectionsNameSpans(t *testing.T) {
	t.Parallel()
	noSpanID := field(nil, 1, bytes.Repeat([]byte{1}, traceIDBytes))
	late := wireSpan(fixed64Field(7, 1<<63)...)
	r, err := ParseProtobuf(append(wireBody(wireSpan(), noSpanID, wireSpan()), wireBody(late, wireSpan(), nil)...))
	if err != nil {
		t.Fatal(err)
	}
	trace, span := "", ""
	if rows := mapAll(t, r); len(rows) == 3 {
		trace, span = rows[0].TraceID, rows[0].ID
	}
	want := []Rejection{
		{Item: 1, TraceID: "01010101010101010101010101010101", Reason: "spanId:absent"},
		{Item: 3, TraceID: trace, SpanID: span, Reason: startLate},
		{Item: 5, Reason: "traceId:absent"},
	}
	if diff := cmp.Diff(want, r.Rejections()); diff != "" {
		t.Errorf("rejections (-want +got):\n%s", diff)
	}
	checkRejections(t, r)
}

// In JSON, some problems are found while translating and others later: positions count all spans.
func TestRejectionsOfJSONNameSpans(t *testing.T) {
	t.Parallel()
	const (
		trace = `"traceId":"0af7651916cd43dd8448eb211c80319c"`
		good  = `{` + trace + `,"spanId":"b7ad6b7169203331","name":"a"}`
		bare  = `{` + trace + `}`
		shape = `{` + trace + `,"spanId":"b7ad6b7169203331","attributes":7}`
	)
	body := `{"resourceSpans":[
		{"scopeSpans":[{"spans":[` + good + `,` + shape + `,` + bare + `,7,` + good + `]}]},
		{"scopeSpans":[{"spans":[` + good + `,` + shape + `]}],"resource":{"attributes":7}},
		{"scopeSpans":[{"spans":[` + bare + `,` + good + `]}]}]}`
	r, err := ParseJSON([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	id := "0af7651916cd43dd8448eb211c80319c"
	want := []Rejection{
		{Item: 1, Reason: "attributes:not_an_array"},
		{Item: 2, TraceID: id, Reason: "spanId:absent"},
		{Item: 3, Reason: "spans:not_an_object"},
		{Item: 5, Reason: "resource.attributes:not_an_array"},
		{Item: 6, Reason: "attributes:not_an_array"},
		{Item: 7, TraceID: id, Reason: "spanId:absent"},
	}
	if diff := cmp.Diff(want, r.Rejections()); diff != "" {
		t.Errorf("rejections (-want +got):\n%s", diff)
	}
	if r.Spans() != 3 {
		t.Errorf("%d spans, want 3", r.Spans())
	}
	checkRejections(t, r)
}

func TestRejectionsAreBounded(t *testing.T) {
	t.Parallel()
	r, err := ParseProtobuf(wireBody(make([][]byte, MaxRejections+10)...))
	if err != nil {
		t.Fatal(err)
	}
	if list := r.Rejections(); len(list) != MaxRejections || list[MaxRejections-1].Item != MaxRejections-1 {
		t.Errorf("%d spans are named", len(list))
	}
	checkRejections(t, r)
}
