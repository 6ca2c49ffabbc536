package otlp

import "time"

// The words of a rejection, beside those of the JSON translator (see shapeError).
const (
	tooDeep   = "attributes:nested_too_deep"
	tooMany   = "attributes:more_than_10000"
	startLate = "startTimeUnixNano:after_2100 (nanoseconds since 1970 are expected)"
	endLate   = "endTimeUnixNano:after_2100 (nanoseconds since 1970 are expected)"
)

// lastNano is where times stop being credible: a client that sends picoseconds, or a number of
// another unit, is told so instead of getting rows nobody finds.
var lastNano = uint64(time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano())

// spanCheck collects what decides about a span.
type spanCheck struct {
	p                   *payload
	trace, span, parent id
	start, end          uint64
	attributes          int
	content             string // problem of a sub-message
	private             bool
}

// id is an id as it came: bytes, or text in a private field. The later one counts.
type id struct {
	at   message
	text bool
}

// checkSpan says what is wrong with a span, and whether it carries private fields. They are read
// only when trusted.
func checkSpan(p *payload, m message, trusted bool) (problem string, private bool) {
	s := spanCheck{p: p}
	c := p.fields(m)
	for c.next() {
		switch {
		case c.tag >= tagTextTraceID && c.tag <= tagTextParentID:
			s.private = true
			if trusted {
				s.textID(c.tag, c.content)
			}
		default:
			s.field(&c)
		}
	}
	if c.bad {
		return "span:malformed", s.private
	}
	return s.problem(), s.private
}

func (s *spanCheck) field(c *cursor) {
	switch c.tag {
	case tagSpanTraceID:
		s.trace = id{at: c.content}
	case tagSpanID:
		s.span = id{at: c.content}
	case tagSpanParentID:
		s.parent = id{at: c.content}
	case tagSpanStart:
		s.start = c.number
	case tagSpanEnd:
		s.end = c.number
	case tagSpanAttribute:
		s.attributes++
		s.content = firstProblem(s.content, checkKeyValue(s.p, c.content, 1))
	case tagSpanEvent:
		s.content = firstProblem(s.content, checkCarrier(s.p, c.content, "event", tagEventAttribute))
	case tagSpanLink:
		s.content = firstProblem(s.content, checkCarrier(s.p, c.content, "link", tagLinkAttribute))
	case tagSpanStatus:
		s.content = firstProblem(s.content, checkCarrier(s.p, c.content, "status", 0))
	}
}

func (s *spanCheck) textID(tag uint64, at message) {
	switch tag {
	case tagTextTraceID:
		s.trace = id{at, true}
	case tagTextSpanID:
		s.span = id{at, true}
	case tagTextParentID:
		s.parent = id{at, true}
	}
}

func (s *spanCheck) problem() string {
	if word := s.p.idProblem(s.trace, traceIDBytes); word != "" {
		return "traceId:" + word
	}
	if word := s.p.idProblem(s.span, spanIDBytes); word != "" {
		return "spanId:" + word
	}
	// No parent may be said in three ways: nothing, empty, all zero.
	if word := s.p.idProblem(s.parent, spanIDBytes); word != "" && word != idAbsent && word != idZero {
		return "parentSpanId:" + word
	}
	if s.start >= lastNano {
		return startLate
	}
	if s.end >= lastNano {
		return endLate
	}
	if s.attributes > maxAttributes {
		return tooMany
	}
	return s.content
}

const (
	idAbsent  = "absent"
	idZero    = "all_zero"
	idNone    = "not_an_id"
	idTooLong = "too_long"
)

// idProblem says what is wrong with an id of the given size.
func (p *payload) idProblem(i id, size int) string {
	n := i.at.to - i.at.from
	switch {
	case n == 0:
		return idAbsent
	case i.text && n > maxTextID:
		return idTooLong
	case i.text:
		return ""
	case n != size:
		return idNone
	}
	for _, b := range p.bytes(i.at) {
		if b != 0 {
			return ""
		}
	}
	return idZero
}

// checkCarrier checks a message and its attributes.
func checkCarrier(p *payload, m message, name string, attribute uint64) string {
	problem, count := "", 0
	c := p.fields(m)
	for c.next() {
		if c.tag == attribute {
			count++
			problem = firstProblem(problem, checkKeyValue(p, c.content, 1))
		}
	}
	switch {
	case c.bad:
		return name + ":malformed"
	case count > maxAttributes:
		return tooMany
	}
	return problem
}

func checkKeyValue(p *payload, m message, depth int) string {
	if _, _, ok := plainAttribute(p.data, m); ok && depth <= maxNesting {
		return ""
	}
	problem := ""
	c := p.fields(m)
	for c.next() {
		if c.tag == tagValue {
			problem = firstProblem(problem, checkValue(p, c.content, depth))
		}
	}
	if c.bad {
		return "attributes:malformed"
	}
	return problem
}

// checkValue checks an AnyValue; depth counts it.
func checkValue(p *payload, m message, depth int) string {
	if depth > maxNesting {
		return tooDeep
	}
	problem := ""
	c := p.fields(m)
	for c.next() {
		switch c.tag {
		case tagArray:
			problem = firstProblem(problem, checkElements(p, c.content, depth+1, checkValue))
		case tagList:
			problem = firstProblem(problem, checkElements(p, c.content, depth+1, checkKeyValue))
		}
	}
	if c.bad {
		return "attributes:malformed"
	}
	return problem
}

func checkElements(p *payload, m message, depth int, check func(*payload, message, int) string) string {
	problem := ""
	c := p.fields(m)
	for c.next() {
		if c.tag == tagElement {
			problem = firstProblem(problem, check(p, c.content, depth))
		}
	}
	if c.bad {
		return "attributes:malformed"
	}
	return problem
}
