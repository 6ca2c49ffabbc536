package partial

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/sondehq/sonde/internal/model"
)

// Merge makes the row of one entity from all events that are known of it, nil when none of them
// makes a row. Creates come before updates, then earlier before later, then the event's id decides:
// an order that the events carry themselves. A later value replaces an earlier one unless it is
// null; start time and environment stay the first; metadata is merged in depth, tags are united.
//
// The row's version is the highest of its events plus their number. So a set that contains
// another has the higher version, whoever merges it and whenever.
func Merge(projectID, traceID, id string, events []Event) *model.Observation {
	parts := inOrder(events)
	if len(parts) == 0 {
		return nil
	}
	m := merging{row: &model.Observation{
		ProjectID: projectID, TraceID: traceID, ID: id, Level: model.Default, Environment: model.DefaultEnvironment,
	}}
	for i := range parts {
		f := &parts[i].fields
		m.identity(parts[i].event, f)
		m.details(f)
		m.modelCall(f)
		m.traceFacts(f)
	}
	return m.finish(parts, id == model.TraceRowID(traceID))
}

// part is an event with what it says.
type part struct {
	event  *Event
	fields fields
}

// inOrder returns the events that make a row, in the order of merging. Some clients send several
// events in one millisecond: then the one that tells of the earlier start comes first.
func inOrder(events []Event) []part {
	parts := make([]part, 0, len(events))
	for i := range events {
		if events[i].Kind.Makes() {
			f, _ := read(&events[i]) // what is wrong with it was said when it came
			parts = append(parts, part{&events[i], f})
		}
	}
	slices.SortFunc(parts, func(a, b part) int {
		return cmp.Or(
			cmp.Compare(rankOf(a.event.Kind), rankOf(b.event.Kind)), a.event.Time.Compare(b.event.Time),
			a.fields.start.Compare(b.fields.start), cmp.Compare(a.event.ID, b.event.ID),
			cmp.Compare(a.event.Kind, b.event.Kind))
	})
	return parts
}

func rankOf(k Kind) int {
	if k.update() {
		return 1
	}
	return 0
}

// merging is a row in the making.
type merging struct {
	row      *model.Observation
	metadata tree
	// input and output are the last ones given; a truthy one is replaced only by another.
	input, output json.RawMessage
	created       bool // some create gave the type
	environment   string
}

// set replaces what is there unless nothing is given.
func set[V comparable](to *V, given V) {
	var none V
	if given != none {
		*to = given
	}
}

func (m *merging) identity(e *Event, f *fields) {
	o := m.row
	if !m.created || !e.Kind.update() {
		set(&o.Type, f.kind)
		m.created = !e.Kind.update()
	}
	if o.StartTime.IsZero() && !f.start.IsZero() {
		o.StartTime = milliseconds(f.start)
	}
	set(&m.environment, cmp.Or(m.environment, f.environment))
	set(&o.SDKName, e.SDKName)
	set(&o.SDKVersion, e.SDKVersion)
	o.Version = max(o.Version, e.Version)
	if created := model.AcceptedAt(e.Version); o.CreatedAt.IsZero() || created.Before(o.CreatedAt) {
		o.CreatedAt = created
	}
}

func (m *merging) details(f *fields) {
	o := m.row
	set(&o.Name, f.name)
	set(&o.ParentID, f.parentID)
	set(&o.Level, f.level)
	set(&o.StatusMessage, f.statusMessage)
	set(&o.CodeVersion, f.version)
	set(&o.EndTime, milliseconds(f.end))
	set(&o.CompletionStartTime, milliseconds(f.firstToken))
	replace(&m.input, f.input)
	replace(&m.output, f.output)
	m.metadata.add(f.metadata)
}

// replace keeps a truthy value from being replaced by one that is not.
func replace(to *json.RawMessage, given json.RawMessage) {
	if given != nil && (truthy(given) || !truthy(*to)) {
		*to = given
	}
}

func (m *merging) modelCall(f *fields) {
	o := m.row
	set(&o.Model, f.model)
	if f.parameters != nil {
		o.ModelParameters = rowText(f.parameters)
	}
	if len(f.usage) > 0 {
		o.UsageDetails, o.UsageOrigin = f.usage, model.Provided
	}
	if len(f.cost) > 0 {
		o.CostDetails, o.CostOrigin = f.cost, model.Provided
	}
	if f.promptName != "" {
		o.PromptName, o.PromptVersion = f.promptName, f.promptVersion
	}
}

func (m *merging) traceFacts(f *fields) {
	o := m.row
	set(&o.UserID, f.userID)
	set(&o.SessionID, f.sessionID)
	set(&o.Release, f.release)
	if f.public != nil {
		o.Public = *f.public
	}
	if f.bookmarked != nil {
		o.Bookmarked = *f.bookmarked
	}
	for _, tag := range f.tags {
		if i, there := slices.BinarySearch(o.Tags, tag); !there {
			o.Tags = slices.Insert(o.Tags, i, tag)
		}
	}
}

func (m *merging) finish(parts []part, isTrace bool) *model.Observation {
	o := m.row
	o.Version += uint64(len(parts))
	if o.StartTime.IsZero() {
		o.StartTime = milliseconds(parts[0].event.Time)
	}
	if !o.EndTime.IsZero() && o.EndTime.Before(o.StartTime) {
		o.EndTime = o.StartTime
	}
	if m.environment != "" {
		o.Environment = model.NormalEnvironment(m.environment)
	}
	if o.Type == model.Span || o.Type == model.Event {
		o.PromptName, o.PromptVersion = "", 0
	}
	if o.ParentID == "" && !isTrace {
		o.ParentID = model.TraceRowID(o.TraceID)
	}
	o.Input, o.Output = rowText(m.input), rowText(m.output)
	o.Metadata = m.metadata.entries()
	return o
}

// milliseconds cuts a time to what rows hold.
func milliseconds(t time.Time) time.Time { return t.Truncate(time.Millisecond) }
