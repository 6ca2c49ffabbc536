package tracestoretest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

var inheritanceTests = map[string]func(*testing.T, Stores){
	"what a row inherits":                    inheritanceTable,
	"a root that arrives last":               rootArrivesLast,
	"a value sent again replaces the first":  valueReplaced,
	"conditions see the inherited value":     conditionsSeeInherited,
	"a trace reaches beyond the time bound":  inheritsAcrossBound,
	"inherited values stay in their project": inheritanceStaysInProject,
}

// facts are the values that rows of a trace share.
type facts struct {
	User, Session, Release, TraceName string
	Tags                              []string
}

func factsOf(o *model.Observation) facts {
	return facts{o.UserID, o.SessionID, o.Release, o.TraceName, o.Tags}
}

func with(f facts) func(*model.Observation) {
	return func(o *model.Observation) {
		o.UserID, o.SessionID, o.Release, o.TraceName, o.Tags = f.User, f.Session, f.Release, f.TraceName, f.Tags
	}
}

func named(name string) func(*model.Observation) { return func(o *model.Observation) { o.Name = name } }

func asAppRoot(o *model.Observation) { o.AppRoot = true }

// span is a row of the table below: its id, start, and what it carries.
type span struct {
	id     string
	millis int
	edits  []func(*model.Observation)
}

func sp(id string, millis int, edits ...func(*model.Observation)) span {
	return span{id, millis, edits}
}

var (
	set1 = facts{"u1", "s1", "r1", "n1", []string{"b1", "a1"}}
	set2 = facts{"u2", "s2", "r2", "n2", []string{"a2"}}
)

// inheritanceCases hold the rows of one trace and the facts each row must show.
var inheritanceCases = []struct {
	name  string
	spans []span
	want  map[string]facts
}{
	{
		"the root has all",
		[]span{sp("root", 0, asRoot, with(set1)), sp("child", 1)},
		map[string]facts{"root": set1, "child": set1},
	}, {
		"a late root still wins",
		[]span{sp("root", 9, asRoot, with(set1)), sp("child", 0, with(set2)), sp("third", 5)},
		map[string]facts{"root": set1, "child": set2, "third": set1},
	}, {
		"own values win one by one",
		[]span{sp("root", 0, asRoot, with(set1)), sp("child", 1, with(facts{User: "own", Tags: []string{"own"}}))},
		map[string]facts{"root": set1, "child": {"own", "s1", "r1", "n1", []string{"own"}}},
	}, {
		"only a child has values",
		[]span{sp("root", 0, asRoot), sp("child", 1, with(set1)), sp("other", 2)},
		map[string]facts{"root": set1, "child": set1, "other": set1},
	}, {
		"the first child counts",
		[]span{sp("b", 3, with(set2)), sp("a", 2, with(set1)), sp("c", 1)},
		map[string]facts{"a": set1, "b": set2, "c": set1},
	}, {
		"of two at the same time the lower id counts",
		[]span{sp("b", 2, with(set2)), sp("a", 2, with(set1)), sp("c", 1)},
		map[string]facts{"a": set1, "b": set2, "c": set1},
	}, {
		"values from several rows",
		[]span{sp("a", 1, with(facts{User: "u"})), sp("b", 2, with(facts{User: "x", Session: "s"})), sp("c", 3)},
		map[string]facts{"a": {User: "u", Session: "s"}, "b": {User: "x", Session: "s"}, "c": {User: "u", Session: "s"}},
	}, {
		"of two roots the earlier counts",
		[]span{sp("r2", 2, asRoot, with(set2)), sp("r1", 1, asRoot, with(set1)), sp("c", 0)},
		map[string]facts{"r1": set1, "r2": set2, "c": set1},
	}, {
		"of two roots the one that has a value counts",
		[]span{sp("r1", 1, asRoot), sp("r2", 2, asRoot, with(set2)), sp("c", 0, with(facts{User: "own"})), sp("d", 3)},
		map[string]facts{"r1": set2, "r2": set2, "c": {"own", "s2", "r2", "n2", []string{"a2"}}, "d": set2},
	}, {
		"an application root is a root",
		[]span{sp("c", 0, with(set2)), sp("r", 5, asAppRoot, with(set1)), sp("d", 1)},
		map[string]facts{"c": set2, "r": set1, "d": set1},
	}, {
		"the root's name names the trace",
		[]span{sp("root", 5, asRoot, named("chat")), sp("child", 1, named("step"))},
		map[string]facts{"root": {TraceName: "chat"}, "child": {TraceName: "chat"}},
	}, {
		"the root's trace name comes before its name",
		[]span{sp("root", 5, asRoot, named("chat"), with(facts{TraceName: "talk"})), sp("child", 1)},
		map[string]facts{"root": {TraceName: "talk"}, "child": {TraceName: "talk"}},
	}, {
		"the root's name comes before a child's trace name",
		[]span{sp("root", 5, asRoot, named("chat")), sp("child", 1, with(facts{TraceName: "talk"})), sp("other", 2)},
		map[string]facts{"root": {TraceName: "chat"}, "child": {TraceName: "talk"}, "other": {TraceName: "chat"}},
	}, {
		"without a root a trace name counts, a name does not",
		[]span{sp("a", 1, named("step")), sp("b", 2, with(facts{TraceName: "talk"}))},
		map[string]facts{"a": {TraceName: "talk"}, "b": {TraceName: "talk"}},
	}, {
		"nothing to inherit",
		[]span{sp("a", 1, named("step")), sp("b", 2, named("step"))},
		map[string]facts{"a": {}, "b": {}},
	},
}

func inheritanceTable(t *testing.T, store Stores) {
	projects := make([]string, len(inheritanceCases))
	var rows []*model.Observation
	for i, c := range inheritanceCases {
		projects[i] = newProject()
		for _, s := range c.spans {
			rows = append(rows, newRow(projects[i], "t", s.id, s.millis, s.edits...))
		}
	}
	insert(t, store, rows...)
	for i, c := range inheritanceCases {
		t.Run(c.name, func(t *testing.T) { requireFacts(t, store, projects[i], c.want) })
	}
}

func requireFacts(t *testing.T, store tracestore.Store, project string, want map[string]facts) {
	t.Helper()
	got := map[string]facts{}
	for _, o := range readAll(t, store, project) {
		got[o.ID] = factsOf(o)
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("facts of rows (-want +got):\n%s", diff)
	}
}

func rootArrivesLast(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store, newRow(project, "t", "child", 1), newRow(project, "u", "other", 1))
	requireFacts(t, store, project, map[string]facts{"child": {}, "other": {}})
	insert(t, store, newRow(project, "t", "second", 2, with(set2)))
	requireFacts(t, store, project, map[string]facts{"child": set2, "second": set2, "other": {}})
	insert(t, store, newRow(project, "t", "root", 7, asRoot, with(set1)))
	requireFacts(t, store, project, map[string]facts{"child": set1, "second": set2, "root": set1, "other": {}})
}

func valueReplaced(t *testing.T, store Stores) {
	project := newProject()
	root := func(n int, f facts) *model.Observation {
		return newRow(project, "t", "root", 0, asRoot, with(f), version(n))
	}
	insert(t, store, root(5, set1), newRow(project, "t", "child", 1))
	insert(t, store, root(6, set2))
	requireFacts(t, store, project, map[string]facts{"root": set2, "child": set2})
	insert(t, store, root(4, set1))
	requireFacts(t, store, project, map[string]facts{"root": set2, "child": set2})
}

func conditionsSeeInherited(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store,
		newRow(project, "t", "child", 3), newRow(project, "t", "own", 2, with(facts{User: "u9", Session: "s9"})),
		newRow(project, "t", "root", 1, asRoot, with(set1)), newRow(project, "lonely", "lonely", 0),
	)
	for _, column := range []filter.Column{filter.UserID, filter.SessionID} {
		value := map[filter.Column]string{filter.UserID: "u", filter.SessionID: "s"}[column]
		requireIDs(t, readAll(t, store, project, oneOf(column, value+"1")), "child", "root")
		requireIDs(t, readAll(t, store, project, oneOf(column, value+"9")), "own")
		requireIDs(t, readAll(t, store, project, oneOf(column, "")), "lonely")
		requireIDs(t, readAll(t, store, project, oneOf(column, "", value+"1")), "child", "root", "lonely")
		requireIDs(t, readAll(t, store, project, oneOf(column, value+"1"), oneOf(filter.ParentObservationID, "parent")), "child")
		if n := count(t, store, project, oneOf(column, value+"1")); n != 2 {
			t.Errorf("counted %d rows by %s, want 2", n, column)
		}
	}
}

// A value counts for the whole trace, also where the row that gave it lies outside of the query.
func inheritsAcrossBound(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store, newRow(project, "t", "root", -86_400_000, asRoot, with(set1)), newRow(project, "t", "child", 0))
	child := readOne(t, store, project, filter.Time{Column: filter.StartTime, Op: filter.AtLeast, At: noon}, oneOf(filter.UserID, "u1"))
	if diff := cmp.Diff(set1, factsOf(child)); diff != "" {
		t.Fatalf("facts (-want +got):\n%s", diff)
	}
}

func inheritanceStaysInProject(t *testing.T, store Stores) {
	mine, theirs := newProject(), newProject()
	insert(t, store, newRow(theirs, "t", "root", 0, asRoot, with(set1), named("secret")), newRow(mine, "t", "child", 1))
	requireFacts(t, store, mine, map[string]facts{"child": {}})
	requireIDs(t, readAll(t, store, mine, oneOf(filter.UserID, "u1")))
}
