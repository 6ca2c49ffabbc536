package otlp

import "github.com/sondehq/sonde/internal/model"

// convention is a way to say things in a span; values are added up to sets of them. A rule is only
// asked about spans in which its convention occurs.
type convention uint32

const (
	own           convention = 1 << iota // langfuse.* and sonde.*, what the SDKs write
	experiments                          // the same, on spans that run an experiment
	common                               // OpenTelemetry's own names, and names that belong to nobody
	genAI                                // OpenTelemetry GenAI: Traceloop, OpenLIT, AI SDK 7, Semantic Kernel
	genAIEvents                          // the same, told by span events
	openInference                        // Arize; smolagents
	traceloop                            // OpenLLMetry
	aiSDK                                // Vercel AI SDK, its own names
	logfire                              // Pydantic AI and Logfire
	mlflow
	litellm
	adk // Google ADK
	genkit
	flue
	livekit

	always convention = 0 // for rules that do not belong to one
)

// Numbers of keys: those of a convention begin where those of the one above end.
const (
	ownKeys           = unknown + 1
	experimentKeys    = ownKeys + ownKeyCount
	commonKeys        = experimentKeys + experimentKeyCount
	genAIKeys         = commonKeys + commonKeyCount
	openInferenceKeys = genAIKeys + genAIKeyCount
	traceloopKeys     = openInferenceKeys + openInferenceKeyCount
	aiSDKKeys         = traceloopKeys + traceloopKeyCount
	logfireKeys       = aiSDKKeys + aiSDKKeyCount
	mlflowKeys        = logfireKeys + logfireKeyCount
	litellmKeys       = mlflowKeys + mlflowKeyCount
	adkKeys           = litellmKeys + litellmKeyCount
	genkitKeys        = adkKeys + adkKeyCount
	flueKeys          = genkitKeys + genkitKeyCount
	livekitKeys       = flueKeys + flueKeyCount
	keyCount          = livekitKeys + livekitKeyCount
)

// vocabularies are the names of every convention but our own.
var vocabularies = []vocabulary{
	commonVocabulary, genAIVocabulary, openInferenceVocabulary, traceloopVocabulary, aiSDKVocabulary,
	logfireVocabulary, mlflowVocabulary, litellmVocabulary, adkVocabulary, genkitVocabulary,
	flueVocabulary, livekitVocabulary,
}

// Which rule wins: the tables below are the one place that says so. Of each, the first rule that
// yields something counts.

// What a span says about its trace: the first attribute that has something. Environments are looked
// for on the span first, then on the resource.
var (
	userKeys    = []key{vendorUser, userID, observationMetadataUser, traceMetadataUser, telemetryUser}
	sessionKeys = []key{
		vendorSession, sessionID, genAIConversation, observationMetadataSession, traceMetadataSession, telemetrySession,
	}
	tagKeys         = []key{traceTags, plainTags, observationMetadataTags, traceMetadataTags, telemetryTags, tagTags}
	environmentKeys = []key{vendorEnvironment, deploymentEnvironmentName, deploymentEnvironment}
	publicKeys      = []key{tracePublic, plainPublic}
)

// typeRules decide the type of an observation; without a result it is a SPAN.
var typeRules = []struct {
	of   convention
	rule func(*mapper) model.Type
}{
	{own, oldPythonType},
	{own, ownType},
	{openInference, openInferenceType},
	{genAI, operationType},
	{genkit, genkitType},
	{aiSDK, aiSDKType},
	{genAI, toolType},
	{flue, flueType},
	{livekit, livekitType},
	{always, modelType},
}

// nameRules name an observation; without a result it is called like its span.
var nameRules = []struct {
	of   convention
	rule func(*mapper, model.Type) string
}{
	{genAI, toolName},
	{genkit, nameIn(genkitName)},
	{logfire, nameIn(logfireMessage)},
	{aiSDK, aiSDKName},
}

// modelSources name the model. They are not asked about spans that add up what others did.
var modelSources = []struct {
	of     convention
	source func(*mapper) string
}{
	{own, textOf(observationModel)},
	{genAI, textOf(genAIResponseModel)},
	{aiSDK, textOf(aiModelID)},
	{genAI, textOf(genAIRequestModel)},
	{openInference, firstOf(llmResponseModel, llmModelName)},
	{common, textOf(plainModel)},
	{genkit, genkitModel},
	{openInference, firstOf(embeddingModelName, llmRequestModelName, llmResponseModelName, rerankerModelName)},
}

// generationModelKeys make a generation of a span that says nothing else about its type.
var generationModelKeys = []key{
	observationModel, genAIRequestModel, genAIResponseModel, llmModelName, plainModel,
}

// levelRules are asked where neither client nor status say how bad it was.
var levelRules = []struct {
	of   convention
	rule func(*mapper) model.Level
}{
	{livekit, livekitLevel},
}

// ioSources are where input and output may stand. Each side is taken from its first source that
// has one.
var ioSources = []ioSource{
	{own, textOf(observationInput), textOf(observationOutput)},
	{genkit, genkitPart(genkitInput, "messages"), genkitPart(genkitOutput, "message")},
	{aiSDK, aiSDKInput, aiSDKOutput},
	{flue, firstOf(flueInputs...), firstOf(flueOutputs...)},
	{genAIEvents, detailsInput, detailsOutput},
	{genAIEvents, messageEvents, choiceEvents},
	{genAIEvents, eventText(promptEvent, "gen_ai.prompt"), eventText(completionEvent, "gen_ai.completion")},
	{adk, adkText(adkRequest, adkToolArguments), adkText(adkResponse, adkToolResponse)},
	{logfire, textOf(logfirePrompt), textOf(logfireAllMessages)},
	{livekit, firstOf(livekitInputs...), firstOf(livekitOutputs...)},
	{logfire, logfireEvents(false), logfireEvents(true)},
	{mlflow, textOf(mlflowInputs), textOf(mlflowOutputs)},
	{traceloop, textOf(entityInput), textOf(entityOutput)},
	{openInference, textOf(inputValue), textOf(outputValue)},
	{common, textOf(plainInput), textOf(plainOutput)},
	{logfire, withInstructions(textOf(pydanticMessages)), textOf(pydanticResult)},
	{logfire, textOf(toolArguments), textOf(toolResponse)},
	{traceloop, rebuilt(genAIPrompt, promptParts), rebuilt(genAICompletion, completionParts)},
	{openInference, rebuilt(llmInputMessages, inputMessageParts), rebuilt(llmOutputMessages, outputMessageParts)},
	{genAI, withInstructions(textOf(genAIInputMessages)), textOf(genAIOutputMessages)},
	{genAI, textOf(genAIToolArguments), textOf(genAIToolResult)},
	{genAI, textOf(genAIInstructions), nothing}, // better than to lose them
}

// parameterSources are where the parameters of a model call may stand, as a JSON object. Those of
// the AI SDK come first because our own are laid over them.
var parameterSources = []struct {
	of     convention
	source func(*mapper) string
}{
	{aiSDK, aiSDKParameters},
	{own, parametersIn(observationModelParameters)},
	{genkit, genkitParameters},
	{openInference, parametersIn(llmInvocationParameters)},
	{common, parametersIn(modelConfig)},
	{genAI | openInference, requestedParameters},
}

// usageSources are where the client may say what was consumed.
var usageSources = []struct {
	of     convention
	source func(*mapper) (details map[string]uint64, found bool)
}{
	{own, ownUsage},
	{genkit, genkitUsage},
	{aiSDK, aiSDKUsage},
	{genAI | openInference, countedUsage},
}

// costSources are where the client may say what it cost. A cost of zero beside usage is one that
// an instrumentation does not know, except where a person wrote it.
var costSources = []struct {
	of        convention
	source    func(*mapper) costs
	trustZero bool
}{
	{own, ownCost, true},
	{genAI, costIn(genAICost), false},
	{openInference, costIn(llmCost), false},
	{litellm, litellmCost, false},
}

// firstTokenSources are where the time of the first token may stand.
var firstTokenSources = []struct {
	of     convention
	source firstTokenSource
}{
	{own, ownCompletionStart},
	{aiSDK, sinceStart(aiMillisecondsToFirst, 1)},
	{aiSDK, sinceStart(aiStreamToFirst, 1)},
	{genAI, sinceStart(genAITimeToFirst, 1000)},
	{genAI, sinceStart(genAIOperationToFirst, 1000)},
	{genAIEvents, firstTokenEvent},
}

// promptSources link a generation to its prompt.
var promptSources = []struct {
	of     convention
	source func(*mapper) (name, version string)
}{
	{own, ownPrompt},
	{aiSDK, aiSDKPrompt},
}

// toolSources are attributes with definitions of tools. What they hold moves into the input.
var toolSources = []struct {
	of     convention
	source func(*mapper, *toolbox)
}{
	{aiSDK, definitionsIn(aiPromptTools)},
	{genAI, definitionsIn(genAIToolDefinitions)},
	{logfire, pydanticTools},
	{openInference, openInferenceTools},
}
