package otlp

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/model"
)

// Every key that a rule may read has a name, and every name leads to its key.
func TestVocabulariesAreComplete(t *testing.T) {
	t.Parallel()
	named := map[key]string{}
	for _, v := range append([]vocabulary{ownVocabulary, experimentVocabulary}, vocabularies...) {
		for _, w := range v.words {
			if w.key != unknown && named[w.key] != "" {
				t.Errorf("%s and %s have the same key", named[w.key], w.name)
			}
			named[w.key] = w.name
			name := w.name
			if v.of == own || v.of == experiments {
				name = langfusePrefix + name
			}
			if c := classify(name); c.key != w.key || c.of != v.of {
				t.Errorf("%s is %+v", name, c)
			}
		}
	}
	for k := key(1); k < keyCount; k++ {
		if named[k] == "" {
			t.Errorf("key %d has no name: a constant without its word", k)
		}
	}
}

// conventionCases are what goldens do not cover.
var conventionCases = map[string]struct {
	scope      string
	span       string
	attributes list
	want       model.Observation // of type, name, level, input, output, model, parameters
}{
	"genkit flow": {
		"genkit-tracer", "", attributesOf("genkit:name", "flow", "genkit:metadata:subtype", "flow", "genkit:input", `"q"`, "genkit:output", "1"),
		model.Observation{Type: model.Span, Name: "flow", Input: `"q"`, Output: "1"},
	},
	"genkit tool": {
		"genkit-tracer", "", attributesOf("genkit:name", "w", "genkit:metadata:subtype", "tool.v2"),
		model.Observation{Type: model.Tool, Name: "w"},
	},
	"flue tool": {
		"@flue/opentelemetry", "flue.tool w", attributesOf("flue.tool.name", "w", "flue.tool.arguments", `{"a":1}`, "flue.tool.result", "r"),
		model.Observation{Type: model.Tool, Name: "flue.tool w", Input: `{"a":1}`, Output: "r"},
	},
	"flue workflow": {
		"@flue/opentelemetry", "", attributesOf("flue.workflow.payload", "p", "flue.workflow.result", "r"),
		model.Observation{Type: model.Span, Name: "n", Input: "p", Output: "r"},
	},
	"livekit agent": {
		"livekit-agents", "agent_turn", attributesOf("lk.user_transcript", "hi", "lk.response.text", "yo"),
		model.Observation{Type: model.Agent, Name: "agent_turn", Input: "hi", Output: "yo"},
	},
	"livekit names mean nothing elsewhere": {
		"other", "tts_node", nil, model.Observation{Type: model.Span, Name: "tts_node"},
	},
	"livekit noise": {
		"livekit-agents", "start_agent_activity", nil,
		model.Observation{Type: model.Agent, Name: "start_agent_activity", Level: model.Debug},
	},
	"livekit noise with a level": {
		"livekit-agents", "on_enter", attributesOf("langfuse.observation.level", "warn"),
		model.Observation{Type: model.Span, Name: "on_enter", Level: model.Warning},
	},
	"sonde wins": {
		"x", "", attributesOf("sonde.observation.input", "s", "langfuse.observation.input", "l", "langfuse.observation.output", "o", "sonde.observation.type", "tool", "langfuse.observation.type", "agent"),
		model.Observation{Type: model.Tool, Name: "n", Input: "s", Output: "o"},
	},
	"openlit names tools only": {
		"openlit", "chat m", attributesOf("gen_ai.operation.name", "chat", "gen_ai.tool.name", "w"),
		model.Observation{Type: model.Generation, Name: "chat m"},
	},
	"embedding model comes last": {
		"x", "", attributesOf("openinference.span.kind", "EMBEDDING", "embedding.model_name", "e", "reranker.model_name", "r"),
		model.Observation{Type: model.Embedding, Name: "n", Model: "e"},
	},
	"AI SDK objects": {
		"ai", "", attributesOf("ai.operationId", "ai.generateObject", "ai.prompt", "p", "ai.response.text", "", "ai.response.object", `{"o":1}`),
		model.Observation{Type: model.Span, Name: "ai.generateObject", Input: "p", Output: `{"o":1}`, ModelParameters: aiSet("")},
	},
	"AI SDK embedding by operation name": {
		"ai", "", attributesOf("operation.name", "ai.embed.doEmbed fn", "ai.model.id", "m"),
		model.Observation{Type: model.Embedding, Name: "n", Model: "m", ModelParameters: aiSet("")},
	},
	"AI SDK call without a model": {
		"ai", "", attributesOf("ai.operationId", "ai.streamText.doStream"),
		model.Observation{Type: model.Span, Name: "ai.streamText.doStream", ModelParameters: aiSet("")},
	},
	"own parameters over those of the AI SDK": {
		"ai", "", attributesOf("ai.settings.maxRetries", "2", "langfuse.observation.model.parameters", `{"maxRetries":3,"x":true}`),
		model.Observation{Type: model.Span, Name: "n", ModelParameters: aiSet(`"maxRetries":3,"x":"true"`)},
	},
	"model_config": {
		"x", "", attributesOf("model_config", `{"t":1}`, "gen_ai.request.seed", "7"),
		model.Observation{Type: model.Span, Name: "n", ModelParameters: `{"t":1}`},
	},
	"parameters one by one": {
		"x", "", attributesOf("llm.invocation_parameters.top_p", "1", "gen_ai.request.model", "m", "llm.invocation_parameters.top_p", "2"),
		model.Observation{Type: model.Generation, Name: "n", Model: "m", ModelParameters: `{"top_p":"2"}`},
	},
	"instructions as text": {
		"x", "", attributesOf("gen_ai.input.messages", ` [ {"role":"user"}]`, "gen_ai.system_instructions", "be kind"),
		model.Observation{Type: model.Span, Name: "n", Input: `[{"role":"system","content":"be kind"}, {"role":"user"}]`},
	},
	"instructions beside a system message": {
		"x", "", attributesOf("gen_ai.input.messages", `[{"role":"system"}]`, "gen_ai.system_instructions", "be kind"),
		model.Observation{Type: model.Span, Name: "n", Input: `[{"role":"system"}]`},
	},
	"instructions alone": {
		"x", "", attributesOf("gen_ai.system_instructions", "be kind"),
		model.Observation{Type: model.Span, Name: "n", Input: "be kind"},
	},
	"traceloop's whole prompt": {
		"x", "", attributesOf("gen_ai.prompt", "P", "gen_ai.prompt.0.role", "user", "gen_ai.completion", "Q"),
		model.Observation{Type: model.Span, Name: "n", Input: "P", Output: "Q"},
	},
	"logfire prompt": {
		"logfire", "", attributesOf("prompt", "P", "all_messages_events", "[1]", "logfire.msg", "said"),
		model.Observation{Type: model.Span, Name: "said", Input: "P", Output: "[1]"},
	},
	"several choices": {
		"x", "", attributesOf("events", `[{"event.name":"gen_ai.choice","i":0},{"event.name":"gen_ai.choice","i":1}]`),
		model.Observation{Type: model.Span, Name: "n", Output: `[{"event.name":"gen_ai.choice","i":0},{"event.name":"gen_ai.choice","i":1}]`},
	},
}

func TestConventions(t *testing.T) {
	t.Parallel()
	for name, c := range conventionCases {
		span := spanWith(object{"attributes": c.attributes})
		if c.span != "" {
			span["name"] = c.span
		}
		o := mapAll(t, parseJSON(t, body(c.scope, nil, span)))[0]
		got := model.Observation{
			Type: o.Type, Name: o.Name, Level: o.Level, Input: o.Input, Output: o.Output, Model: o.Model, ModelParameters: o.ModelParameters,
		}
		if c.want.Level == "" {
			c.want.Level = model.Default
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

// aiSet is the fixed set of the AI SDK, with others laid over it.
func aiSet(over string) string {
	set := []string{}
	for _, name := range []string{"maxSteps", "toolChoice", "maxTokens", "finishReason", "system", "maxRetries", "mode", "temperature", "service_tier"} {
		if !strings.Contains(over, name) {
			set = append(set, fmt.Sprintf("%q:null", name))
		}
	}
	if over != "" {
		set = append(set, over)
	}
	return "{" + strings.Join(set, ",") + "}"
}

func TestConsumedAttributesLeaveTheBucket(t *testing.T) {
	t.Parallel()
	o := mapOne(t, spanWith(object{"attributes": attributesOf(
		"gen_ai.prompt.0.role", "user", "gen_ai.prompt.name", "template", "gen_ai.completion.0.content", "x", "llm.input_messages.0.message.role", "user",
		"llm.tools.0.tool.json_schema", `{"name":"w"}`, "llm.tools.1.tool.json_schema", "no tool", "llm.tools.0.name", "w",
		"gen_ai.tool.definitions", "no definitions", "gen_ai.usage.input_tokens", "3", "flue.turn.input", "f",
		"model_request_parameters", `{"function_tools":[{"name":"v"}],"output_mode":"text"}`, "langfuse.experiment.id", "e",
	)}))
	var got []string
	for _, e := range o.Metadata {
		if name, ok := strings.CutPrefix(e.Name, "attributes."); ok {
			got = append(got, name+"="+e.Value)
		}
	}
	want := []string{
		"gen_ai.prompt.name=template", "llm.tools.1.tool.json_schema=no tool", "llm.tools.0.name=w", "gen_ai.tool.definitions=no definitions",
		"gen_ai.usage.input_tokens=3", `model_request_parameters={"output_mode":"text"}`, "langfuse.experiment.id=e",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if want := `{"prompt":"f","tools":[{"name":"v"},{"name":"w"}]}`; o.Input != want {
		t.Errorf("input %s, want %s", o.Input, want)
	}
}

func TestEventsAndLinks(t *testing.T) {
	t.Parallel()
	exception := object{"name": "exception", "timeUnixNano": "1767323045700000000", "attributes": attributesOf("exception.type", "E", "exception.message", "m")}
	link := object{"traceId": testTrace, "spanId": testSpan, "attributes": attributesOf("k", "v")}
	o := mapOne(t, spanWith(object{
		"status": object{"code": 2}, "events": list{exception, object{"name": "other"}}, "links": list{link, object{"traceId": testTrace}},
	}))
	want := `{"exceptions":[{"time":"2026-01-02T03:04:05.700Z","attributes":{"exception.type":"E","exception.message":"m"}}],` +
		`"links":[{"traceId":"` + testTrace + `","spanId":"` + testSpan + `","attributes":{"k":"v"}}]}`
	if o.Happenings != want || o.StatusMessage != "m" || o.Level != model.Error {
		t.Errorf("%s, %q, %s", o.Happenings, o.StatusMessage, o.Level)
	}
	if o := mapOne(t, spanWith(object{"status": object{"code": 2, "message": "own"}, "events": list{exception}})); o.StatusMessage != "own" {
		t.Errorf("message %q", o.StatusMessage)
	}
	if o := mapOne(t, spanWith(object{"events": list{object{"name": "gen_ai.content.prompt"}, object{"name": "exceptional"}}})); o.Input != "" || o.Happenings != "" {
		t.Errorf("%q, %q", o.Input, o.Happenings)
	}
}

func TestExperimentMetadataKeepsTextOfSingleKeys(t *testing.T) {
	t.Parallel()
	o := mapOne(t, spanWith(object{"attributes": attributesOf(
		"langfuse.experiment.metadata", `{"n":1,"o":{"p":true},"z":0}`, "langfuse.experiment.metadata.z", "9", "sonde.experiment.metadata.s", "sonde",
		"langfuse.experiment.metadata.s", "langfuse", "sonde.experiment.item.version", "2026-04-24", "langfuse.metadata", `{"not":"mine"}`,
	)}))
	want := &model.Experiment{
		Metadata: []model.MetadataEntry{
			{Name: "n", Value: "1", Type: model.MetadataNumber},
			{Name: "o.p", Value: "true", Type: model.MetadataBool},
			{Name: "z", Value: "9", Type: model.MetadataString},
			{Name: "s", Value: "sonde", Type: model.MetadataString},
		},
		ItemVersion: readTime("2026-04-24T00:00:00Z"),
	}
	if diff := cmp.Diff(want, o.Experiment); diff != "" {
		t.Error(diff)
	}
	if o := mapOne(t, spanWith(object{"attributes": attributesOf("langfuse.experiment.item.version", "v1")})); o.Experiment != nil {
		t.Errorf("%+v", o.Experiment)
	}
}

func TestZeroCosts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		attributes list
		want       int
	}{
		"unknown to the instrumentation": {attributesOf("gen_ai.usage.cost", "0", "gen_ai.usage.input_tokens", "1"), 0},
		"next source":                    {attributesOf("gen_ai.usage.cost", "0", "gen_ai.usage.input_tokens", "1", "llm.cost.total", "0.5"), 1},
		"no usage":                       {attributesOf("gen_ai.usage.cost", "0"), 1},
		"said by a person":               {attributesOf("langfuse.observation.cost_details", `{"total":0}`, "gen_ai.usage.input_tokens", "1"), 1},
		"negative":                       {attributesOf("llm.cost.total", "-1"), 0},
		"litellm":                        {attributesOf("gen_ai.cost.total_cost", "0.3", "gen_ai.cost.input_cost", "0.1", "gen_ai.cost.output_cost", "0.2"), 3},
	} {
		if o := mapOne(t, spanWith(object{"attributes": c.attributes})); len(o.CostDetails) != c.want {
			t.Errorf("%s: %v", name, o.CostDetails)
		}
	}
}

func TestFirstToken(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"0": "2026-01-02T03:04:05.678Z", "0.0001": "2026-01-02T03:04:05.679Z", "-1": "", "NaN": "", "1e300": "", "soon": "", "60": "2026-01-02T03:05:05.678Z",
	} {
		if got := isoTime(mapAttributes(t, "gen_ai.response.time_to_first_chunk", given).CompletionStartTime); got != want {
			t.Errorf("%s: %s, want %s", given, got, want)
		}
	}
}

func TestRebuiltArraysAreBounded(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("a.", maxSegments) + "a"
	o := mapOne(t, spanWith(object{"attributes": attributesOf(
		"gen_ai.prompt.10000.x", "last", "gen_ai.prompt.10001.x", "too far", "gen_ai.prompt.0.y.5", "no room", "gen_ai.prompt.0."+deep, "too deep",
		"gen_ai.completion.00", "no index", "gen_ai.completion.constructor.x", "no", "gen_ai.completion.-1", "no index either",
	)}))
	var input []any
	if err := json.Unmarshal([]byte(o.Input), &input); err != nil || len(input) != maxSlots {
		t.Fatalf("%d slots, %v", len(input), err)
	}
	if !cmp.Equal(input[10000], map[string]any{"x": "last"}) || input[1] != nil {
		t.Errorf("%v, %v", input[10000], input[1])
	}
	if want := `{"00":"no index","-1":"no index either"}`; o.Output != want {
		t.Errorf("output %s, want %s", o.Output, want)
	}
	var many list
	for i := range 9000 {
		many = append(many, attr(fmt.Sprintf("gen_ai.prompt.%d.%s", i, "a.b.c.d.e.f.g.h.i.j.k.l.m.n"), "x"))
	}
	if o := mapOne(t, spanWith(object{"attributes": many})); len(o.Input) > 40*maxBranches || !json.Valid([]byte(o.Input)) {
		t.Errorf("%d bytes", len(o.Input))
	}
}
