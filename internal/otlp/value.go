package otlp

import (
	"encoding/base64"
	"math"
	"strconv"
)

type valueKind uint8

const (
	noValue valueKind = iota // absent, or of a kind OTLP does not have yet
	stringValue
	boolValue
	intValue
	doubleValue
	arrayValue
	listValue // key-value list
	bytesValue
)

// value is an attribute's value as far as it costs nothing: nested values stay on the wire.
type value struct {
	kind   valueKind
	text   string  // of a string
	number uint64  // of a bool, int or double: its bits
	at     message // of an array, list or bytes
}

// value reads an AnyValue on top of what an earlier one left: the last field that is set counts.
func (p *payload) value(m message, v *value) {
	c := p.fields(m)
	for c.next() {
		switch c.tag {
		case tagString:
			*v = value{kind: stringValue, text: p.string(c.content)}
		case tagBool:
			*v = value{kind: boolValue, number: c.number}
		case tagInt:
			*v = value{kind: intValue, number: c.number}
		case tagDouble:
			*v = value{kind: doubleValue, number: c.number}
		case tagArray:
			*v = value{kind: arrayValue, at: c.content}
		case tagList:
			*v = value{kind: listValue, at: c.content}
		case tagBytes:
			*v = value{kind: bytesValue, at: c.content}
		}
	}
}

// keyValue reads a KeyValue into v and returns where its key is.
func (p *payload) keyValue(m message, v *value) (key message) {
	if key, text, ok := plainAttribute(p.data, m); ok {
		v.kind, v.text = stringValue, p.string(text)
		return key
	}
	*v = value{}
	c := p.fields(m)
	for c.next() {
		switch c.tag {
		case tagKey:
			key = c.content
		case tagValue:
			p.value(c.content, v)
		}
	}
	return key
}

// plainAttribute recognizes the usual form of a KeyValue, a short key and a short string and
// nothing else, without the general walk over fields. SDKs write the key first, collectors the
// value. It is a short cut: a KeyValue it does not recognize may still be a good one.
func plainAttribute(data []byte, m message) (key, text message, ok bool) {
	b := data[m.from:m.to]
	second := shortField(b)
	if second < 0 || second == len(b) || second+shortField(b[second:]) != len(b) {
		return key, text, false
	}
	key, value := message{2, second}, message{second + 2, len(b)}
	switch {
	case b[0] == tagKey && b[second] == tagValue:
	case b[0] == tagValue && b[second] == tagKey:
		key, value = value, key
	default:
		return key, text, false
	}
	inner := b[value.from:value.to]
	if shortField(inner) != len(inner) || inner[0] != tagString {
		return key, text, false
	}
	key = message{m.from + key.from, m.from + key.to}
	return key, message{m.from + value.from + 2, m.from + value.to}, true
}

// shortField returns where the field at the start of b ends if it has a one-byte tag, which is
// taken for that of a length-delimited field, and a one-byte length; -1 otherwise.
func shortField(b []byte) int {
	if len(b) < 2 || b[1] >= 0x80 || 2+int(b[1]) > len(b) {
		return -1
	}
	return 2 + int(b[1])
}

// isTrue reports whether v is true or the string "true".
func (v value) isTrue() bool {
	return v.kind == boolValue && v.number != 0 || v.kind == stringValue && v.text == "true"
}

// number reads v as a number, also one in a string.
func (p *payload) number(v value) (float64, bool) {
	switch v.kind {
	case intValue:
		return float64(int64(v.number)), true
	case doubleValue:
		f := math.Float64frombits(v.number)
		return f, !math.IsNaN(f) && !math.IsInf(f, 0)
	case stringValue:
		f, ok := number(v.text)
		return f, ok && !math.IsNaN(f) && !math.IsInf(f, 0)
	default:
		return 0, false
	}
}

// appendText appends v as text: strings and bytes (in base64) plain, the rest as JSON.
func (p *payload) appendText(dst []byte, v value) []byte {
	switch v.kind {
	case stringValue:
		return append(dst, v.text...)
	case bytesValue:
		return base64.StdEncoding.AppendEncode(dst, p.bytes(v.at))
	case doubleValue:
		return appendDouble(dst, math.Float64frombits(v.number))
	default:
		return p.appendJSON(dst, v, 1)
	}
}

// appendJSON appends v as compact JSON. Values nested deeper than a span may have them are null.
func (p *payload) appendJSON(dst []byte, v value, depth int) []byte {
	switch v.kind {
	case stringValue:
		return appendQuoted(dst, v.text)
	case boolValue:
		return strconv.AppendBool(dst, v.number != 0)
	case intValue:
		return strconv.AppendInt(dst, int64(v.number), 10)
	case doubleValue:
		f := math.Float64frombits(v.number)
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return append(appendDouble(append(dst, '"'), f), '"')
		}
		return appendDouble(dst, f)
	case bytesValue:
		dst = base64.StdEncoding.AppendEncode(append(dst, '"'), p.bytes(v.at))
		return append(dst, '"')
	case arrayValue, listValue:
		if depth <= maxNesting {
			return p.appendNested(dst, v, depth+1)
		}
	case noValue:
	}
	return append(dst, "null"...)
}

func (p *payload) appendNested(dst []byte, v value, depth int) []byte {
	begin, end := byte('['), byte(']')
	if v.kind == listValue {
		begin, end = '{', '}'
	}
	dst = append(dst, begin)
	empty := len(dst)
	c := p.fields(v.at)
	for c.next() {
		if c.tag != tagElement {
			continue
		}
		if len(dst) > empty {
			dst = append(dst, ',')
		}
		var element value
		if v.kind == listValue {
			dst = append(appendQuoted(dst, p.string(p.keyValue(c.content, &element))), ':')
		} else {
			p.value(c.content, &element)
		}
		dst = p.appendJSON(dst, element, depth)
	}
	return append(dst, end)
}

// appendDouble writes a number as JavaScript does, which is how the SDKs' users know it.
func appendDouble(dst []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, "NaN"...)
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(f, -1):
		return append(dst, "-Infinity"...)
	}
	abs := math.Abs(f)
	if abs == 0 || abs >= 1e-6 && abs < 1e21 {
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	if n := len(dst); dst[n-4] == 'e' && dst[n-2] == '0' { // e-07 is e-7 there
		dst = append(dst[:n-2], dst[n-1])
	}
	return dst
}
