package otlp

// aiParts are counts that providers report beside those of the AI SDK. All but the predictions are
// contained in input or output.
var aiParts = []struct {
	path   []string
	name   string
	within string // the count that contains it
}{
	{path: []string{"openai", "cachedPromptTokens"}, name: "input_cached_tokens", within: "input"},
	{path: []string{"openai", "acceptedPredictionTokens"}, name: "accepted_prediction_tokens"},
	{path: []string{"openai", "rejectedPredictionTokens"}, name: "rejected_prediction_tokens"},
	{path: []string{"openai", "reasoningTokens"}, name: "output_reasoning_tokens", within: "output"},
	{path: []string{"anthropic", "usage", "cache_read_input_tokens"}, name: "input_cached_tokens", within: "input"},
	{path: []string{"anthropic", "usage", "cache_creation_input_tokens"}, name: "input_cache_creation", within: "input"},
	{path: []string{"anthropic", "usage", "cache_creation", "ephemeral_5m_input_tokens"}, name: "input_cache_creation_5m", within: "input"},
	{path: []string{"anthropic", "usage", "cache_creation", "ephemeral_1h_input_tokens"}, name: "input_cache_creation_1h", within: "input"},
	{path: []string{"bedrock", "usage", "cacheReadInputTokens"}, name: "input_cache_read", within: "input"},
	{path: []string{"bedrock", "usage", "cacheWriteInputTokens"}, name: "input_cache_write", within: "input"},
	{path: []string{"bedrock", "usage", "cacheCreationInputTokens"}, name: "input_cache_creation", within: "input"},
}

// aiSDKUsage reads the usage of a model call. The spans around calls repeat the sum of them, so
// they have none.
func aiSDKUsage(m *mapper) (map[string]uint64, bool) {
	if m.scope.of&aiSDK == 0 {
		return nil, false
	}
	operation := m.aiSDKOperation()
	if operation != "" && aiSDKCalls[operation] == "" {
		return nil, true
	}
	in, hasIn := m.firstCount("prompt_tokens", "input_tokens")
	out, hasOut := m.firstCount("completion_tokens", "output_tokens")
	all, hasAll := m.numberIn(aiTokens)
	if operation != "" {
		in, hasIn = m.elseNumber(in, hasIn, aiInputTokens, aiPromptTokens)
		out, hasOut = m.elseNumber(out, hasOut, aiOutputTokens, aiCompletionTokens)
	}
	if !hasIn && !hasOut && (!hasAll || operation == "") {
		return nil, true
	}
	d, inParts, outParts := m.aiSDKParts()
	d.set("input", less(in, inParts))
	d.set("output", less(out, outParts))
	if hasAll {
		d.set(total, all)
	}
	return d.withTotal(), true
}

// elseNumber keeps a number that was found, and looks for another one otherwise.
func (m *mapper) elseNumber(n float64, found bool, keys ...key) (float64, bool) {
	for _, k := range keys {
		if !found {
			n, found = m.numberIn(k)
		}
	}
	return n, found
}

// aiSDKParts reads the parts of input and output, and adds them up.
func (m *mapper) aiSDKParts() (d details, in, out float64) {
	if n, ok := m.numberIn(aiCachedTokens); ok {
		d.set("input_cached_tokens", n)
	}
	if n, ok := m.numberIn(aiReasoningTokens); ok {
		d.set("output_reasoning_tokens", n)
	}
	provider := m.text(&m.span.attributes, aiProviderMetadata)
	for _, part := range aiParts {
		if n, ok := number(jsonAt(provider, part.path...)); ok {
			d.set(part.name, n)
		}
	}
	if lasting := d["input_cache_creation_5m"] + d["input_cache_creation_1h"]; lasting > 0 {
		d.set("input_cache_creation", max(0, float64(d["input_cache_creation"])-float64(lasting)))
	}
	for name, n := range d {
		switch partOf(name) {
		case "input":
			in += float64(n)
		case "output":
			out += float64(n)
		}
	}
	return d, in, out
}

func partOf(name string) string {
	if name == "output_reasoning_tokens" {
		return "output"
	}
	for _, part := range aiParts {
		if part.name == name {
			return part.within
		}
	}
	return ""
}
