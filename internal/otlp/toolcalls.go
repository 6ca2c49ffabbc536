package otlp

import (
	"strconv"

	"github.com/sondehq/sonde/internal/model"
)

// callTypes are what providers call an object that asks for a tool.
var callTypes = map[string]bool{"tool_use": true, "tool-call": true, "tool_call": true, "function_call": true}

// callFinder collects the tools that an output calls. Of equal calls the first counts: those with
// the same id, or without one with the same name and arguments.
type callFinder struct {
	found []model.Tooling
	seen  names
}

// toolCalls finds the calls in an output: OpenAI's tool_calls on messages and choices, content
// parts of Anthropic and the AI SDK, parts of GenAI, nested messages of OpenInference, LangChain's
// additional_kwargs, and objects that are calls themselves.
func toolCalls(output string) []model.Tooling {
	if b := firstByte(output); b != '{' && b != '[' || !validJSON(output) {
		return nil
	}
	var f callFinder
	f.walk(output, 0)
	return f.found
}

// walk looks at an array of messages or parts, or at one of them.
func (f *callFinder) walk(raw string, depth int) {
	if depth > maxToolDepth {
		return
	}
	switch firstByte(raw) {
	case '[':
		eachElement(raw, func(element string) { f.walk(element, depth+1) })
	case '{':
		var c call
		eachMember(raw, func(name, value string) {
			switch name {
			case "tool_calls", "toolCalls":
				f.listed(value, depth)
			case "content", "parts", "choices", "message", "messages", "output", "additional_kwargs",
				"function_call", "functionCall":
				f.walk(value, depth+1)
			default:
				c.read(name, value)
			}
		})
		if c.complete() {
			f.keep(&c)
		}
	}
}

// listed looks at a list of calls, which may be JSON text in a string.
func (f *callFinder) listed(raw string, depth int) {
	if inner := textIn(raw); inner != "" {
		raw = inner
	}
	eachElement(raw, func(element string) {
		if nested := jsonAt(element, "tool_call"); nested != "" {
			element = nested // OpenInference
		}
		var c call
		if eachMember(element, c.read) && c.name != "" {
			f.keep(&c)
		} else {
			f.walk(element, depth+1)
		}
	})
}

// call is one call under construction.
type call struct {
	name, id, kind string
	arguments      string
	hasArguments   bool
	index          string
}

// read takes one member of an object that may be a call.
func (c *call) read(member, value string) {
	switch member {
	case "name", "toolName":
		c.name = textIn(value)
	case "id", "toolCallId", "tool_call_id":
		c.id = textIn(value)
	case "call_id":
		if c.id == "" {
			c.id = textIn(value)
		}
	case "type":
		c.kind = textIn(value)
	case "arguments", "args", "input":
		c.arguments, c.hasArguments = asText(value), true
	case "index":
		if _, err := strconv.ParseUint(value, 10, 32); err == nil {
			c.index = value
		}
	case "function":
		eachMember(value, func(member, value string) {
			if member == "name" || member == "arguments" {
				c.read(member, value)
			}
		})
	}
}

// complete reports whether an object that nobody listed as a call is one.
func (c *call) complete() bool { return c.name != "" && (c.hasArguments || callTypes[c.kind]) }

func (f *callFinder) keep(c *call) {
	same := "id:" + c.id
	if c.id == "" {
		same = "call:" + c.name + "\x00" + c.arguments
	}
	if f.seen.find(same) >= 0 {
		return
	}
	f.seen.add(same)
	if c.index == "" {
		c.index = strconv.Itoa(len(f.found))
	}
	out := appendQuoted([]byte(`{"id":`), c.id)
	out = appendQuoted(append(out, `,"arguments":`...), c.arguments)
	out = appendQuoted(append(out, `,"type":`...), c.kind)
	out = append(append(out, `,"index":`...), c.index...)
	f.found = append(f.found, model.Tooling{Name: c.name, JSON: string(append(out, '}'))})
}
