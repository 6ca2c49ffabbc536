package tracestoretest

import (
	"fmt"
	"testing"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

var tombstoneTests = map[string]func(*testing.T, Stores){
	"a tombstone hides what is below it":      tombstoneHides,
	"every way of reading honors it":          tombstoneInEveryRead,
	"a later version brings the row back":     tombstoneOutlived,
	"a version below stays hidden":            tombstoneFirst,
	"another start time is another row":       tombstoneOfOneStart,
	"nothing is inherited from a tombstone":   tombstoneLendsNothing,
	"a page of tombstones does not end walks": tombstonesOnPages,
	"it stays in its project and trace":       tombstoneStaysAtHome,
}

func asDeleted(o *model.Observation) { o.Deleted = true }

func tombstoneHides(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store, versioned(project, 1, "one"))
	insert(t, store, newRow(project, "t", "s", 0, version(2), asDeleted))
	requireIDs(t, readAll(t, store, project))
	if n := count(t, store, project); n != 0 {
		t.Errorf("counted %d rows, want none", n)
	}
	// One batch may hold both, and a tombstone of nothing.
	insert(t, store, newRow(project, "t", "x", 0, version(2), asDeleted), newRow(project, "t", "x", 0, version(1)), newRow(project, "t", "y", 0, asDeleted))
	requireIDs(t, readAll(t, store, project))
}

func tombstoneInEveryRead(t *testing.T, store Stores) {
	project := newProject()
	row := func(id string, edits ...func(*model.Observation)) *model.Observation {
		return newRow(project, "t", id, 0, append(edits, named("n"), func(o *model.Observation) { o.UserID, o.Input = "u", "text" })...)
	}
	insert(t, store, row("a", version(1)), row("b", version(1)))
	// The tombstone has the values that the row had: it matches every condition that the row does.
	insert(t, store, row("a", version(2), asDeleted))
	for _, where := range [][]filter.Condition{
		nil,
		{oneOf(filter.TraceID, "t")},
		{oneOf(filter.ID, "a", "b")},
		{filter.Time{Column: filter.StartTime, Op: filter.AtLeast, At: noon}},
		{oneOf(filter.Name, "n")},
		{oneOf(filter.UserID, "u")},
		{oneOf(filter.TraceID, "t"), oneOf(filter.Level, "DEFAULT")},
		{filter.IsTrue{Column: filter.IsRootObservation, Want: false}},
	} {
		for _, q := range []tracestore.ObservationQuery{{}, {IO: true}, {Metadata: true}, {OwnOnly: true}} {
			q.ProjectID, q.Where, q.Limit = project, where, 1
			requireIDs(t, walk(t, store, q, func() {}), "b")
		}
		if n := count(t, store, project, where...); n != 1 {
			t.Errorf("counted %d rows by %+v, want 1", n, where)
		}
	}
}

func tombstoneOutlived(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store, versioned(project, 1, "one"))
	insert(t, store, newRow(project, "t", "s", 0, version(2), asDeleted))
	insert(t, store, versioned(project, 3, "three"))
	requireSame(t, readOne(t, store, project), versioned(project, 3, "three"))
	requireIDs(t, readAll(t, store, project, oneOf(filter.Name, "one")))
}

func tombstoneFirst(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store, newRow(project, "t", "s", 0, version(5), asDeleted))
	insert(t, store, versioned(project, 4, "four"))
	requireIDs(t, readAll(t, store, project))
	requireIDs(t, readAll(t, store, project, oneOf(filter.Name, "four")))
	if n := count(t, store, project, oneOf(filter.Name, "four")); n != 0 {
		t.Errorf("counted %d rows, want none", n)
	}
}

// tombstoneOfOneStart is how a row moves: an event that comes late changes its start.
func tombstoneOfOneStart(t *testing.T, store Stores) {
	project := newProject()
	moved := newRow(project, "t", "s", 500, version(2), named("moved"), func(o *model.Observation) { o.Input = "text" })
	insert(t, store, versioned(project, 1, "first"))
	insert(t, store, newRow(project, "t", "s", 0, version(2), asDeleted), moved)
	requireSame(t, readOne(t, store, project, oneOf(filter.TraceID, "t")), moved)
	requireSame(t, readOne(t, store, project, oneOf(filter.Name, "moved", "first")), moved)
}

func tombstoneLendsNothing(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store, newRow(project, "t", "root", 0, asRoot, asDeleted, named("root"), with(set1)), newRow(project, "t", "child", 1))
	if got := factsOf(readOne(t, store, project)); got.User != "" || got.Session != "" || got.TraceName != "" || len(got.Tags) != 0 {
		t.Errorf("the child inherits %+v", got)
	}
	requireIDs(t, readAll(t, store, project, oneOf(filter.UserID, set1.User)))
}

func tombstonesOnPages(t *testing.T, store Stores) {
	project := newProject()
	var rows, gone []*model.Observation
	for i := range 400 {
		id := fmt.Sprintf("s%03d", i)
		rows = append(rows, newRow(project, "t", id, -i, version(1), named("n")))
		if i%100 != 99 {
			gone = append(gone, newRow(project, "t", id, -i, version(2), asDeleted, named("n")))
		}
	}
	insert(t, store, rows...)
	insert(t, store, gone...)
	for _, where := range [][]filter.Condition{nil, {oneOf(filter.Name, "n")}} {
		q := tracestore.ObservationQuery{ProjectID: project, Where: where, Limit: 3}
		requireIDs(t, walk(t, store, q, func() {}), "s099", "s199", "s299", "s399")
	}
}

func tombstoneStaysAtHome(t *testing.T, store Stores) {
	mine, theirs := newProject(), newProject()
	insert(t, store, versioned(mine, 1, "mine"), versioned(theirs, 1, "theirs"), newRow(mine, "other", "s", 0))
	insert(t, store, newRow(mine, "t", "s", 0, version(2), asDeleted))
	requireSame(t, readOne(t, store, theirs), versioned(theirs, 1, "theirs"))
	if got := readOne(t, store, mine); got.TraceID != "other" {
		t.Errorf("the row of trace %q stayed", got.TraceID)
	}
}
