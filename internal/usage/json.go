package usage

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Bounds of what is read as a usage object. Real ones have less than 2 KiB, 20 keys, 4 levels.
const (
	maxText    = 64 << 10
	maxMembers = 256
	maxDepth   = 32
)

// member is a name of a JSON object and the text of its value.
type member struct {
	name, value string
}

// isCount reports whether the member is a whole number that is not negative.
func (m *member) isCount() bool {
	_, ok := m.count()
	return ok
}

// count reads a whole number that is not negative, also at the start of a string.
func (m *member) count() (uint64, bool) { return count(m.value) }

func count(text string) (uint64, bool) {
	if text == "" {
		return 0, false
	}
	if text[0] == '"' {
		text = strings.TrimLeft(text[1:], " ")
		text = text[:len(text)-len(strings.TrimLeft(text, "0123456789"))]
	}
	if text == "" || text[0] < '0' || text[0] > '9' {
		return 0, false
	}
	if n, err := strconv.ParseUint(text, 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, false
	}
	return whole(f)
}

// whole turns a float into a count when it is one.
func whole(f float64) (uint64, bool) {
	if !(f >= 0) || f != math.Trunc(f) || f >= 1<<64 {
		return 0, false
	}
	return uint64(f), true
}

// object holds the members of a JSON object in their order.
type object []member

// find returns the value of a name, "" when there is none. Of a name that comes twice the last
// counts.
func (o object) find(name string) string {
	for _, m := range slices.Backward(o) {
		if m.name == name {
			return m.value
		}
	}
	return ""
}

// first returns the count of the first name that has one.
func (o object) first(names ...string) (uint64, bool) {
	for _, name := range names {
		if n, ok := count(o.find(name)); ok {
			return n, true
		}
	}
	return 0, false
}

// object reads the object under the first of names that is there.
func (o object) object(names ...string) object {
	for _, name := range names {
		if text := o.find(name); text != "" {
			inner, _ := parse(text, nil)
			return inner
		}
	}
	return nil
}

// objects reads the array of objects under the first of names that is there.
func (o object) objects(names ...string) (list []object) {
	for _, name := range names {
		text := o.find(name)
		if text == "" {
			continue
		}
		s := scanner{text: text}
		for more := s.open('[', ']'); more; more = s.more(']') {
			if inner, ok := parse(s.value(0), nil); ok {
				list = append(list, inner)
			}
		}
		return list
	}
	return nil
}

// parse reads a JSON object, appending its members to buf.
func parse(text string, buf []member) (object, bool) {
	if len(text) > maxText {
		return nil, false
	}
	s := scanner{text: text}
	for more := s.open('{', '}'); more; more = s.more('}') {
		name := s.name()
		value := s.value(0)
		if len(buf) == maxMembers {
			return nil, false
		}
		buf = append(buf, member{name: name, value: value})
	}
	return buf, s.end()
}

// scanner reads JSON text strictly (RFC 8259) and in place. Once bad, it stays so.
type scanner struct {
	text string
	pos  int
	bad  bool
}

func (s *scanner) fail() { s.bad, s.pos = true, len(s.text) }

// peek skips white space and returns the byte after it, 0 at the end.
func (s *scanner) peek() byte {
	for s.pos < len(s.text) {
		switch b := s.text[s.pos]; b {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return b
		}
	}
	return 0
}

// end reports whether everything was JSON, and nothing but white space is left.
func (s *scanner) end() bool { return s.peek() == 0 && s.pos == len(s.text) && !s.bad }

// open consumes the begin of an object or array and says whether elements follow.
func (s *scanner) open(begin, end byte) bool {
	if s.peek() != begin {
		s.fail()
		return false
	}
	s.pos++
	if s.peek() == end {
		s.pos++
		return false
	}
	return true
}

// more consumes what follows an element and says whether another one does.
func (s *scanner) more(end byte) bool {
	switch b := s.peek(); {
	case b == ',':
		s.pos++
		return true
	case b == end && !s.bad:
		s.pos++
	default:
		s.fail()
	}
	return false
}

// name consumes a member's name and the colon.
func (s *scanner) name() string {
	if s.peek() != '"' {
		s.fail()
		return ""
	}
	begin := s.pos
	escaped := s.quoted()
	end := s.pos
	if s.peek() != ':' || s.bad {
		s.fail()
		return ""
	}
	s.pos++
	if !escaped {
		return s.text[begin+1 : end-1]
	}
	var name string
	if json.Unmarshal([]byte(s.text[begin:end]), &name) != nil {
		s.fail()
	}
	return name
}

// value consumes a value and returns its text.
func (s *scanner) value(depth int) string {
	b := s.peek()
	begin := s.pos
	switch {
	case depth == maxDepth:
		s.fail()
	case b == '"':
		s.quoted()
	case b == '{':
		for more := s.open('{', '}'); more; more = s.more('}') {
			s.name()
			s.value(depth + 1)
		}
	case b == '[':
		for more := s.open('[', ']'); more; more = s.more(']') {
			s.value(depth + 1)
		}
	case b == 't':
		s.word("true")
	case b == 'f':
		s.word("false")
	case b == 'n':
		s.word("null")
	default:
		s.number()
	}
	if s.bad {
		return ""
	}
	return s.text[begin:s.pos]
}

func (s *scanner) word(word string) {
	if !strings.HasPrefix(s.text[s.pos:], word) {
		s.fail()
		return
	}
	s.pos += len(word)
}

// quoted consumes a string and says whether it has escapes. An escape that is none is found by
// whoever needs the value.
func (s *scanner) quoted() (escaped bool) {
	for i := s.pos + 1; i < len(s.text); i++ {
		switch b := s.text[i]; {
		case b == '"':
			s.pos = i + 1
			return escaped
		case b == '\\':
			escaped = true
			i++
		case b < ' ':
			s.fail()
			return false
		}
	}
	s.fail()
	return false
}

func (s *scanner) number() {
	if s.at('-') {
		s.pos++
	}
	if s.at('0') {
		s.pos++
	} else {
		s.digits()
	}
	if s.at('.') {
		s.pos++
		s.digits()
	}
	if s.at('e') || s.at('E') {
		s.pos++
		if s.at('+') || s.at('-') {
			s.pos++
		}
		s.digits()
	}
}

func (s *scanner) at(b byte) bool { return s.pos < len(s.text) && s.text[s.pos] == b }

// digits consumes at least one digit.
func (s *scanner) digits() {
	begin := s.pos
	for s.pos < len(s.text) && s.text[s.pos]-'0' <= 9 {
		s.pos++
	}
	if s.pos == begin {
		s.fail()
	}
}
