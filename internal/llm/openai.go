package llm

import (
	"bytes"
	"encoding/json"
	"maps"
)

// What OpenAI's chat completions take; others speak it, too.
type (
	openAIRequest struct {
		Model               string          `json:"model"`
		Messages            []openAIMessage `json:"messages"`
		Tools               []openAITool    `json:"tools,omitempty"`
		ResponseFormat      any             `json:"response_format,omitempty"`
		Temperature         *float64        `json:"temperature,omitempty"`
		TopP                *float64        `json:"top_p,omitempty"`
		MaxTokens           int             `json:"max_tokens,omitempty"`
		MaxCompletionTokens int             `json:"max_completion_tokens,omitempty"`
		Stream              bool            `json:"stream"`
		StreamOptions       map[string]bool `json:"stream_options"`
	}
	openAIMessage struct {
		Role       string       `json:"role"`
		Content    *string      `json:"content"`
		ToolCalls  []openAICall `json:"tool_calls,omitempty"`
		ToolCallID string       `json:"tool_call_id,omitempty"`
	}
	openAICall struct {
		Index    int            `json:"index,omitempty"`
		ID       string         `json:"id,omitempty"`
		Type     string         `json:"type,omitempty"`
		Function openAIFunction `json:"function"`
	}
	openAIFunction struct {
		Name      string `json:"name,omitempty"`
		Arguments string `json:"arguments"`
	}
	openAITool struct {
		Type     string         `json:"type"`
		Function map[string]any `json:"function"`
	}
)

func openAIBody(t target, r Request) any {
	body := openAIRequest{
		Model: r.Model, Temperature: r.Temperature, TopP: r.TopP,
		Stream: true, StreamOptions: map[string]bool{"include_usage": true},
	}
	// OpenAI's newer models refuse the old name, gateways and other servers know only that.
	if t.own || t.adapter == "azure" {
		body.MaxCompletionTokens = r.MaxTokens
	} else {
		body.MaxTokens = r.MaxTokens
	}
	for _, m := range r.Messages {
		out := openAIMessage{Role: m.Role, Content: &m.Content, ToolCallID: m.ToolCallID}
		for _, call := range m.ToolCalls {
			out.ToolCalls = append(out.ToolCalls, openAICall{ID: call.ID, Type: "function", Function: openAIFunction{call.Name, call.Arguments}})
		}
		if m.Content == "" && len(out.ToolCalls) > 0 {
			out.Content = nil
		}
		body.Messages = append(body.Messages, out)
	}
	if r.Schema != nil {
		body.ResponseFormat = map[string]any{"type": "json_schema", "json_schema": map[string]any{"name": "answer", "schema": r.Schema, "strict": true}}
		return body
	}
	for _, tool := range r.Tools {
		body.Tools = append(body.Tools, openAITool{"function", definition(tool, "parameters")})
	}
	return body
}

// definition is a tool whose schema has the given name.
func definition(tool Tool, schema string) map[string]any {
	d := map[string]any{"name": tool.Name}
	if tool.Description != "" {
		d["description"] = tool.Description
	}
	if tool.Parameters != nil {
		maps.Copy(d, map[string]any{schema: tool.Parameters})
	}
	return d
}

func readOpenAI(a *assembly, data []byte) error {
	if string(bytes.TrimSpace(data)) == "[DONE]" {
		a.done = true
		return nil
	}
	var event struct {
		Error   json.RawMessage            `json:"error"`
		Model   string                     `json:"model"`
		Usage   map[string]json.RawMessage `json:"usage"`
		Choices []struct {
			Delta struct {
				Content   string       `json:"content"`
				Refusal   string       `json:"refusal"` // in place of an answer by schema
				ToolCalls []openAICall `json:"tool_calls"`
			} `json:"delta"`
			FinishReason string `json:"finish_reason"`
		} `json:"choices"`
	}
	if err := json.Unmarshal(data, &event); err != nil {
		return unreadable(err)
	}
	if len(event.Error) > 0 && string(event.Error) != "null" {
		return a.failed(data)
	}
	if event.Model != "" {
		a.model = event.Model
	}
	a.addUsage(event.Usage)
	for _, choice := range event.Choices[:min(1, len(event.Choices))] {
		if err := a.addText(choice.Delta.Content + choice.Delta.Refusal); err != nil {
			return err
		}
		for _, call := range choice.Delta.ToolCalls {
			if err := a.addOpenAICall(call); err != nil {
				return err
			}
		}
		if choice.FinishReason != "" { // some end without [DONE]
			a.stop, a.done = choice.FinishReason, true
		}
	}
	return nil
}

// addOpenAICall begins a call or adds to one. Some servers repeat the name with every piece, others give all calls the same
// index: a call begins with a name under an index or an id that is new.
func (a *assembly) addOpenAICall(piece openAICall) error {
	open := a.call(piece.Index)
	if piece.Function.Name != "" && (open == nil || piece.ID != "" && piece.ID != open.id) {
		if err := a.beginCall(piece.Index, piece.ID, piece.Function.Name); err != nil {
			return err
		}
	}
	return a.addArguments(piece.Index, piece.Function.Arguments)
}
