package otlp

// OpenLLMetry of Traceloop. Its older versions write messages as indexed keys, and so do others
// that follow them (LiteLLM).
const (
	entityInput = traceloopKeys + iota
	entityOutput
	genAIPrompt
	genAICompletion

	traceloopKeyCount = iota
)

var traceloopVocabulary = vocabulary{
	of: traceloop,
	words: []word{
		{"traceloop.entity.input", entityInput, shown},
		{"traceloop.entity.output", entityOutput, shown},
		{"gen_ai.prompt", genAIPrompt, shown},
		{"gen_ai.completion", genAICompletion, shown},
		// Of the GenAI registry: the name of a prompt template, not a part of a prompt.
		{"gen_ai.prompt.name", unknown, plainName},
	},
	prefixes: []prefix{
		{text: "gen_ai.prompt.", group: promptParts, fate: shown},
		{text: "gen_ai.completion.", group: completionParts, fate: shown},
	},
}
