package otlp

import "github.com/sondehq/sonde/internal/model"

// ioSources are where input and output may stand, best first. Each side is taken from its first
// source that has one. An attribute named here is not repeated in the metadata.
var ioSources = []struct{ input, output key }{
	{observationInput, observationOutput},
	{mlflowInputs, mlflowOutputs},
	{entityInput, entityOutput},
	{inputValue, outputValue},
	{plainInput, plainOutput},
	{toolArguments, toolResponse},
	{genAIInputMessages, genAIOutputMessages},
	{genAIToolArguments, genAIToolResult},
}

func (m *mapper) setIO(o *model.Observation) {
	a := &m.span.attributes
	for _, s := range ioSources {
		if o.Input == "" && a.has(s.input) {
			o.Input = m.text(a, s.input)
		}
		if o.Output == "" && a.has(s.output) {
			o.Output = m.text(a, s.output)
		}
	}
}
