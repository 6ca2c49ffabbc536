package tracestore

import (
	"context"
	"time"

	"github.com/sondehq/sonde/internal/filter"
)

// View is a set of rows that metrics are taken of.
type View string

// The views. Scores of the types TEXT and CORRECTION are in none.
const (
	ObservationsView      View = "observations"
	NumericScoresView     View = "scores-numeric" // NUMERIC and BOOLEAN
	BooleanScoresView     View = "scores-boolean"
	CategoricalScoresView View = "scores-categorical"
	// TracesView has traces as Traces folds them, by their start. Its conditions are in terms of the catalog
	// filter.Traces and of TimestampMonth.
	TracesView View = "traces"
)

// Views lists the views of the contract. TracesView is one of deprecated reads.
var Views = []View{ObservationsView, NumericScoresView, BooleanScoresView, CategoricalScoresView}

// OfScores reports whether the rows of the view are scores.
func (v View) OfScores() bool { return v != ObservationsView && v != TracesView }

// Measure is a value that every row of a view has, or has not: then it counts in no aggregate.
type Measure string

// The measures. Count is 1 on every row. Latencies are in milliseconds, costs in US dollars.
const (
	Count                 Measure = "count"
	Latency               Measure = "latency"
	StreamingLatency      Measure = "streamingLatency"
	TimeToFirstToken      Measure = "timeToFirstToken"
	InputTokens           Measure = "inputTokens"
	OutputTokens          Measure = "outputTokens"
	TotalTokens           Measure = "totalTokens"
	OutputTokensPerSecond Measure = "outputTokensPerSecond" // by whole seconds from the first token to the end
	TokensPerSecond       Measure = "tokensPerSecond"       // all tokens by whole seconds of latency
	InputCost             Measure = "inputCost"
	OutputCost            Measure = "outputCost"
	TotalCost             Measure = "totalCost"
	ToolDefinitions       Measure = "toolDefinitions" // how many; none is no value
	ToolCalls             Measure = "toolCalls"
	// CountScores is the number of scores on the observation with a timestamp in the window. A query that
	// takes it sees only observations that have some.
	CountScores Measure = "countScores"
	// CostByType and UsageByType see a row once per key of its cost or usage.
	CostByType  Measure = "costByType"
	UsageByType Measure = "usageByType"
	// These are texts, which can be counted only.
	TraceIDs       Measure = "traceId"
	UniqueUsers    Measure = "uniqueUserIds"
	UniqueSessions Measure = "uniqueSessionIds"
	// Value is the number of a score.
	Value Measure = "value"
	// These are of traces: how many observations a trace has, and how many scores with its observations,
	// corrections left out.
	ObservationsCount Measure = "observationsCount"
	ScoresCount       Measure = "scoresCount"
)

// Aggregation makes one value of the values of many rows.
type Aggregation string

// The aggregations. CountOf, Sum and Uniq of no values are 0, a Histogram has no bins then; the
// others are nil. Percentiles are exact, between two values by linear interpolation.
const (
	Sum       Aggregation = "sum"
	Avg       Aggregation = "avg"
	CountOf   Aggregation = "count"
	Max       Aggregation = "max"
	Min       Aggregation = "min"
	P50       Aggregation = "p50"
	P75       Aggregation = "p75"
	P90       Aggregation = "p90"
	P95       Aggregation = "p95"
	P99       Aggregation = "p99"
	Histogram Aggregation = "histogram"
	Uniq      Aggregation = "uniq"
)

// Aggregations lists every aggregation in the order of the contract.
var Aggregations = []Aggregation{Sum, Avg, CountOf, Max, Min, P50, P75, P90, P95, P99, Histogram, Uniq}

// Percentiles maps those aggregations that are percentiles to their level.
var Percentiles = map[Aggregation]float64{P50: 0.5, P75: 0.75, P90: 0.9, P95: 0.95, P99: 0.99}

// Dimensions that are not columns of observations.
const (
	StartTimeMonth filter.Column = "startTimeMonth" // 2026-05
	CostType       filter.Column = "costType"       // a row once per key of its cost
	UsageType      filter.Column = "usageType"

	ScoreRunID           filter.Column = "datasetRunId" // of the experiment that the score is about
	ScoreEvaluatorID     filter.Column = "evaluatorId"  // never set: no evaluator runs here
	TimestampMonth       filter.Column = "timestampMonth"
	TimestampDay         filter.Column = "timestampDay"
	ScoreBoolean         filter.Column = "booleanValue"
	TraceRelease         filter.Column = "traceRelease"
	TraceVersion         filter.Column = "traceVersion"
	ObservationName      filter.Column = "observationName"
	ObservationModel     filter.Column = "observationModelName"
	ObservationPrompt    filter.Column = "observationPromptName"
	ObservationPromptNum filter.Column = "observationPromptVersion"
)

// Bucket is the width of the time buckets that rows are grouped by. Weeks begin on Monday, all in UTC.
type Bucket string

// The widths; NoBucket groups all times together.
const (
	NoBucket Bucket = ""
	Minute   Bucket = "minute"
	Hour     Bucket = "hour"
	Day      Bucket = "day"
	Week     Bucket = "week"
	Month    Bucket = "month"
)

// Metric is an aggregate of a measure.
type Metric struct {
	Measure     Measure
	Aggregation Aggregation
}

// MetricsOrder sorts rows by a dimension or a metric of the query, or by the bucket if neither is named.
type MetricsOrder struct {
	Dimension int // its place in the query plus one; 0: none
	Metric    int // its place in the query plus one; 0: none
	Desc      bool
}

// MetricsQuery asks for aggregates of the rows of one project whose time lies in a window: the start
// time of observations, the timestamp of scores.
type MetricsQuery struct {
	ProjectID string
	View      View
	From, To  time.Time // both included
	Where     []filter.Condition

	Dimensions []filter.Column
	Bucket     Bucket
	Metrics    []Metric
	Bins       int // of histograms, at most

	// Order sorts the rows. What it leaves equal is in the order of the bucket, then of the dimensions.
	// Values that are nil come last.
	Order []MetricsOrder
	Limit int
}

// Bin is one bar of a histogram: how many values lie between its bounds. Where values of neighbors were
// merged, Height is a share of both.
type Bin struct{ Lower, Upper, Height float64 }

// MetricsRow is one group of rows. Its values are in the order of the query.
type MetricsRow struct {
	// Dimensions are string, []string, bool or decimal.Decimal; nil when not set.
	Dimensions []any
	Bucket     time.Time // where its bucket begins; zero without buckets
	// Metrics are decimal.Decimal, or []Bin of a histogram; nil where there was nothing to aggregate.
	Metrics []any
}

// FacetQuery asks which values the columns of observations have, the most frequent ones first.
type FacetQuery struct {
	ProjectID string
	Where     []filter.Condition
	Fields    []filter.Column // texts and lists, see also Prompt, MetadataKeys, ScoreNames and MetadataField
	Limit     int             // values per field
	// MaxRows bounds how many rows are read. Where there are more, the newest count.
	MaxRows int
}

// FacetValue is a value and how many rows have it. Rows without a value are those of "".
type FacetValue struct {
	Value string
	Count uint64
}

// Facets is the answer to a FacetQuery.
type Facets struct {
	// Values are in the order of the fields; of each, by count descending, then by value.
	Values [][]FacetValue
	Reach
}

// Metrics aggregates rows.
//
// Promises: a row counts once, in its newest version, and not at all once it or its trace is deleted.
// A query sees rows of its project only. Sums and counts are exact, sums of money to their last digit; an
// average, a percentile and sums of quotients and of score values are doubles. Dimensions and conditions
// see what rows inherit from their trace.
//
// Where a dimension or a condition of a view of scores belongs to the trace (TraceName, UserID, Tags,
// TraceRelease, TraceVersion) or to the observation of a score, only scores count whose trace has a
// root without parent that started in the window, or whose observation did.
//
// A dimension ToolNames, CalledToolNames, CostType or UsageType, and a condition on one of the last two,
// make a row count once per element, and not at all if it has none.
//
// A read that needs more time or memory than one may take wraps ErrTooExpensive.
type Metrics interface {
	Metrics(ctx context.Context, q MetricsQuery) ([]MetricsRow, error)
	Facets(ctx context.Context, q FacetQuery) (Facets, error)
}

// Start is where the bucket that holds a time begins.
func (b Bucket) Start(at time.Time) time.Time {
	at = at.UTC()
	day := time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, time.UTC)
	switch b {
	case Minute:
		return at.Truncate(time.Minute)
	case Hour:
		return at.Truncate(time.Hour)
	case Week:
		sinceMonday := (int(day.Weekday()) + 6) % 7
		return day.AddDate(0, 0, -sinceMonday)
	case Month:
		return day.AddDate(0, 0, 1-day.Day())
	default:
		return day
	}
}

// Next is where the bucket after the one that begins at start begins.
func (b Bucket) Next(start time.Time) time.Time {
	switch b {
	case Minute:
		return start.Add(time.Minute)
	case Hour:
		return start.Add(time.Hour)
	case Week:
		return start.AddDate(0, 0, 7)
	case Month:
		return start.AddDate(0, 1, 0)
	default:
		return start.AddDate(0, 0, 1)
	}
}
