package otlp

import (
	"slices"

	"github.com/sondehq/sonde/internal/model"
)

// Our own attributes, which the SDKs write. They are spelled langfuse.* or sonde.*.
const (
	observationType = ownKeys + iota
	observationInput
	observationOutput
	observationLevel
	observationStatusMessage
	observationCompletionStart
	observationModel
	observationModelParameters
	observationUsage
	observationCost
	observationPromptName
	observationPromptVersion
	observationMetadata
	traceName
	traceTags
	tracePublic
	traceInput
	traceOutput
	traceMetadata
	plainMetadata
	plainTags
	plainPublic
	plainPromptName
	plainPromptVersion
	vendorUser
	vendorSession
	vendorVersion
	vendorRelease
	vendorEnvironment
	appRoot
	asRoot

	// Found below a metadata prefix; they stay metadata.
	observationMetadataUser
	observationMetadataSession
	observationMetadataTags
	traceMetadataUser
	traceMetadataSession
	traceMetadataTags

	ownKeyCount = iota
)

// ownVocabulary is spelled without langfuse. or sonde.
var ownVocabulary = vocabulary{
	of: own,
	words: []word{
		{"observation.type", observationType, stays},
		{"observation.input", observationInput, shown},
		{"observation.output", observationOutput, shown},
		{"observation.level", observationLevel, stays},
		{"observation.status_message", observationStatusMessage, stays},
		{"observation.completion_start_time", observationCompletionStart, stays},
		{"observation.model.name", observationModel, stays},
		{"observation.model.parameters", observationModelParameters, stays},
		{"observation.usage_details", observationUsage, stays},
		{"observation.cost_details", observationCost, stays},
		{"observation.prompt.name", observationPromptName, stays},
		{"observation.prompt.version", observationPromptVersion, stays},
		{"observation.metadata", observationMetadata, shown},
		{"trace.name", traceName, stays},
		{"trace.tags", traceTags, stays},
		{"trace.public", tracePublic, stays},
		{"trace.input", traceInput, shown},
		{"trace.output", traceOutput, shown},
		{"trace.metadata", traceMetadata, shown},
		{"metadata", plainMetadata, stays},
		{"tags", plainTags, stays},
		{"public", plainPublic, stays},
		{"prompt.name", plainPromptName, stays},
		{"prompt.version", plainPromptVersion, stays},
		{"user.id", vendorUser, stays},
		{"session.id", vendorSession, stays},
		{"version", vendorVersion, stays},
		{"release", vendorRelease, stays},
		{"environment", vendorEnvironment, stays},
		{"internal.is_app_root", appRoot, stays},
		{"internal.as_root", asRoot, stays},
		{"observation.metadata.langfuse_user_id", observationMetadataUser, shown},
		{"observation.metadata.langfuse_session_id", observationMetadataSession, shown},
		{"observation.metadata.langfuse_tags", observationMetadataTags, shown},
		{"trace.metadata.langfuse_user_id", traceMetadataUser, shown},
		{"trace.metadata.langfuse_session_id", traceMetadataSession, shown},
		{"trace.metadata.langfuse_tags", traceMetadataTags, shown},
	},
	prefixes: []prefix{
		{text: "observation.metadata.", domain: ofObservation, fate: shown},
		{text: "trace.metadata.", domain: ofTrace, fate: shown},
		{text: "metadata.", domain: ofObservation | ofTrace},
	},
}

// inMetadata reports whether k stands in metadata, where clients encode strings as JSON.
func inMetadata(k key) bool { return k >= observationMetadataUser && k <= traceMetadataTags }

var ownTypes = map[string]model.Type{
	"span": model.Span, "generation": model.Generation, "event": model.Event,
	"embedding": model.Embedding, "agent": model.Agent, "tool": model.Tool, "chain": model.Chain,
	"retriever": model.Retriever, "guardrail": model.Guardrail, "evaluator": model.Evaluator,
}

func ownType(m *mapper) model.Type {
	return ownTypes[m.span.attributes.get(observationType).text]
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

// ownPrompt reads the link to a prompt.
func ownPrompt(m *mapper) (name, version string) {
	a := &m.span.attributes
	if name = m.text(a, observationPromptName); name == "" {
		name = m.text(a, plainPromptName)
	}
	if version = m.text(a, observationPromptVersion); version == "" {
		version = m.text(a, plainPromptVersion)
	}
	return name, version
}
