package tracestoretest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

var (
	drawnExperiments = []string{"", "x1", "x2", "x3", "x'4"}
	drawnNames       = []string{"", "run", "run two", "é\x00'\\"}
	drawnDatasets    = []string{"", "", "d1", "d2"}
	drawnLeaves      = [][]model.MetadataEntry{
		nil, nil,
		{{Name: "k", Value: "v", Type: model.MetadataString}},
		{{Name: "k", Value: "2", Type: model.MetadataNumber}, {Name: "a.b", Value: "[1]", Type: model.MetadataJSON}},
	}
)

// drawnRun is a version of one of few spans: the same span is drawn with several experiments, without
// any, and as a tombstone.
var drawnRun = shared(func(t *rapid.T) *model.Observation {
	text := func(label string, values []string) string { return rapid.SampledFrom(values).Draw(t, label) }
	o := newRow("", text("trace", drawnTraces), text("id", drawnIDs), rapid.SampledFrom(drawnStarts).Draw(t, "start"))
	if rapid.Bool().Draw(t, "ended") {
		o.EndTime = o.StartTime.Add(time.Duration(rapid.SampledFrom([]int{0, 5, 90_000}).Draw(t, "took")) * time.Millisecond)
	}
	o.Input = text("input", drawnTexts)
	o.Deleted = rapid.IntRange(0, 7).Draw(t, "deleted") == 0
	if rapid.IntRange(0, 5).Draw(t, "plain") == 0 {
		return o
	}
	o.Experiment = &model.Experiment{
		ID: text("experiment", drawnExperiments), Name: text("name", drawnNames), Description: text("description", drawnTexts),
		DatasetID: text("dataset", drawnDatasets), Metadata: rapid.SampledFrom(drawnLeaves).Draw(t, "metadata"),
		ItemID: text("item", []string{"", "i1", "i2"}), ItemRootID: text("root", []string{o.ID, o.ID, "s1"}),
		ItemMetadata: rapid.SampledFrom(drawnLeaves).Draw(t, "item metadata"), ItemExpectedOutput: text("expected", drawnTexts),
	}
	return o
})

// newExperimentSet draws versions of spans from a seed and inserts them out of order in several batches, with
// tombstones of traces in between.
func newExperimentSet(t *testing.T, store Stores, seed int) dataset {
	t.Helper()
	d := dataset{seed: seed, project: newProject(), memory: &Memory{}}
	for i, o := range rapid.SliceOfN(drawnRun, 120, 120).Example(seed) {
		o.ProjectID = d.project
		setVersion(o, (i*37)%127)
		d.rows = append(d.rows, o)
	}
	for i, batch := range slices.Collect(slices.Chunk(d.rows, 50)) {
		insert(t, store, batch...)
		insert(t, d.memory, batch...)
		d.bury(t, store, drawnTraces[(seed+i)%len(drawnTraces)], 30+seed*7+i*20, i)
	}
	return d
}

var drawnWindow = shared(func(t *rapid.T) tracestore.Window {
	bound := func(label string) time.Time {
		return noon.Add(time.Duration(rapid.SampledFrom(drawnStarts).Draw(t, label)) * time.Millisecond)
	}
	window := tracestore.Window{From: bound("from")}
	if rapid.Bool().Draw(t, "early") {
		window.From = always.From
	}
	if rapid.Bool().Draw(t, "closed") {
		window.To = bound("to").Add(time.Millisecond)
	}
	return window
})

func drawnTextCondition(values map[filter.Column][]string) *rapid.Generator[filter.Condition] {
	return rapid.Custom(func(t *rapid.T) filter.Condition {
		columns := []filter.Column{}
		for column := range values {
			columns = append(columns, column)
		}
		slices.Sort(columns)
		column := rapid.SampledFrom(columns).Draw(t, "column")
		value := rapid.SampledFrom(append([]string{"u", "none has this"}, values[column]...))
		switch rapid.IntRange(0, 3).Draw(t, "condition") {
		case 0:
			return filter.IsSet{Column: column, Want: rapid.Bool().Draw(t, "want")}
		case 1:
			ops := []filter.TextOp{filter.Equal, filter.Contains, filter.NotContains, filter.StartsWith, filter.EndsWith}
			return filter.Text{Column: column, Op: rapid.SampledFrom(ops).Draw(t, "op"), Value: value.Draw(t, "value")}
		}
		return filter.OneOf{Column: column, Values: rapid.SliceOfN(value, 1, 3).Draw(t, "values"), Not: rapid.Bool().Draw(t, "not")}
	})
}

// experimentProperty compares whole walks with one page of Memory: duplicates, late versions that move a
// span to another experiment, tombstones of
// spans and of traces, windows, every condition, any page size. A failure names the
// seeds of its dataset and of its query.
func experimentProperty(t *testing.T, store Stores) {
	groups := drawnTextCondition(map[filter.Column][]string{filter.ID: drawnExperiments, filter.Name: drawnNames, filter.DatasetID: drawnDatasets})
	items := drawnTextCondition(map[filter.Column][]string{
		filter.ExperimentID: drawnExperiments, filter.ExperimentName: drawnNames, filter.ExperimentItemID: {"i1", "i2"}, filter.DatasetID: drawnDatasets,
	})
	for seed := range fromEnv(t, scoreSetsEnv, 2) {
		d := newExperimentSet(t, store, seed)
		for n := range 15 {
			t.Run(fmt.Sprintf("dataset %d query %d", seed, n), func(t *testing.T) {
				from := seed*1000 + n
				window, conditions := drawnWindow.Example(from), n%3
				compareExperiments(t, store, d, tracestore.ExperimentQuery{
					ProjectID: d.project, Window: window, Where: rapid.SliceOfN(groups, conditions, conditions).Example(from),
					Limit: []int{1, 2, 3, 9}[n%4], Metadata: n%2 == 0,
				})
				compareItems(t, store, d, tracestore.ExperimentItemQuery{
					ProjectID: d.project, Window: window, Where: rapid.SliceOfN(items, conditions, conditions).Example(from),
					Limit: []int{2, 5, 9, 50}[n%4], Metadata: n%2 == 0, IO: n%3 == 0,
				})
			})
		}
	}
}

func compareExperiments(t *testing.T, store Stores, d dataset, q tracestore.ExperimentQuery) {
	t.Helper()
	whole := q
	whole.Limit = everything
	want, err := d.memory.Experiments(t.Context(), whole)
	if err != nil {
		t.Fatal(err)
	}
	var got []*tracestore.Experiment
	for range everything {
		page, err := store.Experiments(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, page...)
		if len(page) < q.Limit {
			break
		}
		last := placeOf(page[len(page)-1])
		q.After = &last
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("experiments (-want +got):\n%s", diff)
	}
}

func compareItems(t *testing.T, store Stores, d dataset, q tracestore.ExperimentItemQuery) {
	t.Helper()
	whole := q
	whole.Limit = everything
	want, err := d.memory.ExperimentItems(t.Context(), whole)
	if err != nil {
		t.Fatal(err)
	}
	var got []*tracestore.ExperimentItem
	for range everything {
		page, err := store.ExperimentItems(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, page...)
		if len(page) < q.Limit {
			break
		}
		last := page[len(page)-1]
		q.After = &filter.Position{StartTime: last.StartTime, TraceID: last.TraceID, ID: last.ID}
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("items (-want +got):\n%s", diff)
	}
}
