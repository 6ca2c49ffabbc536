package otlp

import "strings"

// tags returns the tags of the first attribute that has some, in the client's order.
func (m *mapper) tags() []string {
	for _, k := range tagKeys {
		v := m.span.attributes.get(k)
		if v.kind == stringValue {
			v.text = m.decodedText(k)
		}
		if tags := m.tagsOf(v); len(tags) > 0 {
			return tags
		}
	}
	return nil
}

// tagsOf reads a native array, the text of a JSON array, a comma-separated list or one tag.
func (m *mapper) tagsOf(v value) []string {
	switch v.kind {
	case noValue:
		return nil
	case arrayValue:
		return m.nativeTags(v)
	case stringValue:
		if tags, ok := m.jsonTags(v.text); ok {
			return tags
		}
		return listedTags(v.text)
	default:
		return []string{m.keepText(v)}
	}
}

// tagMemo keeps the last native array: spans of one trace mostly carry the same tags.
type tagMemo struct {
	raw  string
	tags []string
}

func (m *mapper) nativeTags(v value) []string {
	raw := m.p.text[v.at.from:v.at.to]
	if raw != m.lastTags.raw {
		m.lastTags = tagMemo{raw, m.readTags(v)}
	}
	return m.lastTags.tags
}

func (m *mapper) readTags(v value) []string {
	count := 0
	c := m.p.fields(v.at)
	for c.next() {
		count++
	}
	tags := make([]string, 0, count)
	c = m.p.fields(v.at)
	for c.next() {
		if c.tag != tagElement {
			continue
		}
		var element value
		m.p.value(c.content, &element)
		switch element.kind {
		case noValue:
		case stringValue:
			tags = append(tags, element.text)
		default:
			tags = append(tags, m.keepText(element))
		}
	}
	return tags
}

// jsonTags reads the text of a JSON array; elements that are no strings are tags by their text.
func (m *mapper) jsonTags(text string) (tags []string, ok bool) {
	s := scanner{text: text}
	if s.space() != '[' {
		return nil, false
	}
	more, ok := s.open('[', ']')
	for ok && more {
		element, good := s.element()
		if !good {
			return nil, false
		}
		tags = append(tags, m.unquote(element))
		more, ok = s.more(']')
	}
	return tags, ok && s.atEnd()
}

func listedTags(text string) []string {
	var tags []string
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			tags = append(tags, part)
		}
	}
	return tags
}
