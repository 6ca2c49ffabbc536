package llm

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"time"

	"github.com/sondehq/sonde/internal/fault"
)

// Call is a question to a model and what came of it, to be traced as a generation.
type Call struct {
	TraceID, SpanID string
	Name            string // of trace and generation
	Environment     string
	Request         Request
	Answer          Answer
	Failed          error // nil: it was answered
	Start, End      time.Time
	PromptName      string // the prompt that the messages were made of; empty: none
	PromptVersion   int
	Metadata        map[string]string // what else is to be known of it
}

// NewTraceID and NewSpanID make ids as OpenTelemetry has them.
func NewTraceID() string { return randomHex(16) }

// NewSpanID makes an id of a span.
func NewSpanID() string { return randomHex(8) }

func randomHex(n int) string {
	id := make([]byte, n)
	_, _ = rand.Read(id) // never fails
	return hex.EncodeToString(id)
}

type attribute struct {
	Key   string            `json:"key"`
	Value map[string]string `json:"value"`
}

// OTLP is the call as a trace of one generation, an export in JSON.
func (c Call) OTLP() ([]byte, error) {
	values := map[string]string{
		"langfuse.observation.type":       "generation",
		"langfuse.observation.input":      encode(c.input()),
		"langfuse.observation.output":     encode(c.output()),
		"langfuse.observation.model.name": cmp.Or(c.Answer.Model, c.Request.Model),
		"langfuse.trace.name":             c.Name,
		"langfuse.environment":            c.Environment,
	}
	values["langfuse.observation.model.parameters"] = encode(c.Request.parameters())
	if c.Answer.Usage != nil {
		values["langfuse.observation.usage_details"] = encode(c.Answer.Usage)
	}
	if !c.Answer.FirstWord.IsZero() {
		values["langfuse.observation.completion_start_time"] = encode(c.Answer.FirstWord.UTC().Format(time.RFC3339Nano))
	}
	if c.PromptName != "" {
		values["langfuse.observation.prompt.name"] = c.PromptName
		values["langfuse.observation.prompt.version"] = strconv.Itoa(c.PromptVersion)
	}
	for name, value := range c.Metadata {
		values["langfuse.observation.metadata."+name] = value
	}
	if c.Failed != nil {
		values["langfuse.observation.level"] = "ERROR"
		values["langfuse.observation.status_message"] = says(c.Failed)
	}
	span := map[string]any{
		"traceId": c.TraceID, "spanId": c.SpanID, "name": c.Name,
		"startTimeUnixNano": strconv.FormatInt(c.Start.UnixNano(), 10), "endTimeUnixNano": strconv.FormatInt(c.End.UnixNano(), 10),
	}
	list := make([]attribute, 0, len(values))
	for key, value := range values {
		list = append(list, attribute{key, map[string]string{"stringValue": value}})
	}
	span["attributes"] = list
	scope := map[string]any{"scope": map[string]string{"name": "sonde-llm"}, "spans": []any{span}}
	return json.Marshal(map[string]any{"resourceSpans": []any{map[string]any{"scopeSpans": []any{scope}}}})
}

// says is what people may read of an error.
func says(err error) string {
	if f, ok := err.(*fault.Fault); ok { //nolint:errorlint // its own words, not those of a cause
		return f.Public()
	}
	return "stopped"
}

func encode(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	return string(text)
}

// Messages in the shape that the views of chats know.
type (
	chatMessage struct {
		Role       string     `json:"role"`
		Content    string     `json:"content"`
		ToolCalls  []chatCall `json:"tool_calls,omitempty"`
		ToolCallID string     `json:"tool_call_id,omitempty"`
	}
	chatCall struct {
		ID       string         `json:"id"`
		Type     string         `json:"type"`
		Function openAIFunction `json:"function"`
	}
)

func chatOf(m Message) chatMessage {
	out := chatMessage{Role: m.Role, Content: m.Content, ToolCallID: m.ToolCallID}
	for _, call := range m.ToolCalls {
		out.ToolCalls = append(out.ToolCalls, chatCall{call.ID, "function", openAIFunction{call.Name, call.Arguments}})
	}
	return out
}

func (c Call) input() any {
	messages := make([]chatMessage, len(c.Request.Messages))
	for i, m := range c.Request.Messages {
		messages[i] = chatOf(m)
	}
	if len(c.Request.Tools) == 0 {
		return messages
	}
	tools := make([]openAITool, len(c.Request.Tools))
	for i, tool := range c.Request.Tools {
		tools[i] = openAITool{"function", definition(tool, "parameters")}
	}
	return map[string]any{"messages": messages, "tools": tools}
}

func (c Call) output() any {
	return chatOf(Message{Role: Assistant, Content: c.Answer.Text, ToolCalls: c.Answer.ToolCalls})
}

func (r Request) parameters() map[string]any {
	set := map[string]any{"provider": r.Provider}
	if r.Temperature != nil {
		set["temperature"] = *r.Temperature
	}
	if r.TopP != nil {
		set["top_p"] = *r.TopP
	}
	if r.MaxTokens > 0 {
		set["max_tokens"] = r.MaxTokens
	}
	return set
}
