package otlp

import (
	"time"

	"github.com/sondehq/sonde/internal/model"
)

// event is a span event; its attributes stay on the wire.
type event struct {
	name string
	nano uint64
	at   message
}

// Events that rules read.
const (
	detailsEvent    = "gen_ai.client.inference.operation.details"
	choiceEvent     = "gen_ai.choice"
	promptEvent     = "gen_ai.content.prompt"
	completionEvent = "gen_ai.content.completion"
	exceptionEvent  = "exception"
	firstToken      = "First Token Stream Event"
)

// messageRoles are the events that are messages of the input.
var messageRoles = map[string]string{
	"gen_ai.system.message": "system", "gen_ai.user.message": "user",
	"gen_ai.assistant.message": "assistant", "gen_ai.tool.message": "tool",
}

func (m *mapper) readEvent(at message) {
	e := event{at: at}
	c := m.p.fields(at)
	for c.next() {
		switch c.tag {
		case tagEventTime:
			e.nano = c.number
		case tagEventName:
			e.name = m.p.string(c.content)
		}
	}
	m.span.events = append(m.span.events, e)
}

// eventAttribute returns the last attribute of an event with a name.
func (m *mapper) eventAttribute(e *event, name string) (v value) {
	c := m.p.fields(e.at)
	for c.next() {
		if c.tag != tagEventAttribute {
			continue
		}
		var other value
		if m.p.string(m.p.keyValue(c.content, &other)) == name && other.kind != noValue {
			v = other
		}
	}
	return v
}

// eventText reads one attribute of the first event with a name that has it.
func eventText(event, attribute string) func(*mapper) string {
	return func(m *mapper) string {
		for i := range m.span.events {
			if e := &m.span.events[i]; e.name == event {
				if v := m.eventAttribute(e, attribute); v.kind != noValue {
					return m.keepText(v)
				}
			}
		}
		return ""
	}
}

var (
	detailsMessages     = eventText(detailsEvent, "gen_ai.input.messages")
	detailsInstructions = eventText(detailsEvent, "gen_ai.system_instructions")
	detailsOutput       = eventText(detailsEvent, "gen_ai.output.messages")
)

func detailsInput(m *mapper) string {
	return instructed(detailsMessages(m), detailsInstructions(m))
}

// messageEvents lists the events that are messages, each with its role.
func messageEvents(m *mapper) string {
	var found []string
	for i := range m.span.events {
		e := &m.span.events[i]
		if role := messageRoles[e.name]; role != "" {
			found = append(found, string(m.appendEvent(nil, e.at, tagEventAttribute, role)))
		}
	}
	if found == nil {
		return ""
	}
	return joined(found)
}

// choiceEvents are what the model answered; a single choice stands alone.
func choiceEvents(m *mapper) string {
	var found []string
	for i := range m.span.events {
		if e := &m.span.events[i]; e.name == choiceEvent {
			found = append(found, string(m.appendEvent(nil, e.at, tagEventAttribute, "")))
		}
	}
	switch len(found) {
	case 0:
		return ""
	case 1:
		return found[0]
	}
	return joined(found)
}

// appendEvent appends the attributes of an event or link as a JSON object, after a role where
// there is one.
func (m *mapper) appendEvent(dst []byte, at message, attribute uint64, role string) []byte {
	dst = append(dst, '{')
	empty := len(dst)
	if role != "" {
		dst = appendQuoted(append(dst, `"role":`...), role)
	}
	var seen names
	c := m.p.fields(at)
	for c.next() {
		if c.tag != attribute {
			continue
		}
		var v value
		name := m.p.string(m.p.keyValue(c.content, &v))
		if name == "" || v.kind == noValue || role != "" && name == "role" || seen.find(name) >= 0 {
			continue
		}
		seen.add(name)
		if len(dst) > empty {
			dst = append(dst, ',')
		}
		dst = m.p.appendJSON(append(appendQuoted(dst, name), ':'), v, 1)
	}
	return append(dst, '}')
}

// firstTokenEvent is the time of an event that marks the first token.
func firstTokenEvent(m *mapper, _ time.Time) time.Time {
	for i := range m.span.events {
		if e := &m.span.events[i]; e.name == firstToken && e.nano > 0 && e.nano < lastNano {
			return milliseconds(e.nano)
		}
	}
	return time.Time{}
}

// exceptionMessage is the message of the last exception.
func (m *mapper) exceptionMessage() (text string) {
	for i := range m.span.events {
		if e := &m.span.events[i]; e.name == exceptionEvent {
			if v := m.eventAttribute(e, "exception.message"); v.kind != noValue {
				text = m.keepText(v)
			}
		}
	}
	return text
}

// setHappenings keeps exceptions and links, for which a row has no columns:
//
//	{"exceptions":[{"time":"...","attributes":{...}}],"links":[{"traceId":"...","spanId":"...","attributes":{...}}]}
func (m *mapper) setHappenings(o *model.Observation) {
	var exceptions, links []byte
	for i := range m.span.events {
		if e := &m.span.events[i]; e.name == exceptionEvent {
			exceptions = m.appendException(exceptions, e)
		}
	}
	for _, at := range m.span.links {
		links = m.appendLink(links, at)
	}
	if exceptions == nil && links == nil {
		return
	}
	out := append([]byte(`{"exceptions":[`), exceptions...)
	out = append(append(out, `],"links":[`...), links...)
	o.Happenings = string(append(out, "]}"...))
}

func (m *mapper) appendException(dst []byte, e *event) []byte {
	if dst != nil {
		dst = append(dst, ',')
	}
	dst = append(dst, '{')
	if e.nano > 0 && e.nano < lastNano {
		dst = milliseconds(e.nano).AppendFormat(append(dst, `"time":"`...), "2006-01-02T15:04:05.000Z")
		dst = append(dst, `",`...)
	}
	dst = m.appendEvent(append(dst, `"attributes":`...), e.at, tagEventAttribute, "")
	return append(dst, '}')
}

// appendLink appends a link to another span; one without ids leads nowhere.
func (m *mapper) appendLink(dst []byte, at message) []byte {
	var trace, span id
	c := m.p.fields(at)
	for c.next() {
		switch c.tag {
		case tagLinkTraceID:
			trace = id{at: c.content}
		case tagLinkSpanID:
			span = id{at: c.content}
		}
	}
	if m.p.idProblem(trace, traceIDBytes) != "" || m.p.idProblem(span, spanIDBytes) != "" {
		return dst
	}
	if dst != nil {
		dst = append(dst, ',')
	}
	dst = append(append(append(dst, `{"traceId":"`...), m.idText(trace)...), `","spanId":"`...)
	dst = append(append(dst, m.idText(span)...), `","attributes":`...)
	return append(m.appendEvent(dst, at, tagLinkAttribute, ""), '}')
}
