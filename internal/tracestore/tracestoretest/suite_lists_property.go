package tracestoretest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/tracestore"
)

// compareWithMemory asks a store and Memory the same drawn questions.
func compareWithMemory[Q, A any](t *testing.T, store Stores, seed int, read func(*testing.T, Stores, Q) (A, error), draw func(n int, project string) Q) {
	t.Helper()
	d := newMeasuredDataset(t, store, seed)
	for n := range 30 {
		q := draw(seed*1000+n, d.project)
		want, err := read(t, d.memory, q)
		if err != nil {
			t.Fatalf("query %d, %+v: %v", n, q, err)
		}
		got, err := read(t, store, q)
		if err != nil {
			t.Fatalf("query %d, %+v: %v", n, q, err)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("dataset %d, query %d: %+v (-want +got):\n%s", seed, n, q, diff)
		}
	}
}

func drawnWhere(n, most int) []filter.Condition {
	return rapid.SliceOfN(drawnCondition, 0, most).Example(n)
}

func timelineProperty(t *testing.T, store Stores) {
	widths := []time.Duration{time.Second, time.Minute, time.Hour, 5 * 24 * time.Hour}
	compareWithMemory(t, store, 700, func(t *testing.T, s Stores, q tracestore.TimelineQuery) (tracestore.Timeline, error) {
		return s.Timeline(t.Context(), q)
	}, func(n int, project string) tracestore.TimelineQuery {
		return tracestore.TimelineQuery{
			ProjectID: project, Where: drawnWhere(n, 2), Width: rapid.SampledFrom(widths).Example(n), Latency: rapid.Bool().Example(n), MaxRows: everything,
		}
	})
}

func effectsProperty(t *testing.T, store Stores) {
	compareWithMemory(t, store, 701, func(t *testing.T, s Stores, q tracestore.EffectQuery) (tracestore.Effects, error) {
		return s.Effects(t.Context(), q)
	}, func(n int, project string) tracestore.EffectQuery {
		return tracestore.EffectQuery{ProjectID: project, Where: drawnWhere(n, 1), Each: drawnWhere(n+500, 4), MaxRows: everything}
	})
}

func comparisonProperty(t *testing.T, store Stores) {
	fields := []filter.Column{
		filter.Type, filter.Level, filter.Name, filter.Model, filter.Environment, filter.Release, filter.UserID, filter.TraceName, filter.Tags,
		filter.CalledToolNames, tracestore.Prompt, tracestore.MetadataKeys, tracestore.ScoreNames,
	}
	compareWithMemory(t, store, 702, func(t *testing.T, s Stores, q tracestore.CompareQuery) (tracestore.Comparison, error) {
		return s.Compare(t.Context(), q)
	}, func(n int, project string) tracestore.CompareQuery {
		return tracestore.CompareQuery{
			ProjectID: project, Where: drawnWhere(n, 1), Selection: drawnWhere(n+500, 2), MaxRows: everything,
			Fields: rapid.SliceOfNDistinct(rapid.SampledFrom(fields), 1, 6, rapid.ID).Example(n),
			Keys:   rapid.IntRange(0, 4).Example(n), Values: rapid.IntRange(1, 4).Example(n),
		}
	})
}

func activitiesProperty(t *testing.T, store Stores) {
	orders := []tracestore.ActivityOrder{
		tracestore.ByLastSeen, tracestore.ByFirstSeen, tracestore.ByTraces, tracestore.ByObservations, tracestore.ByErrors,
		tracestore.ByTotalTokens, tracestore.ByTotalCost, tracestore.ByDuration,
	}
	compareWithMemory(t, store, 703, func(t *testing.T, s Stores, q tracestore.ActivityQuery) (tracestore.Activities, error) {
		return s.Activities(t.Context(), q)
	}, func(n int, project string) tracestore.ActivityQuery {
		return tracestore.ActivityQuery{
			ProjectID: project, By: rapid.SampledFrom([]filter.Column{filter.UserID, filter.SessionID}).Example(n), Where: drawnWhere(n, 2),
			Prefix: rapid.SampledFrom([]string{"", "", "a", "A b"}).Example(n), Order: rapid.SampledFrom(orders).Example(n), Asc: rapid.Bool().Example(n),
			Offset: rapid.IntRange(0, 2).Example(n), Limit: rapid.IntRange(1, 4).Example(n), MaxRows: everything,
		}
	})
}
