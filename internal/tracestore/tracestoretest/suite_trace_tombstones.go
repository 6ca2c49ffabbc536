package tracestoretest

import (
	"fmt"
	"testing"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

var traceTombstoneTests = map[string]func(*testing.T, Stores){
	"every row of the trace is hidden at once": traceHidden,
	"rows accepted later are new data":         traceBornAgain,
	"the highest tombstone counts":             highestTombstone,
	"nothing hidden is inherited":              hiddenLendsNothing,
	"it stays in its project and kind":         traceTombstoneStaysAtHome,
	"it may come before the rows":              traceTombstoneFirst,
	"walks go on behind hidden rows":           walksBehindHidden,
	"a canceled tombstone is an error":         canceledTombstone,
}

// bury hides what a trace has of versions below the nth.
func bury(t *testing.T, store Stores, project, trace string, n int) {
	t.Helper()
	var at model.Observation
	setVersion(&at, n)
	tombstone := tracestore.Tombstone{ProjectID: project, Kind: tracestore.TraceTombstone, ID: trace, Version: at.Version}
	if err := store.InsertTombstones(t.Context(), []tracestore.Tombstone{tombstone}); err != nil {
		t.Fatal(err)
	}
}

// requireEverywhere reads rows in every way and compares their ids.
func requireEverywhere(t *testing.T, store Stores, project string, want ...string) {
	t.Helper()
	ways := []tracestore.ObservationQuery{{}, {IO: true, Metadata: true}, {OwnOnly: true}}
	for i, where := range [][]filter.Condition{
		nil,
		{oneOf(filter.TraceID, "t", "other")},
		{oneOf(filter.ID, "a", "b", "c")},
		{filter.Time{Column: filter.StartTime, Op: filter.AtLeast, At: noon}},
		{oneOf(filter.Name, "n")},
		{filter.OneOf{Column: filter.UserID, Values: []string{"nobody"}, Not: true}},
		{filter.IsSet{Column: filter.Tags, Want: false}},
		{filter.Number{Column: filter.InputTokens, Op: filter.AtLeast}},
	} {
		q := ways[i%len(ways)]
		q.ProjectID, q.Where, q.Limit = project, where, 2
		requireIDs(t, walk(t, store, q, func() {}), want...)
		if n := count(t, store, project, where...); n != len(want) {
			t.Errorf("counted %d rows by %+v, want %d", n, where, len(want))
		}
	}
}

func traceHidden(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store,
		newRow(project, "t", "a", 3, version(1), named("n")), newRow(project, "t", "b", 2, version(5), named("n")),
		newRow(project, "other", "c", 1, version(2), named("n")))
	requireEverywhere(t, store, project, "a", "b", "c")
	bury(t, store, project, "t", 5)
	requireEverywhere(t, store, project, "b", "c") // accepted at the very version: not before it
	bury(t, store, project, "t", 6)
	requireEverywhere(t, store, project, "c")
}

func traceBornAgain(t *testing.T, store Stores) {
	project := newProject()
	text := func(text string) func(*model.Observation) {
		return func(o *model.Observation) { o.Input, o.Output = text, "" }
	}
	insert(t, store, newRow(project, "t", "a", 3, version(1), named("n"), text("old")), newRow(project, "t", "b", 2, version(1), named("n")))
	bury(t, store, project, "t", 5)
	// Redelivered: still hidden.
	insert(t, store, newRow(project, "t", "a", 3, version(1), named("n"), text("old")), newRow(project, "t", "c", 1, version(4), named("n")))
	requireEverywhere(t, store, project)
	again := newRow(project, "t", "a", 3, version(7), named("n"), text("new"))
	insert(t, store, again)
	requireEverywhere(t, store, project, "a")
	want := clone(again)
	requireSame(t, readOne(t, store, project), want)
}

func highestTombstone(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store, newRow(project, "t", "a", 0, version(4), named("n")), newRow(project, "t", "b", 0, version(8), named("n")))
	for _, n := range []int{6, 2, 6} {
		bury(t, store, project, "t", n)
	}
	requireEverywhere(t, store, project, "b")
}

func hiddenLendsNothing(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store, newRow(project, "t", "root", 0, asRoot, version(1), named("secret"), with(set1)))
	bury(t, store, project, "t", 2)
	insert(t, store, newRow(project, "t", "late", 1, version(3)))
	late := readOne(t, store, project)
	if got := factsOf(late); got.User != "" || got.Session != "" || got.Release != "" || got.TraceName != "" || len(got.Tags) != 0 {
		t.Errorf("the late row shows %+v of a hidden one", got)
	}
	requireIDs(t, readAll(t, store, project, oneOf(filter.UserID, set1.User)))
	requireIDs(t, readAll(t, store, project, filter.IsSet{Column: filter.TraceName, Want: false}), "late")
	requireIDs(t, readAll(t, store, project, filter.List{Column: filter.Tags, Op: filter.AnyOf, Values: set1.Tags}))
	requireIDs(t, readAll(t, store, project, filter.Text{Column: filter.SessionID, Op: filter.NotContains, Value: set1.Session}), "late")
	// A root that comes later gives to its trace again.
	insert(t, store, newRow(project, "t", "root", 0, asRoot, version(4), with(set2)))
	requireIDs(t, readAll(t, store, project, oneOf(filter.UserID, set2.User)), "late", "root")
}

func traceTombstoneStaysAtHome(t *testing.T, store Stores) {
	mine, theirs := newProject(), newProject()
	insert(t, store, newRow(mine, "t", "a", 0, named("n")), newRow(theirs, "t", "b", 0, named("n")), newRow(mine, "other", "c", -1, named("n")))
	bury(t, store, theirs, "t", 9)
	err := store.InsertTombstones(t.Context(), []tracestore.Tombstone{
		{ProjectID: mine, Kind: tracestore.ScoreTombstone, ID: "t", Version: 1 << 62}, {ProjectID: mine, Kind: tracestore.TraceTombstone, ID: "T", Version: 1 << 62},
	})
	if err != nil {
		t.Fatal(err)
	}
	requireIDs(t, readAll(t, store, mine), "a", "c")
	requireIDs(t, readAll(t, store, mine, oneOf(filter.Name, "n")), "a", "c")
	requireIDs(t, readAll(t, store, theirs))
}

func traceTombstoneFirst(t *testing.T, store Stores) {
	project := newProject()
	bury(t, store, project, "t", 5)
	insert(t, store, newRow(project, "t", "a", 0, version(4), named("n")), newRow(project, "t", "b", 0, version(6), named("n")))
	requireEverywhere(t, store, project, "b")
}

func walksBehindHidden(t *testing.T, store Stores) {
	project := newProject()
	var rows []*model.Observation
	for i := range 300 {
		trace := "hidden"
		if i%100 == 99 {
			trace = "t"
		}
		rows = append(rows, newRow(project, trace, fmt.Sprintf("s%03d", i), -i, named("n")))
	}
	insert(t, store, rows...)
	bury(t, store, project, "hidden", 1)
	for _, where := range [][]filter.Condition{nil, {oneOf(filter.Name, "n")}} {
		q := tracestore.ObservationQuery{ProjectID: project, Where: where, Limit: 2}
		requireIDs(t, walk(t, store, q, func() {}), "s099", "s199", "s299")
	}
}

func canceledTombstone(t *testing.T, store Stores) {
	if err := store.InsertTombstones(canceled(), []tracestore.Tombstone{{ProjectID: newProject(), Kind: tracestore.TraceTombstone, ID: "t"}}); err == nil {
		t.Error("an insert with a canceled context reports success")
	}
}
