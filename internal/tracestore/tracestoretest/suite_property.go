package tracestoretest

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// The values rows and conditions are drawn from: few, so that they meet.
var (
	drawnTraces = []string{"t1", "t2", "t3", "trace four"}
	drawnIDs    = []string{"s1", "s2", "s3", "s4", "s5", "s6"}
	// removableIDs are of rows that give nothing to their trace: what a deleted row gave would stay.
	removableIDs = []string{"s5", "s6"}
	drawnTexts   = []string{"", "", "a", "b", "é\x00'\\"}
	drawnTags    = [][]string{nil, nil, {"x"}, {"y", "x"}}
	drawnEnvs    = []string{model.DefaultEnvironment, "prod"}
	drawnStarts  = []int{0, 1, 2, 999, 1000, 60_000}
)

var drawnRow = rapid.Custom(func(t *rapid.T) *model.Observation {
	text := func(label string) string { return rapid.SampledFrom(drawnTexts).Draw(t, label) }
	o := newRow("", rapid.SampledFrom(drawnTraces).Draw(t, "trace"), rapid.SampledFrom(drawnIDs).Draw(t, "id"),
		rapid.SampledFrom(drawnStarts).Draw(t, "start"))
	o.ParentID = rapid.SampledFrom(append([]string{""}, drawnIDs...)).Draw(t, "parent")
	o.AppRoot = rapid.IntRange(0, 9).Draw(t, "app root") == 0
	o.Name, o.UserID, o.SessionID = text("name"), text("user"), text("session")
	o.TraceName, o.Release, o.CodeVersion = text("trace name"), text("release"), text("version")
	o.Tags = rapid.SampledFrom(drawnTags).Draw(t, "tags")
	o.Environment = rapid.SampledFrom(drawnEnvs).Draw(t, "environment")
	o.Type = rapid.SampledFrom(model.Types).Draw(t, "type")
	o.Level = rapid.SampledFrom(model.Levels).Draw(t, "level")
	o.Input = text("input")
	if slices.Contains(removableIDs, o.ID) {
		o.ParentID, o.AppRoot = "s1", false
		with(facts{})(o)
		o.Deleted = rapid.IntRange(0, 2).Draw(t, "deleted") == 0
	}
	return o
})

var drawnCondition = rapid.Custom(func(t *rapid.T) filter.Condition {
	values := map[filter.Column][]string{
		filter.ID: drawnIDs, filter.TraceID: drawnTraces, filter.Name: drawnTexts, filter.UserID: drawnTexts,
		filter.SessionID: drawnTexts, filter.CodeVersion: drawnTexts, filter.Environment: drawnEnvs,
		filter.ParentObservationID: append([]string{""}, drawnIDs...),
		filter.Type:                {"SPAN", "GENERATION", "EVENT", "TOOL"}, filter.Level: {"DEFAULT", "ERROR"},
	}
	at := noon.Add(time.Duration(rapid.SampledFrom(drawnStarts).Draw(t, "bound")) * time.Millisecond)
	switch rapid.IntRange(0, 6).Draw(t, "condition") {
	case 0:
		return filter.Since{Column: filter.StartTime, At: at}
	case 1:
		return filter.Before{Column: filter.StartTime, At: at}
	case 2:
		return filter.IsTrue{Column: filter.IsRootObservation, Want: rapid.Bool().Draw(t, "want")}
	}
	columns := make([]filter.Column, 0, len(values))
	for column := range values {
		columns = append(columns, column)
	}
	slices.Sort(columns)
	column := rapid.SampledFrom(columns).Draw(t, "column")
	value := rapid.SampledFrom(append([]string{"none has this"}, values[column]...))
	return filter.OneOf{Column: column, Values: rapid.SliceOfN(value, 1, 3).Draw(t, "values")}
})

// dataset is a project that the store under test and Memory hold alike.
type dataset struct {
	seed    int
	project string
	rows    []*model.Observation
	memory  *Memory
}

// GoString keeps the rows out of the report of a failed check; the seed gives them again.
func (d dataset) GoString() string { return fmt.Sprintf("dataset(seed %d, %s)", d.seed, d.project) }

// newDataset draws rows from a seed and inserts them in several batches, versions out of order and
// tombstones among them, and amends some after each.
// A row that is drawn again changes in what concerns itself, not in what it gives to its trace.
func newDataset(t *testing.T, store Stores, seed int) dataset {
	t.Helper()
	d := dataset{seed: seed, project: newProject(), memory: &Memory{}}
	given := map[rowKey]*model.Observation{}
	for i, o := range rapid.SliceOfN(drawnRow, 70, 70).Example(seed) {
		o.ProjectID = d.project
		setVersion(o, (i*37)%101)
		if before := given[keyOf(o)]; before != nil {
			o.ParentID, o.AppRoot, o.Name, o.Tags = before.ParentID, before.AppRoot, before.Name, before.Tags
			o.UserID, o.SessionID, o.TraceName, o.Release = before.UserID, before.SessionID, before.TraceName, before.Release
		}
		given[keyOf(o)] = o
		d.rows = append(d.rows, o)
	}
	for batch := range slices.Chunk(d.rows, 30) {
		insert(t, store, batch...)
		insert(t, d.memory, batch...)
		amended := readForAmend(t, d.memory, d.project)
		for _, o := range amended {
			reprice(o)
		}
		amended = slices.DeleteFunc(amended, func(o *model.Observation) bool { return o.Version%3 != 0 })
		amend(t, store, amended...)
		amend(t, d.memory, amended...)
	}
	return d
}

func conditionsProperty(t *testing.T, store Stores) {
	var sets []dataset
	for seed := range 4 {
		sets = append(sets, newDataset(t, store, seed))
	}
	rapid.Check(t, func(rt *rapid.T) {
		d := rapid.SampledFrom(sets).Draw(rt, "dataset")
		q := tracestore.ObservationQuery{
			ProjectID: d.project,
			Where:     rapid.SliceOfN(drawnCondition, 0, 3).Draw(rt, "where"),
			Limit:     rapid.IntRange(1, 30).Draw(rt, "limit"),
			IO:        rapid.Bool().Draw(rt, "io"),
			Metadata:  rapid.Bool().Draw(rt, "metadata"),
		}
		if rapid.Bool().Draw(rt, "continued") {
			after := positionOf(rapid.SampledFrom(d.rows).Draw(rt, "after"))
			q.After = &after
		}
		want, err := d.memory.Observations(t.Context(), q)
		if err != nil {
			rt.Fatal(err)
		}
		got, err := store.Observations(t.Context(), q)
		if err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			rt.Fatalf("page (-want +got):\n%s", diff)
		}
		compareCounts(rt, store, d, q.Where)
	})
}

func compareCounts(rt *rapid.T, store tracestore.Store, d dataset, where []filter.Condition) {
	want, err := d.memory.CountObservations(rt.Context(), d.project, where)
	if err != nil {
		rt.Fatal(err)
	}
	got, err := store.CountObservations(rt.Context(), d.project, where)
	if err != nil {
		rt.Fatal(err)
	}
	if got != want {
		rt.Fatalf("counted %d rows, want %d", got, want)
	}
}

func countEqualsWalk(t *testing.T, store Stores) {
	d := newDataset(t, store, 99)
	for i, where := range [][]filter.Condition{
		nil,
		{filter.IsTrue{Column: filter.IsRootObservation, Want: true}},
		{oneOf(filter.UserID, "a")},
		{oneOf(filter.UserID, ""), oneOf(filter.Environment, "prod")},
	} {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			rows := walk(t, store, tracestore.ObservationQuery{ProjectID: d.project, Where: where, Limit: 9}, func() {})
			requireOrder(t, rows)
			want := count(t, d.memory, d.project, where...)
			if n := count(t, store, d.project, where...); n != len(rows) || n != want {
				t.Errorf("counted %d and walked %d rows, want %d", n, len(rows), want)
			}
		})
	}
}
