package tracestoretest

import (
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

var conditionTests = map[string]func(*testing.T, Stores){
	"each condition alone":            eachCondition,
	"conditions add up":               conditionsTogether,
	"times":                           timeConditions,
	"values are data":                 hostileValues,
	"an unknown column is an error":   unknownColumn,
	"any conditions, compared":        conditionsProperty,
	"counted equals walked, compared": countEqualsWalk,
}

func oneOf(column filter.Column, values ...string) filter.OneOf {
	return filter.OneOf{Column: column, Values: values}
}

// conditionRows are a complete row and a bare one, each in its own trace.
func conditionRows(project string) []*model.Observation {
	return []*model.Observation{
		fullRow(project, "t1", "full", 10),
		newRow(project, "t2", "bare", 0),
		newRow(project, "t3", "root", -10, asRoot, func(o *model.Observation) { o.Type = model.Event }),
	}
}

func eachCondition(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store, conditionRows(project)...)
	for _, c := range []struct {
		name  string
		where filter.Condition
		want  []string
	}{
		{"id", oneOf(filter.ID, "bare"), []string{"bare"}},
		{"id unknown", oneOf(filter.ID, "nobody"), nil},
		{"id is case-sensitive", oneOf(filter.ID, "Bare"), nil},
		{"id is whole", oneOf(filter.ID, "bar", "barek", "%"), nil},
		{"id any of", oneOf(filter.ID, "bare", "root", "nobody", "bare"), []string{"bare", "root"}},
		{"no values", oneOf(filter.ID), nil},
		{"traceId", oneOf(filter.TraceID, "t1"), []string{"full"}},
		{"name", oneOf(filter.Name, "answer"), []string{"full"}},
		{"name unset", oneOf(filter.Name, ""), []string{"bare", "root"}},
		{"name unset or", oneOf(filter.Name, "", "answer"), []string{"full", "bare", "root"}},
		{"type", oneOf(filter.Type, "EVENT", "GENERATION"), []string{"full", "root"}},
		{"type unknown", oneOf(filter.Type, "NOTHING"), nil},
		{"level", oneOf(filter.Level, "WARNING"), []string{"full"}},
		{"userId", oneOf(filter.UserID, "user-1"), []string{"full"}},
		{"userId unset", oneOf(filter.UserID, ""), []string{"bare", "root"}},
		{"sessionId", oneOf(filter.SessionID, "session-1"), []string{"full"}},
		{"sessionId unset", oneOf(filter.SessionID, ""), []string{"bare", "root"}},
		{"environment", oneOf(filter.Environment, "default", "staging"), []string{"bare", "root"}},
		{"version", oneOf(filter.CodeVersion, "1.2.3"), []string{"full"}},
		{"version unset", oneOf(filter.CodeVersion, ""), []string{"bare", "root"}},
		{"parent", oneOf(filter.ParentObservationID, "parent"), []string{"bare"}},
		{"parent unset", oneOf(filter.ParentObservationID, ""), []string{"root"}},
		{"roots", filter.IsTrue{Column: filter.IsRootObservation, Want: true}, []string{"full", "root"}},
		{"no roots", filter.IsTrue{Column: filter.IsRootObservation, Want: false}, []string{"bare"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			requireIDs(t, readAll(t, store, project, c.where), c.want...)
			if n := count(t, store, project, c.where); n != len(c.want) {
				t.Errorf("counted %d rows, want %d", n, len(c.want))
			}
		})
	}
}

func conditionsTogether(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store, conditionRows(project)...)
	root := filter.IsTrue{Column: filter.IsRootObservation, Want: true}
	requireIDs(t, readAll(t, store, project, root, oneOf(filter.Level, "DEFAULT")), "root")
	requireIDs(t, readAll(t, store, project, root, oneOf(filter.Type, "SPAN")))
	requireIDs(t, readAll(t, store, project, oneOf(filter.ID, "full", "bare"), oneOf(filter.ID, "bare", "root")), "bare")
	requireIDs(t, readAll(t, store, project,
		oneOf(filter.TraceID, "t1"), oneOf(filter.Name, "answer"), oneOf(filter.Type, "GENERATION"),
		oneOf(filter.Level, "WARNING"), oneOf(filter.UserID, "user-1"), oneOf(filter.SessionID, "session-1"),
		oneOf(filter.Environment, "production"), oneOf(filter.CodeVersion, "1.2.3"),
		oneOf(filter.ParentObservationID, "the parent"), root,
		filter.Time{Column: filter.StartTime, Op: filter.AtLeast, At: noon}, filter.Time{Column: filter.StartTime, Op: filter.Below, At: noon.Add(time.Second)},
	), "full")
}

func timeConditions(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store, newRow(project, "t", "a", 2), newRow(project, "t", "b", 1), newRow(project, "t", "c", 0))
	since := func(at time.Time) filter.Condition {
		return filter.Time{Column: filter.StartTime, Op: filter.AtLeast, At: at}
	}
	before := func(at time.Time) filter.Condition {
		return filter.Time{Column: filter.StartTime, Op: filter.Below, At: at}
	}
	one := noon.Add(time.Millisecond)
	requireIDs(t, readAll(t, store, project, since(one)), "a", "b")
	requireIDs(t, readAll(t, store, project, before(one)), "c")
	requireIDs(t, readAll(t, store, project, since(one), before(one)))
	requireIDs(t, readAll(t, store, project, since(one), before(one.Add(time.Millisecond))), "b")
	requireIDs(t, readAll(t, store, project, since(one.In(time.FixedZone("", 5*3600))), since(noon)), "a", "b")
	requireIDs(t, readAll(t, store, project, since(earliest), before(latest)), "a", "b", "c")
	requireIDs(t, readAll(t, store, project, since(latest)))
	requireIDs(t, readAll(t, store, project, before(earliest)))
}

// The bounds of what callers ask for; see package query.
var (
	earliest = time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC)
	latest   = time.Date(2262, 1, 1, 0, 0, 0, 0, time.UTC)
)

func hostileValues(t *testing.T, store Stores) {
	project := newProject()
	rows := []*model.Observation{newRow(project, "t", "plain", -1)}
	for id, text := range oddTexts {
		rows = append(rows, newRow(project, "trace of "+id, id, 0, func(o *model.Observation) { o.Name, o.UserID = text, text }))
	}
	insert(t, store, rows...)
	for id, text := range oddTexts {
		requireIDs(t, readAll(t, store, project, oneOf(filter.Name, text)), id)
		requireIDs(t, readAll(t, store, project, oneOf(filter.UserID, text, "nobody")), id)
	}
	requireIDs(t, readAll(t, store, project, oneOf(filter.Name, "' OR 1=1 --", "\\", "')", "['']")))
}

func unknownColumn(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store, newRow(project, "t", "a", 0))
	for _, c := range []filter.Condition{
		oneOf("no such column", "x"),
		oneOf("id) OR (1", "x"),
		filter.Time{Column: "no such column", Op: filter.AtLeast, At: noon},
		filter.Time{Column: "no such column", Op: filter.Below, At: noon},
		filter.IsTrue{Column: "no such column", Want: true},
	} {
		_, err := store.Observations(t.Context(), tracestore.ObservationQuery{ProjectID: project, Where: []filter.Condition{c}, Limit: 1})
		if err == nil {
			t.Errorf("%#v is not refused", c)
		}
	}
}
