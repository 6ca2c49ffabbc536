package tracestoretest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

var metricsTests = map[string]func(*testing.T, Stores){
	"any query, compared":           metricsProperty,
	"any facets, compared":          facetsProperty,
	"money to the last digit":       metricsOfMoney,
	"both ends are in the window":   metricsWindow,
	"no rows, one row of nothing":   metricsOfNothing,
	"of one project":                metricsTenants,
	"facets of the newest rows":     facetsSampled,
	"canceled":                      metricsCanceled,
	"many times more than 64 bits":  metricsOfLargeNumbers,
	"scores of an observation once": metricsCountScores,
}

// whole asks for metrics of observations around noon.
func whole(project string, metrics ...tracestore.Metric) tracestore.MetricsQuery {
	return tracestore.MetricsQuery{
		ProjectID: project, View: tracestore.ObservationsView, From: noon.Add(-time.Hour), To: noon.Add(time.Hour),
		Metrics: metrics, Bins: 10, Limit: 100,
	}
}

// requireMetrics compares the only row of an answer.
func requireMetrics(t *testing.T, store Stores, q tracestore.MetricsQuery, want ...string) {
	t.Helper()
	rows, err := store.Metrics(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 1 {
		t.Fatalf("%d rows, want one: %v", len(rows), rows)
	}
	var got []string
	for _, value := range rows[0].Metrics {
		text := "nil"
		if n, ok := value.(decimal.Decimal); ok {
			text = n.String()
		}
		got = append(got, text)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("metrics (-want +got):\n%s", diff)
	}
}

func metricsOfMoney(t *testing.T, store Stores) {
	project := newProject()
	amount := decimal.RequireFromString("0.100000000001")
	var rows []*model.Observation
	for i := range 1000 {
		rows = append(rows, newRow(project, "t", "s"+string(rune('a'+i%26))+string(rune('a'+i/26)), i, func(o *model.Observation) {
			o.CostDetails = map[string]decimal.Decimal{"total": amount}
		}))
	}
	insert(t, store, rows...)
	insert(t, store, rows[:500]...) // again: each counts once
	requireMetrics(t, store, whole(project, tracestore.Metric{Measure: tracestore.TotalCost, Aggregation: tracestore.Sum}), "100.000000001")
}

func metricsOfLargeNumbers(t *testing.T, store Stores) {
	project := newProject()
	most := func(o *model.Observation) { o.UsageDetails = map[string]uint64{"total": 1<<64 - 1} }
	insert(t, store, newRow(project, "t", "a", 0, most), newRow(project, "t", "b", 0, most), newRow(project, "t", "c", 0, most))
	requireMetrics(t, store, whole(project, tracestore.Metric{Measure: tracestore.TotalTokens, Aggregation: tracestore.Sum}), "55340232221128654845")
}

func metricsWindow(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store, newRow(project, "t", "a", -1), newRow(project, "t", "b", 0), newRow(project, "t", "c", 1000), newRow(project, "t", "d", 1001))
	q := whole(project, tracestore.Metric{Measure: tracestore.Count, Aggregation: tracestore.CountOf})
	q.From, q.To = noon, noon.Add(time.Second)
	requireMetrics(t, store, q, "2")
}

func metricsOfNothing(t *testing.T, store Stores) {
	var metrics []tracestore.Metric
	for _, a := range []tracestore.Aggregation{
		tracestore.CountOf, tracestore.Sum, tracestore.Uniq, tracestore.Avg, tracestore.Max, tracestore.Min, tracestore.P50, tracestore.P99,
	} {
		metrics = append(metrics, tracestore.Metric{Measure: tracestore.InputTokens, Aggregation: a}, tracestore.Metric{Measure: tracestore.TotalCost, Aggregation: a})
	}
	requireMetrics(t, store, whole(newProject(), metrics...), "0", "0", "0", "0", "0", "0", "nil", "nil", "nil", "nil", "nil", "nil", "nil", "nil", "nil", "nil")
}

func metricsTenants(t *testing.T, store Stores) {
	mine, other := newProject(), newProject()
	insert(t, store, newRow(mine, "t", "a", 0), newRow(other, "t", "a", 0, asRoot, with(facts{User: "theirs"})), newRow(other, "t", "b", 0))
	insertScores(t, store, newScore(other, "s", 0))
	q := whole(mine, tracestore.Metric{Measure: tracestore.Count, Aggregation: tracestore.CountOf}, tracestore.Metric{Measure: tracestore.UniqueUsers, Aggregation: tracestore.Uniq})
	requireMetrics(t, store, q, "1", "0")
	q.View, q.Metrics = tracestore.NumericScoresView, q.Metrics[:1]
	requireMetrics(t, store, q, "0")
	facets, err := store.Facets(t.Context(), tracestore.FacetQuery{ProjectID: mine, Fields: []filter.Column{filter.UserID}, Limit: 5, MaxRows: 10})
	if err != nil || len(facets.Values[0]) != 1 || facets.Values[0][0] != (tracestore.FacetValue{Count: 1}) {
		t.Errorf("facets %+v (%v), want one row without a user", facets, err)
	}
}

func metricsCountScores(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store, newRow(project, "t", "scored", 0), newRow(project, "t", "not", 0))
	about := func(id string, n int) *model.Score {
		s := newScore(project, id, n)
		s.TraceID, s.ObservationID = "t", "scored"
		return s
	}
	insertScores(t, store, about("a", 0), about("b", 1), about("b", 1))
	requireMetrics(t, store, whole(project, tracestore.Metric{Measure: tracestore.CountScores, Aggregation: tracestore.Sum},
		tracestore.Metric{Measure: tracestore.Count, Aggregation: tracestore.CountOf}), "2", "1")
}

// Above the bound the newest rows count, and the answer says so.
func facetsSampled(t *testing.T, store Stores) {
	project := newProject()
	named := func(name string) func(*model.Observation) { return func(o *model.Observation) { o.Name = name } }
	insert(t, store, newRow(project, "t", "a", 0, named("old")), newRow(project, "t", "b", 1000, named("new")), newRow(project, "t", "c", 2000, named("new")))
	for _, c := range []struct {
		bound   int
		rows    uint64
		sampled bool
	}{{3, 3, false}, {1, 2, true}} {
		got, err := store.Facets(t.Context(), tracestore.FacetQuery{ProjectID: project, Fields: []filter.Column{filter.Name}, Limit: 10, MaxRows: c.bound})
		if err != nil || got.Sampled != c.sampled || got.Rows > c.rows || got.Values[0][0].Value != "new" {
			t.Errorf("bound %d: %+v (%v), want sampled %t and at most %d rows", c.bound, got, err, c.sampled, c.rows)
		}
	}
}

func metricsCanceled(t *testing.T, store Stores) {
	if _, err := store.Metrics(canceled(), whole(newProject(), tracestore.Metric{Measure: tracestore.Count, Aggregation: tracestore.Sum})); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want canceled", err)
	}
	if _, err := store.Facets(canceled(), tracestore.FacetQuery{ProjectID: newProject(), Limit: 1, MaxRows: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want canceled", err)
	}
}
