package otlp

import (
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/fault"
)

// LogRecord is a log record that tells of a span: an event of the GenAI conventions.
type LogRecord struct {
	TraceID, SpanID string // lower-case hex
	Time            time.Time
	Name            string          // the event's name
	Attributes      json.RawMessage // an object
	Body            json.RawMessage // any value
}

// Logs are what can be used of an OTLP logs request.
type Logs struct {
	Records []LogRecord // events of the GenAI conventions that name their span
	Dropped int         // other records: they are nobody's fault and not kept
	Excess  int         // events beyond maxLogRecords
}

// maxLogRecords bounds what one request can make us build.
const maxLogRecords = 20_000

const (
	tagLogRecords = 2<<3 | length

	tagLogTime      = 1<<3 | fixed64
	tagLogObserved  = 11<<3 | fixed64
	tagLogBody      = 5<<3 | length
	tagLogAttribute = 6<<3 | length
	tagLogTraceID   = 9<<3 | length
	tagLogSpanID    = 10<<3 | length
	tagLogEventName = 12<<3 | length

	// eventPrefix begins the names of events that tell of messages.
	eventPrefix = "gen_ai."
	// eventNameKey is where older SDKs have the name of an event.
	eventNameKey = "event.name"
)

// ParseLogsProtobuf reads a protobuf ExportLogsServiceRequest. It fails only for a body whose
// records cannot even be told apart: a record that cannot be read is dropped alone.
func ParseLogsProtobuf(body []byte) (Logs, error) {
	p := &payload{data: body, text: string(body)}
	var logs Logs
	sound := walkFields(p, p.whole(), tagResourceSpans, func(m message) bool {
		return walkFields(p, m, tagScopeSpans, func(m message) bool {
			return walkFields(p, m, tagLogRecords, func(m message) bool {
				record, ok := p.logRecord(m)
				logs.add(record, ok)
				return true
			})
		})
	})
	if !sound {
		return Logs{}, fault.New(fault.Invalid, "Failed to parse OTel Protobuf Logs").Because(errFraming)
	}
	return logs, nil
}

// walkFields calls do for every field with the tag. It reports false when the message is broken.
func walkFields(p *payload, m message, tag uint64, do func(message) bool) bool {
	c := p.fields(m)
	for c.next() {
		if c.tag == tag && !do(c.content) {
			return false
		}
	}
	return !c.bad
}

// add keeps a record that is an event of a span.
func (l *Logs) add(r LogRecord, readable bool) {
	switch {
	case !readable || !strings.HasPrefix(r.Name, eventPrefix) || !namesSpan(r):
		l.Dropped++
	case len(l.Records) >= maxLogRecords:
		l.Excess++
	default:
		l.Records = append(l.Records, r)
	}
}

func namesSpan(r LogRecord) bool {
	return isID(r.TraceID, traceIDBytes) && isID(r.SpanID, spanIDBytes)
}

// isID reports whether text is a hexadecimal id that is not all zero.
func isID(text string, size int) bool {
	id, err := hex.DecodeString(text)
	if err != nil || len(id) != size {
		return false
	}
	for _, b := range id {
		if b != 0 {
			return true
		}
	}
	return false
}

// logRecord reads one record; ok is false for one that is broken or nests too deep.
func (p *payload) logRecord(m message) (r LogRecord, ok bool) {
	var at, observed uint64
	var body value
	attributes := []byte{'{'}
	problem := ""
	c := p.fields(m)
	for c.next() {
		switch c.tag {
		case tagLogTime:
			at = c.number
		case tagLogObserved:
			observed = c.number
		case tagLogTraceID:
			r.TraceID = hex.EncodeToString(p.bytes(c.content))
		case tagLogSpanID:
			r.SpanID = hex.EncodeToString(p.bytes(c.content))
		case tagLogEventName:
			r.Name = p.string(c.content)
		case tagLogBody:
			problem = firstProblem(problem, checkValue(p, c.content, 1))
			p.value(c.content, &body)
		case tagLogAttribute:
			problem = firstProblem(problem, checkKeyValue(p, c.content, 1))
			if problem == "" {
				attributes = p.appendLogAttribute(attributes, c.content, &r)
			}
		}
	}
	r.Attributes = append(attributes, '}')
	r.Body = p.appendJSON(nil, body, 1)
	if at == 0 {
		at = observed
	}
	r.Time = time.Unix(0, int64(min(at, lastNano))).UTC()
	return r, !c.bad && problem == ""
}

func (p *payload) appendLogAttribute(dst []byte, m message, r *LogRecord) []byte {
	var v value
	key := p.string(p.keyValue(m, &v))
	if key == eventNameKey && r.Name == "" && v.kind == stringValue {
		r.Name = v.text
	}
	if len(dst) > 1 {
		dst = append(dst, ',')
	}
	return p.appendJSON(append(appendQuoted(dst, key), ':'), v, 1)
}
