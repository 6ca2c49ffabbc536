package llmtest

import (
	"encoding/json"
	"strings"
)

// dialect makes the script of an answer to a request.
type dialect func(model string, body map[string]any) script

// dialectOf finds the format and the model that a request means.
func dialectOf(path string, body map[string]any) (dialect, string) {
	name, _ := body["model"].(string)
	switch {
	case strings.HasSuffix(path, "/chat/completions"):
		return openAI, name
	case strings.HasSuffix(path, "/v1/messages"):
		return anthropic, name
	case strings.HasSuffix(path, ":streamGenerateContent"):
		name = strings.TrimSuffix(path[strings.LastIndex(path, "/")+1:], ":streamGenerateContent")
		return gemini, name
	}
	return nil, ""
}

type object = map[string]any

// schemaAnswer is what the provider says when an answer is to follow a schema.
const schemaAnswer = `{"score": 1, "reasoning": "as asked"}`

func at(value any, path ...string) any {
	for _, name := range path {
		if list, isList := value.([]any); isList {
			if len(list) == 0 {
				return nil
			}
			value = list[len(list)-1]
		}
		o, _ := value.(object)
		value = o[name]
	}
	return value
}

func text(value any) string {
	s, _ := value.(string)
	return s
}

func first(value any) any {
	if list, ok := value.([]any); ok && len(list) > 0 {
		return list[0]
	}
	return nil
}

func openAI(model string, body object) script {
	chunk := func(delta object, finish any) object {
		return object{"id": "c1", "model": model + "-2026", "choices": []any{object{"index": 0, "delta": delta, "finish_reason": finish}}}
	}
	s := script{
		begin: []any{chunk(object{"role": "assistant", "content": ""}, nil)},
		word:  func(word string) any { return chunk(object{"content": word}, nil) },
		end: []any{
			chunk(object{}, "stop"),
			object{"model": model + "-2026", "choices": []any{}, "usage": object{"prompt_tokens": 12, "completion_tokens": 5, "total_tokens": 17, "prompt_tokens_details": object{"cached_tokens": 4}}},
			"[DONE]",
		},
	}
	tool := text(at(first(body["tools"]), "function", "name"))
	switch {
	case model == Tools && tool != "":
		call := func(c object) object { return chunk(object{"tool_calls": []any{c}}, nil) }
		s.begin = append(s.begin,
			call(object{"index": 0, "id": "call_a", "type": "function", "function": object{"name": tool, "arguments": ""}}),
			call(object{"index": 0, "function": object{"arguments": `{"city":`}}), call(object{"index": 0, "function": object{"arguments": `"Oslo"}`}}))
		s.end[0] = chunk(object{}, "tool_calls")
	case body["response_format"] != nil:
		s.words = wordsOf(schemaAnswer)
	default:
		s.words = wordsOf("You said: " + text(at(body["messages"], "content")))
	}
	return s
}

func anthropic(model string, body object) script {
	s := script{
		begin: []any{
			object{"type": "message_start", "message": object{"model": model + "-2026", "usage": object{"input_tokens": 8, "cache_read_input_tokens": 4, "output_tokens": 1}}},
			object{"type": "ping"},
		},
		end: []any{
			object{"type": "content_block_stop", "index": 0},
			object{"type": "message_delta", "delta": object{"stop_reason": "end_turn"}, "usage": object{"output_tokens": 5}},
			object{"type": "message_stop"},
		},
	}
	block := func(b object) object { return object{"type": "content_block_start", "index": 0, "content_block": b} }
	arguments := func(word string) any {
		return object{"type": "content_block_delta", "index": 0, "delta": object{"type": "input_json_delta", "partial_json": word}}
	}
	tool := text(at(first(body["tools"]), "name"))
	switch {
	case body["tool_choice"] != nil:
		s.begin = append(s.begin, block(object{"type": "tool_use", "id": "t1", "name": tool}))
		s.word, s.words = arguments, wordsOf(schemaAnswer)
	case model == Tools && tool != "":
		s.begin = append(s.begin, block(object{"type": "tool_use", "id": "call_a", "name": tool}))
		s.word, s.words = arguments, []string{`{"city":`, `"Oslo"}`}
	default:
		s.begin = append(s.begin, block(object{"type": "text", "text": ""}))
		s.words = wordsOf("You said: " + text(at(body["messages"], "content", "text")))
		s.word = func(word string) any {
			return object{"type": "content_block_delta", "index": 0, "delta": object{"type": "text_delta", "text": word}}
		}
	}
	return s
}

func gemini(model string, body object) script {
	chunk := func(part object, finish string) object {
		candidate := object{"content": object{"role": "model", "parts": []any{part}}}
		if finish != "" {
			candidate["finishReason"] = finish
		}
		return object{"candidates": []any{candidate}, "modelVersion": model + "-2026"}
	}
	last := chunk(object{"text": ""}, "STOP")
	last["usageMetadata"] = object{"promptTokenCount": 12, "cachedContentTokenCount": 4, "candidatesTokenCount": 5, "totalTokenCount": 17}
	s := script{
		begin: []any{chunk(object{"text": "let me think", "thought": true}, "")},
		word:  func(word string) any { return chunk(object{"text": word}, "") },
		end:   []any{last},
	}
	tool := text(at(first(at(first(body["tools"]), "functionDeclarations")), "name"))
	switch {
	case model == Tools && tool != "":
		s.begin = []any{chunk(object{"functionCall": object{"name": tool, "args": json.RawMessage(`{"city":"Oslo"}`)}}, "")}
	case at(body["generationConfig"], "responseJsonSchema") != nil:
		s.words = wordsOf(schemaAnswer)
	default:
		s.words = wordsOf("You said: " + text(at(body["contents"], "parts", "text")))
	}
	return s
}
