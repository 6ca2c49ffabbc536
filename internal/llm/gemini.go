package llm

import (
	"cmp"
	"encoding/json"
	"fmt"
)

type (
	geminiRequest struct {
		Contents          []geminiContent `json:"contents"`
		SystemInstruction *geminiContent  `json:"systemInstruction,omitempty"`
		Tools             []geminiTools   `json:"tools,omitempty"`
		GenerationConfig  geminiConfig    `json:"generationConfig"`
	}
	geminiContent struct {
		Role  string           `json:"role,omitempty"`
		Parts []map[string]any `json:"parts"`
	}
	geminiTools struct {
		FunctionDeclarations []map[string]any `json:"functionDeclarations"`
	}
	geminiConfig struct {
		Temperature        *float64        `json:"temperature,omitempty"`
		TopP               *float64        `json:"topP,omitempty"`
		MaxOutputTokens    int             `json:"maxOutputTokens,omitempty"`
		ResponseMimeType   string          `json:"responseMimeType,omitempty"`
		ResponseJSONSchema json.RawMessage `json:"responseJsonSchema,omitempty"`
	}
)

func geminiBody(_ target, r Request) any {
	body := geminiRequest{GenerationConfig: geminiConfig{Temperature: r.Temperature, TopP: r.TopP, MaxOutputTokens: r.MaxTokens}}
	for _, m := range r.Messages {
		if m.Role != System {
			body.Contents = append(body.Contents, geminiContentOf(m))
			continue
		}
		if body.SystemInstruction == nil {
			body.SystemInstruction = &geminiContent{}
		}
		body.SystemInstruction.Parts = append(body.SystemInstruction.Parts, map[string]any{"text": m.Content})
	}
	if r.Schema != nil {
		body.GenerationConfig.ResponseMimeType, body.GenerationConfig.ResponseJSONSchema = "application/json", r.Schema
		return body
	}
	if len(r.Tools) > 0 {
		var list geminiTools
		for _, tool := range r.Tools {
			list.FunctionDeclarations = append(list.FunctionDeclarations, definition(tool, "parametersJsonSchema"))
		}
		body.Tools = []geminiTools{list}
	}
	return body
}

func geminiContentOf(m Message) geminiContent {
	if m.Role == ToolRole {
		return geminiContent{User, []map[string]any{{"functionResponse": map[string]any{"name": m.Name, "response": map[string]any{"result": m.Content}}}}}
	}
	out := geminiContent{Role: User}
	if m.Role == Assistant {
		out.Role = "model"
	}
	if m.Content != "" || len(m.ToolCalls) == 0 {
		out.Parts = append(out.Parts, map[string]any{"text": m.Content})
	}
	for _, call := range m.ToolCalls {
		out.Parts = append(out.Parts, map[string]any{"functionCall": map[string]any{"name": call.Name, "args": json.RawMessage(call.Arguments)}})
	}
	return out
}

func readGemini(a *assembly, data []byte) error {
	var event struct {
		Error          json.RawMessage `json:"error"`
		ModelVersion   string          `json:"modelVersion"`
		PromptFeedback struct {
			BlockReason string `json:"blockReason"`
		} `json:"promptFeedback"`
		Candidates []struct {
			Content struct {
				Parts []struct {
					Text         string `json:"text"`
					Thought      bool   `json:"thought"`
					FunctionCall *struct {
						ID   string          `json:"id"`
						Name string          `json:"name"`
						Args json.RawMessage `json:"args"`
					} `json:"functionCall"`
				} `json:"parts"`
			} `json:"content"`
			FinishReason string `json:"finishReason"`
		} `json:"candidates"`
		UsageMetadata map[string]json.RawMessage `json:"usageMetadata"`
	}
	if err := json.Unmarshal(data, &event); err != nil {
		return unreadable(err)
	}
	if len(event.Error) > 0 && string(event.Error) != "null" {
		return a.failed(data)
	}
	if event.ModelVersion != "" {
		a.model = event.ModelVersion
	}
	a.addUsage(event.UsageMetadata)
	if event.PromptFeedback.BlockReason != "" {
		a.stop, a.done = event.PromptFeedback.BlockReason, true
	}
	for _, candidate := range event.Candidates[:min(1, len(event.Candidates))] {
		for _, part := range candidate.Content.Parts {
			if part.FunctionCall != nil {
				key := len(a.calls) // calls come whole, and most without an id
				if err := a.beginCall(key, cmp.Or(part.FunctionCall.ID, fmt.Sprintf("call_%d", key+1)), part.FunctionCall.Name); err != nil {
					return err
				}
				if err := a.addArguments(key, string(part.FunctionCall.Args)); err != nil {
					return err
				}
			} else if !part.Thought {
				if err := a.addText(part.Text); err != nil {
					return err
				}
			}
		}
		if candidate.FinishReason != "" {
			a.stop, a.done = candidate.FinishReason, true
		}
	}
	return nil
}
