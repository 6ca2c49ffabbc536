package query

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/tracestore"
	"github.com/sondehq/sonde/internal/tracestore/tracestoretest"
)

const may = `"fromTimestamp":"2026-05-01T00:00:00Z","toTimestamp":"2026-05-08T00:00:00Z"`

func TestMetricsPlan(t *testing.T) {
	t.Parallel()
	got, err := ParseMetrics(`{"view":"observations","metrics":[{"measure":"usageByType","aggregation":"sum"},{"measure":"count","aggregation":"count"},{"measure":"count","aggregation":"count"}],
		"dimensions":[{"field":"providedModelName"},{"field":"providedModelName"},{"field":"traceRelease"}],
		"filters":[{"type":"string","column":"traceRelease","operator":"=","value":"r"},{"type":"stringOptions","column":"modelName","operator":"none of","value":["x"]}],
		"orderBy":[{"field":"usageType","direction":"asc"},{"field":"count_count","direction":"desc"},{"field":"time_dimension","direction":"desc"}],
		"timeDimension":{"granularity":"auto"},"config":{"bins":100,"row_limit":1000},` + may + `}`)
	want := MetricsPlan{
		Query: tracestore.MetricsQuery{
			View: tracestore.ObservationsView, From: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC), To: time.Date(2026, 5, 8, 0, 0, 0, 0, time.UTC),
			Where: []filter.Condition{
				filter.OneOf{Column: filter.Release, Values: []string{"r"}}, filter.OneOf{Column: filter.Name, Values: []string{"x"}, Not: true},
			},
			Dimensions: []filter.Column{filter.Model, tracestore.TraceRelease, tracestore.UsageType},
			Bucket:     tracestore.Day,
			Metrics:    []tracestore.Metric{{Measure: "usageByType", Aggregation: "sum"}, {Measure: "count", Aggregation: "count"}},
			Bins:       100, Limit: 1000,
			Order: []tracestore.MetricsOrder{{Dimension: 3}, {Metric: 2, Desc: true}, {Desc: true}},
		},
		Dimensions: []string{"providedModelName", "traceRelease", "usageType"}, Metrics: []string{"sum_usageByType", "count_count"},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestMetricsDefaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		members string
		want    []tracestore.MetricsOrder
		fill    bool
	}{
		{`"metrics":[]`, nil, false},
		{`"metrics":[],"dimensions":[{"field":"name"}],"orderBy":null,"filters":null,"config":null,"timeDimension":null`, []tracestore.MetricsOrder{{Dimension: 1}}, false},
		{`"metrics":[{"measure":"count","aggregation":"sum"}],"dimensions":[{"field":"name"}]`, []tracestore.MetricsOrder{{Metric: 1, Desc: true}}, false},
		{`"metrics":[{"measure":"count","aggregation":"sum"}],"timeDimension":{"granularity":"day"},"orderBy":[]`, []tracestore.MetricsOrder{{}}, true},
		{`"metrics":[],"orderBy":[{"field":"count","direction":"asc"}]`, []tracestore.MetricsOrder{{Metric: 1}}, false},
	} {
		got, err := ParseMetrics(`{"view":"scores-boolean",` + c.members + `,` + may + `}`)
		if diff := cmp.Diff(c.want, got.Query.Order); err != nil || diff != "" || got.Fill != c.fill || got.Query.Limit != 100 || got.Query.Bins != 10 {
			t.Errorf("%s: %+v, %v", c.members, got, err)
		}
	}
}

func TestAutomaticBuckets(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for window, want := range map[time.Duration]tracestore.Bucket{
		2*time.Hour - 1: tracestore.Minute, 2 * time.Hour: tracestore.Hour, 72*time.Hour - 1: tracestore.Hour, 72 * time.Hour: tracestore.Day,
		60*day - 1: tracestore.Day, 60 * day: tracestore.Week, 365*day - 1: tracestore.Week, 365 * day: tracestore.Month,
	} {
		if got := automatic(window); got != want {
			t.Errorf("%v: %s, want %s", window, got, want)
		}
	}
}

func TestFill(t *testing.T) {
	t.Parallel()
	at := func(days ...int) (rows []tracestore.MetricsRow) {
		for _, day := range days {
			rows = append(rows, tracestore.MetricsRow{Bucket: time.Date(2026, 5, day, 0, 0, 0, 0, time.UTC), Metrics: []any{decimal.NewFromInt(1)}})
		}
		return rows
	}
	for name, c := range map[string]struct {
		rows  []tracestore.MetricsRow
		limit int
		want  string
	}{
		"none":             {nil, 100, "1:0 2:0 3:0 4:0"},
		"gaps":             {at(2, 2, 4), 100, "1:0 2:1 2:1 3:0 4:1"},
		"the last, if any": {at(1, 5), 100, "1:1 2:0 3:0 4:0 5:1"},
		"cut":              {at(3), 2, "1:0 2:0"},
		"cut within":       {at(1, 1, 1, 2), 2, "1:1 1:1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := tracestore.MetricsQuery{
				Bucket: tracestore.Day, Limit: c.limit, From: time.Date(2026, 5, 1, 13, 0, 0, 0, time.UTC), To: time.Date(2026, 5, 5, 1, 0, 0, 0, time.UTC),
				Metrics: []tracestore.Metric{{Measure: tracestore.Count, Aggregation: tracestore.CountOf}},
			}
			var got []string
			for _, row := range fill(q, c.rows) {
				got = append(got, fmt.Sprintf("%d:%v", row.Bucket.Day(), row.Metrics[0]))
			}
			if text := strings.Join(got, " "); text != c.want {
				t.Errorf("got %s, want %s", text, c.want)
			}
		})
	}
}

// Every dimension and measure that a client may name has a meaning in the store.
func TestCatalogsAreServed(t *testing.T) {
	t.Parallel()
	service := New(&tracestoretest.Memory{})
	for name, v := range views {
		for _, d := range v.dimensions {
			text := fmt.Sprintf(`{"view":%q,"metrics":[{"measure":"count","aggregation":"sum"}],"dimensions":[{"field":%q}],"orderBy":[{"field":"sum_count","direction":"desc"}],"config":{"row_limit":1},
				"filters":[{"type":"null","column":%q,"operator":"is not null"}],%s}`, name, d.name, d.name, may)
			if _, err := service.OldMetrics(t.Context(), "p", text); err != nil {
				t.Errorf("%s, dimension %s: %v", name, d.name, err)
			}
		}
		for _, m := range v.measures {
			text := fmt.Sprintf(`{"view":%q,"metrics":[{"measure":%q,"aggregation":"uniq"}],%s}`, name, m, may)
			if _, err := service.OldMetrics(t.Context(), "p", text); err != nil {
				t.Errorf("%s, measure %s: %v", name, m, err)
			}
		}
	}
}

// FuzzParseMetrics: a text is a plan that keeps the bounds, or a fault of the client's.
func FuzzParseMetrics(f *testing.F) {
	for _, seed := range []string{
		`{"view":"observations","metrics":[{"measure":"totalCost","aggregation":"sum"}],"dimensions":[{"field":"providedModelName"}],"filters":[{"type":"string","column":"environment","operator":"=","value":"production"}],` + may + `}`,
		`{"view":"scores-numeric","metrics":[],"timeDimension":{"granularity":"auto"},"config":{"row_limit":1e3,"bins":0},` + may + `}`,
		`{"view":"observations","metrics":[{"measure":"costByType","aggregation":"histogram"}],"orderBy":[{"field":"costType","direction":"desc"}],` + may + `}`,
		`{"view":"scores-boolean","metrics":[null],"filters":[{"column":"xName"}]}`, `null`, `[]`, `{"view":{}}`, "{\"\x00\":1}",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := New(&tracestoretest.Memory{}).OldMetrics(t.Context(), "p", text); err != nil && !fault.Is(err, fault.Invalid) {
			t.Fatalf("%v is no fault of the client's", err)
		}
		plan, err := ParseMetrics(text)
		if err != nil {
			if !fault.Is(err, fault.Invalid) {
				t.Fatalf("%v is no fault of the client's", err)
			}
			return
		}
		q := plan.Query
		if q.Limit < 1 || q.Limit > MaxRowLimit || q.Bins < 1 || q.Bins > MaxBins || len(q.Metrics) == 0 || len(q.Metrics) > maxMetrics ||
			len(q.Metrics) != len(plan.Metrics) || len(q.Dimensions) != len(plan.Dimensions) || q.From.After(q.To) {
			t.Fatalf("%+v is out of bounds", plan)
		}
		if _, err := New(&tracestoretest.Memory{}).Metrics(t.Context(), "p", text); err != nil {
			t.Fatal(err)
		}
	})
}
