package otlp

// LiteLLM's own exporter: GenAI names, and costs of its own.
const (
	litellmTotalCost = litellmKeys + iota
	litellmInputCost
	litellmOutputCost

	litellmKeyCount = iota
)

var litellmVocabulary = vocabulary{
	of: litellm,
	words: []word{
		{"gen_ai.cost.total_cost", litellmTotalCost, stays},
		{"gen_ai.cost.input_cost", litellmInputCost, stays},
		{"gen_ai.cost.output_cost", litellmOutputCost, stays},
	},
}

func litellmCost(m *mapper) costs {
	var c costs
	for _, part := range [...]struct {
		name string
		key  key
	}{{"input", litellmInputCost}, {"output", litellmOutputCost}, {total, litellmTotalCost}} {
		if d, ok := m.amountIn(part.key); ok {
			if c == nil {
				c = make(costs, 3)
			}
			c[part.name] = d
		}
	}
	return c
}
