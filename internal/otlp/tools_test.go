package otlp

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/otlp/otlptest"
)

func TestToolCalls(t *testing.T) {
	t.Parallel()
	const one = `{"id":"c","arguments":"{\"a\":1}","type":"T","index":0}`
	typed := func(word string) string { return strings.Replace(one, `"T"`, `"`+word+`"`, 1) }
	for name, c := range map[string]struct {
		output string
		want   string // JSON of the only call of w; "" none
	}{
		"openai":           {`{"tool_calls":[{"id":"c","type":"function","function":{"name":"w","arguments":"{\"a\":1}"}}]}`, typed("function")},
		"openai choices":   {`{"choices":[{"message":{"tool_calls":[{"id":"c","type":"function","function":{"name":"w","arguments":"{\"a\":1}"}}]}}]}`, typed("function")},
		"messages":         {`[{"role":"assistant","toolCalls":[{"toolCallId":"c","toolName":"w","input":{"a": 1}}]}]`, typed("")},
		"JSON text":        {`{"tool_calls":"[{\"toolCallId\":\"c\",\"toolName\":\"w\",\"args\":{\"a\":1}}]"}`, typed("")},
		"anthropic":        {`{"content":[{"type":"text","text":"x"},{"type":"tool_use","id":"c","name":"w","input":{"a":1}}]}`, typed("tool_use")},
		"AI SDK part":      {`{"content":[{"type":"tool-call","toolCallId":"c","toolName":"w","input":{"a":1}}]}`, typed("tool-call")},
		"GenAI part":       {`[{"role":"assistant","parts":[{"type":"tool_call","id":"c","name":"w","arguments":{"a":1}}]}]`, typed("tool_call")},
		"GenAI response":   {`[{"parts":[{"type":"tool_call_response","id":"c","response":1}]}]`, ""},
		"openinference":    {`[{"message":{"tool_calls":[{"tool_call":{"id":"c","function":{"name":"w","arguments":"{\"a\":1}"}}}]}}]`, typed("")},
		"langchain":        {`{"content":"","additional_kwargs":{"tool_calls":[{"id":"c","type":"function","function":{"name":"w","arguments":"{\"a\":1}"}}]}}`, typed("function")},
		"openai responses": {`{"output":[{"type":"function_call","call_id":"c","name":"w","arguments":"{\"a\":1}"}]}`, typed("function_call")},
		"bare":             {` {"name" : "w", "id":"c", "arguments" : "{\"a\":1}"}`, typed("")},
		"gemini":           {`{"parts":[{"functionCall":{"name":"w","id":"c","args":{"a":1}}}]}`, typed("")},
		"twice":            {`[{"tool_calls":[{"id":"c","name":"w","args":{"a":1}}]},{"tool_calls":[{"id":"c","name":"w","args":{}}]}]`, typed("")},
		"own index":        {`{"tool_calls":[{"index":7,"id":"c","name":"w","args":{"a":1}}]}`, strings.Replace(typed(""), ":0}", ":7}", 1)},
		"a person":         {`{"name":"w","age":4,"tools":"many"}`, ""},
		"not JSON":         {`{"tool_calls":[{"name":"w","args":{}}]`, ""},
		"text":             {`call "tool_calls": w`, ""},
		"no name":          {`{"tool_calls":[{"id":"c","arguments":"{}"}]}`, ""},
		"too deep":         {strings.Repeat("[", 20) + `{"name":"w","arguments":""}` + strings.Repeat("]", 20), ""},
	} {
		o := mapAttributes(t, "langfuse.observation.output", c.output)
		var want []model.Tooling
		if c.want != "" {
			want = []model.Tooling{{Name: "w", JSON: c.want}}
		}
		if diff := cmp.Diff(want, o.ToolCalls); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

func TestToolDefinitions(t *testing.T) {
	t.Parallel()
	const one = `{"description":"d","parameters":"{\"type\":\"object\"}"}`
	for name, c := range map[string]struct {
		input string
		want  string // JSON of the only definition, of w; "" none
	}{
		"flat":       {`{"tools":[{"name":"w","description":"d","parameters":{"type": "object"}}]}`, one},
		"nested":     {`{"tools":[{"type":"function","function":{"name":"w","desc":"d","parameters_json_schema":{"type":"object"}}}]}`, one},
		"first":      {`{"tools":[{"name":"w","description":"d","inputSchema":{"type":"object"}},{"name":"w","description":"e"}]}`, one},
		"in message": {`{"messages":[{"role":"user","tools":[{"name":"w","description":"d","parameters":{"type":"object"}}]}]}`, one},
		"langchain":  {`[{"role":"tool","content":{"type":"function","function":{"name":"w","description":"d","parameters":{"type":"object"}}}}]`, one},
		"as text":    {`[{"role":"tool","content":"{\"name\":\"w\",\"description\":\"d\",\"parameters\":{\"type\":\"object\"}}"}]`, one},
		"a result":   {`[{"role":"tool","content":{"name":"w","temperature":20}}]`, ""},
		"no name":    {`{"tools":[{"description":"d"},"w",null]}`, ""},
		"bare":       {`{"tools":[{"name":"w"}]}`, `{"description":"","parameters":""}`},
	} {
		o := mapAttributes(t, "langfuse.observation.input", c.input)
		var want []model.Tooling
		if c.want != "" {
			want = []model.Tooling{{Name: "w", JSON: c.want}}
		}
		if diff := cmp.Diff(want, o.ToolDefinitions); diff != "" || o.Input != c.input {
			t.Errorf("%s: %s\n%s", name, o.Input, diff)
		}
	}
}

func TestToolsMoveIntoTheInput(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]string{
		"":                               `{"tools":[{"name":"w"}]}`,
		"text \"x\"":                     `{"prompt":"text \"x\"","tools":[{"name":"w"}]}`,
		`[{"role":"user"}]`:              `{"messages":[{"role":"user"}],"tools":[{"name":"w"}]}`,
		`{"q":1}`:                        `{"q":1,"tools":[{"name":"w"}]}`,
		`{}`:                             `{"tools":[{"name":"w"}]}`,
		`{"tools":[],"q":1}`:             `{"q":1,"tools":[{"name":"w"}]}`,
		`{"tools":[{"name":"v"}],"q":1}`: `{"tools":[{"name":"v"}],"q":1}`,
		`[broken`:                        `{"prompt":"[broken","tools":[{"name":"w"}]}`,
	} {
		o := mapOne(t, spanWith(object{"attributes": attributesOf("input", input, "gen_ai.tool.definitions", `["{\"name\":\"w\"}"]`)}))
		if o.Input != want || len(o.ToolDefinitions) != 1 {
			t.Errorf("%s: %s with %d definitions, want %s", input, o.Input, len(o.ToolDefinitions), want)
		}
	}
	o := mapOne(t, spanWith(object{"attributes": attributesOf("langfuse.observation.metadata.tools", `[{"name":"w"}]`, "langfuse.observation.metadata.k", "v")}))
	if o.Input != `{"tools":[{"name":"w"}]}` || strings.Contains(strings.Join(flat(o.Metadata), " "), "tools") {
		t.Errorf("%s, %q", o.Input, flat(o.Metadata))
	}
	o = mapOne(t, spanWith(object{"attributes": attributesOf("langfuse.observation.metadata.tools", `["hammer"]`)}))
	if o.Input != "" || !strings.Contains(strings.Join(flat(o.Metadata), " "), `tools=["hammer"]`) {
		t.Errorf("%s, %q", o.Input, flat(o.Metadata))
	}
}

// The recorded clients that use tools: each has rows with calls, with definitions, or both.
func TestToolsOfRealClients(t *testing.T) {
	t.Parallel()
	calls, definitions := map[string]int{}, map[string]int{}
	for _, c := range otlptest.Captures() {
		for _, b := range c.Bodies {
			for _, o := range mapAll(t, parseBody(t, b)) {
				calls[c.Name] += len(o.ToolCalls)
				definitions[c.Name] += len(o.ToolDefinitions)
			}
		}
	}
	for _, name := range []string{
		"aisdk_genai", "aisdk_legacy", "openai_langfuse", "openai_openinference", "openai_traceloop", "py5_langchain", "py5_litellm",
		"py5_litellm_langfuse", "py5_openai_langfuse", "py5_openinference", "py5_pydantic_ai", "py5_traceloop",
	} {
		if calls[name] == 0 || definitions[name] == 0 && !strings.HasPrefix(name, "py5_litellm") {
			t.Errorf("%s: %d calls, %d definitions", name, calls[name], definitions[name])
		}
	}
	if calls["py5_openlit"] == 0 || calls["py5_none"] != 0 {
		t.Errorf("calls %v", calls)
	}
}
