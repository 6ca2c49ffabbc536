package otlp

import (
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/model"
)

// setTimes cuts nanoseconds to milliseconds. A missing edge equals the other one, and an
// observation never ends before it starts.
func (m *mapper) setTimes(o *model.Observation) {
	start, end := m.span.start, m.span.end
	if start == 0 {
		start = end
	}
	if start == 0 {
		o.StartTime, o.EndTime = m.accepted, m.accepted
		return
	}
	o.StartTime = milliseconds(start)
	o.EndTime = milliseconds(max(start, end))
}

func milliseconds(nano uint64) time.Time {
	return time.UnixMilli(int64(nano / uint64(time.Millisecond))).UTC()
}

// setLevel takes the level and message the client set, else those of the span's status.
func (m *mapper) setLevel(o *model.Observation) {
	o.Level = levels[strings.ToUpper(m.text(&m.span.attributes, observationLevel))]
	switch {
	case o.Level != "":
	case m.span.statusCode == statusError:
		o.Level = model.Error
	default:
		o.Level = m.usualLevel()
	}
	o.StatusMessage = m.text(&m.span.attributes, observationStatusMessage)
	if o.StatusMessage == "" {
		o.StatusMessage = m.span.statusMessage
	}
	if o.StatusMessage == "" && m.span.statusCode == statusError && len(m.span.events) > 0 {
		o.StatusMessage = m.exceptionMessage()
	}
}

// usualLevel is the level of a span that says nothing about it.
func (m *mapper) usualLevel() model.Level {
	for i := range levelRules {
		if m.follows(levelRules[i].of) {
			if level := levelRules[i].rule(m); level != "" {
				return level
			}
		}
	}
	return model.Default
}

var levels = map[string]model.Level{
	"DEBUG": model.Debug, "TRACE": model.Debug, "VERBOSE": model.Debug,
	"DEFAULT": model.Default, "INFO": model.Default, "LOG": model.Default,
	"NOTICE": model.Default, "OK": model.Default, "SUCCESS": model.Default,
	"WARNING": model.Warning, "WARN": model.Warning,
	"ERROR": model.Error, "FATAL": model.Error, "CRITICAL": model.Error,
}

// setTraceFacts fills what a span says about its trace.
func (m *mapper) setTraceFacts(o *model.Observation) {
	span := &m.span.attributes
	o.Environment = m.environment()
	o.CodeVersion = m.text(span, vendorVersion)
	if o.CodeVersion == "" {
		o.CodeVersion = m.resource.serviceVersion
	}
	o.Release = m.text(span, vendorRelease)
	if o.Release == "" {
		o.Release = m.resource.release
	}
	o.UserID = m.firstDecoded(userKeys)
	o.SessionID = m.firstDecoded(sessionKeys)
	o.TraceName = m.text(span, traceName)
	o.Tags = m.tags()
	for _, k := range publicKeys {
		if span.has(k) {
			o.Public = span.get(k).isTrue()
			break
		}
	}
	o.AppRoot = span.get(appRoot).isTrue() || span.get(asRoot).isTrue()
}

// environment looks for each name on the span first, then on the resource.
func (m *mapper) environment() string {
	for _, k := range environmentKeys {
		for _, s := range [...]*attributeSet{&m.span.attributes, &m.resource.attributes} {
			if name := m.text(s, k); name != "" {
				return model.NormalEnvironment(name)
			}
		}
	}
	return model.DefaultEnvironment
}
