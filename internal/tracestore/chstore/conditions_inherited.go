package chstore

import (
	"strings"

	"github.com/sondehq/sonde/internal/filter"
)

// inheritedColumn is a column that a row takes from its trace when it has no value: its name in observations
// and the name of the trace's fact.
type inheritedColumn struct {
	own, fact string
	list      bool
}

var inheritedColumns = map[filter.Column]inheritedColumn{
	filter.UserID:    {own: "user_id", fact: "user_id"},
	filter.SessionID: {own: "session_id", fact: "session_id"},
	filter.TraceName: {own: "trace_name", fact: "name"},
	filter.Release:   {own: "release", fact: "release"},
	filter.Tags:      {own: "tags", fact: "tags", list: true},
}

func (c inheritedColumn) isSet(value string) string {
	if c.list {
		return "notEmpty(" + value + ")"
	}
	return value + " != ''"
}

func (c inheritedColumn) isUnset(value string) string {
	if c.list {
		return "empty(" + value + ")"
	}
	return value + " = ''"
}

// inherited tests a row's own value, or its trace's when it has none.
func (r conditions) inherited(c inheritedColumn, t test) string {
	return "((" + c.isSet(c.own) + " AND " + t.holds(c.own) + ") OR (" + c.isUnset(c.own) + " AND " + r.ofTrace(c, t) + "))"
}

// ofTrace tests what a row's trace lends. The traces are looked for whose value gives the other answer than no
// value does: so a trace without facts needs no entry, and facts without a value can be left out before they
// are folded.
func (r conditions) ofTrace(c inheritedColumn, t test) string {
	value, in := r.lent(c), "IN"
	having := t.holds(value)
	if t.ofNone {
		having, in = "NOT ("+having+")", "NOT IN"
	}
	return "trace_id " + in + " (SELECT trace_id FROM traces WHERE " + r.project + r.candidates(c, t.among) + " AND " + c.isSet(c.fact+".value") +
		" GROUP BY trace_id HAVING " + having + ")"
}

// candidates keeps the traces that can matter, before their facts are folded: by key, by the index of a
// fact, or by time. It must keep all facts of a trace or none: the least of them decides.
func (r conditions) candidates(c inheritedColumn, among []string) string {
	switch {
	case r.wanted:
		return " AND trace_id IN (SELECT trace_id FROM wanted)"
	case among != nil:
		return " AND trace_id IN (SELECT trace_id FROM traces WHERE " + r.project + " AND " + c.fact + ".value IN " + r.texts(among) + ")"
	default:
		return r.tracesWithin()
	}
}

// lent is what a trace lends, over a group of all its facts: nothing when a tombstone hides the row that gave
// it. A fact holds the version of that row from above, see fact.
func (r conditions) lent(c inheritedColumn) string {
	least := "min(" + c.fact + ")"
	if r.hidden == (hidden{}) {
		return least + ".value"
	}
	none := "''"
	if c.list {
		none = "[]"
	}
	return "if(" + r.hidden.alive("trace_id", "bitNot("+least+".newer)") + ", " + least + ".value, " + none + ")"
}

// tracesWithin keeps the traces that can have rows within the bounds. A row lies within the times that its
// own insert noted, so looking at facts one by one is enough.
func (r conditions) tracesWithin() string {
	var bounds []string
	if !r.from.IsZero() {
		bounds = append(bounds, "last_start >= "+r.micros(r.from.UnixMicro()))
	}
	if !r.to.IsZero() {
		bounds = append(bounds, "first_start <= "+r.micros(r.to.UnixMicro()))
	}
	if len(bounds) == 0 {
		return ""
	}
	return " AND trace_id IN (SELECT trace_id FROM traces WHERE " + r.project + " AND " + strings.Join(bounds, " AND ") + ")"
}

// within takes the bounds that a list has on start times.
func (r conditions) within(list []filter.Condition) conditions {
	for _, c := range list {
		c, ok := c.(filter.Time)
		if !ok || c.Column != filter.StartTime {
			continue
		}
		switch c.Op {
		case filter.Above, filter.AtLeast:
			if r.from.IsZero() || c.At.After(r.from) {
				r.from = c.At
			}
		case filter.Below, filter.AtMost:
			if r.to.IsZero() || c.At.Before(r.to) {
				r.to = c.At
			}
		default:
		}
	}
	return r
}
