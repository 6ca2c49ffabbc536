package tracestoretest

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// dimension is the value of a column, as tracestore.MetricsRow has it.
func (s subject) dimension(column filter.Column) any {
	if s.o != nil {
		return s.ofObservation(column)
	}
	return s.ofScore(column)
}

func (s subject) ofObservation(column filter.Column) any {
	switch column {
	case filter.Tags:
		return s.o.Tags
	case filter.PromptVersion:
		return numberOrNil(int64(s.o.PromptVersion))
	case filter.IsRootObservation:
		return s.o.Root()
	default:
	}
	var x model.Experiment
	if s.o.Experiment != nil {
		x = *s.o.Experiment
	}
	return textOrNil(map[filter.Column]string{
		filter.ID: s.o.ID, filter.TraceID: s.o.TraceID, filter.ParentObservationID: s.o.ParentID, filter.Type: string(s.o.Type),
		filter.Name: s.o.Name, filter.Level: string(s.o.Level), filter.Environment: s.o.Environment,
		filter.CodeVersion: s.o.CodeVersion, tracestore.TraceVersion: s.o.CodeVersion, filter.Model: s.o.Model,
		filter.PromptName: s.o.PromptName, filter.ExperimentID: x.ID, filter.ExperimentName: x.Name, filter.ExperimentDatasetID: x.DatasetID,
		tracestore.StartTimeMonth: s.o.StartTime.Format("2006-01"), tracestore.TimestampMonth: s.o.StartTime.Format("2006-01"), filter.UserID: s.o.UserID, filter.SessionID: s.o.SessionID,
		filter.TraceName: s.o.TraceName, filter.Release: s.o.Release, tracestore.TraceRelease: s.o.Release,
		filter.ToolNames: s.tool, filter.CalledToolNames: s.call, tracestore.CostType: s.costKey, tracestore.UsageType: s.usageKey,
	}[column])
}

func (s subject) ofScore(column filter.Column) any {
	trace, about := model.Observation{}, model.Observation{}
	if s.trace != nil {
		trace = *s.trace
	}
	if s.about != nil {
		about = *s.about
	}
	var x model.Experiment
	if about.Experiment != nil {
		x = *about.Experiment
	}
	switch column {
	case filter.Tags:
		return trace.Tags
	case filter.Value:
		return decimal.NewFromFloat(s.s.Number)
	case tracestore.ScoreBoolean:
		return s.s.Number == 1
	case filter.Timestamp:
		return s.s.Timestamp
	case tracestore.ObservationPromptNum:
		return numberOrNil(int64(about.PromptVersion))
	default:
	}
	return textOrNil(map[filter.Column]string{
		filter.ID: s.s.ID, filter.Environment: s.s.Environment, filter.Name: s.s.Name, filter.Source: string(s.s.Source),
		filter.DataType: string(s.s.Type), filter.TraceID: s.s.TraceID, filter.ObservationID: s.s.ObservationID,
		filter.ConfigID: s.s.ConfigID, filter.SessionID: s.s.SessionID, tracestore.ScoreRunID: s.s.ExperimentID,
		tracestore.TimestampMonth: s.s.Timestamp.Format("2006-01"), tracestore.TimestampDay: s.s.Timestamp.Format(time.DateOnly),
		filter.StringValue: s.s.Text, filter.TraceName: trace.TraceName, filter.UserID: trace.UserID,
		tracestore.TraceRelease: trace.Release, tracestore.TraceVersion: trace.CodeVersion,
		tracestore.ObservationName: about.Name, tracestore.ObservationModel: about.Model, tracestore.ObservationPrompt: about.PromptName,
		filter.ExperimentID: x.ID, filter.ExperimentName: x.Name,
	}[column])
}

func textOrNil(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func numberOrNil(n int64) any {
	if n == 0 {
		return nil
	}
	return decimal.NewFromInt(n)
}

// meetsAll tests conditions on columns that observations as such do not have.
func (s subject) meetsAll(where []filter.Condition) (bool, error) {
	for _, c := range where {
		ok, err := s.meets(c)
		if err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

func (s subject) meets(c filter.Condition) (bool, error) {
	if c.On() == filter.Metadata { // which lies in scores as it does in observations
		return meets(&model.Observation{Metadata: s.s.Metadata}, c)
	}
	value := s.dimension(c.On())
	text, _ := value.(string)
	list, _ := value.([]string)
	switch c := c.(type) {
	case filter.OneOf:
		return slices.Contains(c.Values, text) != c.Not, nil
	case filter.Text:
		return compareText(c.Op, text, c.Value), nil
	case filter.List:
		has := func(v string) bool { return slices.Contains(list, v) }
		switch c.Op {
		case filter.AnyOf:
			return slices.ContainsFunc(c.Values, has), nil
		case filter.NoneOf:
			return !slices.ContainsFunc(c.Values, has), nil
		case filter.AllOf:
			return !slices.ContainsFunc(c.Values, func(v string) bool { return !has(v) }), nil
		}
	case filter.Number:
		n, ok := value.(decimal.Decimal)
		return ok && ordered(c.Op, cmp.Compare(n.InexactFloat64(), c.Value)), nil
	case filter.Time:
		return ordered(c.Op, value.(time.Time).Compare(c.At)), nil
	case filter.IsTrue:
		return value == c.Want, nil
	case filter.IsSet:
		return (value != nil && (!isList(value) || len(list) > 0)) == c.Want, nil
	}
	return false, fmt.Errorf("condition %#v has no meaning", c)
}

func isList(value any) bool { _, ok := value.([]string); return ok }

// measure is the value of a measure: a decimal, a text, or nil.
func (s subject) measure(m tracestore.Measure) any {
	if m == tracestore.Count {
		return decimal.NewFromInt(1)
	}
	if s.s != nil {
		return decimal.NewFromFloat(s.s.Number)
	}
	o := s.o
	tokens, costs := o.Tokens(), o.Costs()
	latency := millis(o.StartTime, o.EndTime)
	streaming := millis(o.CompletionStartTime, o.EndTime)
	switch m {
	case tracestore.Latency:
		return latency
	case tracestore.StreamingLatency:
		return streaming
	case tracestore.TimeToFirstToken:
		return millis(o.StartTime, o.CompletionStartTime)
	case tracestore.InputTokens:
		return unsigned(tokens.Input, true)
	case tracestore.OutputTokens:
		return unsigned(tokens.Output, true)
	case tracestore.TotalTokens:
		return unsigned(tokens.Total, tokens.HasTotal)
	case tracestore.OutputTokensPerSecond:
		return perSecond(tokens.Output, true, streaming)
	case tracestore.TokensPerSecond:
		return perSecond(tokens.Total, tokens.HasTotal, latency)
	case tracestore.InputCost:
		return cost(costs.Input)
	case tracestore.OutputCost:
		return cost(costs.Output)
	case tracestore.TotalCost:
		return cost(costs.Total)
	case tracestore.ToolDefinitions:
		return numberOrNil(int64(len(o.ToolDefinitions)))
	case tracestore.ToolCalls:
		return numberOrNil(int64(len(o.ToolCalls)))
	default:
		return s.counted(m)
	}
}

func (s subject) counted(m tracestore.Measure) any {
	switch m {
	case tracestore.ObservationsCount:
		return decimal.NewFromInt(s.rows)
	case tracestore.CountScores, tracestore.ScoresCount:
		return decimal.NewFromInt(s.scores)
	case tracestore.CostByType:
		return s.o.CostDetails[s.costKey]
	case tracestore.UsageByType:
		return unsigned(s.o.UsageDetails[s.usageKey], true)
	case tracestore.UniqueUsers:
		return textOrNil(s.o.UserID)
	case tracestore.UniqueSessions:
		return textOrNil(s.o.SessionID)
	default:
		return textOrNil(s.o.TraceID)
	}
}

func millis(from, to time.Time) any {
	if from.IsZero() || to.IsZero() {
		return nil
	}
	return decimal.NewFromInt(to.Sub(from).Milliseconds())
}

func unsigned(n uint64, ok bool) any {
	if !ok {
		return nil
	}
	return decimal.NewFromUint64(n)
}

func cost(amount decimal.NullDecimal) any {
	if !amount.Valid {
		return nil
	}
	return amount.Decimal
}

func perSecond(tokens uint64, ok bool, millis any) any {
	took, isNumber := millis.(decimal.Decimal)
	if !ok || !isNumber || took.IntPart() < 1000 {
		return nil
	}
	return decimal.NewFromFloat(float64(tokens) / float64(took.IntPart()/1000))
}

// aggregateOf makes one value of those that the measure has.
func aggregateOf(subjects []subject, metric tracestore.Metric) any {
	var numbers []decimal.Decimal
	distinct := map[string]bool{}
	count := 0
	for _, s := range subjects {
		value := s.measure(metric.Measure)
		if value == nil {
			continue
		}
		count++
		distinct[fmt.Sprint(value)] = true
		if n, ok := value.(decimal.Decimal); ok {
			numbers = append(numbers, n)
		}
	}
	switch metric.Aggregation {
	case tracestore.CountOf:
		return decimal.NewFromInt(int64(count))
	case tracestore.Uniq:
		return decimal.NewFromInt(int64(len(distinct)))
	case tracestore.Sum:
		return decimal.Sum(decimal.Zero, numbers...)
	case tracestore.Histogram:
		return histogramOf(numbers)
	default:
	}
	if count == 0 {
		return nil
	}
	slices.SortFunc(numbers, decimal.Decimal.Compare)
	switch metric.Aggregation {
	case tracestore.Min:
		return numbers[0]
	case tracestore.Max:
		return numbers[count-1]
	case tracestore.Avg:
		return decimal.Avg(numbers[0], numbers[1:]...)
	default:
	}
	at := tracestore.Percentiles[metric.Aggregation] * float64(count-1)
	below := int(math.Floor(at))
	above := min(below+1, count-1)
	share := decimal.NewFromFloat(at - float64(below))
	return numbers[below].Add(numbers[above].Sub(numbers[below]).Mul(share))
}

// histogramOf is one bin of all values: which bins there are is up to the store.
func histogramOf(numbers []decimal.Decimal) []tracestore.Bin {
	if len(numbers) == 0 {
		return nil
	}
	slices.SortFunc(numbers, decimal.Decimal.Compare)
	return []tracestore.Bin{{
		Lower: numbers[0].InexactFloat64(), Upper: numbers[len(numbers)-1].InexactFloat64(), Height: float64(len(numbers)),
	}}
}

// CompareMetricsRows orders rows as a query asks.
func CompareMetricsRows(orders []tracestore.MetricsOrder, a, b tracestore.MetricsRow) int {
	for _, o := range orders {
		var outcome int
		switch {
		case o.Dimension > 0:
			outcome = compareValues(a.Dimensions[o.Dimension-1], b.Dimensions[o.Dimension-1], o.Desc)
		case o.Metric > 0:
			outcome = compareValues(a.Metrics[o.Metric-1], b.Metrics[o.Metric-1], o.Desc)
		default:
			outcome = a.Bucket.Compare(b.Bucket)
			if o.Desc {
				outcome = -outcome
			}
		}
		if outcome != 0 {
			return outcome
		}
	}
	if outcome := a.Bucket.Compare(b.Bucket); outcome != 0 {
		return outcome
	}
	for i := range a.Dimensions {
		if outcome := compareValues(a.Dimensions[i], b.Dimensions[i], false); outcome != 0 {
			return outcome
		}
	}
	return 0
}

// compareValues puts a number that is nil last either way; a text that is nil is the empty one.
func compareValues(a, b any, desc bool) int {
	numberA, isA := a.(decimal.Decimal)
	numberB, isB := b.(decimal.Decimal)
	var outcome int
	switch {
	case isA && isB:
		outcome = numberA.Compare(numberB)
	case isA && b == nil:
		return -1
	case isB && a == nil:
		return 1
	default:
		outcome = compareTexts(a, b)
	}
	if desc {
		return -outcome
	}
	return outcome
}

func compareTexts(a, b any) int {
	switch x := a.(type) {
	case bool:
		return cmp.Compare(strconv.FormatBool(x), fmt.Sprint(b))
	case []string:
		y, _ := b.([]string)
		return slices.Compare(x, y)
	}
	x, _ := a.(string)
	y, _ := b.(string)
	return strings.Compare(x, y)
}
