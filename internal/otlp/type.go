package otlp

import "github.com/sondehq/sonde/internal/model"

// follows reports whether a convention occurs in the span, or in what surrounds it.
func (m *mapper) follows(of convention) bool { return of == always || m.of&of != 0 }

func (m *mapper) setType(o *model.Observation) {
	o.Type = model.Span
	for i := range typeRules {
		if m.follows(typeRules[i].of) {
			if t := typeRules[i].rule(m); t != "" {
				o.Type = t
				return
			}
		}
	}
}

// modelType makes a generation of what has a model.
func modelType(m *mapper) model.Type {
	if m.firstText(generationModelKeys) != "" {
		return model.Generation
	}
	return ""
}

func (m *mapper) setName(o *model.Observation) {
	for i := range nameRules {
		if m.follows(nameRules[i].of) {
			if o.Name = nameRules[i].rule(m, o.Type); o.Name != "" {
				return
			}
		}
	}
	o.Name = m.span.name
}

// nameIn takes the name from one attribute.
func nameIn(k key) func(*mapper, model.Type) string {
	return func(m *mapper, _ model.Type) string { return m.text(&m.span.attributes, k) }
}
