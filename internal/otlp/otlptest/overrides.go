package otlptest

// zeroCostFixture expects a provided cost of zero to stand; ignoring a zero beside usage is adopted.
const zeroCostFixture = "openlit-zero-cost"

// caseOverrides are fields of cases where a usage fixture says more than the observation.
var caseOverrides = []struct {
	id, key string
	want    any
	reason  string
}{
	{
		"M103", "providedUsageDetails",
		map[string]any{"input": 20.0, "output": 5.0, "total": 25.0},
		"fixture openai-chat-extra-keys: further keys beside the shape of OpenAI do not disqualify it",
	},
	{
		"M105", "providedUsageDetails",
		map[string]any{
			"input": 11.0, "output": 3.0, "total": 25.0, "input_cached_tokens": 8.0, "input_audio_tokens": 1.0, "output_reasoning_tokens": 2.0,
		},
		"fixture openinference-audio: prompt_details.audio is a part of the input",
	},
}

// captureOverride changes fields of a recorded row that the contract or an adopted proposal overrides.
type captureOverride struct {
	capture string
	id      string // of the row
	key     string
	reason  string
	want    any
	rename  string // compare under this key instead
	member  string // change this member of a map instead
}

var captureOverrides = []captureOverride{
	{
		capture: "aisdk_genai", id: "15ce3bec10119b7a", key: "completionStartTime", want: "2026-11-14T22:35:19.610Z",
		reason: "the time to the first chunk is mapped",
	},
	{capture: "aisdk_genai", id: "46bf0686cd1fc07a", key: "toolCallNames", want: []any{"weather"}, reason: partsAreCalls},
	{capture: "openai_traceloop", id: "e13a9df9f64dad2b", key: "toolCallNames", want: []any{"get_weather"}, reason: partsAreCalls},
	{
		capture: "py5_basic", id: "7a487fe00e86dc37", key: "metadata", member: "metadata", want: "just text",
		reason: "metadata that is no object is kept under the key metadata",
	},
	{capture: "aisdk_legacy", id: "f84d44bade0d1af7", key: "providedUsageDetails", reason: noWrapperUsage},
	{capture: "aisdk_legacy", id: "33b91fa295f01bb7", key: "providedUsageDetails", reason: noWrapperUsage},
	{capture: "aisdk_legacy", id: "07062fdda864ef4c", key: "providedUsageDetails", reason: noWrapperUsage},
	{
		capture: "py5_litellm", id: "d38cf103ec22b39f", key: "input", reason: "a missing side is filled from the next source",
		want: `[{"role":"system","parts":[{"type":"text","content":"sys"}]},{"role":"user","parts":[{"type":"text","content":"hi"}]}]`,
	},
	{capture: "py5_litellm", id: "d38cf103ec22b39f", key: "providedCostDetails", want: litellmCost, reason: "gen_ai.cost.* is mapped"},
	{capture: "py5_litellm", id: "665b967b9c60a838", key: "providedCostDetails", want: litellmCost, reason: "gen_ai.cost.* is mapped"},
	{
		capture: "py5_openinference", id: "9b477ca92e90fedf", key: "completionStartTime", want: "2026-11-14T23:46:33.330Z",
		reason: "the event First Token Stream Event is mapped",
	},
	{
		capture: "py5_openlit", id: "7dc7b7d86ae43e58", key: "name", want: "chat gpt-4o",
		reason: "gen_ai.tool.name names tools only",
	},
	{capture: "py5_openlit", id: "7dc7b7d86ae43e58", key: "providedCostDetails", reason: noZeroCost},
	{capture: "py5_openlit", id: "ebfb6bbdc3459763", key: "providedCostDetails", reason: noZeroCost},
	{capture: "py5_openlit", id: "f82454f6f362d734", key: "providedCostDetails", reason: noZeroCost},
	{capture: "py5_openlit", id: "cb6ba0020855b37d", key: "providedCostDetails", reason: noZeroCost},
	{capture: "py5_openlit", id: "906eff5b4c8f61b0", key: "providedCostDetails", reason: noZeroCost},
	{capture: "py5_openlit", id: "cb6ba0020855b37d", key: "providedUsageDetails", want: openlitUsage(false), reason: reasoningIsOutput},
	{capture: "py5_openlit", id: "cb6ba0020855b37d", key: "usageDetails", want: openlitUsage(true), reason: reasoningIsOutput},
	{capture: "py5_traceloop", id: "38e7236aa45863dc", key: "providedUsageDetails", want: traceloopUsage, reason: reasoningIsOutput},
	{capture: "py5_traceloop", id: "38e7236aa45863dc", key: "usageDetails", want: traceloopUsage, reason: reasoningIsOutput},
	{capture: "py5_traceloop", id: "c7a33d1f4b3e722e", key: "providedUsageDetails", want: traceloopUsage, reason: reasoningIsOutput},
	{capture: "py5_traceloop", id: "c7a33d1f4b3e722e", key: "usageDetails", want: traceloopUsage, reason: reasoningIsOutput},
	{capture: "py5_traceloop", id: "90c88a88bc2cccea", key: "providedUsageDetails", want: traceloopUsage, reason: reasoningIsOutput},
	{capture: "py5_traceloop", id: "90c88a88bc2cccea", key: "usageDetails", want: traceloopUsage, reason: reasoningIsOutput},
	{capture: "py5_pydantic_ai", id: "79a47e20381d0a65", key: "input", rename: "inputBeforeTools", reason: toolsMoved},
	{capture: "py5_pydantic_ai", id: "d2629537bd84b72d", key: "input", rename: "inputBeforeTools", reason: toolsMoved},
	{capture: "py5_traceloop", id: "38e7236aa45863dc", key: "input", rename: "inputBeforeTools", reason: toolsMoved},
	{capture: "py5_traceloop", id: "c7a33d1f4b3e722e", key: "input", rename: "inputBeforeTools", reason: toolsMoved},
}

const (
	noWrapperUsage    = "spans around model calls and tool calls have no usage of their own"
	noZeroCost        = "a cost of zero beside usage is one that the instrumentation does not know"
	reasoningIsOutput = "fixture openllmetry-python: reasoning_tokens is a part of the output"
	partsAreCalls     = "parts of the type tool_call are tool calls"
	toolsMoved        = "the file has the text before definitions of tools are merged into it"
)

var (
	litellmCost    = map[string]any{"input": 0.00004, "output": 0.00005, "total": 0.00009}
	traceloopUsage = map[string]any{
		"input": 12.0, "output": 3.0, "total": 25.0, "input_cached_tokens": 8.0, "output_reasoning_tokens": 2.0,
	}
)

func openlitUsage(withTotal bool) map[string]any {
	details := map[string]any{
		"input": 12.0, "output": 3.0, "input_cached_tokens": 8.0, "input_cache_creation": 0.0, "output_reasoning_tokens": 2.0,
	}
	if withTotal {
		details["total"] = 25.0
	}
	return details
}

// override applies what overrides a row of a capture.
func override(capture string, row Row) {
	for _, o := range captureOverrides {
		if o.capture != capture || o.id != row["id"] {
			continue
		}
		if o.member != "" {
			row[o.key].(map[string]any)[o.member] = o.want
			continue
		}
		if o.rename != "" {
			row[o.rename] = row[o.key]
			delete(row, o.key)
			continue
		}
		row[o.key] = o.want
	}
}
