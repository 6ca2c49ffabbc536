package otlp

import (
	"strconv"
	"strings"
)

const (
	// maxSlots is how many array slots one prefix may fill: indexes are numbers in names, so a few
	// bytes could ask for any amount of memory.
	maxSlots = 10001
	// maxBranches is how many values one prefix may hold, those on the way to others included.
	maxBranches = 30000
	// maxSegments is how many names a path may have. Those of real messages have up to 8.
	maxSegments = 16
	// maxIndexDigits is how long an index may be written.
	maxIndexDigits = 5
)

// branch is a value under construction: a leaf, or what lies below it.
type branch struct {
	leaf     *value
	names    names
	children []*branch
	slots    int  // one more than the highest index
	named    bool // some child is no index
}

// room is what a prefix has left.
type room struct{ slots, branches int }

// forbidden are names that scripts take for something else.
var forbidden = map[string]bool{"__proto__": true, "constructor": true, "prototype": true}

// rebuild makes JSON of the attributes of a group. Their names are paths: 0.role, 0.tool_calls.1.id.
// Where all names on one level are indexes the level is an array, with null in the gaps. Names that
// go too deep or ask for too many slots are left out. Of a name that comes twice the last counts.
func (m *mapper) rebuild(g group) string {
	a := &m.span.attributes
	if !a.hasGroup(g) {
		return ""
	}
	root, left := &branch{}, room{maxSlots, maxBranches}
	for i := range a.list {
		if a.list[i].class.group == g {
			root.put(a.list[i].class.name, &a.list[i].value, &left)
		}
	}
	if len(root.children) == 0 {
		return ""
	}
	return string(m.p.appendBranch(nil, root))
}

// put adds a leaf below b.
func (b *branch) put(path string, leaf *value, left *room) {
	if strings.Count(path, ".") >= maxSegments {
		return
	}
	for name := range strings.SplitSeq(path, ".") {
		if forbidden[name] {
			return
		}
	}
	for more := true; more; {
		var name string
		name, path, more = strings.Cut(path, ".")
		if b = b.child(name, left); b == nil {
			return
		}
	}
	b.leaf = leaf
}

// child returns the branch with a name, and makes it when there is room for it.
func (b *branch) child(name string, left *room) *branch {
	if at := b.names.find(name); at >= 0 {
		return b.children[at]
	}
	slots := 0
	i, isIndex := index(name)
	if isIndex {
		slots = max(0, i+1-b.slots)
	}
	if left.branches == 0 || slots > left.slots {
		return nil
	}
	left.branches--
	left.slots -= slots
	b.slots += slots
	b.named = b.named || !isIndex
	b.names.add(name)
	b.children = append(b.children, &branch{})
	return b.children[len(b.children)-1]
}

// index reads an index as it is usually written.
func index(name string) (int, bool) {
	if name == "" || len(name) > maxIndexDigits || name[0] == '0' && name != "0" || name[0] == '+' || name[0] == '-' {
		return 0, false
	}
	i, err := strconv.Atoi(name)
	return i, err == nil
}

func (p *payload) appendBranch(dst []byte, b *branch) []byte {
	switch {
	case len(b.children) == 0 && b.leaf == nil:
		return append(dst, "null"...) // its own children were left out
	case len(b.children) == 0:
		return p.appendJSON(dst, *b.leaf, 1)
	case b.named:
		return p.appendNamed(dst, b)
	}
	at := make([]*branch, b.slots)
	for i, name := range b.names.list {
		n, _ := index(name)
		at[n] = b.children[i]
	}
	dst = append(dst, '[')
	for i, element := range at {
		if i > 0 {
			dst = append(dst, ',')
		}
		if element == nil {
			dst = append(dst, "null"...)
			continue
		}
		dst = p.appendBranch(dst, element)
	}
	return append(dst, ']')
}

func (p *payload) appendNamed(dst []byte, b *branch) []byte {
	dst = append(dst, '{')
	for i, name := range b.names.list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = p.appendBranch(append(appendQuoted(dst, name), ':'), b.children[i])
	}
	return append(dst, '}')
}
