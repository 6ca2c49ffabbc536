package query

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/tracestore"
)

// The bounds of a metrics query.
const (
	DefaultRowLimit = 100
	MaxRowLimit     = 1000
	DefaultBins     = 10
	MaxBins         = 100
	maxMetrics      = 50
	maxDimensions   = 20
	maxOrders       = 20
	maxOldRows      = 10_000 // of the first metrics read
)

// metricsShape is a metrics query as it was sent: members have their types, but nobody has looked whether
// the view has such measures and dimensions.
type metricsShape struct {
	view       tracestore.View
	metrics    []tracestore.Metric
	dimensions []string
	filters    []json.RawMessage
	bucketed   bool
	bucket     tracestore.Bucket // NoBucket with bucketed: to be found from the window
	from, to   time.Time
	orders     []orderShape
	bins, rows int
	explicit   bool // row_limit was given
}

type orderShape struct {
	field string
	desc  bool
}

// members reads the members of JSON objects below a path and collects what does not fit.
type members struct {
	issues []error
}

func (m *members) invalid(at, format string, args ...any) {
	m.issues = append(m.issues, fault.Invalidf(at, format, args...))
}

// object reads an object. Its members are found in their own letter case only.
func (m *members) object(raw json.RawMessage, at string) map[string]json.RawMessage {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(raw, &object); err != nil || object == nil {
		m.invalid(at, "must be an object")
		return nil
	}
	return object
}

// list reads an array of at most limit members; without one it is empty, unless it is required.
func (m *members) list(raw json.RawMessage, at string, limit int, required bool) []json.RawMessage {
	if !given(raw) && !required {
		return nil
	}
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil || list == nil {
		m.invalid(at, "must be an array")
		return nil
	}
	if len(list) > limit {
		m.invalid(at, "must not have more than %d members, got %d", limit, len(list))
		return nil
	}
	return list
}

func (m *members) text(raw json.RawMessage, at string) string {
	var text string
	if !given(raw) || json.Unmarshal(raw, &text) != nil {
		m.invalid(at, "must be a string")
	}
	return text
}

// choice reads one of several words.
func choice[T ~string](m *members, raw json.RawMessage, at string, choices []T) T {
	var text string
	if !given(raw) || json.Unmarshal(raw, &text) != nil || !slices.Contains(choices, T(text)) {
		m.invalid(at, "must be one of %s", join(choices))
		return ""
	}
	return T(text)
}

func join[T ~string](words []T) string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = string(w)
	}
	return strings.Join(list, ", ")
}

func (m *members) number(raw json.RawMessage, at string, fallback, most int) int {
	if !given(raw) {
		return fallback
	}
	var n int
	if json.Unmarshal(raw, &n) != nil || n < 1 || n > most {
		m.invalid(at, "must be a whole number between 1 and %d", most)
	}
	return n
}

func (m *members) time(raw json.RawMessage, at string) time.Time {
	var text string
	if given(raw) && json.Unmarshal(raw, &text) == nil {
		if moment, err := ParseTime(text); err == nil {
			return moment
		}
	}
	m.invalid(at, "must be an ISO 8601 date-time with a zone, such as 2026-05-01T10:00:00.000Z")
	return time.Time{}
}

// given reports whether a member is there and not null.
func given(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

var granularities = []tracestore.Bucket{"auto", tracestore.Minute, tracestore.Hour, tracestore.Day, tracestore.Week, tracestore.Month}

// readMetrics reads the text of a query parameter: of one of the given views, and with so many rows unless it
// says how many. Its error names every member that does not fit.
func readMetrics(text string, views []tracestore.View, rows int) (metricsShape, error) {
	if !json.Valid([]byte(text)) {
		return metricsShape{}, fault.New(fault.Invalid, "Invalid JSON in query parameter").
			Hint(`send an object such as {"view":"observations","metrics":[{"measure":"count","aggregation":"count"}],"fromTimestamp":"2026-05-01T00:00:00Z","toTimestamp":"2026-05-08T00:00:00Z"}`)
	}
	var m members
	object := m.object(json.RawMessage(text), "query")
	if object == nil {
		return metricsShape{}, errors.Join(m.issues...)
	}
	s := metricsShape{
		view:    choice(&m, object["view"], "query.view", views),
		from:    m.time(object["fromTimestamp"], "query.fromTimestamp"),
		to:      m.time(object["toTimestamp"], "query.toTimestamp"),
		filters: m.list(object["filters"], "query.filters", maxFilters, false),
	}
	m.metrics(object, &s)
	m.order(object, &s)
	if raw := object["timeDimension"]; given(raw) {
		s.bucketed = true
		s.bucket = choice(&m, m.object(raw, "query.timeDimension")["granularity"], "query.timeDimension.granularity", granularities)
	}
	s.bins, s.rows = DefaultBins, rows
	if raw := object["config"]; given(raw) {
		config := m.object(raw, "query.config")
		s.bins = m.number(config["bins"], "query.config.bins", DefaultBins, MaxBins)
		s.rows = m.number(config["row_limit"], "query.config.row_limit", rows, MaxRowLimit)
		s.explicit = given(config["row_limit"])
	}
	if len(m.issues) == 0 && !s.from.Before(s.to) {
		m.invalid("query.toTimestamp", "must be after fromTimestamp")
	}
	return s, errors.Join(m.issues...)
}

// maxFilters is more than filter.ParseConditions takes: that one has the better message.
const maxFilters = 100_000

func (m *members) metrics(object map[string]json.RawMessage, s *metricsShape) {
	for i, raw := range m.list(object["metrics"], "query.metrics", maxMetrics, true) {
		at := fmt.Sprintf("query.metrics.%d", i)
		if metric := m.object(raw, at); metric != nil {
			s.metrics = append(s.metrics, tracestore.Metric{
				Measure:     tracestore.Measure(m.text(metric["measure"], at+".measure")),
				Aggregation: choice(m, metric["aggregation"], at+".aggregation", tracestore.Aggregations),
			})
		}
	}
	for i, raw := range m.list(object["dimensions"], "query.dimensions", maxDimensions, false) {
		at := fmt.Sprintf("query.dimensions.%d", i)
		if dimension := m.object(raw, at); dimension != nil {
			s.dimensions = append(s.dimensions, m.text(dimension["field"], at+".field"))
		}
	}
}

func (m *members) order(object map[string]json.RawMessage, s *metricsShape) {
	for i, raw := range m.list(object["orderBy"], "query.orderBy", maxOrders, false) {
		at := fmt.Sprintf("query.orderBy.%d", i)
		if order := m.object(raw, at); order != nil {
			s.orders = append(s.orders, orderShape{
				field: m.text(order["field"], at+".field"),
				desc:  choice(m, order["direction"], at+".direction", []string{"asc", "desc"}) == "desc",
			})
		}
	}
}
