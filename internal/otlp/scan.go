package otlp

import (
	"math/bits"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxJSONDepth bounds the recursion over JSON text, as encoding/json does.
const maxJSONDepth = 10000

// scanner reads JSON text strictly (RFC 8259) and in place. Its methods report false for text
// that is no JSON; the position is then meaningless.
type scanner struct {
	text   string
	pos    int
	spaced bool // white space was skipped between tokens
}

// space skips white space and returns the byte after it, 0 at the end.
func (s *scanner) space() byte {
	for s.pos < len(s.text) {
		switch b := s.text[s.pos]; b {
		case ' ', '\t', '\n', '\r':
			s.spaced = true
			s.pos++
		default:
			return b
		}
	}
	return 0
}

// take consumes b, after white space.
func (s *scanner) take(b byte) bool {
	if s.space() != b || s.pos >= len(s.text) {
		return false
	}
	s.pos++
	return true
}

// atEnd reports whether only white space is left.
func (s *scanner) atEnd() bool {
	s.space()
	return s.pos == len(s.text)
}

// skip consumes one value of any kind.
func (s *scanner) skip(depth int) bool {
	if depth > maxJSONDepth {
		return false
	}
	switch b := s.space(); b {
	case '"':
		_, _, ok := s.string()
		return ok
	case '{':
		return s.skipObject(depth)
	case '[':
		return s.skipArray(depth)
	case 't':
		return s.word("true")
	case 'f':
		return s.word("false")
	case 'n':
		return s.word("null")
	default:
		_, ok := s.number()
		return ok
	}
}

func (s *scanner) skipObject(depth int) bool {
	more, ok := s.open('{', '}')
	for ok && more {
		if _, _, ok = s.key(); !ok {
			return false
		}
		if ok = s.skip(depth + 1); ok {
			more, ok = s.more('}')
		}
	}
	return ok
}

func (s *scanner) skipArray(depth int) bool {
	more, ok := s.open('[', ']')
	for ok && more {
		if ok = s.skip(depth + 1); ok {
			more, ok = s.more(']')
		}
	}
	return ok
}

// open consumes the begin of an object or array and says whether it has elements.
func (s *scanner) open(begin, end byte) (more, ok bool) {
	if !s.take(begin) {
		return false, false
	}
	if s.space() == end {
		s.pos++
		return false, true
	}
	return true, true
}

// more consumes what follows an element: a comma, or the end of the object or array.
func (s *scanner) more(end byte) (more, ok bool) {
	switch s.space() {
	case ',':
		s.pos++
		return true, true
	case end:
		s.pos++
		return false, true
	}
	return false, false
}

// key consumes the key of an object's member and the colon. See string for what it returns.
func (s *scanner) key() (raw string, escaped, ok bool) {
	if s.space() != '"' {
		return "", false, false
	}
	raw, escaped, ok = s.string()
	return raw, escaped, ok && s.take(':')
}

// member consumes one member of an object: its key as string returns it, and the text of its value.
func (s *scanner) member() (raw string, escaped bool, value string, ok bool) {
	if raw, escaped, ok = s.key(); !ok {
		return "", false, "", false
	}
	value, ok = s.element()
	return raw, escaped, value, ok
}

// element consumes one value and returns its text.
func (s *scanner) element() (text string, ok bool) {
	s.space()
	begin := s.pos
	ok = s.skip(0)
	return s.text[begin:s.pos], ok
}

// word consumes a literal.
func (s *scanner) word(word string) bool {
	if !strings.HasPrefix(s.text[s.pos:], word) {
		return false
	}
	s.pos += len(word)
	return true
}

// string consumes a string that begins here and returns what stands between its quotes. When
// escaped, unescape gives the value.
func (s *scanner) string() (raw string, escaped, ok bool) {
	text, begin := s.text, s.pos+1
	for i := skipPlain(text, begin); i < len(text); i = skipPlain(text, i) {
		switch b := text[i]; {
		case !special[b]:
			i++
		case b == '"':
			s.pos = i + 1
			return text[begin:i], escaped, true
		case b == '\\':
			n := escapeLength(text[i:])
			if n == 0 {
				return "", false, false
			}
			escaped = true
			i += n
		default:
			return "", false, false
		}
	}
	return "", false, false
}

const (
	wordBytes = 8
	ones      = 0x0101010101010101
	highBits  = 0x8080808080808080
)

// skipPlain is the position of the first special byte of text at or after i, or of one of its last
// bytes, which are left to the caller. Texts are long and mostly plain, so eight bytes are looked at
// in one go: a byte is zero where subtracting one borrows from its high bit, and the lowest such
// byte is never a false one.
func skipPlain(text string, i int) int {
	for ; i+wordBytes <= len(text); i += wordBytes {
		w := text[i : i+wordBytes]
		x := uint64(w[0]) | uint64(w[1])<<8 | uint64(w[2])<<16 | uint64(w[3])<<24 |
			uint64(w[4])<<32 | uint64(w[5])<<40 | uint64(w[6])<<48 | uint64(w[7])<<56
		quote, escape := x^ones*'"', x^ones*'\\'
		if found := ((quote-ones)&^quote | (escape-ones)&^escape | (x-ones*' ')&^x) & highBits; found != 0 {
			return i + bits.TrailingZeros64(found)/wordBytes
		}
	}
	return i
}

// special are the bytes that mean something inside a string: quotes, escapes, control characters.
var special = func() (set [256]bool) {
	for b := range ' ' {
		set[b] = true
	}
	set['"'], set['\\'] = true, true
	return set
}()

// escapeLength is the length of the escape at the start of s, 0 when it is none.
func escapeLength(s string) int {
	if len(s) < 2 {
		return 0
	}
	switch s[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if _, ok := hex4(s); ok {
			return 6
		}
	}
	return 0
}

// hex4 reads the code unit of the escape \uXXXX at the start of s.
func hex4(s string) (rune, bool) {
	if len(s) < 6 {
		return 0, false
	}
	var r rune
	for _, b := range []byte(s[2:6]) {
		d, ok := hexDigit(b)
		if !ok {
			return 0, false
		}
		r = r<<4 | rune(d)
	}
	return r, true
}

func hexDigit(b byte) (byte, bool) {
	switch {
	case b >= '0' && b <= '9':
		return b - '0', true
	case b >= 'a' && b <= 'f':
		return b - 'a' + 10, true
	case b >= 'A' && b <= 'F':
		return b - 'A' + 10, true
	}
	return 0, false
}

// unescape appends the value of a string that scanner.string returned. Surrogates without their
// other half become U+FFFD.
func unescape(dst []byte, raw string) []byte {
	for {
		i := strings.IndexByte(raw, '\\')
		if i < 0 {
			return append(dst, raw...)
		}
		dst = append(dst, raw[:i]...)
		raw = raw[i:]
		switch raw[1] {
		case 'u':
			r, _ := hex4(raw)
			raw = raw[6:]
			if utf16.IsSurrogate(r) {
				low, ok := escapedUnit(raw)
				if r = utf16.DecodeRune(r, low); ok && r != utf8.RuneError {
					raw = raw[6:]
				}
			}
			dst = utf8.AppendRune(dst, r)
		default:
			dst = append(dst, plainEscapes[raw[1]])
			raw = raw[2:]
		}
	}
}

// escapedUnit reads the escaped code unit at the start of s, if there is one.
func escapedUnit(s string) (rune, bool) {
	if len(s) < 2 || s[0] != '\\' || s[1] != 'u' {
		return utf8.RuneError, false
	}
	return hex4(s)
}

var plainEscapes = [256]byte{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

// number consumes a number and returns its text.
func (s *scanner) number() (string, bool) {
	begin := s.pos
	s.accept('-', '-')
	if !s.accept('0', '0') && !s.digits() {
		return "", false
	}
	if s.accept('.', '.') && !s.digits() {
		return "", false
	}
	if s.accept('e', 'E') {
		s.accept('+', '-')
		if !s.digits() {
			return "", false
		}
	}
	return s.text[begin:s.pos], true
}

// accept consumes one byte when it is a or b.
func (s *scanner) accept(a, b byte) bool {
	if s.pos == len(s.text) || s.text[s.pos] != a && s.text[s.pos] != b {
		return false
	}
	s.pos++
	return true
}

// digits consumes at least one digit.
func (s *scanner) digits() bool {
	begin := s.pos
	for s.pos < len(s.text) && s.text[s.pos]-'0' <= 9 {
		s.pos++
	}
	return s.pos > begin
}

// appendCompact appends JSON text without the white space between its tokens.
func appendCompact(dst []byte, text string) []byte {
	quoted := false
	for i := 0; i < len(text); i++ {
		b := text[i]
		switch {
		case quoted && b == '\\':
			dst = append(dst, b)
			i++
			b = text[i]
		case b == '"':
			quoted = !quoted
		case !quoted && (b == ' ' || b == '\t' || b == '\n' || b == '\r'):
			continue
		}
		dst = append(dst, b)
	}
	return dst
}

// appendQuoted appends s as a JSON string. It escapes what JSON asks for and nothing else.
func appendQuoted(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for i := range len(s) {
		switch b := s[i]; {
		case b == '"' || b == '\\':
			dst = append(dst, '\\', b)
		case b == '\n':
			dst = append(dst, '\\', 'n')
		case b == '\r':
			dst = append(dst, '\\', 'r')
		case b == '\t':
			dst = append(dst, '\\', 't')
		case b < ' ':
			dst = append(dst, '\\', 'u', '0', '0', hex[b>>4], hex[b&15])
		default:
			dst = append(dst, b)
		}
	}
	return append(dst, '"')
}
