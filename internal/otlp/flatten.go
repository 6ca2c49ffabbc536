package otlp

import (
	"math"

	"github.com/sondehq/sonde/internal/model"
)

// Limits on taking metadata apart. An object beyond them stays one leaf of JSON text: without
// limits a small body could name terabytes of paths.
const (
	maxPathDepth  = 32
	maxPathBytes  = 256
	maxPathLeaves = 10000
)

// flattenKey adds the leaves of one of the client's keys.
func (m *mapper) flattenKey(k *metadataKey) {
	switch k.form {
	case encoded:
		m.flattenText(k.name, k.text)
	case parsed:
		m.flattenJSON(k.name, k.text)
	case native:
		m.flattenNative(k.name, *k.value)
	case gone:
	}
}

// flattenText decodes text once: what is JSON keeps its type, everything else is a string.
func (m *mapper) flattenText(name, text string) {
	if startsJSON(text) {
		before := len(m.metadata.leaves)
		if m.flattenJSON(name, text) {
			return
		}
		m.metadata.leaves = m.metadata.leaves[:before]
	}
	m.leaf(name, text, model.MetadataString)
}

// startsJSON sorts out most texts that are not JSON by their first character.
func startsJSON(text string) bool {
	if text == "" {
		return false
	}
	switch b := text[0]; b {
	case '"', '{', '[', '-', 't', 'f', 'n', ' ', '\t', '\r', '\n':
		return true
	default:
		return b >= '0' && b <= '9'
	}
}

// flattenJSON adds the leaves of JSON text and reports whether it is JSON.
func (m *mapper) flattenJSON(name, text string) bool {
	s := scanner{text: text}
	if s.space() == '{' {
		m.metadata.path = append(m.metadata.path[:0], name...)
		return m.object(&s, 1) && s.atEnd()
	}
	return m.scalar(name, &s) && s.atEnd()
}

// object adds the leaves of the object that comes next; metadata.path is its path.
func (m *mapper) object(s *scanner, depth int) bool {
	b := &m.metadata
	if depth > maxPathDepth || len(b.path) > maxPathBytes || len(b.leaves) > maxPathLeaves {
		return m.raw(m.arena.keep(b.path), s)
	}
	b.nested = true
	more, ok := s.open('{', '}')
	for ok && more {
		raw, escaped, good := s.key()
		if !good {
			return false
		}
		parent := len(b.path)
		b.path = append(b.path, '.')
		if escaped {
			b.path = unescape(b.path, raw)
		} else {
			b.path = append(b.path, raw...)
		}
		if s.space() == '{' {
			good = m.object(s, depth+1)
		} else {
			good = m.scalar(m.arena.keep(b.path), s)
		}
		b.path = b.path[:parent]
		if !good {
			return false
		}
		more, ok = s.more('}')
	}
	return ok
}

// scalar adds the leaf of the value that comes next, which is no object.
func (m *mapper) scalar(name string, s *scanner) bool {
	switch s.space() {
	case '"':
		raw, escaped, ok := s.string()
		if ok {
			m.leaf(name, m.unescaped(raw, escaped), model.MetadataString)
		}
		return ok
	case '[':
		return m.raw(name, s)
	case 't':
		m.leaf(name, "true", model.MetadataBool)
		return s.word("true")
	case 'f':
		m.leaf(name, "false", model.MetadataBool)
		return s.word("false")
	case 'n':
		m.leaf(name, "null", model.MetadataNull)
		return s.word("null")
	}
	number, ok := s.number()
	if ok {
		m.leaf(name, number, model.MetadataNumber)
	}
	return ok
}

// raw adds the value that comes next as one leaf of compact JSON.
func (m *mapper) raw(name string, s *scanner) bool {
	s.spaced = false
	text, ok := s.element()
	if !ok {
		return false
	}
	if s.spaced {
		m.scratch = appendCompact(m.scratch[:0], text)
		text = m.arena.keep(m.scratch)
	}
	m.leaf(name, text, model.MetadataJSON)
	return true
}

// flattenNative adds the leaves of a native value. Text in it is text.
func (m *mapper) flattenNative(name string, v value) {
	if v.kind == listValue {
		m.metadata.path = append(m.metadata.path[:0], name...)
		m.list(v, 1)
		return
	}
	m.nativeLeaf(name, v)
}

// list adds the leaves of a key-value list; metadata.path is its path.
func (m *mapper) list(v value, depth int) {
	b := &m.metadata
	if depth > maxPathDepth || len(b.path) > maxPathBytes || len(b.leaves) > maxPathLeaves {
		m.nativeLeaf(m.arena.keep(b.path), v)
		return
	}
	b.nested = true
	c := m.p.fields(v.at)
	for c.next() {
		if c.tag != tagElement {
			continue
		}
		var member value
		name := m.p.string(m.p.keyValue(c.content, &member))
		parent := len(b.path)
		b.path = append(append(b.path, '.'), name...)
		if member.kind == listValue {
			m.list(member, depth+1)
		} else {
			m.nativeLeaf(m.arena.keep(b.path), member)
		}
		b.path = b.path[:parent]
	}
}

// nativeLeaf adds a native value as one leaf.
func (m *mapper) nativeLeaf(name string, v value) {
	switch v.kind {
	case noValue:
	case stringValue:
		m.leaf(name, v.text, model.MetadataString)
	case boolValue:
		m.leaf(name, m.keepText(v), model.MetadataBool)
	case intValue:
		m.leaf(name, m.keepText(v), model.MetadataNumber)
	case doubleValue:
		kind := model.MetadataNumber
		if f := math.Float64frombits(v.number); math.IsNaN(f) || math.IsInf(f, 0) {
			kind = model.MetadataString
		}
		m.leaf(name, m.keepText(v), kind)
	case bytesValue:
		m.leaf(name, m.keepText(v), model.MetadataString)
	default:
		m.leaf(name, m.keepText(v), model.MetadataJSON)
	}
}

func (m *mapper) leaf(name, text string, kind model.MetadataType) {
	m.metadata.leaves = append(m.metadata.leaves, model.MetadataEntry{Name: name, Value: text, Type: kind})
}
