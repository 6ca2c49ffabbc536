package otlp

import (
	"encoding/hex"
	"math"

	"github.com/sondehq/sonde/internal/fault"
)

// Without returns a stored request, as Split made it, without the spans of the traces that drop names, and how
// many those were. Nothing is left when all of them were.
func Without(body []byte, drop func(traceID string) bool) (rest []byte, dropped int, err error) {
	r := &Request{body: payload{data: body}, trusted: true}
	if !r.check() {
		return nil, 0, fault.New(fault.Invalid, "the stored spans cannot be told apart").Because(errFraming)
	}
	var positions []int
	position := 0
	r.eachSpan(func(m message) {
		if drop(r.body.traceID(m)) {
			positions = append(positions, position)
		}
		position++
	})
	s := splitter{p: &r.body, rejected: positions, max: math.MaxInt}
	s.request()
	if len(s.parts) == 0 {
		return nil, len(positions), nil
	}
	return s.parts[0].Payload, len(positions), nil
}

// traceID is the whole id of the trace of a stored span.
func (p *payload) traceID(m message) string {
	id := p.rawIDs(m, true).trace
	if id.text {
		return string(p.bytes(id.at))
	}
	return hex.EncodeToString(p.bytes(id.at))
}

// eachSpan visits all spans in order.
func (r *Request) eachSpan(visit func(m message)) {
	resources := r.body.fields(r.body.whole())
	for resources.next() {
		if resources.tag != tagResourceSpans {
			continue
		}
		scopes := r.body.fields(resources.content)
		for scopes.next() {
			if scopes.tag != tagScopeSpans {
				continue
			}
			spans := r.body.fields(scopes.content)
			for spans.next() {
				if spans.tag == tagSpan {
					visit(spans.content)
				}
			}
		}
	}
}
