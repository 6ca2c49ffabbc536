package tracestoretest

import (
	"testing"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

var amendTests = map[string]func(*testing.T, Stores){
	"an amended row keeps its texts":    amendKeepsTexts,
	"a later insert wins over an amend": amendThenInsert,
	"an amend below a version loses":    amendTooLate,
	"an amend does not revive a row":    amendDeleted,
	"what is inherited stays inherited": amendInherits,
	"amending nothing is no error":      amendNothing,
	"rows of many days":                 amendManyDays,
}

// readForAmend reads rows as Amend wants them.
func readForAmend(t *testing.T, store tracestore.Store, project string) []*model.Observation {
	t.Helper()
	return read(t, store, tracestore.ObservationQuery{ProjectID: project, Limit: everything, Metadata: true, OwnOnly: true})
}

// reprice is a change as it is made to stored rows.
func reprice(o *model.Observation) {
	o.CostDetails = map[string]decimal.Decimal{model.TotalKey: decimal.RequireFromString("0.25")}
	o.CostOrigin, o.ModelID, o.Level = model.Priced, "mdl-2", model.Error
	o.Version++
}

func amend(t *testing.T, store tracestore.Amender, rows ...*model.Observation) {
	t.Helper()
	if err := store.Amend(t.Context(), rows); err != nil {
		t.Fatalf("amend %d rows: %v", len(rows), err)
	}
}

func amendKeepsTexts(t *testing.T, store Stores) {
	project := newProject()
	want := fullRow(project, "t", "s", 0)
	insert(t, store, want)
	for range 2 {
		rows := readForAmend(t, store, project)
		requireIDs(t, rows, "s")
		reprice(rows[0])
		reprice(want)
		amend(t, store, rows...)
		requireSame(t, readOne(t, store, project), want)
		requireSame(t, readOne(t, store, project, oneOf(filter.Level, "ERROR")), want)
	}
	requireIDs(t, readAll(t, store, project, oneOf(filter.Level, "WARNING")))
	if n := count(t, store, project); n != 1 {
		t.Errorf("counted %d rows, want 1", n)
	}
}

func amendThenInsert(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store, versioned(project, 1, "one"))
	rows := readForAmend(t, store, project)
	reprice(rows[0])
	amend(t, store, rows...)
	insert(t, store, versioned(project, 1, "one")) // delivered again
	if got := readOne(t, store, project); got.CostOrigin != model.Priced || got.Input != "input of one" {
		t.Errorf("the amended row is %+v", got)
	}
	insert(t, store, versioned(project, 2, "two"))
	requireSame(t, readOne(t, store, project), versioned(project, 2, "two"))
}

// amendTooLate reads a row, and before it amends it another version arrives.
func amendTooLate(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store, versioned(project, 1, "one"))
	rows := readForAmend(t, store, project)
	insert(t, store, versioned(project, 2, "two"))
	reprice(rows[0])
	amend(t, store, rows...)
	requireSame(t, readOne(t, store, project), versioned(project, 2, "two"))
}

func amendDeleted(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store, versioned(project, 1, "one"))
	rows := readForAmend(t, store, project)
	insert(t, store, newRow(project, "t", "s", 0, version(2), asDeleted))
	reprice(rows[0])
	amend(t, store, rows...)
	requireIDs(t, readAll(t, store, project))
}

// A row that was amended still takes the values of its trace, also those that change afterwards.
func amendInherits(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store, newRow(project, "t", "child", 1), newRow(project, "t", "root", 0, asRoot, version(1), with(set1)))
	rows := readForAmend(t, store, project)
	for _, o := range rows {
		if o.ID == "child" && (o.UserID != "" || o.SessionID != "" || o.Release != "" || o.TraceName != "" || len(o.Tags) > 0) {
			t.Errorf("the row shows more than its own: %+v", factsOf(o))
		}
		reprice(o)
	}
	amend(t, store, rows...)
	child := oneOf(filter.ID, "child")
	if got := factsOf(readOne(t, store, project, child)); got.User != set1.User || got.TraceName != set1.TraceName {
		t.Errorf("the amended row inherits %+v, want %+v", got, set1)
	}
	insert(t, store, newRow(project, "t", "root", 0, asRoot, version(5), with(set2)))
	if got := factsOf(readOne(t, store, project, child)); got.User != set2.User || got.TraceName != set2.TraceName {
		t.Errorf("the amended row inherits %+v, want %+v", got, set2)
	}
}

func amendNothing(t *testing.T, store Stores) {
	amend(t, store)
	if err := store.Amend(canceled(), []*model.Observation{newRow(newProject(), "t", "s", 0)}); err == nil {
		t.Error("an amend with a canceled context reports success")
	}
}

func amendManyDays(t *testing.T, store Stores) {
	project := newProject()
	var rows []*model.Observation
	for i := range 100 {
		rows = append(rows, newRow(project, "t", "s", 0, named("n"), func(o *model.Observation) {
			o.StartTime, o.Input = o.StartTime.AddDate(0, 0, -i), "text"
		}))
	}
	insert(t, store, rows...)
	changed := readForAmend(t, store, project)
	for _, o := range changed {
		reprice(o)
	}
	amend(t, store, changed...)
	got := readAll(t, store, project, oneOf(filter.Level, "ERROR"))
	if len(got) != len(rows) {
		t.Fatalf("%d rows are amended, want %d", len(got), len(rows))
	}
	for _, o := range got {
		if o.Input != "text" || o.CostOrigin != model.Priced {
			t.Fatalf("the amended row is %+v", o)
		}
	}
}
