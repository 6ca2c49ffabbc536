package otlp

import (
	"github.com/sondehq/sonde/internal/model"
)

// OpenTelemetry's conventions for generative AI, old names and new ones.
const (
	genAIOperation = genAIKeys + iota
	genAIConversation
	genAIRequestModel
	genAIResponseModel
	genAIInputMessages
	genAIOutputMessages
	genAIInstructions
	genAIToolArguments
	genAIToolResult
	genAIToolName
	genAIToolCallID
	genAIToolDefinitions
	genAISystem
	genAIMaxTokens
	genAITemperature
	genAIFinishReasons
	genAICost
	genAITimeToFirst
	genAIOperationToFirst

	genAIKeyCount = iota
)

var genAIVocabulary = vocabulary{
	of: genAI,
	words: []word{
		{"gen_ai.operation.name", genAIOperation, stays},
		{"gen_ai.conversation.id", genAIConversation, stays},
		{"gen_ai.request.model", genAIRequestModel, stays},
		{"gen_ai.response.model", genAIResponseModel, stays},
		{"gen_ai.input.messages", genAIInputMessages, shown},
		{"gen_ai.output.messages", genAIOutputMessages, shown},
		{"gen_ai.system_instructions", genAIInstructions, shown},
		{"gen_ai.tool.call.arguments", genAIToolArguments, shown},
		{"gen_ai.tool.call.result", genAIToolResult, shown},
		{"gen_ai.tool.name", genAIToolName, stays},
		{"gen_ai.tool.call.id", genAIToolCallID, stays},
		{"gen_ai.tool.definitions", genAIToolDefinitions, stays},
		{"gen_ai.system", genAISystem, stays},
		{"gen_ai.request.max_tokens", genAIMaxTokens, stays},
		{"gen_ai.request.temperature", genAITemperature, stays},
		{"gen_ai.response.finish_reasons", genAIFinishReasons, stays},
		{"gen_ai.usage.cost", genAICost, plainName},
		{"gen_ai.response.time_to_first_chunk", genAITimeToFirst, stays},
		{"gen_ai.client.operation.time_to_first_chunk", genAIOperationToFirst, stays},
	},
	prefixes: []prefix{
		{text: "gen_ai.usage.", group: usageCounts},
		{text: "gen_ai.request.", group: requestParameters},
	},
}

var operationTypes = map[string]model.Type{
	"chat": model.Generation, "completion": model.Generation, "text_completion": model.Generation,
	"generate_content": model.Generation, "generate": model.Generation,
	"embeddings": model.Embedding, "retrieval": model.Retriever,
	"invoke_agent": model.Agent, "create_agent": model.Agent, "execute_tool": model.Tool,
}

func operationType(m *mapper) model.Type {
	return operationTypes[m.span.attributes.get(genAIOperation).text]
}

func toolType(m *mapper) model.Type {
	if m.text(&m.span.attributes, genAIToolName) != "" || m.text(&m.span.attributes, genAIToolCallID) != "" {
		return model.Tool
	}
	return ""
}

// toolName is the name of a tool that ran. OpenLIT writes it on model calls, too, where it is the
// tool that the model asked for.
func toolName(m *mapper, t model.Type) string {
	if t != model.Tool {
		return ""
	}
	return m.text(&m.span.attributes, genAIToolName)
}

// aggregates are operations whose model, usage and cost repeat those of the spans below.
var aggregates = map[string]bool{"invoke_agent": true, "agent_step": true}

func (m *mapper) aggregate() bool {
	return m.span.attributes.has(genAIOperation) && aggregates[m.span.attributes.get(genAIOperation).text]
}

// withInstructions puts the instructions, which GenAI keeps apart, before the messages.
func withInstructions(messages func(*mapper) string) func(*mapper) string {
	return func(m *mapper) string {
		return instructed(messages(m), m.text(&m.span.attributes, genAIInstructions))
	}
}

// instructed adds a system message to a JSON array of messages that has none.
func instructed(messages, instructions string) string {
	if instructions == "" {
		return messages
	}
	system, empty := false, true
	ok := eachElement(messages, func(message string) {
		empty = false
		system = system || textIn(jsonAt(message, "role")) == "system"
	})
	text := instructionText(instructions)
	if !ok || system || text == "" {
		return messages
	}
	out := appendQuoted([]byte(`[{"role":"system","content":`), text)
	out = append(out, '}')
	if !empty {
		out = append(out, ',')
	}
	s := scanner{text: messages}
	s.take('[')
	return string(append(out, messages[s.pos:]...))
}

// instructionText joins the parts of instructions; text that is no JSON is taken as it is.
func instructionText(instructions string) string {
	var out []byte
	ok := eachElement(instructions, func(part string) {
		text := textIn(part)
		for _, name := range [...]string{"content", "text"} {
			if text == "" {
				text = textIn(jsonAt(part, name))
			}
		}
		if text == "" {
			return
		}
		if len(out) > 0 {
			out = append(out, '\n')
		}
		out = append(out, text...)
	})
	if ok {
		return string(out)
	}
	if text := textIn(instructions); text != "" {
		return text
	}
	return instructions
}
