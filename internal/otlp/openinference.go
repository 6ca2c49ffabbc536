package otlp

import (
	"strings"

	"github.com/sondehq/sonde/internal/model"
)

// OpenInference of Arize.
const (
	spanKind = openInferenceKeys + iota
	tagTags
	inputValue
	outputValue
	llmModelName
	llmResponseModel
	llmRequestModelName
	llmResponseModelName
	embeddingModelName
	rerankerModelName
	llmInvocationParameters
	llmInputMessages
	llmOutputMessages
	llmCost

	openInferenceKeyCount = iota
)

var openInferenceVocabulary = vocabulary{
	of: openInference,
	words: []word{
		{"openinference.span.kind", spanKind, stays},
		{"tag.tags", tagTags, stays},
		{"input.value", inputValue, shown},
		{"output.value", outputValue, shown},
		{"llm.model_name", llmModelName, stays},
		{"llm.response.model", llmResponseModel, stays},
		{"llm.request.model_name", llmRequestModelName, stays},
		{"llm.response.model_name", llmResponseModelName, stays},
		{"embedding.model_name", embeddingModelName, stays},
		{"reranker.model_name", rerankerModelName, stays},
		{"llm.invocation_parameters", llmInvocationParameters, stays},
		{"llm.input_messages", llmInputMessages, shown},
		{"llm.output_messages", llmOutputMessages, shown},
		{"llm.cost.total", llmCost, stays},
	},
	prefixes: []prefix{
		{text: "llm.token_count.", group: tokenCounts},
		{text: "llm.invocation_parameters.", group: invocationParameters},
		{text: "llm.input_messages.", group: inputMessageParts, fate: shown},
		{text: "llm.output_messages.", group: outputMessageParts, fate: shown},
		{text: "llm.tools.", group: toolSchemas},
	},
}

var openInferenceTypes = map[string]model.Type{
	"LLM": model.Generation, "CHAIN": model.Chain, "RETRIEVER": model.Retriever,
	"EMBEDDING": model.Embedding, "AGENT": model.Agent, "TOOL": model.Tool,
	"GUARDRAIL": model.Guardrail, "EVALUATOR": model.Evaluator,
}

func openInferenceType(m *mapper) model.Type {
	return openInferenceTypes[m.span.attributes.get(spanKind).text]
}

// openInferenceTools reads llm.tools.N.tool.json_schema.
func openInferenceTools(m *mapper, box *toolbox) {
	a := &m.span.attributes
	if !a.hasGroup(toolSchemas) {
		return
	}
	for i := range a.list {
		if a.list[i].class.group == toolSchemas && strings.HasSuffix(a.list[i].class.name, ".tool.json_schema") {
			a.list[i].moved = box.addText(a.list[i].value.text)
		}
	}
}
