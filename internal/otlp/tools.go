package otlp

import (
	"strings"

	"github.com/sondehq/sonde/internal/model"
)

// setTools finds the tools that a model was offered and those it called. Definitions that stand in
// attributes or metadata move into the input, so that all of them are in one place.
func (m *mapper) setTools(o *model.Observation) {
	box := &m.tools
	box.found = box.found[:0]
	box.names.reset()
	for i := range toolSources {
		if m.follows(toolSources[i].of) {
			toolSources[i].source(m, box)
		}
	}
	m.metadataTools(box)
	if len(box.found) > 0 {
		o.Input = withTools(o.Input, joined(box.found))
	}
	if mayDefineTools(o.Input) {
		o.ToolDefinitions = toolDefinitions(o.Input)
	}
	if mayCallTools(o.Output) {
		o.ToolCalls = toolCalls(o.Output)
	}
}

// mayDefineTools and mayCallTools sort out most texts without tools: they look at the names before
// colons. Prose has few colons, so this costs a tenth of a search for the names. JSON in a string
// has names, too, with a backslash before the quote.
func mayDefineTools(text string) bool {
	return anyName(text, func(name string) bool {
		switch name[len(name)-1] {
		case 's':
			return strings.HasSuffix(name, "tools") || strings.HasSuffix(name, "parameters")
		case 'a':
			return strings.HasSuffix(name, "inputSchema")
		case 'n':
			return strings.HasSuffix(name, "function")
		}
		return false
	})
}

func mayCallTools(text string) bool {
	return anyName(text, func(name string) bool {
		switch name[len(name)-1] {
		case 's':
			return strings.HasSuffix(name, "alls") || strings.HasSuffix(name, "arguments") || strings.HasSuffix(name, "args")
		case 'e':
			return strings.HasSuffix(name, "toolName") || strings.HasSuffix(name, "type")
		case 'l':
			return strings.HasSuffix(name, "all")
		}
		return false
	})
}

// anyName reports whether one of the names before colons fits. A name comes with all that stands
// before it.
func anyName(text string, fits func(name string) bool) bool {
	if text == "" || text[0] != '{' && text[0] != '[' && text[0] > ' ' {
		return false
	}
	for at := 0; ; at++ {
		i := strings.IndexByte(text[at:], ':')
		if i < 0 {
			return false
		}
		at += i
		name, quoted := strings.CutSuffix(strings.TrimRight(text[:at], " "), `"`)
		if name = strings.TrimSuffix(name, `\`); quoted && name != "" && fits(name) {
			return true
		}
	}
}

// toolbox collects definitions of tools as JSON objects, one per name.
type toolbox struct {
	found []string
	names names
}

// addText adds the definitions in JSON text: an object, an array, or such text in a string. It
// reports whether there are any.
func (b *toolbox) addText(text string) bool {
	return b.add(text, 0)
}

// maxToolDepth is how deep definitions and calls may lie in each other's text.
const maxToolDepth = 8

func (b *toolbox) add(text string, depth int) (some bool) {
	if depth > maxToolDepth {
		return false
	}
	switch firstByte(text) {
	case '{':
		d, ok := definition(text)
		if ok && b.names.find(d.Name) < 0 {
			b.names.add(d.Name)
			b.found = append(b.found, text)
		}
		return ok
	case '[':
		if validJSON(text) {
			eachElement(text, func(element string) { some = b.add(element, depth+1) || some })
		}
	case '"':
		if inner := textIn(text); inner != "" && inner[0] != '"' {
			return b.add(inner, depth+1)
		}
	}
	return some
}

// definitionsIn moves the definitions of one attribute.
func definitionsIn(k key) func(*mapper, *toolbox) {
	return func(m *mapper, box *toolbox) {
		if i := m.span.attributes.slot[k]; i != 0 {
			a := &m.span.attributes.list[i-1]
			a.moved = box.addText(m.text(&m.span.attributes, k))
		}
	}
}

// metadataTools moves the client's metadata "tools" where it holds definitions.
func (m *mapper) metadataTools(box *toolbox) {
	b := &m.metadata
	i := b.keyNames.find("tools")
	if i < 0 {
		return
	}
	k := &b.keys[i]
	text := k.text
	if k.form == native {
		text = m.keepText(*k.value)
	}
	if firstByte(text) == '[' && box.addText(text) {
		k.form = gone
	}
}

// withTools adds tools to an input, whose shape changes: messages and text get a name.
func withTools(input, tools string) string {
	switch firstByte(input) {
	case 0:
		return `{"tools":` + tools + `}`
	case '[':
		if validJSON(input) {
			return `{"messages":` + input + `,"tools":` + tools + `}`
		}
	case '{':
		if !validJSON(input) {
			break
		}
		some := false
		eachElement(jsonAt(input, "tools"), func(string) { some = true })
		if some {
			return input // it says itself what was offered
		}
		rest := without(input, "tools")
		if rest == "{}" {
			return `{"tools":` + tools + `}`
		}
		return rest[:len(rest)-1] + `,"tools":` + tools + `}`
	}
	return string(appendQuoted([]byte(`{"prompt":`), input)) + `,"tools":` + tools + `}`
}

// toolDefinitions finds the tools in an input: in tools, in tools of messages, and in messages
// with the role tool that hold a definition, as LangChain writes them. Of a name the first counts.
func toolDefinitions(input string) []model.Tooling {
	var found []model.Tooling
	var seen names
	keep := func(raw string) {
		if d, ok := definition(raw); ok && seen.find(d.Name) < 0 {
			seen.add(d.Name)
			found = append(found, d)
		}
	}
	inMessage := func(message string) {
		var tools, role, content string
		if firstByte(message) != '{' || !eachMember(message, func(name, value string) {
			switch name {
			case "tools":
				tools = value
			case "role":
				role = value
			case "content":
				content = value
			}
		}) {
			return
		}
		eachElement(tools, keep)
		if textIn(role) == "tool" {
			if inner := textIn(content); inner != "" {
				content = inner
			}
			if isDefinition(content) {
				keep(content)
			}
		}
	}
	switch firstByte(input) {
	case '{':
		eachElement(jsonAt(input, "tools"), keep)
		eachElement(jsonAt(input, "messages"), inMessage)
	case '[':
		eachElement(input, inMessage)
	}
	return found
}

// isDefinition tells a definition from the result of a tool, which may have a name, too.
func isDefinition(raw string) bool {
	return firstByte(raw) == '{' && (jsonAt(raw, "function", "name") != "" || jsonAt(raw, "parameters") != "" || jsonAt(raw, "inputSchema") != "")
}

// definition reads a definition, flat or below "function".
func definition(raw string) (model.Tooling, bool) {
	if function := jsonAt(raw, "function"); firstByte(function) == '{' {
		raw = function
	}
	var name, description, parameters string
	if firstByte(raw) != '{' || !eachMember(raw, func(member, value string) {
		switch member {
		case "name":
			name = textIn(value)
		case "description", "desc":
			description = textIn(value)
		case "parameters", "parameters_json_schema", "inputSchema", "input_schema":
			parameters = asText(value)
		}
	}) || name == "" {
		return model.Tooling{}, false
	}
	out := appendQuoted([]byte(`{"description":`), description)
	out = appendQuoted(append(out, `,"parameters":`...), parameters)
	return model.Tooling{Name: name, JSON: string(append(out, '}'))}, true
}
