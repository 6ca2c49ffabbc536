package llm

import (
	"encoding/json"
	"strings"
)

const (
	anthropicVersion = "2023-06-01"
	// anthropicTokens is how long an answer may be unless the request says: this API wants a number.
	anthropicTokens = 4096
	// answerTool is the tool whose arguments are the answer when it is to follow a schema.
	answerTool = "answer"
)

type (
	anthropicRequest struct {
		Model       string             `json:"model"`
		System      string             `json:"system,omitempty"`
		Messages    []anthropicMessage `json:"messages"`
		Tools       []map[string]any   `json:"tools,omitempty"`
		ToolChoice  map[string]string  `json:"tool_choice,omitempty"`
		Temperature *float64           `json:"temperature,omitempty"`
		TopP        *float64           `json:"top_p,omitempty"`
		MaxTokens   int                `json:"max_tokens"`
		Stream      bool               `json:"stream"`
	}
	anthropicMessage struct {
		Role    string           `json:"role"`
		Content []map[string]any `json:"content"`
	}
)

func anthropicBody(_ target, r Request) any {
	body := anthropicRequest{Model: r.Model, Temperature: r.Temperature, TopP: r.TopP, MaxTokens: r.MaxTokens, Stream: true}
	if body.MaxTokens == 0 {
		body.MaxTokens = anthropicTokens
	}
	var system []string
	for _, m := range r.Messages {
		if m.Role == System {
			system = append(system, m.Content)
			continue
		}
		body.Messages = append(body.Messages, anthropicMessageOf(m))
	}
	body.System = strings.Join(system, "\n\n")
	if r.Schema != nil {
		body.Tools = []map[string]any{{"name": answerTool, "description": "Give the answer.", "input_schema": r.Schema}}
		body.ToolChoice = map[string]string{"type": "tool", "name": answerTool}
		return body
	}
	for _, tool := range r.Tools {
		d := definition(tool, "input_schema")
		if tool.Parameters == nil {
			d["input_schema"] = map[string]string{"type": "object"}
		}
		body.Tools = append(body.Tools, d)
	}
	return body
}

func anthropicMessageOf(m Message) anthropicMessage {
	if m.Role == ToolRole {
		return anthropicMessage{User, []map[string]any{{"type": "tool_result", "tool_use_id": m.ToolCallID, "content": m.Content}}}
	}
	out := anthropicMessage{Role: m.Role}
	if m.Content != "" || len(m.ToolCalls) == 0 {
		out.Content = append(out.Content, map[string]any{"type": "text", "text": m.Content})
	}
	for _, call := range m.ToolCalls {
		out.Content = append(out.Content, map[string]any{"type": "tool_use", "id": call.ID, "name": call.Name, "input": json.RawMessage(call.Arguments)})
	}
	return out
}

func readAnthropic(a *assembly, data []byte) error {
	var event struct {
		Type    string `json:"type"`
		Index   int    `json:"index"`
		Message struct {
			Model string                     `json:"model"`
			Usage map[string]json.RawMessage `json:"usage"`
		} `json:"message"`
		Block struct {
			Type, ID, Name string
		} `json:"content_block"`
		Delta struct {
			Type        string `json:"type"`
			Text        string `json:"text"`
			PartialJSON string `json:"partial_json"`
			StopReason  string `json:"stop_reason"`
		} `json:"delta"`
		Usage map[string]json.RawMessage `json:"usage"`
	}
	if err := json.Unmarshal(data, &event); err != nil {
		return unreadable(err)
	}
	switch event.Type {
	case "error":
		return a.failed(data)
	case "message_start":
		a.model = event.Message.Model
		a.addUsage(event.Message.Usage)
	case "content_block_start":
		if event.Block.Type == "tool_use" && !a.bySchema {
			return a.beginCall(event.Index, event.Block.ID, event.Block.Name)
		}
	case "content_block_delta":
		if event.Delta.Type != "input_json_delta" {
			return a.addText(event.Delta.Text)
		}
		if a.bySchema {
			return a.addText(event.Delta.PartialJSON) // of the answer tool
		}
		return a.addArguments(event.Index, event.Delta.PartialJSON)
	case "message_delta":
		a.stop = event.Delta.StopReason
		a.addUsage(event.Usage)
	case "message_stop":
		a.done = true
	}
	return nil
}
