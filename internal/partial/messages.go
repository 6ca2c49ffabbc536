package partial

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// LogRecord is a log record of OpenTelemetry as far as it tells of a span.
type LogRecord struct {
	TraceID, SpanID string // lower-case hex
	Time            time.Time
	Name            string          // the event's name
	Attributes      json.RawMessage // an object
	Body            json.RawMessage // any value
}

// The events that carry messages.
const (
	detailsEvent    = "gen_ai.client.inference.operation.details"
	choiceEvent     = "gen_ai.choice"
	promptEvent     = "gen_ai.content.prompt"
	completionEvent = "gen_ai.content.completion"
)

// roles are the events that are one message of the input each.
var roles = map[string]string{
	"gen_ai.system.message": "system", "gen_ai.user.message": "user",
	"gen_ai.assistant.message": "assistant", "gen_ai.tool.message": "tool",
}

// logBody is the body of an event of kind Log.
type logBody struct {
	TraceID    string          `json:"traceId"`
	SpanID     string          `json:"id"`
	Name       string          `json:"name"`
	Attributes json.RawMessage `json:"attributes,omitempty"`
	Body       json.RawMessage `json:"body,omitempty"`
}

// NewLog makes an event of a log record. It reports false for a record that carries no messages
// or names no span. The event's id is made of the record, so a record sent again is the same event.
func NewLog(r LogRecord) (Event, bool) {
	carries := roles[r.Name] != "" || slices.Contains([]string{detailsEvent, choiceEvent, promptEvent, completionEvent}, r.Name)
	if !carries || idProblem(r.TraceID) != "" || idProblem(r.SpanID) != "" {
		return Event{}, false
	}
	text, err := encode(logBody{r.TraceID, r.SpanID, r.Name, r.Attributes, r.Body})
	if err != nil {
		return Event{}, false // attributes or body are no JSON
	}
	text = bytes.TrimSuffix(text, []byte("\n"))
	sum := sha256.Sum256(text)
	return Event{
		ID: hex.EncodeToString(sum[:16]), Time: r.Time.UTC().Truncate(time.Microsecond), Kind: Log, Body: text,
	}, true
}

// Messages are the input and output that log events of one span tell, as text. They are the same
// as if the span itself carried the events. The first of three forms that tells anything gives
// both sides: one event with all messages, an event per message, prompt and completion as text.
func Messages(events []Event) (input, output string) {
	logs := logsInOrder(events)
	for _, form := range []func([]logBody) (string, string){fromDetails, fromMessages, fromContent} {
		if input, output = form(logs); input != "" || output != "" {
			return input, output
		}
	}
	return "", ""
}

// logsInOrder sorts by time; records of one microsecond stay as they were accepted.
func logsInOrder(events []Event) []logBody {
	var list []Event
	for i := range events {
		if events[i].Kind == Log {
			list = append(list, events[i])
		}
	}
	slices.SortFunc(list, func(a, b Event) int {
		return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.Version, b.Version), cmp.Compare(a.ID, b.ID))
	})
	var logs []logBody
	for i := range list {
		var body logBody
		if json.Unmarshal(list[i].Body, &body) == nil {
			logs = append(logs, body)
		}
	}
	return logs
}

// fromDetails reads the newest event that has all messages of a call.
func fromDetails(logs []logBody) (input, output string) {
	for i := range logs {
		if logs[i].Name != detailsEvent {
			continue
		}
		in := logs[i].value("gen_ai.input.messages")
		set(&input, withSystem(in, logs[i].value("gen_ai.system_instructions")))
		set(&output, rowText(logs[i].value("gen_ai.output.messages")))
	}
	return input, output
}

// value finds a member among the attributes, else in the body. Text that is JSON counts as JSON.
func (l *logBody) value(key string) json.RawMessage {
	for _, object := range []json.RawMessage{l.Attributes, l.Body} {
		r := newReader(object)
		if raw := r.raw(key); raw != nil {
			if text := r.text(key); text != "" && json.Valid([]byte(text)) && strings.ContainsAny(text[:1], "[{") {
				return json.RawMessage(text)
			}
			return raw
		}
	}
	return nil
}

// withSystem puts instructions before a list of messages that has none of the system.
func withSystem(messages, instructions json.RawMessage) string {
	var list []json.RawMessage
	system := systemText(instructions)
	if system == "" || json.Unmarshal(messages, &list) != nil {
		return rowText(messages)
	}
	for _, message := range list {
		if r := newReader(message); r.text("role") == "system" {
			return rowText(messages)
		}
	}
	var m object
	m.add("role", quote("system"))
	m.add("content", quote(system))
	return rowText(join(slices.Insert(list, 0, m.json())))
}

// systemText joins the parts of instructions by newlines.
func systemText(instructions json.RawMessage) string {
	var parts []json.RawMessage
	if json.Unmarshal(instructions, &parts) != nil {
		return rowText(instructions)
	}
	var texts []string
	for _, part := range parts {
		r := newReader(part)
		if text := r.text("content"); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n")
}

// fromMessages makes a list of the messages, and of the choices unless there is just one.
func fromMessages(logs []logBody) (input, output string) {
	var messages, choices []json.RawMessage
	for i := range logs {
		l := &logs[i]
		var m object
		switch role := roles[l.Name]; {
		case role != "":
			m.add("role", quote(role))
			messages = append(messages, l.message(&m))
		case l.Name == choiceEvent:
			choices = append(choices, l.message(&m))
		}
	}
	if len(messages) > 0 {
		input = rowText(join(messages))
	}
	switch len(choices) {
	case 0:
	case 1:
		output = rowText(choices[0])
	default:
		output = rowText(join(choices))
	}
	return input, output
}

// systemAttributes are attributes of a message's log record that are not part of the message.
var systemAttributes = []string{"gen_ai.system", "gen_ai.provider.name", "event.name"}

// message adds the members of attributes and body; a body that is no object is the content.
func (l *logBody) message(m *object) json.RawMessage {
	m.addAll(l.Attributes, systemAttributes...)
	if len(l.Body) > 0 && l.Body[0] == '{' {
		m.addAll(l.Body)
	} else if len(l.Body) > 0 && l.Body[0] != 'n' {
		m.add("content", l.Body)
	}
	return m.json()
}

// fromContent reads the older form: one text each.
func fromContent(logs []logBody) (input, output string) {
	for i := range logs {
		switch logs[i].Name {
		case promptEvent:
			set(&input, rowText(logs[i].value("gen_ai.prompt")))
		case completionEvent:
			set(&output, rowText(logs[i].value("gen_ai.completion")))
		}
	}
	return input, output
}
