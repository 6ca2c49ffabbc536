package tracestoretest

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// drawnOffsets are when rows of metrics start: buckets of every width have several, and gaps.
var drawnOffsets = []time.Duration{0, time.Millisecond, 999 * time.Millisecond, time.Minute, time.Hour, 26 * time.Hour, 8 * 24 * time.Hour, 40 * 24 * time.Hour}

var drawnMoment = shared(func(t *rapid.T) time.Time { return noon.Add(rapid.SampledFrom(drawnOffsets).Draw(t, "offset")) })

var (
	drawnAmounts     = []decimal.Decimal{decimal.New(1, -12), decimal.New(1, -1), decimal.New(3, -1), decimal.New(123456789, -7)}
	drawnTokens      = []uint64{0, 1, 7, 1 << 53, math.MaxUint64}
	drawnMetricTools = [][]model.Tooling{nil, {{Name: "search"}}, {{Name: "search"}, {Name: "mail"}}, {{Name: "mail"}, {Name: "mail"}}}
	drawnMetricKeys  = [][]string{nil, {"input"}, {"input", "output", "total"}, {"total"}, {"cache_read_input", "other"}}
)

// drawnMeasured is a row with everything that is measured.
var drawnMeasured = shared(func(t *rapid.T) *model.Observation {
	o := drawnRow.Draw(t, "row")
	o.StartTime = drawnMoment.Draw(t, "start")
	lasts := rapid.SampledFrom([]time.Duration{-time.Second, 0, 10 * time.Millisecond, 999 * time.Millisecond, 1500 * time.Millisecond, time.Minute})
	if rapid.Bool().Draw(t, "ended") {
		o.EndTime = o.StartTime.Add(lasts.Draw(t, "latency"))
	}
	if rapid.Bool().Draw(t, "streamed") {
		o.CompletionStartTime = o.StartTime.Add(lasts.Draw(t, "first token"))
	}
	o.Model = rapid.SampledFrom(drawnTexts).Draw(t, "model")
	o.PromptName = rapid.SampledFrom(drawnTexts).Draw(t, "prompt")
	o.PromptVersion = rapid.Uint32Range(0, 2).Draw(t, "prompt version")
	o.ToolDefinitions = rapid.SampledFrom(drawnMetricTools).Draw(t, "tools")
	o.ToolCalls = rapid.SampledFrom(drawnMetricTools).Draw(t, "calls")
	if rapid.Bool().Draw(t, "experiment") {
		o.Experiment = &model.Experiment{ID: "x", Name: rapid.SampledFrom(drawnTexts).Draw(t, "experiment name")}
	}
	o.UsageDetails, o.CostDetails = map[string]uint64{}, map[string]decimal.Decimal{}
	for _, key := range rapid.SampledFrom(drawnMetricKeys).Draw(t, "usage") {
		o.UsageDetails[key] = rapid.SampledFrom(drawnTokens).Draw(t, "tokens")
	}
	for _, key := range rapid.SampledFrom(drawnMetricKeys).Draw(t, "costs") {
		o.CostDetails[key] = rapid.SampledFrom(drawnAmounts).Draw(t, "cost")
	}
	return o
})

var drawnJudgment = shared(func(t *rapid.T) *model.Score {
	s := drawnScore.Draw(t, "score")
	s.Timestamp = drawnMoment.Draw(t, "timestamp")
	s.TraceID = rapid.SampledFrom(append([]string{""}, drawnTraces...)).Draw(t, "trace")
	s.ObservationID = rapid.SampledFrom(append([]string{"", "gone"}, drawnIDs...)).Draw(t, "observation")
	s.Type = rapid.SampledFrom([]model.ScoreType{model.Numeric, model.Boolean, model.Boolean, model.Categorical, model.TextScore}).Draw(t, "type")
	s.Number = rapid.SampledFrom([]float64{0, 1, 0.1, -3.5, 1e15}).Draw(t, "number")
	if s.Type == model.Boolean {
		s.Number = float64(rapid.IntRange(0, 1).Draw(t, "truth"))
	}
	return s
})

// newMeasuredDataset draws rows and scores, in several batches with versions out of order and tombstones among them.
func newMeasuredDataset(t *testing.T, store Stores, seed int) dataset {
	t.Helper()
	d := dataset{seed: seed, project: newProject(), memory: &Memory{}}
	given := map[rowKey]*model.Observation{}
	for i, o := range rapid.SliceOfN(drawnMeasured, 120, 120).Example(seed) {
		o.ProjectID = d.project
		setVersion(o, (i*37)%131)
		if before := given[keyOf(o)]; before != nil {
			o.ParentID, o.AppRoot, o.Name, o.Tags = before.ParentID, before.AppRoot, before.Name, before.Tags
			o.UserID, o.SessionID, o.TraceName, o.Release = before.UserID, before.SessionID, before.TraceName, before.Release
		}
		given[keyOf(o)] = o
		d.rows = append(d.rows, o)
	}
	scores := rapid.SliceOfN(drawnJudgment, 100, 100).Example(seed)
	for i, s := range scores {
		s.ProjectID, s.Version = d.project, model.RowVersion(noon.Add(time.Duration((i*37)%101)*time.Second), 0)
	}
	for _, target := range []Stores{store, d.memory} {
		for batch := range slices.Chunk(d.rows, 50) {
			insert(t, target, batch...)
		}
		for batch := range slices.Chunk(scores, 40) {
			insertScores(t, target, batch...)
		}
	}
	return d
}

// viewColumns are what a view can be grouped by and measured by.
type viewColumns struct {
	dimensions, texts []filter.Column
	measures          []tracestore.Measure
}

var traceColumns = []filter.Column{filter.TraceName, filter.UserID, filter.Tags, tracestore.TraceRelease, tracestore.TraceVersion}

func columnsOf(view tracestore.View) viewColumns {
	if !view.OfScores() {
		return viewColumns{
			dimensions: append([]filter.Column{
				filter.ID, filter.TraceID, filter.ParentObservationID, filter.Type, filter.Name, filter.Level, filter.Environment, filter.CodeVersion,
				filter.Model, filter.PromptName, filter.PromptVersion, filter.IsRootObservation, filter.ExperimentID, filter.ExperimentName,
				filter.ExperimentDatasetID, tracestore.StartTimeMonth, filter.SessionID, filter.Release, filter.ToolNames,
				filter.CalledToolNames, tracestore.CostType, tracestore.UsageType,
			}, traceColumns...),
			texts: []filter.Column{tracestore.StartTimeMonth, tracestore.CostType, tracestore.UsageType},
			measures: []tracestore.Measure{
				tracestore.Count, tracestore.Latency, tracestore.StreamingLatency, tracestore.TimeToFirstToken, tracestore.InputTokens,
				tracestore.OutputTokens, tracestore.TotalTokens, tracestore.OutputTokensPerSecond, tracestore.TokensPerSecond,
				tracestore.InputCost, tracestore.OutputCost, tracestore.TotalCost, tracestore.ToolDefinitions, tracestore.ToolCalls,
				tracestore.CountScores, tracestore.CostByType, tracestore.UsageByType, tracestore.TraceIDs, tracestore.UniqueUsers, tracestore.UniqueSessions,
			},
		}
	}
	texts := []filter.Column{
		filter.ID, filter.Environment, filter.Name, filter.Source, filter.DataType, filter.TraceID, filter.ObservationID, filter.ConfigID,
		filter.SessionID, tracestore.ScoreRunID, tracestore.ScoreEvaluatorID, tracestore.TimestampMonth, tracestore.TimestampDay,
		filter.StringValue, tracestore.ObservationName, tracestore.ObservationModel, tracestore.ObservationPrompt, filter.ExperimentID,
		filter.ExperimentName, filter.TraceName, filter.UserID, tracestore.TraceRelease, tracestore.TraceVersion,
	}
	return viewColumns{
		dimensions: append([]filter.Column{filter.Value, tracestore.ScoreBoolean, filter.Tags, tracestore.ObservationPromptNum}, texts...),
		texts:      texts,
		measures:   []tracestore.Measure{tracestore.Count, tracestore.Value},
	}
}

var textMeasures = []tracestore.Measure{tracestore.TraceIDs, tracestore.UniqueUsers, tracestore.UniqueSessions}

var drawnMetricsQuery = shared(func(t *rapid.T) tracestore.MetricsQuery {
	view := rapid.SampledFrom(tracestore.Views).Draw(t, "view")
	columns := columnsOf(view)
	q := tracestore.MetricsQuery{
		View:       view,
		From:       rapid.SampledFrom([]time.Time{noon.Add(-time.Hour), noon, noon.Add(time.Millisecond)}).Draw(t, "from"),
		To:         rapid.SampledFrom([]time.Time{noon.Add(time.Hour), noon.Add(26 * time.Hour), noon.AddDate(1, 0, 0)}).Draw(t, "to"),
		Dimensions: rapid.SliceOfNDistinct(rapid.SampledFrom(columns.dimensions), 0, 3, rapid.ID).Draw(t, "dimensions"),
		Bucket:     rapid.SampledFrom([]tracestore.Bucket{"", "", tracestore.Minute, tracestore.Hour, tracestore.Day, tracestore.Week, tracestore.Month}).Draw(t, "bucket"),
		Bins:       rapid.IntRange(1, 20).Draw(t, "bins"),
		Limit:      rapid.IntRange(1, 20).Draw(t, "limit"),
	}
	for range rapid.IntRange(1, 3).Draw(t, "metrics") {
		m := tracestore.Metric{Measure: rapid.SampledFrom(columns.measures).Draw(t, "measure")}
		m.Aggregation = rapid.SampledFrom(tracestore.Aggregations).Draw(t, "aggregation")
		if slices.Contains(textMeasures, m.Measure) {
			m.Aggregation = rapid.SampledFrom([]tracestore.Aggregation{tracestore.CountOf, tracestore.Uniq}).Draw(t, "count")
		}
		q.Metrics = append(q.Metrics, m)
	}
	for range rapid.IntRange(0, 2).Draw(t, "conditions") {
		q.Where = append(q.Where, drawMetricsCondition(t, view, columns))
	}
	for range rapid.IntRange(0, 2).Draw(t, "orders") {
		q.Order = append(q.Order, drawOrder(t, q))
	}
	if slices.ContainsFunc(q.Order, func(o tracestore.MetricsOrder) bool { return o.Metric > 0 && !exact(q.Metrics[o.Metric-1]) }) {
		q.Limit = everything // the last digit of a double may swap neighbors: then the cut is not compared
	}
	return q
})

func drawMetricsCondition(t *rapid.T, view tracestore.View, columns viewColumns) filter.Condition {
	if !view.OfScores() && rapid.IntRange(0, 3).Draw(t, "of rows") > 0 {
		return drawnCondition.Draw(t, "condition")
	}
	column := rapid.SampledFrom(columns.texts).Draw(t, "column")
	value := rapid.SampledFrom(append([]string{"2026-05", "input", "t1", "s1", "API", "x"}, drawnTexts...))
	kinds := 3
	if view.OfScores() {
		kinds = 7
	}
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0:
		return filter.OneOf{Column: column, Values: rapid.SliceOfN(value, 1, 3).Draw(t, "values"), Not: rapid.Bool().Draw(t, "not")}
	case 1:
		op := rapid.SampledFrom([]filter.TextOp{filter.Contains, filter.NotContains, filter.StartsWith, filter.EndsWith}).Draw(t, "operator")
		return filter.Text{Column: column, Op: op, Value: value.Draw(t, "value")}
	case 2:
		return filter.IsSet{Column: column, Want: rapid.Bool().Draw(t, "want")}
	case 3:
		op := rapid.SampledFrom([]filter.ListOp{filter.AnyOf, filter.NoneOf, filter.AllOf}).Draw(t, "operator")
		return filter.List{Column: filter.Tags, Op: op, Values: rapid.SliceOfN(rapid.SampledFrom([]string{"x", "y", "z"}), 0, 2).Draw(t, "tags")}
	case 4:
		op := rapid.SampledFrom([]filter.Order{filter.Same, filter.Above, filter.AtMost}).Draw(t, "operator")
		column := rapid.SampledFrom([]filter.Column{filter.Value, tracestore.ObservationPromptNum}).Draw(t, "number column")
		return filter.Number{Column: column, Op: op, Value: rapid.SampledFrom([]float64{0, 0.1, 1, 2}).Draw(t, "number")}
	case 5:
		return filter.Time{Column: filter.Timestamp, Op: filter.Above, At: drawnMoment.Draw(t, "at")}
	default:
		return filter.IsTrue{Column: tracestore.ScoreBoolean, Want: rapid.Bool().Draw(t, "want")}
	}
}

func drawOrder(t *rapid.T, q tracestore.MetricsQuery) tracestore.MetricsOrder {
	o := tracestore.MetricsOrder{Desc: rapid.Bool().Draw(t, "desc")}
	switch n := rapid.IntRange(0, len(q.Metrics)+len(q.Dimensions)).Draw(t, "by"); {
	case n == 0 && q.Bucket != tracestore.NoBucket:
	case n <= len(q.Metrics):
		o.Metric = max(n, 1)
	default:
		o.Dimension = n - len(q.Metrics)
	}
	return o
}

// exact reports whether a metric must agree to the last digit.
func exact(m tracestore.Metric) bool {
	doubles := []tracestore.Measure{tracestore.OutputTokensPerSecond, tracestore.TokensPerSecond, tracestore.Value}
	switch m.Aggregation {
	case tracestore.CountOf:
		return true
	case tracestore.Sum, tracestore.Max, tracestore.Min, tracestore.Uniq:
		return !slices.Contains(doubles, m.Measure)
	default:
		return false
	}
}

// metricsProperty compares answers with those of Memory. A failure names the seed of its dataset and query.
func metricsProperty(t *testing.T, store Stores) {
	for seed := range fromEnv(t, scoreSetsEnv, 2) {
		d := newMeasuredDataset(t, store, seed)
		for n := range 60 {
			q := drawnMetricsQuery.Example(seed*1000 + n)
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

// diffMetrics compares answers: exact metrics to the last digit, doubles by nine digits, histograms by what
// every histogram of the values has in common.
func diffMetrics(q tracestore.MetricsQuery, want, got []tracestore.MetricsRow) string {
	byHistogram := slices.ContainsFunc(q.Order, func(o tracestore.MetricsOrder) bool {
		return o.Metric > 0 && q.Metrics[o.Metric-1].Aggregation == tracestore.Histogram
	})
	inOrder := func(a, b tracestore.MetricsRow) int { return CompareMetricsRows(q.Order, a, b) }
	if !byHistogram && !slices.IsSortedFunc(got, inOrder) {
		return fmt.Sprintf("not in order: %v", got)
	}
	if q.Limit == everything { // order is checked above, ties of doubles aside
		byGroup := func(a, b tracestore.MetricsRow) int { return CompareMetricsRows(nil, a, b) }
		want, got = slices.SortedFunc(slices.Values(want), byGroup), slices.SortedFunc(slices.Values(got), byGroup)
	}
	if len(want) != len(got) {
		return fmt.Sprintf("%d rows, want %d: %v, want %v", len(got), len(want), got, want)
	}
	for i := range want {
		for d := range q.Dimensions {
			if compareValues(want[i].Dimensions[d], got[i].Dimensions[d], false) != 0 || !want[i].Bucket.Equal(got[i].Bucket) {
				return fmt.Sprintf("row %d is %v, want %v", i, got[i], want[i])
			}
		}
		for m, metric := range q.Metrics {
			if !sameMetric(want[i].Metrics[m], got[i].Metrics[m], exact(metric), q.Bins) {
				return fmt.Sprintf("row %d, %v: %v, want %v", i, metric, got[i], want[i])
			}
		}
	}
	return ""
}

func sameMetric(want, got any, isExact bool, bins int) bool {
	switch want := want.(type) {
	case decimal.Decimal:
		got, ok := got.(decimal.Decimal)
		return ok && (want.Equal(got) || !isExact && near(want, got))
	case []tracestore.Bin:
		got, ok := got.([]tracestore.Bin)
		return ok && sameHistogram(want, got, bins)
	default:
		return want == got
	}
}

func near(a, b decimal.Decimal) bool {
	x, y := a.InexactFloat64(), b.InexactFloat64()
	return math.Abs(x-y) <= 1e-9*max(math.Abs(x), math.Abs(y), 1e-9)
}

// sameHistogram compares what does not depend on where bins lie: how many values, and between which bounds.
func sameHistogram(want, got []tracestore.Bin, bins int) bool {
	if len(want) == 0 || len(got) == 0 || len(got) > bins {
		return len(want) == len(got)
	}
	heights := 0.0
	for _, b := range got {
		heights += b.Height
	}
	slack := 1e-6 * max(math.Abs(want[0].Lower), math.Abs(want[0].Upper))
	return math.Abs(heights-want[0].Height) < 1e-6*want[0].Height && got[0].Lower >= want[0].Lower-slack && got[len(got)-1].Upper <= want[0].Upper+slack
}

// facetsProperty compares facets of every field with those of Memory.
func facetsProperty(t *testing.T, store Stores) {
	fields := append(slices.Collect(maps.Keys(map[filter.Column]bool{
		filter.Type: true, filter.Name: true, filter.Level: true, filter.Environment: true, filter.CodeVersion: true, filter.Model: true,
		filter.PromptName: true, filter.Release: true, filter.UserID: true, filter.SessionID: true, filter.TraceName: true,
	})), filter.Tags, filter.ToolNames, filter.CalledToolNames, filter.ExperimentName, tracestore.Prompt, tracestore.MetadataKeys, tracestore.ScoreNames,
		tracestore.MetadataField("k"), tracestore.MetadataField("n.m"), tracestore.MetadataField("é\x00'\\"))
	for seed := range fromEnv(t, scoreSetsEnv, 1) {
		d := newMeasuredDataset(t, store, 500+seed)
		for n := range 25 {
			q := tracestore.FacetQuery{
				ProjectID: d.project, MaxRows: everything,
				Fields: rapid.SliceOfNDistinct(rapid.SampledFrom(fields), 1, 6, rapid.ID).Example(seed*1000 + n),
				Where:  rapid.SliceOfN(drawnCondition, 0, 2).Example(seed*1000 + n),
				Limit:  rapid.IntRange(1, 5).Example(n),
			}
			want, err := d.memory.Facets(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			got, err := store.Facets(t.Context(), q)
			if err != nil {
				t.Fatalf("%+v: %v", q, err)
			}
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("dataset %d, query %d: %+v (-want +got):\n%s", seed, n, q, diff)
			}
		}
	}
}
