package otlp

import (
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/sondehq/sonde/internal/otlp/otlptest"
)

const benchSpans = 100

// agentTraces is what an agent sends through an SDK: spans of about 2.2 KB with messages as
// input, ten metadata keys and propagated trace context.
func agentTraces(spans int) ptrace.Traces {
	traces := ptrace.NewTraces()
	rs := traces.ResourceSpans().AppendEmpty()
	for _, kv := range [][2]string{
		{"telemetry.sdk.language", "python"},
		{"telemetry.sdk.name", "opentelemetry"},
		{"telemetry.sdk.version", "1.45.2"},
		{"service.name", "support-agent"},
		{"service.instance.id", "a34f7a86-03bd-4706-ab37-ac21c967d0b5"},
		{"langfuse.environment", "production"},
		{"langfuse.release", "v4.2.0"},
	} {
		rs.Resource().Attributes().PutStr(kv[0], kv[1])
	}
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName("langfuse-sdk")
	ss.Scope().SetVersion("5.0.4")
	for i := range spans {
		agentSpan(ss.Spans().AppendEmpty(), i)
	}
	return traces
}

func agentSpan(span ptrace.Span, i int) {
	span.SetTraceID(pcommon.TraceID{15: byte(i/20 + 1)})
	span.SetSpanID(pcommon.SpanID{6: byte(i >> 8), 7: byte(i + 1)})
	span.SetParentSpanID(pcommon.SpanID{7: 1})
	span.SetName("answer-question")
	span.SetStartTimestamp(1767323045678901234)
	span.SetEndTimestamp(1767323046678901234)
	a := span.Attributes()
	for _, kv := range [][2]string{
		{"user.id", "user-8172"},
		{"session.id", "session-55121"},
		{"langfuse.trace.name", "support-conversation"},
		{"langfuse.version", "2026.1"},
		{"langfuse.environment", "production"},
		{"langfuse.release", "v4.2.0"},
		{"langfuse.observation.type", "generation"},
		{"langfuse.observation.level", "DEFAULT"},
		{"langfuse.observation.model.name", "gpt-4o-2024-08-06"},
		{"langfuse.observation.model.parameters", `{"temperature": 0.2, "max_tokens": 1024}`},
		{"langfuse.observation.usage_details", `{"input": 812, "output": 96}`},
		{"langfuse.observation.input", `[{"role": "system", "content": "` + strings.Repeat("You answer politely. ", 20) +
			`"}, {"role": "user", "content": "` + strings.Repeat(`Where is my \"parcel\"? `, 8) + `"}]`},
		{"langfuse.observation.output", `{"role": "assistant", "content": "` + strings.Repeat("It is on its way. ", 12) + `"}`},
		{"langfuse.trace.metadata.tenant", `"acme"`},
		{"langfuse.trace.metadata.plan", `"enterprise"`},
		{"langfuse.trace.metadata.region", `"eu-central-1"`},
		{"langfuse.trace.metadata.build", "4711"},
		{"langfuse.trace.metadata.beta", "true"},
		{"langfuse.trace.metadata.ratio", "0.25"},
		{"langfuse.observation.metadata.step", strconv.Itoa(i)},
		{"langfuse.observation.metadata.tool", `"search"`},
		{"langfuse.observation.metadata.retry", `{"count":1,"reason":"timeout"}`},
		{"langfuse.observation.metadata.documents", `["doc-1","doc-2"]`},
	} {
		a.PutStr(kv[0], kv[1])
	}
	tags := a.PutEmptySlice("langfuse.trace.tags")
	tags.AppendEmpty().SetStr("support")
	tags.AppendEmpty().SetStr("chat")
}

// agentBody is the body an SDK sends: fields in the order of their numbers. (The collector's
// library writes them the other way round.)
func agentBody(tb testing.TB, traces ptrace.Traces) []byte {
	tb.Helper()
	r, err := ParseJSON(agentJSON(tb, traces))
	if err != nil {
		tb.Fatal(err)
	}
	return r.Split(1 << 30)[0].Payload
}

func agentJSON(tb testing.TB, traces ptrace.Traces) []byte {
	tb.Helper()
	body, err := (&ptrace.JSONMarshaler{}).MarshalTraces(traces)
	if err != nil {
		tb.Fatal(err)
	}
	return body
}

// serverHeap is what a small server holds. Without it the collector would run every ten bodies.
const serverHeap = 64 << 20

// perSpan reports the cost of one span beside that of the whole body. The processor time counts
// the garbage collector too and does not suffer much from what else the machine does.
func perSpan(b *testing.B, run func()) {
	b.Helper()
	b.ReportAllocs()
	heap := make([]byte, serverHeap)
	defer runtime.KeepAlive(heap)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := processorTime(b)
	for b.Loop() {
		run()
	}
	spans := float64(b.N) * benchSpans
	b.ReportMetric(float64(processorTime(b)-start)/spans, "cpu-ns/span")
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/spans, "B/span")
	b.ReportMetric(float64(after.Mallocs-before.Mallocs)/spans, "allocs/span")
}

func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func benchParse(b *testing.B, body []byte) {
	b.Helper()
	b.SetBytes(int64(len(body)))
	perSpan(b, func() {
		if r, err := ParseProtobuf(body); err != nil || r.Spans() != benchSpans {
			b.Fatal("not parsed")
		}
	})
}

func BenchmarkParseProtobuf(b *testing.B) { benchParse(b, agentBody(b, agentTraces(benchSpans))) }

// BenchmarkParseCollector reads fields in the order the collector writes them.
func BenchmarkParseCollector(b *testing.B) {
	body, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(agentTraces(benchSpans))
	if err != nil {
		b.Fatal(err)
	}
	benchParse(b, body)
}

func BenchmarkParseJSON(b *testing.B) {
	body := agentJSON(b, agentTraces(benchSpans))
	b.SetBytes(int64(len(body)))
	perSpan(b, func() {
		if r, err := ParseJSON(body); err != nil || r.Spans() != benchSpans {
			b.Fatal("not parsed")
		}
	})
}

func benchMap(b *testing.B, body []byte) {
	b.Helper()
	b.SetBytes(int64(len(body)))
	src := testSource()
	perSpan(b, func() {
		if rows, err := Map(body, src); err != nil || len(rows) != benchSpans {
			b.Fatal("not mapped")
		}
	})
}

func BenchmarkMap(b *testing.B) { benchMap(b, agentBody(b, agentTraces(benchSpans))) }

// BenchmarkMapForeign maps the same spans from a scope whose attributes all become metadata.
func BenchmarkMapForeign(b *testing.B) {
	traces := agentTraces(benchSpans)
	traces.ResourceSpans().At(0).ScopeSpans().At(0).Scope().SetName("my.tracer")
	benchMap(b, agentBody(b, traces))
}

// BenchmarkMapRecorded maps what instrumentations of other conventions sent: indexed messages, tools,
// events, usage in many attributes.
func BenchmarkMapRecorded(b *testing.B) {
	var payloads [][]byte
	spans := 0
	for _, c := range otlptest.Captures() {
		switch c.Name {
		case "aisdk_genai", "aisdk_legacy", "openai_openinference", "openai_traceloop":
			for _, body := range c.Bodies {
				r, err := ParseJSON(body.Data)
				if err != nil {
					b.Fatal(err)
				}
				payloads = append(payloads, r.Split(1 << 30)[0].Payload)
				spans += r.Spans()
			}
		}
	}
	src := testSource()
	b.ReportAllocs()
	start := processorTime(b)
	for b.Loop() {
		for _, p := range payloads {
			if _, err := Map(p, src); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(processorTime(b)-start)/float64(b.N*spans), "cpu-ns/span")
}

// BenchmarkPdata is what the collector's library needs to decode the body and look at every
// attribute once, without mapping anything.
func BenchmarkPdata(b *testing.B) {
	body := agentBody(b, agentTraces(benchSpans))
	b.SetBytes(int64(len(body)))
	perSpan(b, func() {
		traces, err := (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(body)
		if err != nil || walk(traces) == 0 {
			b.Fatal("not decoded")
		}
	})
}

// BenchmarkPdataJSON is the same for OTLP/JSON.
func BenchmarkPdataJSON(b *testing.B) {
	body := agentJSON(b, agentTraces(benchSpans))
	b.SetBytes(int64(len(body)))
	perSpan(b, func() {
		traces, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(body)
		if err != nil || walk(traces) == 0 {
			b.Fatal("not decoded")
		}
	})
}

func walk(traces ptrace.Traces) (size int) {
	for _, rs := range traces.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				for k, v := range span.Attributes().All() {
					size += len(k) + len(v.Str())
				}
			}
		}
	}
	return size
}
