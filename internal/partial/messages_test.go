package partial_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/partial"
)

func logEvent(t testing.TB, second int, name, attributes, body string) partial.Event {
	t.Helper()
	e, ok := partial.NewLog(partial.LogRecord{
		TraceID: "t", SpanID: "s", Time: noon.Add(time.Duration(second) * time.Second), Name: name,
		Attributes: json.RawMessage(attributes), Body: json.RawMessage(body),
	})
	if !ok {
		t.Fatalf("%s carries nothing", name)
	}
	return e
}

func TestMessages(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		events        []partial.Event
		input, output string
	}{
		"all messages in one event": {
			[]partial.Event{logEvent(t, 1, "gen_ai.client.inference.operation.details", `{"gen_ai.input.messages":"[{\"role\":\"user\",\"parts\":[]}]","gen_ai.output.messages":[{"role":"assistant"}],"gen_ai.system_instructions":"[{\"type\":\"text\",\"content\":\"be nice\"},{\"type\":\"text\",\"content\":\"<ok>\"}]"}`, ``)},
			`[{"role":"system","content":"be nice\n<ok>"},{"role":"user","parts":[]}]`, `[{"role":"assistant"}]`,
		},
		"a system message is enough": {
			[]partial.Event{logEvent(t, 1, "gen_ai.client.inference.operation.details", `{"gen_ai.system_instructions":"no","gen_ai.input.messages":[{"role":"system"}]}`, ``)},
			`[{"role":"system"}]`, ``,
		},
		"messages in attributes": {
			[]partial.Event{
				logEvent(t, 3, "gen_ai.choice", `{"index":0,"finish_reason":"stop","message":"{\"content\":\"a\"}"}`, ``),
				logEvent(t, 2, "gen_ai.user.message", `{"content":"u","gen_ai.system":"openai"}`, ``),
				logEvent(t, 1, "gen_ai.system.message", `{"content":"s"}`, ``),
			},
			`[{"role":"system","content":"s"},{"role":"user","content":"u"}]`, `{"index":0,"finish_reason":"stop","message":"{\"content\":\"a\"}"}`,
		},
		"messages in bodies": {
			[]partial.Event{
				logEvent(t, 1, "gen_ai.user.message", `{"gen_ai.system":"openai","event.name":"x"}`, `{"content":"u"}`),
				logEvent(t, 2, "gen_ai.assistant.message", ``, `{"tool_calls":[{"id":"1"}]}`),
				logEvent(t, 3, "gen_ai.tool.message", ``, `"plain"`),
				logEvent(t, 4, "gen_ai.choice", ``, `{"index":0}`),
				logEvent(t, 5, "gen_ai.choice", ``, `{"index":1}`),
			},
			`[{"role":"user","content":"u"},{"role":"assistant","tool_calls":[{"id":"1"}]},{"role":"tool","content":"plain"}]`, `[{"index":0},{"index":1}]`,
		},
		"prompt and completion": {
			[]partial.Event{
				logEvent(t, 1, "gen_ai.content.prompt", `{"gen_ai.prompt":"P"}`, ``),
				logEvent(t, 2, "gen_ai.content.completion", ``, `{"gen_ai.completion":"Q"}`),
			},
			"P", "Q",
		},
		"nothing": {[]partial.Event{logEvent(t, 1, "gen_ai.content.prompt", ``, `null`)}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if input, output := partial.Messages(c.events); input != c.input || output != c.output {
				t.Errorf("input %s\noutput %s", input, output)
			}
		})
	}
}

func TestNewLog(t *testing.T) {
	t.Parallel()
	good := partial.LogRecord{TraceID: "t", SpanID: "s", Time: noon, Name: "gen_ai.choice", Body: json.RawMessage(`{"index":0}`)}
	one, ok := partial.NewLog(good)
	two, _ := partial.NewLog(good)
	if at, id := one.Entity(); !ok || one.ID != two.ID || at != "t" || id != "s" {
		t.Errorf("events %+v and %+v", one, two)
	}
	for name, edit := range map[string]func(*partial.LogRecord){
		"no span":      func(r *partial.LogRecord) { r.SpanID = "" },
		"no trace":     func(r *partial.LogRecord) { r.TraceID = "" },
		"another name": func(r *partial.LogRecord) { r.Name = "exception" },
		"no JSON":      func(r *partial.LogRecord) { r.Body = json.RawMessage("{") },
	} {
		bad := good
		edit(&bad)
		if _, ok := partial.NewLog(bad); ok {
			t.Errorf("%s is taken", name)
		}
	}
}

func TestJoin(t *testing.T) {
	t.Parallel()
	logs := []partial.Event{logEvent(t, 1, "gen_ai.user.message", ``, `"hi"`), logEvent(t, 2, "gen_ai.choice", ``, `{"index":0}`)}
	row := &model.Observation{ProjectID: "p", TraceID: "t", ID: "s", Type: model.Generation, StartTime: noon, Version: 4096}
	first, note := partial.Join(row, logs[:1])
	if first == nil || note == nil || first.Version != 4097 || !strings.Contains(first.Input, "hi") || row.Input != "" {
		t.Fatalf("joined %+v, note %+v", first, note)
	}
	second, again := partial.Join(first, append(logs, *note))
	if second == nil || again != nil || second.Version != 4098 || second.Output == "" {
		t.Fatalf("joined %+v, note %+v", second, again)
	}
	if once, _ := partial.Join(second, append(logs, *note)); once != nil {
		t.Errorf("joined again: %+v", once)
	}
	own := *row
	own.Output, own.Version = "its own", 8192
	if joined, _ := partial.Join(&own, append(logs, *note)); joined != nil {
		t.Errorf("replaced the row's own: %+v", joined)
	}
	if joined, _ := partial.Join(row, []partial.Event{*note}); joined != nil {
		t.Errorf("joined without messages: %+v", joined)
	}
	plain := &model.Observation{Type: model.Span}
	if !partial.Wants(row) || partial.Wants(&own) || partial.Wants(plain) {
		t.Error("wrong rows want messages")
	}
}
