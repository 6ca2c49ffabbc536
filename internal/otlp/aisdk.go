package otlp

import (
	"strings"

	"github.com/sondehq/sonde/internal/model"
)

// The Vercel AI SDK up to version 6, and its older integration in version 7. The newer one writes
// GenAI names.
const (
	aiOperationName = aiSDKKeys + iota
	aiOperationID
	aiFunctionID
	aiModelID
	aiModelProvider
	aiMaxSteps
	aiMaxRetries
	aiMode
	aiPromptMessages
	aiPrompt
	aiPromptTools
	aiToolChoice
	aiResponseText
	aiResponseToolCalls
	aiResponseObject
	aiResultText
	aiResultObject
	aiResultToolCalls
	aiToolCallName
	aiToolCallArguments
	aiToolCallResult
	aiMillisecondsToFirst
	aiStreamToFirst
	aiProviderMetadata
	aiTokens
	aiInputTokens
	aiPromptTokens
	aiOutputTokens
	aiCompletionTokens
	aiCachedTokens
	aiReasoningTokens
	telemetryUser
	telemetrySession
	telemetryTags
	telemetryPrompt

	aiSDKKeyCount = iota
)

var aiSDKVocabulary = vocabulary{
	of: aiSDK, scope: "ai",
	words: []word{
		{"operation.name", aiOperationName, stays},
		{"ai.operationId", aiOperationID, stays},
		{"ai.telemetry.functionId", aiFunctionID, stays},
		{"ai.model.id", aiModelID, stays},
		{"ai.model.provider", aiModelProvider, stays},
		{"ai.settings.maxSteps", aiMaxSteps, stays},
		{"ai.settings.maxRetries", aiMaxRetries, stays},
		{"ai.settings.mode", aiMode, stays},
		{"ai.prompt.messages", aiPromptMessages, shown},
		{"ai.prompt", aiPrompt, shown},
		{"ai.prompt.tools", aiPromptTools, stays},
		{"ai.prompt.toolChoice", aiToolChoice, stays},
		{"ai.response.text", aiResponseText, shown},
		{"ai.response.toolCalls", aiResponseToolCalls, shown},
		{"ai.response.object", aiResponseObject, shown},
		{"ai.result.text", aiResultText, shown},
		{"ai.result.object", aiResultObject, shown},
		{"ai.result.toolCalls", aiResultToolCalls, shown},
		{"ai.toolCall.name", aiToolCallName, stays},
		{"ai.toolCall.args", aiToolCallArguments, shown},
		{"ai.toolCall.result", aiToolCallResult, shown},
		{"ai.response.msToFirstChunk", aiMillisecondsToFirst, stays},
		{"ai.stream.msToFirstChunk", aiStreamToFirst, stays},
		{"ai.response.providerMetadata", aiProviderMetadata, stays},
		{"ai.usage.tokens", aiTokens, stays},
		{"ai.usage.inputTokens", aiInputTokens, stays},
		{"ai.usage.promptTokens", aiPromptTokens, stays},
		{"ai.usage.outputTokens", aiOutputTokens, stays},
		{"ai.usage.completionTokens", aiCompletionTokens, stays},
		{"ai.usage.cachedInputTokens", aiCachedTokens, stays},
		{"ai.usage.reasoningTokens", aiReasoningTokens, stays},
		{"ai.telemetry.metadata.userId", telemetryUser, apart},
		{"ai.telemetry.metadata.sessionId", telemetrySession, apart},
		{"ai.telemetry.metadata.tags", telemetryTags, apart},
		{"ai.telemetry.metadata.langfusePrompt", telemetryPrompt, apart},
	},
	prefixes: []prefix{
		{text: "ai.telemetry.metadata.", domain: ofObservation | ofTrace, fate: shown},
	},
}

// aiSDKCalls are the operations that call a model; all others are around them.
var aiSDKCalls = map[string]model.Type{
	"ai.generateText.doGenerate":   model.Generation,
	"ai.generateObject.doGenerate": model.Generation,
	"ai.streamText.doStream":       model.Generation,
	"ai.streamObject.doStream":     model.Generation,
	"ai.embed.doEmbed":             model.Embedding,
	"ai.embedMany.doEmbed":         model.Embedding,
}

// aiSDKModelKeys tell a call of a model from one that failed before it.
var aiSDKModelKeys = []key{observationModel, aiModelID, genAIRequestModel, genAIResponseModel}

// aiSDKOperation is the operation of a span. operation.name has the function behind it.
func (m *mapper) aiSDKOperation() string {
	if id := m.text(&m.span.attributes, aiOperationID); id != "" {
		return id
	}
	operation, _, _ := strings.Cut(m.text(&m.span.attributes, aiOperationName), " ")
	return operation
}

func aiSDKType(m *mapper) model.Type {
	operation := m.aiSDKOperation()
	if operation == "ai.toolCall" {
		return model.Tool
	}
	if t := aiSDKCalls[operation]; t != "" && m.firstText(aiSDKModelKeys) != "" {
		return t
	}
	return ""
}

func aiSDKName(m *mapper, _ model.Type) string {
	a := &m.span.attributes
	if name := m.text(a, aiToolCallName); name != "" {
		return name
	}
	operation, function := m.text(a, aiOperationID), m.text(a, aiFunctionID)
	if operation == "" || function == "" {
		return operation
	}
	return function + ":" + operation
}

func aiSDKInput(m *mapper) string {
	return m.firstText([]key{aiPromptMessages, aiPrompt, aiToolCallArguments})
}

// aiSDKOutput is one message where the model both spoke and called tools.
func aiSDKOutput(m *mapper) string {
	a := &m.span.attributes
	if a.has(aiResponseText) && a.has(aiResponseToolCalls) {
		out := appendQuoted([]byte(`{"role":"assistant","content":`), m.text(a, aiResponseText))
		out = appendQuoted(append(out, `,"tool_calls":`...), m.text(a, aiResponseToolCalls))
		return string(append(out, '}'))
	}
	return m.firstText([]key{
		aiResponseText, aiResultText, aiToolCallResult, aiResponseObject, aiResultObject,
		aiResponseToolCalls, aiResultToolCalls,
	})
}

func aiSDKPrompt(m *mapper) (name, version string) {
	link := m.text(&m.span.attributes, telemetryPrompt)
	return textIn(jsonAt(link, "name")), asText(jsonAt(link, "version"))
}

// aiSDKParameters are a fixed set, each a string or null, with those that our own attributes give
// laid over them.
func aiSDKParameters(m *mapper) string {
	if m.scope.of&aiSDK == 0 {
		return ""
	}
	a := &m.span.attributes
	given := ""
	if a.has(observationModelParameters) {
		given = m.parameters(m.text(a, observationModelParameters))
	}
	system := m.text(a, genAISystem)
	if system == "" {
		system = m.text(a, aiModelProvider)
	}
	out := []byte{'{'}
	for _, p := range [...]struct{ name, text string }{
		{"maxSteps", m.text(a, aiMaxSteps)},
		{"toolChoice", m.text(a, aiToolChoice)},
		{"maxTokens", m.text(a, genAIMaxTokens)},
		{"finishReason", strings.Join(m.tagsOf(a.get(genAIFinishReasons)), ",")},
		{"system", system},
		{"maxRetries", m.text(a, aiMaxRetries)},
		{"mode", m.text(a, aiMode)},
		{"temperature", m.text(a, genAITemperature)},
		{"service_tier", textIn(jsonAt(m.text(a, aiProviderMetadata), "openai", "serviceTier"))},
	} {
		if jsonAt(given, p.name) != "" {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(appendQuoted(out, p.name), ':')
		if p.text == "" {
			out = append(out, "null"...)
		} else {
			out = appendQuoted(out, p.text)
		}
	}
	if len(given) > len("{}") {
		if len(out) > 1 {
			out = append(out, ',')
		}
		return string(append(out, given[1:]...))
	}
	return string(append(out, '}'))
}
