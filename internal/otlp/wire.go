package otlp

import (
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// payload is a protobuf body. text holds the same bytes as data: strings are cut from it, so
// that a body is copied once and no attribute is. Readers that need no strings leave it empty.
type payload struct {
	data []byte
	text string
}

// message is where a message lies in its payload.
type message struct{ from, to int }

// whole returns the outermost message of p.
func (p *payload) whole() message { return message{0, len(p.data)} }

func (p *payload) bytes(m message) []byte { return p.data[m.from:m.to] }

// string returns m as valid UTF-8: bytes that are none become U+FFFD.
func (p *payload) string(m message) string {
	s := p.text[m.from:m.to]
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// cursor walks over the fields of one message.
//
//	c := p.fields(m)
//	for c.next() { switch c.tag { ... } }
//	if c.bad { ... }
type cursor struct {
	data     []byte
	pos, end int

	// What next stopped at: the tag, where the field begins, the number (varint and fixed
	// fields) or the content (length-delimited fields).
	tag     uint64
	start   int
	number  uint64
	content message

	bad bool // the bytes are no message
}

func (p *payload) fields(m message) cursor {
	return cursor{data: p.data, pos: m.from, end: m.to}
}

// next moves to the next field and reports whether there is one.
func (c *cursor) next() bool {
	if c.pos >= c.end {
		return false
	}
	c.start = c.pos
	if b := c.data[c.pos]; b < 0x80 { // most tags and lengths are one byte: no call for them
		c.tag = uint64(b)
		c.pos++
	} else {
		c.tag = c.varint()
	}
	if c.bad || c.tag>>3 == 0 || c.tag>>3 > uint64(protowire.MaxValidNumber) {
		c.bad = true
		return false
	}
	switch c.tag & 7 {
	case length:
		var size uint64
		if c.pos < c.end && c.data[c.pos] < 0x80 {
			size = uint64(c.data[c.pos])
			c.pos++
		} else {
			size = c.varint()
		}
		if size > uint64(c.end-c.pos) {
			c.bad = true
			break
		}
		c.content = message{c.pos, c.pos + int(size)}
		c.pos = c.content.to
	case varint:
		c.number = c.varint()
	default:
		c.rare()
	}
	if c.bad {
		c.pos = c.end
	}
	return !c.bad
}

// varint reads one variable-length integer.
func (c *cursor) varint() uint64 {
	v, n := protowire.ConsumeVarint(c.data[c.pos:c.end])
	if n < 0 {
		c.bad = true
		return 0
	}
	c.pos += n
	return v
}

// rare reads the value of fixed-size fields and skips groups.
func (c *cursor) rare() {
	rest := c.data[c.pos:c.end]
	var n int
	switch c.tag & 7 {
	case fixed64:
		c.number, n = protowire.ConsumeFixed64(rest)
	case fixed32:
		var v uint32
		v, n = protowire.ConsumeFixed32(rest)
		c.number = uint64(v)
	default:
		n = protowire.ConsumeFieldValue(protowire.Number(c.tag>>3), protowire.Type(c.tag&7), rest)
	}
	if n < 0 {
		c.bad = true
		return
	}
	c.pos += n
}
