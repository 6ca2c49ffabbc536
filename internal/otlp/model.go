package otlp

import (
	"math"
	"strconv"
	"time"

	"github.com/sondehq/sonde/internal/model"
)

func (m *mapper) setModel(o *model.Observation) {
	if !m.aggregate() {
		for i := range modelSources {
			if m.follows(modelSources[i].of) {
				if o.Model = modelSources[i].source(m); o.Model != "" {
					break
				}
			}
		}
	}
	for i := range parameterSources {
		if m.follows(parameterSources[i].of) {
			if o.ModelParameters = parameterSources[i].source(m); o.ModelParameters != "" {
				break
			}
		}
	}
	for i := range firstTokenSources {
		if m.follows(firstTokenSources[i].of) {
			if t := firstTokenSources[i].source(m, o.StartTime); !t.IsZero() {
				o.CompletionStartTime = t
				break
			}
		}
	}
}

// parametersIn reads the parameters of one attribute, a JSON object.
func parametersIn(k key) func(*mapper) string {
	return func(m *mapper) string {
		text := m.text(&m.span.attributes, k)
		if text == "" {
			return ""
		}
		if text != m.lastParameters.given {
			m.lastParameters = parameterMemo{text, m.parameters(text)}
		}
		return m.lastParameters.made
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

// requestedParameters makes one object of attributes that hold a parameter each.
func requestedParameters(m *mapper) string {
	a := &m.span.attributes
	if !a.hasGroup(requestParameters) && !a.hasGroup(invocationParameters) {
		return ""
	}
	out := []byte{'{'}
	for _, i := range m.members(requestParameters, invocationParameters) {
		v := &a.list[i].value
		if a.list[i].class.name == "model" {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(appendQuoted(out, a.list[i].class.name), ':')
		switch v.kind {
		case stringValue, intValue, doubleValue:
			out = m.p.appendJSON(out, *v, 1)
		default:
			out = appendQuoted(out, string(m.p.appendText(nil, *v)))
		}
	}
	if len(out) == 1 {
		return ""
	}
	return string(append(out, '}'))
}

// firstTokenSource finds when the first token came, given when the span began.
type firstTokenSource func(m *mapper, start time.Time) time.Time

func ownCompletionStart(m *mapper, _ time.Time) time.Time {
	if !m.span.attributes.has(observationCompletionStart) {
		return time.Time{}
	}
	return readTime(m.unquote(m.text(&m.span.attributes, observationCompletionStart)))
}

// maxFirstToken is the longest wait that is believed, in milliseconds.
const maxFirstToken = 30 * 24 * 3600 * 1000

// sinceStart reads how long the first token took, in units of so many milliseconds, rounded up.
func sinceStart(k key, unit float64) firstTokenSource {
	return func(m *mapper, start time.Time) time.Time {
		n, ok := m.numberIn(k)
		if n *= unit; !ok || !(n >= 0) || n > maxFirstToken {
			return time.Time{}
		}
		return start.Add(time.Duration(math.Ceil(n)) * time.Millisecond)
	}
}

// setPrompt links a generation to its prompt; on other types a link means nothing.
func (m *mapper) setPrompt(o *model.Observation) {
	if o.Type != model.Generation {
		return
	}
	number := ""
	for i := range promptSources {
		if m.follows(promptSources[i].of) && o.PromptName == "" {
			o.PromptName, number = promptSources[i].source(m)
		}
	}
	if number == "" {
		return
	}
	if n, err := strconv.ParseUint(number, 10, 32); err == nil && n <= math.MaxUint16 {
		o.PromptVersion = uint32(n)
	}
}
