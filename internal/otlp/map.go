package otlp

import (
	"encoding/hex"
	"errors"
	"fmt"
	"time"
	"unsafe"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/usage"
)

// Source is what the server knows about a payload beside its bytes.
type Source struct {
	ProjectID  string
	AcceptedAt time.Time
	First      int // position of the payload's first span in its request
	SDKName    string
	SDKVersion string
}

var errSpan = errors.New("not a usable span")

// Map makes an observation of every span of a payload that Split returned, in order. It accepts
// everything the parsers accepted; an error means that the payload is none of theirs.
//
// Map takes data over: the observations' strings point into it, so the caller must not write to
// it again. Equal tags of neighbors are one slice.
func Map(data []byte, src Source) ([]*model.Observation, error) {
	// One view of the bytes as text spares a copy of every payload; nobody writes to them any more.
	p := payload{data: data, text: unsafe.String(unsafe.SliceData(data), len(data))} //nolint:gosec // see above
	count, ok := p.countSpans()
	if !ok {
		return nil, fmt.Errorf("map spans: %w", errFraming)
	}
	m := mapper{
		p: p, src: src, accepted: src.AcceptedAt.UTC().Truncate(time.Millisecond),
		arena: newArena(len(data)), rows: make([]model.Observation, 0, count),
	}
	if err := m.request(); err != nil {
		return nil, fmt.Errorf("map spans: %w", err)
	}
	out := make([]*model.Observation, len(m.rows))
	for i := range m.rows {
		out[i] = &m.rows[i]
	}
	return out, nil
}

// countSpans counts the spans and reports whether the messages around them are sound.
func (p *payload) countSpans() (count int, ok bool) {
	broken := false
	request := p.fields(p.whole())
	for request.next() {
		if request.tag != tagResourceSpans {
			continue
		}
		resource := p.fields(request.content)
		for resource.next() {
			if resource.tag != tagScopeSpans {
				continue
			}
			scope := p.fields(resource.content)
			for scope.next() {
				if scope.tag == tagSpan {
					count++
				}
			}
			broken = broken || scope.bad
		}
		broken = broken || resource.bad
	}
	return count, !broken && !request.bad
}

// mapper maps one payload. Its parts are reused from span to span.
type mapper struct {
	p        payload
	src      Source
	accepted time.Time
	rows     []model.Observation

	resource resourceFacts
	scope    scopeFacts
	span     spanFacts
	of       convention // the conventions that occur in the span, its events or its scope
	metadata metadataBuilder

	arena       arena
	scratch     []byte
	counts      []usage.Count
	tools       toolbox
	memberList  []int
	memberNames names

	lastTrace      traceMemo
	lastTags       tagMemo
	lastParameters parameterMemo
}

// traceMemo keeps the text of the last trace id: neighbors mostly belong to one trace.
type traceMemo struct {
	id   [traceIDBytes]byte
	text string
}

func (m *mapper) request() error {
	c := m.p.fields(m.p.whole())
	for c.next() {
		if c.tag == tagResourceSpans {
			if err := m.resourceSpans(c.content); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *mapper) resourceSpans(at message) error {
	m.readResource(at)
	c := m.p.fields(at)
	for c.next() {
		if c.tag == tagScopeSpans {
			if err := m.scopeSpans(c.content); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *mapper) scopeSpans(at message) error {
	m.readScope(at)
	c := m.p.fields(at)
	for c.next() {
		if c.tag != tagSpan {
			continue
		}
		if !m.readSpan(c.content) {
			return fmt.Errorf("span %d: %w", len(m.rows), errSpan)
		}
		m.observe()
	}
	return nil
}

// spanFacts is a span as it was sent.
type spanFacts struct {
	spanHead
	attributes attributeSet
	events     []event
	links      []message
}

type spanHead struct {
	trace, id, parent id
	name              string
	start, end        uint64
	statusCode        uint64
	statusMessage     string
}

// readSpan reads a span and reports whether it has usable ids.
func (m *mapper) readSpan(at message) bool {
	s := &m.span
	s.spanHead = spanHead{}
	s.attributes.reset()
	s.events, s.links = s.events[:0], s.links[:0]
	c := m.p.fields(at)
	for c.next() {
		m.readSpanField(&c)
	}
	m.of = s.attributes.of | m.scope.of
	if len(s.events) > 0 {
		m.of |= genAIEvents
	}
	return !c.bad && m.p.idProblem(s.trace, traceIDBytes) == "" && m.p.idProblem(s.id, spanIDBytes) == ""
}

func (m *mapper) readSpanField(c *cursor) {
	s := &m.span
	switch c.tag {
	case tagSpanAttribute:
		s.attributes.add(&m.p, c.content)
	case tagSpanTraceID, tagTextTraceID:
		s.trace = id{c.content, c.tag == tagTextTraceID}
	case tagSpanID, tagTextSpanID:
		s.id = id{c.content, c.tag == tagTextSpanID}
	case tagSpanParentID, tagTextParentID:
		s.parent = id{c.content, c.tag == tagTextParentID}
	case tagSpanName:
		s.name = m.p.string(c.content)
	case tagSpanStart:
		s.start = c.number
	case tagSpanEnd:
		s.end = c.number
	case tagSpanStatus:
		m.readStatus(c.content)
	case tagSpanEvent:
		m.readEvent(c.content)
	case tagSpanLink:
		s.links = append(s.links, c.content)
	}
}

func (m *mapper) readStatus(at message) {
	c := m.p.fields(at)
	for c.next() {
		switch c.tag {
		case tagStatusCode:
			m.span.statusCode = c.number
		case tagStatusMessage:
			m.span.statusMessage = m.p.string(c.content)
		}
	}
}

// observe makes the row of the span that was read.
func (m *mapper) observe() {
	position := len(m.rows)
	m.rows = m.rows[:position+1]
	o := &m.rows[position]
	o.ProjectID = m.src.ProjectID
	o.SDKName, o.SDKVersion = m.src.SDKName, m.src.SDKVersion
	o.CreatedAt = m.accepted
	o.Version = model.RowVersion(m.src.AcceptedAt, m.src.First+position)
	o.ServiceName, o.ServiceVersion = m.resource.serviceName, m.resource.serviceVersion
	o.ScopeName, o.ScopeVersion = m.scope.name, m.scope.version
	m.setIDs(o)
	m.setTimes(o)
	m.setType(o)
	m.setName(o)
	m.setLevel(o)
	m.setTraceFacts(o)
	m.setIO(o)
	m.setModel(o)
	m.setPrompt(o)
	m.setUsage(o)
	m.setExperiment(o)
	m.setMetadata(o)
	if len(m.span.events) > 0 || len(m.span.links) > 0 {
		m.setHappenings(o)
	}
}

func (m *mapper) setIDs(o *model.Observation) {
	s := &m.span
	o.TraceID = m.traceID(s.trace)
	o.ID = m.idText(s.id)
	if m.p.idProblem(s.parent, spanIDBytes) == "" {
		o.ParentID = m.idText(s.parent)
	}
}

func (m *mapper) traceID(i id) string {
	if i.text {
		return m.idText(i)
	}
	b := [traceIDBytes]byte(m.p.bytes(i.at))
	if m.lastTrace.text == "" || m.lastTrace.id != b {
		m.lastTrace = traceMemo{b, m.idText(i)}
	}
	return m.lastTrace.text
}

// idText is an id as people write it: lower-case hexadecimal, or the client's own text.
func (m *mapper) idText(i id) string {
	if i.text {
		return m.p.string(i.at)
	}
	m.scratch = hex.AppendEncode(m.scratch[:0], m.p.bytes(i.at))
	return m.arena.keep(m.scratch)
}
