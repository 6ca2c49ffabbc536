package otlp

import (
	"encoding/base64"
	"math"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// framed writes one message as a field. The next value must be an object.
func (t *translator) framed(tag uint64, kind jsonMessageKind, depth int) error {
	content := t.begin(tag)
	if err := t.message(kind, depth); err != nil {
		return err
	}
	t.end(content)
	return nil
}

// message writes the fields of one object. depth counts attribute values around it.
func (t *translator) message(kind jsonMessageKind, depth int) error {
	if kind == valueMessage {
		if depth++; depth > maxNesting {
			return shapeError(tooDeep)
		}
	}
	more, ok := t.in.open('{', '}')
	for ok && more {
		key, good := t.key()
		if !good {
			return errJSON
		}
		if err := t.known(kind, key, depth); err != nil {
			return err
		}
		more, ok = t.in.more('}')
	}
	if !ok {
		return errJSON
	}
	return nil
}

// known writes a member when the message has such a field, and skips it otherwise.
func (t *translator) known(kind jsonMessageKind, key string, depth int) error {
	m := &jsonMessages[kind]
	f, ok := m.fields[key]
	if !ok || t.in.space() == 'n' {
		return t.skip()
	}
	return t.field(f, m.path, key, depth)
}

// field writes one field. path and key name it in rejections.
func (t *translator) field(f jsonField, path, key string, depth int) error {
	switch f.kind {
	case listField:
		return t.repeated(f, path, key, depth)
	case messageField:
		if t.in.space() != '{' {
			return shapeError(path + key + ":not_an_object")
		}
		return t.framed(f.tag, f.of, depth)
	case textField:
		if t.in.space() != '"' {
			return shapeError(path + key + ":not_a_string")
		}
		return t.text(f.tag)
	case idField:
		return t.id(f, path+key)
	default: // a scalar
	}
	text, quoted, err := t.scalar()
	if err != nil {
		return err
	}
	if word := t.plain(f, text, quoted); word != "" {
		return shapeError(path + key + ":" + word)
	}
	return nil
}

func (t *translator) repeated(f jsonField, path, key string, depth int) error {
	if t.in.space() != '[' {
		return shapeError(path + key + ":not_an_array")
	}
	more, ok := t.in.open('[', ']')
	for ok && more {
		if t.in.space() != '{' {
			return shapeError(path + key + ":not_an_object")
		}
		if err := t.framed(f.tag, f.of, depth); err != nil {
			return err
		}
		more, ok = t.in.more(']')
	}
	if !ok {
		return errJSON
	}
	return nil
}

// text writes the string that comes next.
func (t *translator) text(tag uint64) error {
	raw, escaped, ok := t.in.string()
	if !ok {
		return errJSON
	}
	if !escaped {
		t.out = protowire.AppendString(protowire.AppendVarint(t.out, tag), raw)
		return nil
	}
	content := t.begin(tag)
	t.out = unescape(t.out, raw)
	t.end(content)
	return nil
}

// scalar consumes the next value: a string is decoded, anything else is given as it stands.
func (t *translator) scalar() (text string, quoted bool, err error) {
	if t.in.space() != '"' {
		begin := t.in.pos
		err = t.skip()
		return t.in.text[begin:t.in.pos], false, err
	}
	raw, escaped, ok := t.in.string()
	if !ok {
		return "", false, errJSON
	}
	if escaped {
		raw = string(unescape(nil, raw))
	}
	return raw, true, nil
}

// plain writes a scalar field, or says what it is not.
func (t *translator) plain(f jsonField, text string, quoted bool) string {
	switch f.kind {
	case boolField:
		if text != "true" && text != "false" {
			return "not_a_boolean"
		}
		t.number(f.tag, protowire.EncodeBool(text == "true"))
	case doubleField:
		return t.double(text, quoted)
	case intField:
		return t.int(text)
	case bytesField:
		return t.bytes(f.tag, text)
	case enumField:
		if n, ok := enumNames[text]; ok && quoted {
			t.number(f.tag, n)
			return ""
		}
		fallthrough
	default:
		n, ok := parseUint(text)
		if !ok {
			return "not_a_number"
		}
		t.number(f.tag, n)
	}
	return ""
}

// number writes a number in the wire type of its tag.
func (t *translator) number(tag, n uint64) {
	t.out = protowire.AppendVarint(t.out, tag)
	switch tag & 7 {
	case fixed64:
		t.out = protowire.AppendFixed64(t.out, n)
	case fixed32:
		t.out = protowire.AppendFixed32(t.out, uint32(n))
	default:
		t.out = protowire.AppendVarint(t.out, n)
	}
}

// int writes an integer; one that does not fit 64 bits becomes a double.
func (t *translator) int(text string) string {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		t.number(tagInt, uint64(n))
		return ""
	}
	v, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil || math.IsNaN(v) || math.IsInf(v, 0):
		return "not_a_number"
	case v == math.Trunc(v) && math.Abs(v) < 1<<63:
		t.number(tagInt, uint64(int64(v)))
	default:
		t.number(tagDouble, math.Float64bits(v))
	}
	return ""
}

// double writes a floating point number. A string that is none stays a string.
func (t *translator) double(text string, quoted bool) string {
	v, err := strconv.ParseFloat(text, 64)
	switch {
	case err == nil || math.IsInf(v, 0):
		t.number(tagDouble, math.Float64bits(v))
	case quoted:
		t.out = protowire.AppendString(protowire.AppendVarint(t.out, tagString), text)
	default:
		return "not_a_number"
	}
	return ""
}

func (t *translator) bytes(tag uint64, text string) string {
	text = strings.TrimRight(text, "=")
	b, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		if b, err = base64.RawURLEncoding.DecodeString(text); err != nil {
			return "not_base64"
		}
	}
	t.out = protowire.AppendBytes(protowire.AppendVarint(t.out, tag), b)
	return ""
}

// parseUint reads an unsigned number, also in floating point form; nothing is 0.
func parseUint(text string) (uint64, bool) {
	if text == "" {
		return 0, true
	}
	if n, err := strconv.ParseUint(text, 10, 64); err == nil {
		return n, true
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= 0 && v < 1<<64) {
		return 0, false
	}
	return uint64(v), true
}

// id writes an id: hexadecimal text of the right length as bytes, the bytes of a serialized
// buffer, any other text as it is in a private field.
func (t *translator) id(f jsonField, name string) error {
	switch t.in.space() {
	case '{':
		return t.bufferID(f, name)
	case '"':
	default:
		return shapeError(name + ":" + idNone)
	}
	text, _, err := t.scalar()
	if err != nil || text == "" {
		return err
	}
	var buf [traceIDBytes]byte
	if b, ok := hexBytes(buf[:f.size], text); ok {
		t.out = protowire.AppendBytes(protowire.AppendVarint(t.out, f.tag), b)
	} else if f.text != 0 {
		t.out = protowire.AppendString(protowire.AppendVarint(t.out, f.text), text)
	}
	return nil
}

// bufferID reads {"type":"Buffer","data":[1,2,3]}, which is how Node.js serializes bytes.
func (t *translator) bufferID(f jsonField, name string) error {
	var b []byte
	found := false
	err := t.members(func(key string) error {
		if key != "data" || t.in.space() != '[' {
			return t.skip()
		}
		found = true
		more, ok := t.in.open('[', ']')
		for ok && more {
			text, _, err := t.scalar()
			n, isNumber := parseUint(text)
			if err != nil || !isNumber || n > math.MaxUint8 {
				return shapeError(name + ":" + idNone)
			}
			b = append(b, byte(n))
			more, ok = t.in.more(']')
		}
		if !ok {
			return errJSON
		}
		return nil
	})
	if err != nil {
		return err
	}
	if !found {
		return shapeError(name + ":" + idNone)
	}
	t.out = protowire.AppendBytes(protowire.AppendVarint(t.out, f.tag), b)
	return nil
}

// hexBytes fills dst from hexadecimal text of exactly its length.
func hexBytes(dst []byte, text string) ([]byte, bool) {
	if len(text) != 2*len(dst) {
		return nil, false
	}
	for i := range dst {
		high, ok := hexDigit(text[2*i])
		low, ok2 := hexDigit(text[2*i+1])
		if !ok || !ok2 {
			return nil, false
		}
		dst[i] = high<<4 | low
	}
	return dst, true
}
