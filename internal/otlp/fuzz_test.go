package otlp

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/sondehq/sonde/internal/model"
)

// spanSummary is what our reading and that of the collector's library must agree on.
type spanSummary struct {
	Trace, Span, Parent, Name string
	Attributes                int
	Service, Scope            string
}

// ourSummary joins the rows with what only the wire knows: a row's name is not always the span's.
func ourSummary(t *testing.T, r *Request) []spanSummary {
	t.Helper()
	var out []spanSummary
	for _, o := range mapAll(t, r) {
		out = append(out, spanSummary{Trace: o.TraceID, Span: o.ID, Parent: o.ParentID, Service: o.ServiceName, Scope: o.ScopeName})
	}
	p := payload{data: r.body.data, text: string(r.body.data)}
	i := 0
	eachField(&p, p.whole(), tagResourceSpans, func(rs message) {
		eachField(&p, rs, tagScopeSpans, func(ss message) {
			eachField(&p, ss, tagSpan, func(span message) {
				eachField(&p, span, tagSpanName, func(name message) { out[i].Name = p.string(name) })
				eachField(&p, span, tagSpanAttribute, func(message) { out[i].Attributes++ })
				i++
			})
		})
	})
	return out
}

func eachField(p *payload, m message, tag uint64, do func(message)) {
	for c := p.fields(m); c.next(); {
		if c.tag == tag {
			do(c.content)
		}
	}
}

func pdataSummary(traces ptrace.Traces) (out []spanSummary, usable bool) {
	usable = true
	for _, rs := range traces.ResourceSpans().All() {
		service := lastString(rs.Resource().Attributes(), "service.name")
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				usable = usable && !span.TraceID().IsEmpty() && !span.SpanID().IsEmpty() &&
					uint64(span.StartTimestamp()) < lastNano && uint64(span.EndTimestamp()) < lastNano
				out = append(out, spanSummary{
					span.TraceID().String(), span.SpanID().String(), span.ParentSpanID().String(),
					valid(span.Name()), span.Attributes().Len(), shared(service), shared(valid(ss.Scope().Name())),
				})
			}
		}
	}
	return out, usable
}

// lastString is the last string under a key; other values are not compared.
func lastString(m pcommon.Map, key string) string {
	text := ""
	for k, v := range m.All() {
		if k == key && v.Type() != pcommon.ValueTypeEmpty {
			text = valid(v.AsString())
		}
	}
	return text
}

func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// onlyStringServices reports whether AsString of the library and ours must agree.
func onlyStringServices(traces ptrace.Traces) bool {
	for _, rs := range traces.ResourceSpans().All() {
		for k, v := range rs.Resource().Attributes().All() {
			if k == "service.name" && v.Type() != pcommon.ValueTypeStr {
				return false
			}
		}
	}
	return true
}

// checkAccepted checks the promises about whatever was accepted.
func checkAccepted(t *testing.T, r *Request) {
	t.Helper()
	if _, message := r.Rejected(); !utf8.ValidString(message) || len(message) > 2*maxRejectionBytes {
		t.Fatalf("message %q", message)
	}
	checkRejections(t, r)
	whole := mapAll(t, r)
	if len(whole) != r.Spans() {
		t.Fatalf("%d rows of %d spans", len(whole), r.Spans())
	}
	if diff := cmp.Diff(whole, mapParts(t, r.Split(100))); diff != "" {
		t.Fatal(diff)
	}
	for _, o := range whole {
		for _, s := range []string{o.TraceID, o.ID, o.ParentID, o.Name, o.Input, o.Output, o.UserID, o.Environment, o.ModelParameters} {
			if !utf8.ValidString(s) {
				t.Fatalf("not UTF-8: %q", s)
			}
		}
		checkLeaves(t, o.Metadata)
		if e := o.Experiment; e != nil {
			checkLeaves(t, e.Metadata)
			checkLeaves(t, e.ItemMetadata)
		}
		checkTools(t, o)
		for _, s := range []string{o.ModelParameters, o.Happenings} {
			if s != "" && !json.Valid([]byte(s)) {
				t.Fatalf("not JSON: %q", s)
			}
		}
	}
}

// checkTools checks that what was found about tools can be read.
func checkTools(t *testing.T, o *model.Observation) {
	t.Helper()
	for _, tool := range append(o.ToolDefinitions, o.ToolCalls...) {
		if tool.Name == "" || !utf8.ValidString(tool.Name) || !utf8.ValidString(tool.JSON) || !json.Valid([]byte(tool.JSON)) {
			t.Fatalf("tool %q", tool)
		}
	}
}

// fuzzSpan maps one span of a foreign scope and checks it.
func fuzzSpan(t *testing.T, attributes list) *model.Observation {
	t.Helper()
	r := parseJSON(t, body("x", nil, spanWith(object{"attributes": attributes})))
	checkAccepted(t, r)
	return mapAll(t, r)[0]
}

// FuzzIndexedKeys rebuilds values from names that are paths: one name per line.
func FuzzIndexedKeys(f *testing.F) {
	f.Add("0.role\n0.content\n1.tool_calls.0.name")
	f.Add("10000.a\n10001.a\n5.5.5.5\n5")
	f.Add("a.__proto__.x\na.b\n..\n0\n00\n-1")
	f.Add(strings.Repeat("0.", 40) + "x\n" + strings.Repeat("9999.", 12) + "x")
	f.Fuzz(func(t *testing.T, text string) {
		var attributes list
		for line := range strings.SplitSeq(valid(text), "\n") {
			attributes = append(attributes, attr("gen_ai.prompt."+line, line), attr("llm.output_messages."+line, line))
		}
		if len(attributes) > maxAttributes {
			return
		}
		o := fuzzSpan(t, attributes)
		for _, s := range []string{o.Input, o.Output} {
			if s != "" && !json.Valid([]byte(s)) {
				t.Fatalf("not JSON: %q", s)
			}
			// Gaps are filled with null, so this is what a name can ask for, and quoting what it says.
			if limit := 5*maxSlots + 8*maxSegments*(len(text)+len(attributes)); len(s) > limit {
				t.Fatalf("%d bytes of %d", len(s), len(text))
			}
		}
	})
}

// FuzzTools looks for definitions and calls of tools, and moves definitions.
func FuzzTools(f *testing.F) {
	for _, seed := range [][3]string{
		{`{"messages":[{"role":"user"}],"tools":[{"type":"function","function":{"name":"w","parameters":{}}}]}`, `{"tool_calls":"[{\"id\":\"c\"}]"}`, `[{"name":"v"}]`},
		{`[{"role":"tool","content":"{\"name\":\"w\",\"parameters\":1}"}]`, `[{"parts":[{"type":"tool_call","name":"w","arguments":{"a":[1, 2]}}]}]`, `"{\"name\":\"v\"}"`},
		{"text", `{"content":[{"type":"tool_use","name":"\ud800","input":{}}],"choices":[{"message":{}}]}`, "{"},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, input, output, tools string) {
		input, output, tools = valid(input), valid(output), valid(tools)
		o := fuzzSpan(t, attributesOf(
			"langfuse.observation.input", input, "langfuse.observation.output", output, "gen_ai.tool.definitions", tools,
			"gen_ai.system_instructions", tools, "gen_ai.input.messages", output, "model_request_parameters", input,
		))
		if o.Input != input && input != "" && !json.Valid([]byte(o.Input)) {
			t.Fatalf("tools were moved into what is no JSON: %q", o.Input)
		}
		if size := len(input) + len(output) + len(tools); len(o.Input) > 8*size+100 {
			t.Fatalf("%d bytes of input from %d", len(o.Input), size)
		}
	})
}

// FuzzConventions gives JSON text to the rules that take it apart.
func FuzzConventions(f *testing.F) {
	f.Add(`{"messages":[1],"config":{"a":[1]},"usage":{"inputTokens":1,"outputTokens":2,"thoughtsTokens":5}}`)
	f.Add(`{"anthropic":{"usage":{"cache_creation":{"ephemeral_5m_input_tokens":1e30}}},"openai":{"serviceTier":"x"}}`)
	f.Add(`[{"event.name":"gen_ai.choice"},{"role":"system","content":"x"}]`)
	f.Fuzz(func(t *testing.T, text string) {
		text = valid(text)
		for _, scope := range []string{"ai", "genkit-tracer", "x"} {
			r := parseJSON(t, body(scope, nil, spanWith(object{"attributes": attributesOf(
				"genkit:metadata:subtype", "model", "genkit:input", text, "genkit:output", text, "ai.operationId", "ai.generateText.doGenerate",
				"ai.response.providerMetadata", text, "ai.telemetry.metadata.langfusePrompt", text, "ai.usage.tokens", text,
				"gen_ai.usage.input_tokens", text, "gcp.vertex.agent.llm_response", text, "events", text, "model_config", text,
				"gen_ai.usage.cost", text, "langfuse.experiment.metadata", text, "langfuse.experiment.item.version", text,
			)})))
			checkAccepted(t, r)
		}
	})
}

func checkLeaves(t *testing.T, leaves []model.MetadataEntry) {
	t.Helper()
	seen := map[string]bool{}
	for _, e := range leaves {
		if seen[e.Name] {
			t.Fatalf("path %q twice", e.Name)
		}
		seen[e.Name] = true
		if !utf8.ValidString(e.Name) || !utf8.ValidString(e.Value) {
			t.Fatalf("not UTF-8: %q", e)
		}
		if e.Type != model.MetadataString && !json.Valid([]byte(e.Value)) {
			t.Fatalf("not JSON: %q", e)
		}
	}
}

func FuzzParseProtobuf(f *testing.F) {
	for _, name := range []string{"py5_none/001", "py5_genai_deflate/001", "py5_pydantic_ai/001"} {
		seed, err := os.ReadFile("otlptest/testdata/captures/" + name + "_api_public_otel_v1_traces.bin")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(seed)
	}
	f.Add(wireBody(wireSpan(), wireSpan(field(nil, 1001, []byte("x"))...), nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := ParseProtobuf(bytes.Clone(data))
		if err == nil {
			checkAccepted(t, r)
		}
		traces, decodeErr := (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(data)
		if decodeErr != nil || !onlyStringServices(traces) {
			return
		}
		want, usable := pdataSummary(traces)
		if !usable {
			return
		}
		if err == nil && r.rejects.count == 0 && !r.private {
			if diff := cmp.Diff(want, ourSummary(t, r)); diff != "" {
				t.Fatal(diff)
			}
		}
		checkCanonical(t, traces, want)
	})
}

// checkCanonical parses what the library writes: it has no exotic encodings left and must be
// accepted as a whole.
func checkCanonical(t *testing.T, traces ptrace.Traces, want []spanSummary) {
	t.Helper()
	body, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(traces)
	if err != nil {
		t.Fatal(err)
	}
	r, err := ParseProtobuf(body)
	if err != nil {
		t.Fatal(err)
	}
	if count, why := r.Rejected(); count > 0 {
		if !strings.Contains(why, tooDeep) {
			t.Fatalf("%d spans rejected: %s", count, why)
		}
		return
	}
	if diff := cmp.Diff(want, ourSummary(t, r)); diff != "" {
		t.Fatal(diff)
	}
}

func FuzzParseJSON(f *testing.F) {
	seed, err := os.ReadFile("otlptest/testdata/captures/gzipenv/001_api_public_otel_v1_traces.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seed)
	f.Add([]byte(`{"resourceSpans":[{"resource":{"attributes":{}},"scopeSpans":[{"spans":[{"traceId":"x","spanId":"y","attributes":[{"key":"k","value":{"arrayValue":{"values":[{"intValue":1e400}]}}}]},5]}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := ParseJSON(data)
		switch {
		case err == nil && !json.Valid(data):
			t.Fatalf("accepted what is no JSON: %q", data)
		case err == nil:
			checkAccepted(t, r)
		case json.Valid(data) && bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) && !bytes.Contains(data, []byte("esourceSpans")) && !bytes.ContainsRune(data, '\\'):
			t.Fatalf("refused an empty request: %v", err)
		}
	})
}

func FuzzMetadataValue(f *testing.F) {
	for _, seed := range []string{`"gold"`, `-1.5e3`, `{"a":{"b":[1, 2]},"a.b":null}`, `[{"x":"\ud83d\ude00"}]`, "true", "nul", ` {"a" : 1 } `, "\"\xff\"", "{"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = valid(text)
		m := mapper{arena: newArena(len(text))}
		m.flattenText("k", text)
		leaves := m.metadata.firstOnly(0)
		checkLeaves(t, leaves)
		isObject := strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "{")
		switch {
		case !json.Valid([]byte(text)):
			if want := (model.MetadataEntry{Name: "k", Value: text, Type: model.MetadataString}); len(leaves) != 1 || leaves[0] != want {
				t.Fatalf("%q: %q", text, leaves)
			}
		case isObject:
			for _, e := range leaves {
				if !strings.HasPrefix(e.Name, "k.") {
					t.Fatalf("%q: %q", text, leaves)
				}
			}
		default:
			var want, got any
			if err := json.Unmarshal([]byte(text), &want); err != nil {
				return // a number out of range
			}
			if len(leaves) != 1 || leaves[0].Name != "k" {
				t.Fatalf("%q: %q", text, leaves)
			}
			got = leafValue(leaves[0])
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%q: %s", text, diff)
			}
		}
	})
}
