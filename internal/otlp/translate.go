package otlp

import (
	"errors"

	"google.golang.org/protobuf/encoding/protowire"
)

// errJSON is why a body is refused as a whole.
var errJSON = errors.New("not JSON")

// shapeError says that JSON has another shape than OTLP asks for, as in "attributes:not_an_array".
// It costs the span it stands in, or the spans of the resource or scope it stands in.
type shapeError string

func (e shapeError) Error() string { return string(e) }

// translator writes the protobuf form of an OTLP/JSON body while it scans the body once.
// Keys it does not know are skipped; null counts as absent.
type translator struct {
	in      scanner
	out     []byte
	spans   int    // written so far
	scope   string // name of the open scope, as far as it is known
	rejects rejections
}

func (t *translator) request() error {
	if t.in.space() != '{' {
		return errJSON
	}
	err := t.members(func(key string) error {
		if key == "resourceSpans" {
			return t.elements(key, t.resourceSpans)
		}
		return t.skip()
	})
	if err == nil && !t.in.atEnd() {
		return errJSON
	}
	return err
}

func (t *translator) resourceSpans() error {
	b := t.open(tagResourceSpans)
	problem := ""
	err := t.members(func(key string) error {
		switch key {
		case "resource":
			found, err := t.isolated(func() error { return t.field(resourceField, "", key, 0) })
			problem = firstProblem(problem, found)
			return err
		case "scopeSpans":
			return t.list(key, t.scopeSpans)
		}
		return t.known(resourceSpansMessage, key, 0)
	})
	t.close(b, problem)
	return err
}

func (t *translator) scopeSpans() error {
	b := t.open(tagScopeSpans)
	problem := ""
	err := t.members(func(key string) error {
		switch key {
		case "scope":
			at := len(t.out)
			found, err := t.isolated(func() error { return t.field(scopeField, "", key, 0) })
			problem = firstProblem(problem, found)
			t.scope = t.scopeName(at)
			return err
		case "spans":
			return t.list(key, t.span)
		}
		return t.known(scopeSpansMessage, key, 0)
	})
	t.close(b, problem)
	t.scope = ""
	return err
}

// scopeName reads the name from the scope just written at the given place.
func (t *translator) scopeName(at int) string {
	p := payload{data: t.out[at:]}
	c := p.fields(p.whole())
	if !c.next() {
		return ""
	}
	return scopeName(&p, c.content)
}

func (t *translator) span() error {
	problem, err := t.isolated(func() error { return t.framed(tagSpan, spanMessage, 0) })
	if problem != "" {
		t.rejects.add(problem, t.scope, 1)
	} else {
		t.spans++
		t.rejects.next++
	}
	return err
}

// block is a message being written above the level of spans.
type block struct {
	start, content, spans int
	mark                  mark
}

func (t *translator) open(tag uint64) block {
	start := len(t.out)
	return block{start, t.begin(tag), t.spans, t.rejects.mark()}
}

// close ends a block; a problem takes back what was written and rejects its spans.
func (t *translator) close(b block, problem string) {
	if problem == "" {
		t.end(b.content)
		return
	}
	t.out = t.out[:b.start]
	if lost := t.spans - b.spans; lost > 0 {
		t.rejects.addSince(b.mark, problem, t.scope, lost)
	}
	t.spans = b.spans
}

// isolated runs translate on the next value. A wrong shape there is returned as a problem, with
// the value skipped and nothing written.
func (t *translator) isolated(translate func() error) (problem string, err error) {
	pos, written := t.in.pos, len(t.out)
	err = translate()
	var shape shapeError
	if !errors.As(err, &shape) {
		return "", err
	}
	t.in.pos, t.out = pos, t.out[:written]
	return string(shape), t.skip()
}

// list reads elements whose absence costs one rejection: how many spans were meant is unknown.
func (t *translator) list(key string, element func() error) error {
	problem, err := t.isolated(func() error { return t.elements(key, element) })
	if problem != "" {
		t.rejects.add(problem, t.scope, 1)
	}
	return err
}

// elements calls element for every object of an array. Elements that are no objects are rejected.
func (t *translator) elements(key string, element func() error) error {
	if t.in.space() != '[' {
		return shapeError(key + ":not_an_array")
	}
	more, ok := t.in.open('[', ']')
	for ok && more {
		var err error
		if t.in.space() == '{' {
			err = element()
		} else {
			t.rejects.add(key+":not_an_object", t.scope, 1)
			err = t.skip()
		}
		if err != nil {
			return err
		}
		more, ok = t.in.more(']')
	}
	if !ok {
		return errJSON
	}
	return nil
}

// members calls member for every member of an object whose value is not null.
func (t *translator) members(member func(key string) error) error {
	more, ok := t.in.open('{', '}')
	for ok && more {
		key, good := t.key()
		if !good {
			return errJSON
		}
		if err := t.unlessNull(key, member); err != nil {
			return err
		}
		more, ok = t.in.more('}')
	}
	if !ok {
		return errJSON
	}
	return nil
}

func (t *translator) unlessNull(key string, member func(key string) error) error {
	if t.in.space() == 'n' {
		return t.skip()
	}
	return member(key)
}

func (t *translator) key() (string, bool) {
	raw, escaped, ok := t.in.key()
	if escaped {
		raw = string(unescape(nil, raw))
	}
	return raw, ok
}

func (t *translator) skip() error {
	if !t.in.skip(0) {
		return errJSON
	}
	return nil
}

// begin writes the tag of a length-delimited field; end writes its length when the content is
// there. One byte is kept for the length, which is enough for most attributes.
func (t *translator) begin(tag uint64) int {
	t.out = append(protowire.AppendVarint(t.out, tag), 0)
	return len(t.out)
}

func (t *translator) end(content int) {
	size := len(t.out) - content
	if size < 0x80 {
		t.out[content-1] = byte(size)
		return
	}
	var room [9]byte
	extra := protowire.SizeVarint(uint64(size)) - 1
	t.out = append(t.out, room[:extra]...)
	copy(t.out[content+extra:], t.out[content:content+size])
	protowire.AppendVarint(t.out[:content-1], uint64(size))
}
