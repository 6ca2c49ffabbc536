package otlp

import "slices"

// usualAttributes is for how many attributes there is room at first.
const usualAttributes = 16

// attribute is one key and value of a span, a resource or a scope.
type attribute struct {
	name  string
	value value
	class class
	moved bool // a rule put it elsewhere, so it is not among the attributes in the metadata
}

// attributeSet holds the attributes of one carrier in their order, duplicates included, and
// finds those that rules read.
type attributeSet struct {
	list     []attribute
	metadata []int           // those in list that are metadata
	of       convention      // the conventions that occur
	groups   uint16          // a bit per group that occurs
	slot     [keyCount]int32 // position in list plus 1; the winner where a key comes more than once
}

// reset empties the set. Few slots are in use, so they are emptied one by one.
func (s *attributeSet) reset() {
	for i := range s.list {
		s.slot[s.list[i].class.key] = 0
	}
	s.list = s.list[:0]
	s.metadata = s.metadata[:0]
	s.of, s.groups = 0, 0
}

// add reads a KeyValue. An attribute without a name or a value does not exist.
//
// Spans of one kind carry the same keys in the same order, so the name is compared with the one
// that stood here in the span before; what is known about that need not be found out again.
func (s *attributeSet) add(p *payload, m message) {
	n := len(s.list)
	if n == cap(s.list) {
		s.list = slices.Grow(s.list, max(n, usualAttributes))
	}
	s.list = s.list[:n+1]
	a := &s.list[n]
	key := p.keyValue(m, &a.value)
	if key.from == key.to || a.value.kind == noValue {
		s.list = s.list[:n]
		return
	}
	if p.text[key.from:key.to] != a.name {
		a.name = p.string(key)
		a.class = classify(a.name)
	}
	a.moved = false
	s.of |= a.class.of
	if a.class.group != noGroup {
		s.groups |= 1 << a.class.group
	}
	if a.class.domain != 0 {
		s.metadata = append(s.metadata, n)
	}
	if k := a.class.key; k != unknown {
		if old := s.slot[k]; old == 0 || a.class.sonde || !s.list[old-1].class.sonde {
			s.slot[k] = int32(n + 1)
		}
	}
}

// get returns the value of k. Its kind is noValue when there is none.
func (s *attributeSet) get(k key) value {
	if i := s.slot[k]; i != 0 {
		return s.list[i-1].value
	}
	return value{}
}

func (s *attributeSet) has(k key) bool { return s.slot[k] != 0 }

func (s *attributeSet) hasGroup(g group) bool { return s.groups&(1<<g) != 0 }

// members returns the positions of the span's attributes in two groups. One that comes twice has
// its last value in its first place.
func (m *mapper) members(first, second group) []int {
	m.memberNames.reset()
	m.memberList = m.memberList[:0]
	list := m.span.attributes.list
	for i := range list {
		if g := list[i].class.group; g != first && g != second {
			continue
		}
		if at := m.memberNames.find(list[i].name); at >= 0 {
			m.memberList[at] = i
			continue
		}
		m.memberNames.add(list[i].name)
		m.memberList = append(m.memberList, i)
	}
	return m.memberList
}

// text returns the value of k as text, "" when there is none.
func (m *mapper) text(s *attributeSet, k key) string {
	i := s.slot[k]
	if i == 0 {
		return ""
	}
	v := &s.list[i-1].value
	if v.kind == stringValue {
		return v.text
	}
	return m.keepText(*v)
}

func (m *mapper) keepText(v value) string {
	m.scratch = m.p.appendText(m.scratch[:0], v)
	return m.arena.keep(m.scratch)
}

// firstText returns the first text of the span that is not empty.
func (m *mapper) firstText(keys []key) string {
	for _, k := range keys {
		if s := m.text(&m.span.attributes, k); s != "" {
			return s
		}
	}
	return ""
}

// decodedText is text for a key that may stand in metadata, where clients encode strings as JSON.
func (m *mapper) decodedText(k key) string {
	s := m.text(&m.span.attributes, k)
	if s == "" || s[0] != '"' || !inMetadata(k) {
		return s
	}
	return m.unquote(s)
}

// unquote returns the value of text that is a JSON string, and any other text as it is.
func (m *mapper) unquote(text string) string {
	s := scanner{text: text}
	if s.space() != '"' {
		return text
	}
	raw, escaped, ok := s.string()
	if !ok || !s.atEnd() {
		return text
	}
	return m.unescaped(raw, escaped)
}

// unescaped is the value of a JSON string as scanner.string returned it.
func (m *mapper) unescaped(raw string, escaped bool) string {
	if !escaped {
		return raw
	}
	m.scratch = unescape(m.scratch[:0], raw)
	return m.arena.keep(m.scratch)
}

// firstDecoded returns the first decoded text of the span that is not empty.
func (m *mapper) firstDecoded(keys []key) string {
	for _, k := range keys {
		if s := m.decodedText(k); s != "" {
			return s
		}
	}
	return ""
}
