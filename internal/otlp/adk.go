package otlp

// Google's Agent Development Kit.
const (
	adkRequest = adkKeys + iota
	adkResponse
	adkToolArguments
	adkToolResponse

	adkKeyCount = iota
)

var adkVocabulary = vocabulary{
	of: adk,
	words: []word{
		{"gcp.vertex.agent.llm_request", adkRequest, shown},
		{"gcp.vertex.agent.llm_response", adkResponse, shown},
		{"gcp.vertex.agent.tool_call_args", adkToolArguments, shown},
		{"gcp.vertex.agent.tool_response", adkToolResponse, shown},
	},
}

// adkText takes the call of a tool where that of a model is empty, as it is on spans of tools.
func adkText(llm, tool key) func(*mapper) string {
	return func(m *mapper) string {
		a := &m.span.attributes
		if text := m.text(a, llm); text != "" && text != "{}" {
			return text
		}
		if text := m.text(a, tool); text != "" {
			return text
		}
		return m.text(a, llm)
	}
}

// adkCached is the count of cached tokens, which stands in the response only.
func (m *mapper) adkCached() (float64, bool) {
	response := m.text(&m.span.attributes, adkResponse)
	return number(jsonAt(response, "usage_metadata", "cached_content_token_count"))
}
