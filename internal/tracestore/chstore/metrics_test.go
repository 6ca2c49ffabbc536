package chstore

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/testkit"
	"github.com/sondehq/sonde/internal/tracestore"
)

// What the engine reads, one file per kind of plan. Values that clients send are nowhere in it.
func TestMetricsSQL(t *testing.T) {
	t.Parallel()
	const secret = "client's text"
	from := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	count := tracestore.Metric{Measure: tracestore.Count, Aggregation: tracestore.CountOf}
	for name, q := range map[string]tracestore.MetricsQuery{
		"plain": {
			Metrics:    []tracestore.Metric{{Measure: tracestore.TotalCost, Aggregation: tracestore.Sum}, {Measure: tracestore.Latency, Aggregation: tracestore.P95}},
			Dimensions: []filter.Column{filter.Model}, Order: []tracestore.MetricsOrder{{Metric: 1, Desc: true}},
			Where: []filter.Condition{filter.OneOf{Column: filter.Environment, Values: []string{secret}}},
		},
		"aggregations": {Metrics: []tracestore.Metric{
			count,
			{Measure: tracestore.InputTokens, Aggregation: tracestore.Sum},
			{Measure: tracestore.TokensPerSecond, Aggregation: tracestore.Avg},
			{Measure: tracestore.TotalCost, Aggregation: tracestore.Avg},
			{Measure: tracestore.TotalCost, Aggregation: tracestore.Max},
			{Measure: tracestore.TimeToFirstToken, Aggregation: tracestore.Min},
			{Measure: tracestore.StreamingLatency, Aggregation: tracestore.Histogram},
			{Measure: tracestore.TraceIDs, Aggregation: tracestore.Uniq},
		}},
		"buckets": {Metrics: []tracestore.Metric{count}, Bucket: tracestore.Week, Order: []tracestore.MetricsOrder{{}}},
		"inherited": {
			Metrics:    []tracestore.Metric{{Measure: tracestore.UniqueUsers, Aggregation: tracestore.Uniq}},
			Dimensions: []filter.Column{filter.Tags, filter.TraceName}, Where: []filter.Condition{filter.OneOf{Column: filter.UserID, Values: []string{secret}}},
		},
		"exploded": {
			Metrics:    []tracestore.Metric{{Measure: tracestore.CostByType, Aggregation: tracestore.Sum}},
			Dimensions: []filter.Column{tracestore.CostType, filter.ToolNames},
			Where:      []filter.Condition{filter.Text{Column: tracestore.CostType, Op: filter.Contains, Value: secret}},
		},
		"count_scores": {Metrics: []tracestore.Metric{{Measure: tracestore.CountScores, Aggregation: tracestore.Sum}}},
		"scores": {
			View: tracestore.NumericScoresView, Metrics: []tracestore.Metric{{Measure: tracestore.Value, Aggregation: tracestore.Avg}},
			Dimensions: []filter.Column{filter.Name}, Where: []filter.Condition{filter.MetadataText{Key: secret, Op: filter.Equal, Value: secret}},
		},
		"scores_of_traces": {
			View: tracestore.BooleanScoresView, Metrics: []tracestore.Metric{count}, Dimensions: []filter.Column{filter.TraceName, tracestore.TraceVersion},
		},
		"deleted": {
			View: tracestore.NumericScoresView, Metrics: []tracestore.Metric{count}, Dimensions: []filter.Column{filter.UserID, tracestore.ObservationName},
		},
		"scores_of_observations": {
			View: tracestore.CategoricalScoresView, Metrics: []tracestore.Metric{count}, Dimensions: []filter.Column{filter.StringValue},
			Where: []filter.Condition{filter.IsSet{Column: tracestore.ObservationModel, Want: true}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if q.View == "" {
				q.View = tracestore.ObservationsView
			}
			q.ProjectID, q.From, q.To, q.Bins, q.Limit = secret, from, from.AddDate(0, 0, 7), 10, 100
			dead := buried{}
			if name == "deleted" {
				dead = buried{traces: graves{ids: map[string]uint64{secret: 7}}, scores: graves{ids: map[string]uint64{secret: 8}}}
			}
			plan, err := planMetrics(q, dead)
			if err != nil {
				t.Fatal(err)
			}
			compareSQL(t, "metrics_"+name, plan.sql, secret)
		})
	}
	t.Run("facets", func(t *testing.T) {
		t.Parallel()
		sql, _, err := facetsSQL(tracestore.FacetQuery{
			ProjectID: secret, Fields: []filter.Column{filter.Type, filter.Tags, filter.UserID}, Limit: 20,
		}, sample{where: []filter.Condition{filter.OneOf{Column: filter.Name, Values: []string{secret}}}, lowest: from}, buried{})
		if err != nil {
			t.Fatal(err)
		}
		compareSQL(t, "facets", sql, secret)
	})
}

// compareSQL compares a statement with its file, one clause to a line.
func compareSQL(t *testing.T, name, sql, secret string) {
	t.Helper()
	if strings.Contains(sql, secret) {
		t.Errorf("a client's text is in the statement: %s", sql)
	}
	for _, clause := range []string{" FROM ", " LEFT JOIN ", " INNER JOIN ", " ARRAY JOIN ", " WHERE ", " AND ", " GROUP BY ", " HAVING ", " ORDER BY ", " LIMIT ", " SETTINGS "} {
		sql = strings.ReplaceAll(sql, clause, "\n"+clause[1:])
	}
	testkit.Golden(t, filepath.Join("testdata", name+".sql"), []byte(sql+"\n"))
}

// What a catalog names must have SQL, or the oracle of the suite would be alone with it.
func TestUnknownNamesHaveNoSQL(t *testing.T) {
	t.Parallel()
	for _, q := range []tracestore.MetricsQuery{
		{View: tracestore.ObservationsView, Dimensions: []filter.Column{"'; DROP TABLE observations"}},
		{View: tracestore.NumericScoresView, Metrics: []tracestore.Metric{{Measure: "1) --", Aggregation: tracestore.Sum}}},
	} {
		if plan, err := planMetrics(q, buried{}); err == nil {
			t.Errorf("a foreign name became %s", plan.sql)
		}
	}
}
