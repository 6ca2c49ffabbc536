package otlp

import (
	"math"
	"strconv"
	"time"

	"github.com/sondehq/sonde/internal/model"
)

var modelKeys = []key{
	observationModel, genAIResponseModel, aiModelID, genAIRequestModel, llmResponseModel,
	llmModelName, plainModel, embeddingModelName, llmRequestModelName, llmResponseModelName,
	rerankerModelName,
}

// aggregates are operations whose model, usage and cost repeat those of the spans below.
var aggregates = map[string]bool{"invoke_agent": true, "agent_step": true}

func (m *mapper) aggregate() bool {
	return aggregates[m.span.attributes.get(genAIOperation).text]
}

func (m *mapper) setModel(o *model.Observation) {
	a := &m.span.attributes
	if !m.aggregate() {
		o.Model = m.firstText(modelKeys)
	}
	if a.has(observationModelParameters) {
		text := m.text(a, observationModelParameters)
		if text != m.lastParameters.given {
			m.lastParameters = parameterMemo{text, m.parameters(text)}
		}
		o.ModelParameters = m.lastParameters.made
	}
	if a.has(observationCompletionStart) {
		o.CompletionStartTime = completionStart(m.unquote(m.text(a, observationCompletionStart)))
	}
}

// parameterMemo keeps the last parameters: an application has few sets of them.
type parameterMemo struct{ given, made string }

// parameters keeps strings and numbers of a JSON object and puts the JSON text of other values in
// their place, as a string. Text that is no object yields nothing.
func (m *mapper) parameters(text string) string {
	s := scanner{text: text}
	if s.space() != '{' {
		return ""
	}
	out := append(m.scratch[:0], '{')
	more, ok := s.open('{', '}')
	for ok && more {
		raw, _, value, good := s.member()
		if !good {
			return ""
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, '"'), raw...), '"', ':')
		if b := value[0]; b == '"' || b == '-' || b >= '0' && b <= '9' {
			out = append(out, value...)
		} else {
			out = appendQuoted(out, string(appendCompact(nil, value)))
		}
		more, ok = s.more('}')
	}
	m.scratch = out
	if !ok || !s.atEnd() || len(out) == 1 {
		return ""
	}
	return m.arena.keep(append(out, '}'))
}

// timeLayouts are the ISO forms clients use; a time without a zone is UTC.
var timeLayouts = []string{
	time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00",
}

// completionStart reads a time; one that is unreadable or out of the range of spans is none.
func completionStart(text string) time.Time {
	for _, layout := range timeLayouts {
		t, err := time.Parse(layout, text)
		if t = t.UTC(); err == nil && t.Year() >= 1970 && t.Year() < 2100 {
			return t.Truncate(time.Millisecond)
		}
	}
	return time.Time{}
}

// setPrompt links a generation to its prompt; on other types a link means nothing.
func (m *mapper) setPrompt(o *model.Observation) {
	if o.Type != model.Generation {
		return
	}
	a := &m.span.attributes
	o.PromptName = m.text(a, observationPromptName)
	if o.PromptName == "" {
		o.PromptName = m.text(a, plainPromptName)
	}
	number := m.text(a, observationPromptVersion)
	if number == "" {
		number = m.text(a, plainPromptVersion)
	}
	if number == "" {
		return
	}
	if n, err := strconv.ParseUint(number, 10, 32); err == nil && n <= math.MaxUint16 {
		o.PromptVersion = uint32(n)
	}
}
