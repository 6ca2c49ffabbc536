package partial

import "bytes"

// TraceID is the trace that the event is about, of a score the one it was given to.
func (e *Event) TraceID() string {
	if e.Kind.OfScore() {
		r := newReader(e.Body)
		return r.text("traceId")
	}
	trace, _ := e.Entity()
	return trace
}

// Without returns lines, as AppendLine wrote them, without the events about traces that drop names, and how many
// those were.
func Without(payload []byte, drop func(traceID string) bool) (rest []byte, dropped int, err error) {
	events, err := ParseLines(payload)
	if err != nil {
		return nil, 0, err
	}
	i := 0
	for text := range bytes.Lines(payload) {
		if drop(events[i].TraceID()) {
			dropped++
		} else {
			rest = append(rest, text...)
		}
		i++
	}
	return rest, dropped, nil
}
