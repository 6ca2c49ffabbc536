package otlp

import "github.com/sondehq/sonde/internal/model"

const (
	genkitName = genkitKeys + iota
	genkitSubtype
	genkitInput
	genkitOutput

	genkitKeyCount = iota
)

var genkitVocabulary = vocabulary{
	of: genkit, scope: "genkit-tracer",
	words: []word{
		{"genkit:name", genkitName, stays},
		{"genkit:metadata:subtype", genkitSubtype, stays},
		{"genkit:input", genkitInput, shown},
		{"genkit:output", genkitOutput, shown},
	},
}

var genkitTypes = map[string]model.Type{
	"model": model.Generation, "background-model": model.Generation, "embedder": model.Embedding,
	"tool": model.Tool, "tool.v2": model.Tool, "retriever": model.Retriever, "evaluator": model.Evaluator,
}

func genkitType(m *mapper) model.Type {
	return genkitTypes[m.span.attributes.get(genkitSubtype).text]
}

// genkitModel is the name of a span that calls a model.
func genkitModel(m *mapper) string {
	if t := genkitType(m); t != model.Generation && t != model.Embedding {
		return ""
	}
	return m.text(&m.span.attributes, genkitName)
}

// genkitPart takes one member of a request or response; a span that calls no model has other ones.
func genkitPart(k key, name string) func(*mapper) string {
	return func(m *mapper) string {
		text := m.text(&m.span.attributes, k)
		if part := jsonAt(text, name); part != "" {
			return part
		}
		return text
	}
}

func genkitParameters(m *mapper) string {
	return m.parameters(jsonAt(m.text(&m.span.attributes, genkitInput), "config"))
}

// genkitUsage reads the usage of the response. Output contains thoughts.
func genkitUsage(m *mapper) (map[string]uint64, bool) {
	part := jsonAt(m.text(&m.span.attributes, genkitOutput), "usage")
	var d details
	in, hasIn := number(jsonAt(part, "inputTokens"))
	out, hasOut := number(jsonAt(part, "outputTokens"))
	thoughts, hasThoughts := number(jsonAt(part, "thoughtsTokens"))
	if hasIn {
		d.set("input", in)
	}
	if hasOut {
		d.set("output", less(out, thoughts))
	}
	if hasThoughts {
		d.set("output_reasoning", thoughts)
	}
	if all, ok := number(jsonAt(part, "totalTokens")); ok {
		d.set(total, all)
	}
	return d.withTotal(), d != nil
}
