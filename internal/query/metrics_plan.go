package query

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/tracestore"
)

// MetricsPlan is a metrics query that the store can answer, and the keys of its answer.
type MetricsPlan struct {
	Query tracestore.MetricsQuery
	// Dimensions and Metrics are the keys of the values of a row, in the order of the query.
	Dimensions, Metrics []string
	// Fill says that buckets without rows are shown.
	Fill bool
}

// ParseMetrics reads the text of a metrics query. A member that has not its type is a fault with the path
// of the member; a name that the view does not know is one without, and lists those it knows.
func ParseMetrics(text string) (MetricsPlan, error) {
	s, err := readMetrics(text, tracestore.Views, DefaultRowLimit)
	if err != nil {
		return MetricsPlan{}, err
	}
	plan, err := planMetrics(s)
	if err != nil {
		return MetricsPlan{}, err
	}
	return plan, plan.checkCardinality(s, views[s.view])
}

// ParseOldMetrics reads the text of a query of the first metrics read: traces are a view of it, any dimension
// may be used, and as many rows as one answer holds are returned unless fewer are asked for.
func ParseOldMetrics(text string) (MetricsPlan, error) {
	s, err := readMetrics(text, append(slices.Clone(tracestore.Views), tracestore.TracesView), maxOldRows)
	if err != nil {
		return MetricsPlan{}, err
	}
	return planMetrics(s)
}

func planMetrics(s metricsShape) (MetricsPlan, error) {
	v := views[s.view]
	plan := MetricsPlan{Query: tracestore.MetricsQuery{
		View: s.view, From: bound(s.from), To: bound(s.to), Bins: s.bins, Limit: s.rows, Bucket: s.bucket,
	}}
	if s.bucket == "auto" {
		plan.Query.Bucket = automatic(s.to.Sub(s.from))
	}
	if err := plan.addMetrics(s, v); err != nil {
		return MetricsPlan{}, err
	}
	if err := plan.addDimensions(s, v); err != nil {
		return MetricsPlan{}, err
	}
	if err := plan.addFilters(s, v); err != nil {
		return MetricsPlan{}, err
	}
	return plan, plan.addOrder(s)
}

// automatic is the width of buckets that shows a window well.
func automatic(window time.Duration) tracestore.Bucket {
	const day = 24 * time.Hour
	switch {
	case window < 2*time.Hour:
		return tracestore.Minute
	case window < 72*time.Hour:
		return tracestore.Hour
	case window < 60*day:
		return tracestore.Day
	case window < 365*day:
		return tracestore.Week
	default:
		return tracestore.Month
	}
}

func refused(format string, args ...any) error { return fault.New(fault.Invalid, format, args...) }

// shown quotes a client's text in a message, its beginning if it is long.
func shown(text string) string {
	const most = 60
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "..."
	}
	return strconv.Quote(text)
}

func (p *MetricsPlan) addMetrics(s metricsShape, v view) error {
	for _, m := range s.metrics {
		if !slices.Contains(v.measures, m.Measure) {
			return refused("Invalid measure %s: view %s has the measures %s", shown(string(m.Measure)), s.view, join(v.measures))
		}
		if slices.Contains(textMeasures, m.Measure) && m.Aggregation != tracestore.CountOf && m.Aggregation != tracestore.Uniq {
			return refused("Invalid aggregation %s for measure %s: it is a text, use count or uniq", m.Aggregation, m.Measure)
		}
		key := string(m.Aggregation) + "_" + string(m.Measure)
		if !slices.Contains(p.Metrics, key) {
			p.Metrics, p.Query.Metrics = append(p.Metrics, key), append(p.Query.Metrics, m)
		}
	}
	if len(p.Metrics) == 0 {
		p.Metrics = []string{"count"}
		p.Query.Metrics = []tracestore.Metric{{Measure: tracestore.Count, Aggregation: tracestore.CountOf}}
	}
	return nil
}

func (p *MetricsPlan) addDimensions(s metricsShape, v view) error {
	names := s.dimensions
	for _, m := range p.Query.Metrics {
		if column := byType[m.Measure]; column != "" {
			names = append(names, string(column))
		}
	}
	for _, name := range names {
		d, ok := v.find(name)
		if !ok {
			return refused("Invalid dimension %s: view %s has the dimensions %s", shown(name), s.view, strings.Join(v.dimensionNames(), ", "))
		}
		if !slices.Contains(p.Dimensions, name) {
			p.Dimensions, p.Query.Dimensions = append(p.Dimensions, name), append(p.Query.Dimensions, d.column)
		}
	}
	return nil
}

func (p *MetricsPlan) addFilters(s metricsShape, v view) error {
	catalog := v.filters()
	raw := make([]json.RawMessage, len(s.filters))
	for i := range raw {
		raw[i] = nameFallback(s.filters[i], catalog)
	}
	where, err := filter.ParseConditions(raw, "query.filters", catalog)
	if err != nil {
		return err
	}
	for i, c := range where {
		if c, ok := c.(filter.MetadataText); ok && c.Op == filter.Matches {
			return refused("query.filters condition %d: matches is not available in metrics; use contains", i+1)
		}
	}
	p.Query.Where = within(where)
	if p.looksAt(tracestore.CostType) && p.looksAt(tracestore.UsageType) {
		return refused("costType and usageType cannot be used in one query: ask for them one after the other")
	}
	return nil
}

// looksAt reports whether a dimension or a condition is on the column.
func (p *MetricsPlan) looksAt(column filter.Column) bool {
	return slices.Contains(p.Query.Dimensions, column) ||
		slices.ContainsFunc(p.Query.Where, func(c filter.Condition) bool { return c.On() == column })
}

// nameFallback makes a condition on an unknown column that ends in Name one on name. What is no condition
// stays as it is: the parser of conditions says so.
func nameFallback(raw json.RawMessage, c filter.Catalog) json.RawMessage {
	var object map[string]json.RawMessage
	var column string
	if json.Unmarshal(raw, &object) != nil || json.Unmarshal(object["column"], &column) != nil {
		return raw
	}
	if _, known := c.Find(column); known || !strings.HasSuffix(column, "Name") {
		return raw
	}
	object["column"] = json.RawMessage(`"name"`)
	changed, err := json.Marshal(object)
	if err != nil {
		return raw
	}
	return changed
}

// timeKey is the key of the bucket in rows and in orderBy.
const timeKey = "time_dimension"

func (p *MetricsPlan) addOrder(s metricsShape) error {
	for _, o := range s.orders {
		order := tracestore.MetricsOrder{
			Dimension: slices.Index(p.Dimensions, o.field) + 1, Metric: slices.Index(p.Metrics, o.field) + 1, Desc: o.desc,
		}
		if order.Dimension > 0 {
			order.Metric = 0
		}
		if order == (tracestore.MetricsOrder{Desc: o.desc}) && (o.field != timeKey || !s.bucketed) {
			allowed := slices.Concat(p.Dimensions, p.Metrics)
			if s.bucketed {
				allowed = append(allowed, timeKey)
			}
			return refused("Invalid orderBy field %s: use one of %s", shown(o.field), strings.Join(allowed, ", "))
		}
		p.Query.Order = append(p.Query.Order, order)
	}
	if len(p.Query.Order) > 0 {
		return nil
	}
	p.Fill = s.bucketed
	switch {
	case s.bucketed:
		p.Query.Order = []tracestore.MetricsOrder{{}}
	case len(s.metrics) > 0:
		p.Query.Order = []tracestore.MetricsOrder{{Metric: 1, Desc: true}}
	case len(p.Dimensions) > 0:
		p.Query.Order = []tracestore.MetricsOrder{{Dimension: 1}}
	}
	return nil
}

// checkCardinality lets a dimension with very many values through only where a few rows of it are wanted.
func (p *MetricsPlan) checkCardinality(s metricsShape, v view) error {
	for _, name := range p.Dimensions {
		d, _ := v.find(name)
		if !d.high {
			continue
		}
		if s.bucketed {
			return refused("Dimension %s has very many values and cannot be used with timeDimension: filter on it instead", name)
		}
		byMetric := slices.ContainsFunc(p.Query.Order, func(o tracestore.MetricsOrder) bool { return o.Metric > 0 && o.Desc })
		if !s.explicit || len(s.orders) == 0 || !byMetric {
			return refused("Dimension %s has very many values: set config.row_limit, and orderBy with direction desc on one of %s",
				name, strings.Join(p.Metrics, ", "))
		}
	}
	return nil
}
