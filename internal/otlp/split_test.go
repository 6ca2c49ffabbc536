package otlp

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"pgregory.net/rapid"
)

func TestSplitKeepsAWholeBody(t *testing.T) {
	t.Parallel()
	body := agentBody(t, agentTraces(3))
	r, err := ParseProtobuf(body)
	if err != nil {
		t.Fatal(err)
	}
	parts := r.Split(len(body))
	if len(parts) != 1 || &parts[0].Payload[0] != &body[0] || parts[0].Spans != 3 || parts[0].First != 0 {
		t.Errorf("%d parts", len(parts))
	}
	if parts = r.Split(len(body) - 1); len(parts) != 2 {
		t.Errorf("%d parts of a body one byte too large", len(parts))
	}
	if parts = r.Split(0); len(parts) != 3 || parts[2].First != 2 {
		t.Errorf("%d parts without any room", len(parts))
	}
}

func TestSplitLeavesRejectedSpansOut(t *testing.T) {
	t.Parallel()
	bad := field(nil, 5, []byte("no ids"))
	body := append(wireBody(bad, wireSpan(), bad, wireSpan()), wireBody(bad)...)
	r, err := ParseProtobuf(body)
	if err != nil {
		t.Fatal(err)
	}
	parts := r.Split(1 << 20)
	if len(parts) != 1 || parts[0].Spans != 2 || bytes.Contains(parts[0].Payload, []byte("no ids")) {
		t.Fatalf("parts %+v", parts)
	}
	again, err := ParseProtobuf(parts[0].Payload)
	if err != nil || again.Spans() != 2 || again.rejects.count != 0 {
		t.Errorf("a part is not clean: %v", err)
	}
	if !bytes.Equal(parts[0].Payload, wireBody(wireSpan(), wireSpan())) {
		t.Errorf("payload %x", parts[0].Payload)
	}
}

// drawTraces makes requests with several resources, scopes and sizes of spans, some of them bad.
func drawTraces(t *rapid.T) []byte {
	traces := ptrace.NewTraces()
	n := 0
	for range rapid.IntRange(0, 3).Draw(t, "resources") {
		rs := traces.ResourceSpans().AppendEmpty()
		rs.SetSchemaUrl(rapid.StringMatching(`[a-z]{0,9}`).Draw(t, "schema"))
		rs.Resource().Attributes().PutStr("service.name", fmt.Sprint("service-", n))
		for range rapid.IntRange(0, 3).Draw(t, "scopes") {
			ss := rs.ScopeSpans().AppendEmpty()
			ss.Scope().SetName(rapid.SampledFrom([]string{"langfuse-sdk", "lib", ""}).Draw(t, "scope"))
			for range rapid.IntRange(0, 5).Draw(t, "spans") {
				n++
				span := ss.Spans().AppendEmpty()
				span.SetName(fmt.Sprint("span-", n))
				if rapid.IntRange(0, 4).Draw(t, "bad") > 0 {
					span.SetTraceID(pcommon.TraceID{15: byte(n)})
					span.SetSpanID(pcommon.SpanID{7: byte(n)})
				}
				span.Attributes().PutStr("langfuse.observation.input", rapid.StringN(0, 300, 600).Draw(t, "input"))
				span.Attributes().PutInt("n", int64(n))
			}
		}
	}
	body, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(traces)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func TestSplitThenMapEqualsMap(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		r, err := ParseProtobuf(drawTraces(rt))
		if err != nil {
			rt.Fatal(err)
		}
		limit := rapid.IntRange(0, 4000).Draw(rt, "limit")
		parts := r.Split(limit)
		next := 0
		for _, part := range parts {
			if part.First != next || part.Spans == 0 {
				rt.Fatalf("part begins at %d with %d spans, want %d", part.First, part.Spans, next)
			}
			if len(part.Payload) > limit && part.Spans > 1 {
				rt.Fatalf("%d bytes in a part of %d spans, limit %d", len(part.Payload), part.Spans, limit)
			}
			next += part.Spans
		}
		if next != r.Spans() {
			rt.Fatalf("%d spans in parts, %d in the request", next, r.Spans())
		}
		if diff := cmp.Diff(mapAll(t, r), mapParts(t, parts)); diff != "" {
			rt.Fatal(diff)
		}
	})
}
