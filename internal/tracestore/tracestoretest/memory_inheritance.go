package tracestoretest

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sondehq/sonde/internal/model"
)

// traceKey names a trace.
type traceKey struct{ project, trace string }

// visible returns copies of all rows of a project that are there, with what they inherit. The caller holds
// the lock.
func (m *Memory) visible(projectID string) []*model.Observation {
	var rows []*model.Observation
	for _, o := range m.projects[projectID] {
		if o.Deleted || o.Version < m.hiddenBelow(projectID, o.TraceID) {
			continue
		}
		o = clone(o)
		m.inherit(o)
		rows = append(rows, o)
	}
	return rows
}

// inherit gives a row the values of its trace where it has none.
func (m *Memory) inherit(o *model.Observation) {
	key := traceKey{o.ProjectID, o.TraceID}
	below := m.hiddenBelow(o.ProjectID, o.TraceID)
	text := func(value func(*model.Observation) string) string {
		if giver := firstOf(m.given[key], func(o *model.Observation) bool { return value(o) != "" }); giver != nil && giver.Version >= below {
			return value(giver)
		}
		return ""
	}
	o.UserID = cmp.Or(o.UserID, text(func(o *model.Observation) string { return o.UserID }))
	o.SessionID = cmp.Or(o.SessionID, text(func(o *model.Observation) string { return o.SessionID }))
	o.Release = cmp.Or(o.Release, text(func(o *model.Observation) string { return o.Release }))
	if o.TraceName == "" {
		o.TraceName = m.traceName(key, below)
	}
	if len(o.Tags) == 0 {
		if giver := firstOf(m.given[key], func(o *model.Observation) bool { return len(o.Tags) > 0 }); giver != nil && giver.Version >= below {
			o.Tags = slices.Clone(giver.Tags)
		}
	}
}

// traceName is that of a root, else the name of a root, else the trace name of any row.
func (m *Memory) traceName(key traceKey, below uint64) string {
	rows := m.given[key]
	giver, name := firstOf(rows, func(o *model.Observation) bool { return o.Root() && o.TraceName != "" }), ""
	if giver != nil {
		name = giver.TraceName
	}
	if giver == nil {
		giver = firstOf(rows, func(o *model.Observation) bool { return o.Root() && o.TraceName == "" && o.Name != "" })
		if giver != nil {
			name = giver.Name
		}
	}
	if giver == nil {
		giver = firstOf(rows, func(o *model.Observation) bool { return o.TraceName != "" })
		if giver != nil {
			name = giver.TraceName
		}
	}
	if giver == nil || giver.Version < below {
		return ""
	}
	return name
}

// firstOf is the row that a value is taken from: a root before others, then by start time, then by id, the
// newest version of it that has the value.
func firstOf(rows []*model.Observation, has func(*model.Observation) bool) *model.Observation {
	var first *model.Observation
	for _, o := range rows {
		if has(o) && (first == nil || givesBefore(o, first)) {
			first = o
		}
	}
	return first
}

func givesBefore(a, b *model.Observation) bool {
	if a.Root() != b.Root() {
		return a.Root()
	}
	return cmp.Or(a.StartTime.Compare(b.StartTime), strings.Compare(a.ID, b.ID), cmp.Compare(b.Version, a.Version)) < 0
}
