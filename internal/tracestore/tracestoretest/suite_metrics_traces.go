package tracestoretest

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/tracestore"
)

var (
	tracesDimensions = []filter.Column{
		filter.TraceID, filter.TraceName, filter.UserID, filter.SessionID, filter.Release, filter.Tags, filter.Environment, filter.CodeVersion,
		tracestore.TimestampMonth,
	}
	tracesMeasures = []tracestore.Measure{
		tracestore.Count, tracestore.Latency, tracestore.InputTokens, tracestore.OutputTokens, tracestore.TotalTokens, tracestore.TotalCost,
		tracestore.ObservationsCount, tracestore.ScoresCount, tracestore.UniqueUsers, tracestore.UniqueSessions,
	}
)

// drawnTracesQuery is a query of the view of traces.
var drawnTracesQuery = shared(func(t *rapid.T) tracestore.MetricsQuery {
	q := tracestore.MetricsQuery{
		View:       tracestore.TracesView,
		From:       pick(t, "from", []time.Time{noon.Add(-time.Hour), noon, noon.Add(time.Millisecond)}),
		To:         pick(t, "to", []time.Time{noon.Add(time.Hour), noon.Add(26 * time.Hour), noon.AddDate(1, 0, 0)}),
		Dimensions: rapid.SliceOfNDistinct(rapid.SampledFrom(tracesDimensions), 0, 2, rapid.ID).Draw(t, "dimensions"),
		Bucket:     pick(t, "bucket", []tracestore.Bucket{"", tracestore.Hour, tracestore.Day, tracestore.Month}),
		Bins:       10, Limit: everything,
	}
	for range rapid.IntRange(1, 3).Draw(t, "metrics") {
		m := tracestore.Metric{Measure: pick(t, "measure", tracesMeasures), Aggregation: pick(t, "aggregation", tracestore.Aggregations)}
		if m.Measure == tracestore.UniqueUsers || m.Measure == tracestore.UniqueSessions {
			m.Aggregation = tracestore.Uniq
		}
		q.Metrics = append(q.Metrics, m)
	}
	q.Where = rapid.SliceOfN(drawnTraceCondition, 0, 2).Draw(t, "conditions")
	if rapid.IntRange(0, 3).Draw(t, "by month") == 0 {
		q.Where = append(q.Where, filter.OneOf{Column: tracestore.TimestampMonth, Values: []string{"2026-05"}, Not: rapid.Bool().Draw(t, "not")})
	}
	return q
})

// tracesMetricsProperty compares answers about traces with those of Memory.
func tracesMetricsProperty(t *testing.T, store Stores) {
	for seed := range fromEnv(t, scoreSetsEnv, 2) {
		d := newMeasuredDataset(t, store, 900+seed)
		for n := range 40 {
			q := drawnTracesQuery.Example(seed*1000 + n)
			q.ProjectID = d.project
			want, err := d.memory.Metrics(t.Context(), q)
			if err != nil {
				t.Fatalf("dataset %d, query %d, %+v: %v", seed, n, q, err)
			}
			got, err := store.Metrics(t.Context(), q)
			if err != nil {
				t.Fatalf("dataset %d, query %d, %+v: %v", seed, n, q, err)
			}
			if diff := diffMetrics(q, want, got); diff != "" {
				t.Errorf("dataset %d, query %d: %+v %s", seed, n, q, diff)
			}
		}
	}
}
