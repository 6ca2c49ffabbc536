package tracestoretest

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

var pageTests = map[string]func(*testing.T, Stores){
	"order":                           pageOrder,
	"limits":                          pageLimits,
	"ties on one millisecond":         pageTies,
	"a walk is exact while rows come": pageWalkUnderInserts,
	"a position that no row has":      pageFromNowhere,
	"a canceled read ends":            canceledRead,
}

// pageOrder names every member of the sort key in turn.
func pageOrder(t *testing.T, store Stores) {
	project := newProject()
	// By xxHash32: "abc" 0x32d153ff, "a" 0x550d7456, "" 0x02cc5d05.
	insert(t, store,
		newRow(project, "abc", "x", 0), newRow(project, "a", "b", 0), newRow(project, "a", "c", 0),
		newRow(project, "abc", "a", 1), newRow(project, "abc", "z", -1),
	)
	rows := readAll(t, store, project)
	requireIDs(t, rows, "a", "c", "b", "x", "z")
	requireOrder(t, rows)
}

func pageLimits(t *testing.T, store Stores) {
	project := newProject()
	requireIDs(t, read(t, store, tracestore.ObservationQuery{ProjectID: project, Limit: 1}))
	insert(t, store, newRow(project, "t", "a", 3), newRow(project, "t", "b", 2), newRow(project, "t", "c", 1))
	for limit, want := range map[int][]string{
		1: {"a"}, 2: {"a", "b"}, 3: {"a", "b", "c"}, 4: {"a", "b", "c"}, 1001: {"a", "b", "c"},
	} {
		requireIDs(t, read(t, store, tracestore.ObservationQuery{ProjectID: project, Limit: limit}), want...)
	}
	last := filter.Position{StartTime: noon.Add(time.Millisecond), TraceID: "t", ID: "c"}
	requireIDs(t, read(t, store, tracestore.ObservationQuery{ProjectID: project, Limit: 5, After: &last}))
}

func pageTies(t *testing.T, store Stores) {
	project := newProject()
	var rows []*model.Observation
	for i := range 500 {
		rows = append(rows, newRow(project, fmt.Sprintf("trace-%d", i%7), fmt.Sprintf("span-%d", i/3), 0))
	}
	insert(t, store, rows...)
	got := walk(t, store, tracestore.ObservationQuery{ProjectID: project, Limit: 61}, func() {})
	if len(got) != len(rows) {
		t.Fatalf("walked %d rows, want %d", len(got), len(rows))
	}
	for i, want := range sorted(rows) {
		if positionOf(got[i]) != positionOf(want) {
			t.Fatalf("row %d is %+v, want %+v", i, positionOf(got[i]), positionOf(want))
		}
	}
}

// pageWalkUnderInserts walks while newer and older rows arrive and rows of the walk are sent again.
func pageWalkUnderInserts(t *testing.T, store Stores) {
	project := newProject()
	const rowCount, pageSize = 300, 23
	resend := func(n int) (rows []*model.Observation) {
		for i := range rowCount {
			rows = append(rows, newRow(project, fmt.Sprintf("t%d", i%5), fmt.Sprintf("s%d", i), i/4, version(n)))
		}
		return rows
	}
	original := resend(1)
	insert(t, store, original...)

	stop := make(chan struct{})
	var writers sync.WaitGroup
	writers.Go(func() {
		for round := range 12 {
			select {
			case <-stop:
				return
			default:
			}
			batch := resend(2 + round)[round*20 : round*20+40]
			for i := range 5 {
				id := fmt.Sprintf("late-%d-%d", round, i)
				batch = append(batch, newRow(project, "new", id, 10_000+round), newRow(project, "t1", id, i), newRow(project, "old", id, -1-round))
			}
			if err := store.Insert(t.Context(), batch); err != nil {
				t.Errorf("insert during the walk: %v", err)
				return
			}
		}
	})
	pages := 0
	got := walk(t, store, tracestore.ObservationQuery{ProjectID: project, Limit: pageSize, Metadata: true}, func() { pages++ })
	close(stop)
	writers.Wait()

	requireOrder(t, got) // strictly descending: nothing appears twice
	seen := map[rowKey]bool{}
	for _, o := range got {
		seen[keyOf(o)] = true
	}
	for _, o := range original {
		if !seen[keyOf(o)] {
			t.Errorf("row %+v is missing from the walk", positionOf(o))
		}
	}
	if pages < rowCount/pageSize {
		t.Errorf("walked %d pages, want at least %d", pages, rowCount/pageSize)
	}
}

// A cursor may come from another project, or its row may be gone.
func pageFromNowhere(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store, newRow(project, "t", "a", 2), newRow(project, "t", "c", 0))
	for want, after := range map[string]filter.Position{
		"a": {StartTime: noon.Add(time.Hour), TraceID: "elsewhere", ID: "x"},
		"c": {StartTime: noon.Add(time.Millisecond), TraceID: "elsewhere", ID: "x"},
		"":  {StartTime: noon.Add(-time.Hour), TraceID: "elsewhere", ID: "x"},
	} {
		rows := read(t, store, tracestore.ObservationQuery{ProjectID: project, Limit: 1, After: &after})
		if want == "" {
			requireIDs(t, rows)
			continue
		}
		requireIDs(t, rows, want)
	}
}

func canceledRead(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store, newRow(project, "t", "a", 0))
	if _, err := store.Observations(canceled(), tracestore.ObservationQuery{ProjectID: project, Limit: 1}); err == nil {
		t.Error("a read with a canceled context reports success")
	}
	if _, err := store.CountObservations(canceled(), project, nil); err == nil {
		t.Error("a count with a canceled context reports success")
	}
}
