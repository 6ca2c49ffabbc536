package otlp

import "strings"

// key names an attribute that some rule reads. A span holds one slot per key, so that rules look
// attributes up by number.
type key uint8

const (
	unknown key = iota

	// langfuse.* and sonde.*.
	observationType
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

	// ai.telemetry.metadata.*.
	telemetryUser
	telemetrySession
	telemetryTags

	// OpenTelemetry and others.
	userID
	sessionID
	deploymentEnvironmentName
	deploymentEnvironment
	serviceName
	serviceVersion
	sdkLanguage
	spanKind
	tagTags
	inputValue
	outputValue
	plainInput
	plainOutput
	mlflowInputs
	mlflowOutputs
	entityInput
	entityOutput
	toolArguments
	toolResponse
	genAIInputMessages
	genAIOutputMessages
	genAIToolArguments
	genAIToolResult
	genAIToolName
	genAIToolCallID
	genAIOperation
	genAIConversation
	genAIRequestModel
	genAIResponseModel
	aiModelID
	llmModelName
	llmResponseModel
	llmRequestModelName
	llmResponseModelName
	embeddingModelName
	rerankerModelName
	plainModel

	keyCount
)

// The two spellings of our own attributes are equal; sonde. wins where a span carries both.
const (
	langfusePrefix = "langfuse."
	sondePrefix    = "sonde."
)

// vendorKeys are spelled without langfuse. or sonde.
var vendorKeys = map[string]key{
	"observation.type":                  observationType,
	"observation.input":                 observationInput,
	"observation.output":                observationOutput,
	"observation.level":                 observationLevel,
	"observation.status_message":        observationStatusMessage,
	"observation.completion_start_time": observationCompletionStart,
	"observation.model.name":            observationModel,
	"observation.model.parameters":      observationModelParameters,
	"observation.usage_details":         observationUsage,
	"observation.cost_details":          observationCost,
	"observation.prompt.name":           observationPromptName,
	"observation.prompt.version":        observationPromptVersion,
	"observation.metadata":              observationMetadata,
	"trace.name":                        traceName,
	"trace.tags":                        traceTags,
	"trace.public":                      tracePublic,
	"trace.input":                       traceInput,
	"trace.output":                      traceOutput,
	"trace.metadata":                    traceMetadata,
	"metadata":                          plainMetadata,
	"tags":                              plainTags,
	"public":                            plainPublic,
	"prompt.name":                       plainPromptName,
	"prompt.version":                    plainPromptVersion,
	"user.id":                           vendorUser,
	"session.id":                        vendorSession,
	"version":                           vendorVersion,
	"release":                           vendorRelease,
	"environment":                       vendorEnvironment,
	"internal.is_app_root":              appRoot,
	"internal.as_root":                  asRoot,
}

var plainKeys = map[string]key{
	"user.id":                     userID,
	"session.id":                  sessionID,
	"deployment.environment.name": deploymentEnvironmentName,
	"deployment.environment":      deploymentEnvironment,
	"service.name":                serviceName,
	"service.version":             serviceVersion,
	"telemetry.sdk.language":      sdkLanguage,
	"openinference.span.kind":     spanKind,
	"tag.tags":                    tagTags,
	"input.value":                 inputValue,
	"output.value":                outputValue,
	"input":                       plainInput,
	"output":                      plainOutput,
	"mlflow.spanInputs":           mlflowInputs,
	"mlflow.spanOutputs":          mlflowOutputs,
	"traceloop.entity.input":      entityInput,
	"traceloop.entity.output":     entityOutput,
	"tool_arguments":              toolArguments,
	"tool_response":               toolResponse,
	"gen_ai.input.messages":       genAIInputMessages,
	"gen_ai.output.messages":      genAIOutputMessages,
	"gen_ai.tool.call.arguments":  genAIToolArguments,
	"gen_ai.tool.call.result":     genAIToolResult,
	"gen_ai.tool.name":            genAIToolName,
	"gen_ai.tool.call.id":         genAIToolCallID,
	"gen_ai.operation.name":       genAIOperation,
	"gen_ai.conversation.id":      genAIConversation,
	"gen_ai.request.model":        genAIRequestModel,
	"gen_ai.response.model":       genAIResponseModel,
	"ai.model.id":                 aiModelID,
	"llm.model_name":              llmModelName,
	"llm.response.model":          llmResponseModel,
	"llm.request.model_name":      llmRequestModelName,
	"llm.response.model_name":     llmResponseModelName,
	"embedding.model_name":        embeddingModelName,
	"reranker.model_name":         rerankerModelName,
	"model":                       plainModel,
}

// The attributes below these prefixes are metadata, named by what follows the prefix.
// metadataKeys are names that rules read besides.
const (
	observationMetadataPrefix = "observation.metadata."
	traceMetadataPrefix       = "trace.metadata."
	plainMetadataPrefix       = "metadata."
	telemetryMetadataPrefix   = "ai.telemetry.metadata."
)

var (
	observationMetadataKeys = map[string]key{
		"langfuse_user_id":    observationMetadataUser,
		"langfuse_session_id": observationMetadataSession,
		"langfuse_tags":       observationMetadataTags,
	}
	traceMetadataKeys = map[string]key{
		"langfuse_user_id":    traceMetadataUser,
		"langfuse_session_id": traceMetadataSession,
		"langfuse_tags":       traceMetadataTags,
	}
	telemetryKeys = map[string]key{
		"userId":    telemetryUser,
		"sessionId": telemetrySession,
		"tags":      telemetryTags,
	}
)

// domain says whose metadata an attribute is; plain metadata is both.
type domain uint8

const (
	ofObservation domain = 1 << iota
	ofTrace
)

// class is what is known about an attribute from its name alone.
type class struct {
	key      key
	sonde    bool // spelled sonde.
	domain   domain
	name     string // of metadata: what follows the prefix
	consumed bool   // shown elsewhere, so not among the attributes in the metadata
}

// classify recognizes an attribute by its name.
func classify(name string) class {
	if rest, ok := strings.CutPrefix(name, langfusePrefix); ok {
		return classifyVendor(rest, false)
	}
	if rest, ok := strings.CutPrefix(name, sondePrefix); ok {
		return classifyVendor(rest, true)
	}
	if rest, ok := strings.CutPrefix(name, telemetryMetadataPrefix); ok && rest != "" {
		if k := telemetryKeys[rest]; k != unknown {
			return class{key: k, consumed: true}
		}
		return class{domain: ofObservation | ofTrace, name: rest, consumed: true}
	}
	k := plainKeys[name]
	return class{key: k, consumed: consumed[k]}
}

func classifyVendor(rest string, sonde bool) class {
	if name, ok := strings.CutPrefix(rest, observationMetadataPrefix); ok && name != "" {
		return class{observationMetadataKeys[name], sonde, ofObservation, name, true}
	}
	if name, ok := strings.CutPrefix(rest, traceMetadataPrefix); ok && name != "" {
		return class{traceMetadataKeys[name], sonde, ofTrace, name, true}
	}
	if name, ok := strings.CutPrefix(rest, plainMetadataPrefix); ok && name != "" {
		return class{unknown, sonde, ofObservation | ofTrace, name, false}
	}
	k := vendorKeys[rest]
	return class{key: k, sonde: sonde, consumed: consumed[k]}
}

// consumed are the keys shown elsewhere: input, output and metadata.
var consumed = func() (set [keyCount]bool) {
	for _, s := range ioSources {
		set[s.input], set[s.output] = true, true
	}
	for _, k := range []key{traceInput, traceOutput, observationMetadata, traceMetadata} {
		set[k] = true
	}
	return set
}()
