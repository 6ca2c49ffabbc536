package tracestoretest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// drawnTraceIDs are enough for several pages.
var drawnTraceIDs = []string{"t1", "t2", "t3", "trace four", "t5", "t6", "t7", "t8", "é\x00'\\", "t10", "t11", "t12", "t13", "t14"}

// drawnTraceCondition is any condition in terms of filter.Traces.
var drawnTraceCondition = shared(func(t *rapid.T) filter.Condition {
	texts := map[filter.Column][]string{
		filter.TraceID: drawnTraceIDs, filter.TraceName: drawnTexts, filter.UserID: drawnTexts, filter.SessionID: drawnTexts, filter.Release: drawnTexts,
		filter.Environment: drawnEnvs, filter.CodeVersion: drawnTexts,
	}
	columns := []filter.Column{
		filter.TraceID, filter.TraceName, filter.UserID, filter.SessionID, filter.Release, filter.Environment, filter.CodeVersion,
	}
	column := pick(t, "text column", columns)
	values := append([]string{"none has this"}, texts[column]...)
	switch rapid.IntRange(0, 9).Draw(t, "kind") {
	case 0, 1:
		return filter.OneOf{Column: column, Values: rapid.SliceOfN(rapid.SampledFrom(values), 1, 3).Draw(t, "values"), Not: rapid.Bool().Draw(t, "not")}
	case 2:
		return filter.Text{Column: column, Op: pick(t, "operator", textOps), Value: pick(t, "value", values)}
	case 3:
		return filter.List{Column: filter.Tags, Op: pick(t, "operator", listOps), Values: rapid.SliceOfN(rapid.SampledFrom([]string{"x", "y", "z"}), 0, 2).Draw(t, "tags")}
	case 4:
		number := pick(t, "number column", []filter.Column{filter.Latency, filter.InputTokens, filter.OutputTokens, filter.TotalTokens, filter.TotalCost})
		return filter.Number{Column: number, Op: pick(t, "operator", orderOps), Value: pick(t, "value", drawnNumbers)}
	case 5, 6:
		bound := drawnBound(t).(filter.Time)
		bound.Column = filter.StartTime
		return bound
	case 7:
		return filter.IsSet{Column: pick(t, "column", append(columns, filter.Tags)), Want: rapid.Bool().Draw(t, "want")}
	case 8:
		return drawnMetadataText(t)
	default:
		return drawnMetadataNumber(t)
	}
})

// newTraceDataset spreads the rows of a drawn dataset over more traces, some of them rows that stand for their trace.
func newTraceDataset(t *testing.T, store Stores, seed int) dataset {
	t.Helper()
	d := dataset{seed: seed, project: newProject(), memory: &Memory{}}
	for i, o := range rapid.SliceOfN(drawnRow, 160, 160).Example(seed) {
		o.ProjectID, o.TraceID = d.project, drawnTraceIDs[(i*i+seed)%len(drawnTraceIDs)]
		if i%7 == 0 {
			o.ID = model.TraceRowID(o.TraceID)
		}
		setVersion(o, (i*37)%161)
		d.rows = append(d.rows, o)
	}
	scores := rapid.SliceOfN(drawnScore, 40, 40).Example(seed)
	for i, s := range scores {
		s.ProjectID = d.project
		scoreVersion((i * 37) % 101)(s)
	}
	for i, batch := range slices.Collect(slices.Chunk(d.rows, 40)) {
		insert(t, store, batch...)
		insert(t, d.memory, batch...)
		d.bury(t, store, drawnTraceIDs[(seed+i)%len(drawnTraceIDs)], 20+(seed*31+i*17)%60, i)
	}
	insertScores(t, store, scores...)
	insertScores(t, d.memory, scores...)
	return d
}

// traceProperty compares pages, counts and sessions with those of Memory on drawn rows: duplicates, late
// versions, tombstones of rows and traces, every condition and order. A failure prints its seed.
func traceProperty(t *testing.T, store Stores) {
	seed := fromEnv(t, readSeedEnv, rand.IntN(1<<30))
	orders := []filter.Column{
		"", filter.StartTime, filter.TraceName, filter.UserID, filter.SessionID, filter.Release, filter.Environment, filter.CodeVersion,
	}
	for set := range fromEnv(t, scoreSetsEnv, scoreSets) {
		d := newTraceDataset(t, store, seed+set)
		for n := range 30 {
			q := allOfTraces(d.project, rapid.SliceOfN(drawnTraceCondition, 0, 3).Example(seed+set*1000+n)...)
			q.Order = tracestore.TraceOrder{By: orders[n%len(orders)], Asc: n%3 == 1}
			q.Offset, q.Limit, q.IO = n%4, []int{2, 5, everything}[n%3], n%2 == 0
			about := fmt.Sprintf("dataset %d, query %d of seed %d (set %s=%d): %+v", set, n, seed, readSeedEnv, seed, q)
			if diff := cmp.Diff(readTraces(t, d.memory, q), readTraces(t, store, q), cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("%s\ntraces (-want +got):\n%s", about, diff)
			}
			want, _ := d.memory.CountTraces(t.Context(), d.project, q.Where)
			if got, err := store.CountTraces(t.Context(), d.project, q.Where); err != nil || got != want {
				t.Fatalf("%s\ncounted %d, %v; want %d", about, got, err, want)
			}
		}
		sessions := tracestore.SessionQuery{ProjectID: d.project, Limit: everything}
		want, _ := d.memory.Sessions(t.Context(), sessions)
		got, err := store.Sessions(t.Context(), sessions)
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Fatalf("dataset %d of seed %d: %v, sessions (-want +got):\n%s", set, seed, err, diff)
		}
	}
}
