package otlp

import (
	"google.golang.org/protobuf/encoding/protowire"
)

// Part is a share of a request, itself a complete protobuf ExportTraceServiceRequest.
type Part struct {
	Payload []byte
	First   int // position of its first span among the usable spans of the request
	Spans   int
}

// Split returns the usable spans in parts of at most maxBytes, in order. A part is larger only when
// it holds a single span. A request that fits and lost no span is one part: the body itself. A
// request without usable spans has no parts.
func (r *Request) Split(maxBytes int) []Part {
	if r.spans == 0 {
		return nil
	}
	stripped := r.private && !r.trusted
	if len(r.rejected) == 0 && !stripped && len(r.body.data) <= maxBytes {
		return []Part{{Payload: r.body.data, Spans: r.spans}}
	}
	s := splitter{p: &r.body, rejected: r.rejected, strip: stripped, max: maxBytes}
	s.request()
	return s.parts
}

// splitter recomposes a request at the level of wire bytes: whatever surrounds the spans of a
// resource or a scope is repeated in every part that holds some of them.
type splitter struct {
	p        *payload
	rejected []int
	strip    bool
	max      int

	parts       []Part
	seen, first int

	// The open part: closed resource spans, then the contents of the open ones. An open message
	// without its head has not been begun in this part.
	out          []byte
	spans        int
	resource     []byte
	scope        []byte
	resourceHead []byte
	scopeHead    []byte
}

func (s *splitter) request() {
	c := s.p.fields(s.p.whole())
	for c.next() {
		if c.tag == tagResourceSpans {
			s.resourceSpans(c.content)
		}
	}
	s.flush()
}

func (s *splitter) resourceSpans(m message) {
	s.resourceHead = s.others(m, tagScopeSpans)
	s.resource = nil
	c := s.p.fields(m)
	for c.next() {
		if c.tag == tagScopeSpans {
			s.scopeSpans(c.content)
		}
	}
	s.closeResource()
}

func (s *splitter) scopeSpans(m message) {
	s.scopeHead = s.others(m, tagSpan)
	s.scope = nil
	c := s.p.fields(m)
	for c.next() {
		if c.tag == tagSpan {
			s.span(c.content)
		}
	}
	s.closeScope()
}

func (s *splitter) span(m message) {
	position := s.seen
	s.seen++
	if len(s.rejected) > 0 && s.rejected[0] == position {
		s.rejected = s.rejected[1:]
		return
	}
	span := s.p.bytes(m)
	if s.strip {
		span = withoutPrivate(s.p, m)
	}
	if s.spans > 0 && s.sizeWith(span) > s.max {
		s.flush()
	}
	if s.scope == nil {
		s.scope = append(make([]byte, 0, len(s.scopeHead)+framed(len(span))), s.scopeHead...)
	}
	s.scope = appendFramed(s.scope, tagSpan, span)
	s.spans++
}

// sizeWith is the size of the open part if span were added.
func (s *splitter) sizeWith(span []byte) int {
	scope := len(s.scope)
	if s.scope == nil {
		scope = len(s.scopeHead)
	}
	resource := len(s.resource)
	if s.resource == nil {
		resource = len(s.resourceHead)
	}
	return len(s.out) + framed(resource+framed(scope+framed(len(span))))
}

func (s *splitter) closeScope() {
	if s.scope == nil {
		return
	}
	if s.resource == nil {
		s.resource = append(make([]byte, 0, len(s.resourceHead)+framed(len(s.scope))), s.resourceHead...)
	}
	s.resource = appendFramed(s.resource, tagScopeSpans, s.scope)
	s.scope = nil
}

func (s *splitter) closeResource() {
	s.closeScope()
	if s.resource == nil {
		return
	}
	s.out = appendFramed(s.out, tagResourceSpans, s.resource)
	s.resource = nil
}

// flush ends the open part.
func (s *splitter) flush() {
	s.closeResource()
	if s.spans > 0 {
		s.parts = append(s.parts, Part{Payload: s.out, First: s.first, Spans: s.spans})
	}
	s.first += s.spans
	s.out, s.spans = nil, 0
}

// others returns the fields of m without those tagged tag.
func (s *splitter) others(m message, tag uint64) []byte {
	out := []byte{}
	c := s.p.fields(m)
	for c.next() {
		if c.tag != tag {
			out = append(out, s.p.data[c.start:c.pos]...)
		}
	}
	return out
}

// withoutPrivate returns a span without the fields only we may write.
func withoutPrivate(p *payload, m message) []byte {
	var out []byte
	c := p.fields(m)
	for c.next() {
		if c.tag < tagTextTraceID || c.tag > tagTextParentID {
			out = append(out, p.data[c.start:c.pos]...)
		}
	}
	return out
}

// framed is the size of a length-delimited field with a one-byte tag.
func framed(size int) int { return 1 + protowire.SizeBytes(size) }

func appendFramed(dst []byte, tag byte, content []byte) []byte {
	return protowire.AppendBytes(append(dst, tag), content)
}
