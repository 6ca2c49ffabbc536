package tracestoretest

import (
	"fmt"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

var foldTests = map[string]func(*testing.T, Stores){
	"the highest version counts":             highestVersion,
	"only the highest version is tested":     staleVersionsDoNotMatch,
	"rows may come again":                    sameRowsAgain,
	"a span in two projects is two rows":     twoProjects,
	"another start time is a second row":     otherStart,
	"one batch may hold a row several times": sameBatch,
	"two writers insert the same":            twoWriters,
	"an empty batch is no error":             emptyBatch,
	"a canceled insert can be repeated":      canceledInsert,
	"months far apart in one batch":          manyMonths,
}

func versioned(project string, n int, name string) *model.Observation {
	return newRow(project, "t", "s", 0, version(n), func(o *model.Observation) { o.Name, o.Input = name, "input of "+name })
}

func highestVersion(t *testing.T, store Stores) {
	project := newProject()
	for _, step := range []struct {
		insert, want int
	}{{5, 5}, {5, 5}, {9, 9}, {7, 9}, {5, 9}, {9, 9}, {10, 10}} {
		name := func(n int) string { return fmt.Sprintf("version %d", n) }
		insert(t, store, versioned(project, step.insert, name(step.insert)))
		requireSame(t, readOne(t, store, project), versioned(project, step.want, name(step.want)))
		if n := count(t, store, project); n != 1 {
			t.Fatalf("count %d after version %d, want 1", n, step.insert)
		}
	}
}

// A condition that an older version meets and the newest does not must not find the row.
func staleVersionsDoNotMatch(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store, versioned(project, 1, "old"))
	insert(t, store, versioned(project, 2, "new"))
	old := filter.OneOf{Column: filter.Name, Values: []string{"old"}}
	requireIDs(t, readAll(t, store, project, old))
	if n := count(t, store, project, old); n != 0 {
		t.Fatalf("counted %d rows by a value of an older version", n)
	}
	requireIDs(t, readAll(t, store, project, filter.OneOf{Column: filter.Name, Values: []string{"new"}}), "s")
}

func sameRowsAgain(t *testing.T, store Stores) {
	project := newProject()
	rows := []*model.Observation{
		newRow(project, "t", "a", 1), newRow(project, "t", "b", 0),
	}
	for range 3 {
		if err := store.Insert(t.Context(), rows); err != nil {
			t.Fatal(err)
		}
	}
	requireIDs(t, readAll(t, store, project), "a", "b")
	if n := count(t, store, project); n != 2 {
		t.Fatalf("count %d, want 2", n)
	}
	if err := store.Insert(t.Context(), []*model.Observation{newRow(project, "t", "c", 2)}); err != nil {
		t.Fatal(err)
	}
	requireIDs(t, readAll(t, store, project), "c", "a", "b")
}

func twoProjects(t *testing.T, store Stores) {
	one, two := newProject(), newProject()
	insert(t, store, versioned(one, 1, "one"), versioned(two, 1, "two"))
	insert(t, store, versioned(one, 2, "one again"))
	requireSame(t, readOne(t, store, one), versioned(one, 2, "one again"))
	requireSame(t, readOne(t, store, two), versioned(two, 1, "two"))
}

func otherStart(t *testing.T, store Stores) {
	project := newProject()
	later := versioned(project, 2, "later")
	later.StartTime = later.StartTime.Add(time.Millisecond)
	insert(t, store, versioned(project, 1, "first"), later)
	rows := readAll(t, store, project)
	if len(rows) != 2 {
		t.Fatalf("read %d rows, want 2", len(rows))
	}
	requireSame(t, rows[0], later)
	requireSame(t, rows[1], versioned(project, 1, "first"))
}

func sameBatch(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store, versioned(project, 2, "two"), versioned(project, 3, "three"), versioned(project, 1, "one"))
	requireSame(t, readOne(t, store, project), versioned(project, 3, "three"))
}

func twoWriters(t *testing.T, store Stores) {
	project := newProject()
	var rows []*model.Observation
	for i := range 100 {
		rows = append(rows, newRow(project, "t", fmt.Sprintf("s%03d", i), i))
	}
	const writers = 3
	errs := make(chan error, writers)
	for range writers {
		go func() { errs <- store.Insert(t.Context(), rows) }()
	}
	for range writers {
		if err := <-errs; err != nil {
			t.Fatal(err)
		}
	}
	got := readAll(t, store, project)
	requireOrder(t, got)
	if n := count(t, store, project); n != len(rows) || len(got) != len(rows) {
		t.Fatalf("counted %d and read %d rows, want %d", n, len(got), len(rows))
	}
}

func emptyBatch(t *testing.T, store Stores) {
	if err := store.Insert(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if err := store.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func canceledInsert(t *testing.T, store Stores) {
	project := newProject()
	rows := []*model.Observation{newRow(project, "t", "s", 0)}
	if err := store.Insert(canceled(), rows); err == nil {
		t.Fatal("an insert with a canceled context reports success")
	}
	if err := store.Insert(t.Context(), rows); err != nil {
		t.Fatal(err)
	}
	requireIDs(t, readAll(t, store, project), "s")
}

// One client with absurd clocks must not fail a batch that carries the rows of others.
func manyMonths(t *testing.T, store Stores) {
	odd, normal := newProject(), newProject()
	const months = 200
	var rows []*model.Observation
	for i := range months {
		rows = append(rows, newRow(odd, "t", fmt.Sprintf("m%03d", i), 0, func(o *model.Observation) {
			o.StartTime = time.Date(2009, time.Month(1+i), 1, 0, 0, 0, 0, time.UTC)
		}))
	}
	rows = append(rows, newRow(normal, "t", "a", 1), newRow(normal, "t", "b", 0))
	if err := store.Insert(t.Context(), rows); err != nil {
		t.Fatal(err)
	}
	requireIDs(t, readAll(t, store, normal), "a", "b")
	got := walk(t, store, tracestore.ObservationQuery{ProjectID: odd, Limit: 60}, func() {})
	requireOrder(t, got)
	if n := count(t, store, odd); len(got) != months || n != months {
		t.Fatalf("walked %d and counted %d rows, want %d", len(got), n, months)
	}
}
