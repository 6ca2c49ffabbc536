package otlp

import (
	"slices"

	"github.com/sondehq/sonde/internal/model"
)

// typeRules decide the type of an observation: the first that yields one, else SPAN.
var typeRules = []func(*mapper) model.Type{
	oldPythonType,
	ownType,
	openInferenceType,
	operationType,
	toolType,
	modelType,
}

func (m *mapper) setType(o *model.Observation) {
	o.Type = model.Span
	for _, rule := range typeRules {
		if t := rule(m); t != "" {
			o.Type = t
			return
		}
	}
}

var ownTypes = map[string]model.Type{
	"span": model.Span, "generation": model.Generation, "event": model.Event,
	"embedding": model.Embedding, "agent": model.Agent, "tool": model.Tool, "chain": model.Chain,
	"retriever": model.Retriever, "guardrail": model.Guardrail, "evaluator": model.Evaluator,
}

// generationKeys make a generation of what Python SDKs before 3.4 called a span.
var generationKeys = []key{
	observationModel, observationCost, observationUsage, observationCompletionStart,
	observationModelParameters, observationPromptName, observationPromptVersion,
}

func oldPythonType(m *mapper) model.Type {
	if !m.scope.oldPython || m.span.attributes.get(observationType).text != "span" {
		return ""
	}
	if slices.ContainsFunc(generationKeys, m.span.attributes.has) {
		return model.Generation
	}
	return ""
}

func ownType(m *mapper) model.Type {
	return ownTypes[m.span.attributes.get(observationType).text]
}

var openInferenceTypes = map[string]model.Type{
	"LLM": model.Generation, "CHAIN": model.Chain, "RETRIEVER": model.Retriever,
	"EMBEDDING": model.Embedding, "AGENT": model.Agent, "TOOL": model.Tool,
	"GUARDRAIL": model.Guardrail, "EVALUATOR": model.Evaluator,
}

func openInferenceType(m *mapper) model.Type {
	return openInferenceTypes[m.span.attributes.get(spanKind).text]
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

var generationModelKeys = []key{
	observationModel, genAIRequestModel, genAIResponseModel, llmModelName, plainModel,
}

func modelType(m *mapper) model.Type {
	if m.firstText(generationModelKeys) != "" {
		return model.Generation
	}
	return ""
}

// setName takes the span's name, except that a tool has its own.
func (m *mapper) setName(o *model.Observation) {
	if o.Type == model.Tool {
		o.Name = m.text(&m.span.attributes, genAIToolName)
	}
	if o.Name == "" {
		o.Name = m.span.name
	}
}
