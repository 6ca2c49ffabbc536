package chstore

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"
	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/tracestore"
)

var _ tracestore.Metrics = (*Store)(nil)

// Metrics scans folded rows once. Every identifier of the statement comes from the tables of
// metrics_columns.go, every value is bound.
func (s *Store) Metrics(ctx context.Context, q tracestore.MetricsQuery) ([]tracestore.MetricsRow, error) {
	if q.Limit <= 0 {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.config.ReadWithin)
	defer cancel()
	dead, err := s.buried(ctx, q.ProjectID, true)
	if err != nil {
		return nil, readError("read tombstones", err)
	}
	plan, err := planMetrics(q, dead)
	if err != nil {
		return nil, err
	}
	block := newMetricsBlock(plan)
	var rows []tracestore.MetricsRow
	err = s.reads.do(ctx, ch.Query{
		Body:       plan.sql,
		Parameters: plan.params.list,
		Result:     block.results,
		OnResult: func(context.Context, proto.Block) error {
			for i := range block.bucket.Rows() {
				rows = append(rows, block.row(i))
			}
			return nil
		},
	})
	if err != nil {
		return nil, readError("read metrics", err)
	}
	return rows, nil
}

// metricsPlan is a statement and the forms of its columns d0.., m0...
type metricsPlan struct {
	sql        string
	params     params
	dimensions []metricsColumn
	metrics    []tracestore.Metric
	bucketed   bool
}

// bucketStarts are the functions that round a time down.
var bucketStarts = map[tracestore.Bucket]string{
	tracestore.Minute: "toStartOfMinute", tracestore.Hour: "toStartOfHour", tracestore.Day: "toStartOfDay",
	tracestore.Week: "toMonday", tracestore.Month: "toStartOfMonth",
}

// noBucket stands for the bucket of a query without.
const noBucket = "toInt64(0)"

func planMetrics(q tracestore.MetricsQuery, dead buried) (*metricsPlan, error) {
	v := viewOf(q.View)
	plan := &metricsPlan{metrics: q.Metrics, bucketed: q.Bucket != tracestore.NoBucket}
	var needs relation
	var selected, groups []string
	for i, name := range q.Dimensions {
		column, ok := v.dimensions[name]
		if !ok {
			return nil, fault.New(fault.Internal, "dimension %s of %s has no SQL", name, q.View)
		}
		needs |= column.needs
		plan.dimensions = append(plan.dimensions, column)
		groups = append(groups, column.sql)
		selected = append(selected, shown(column)+" AS d"+strconv.Itoa(i))
	}
	bucket := noBucket
	if plan.bucketed {
		bucket = "toUnixTimestamp64Micro(toDateTime64(" + bucketStarts[q.Bucket] + "(" + v.time + "), 6, 'UTC'))"
		groups = append(groups, bucket)
	}
	selected = append(selected, bucket+" AS b")
	aggregates := make([]string, len(q.Metrics))
	for i, m := range q.Metrics {
		measure, ok := v.measures[m.Measure]
		if !ok {
			return nil, fault.New(fault.Internal, "measure %s of %s has no SQL", m.Measure, q.View)
		}
		needs |= measure.needs
		aggregates[i] = aggregate(measure, m.Aggregation, q.Bins)
		selected = append(selected, shownMetric(aggregates[i], m.Aggregation)+" AS m"+strconv.Itoa(i))
	}
	from, err := v.from(&plan.params, q, needs, dead)
	if err != nil {
		return nil, err
	}
	plan.sql = "SELECT " + strings.Join(selected, ", ") + " FROM " + from
	if len(groups) > 0 {
		plan.sql += " GROUP BY " + strings.Join(groups, ", ")
	}
	plan.sql += metricsOrder(q.Order, plan.dimensions, aggregates, bucket) +
		fmt.Sprintf(" LIMIT %d SETTINGS enable_extended_results_for_datetime_functions = 1", q.Limit)
	return plan, nil
}

// shown renders a dimension as text, ” for none, or as a list.
func shown(c metricsColumn) string {
	switch c.form {
	case listForm:
		return c.sql
	case boolForm:
		return "toString(toUInt8(" + c.sql + "))"
	case numberForm:
		return "ifNull(toString(" + c.sql + "), '')"
	default:
		return "CAST(" + c.sql + ", 'String')"
	}
}

// shownMetric renders a metric as text, ” for none, or the bins of a histogram as one list.
func shownMetric(value string, a tracestore.Aggregation) string {
	if a == tracestore.Histogram {
		return "arrayFlatten(arrayMap(bin -> [bin.1, bin.2, bin.3], " + value + "))"
	}
	return "ifNull(toString(" + value + "), '')"
}

// aggregate renders one metric. Sums are made in a type that holds them.
func aggregate(m metricsMeasure, a tracestore.Aggregation, bins int) string {
	if level, ok := tracestore.Percentiles[a]; ok {
		return "quantileExactInclusiveOrNull(" + strconv.FormatFloat(level, 'g', -1, 64) + ")(toFloat64(" + m.sql + "))"
	}
	switch a {
	case tracestore.CountOf:
		return "count(" + m.sql + ")"
	case tracestore.Uniq:
		return "uniqExact(" + m.sql + ")"
	case tracestore.Sum:
		zero := map[amount]string{whole: "toInt128(0)", dollars: "toDecimal64(0, 12)", double: "toFloat64(0)"}[m.amount]
		return "sum(ifNull(" + m.sql + ", " + zero + "))"
	case tracestore.Avg:
		if m.amount == dollars {
			return "avgOrNull(" + m.sql + ")"
		}
		return "avgOrNull(toFloat64(" + m.sql + "))"
	case tracestore.Histogram:
		return fmt.Sprintf("histogram(%d)(toFloat64(%s))", bins, m.sql)
	default:
		return string(a) + "OrNull(" + m.sql + ")" // max, min
	}
}

// metricsOrder sorts as asked, and what is equal then by bucket and dimensions.
func metricsOrder(orders []tracestore.MetricsOrder, dimensions []metricsColumn, aggregates []string, bucket string) string {
	var by []string
	for _, o := range orders {
		key := bucket
		switch {
		case o.Dimension > 0:
			key = dimensions[o.Dimension-1].sql
		case o.Metric > 0:
			key = aggregates[o.Metric-1]
		}
		if o.Desc {
			key += " DESC"
		}
		by = append(by, key)
	}
	if bucket != noBucket {
		by = append(by, bucket)
	}
	for _, d := range dimensions {
		by = append(by, d.sql)
	}
	if len(by) == 0 {
		return ""
	}
	return " ORDER BY " + strings.Join(by, ", ")
}

// metricsBlock receives the answer.
type metricsBlock struct {
	plan    *metricsPlan
	bucket  proto.ColInt64
	texts   []*proto.ColStr          // by dimension, then by metric
	lists   []*proto.ColArr[string]  // by dimension
	bins    []*proto.ColArr[float64] // by metric
	results proto.Results
}

func newMetricsBlock(plan *metricsPlan) *metricsBlock {
	b := &metricsBlock{plan: plan, lists: make([]*proto.ColArr[string], len(plan.dimensions)), bins: make([]*proto.ColArr[float64], len(plan.metrics))}
	text := func(name string) {
		column := new(proto.ColStr)
		b.texts = append(b.texts, column)
		b.results = append(b.results, proto.ResultColumn{Name: name, Data: column})
	}
	for i, d := range plan.dimensions {
		name := "d" + strconv.Itoa(i)
		if d.form == listForm {
			b.lists[i] = new(proto.ColStr).Array()
			b.texts = append(b.texts, nil)
			b.results = append(b.results, proto.ResultColumn{Name: name, Data: b.lists[i]})
			continue
		}
		text(name)
	}
	b.results = append(b.results, proto.ResultColumn{Name: "b", Data: &b.bucket})
	for i, m := range plan.metrics {
		name := "m" + strconv.Itoa(i)
		if m.Aggregation == tracestore.Histogram {
			b.bins[i] = new(proto.ColFloat64).Array()
			b.texts = append(b.texts, nil)
			b.results = append(b.results, proto.ResultColumn{Name: name, Data: b.bins[i]})
			continue
		}
		text(name)
	}
	return b
}

func (b *metricsBlock) row(i int) tracestore.MetricsRow {
	row := tracestore.MetricsRow{Dimensions: make([]any, len(b.plan.dimensions)), Metrics: make([]any, len(b.plan.metrics))}
	if b.plan.bucketed {
		row.Bucket = time.UnixMicro(b.bucket.Row(i)).UTC()
	}
	for d, column := range b.plan.dimensions {
		if column.form == listForm {
			row.Dimensions[d] = b.lists[d].Row(i)
			continue
		}
		row.Dimensions[d] = valueOf(b.texts[d].Row(i), column.form)
	}
	for m := range b.plan.metrics {
		if b.bins[m] != nil {
			row.Metrics[m] = binsOf(b.bins[m].Row(i))
			continue
		}
		row.Metrics[m] = valueOf(b.texts[len(b.plan.dimensions)+m].Row(i), numberForm)
	}
	return row
}

// valueOf reads what shown wrote. A number that is none (NaN, infinity) is no value.
func valueOf(text string, f form) any {
	if text == "" {
		return nil
	}
	switch f {
	case boolForm:
		return text == "1"
	case numberForm:
		n, err := decimal.NewFromString(text)
		if err != nil {
			return nil
		}
		return n
	default:
		return text
	}
}

func binsOf(flat []float64) []tracestore.Bin {
	bins := make([]tracestore.Bin, 0, len(flat)/3)
	for b := range slices.Chunk(flat, 3) {
		bins = append(bins, tracestore.Bin{Lower: b[0], Upper: b[1], Height: b[2]})
	}
	return bins
}
