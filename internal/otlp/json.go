package otlp

import (
	"strconv"
	"strings"
)

// eachMember calls do with the name and the JSON text of every member of an object, and reports
// whether text is one. Of a text that is none do may have seen a part.
func eachMember(text string, do func(name, value string)) bool {
	s := scanner{text: text}
	more, ok := s.open('{', '}')
	for ok && more {
		raw, escaped, value, good := s.member()
		if !good {
			return false
		}
		if escaped {
			raw = string(unescape(nil, raw))
		}
		do(raw, value)
		more, ok = s.more('}')
	}
	return ok && s.atEnd()
}

// eachElement calls do with the JSON text of every element of an array, and reports whether text
// is one.
func eachElement(text string, do func(element string)) bool {
	s := scanner{text: text}
	more, ok := s.open('[', ']')
	for ok && more {
		element, good := s.element()
		if !good {
			return false
		}
		do(element)
		more, ok = s.more(']')
	}
	return ok && s.atEnd()
}

// jsonAt returns the JSON text at a path of member names, "" when there is none. Of members with
// the same name the last counts.
func jsonAt(text string, path ...string) string {
	for _, name := range path {
		if text == "" || firstByte(text) != '{' {
			return ""
		}
		found := ""
		if !eachMember(text, func(n, value string) {
			if n == name {
				found = value
			}
		}) {
			return ""
		}
		text = found
	}
	return text
}

// firstByte is the first byte that is no white space, 0 when there is none.
func firstByte(text string) byte {
	s := scanner{text: text}
	return s.space()
}

// textIn is the value of a JSON string, "" of any other JSON text.
func textIn(raw string) string {
	if len(raw) < 2 || raw[0] != '"' {
		return ""
	}
	s := scanner{text: raw}
	inner, escaped, ok := s.string()
	if !ok || !s.atEnd() {
		return ""
	}
	if escaped {
		return string(unescape(nil, inner))
	}
	return inner
}

// asText is the value of a JSON string, and the compact text of other JSON.
func asText(raw string) string {
	if strings.HasPrefix(raw, `"`) {
		return textIn(raw)
	}
	return string(appendCompact(nil, raw))
}

// number reads a JSON number, also one in a string.
func number(raw string) (float64, bool) {
	if strings.HasPrefix(raw, `"`) {
		raw = textIn(raw)
	}
	if raw == "" || len(raw) > maxNumberText {
		return 0, false
	}
	f, err := strconv.ParseFloat(raw, 64)
	return f, err == nil
}

// validJSON reports whether text is one JSON value.
func validJSON(text string) bool {
	s := scanner{text: text}
	return s.skip(0) && s.atEnd()
}

// joined is a JSON array of elements.
func joined(elements []string) string {
	return "[" + strings.Join(elements, ",") + "]"
}

// without is an object without one of its members.
func without(text, name string) string {
	out := []byte{'{'}
	eachMember(text, func(n, value string) {
		if n == name {
			return
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(appendQuoted(out, n), ':'), value...)
	})
	return string(append(out, '}'))
}
