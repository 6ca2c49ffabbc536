package otlp

// Logfire, and Pydantic AI, which was made with it.
const (
	logfireMessage = logfireKeys + iota
	logfirePrompt
	logfireAllMessages
	logfireEventList
	pydanticMessages
	pydanticResult
	toolArguments
	toolResponse
	pydanticRequest

	logfireKeyCount = iota
)

var logfireVocabulary = vocabulary{
	of: logfire,
	words: []word{
		{"logfire.msg", logfireMessage, stays},
		{"prompt", logfirePrompt, shown},
		{"all_messages_events", logfireAllMessages, shown},
		{"events", logfireEventList, shown},
		{"pydantic_ai.all_messages", pydanticMessages, shown},
		{"final_result", pydanticResult, shown},
		{"tool_arguments", toolArguments, shown},
		{"tool_response", toolResponse, shown},
		{"model_request_parameters", pydanticRequest, stays},
	},
}

// logfireEvents reads events that were put into one attribute: choices are the output, all others
// the input. A single choice stands alone.
func logfireEvents(choices bool) func(*mapper) string {
	return func(m *mapper) string {
		var found []string
		ok := eachElement(m.text(&m.span.attributes, logfireEventList), func(event string) {
			if (textIn(jsonAt(event, "event.name")) == choiceEvent) == choices {
				found = append(found, event)
			}
		})
		switch {
		case !ok || len(found) == 0:
			return ""
		case choices && len(found) == 1:
			return found[0]
		}
		return joined(found)
	}
}

// pydanticTools takes the tools out of the parameters of a request.
func pydanticTools(m *mapper, box *toolbox) {
	a := &m.span.attributes
	i := a.slot[pydanticRequest]
	if i == 0 {
		return
	}
	request := &a.list[i-1]
	const name = "function_tools"
	if box.addText(jsonAt(request.value.text, name)) {
		request.value.text = without(request.value.text, name)
	}
}
