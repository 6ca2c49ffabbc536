package otlptest

import (
	"encoding/json"
	"slices"
	"strings"
)

// Conventions are the ways of speaking that golden data is counted by, in the order of a report.
// Those without golden data of their own are there to show that.
var Conventions = []string{
	own, plain, genAI, genAIEvents, openInference, traceloop, aiSDK, aiSDK7, pydanticAI, "MLflow", openLIT, liteLLM,
	adk, "Genkit", "LiveKit", "Flue", "Semantic Kernel", "OpenRouter", "several at once", Batches,
}

// Batches is what SDKs spoke before OTLP.
const Batches = "JSON batches of older SDKs"

const (
	own           = "Langfuse attributes"
	plain         = "plain OpenTelemetry"
	genAI         = "OpenTelemetry GenAI"
	genAIEvents   = "OpenTelemetry GenAI, events"
	openInference = "OpenInference"
	traceloop     = "OpenLLMetry (Traceloop)"
	aiSDK         = "Vercel AI SDK"
	aiSDK7        = "Vercel AI SDK 7, GenAI"
	pydanticAI    = "Pydantic AI, Logfire"
	openLIT       = "OpenLIT"
	liteLLM       = "LiteLLM"
	adk           = "Google ADK"
)

// scopes tell the convention of a span by its instrumentation scope.
var scopes = map[string]string{
	"langfuse-sdk": own, "my.app": plain, "my-http": plain, "opentelemetry.instrumentation.httpx": plain,
	"opentelemetry.util.genai.handler": genAI, "opentelemetry.instrumentation.openai_v2": genAI,
	"openinference.instrumentation.openai": openInference, "@arizeai/openinference-instrumentation-openai": openInference,
	"opentelemetry.instrumentation.openai.v1": traceloop, "@traceloop/instrumentation-openai": traceloop,
	"ai": aiSDK, "gen_ai": aiSDK7, "pydantic-ai": pydanticAI, "openlit.instrumentation.openai": openLIT, "litellm": liteLLM,
	"gcp.vertex.agent": adk, "genkit-tracer": "Genkit", "livekit-agents": "LiveKit", "@flue/opentelemetry": "Flue",
}

// foreignCases are the cases whose scope says nothing, by what their attributes speak.
var foreignCases = map[string]string{
	plain:             "M41 M42 M43 M44 M45 M46 M49 M52 M54 M58 M62 M78 M79",
	own:               "M50 M51 M53 M55 M56 M57 M59 M60 M63 M64 M65 M66 M67 M68 M69 M72",
	genAI:             "M18 M19 M20 M21 M22 M23 M24 M25 M26 M27 M28 M29 M34 M61 M87 M88 M94 M96 M97 M104 M106 M109 M112 M118 M120",
	genAIEvents:       "M81 M82 M83",
	openInference:     "M13 M14 M15 M16 M17 M32 M85 M86 M99 M105 M113",
	traceloop:         "M84 M91 M95",
	aiSDK:             "M77",
	pydanticAI:        "M93",
	"MLflow":          "M90",
	"several at once": "M30 M31 M80",
}

// Convention is the one that the case is about.
func (c Case) Convention() string {
	var spans []struct {
		ScopeSpans []struct{ Scope struct{ Name string } }
	}
	if err := json.Unmarshal(c.ResourceSpans, &spans); err != nil {
		panic("golden case " + c.ID)
	}
	if known := scopes[spans[0].ScopeSpans[0].Scope.Name]; known != "" {
		return known
	}
	for convention, ids := range foreignCases {
		if slices.Contains(strings.Fields(ids), c.ID) {
			return convention
		}
	}
	panic("golden case " + c.ID + " belongs to no convention")
}

// usageSpeakers tell the convention of a usage fixture by the beginning of its id.
var usageSpeakers = map[string]string{
	"otel-genai": genAI, "provided-cost": genAI, "openinference": openInference, "openllmetry": traceloop, "openlit": openLIT,
	"pydantic-ai": pydanticAI, "ai-sdk-legacy": aiSDK, "ai-sdk-7": aiSDK7, "genkit": "Genkit",
}

// Convention is the one that carries the usage; what providers write comes in our own attribute.
func (c UsageCase) Convention() string {
	if c.Channel == "usage_details" {
		return own
	}
	for beginning, convention := range usageSpeakers {
		if strings.HasPrefix(c.ID, beginning) {
			return convention
		}
	}
	panic("usage fixture " + c.ID + " belongs to no convention")
}

// Convention is the one of a golden row of a capture.
func (r Row) Convention() string {
	scope, named := r["scopeName"].(string)
	if !named {
		return own // rows of older SDKs leave their scope out
	}
	if known := scopes[scope]; known != "" {
		return known
	}
	panic("scope " + scope + " belongs to no convention")
}

// Columns are what fields are counted under, in the order of a report.
var Columns = []string{
	"tree", "type", "name", "times", "level", "input", "output", "model", "parameters", "usage", "cost",
	"user, session, tags", "release", "metadata", "prompt", "tools", "experiment",
}

var columns = map[string]string{
	"id": "tree", "traceId": "tree", "parentObservationId": "tree", "isRootObservation": "tree", "isAppRoot": "tree",
	"type": "type", "name": "name", "startTime": "times", "endTime": "times", "completionStartTime": "times",
	"level": "level", "statusMessage": "level", "input": "input", "inputBeforeTools": "input", "output": "output",
	"model": "model", "modelParameters": "parameters", "usageDetails": "usage", "providedUsageDetails": "usage",
	"costDetails": "cost", "providedCostDetails": "cost",
	"userId": "user, session, tags", "sessionId": "user, session, tags", "tags": "user, session, tags",
	"traceName": "user, session, tags", "shownTraceName": "user, session, tags",
	"release": "release", "version": "release", "environment": "release", "public": "release",
	"metadata": "metadata", "metadataFlat": "metadata", "metadataBuckets": "metadata",
	"scopeName": "metadata", "scopeVersion": "metadata", "serviceName": "metadata",
	"promptName": "prompt", "promptVersion": "prompt",
	"toolDefinitions": "tools", "toolCalls": "tools", "toolCallNames": "tools",
}

// Column is what a field of a row is counted under.
func Column(field string) string {
	if strings.HasPrefix(field, "experiment") {
		return "experiment"
	}
	column := columns[field]
	if column == "" {
		panic("field " + field + " is counted nowhere")
	}
	return column
}
