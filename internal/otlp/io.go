package otlp

import "github.com/sondehq/sonde/internal/model"

// ioSource is one place where input and output may stand.
type ioSource struct {
	of            convention
	input, output func(*mapper) string
}

func (m *mapper) setIO(o *model.Observation) {
	for i := range ioSources {
		s := &ioSources[i]
		if !m.follows(s.of) {
			continue
		}
		if o.Input == "" {
			o.Input = s.input(m)
		}
		if o.Output == "" {
			o.Output = s.output(m)
		}
		if o.Input != "" && o.Output != "" {
			return
		}
	}
}

// textOf reads the text of one attribute.
func textOf(k key) func(*mapper) string {
	return func(m *mapper) string { return m.text(&m.span.attributes, k) }
}

// firstOf reads the first attribute that has a text.
func firstOf(keys ...key) func(*mapper) string {
	return func(m *mapper) string { return m.firstText(keys) }
}

// rebuilt reads a value that stands in one attribute, or in many whose names are paths in it.
func rebuilt(whole key, parts group) func(*mapper) string {
	return func(m *mapper) string {
		if text := m.text(&m.span.attributes, whole); text != "" {
			return text
		}
		return m.rebuild(parts)
	}
}

// nothing is the side that a source does not have.
func nothing(*mapper) string { return "" }
