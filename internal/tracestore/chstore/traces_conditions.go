package chstore

import (
	"slices"
	"strings"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
)

// rootPlace orders the rows of a trace by which of them is its root: the least is.
const rootPlace = "(NOT (parent_span_id = '' OR app_root), start_time, span_id)"

// ofRoot is a value of the root, over a group of all rows of a trace.
func ofRoot(value string) string { return "argMin(" + value + ", " + rootPlace + ")" }

// traceColumns are the columns of folded traces: what each is over a group of all rows of a trace. Those that
// conditions look at have the names they have in observations, so that the same conditions are rendered.
var traceColumns = map[string]string{
	"start_time":        "min(start_time)",
	"end_time":          "greatest(max(end_time), max(start_time))",
	"environment":       ofRoot("CAST(environment, 'String')"),
	"code_version":      ofRoot("CAST(code_version, 'String')"),
	"public":            ofRoot("public"),
	"bookmarked":        ofRoot("bookmarked"),
	"meta_names":        ofRoot("CAST(meta_names, 'Array(String)')"),
	"meta_values":       ofRoot("meta_values"),
	"meta_types":        ofRoot("meta_types"),
	"root_id":           ofRoot("span_id"),
	"root_start":        ofRoot("start_time"),
	"input_tokens":      "sum(input_tokens)",
	"output_tokens":     "sum(output_tokens)",
	"total_tokens":      "sum(ifNull(total_tokens, 0))",
	"total_cost":        "sum(ifNull(total_cost, toDecimal64(0, 12)))",
	"version":           "max(version)",
	"created":           "min(if(toUnixTimestamp64Milli(created_at) = 0, toInt64(intDiv(version, 1024000)), toUnixTimestamp64Milli(created_at)))",
	"observation_count": "uniqExactIf(span_id, NOT (" + boolColumns[filter.StandsForTrace] + "))",
	"observation_ids":   "arraySort(groupUniqArrayIf(10000)(span_id, NOT (" + boolColumns[filter.StandsForTrace] + ")))",
}

// conditionColumns are the columns of folded traces that a condition on a column looks at.
var conditionColumns = map[filter.Column][]string{
	filter.StartTime:    {"start_time"},
	filter.Environment:  {"environment"},
	filter.CodeVersion:  {"code_version"},
	filter.Metadata:     {"meta_names", "meta_values", "meta_types"},
	filter.Latency:      {"start_time", "end_time"},
	filter.InputTokens:  {"input_tokens"},
	filter.OutputTokens: {"output_tokens"},
	filter.TotalTokens:  {"total_tokens"},
	filter.TotalCost:    {"total_cost"},
}

// traceScope is which traces a read is about.
type traceScope struct {
	conditions
	// ids are conditions that all rows of a trace meet or none: on its id and on what it lends. rows are the same,
	// and that no tombstone of the trace hides the row.
	ids, rows []string
	// shown are conditions on the folded trace.
	shown []filter.Condition
	named bool // rows name the traces by id
}

func newTraceScope(p *params, projectID string, where []filter.Condition, dead graves) (traceScope, error) {
	r := conditions{params: p, project: "project_id = " + p.text(projectID), hidden: dead.bind(p)}
	s := traceScope{conditions: r.within(where), ids: []string{r.project, "trace_id != ''"}}
	for _, c := range where {
		column, lent := inheritedColumns[c.On()]
		switch {
		case lent:
			clause, err := s.onLent(column, c)
			if err != nil {
				return traceScope{}, err
			}
			s.ids = append(s.ids, clause)
		case c.On() == filter.TraceID:
			clause, err := s.clause(c)
			if err != nil {
				return traceScope{}, err
			}
			s.ids = append(s.ids, clause)
			one, ok := c.(filter.OneOf)
			s.named = s.named || ok && !one.Not
		case conditionColumns[c.On()] == nil:
			return traceScope{}, fault.New(fault.Internal, "condition %#v on traces has no SQL", c)
		default:
			s.shown = append(s.shown, c)
		}
	}
	s.rows = slices.Clone(s.ids)
	if r.hidden != (hidden{}) {
		s.rows = append(s.rows, r.hidden.alive("trace_id", "version"))
	}
	return s, nil
}

// onLent renders a condition on what a trace lends.
func (r conditions) onLent(column inheritedColumn, c filter.Condition) (string, error) {
	switch c := c.(type) {
	case filter.OneOf:
		return r.ofTrace(column, r.testOneOf(c)), nil
	case filter.Text:
		if c.Op == filter.Equal {
			return r.ofTrace(column, r.testOneOf(filter.OneOf{Column: c.Column, Values: []string{c.Value}})), nil
		}
		if compare, ok := textComparisons[c.Op]; ok {
			value := r.text(c.Value)
			holds := func(text string) string { return compare(text, value) }
			return r.ofTrace(column, test{holds: holds, ofNone: (c.Value == "") != (c.Op == filter.NotContains)}), nil
		}
	case filter.List:
		if t, ok := r.testList(c); ok && column.list {
			return r.ofTrace(column, t), nil
		}
	case filter.IsSet:
		holds := func(value string) string { return negated(column.isSet(value), !c.Want) }
		return r.ofTrace(column, test{holds: holds, ofNone: !c.Want}), nil
	}
	return "", fault.New(fault.Internal, "condition %#v on traces has no SQL", c)
}

// folded renders traces as a table: every trace of the scope, with the columns that are wanted and those that
// conditions look at. Rows are folded by FINAL.
//
// A bound on the start of traces bounds which rows are read. Below the lower one no trace of the scope has a
// row, but others reach across it: those are found by their time range in the table traces. Above the upper
// one a trace of the scope may have rows, which matter as soon as more than its start is looked at.
func (s traceScope) folded(columns ...string) (string, error) {
	for _, c := range s.shown {
		columns = append(columns, conditionColumns[c.On()]...)
	}
	columns = slices.Compact(slices.Sorted(slices.Values(columns)))
	rows := slices.Clone(s.rows)
	if !s.from.IsZero() {
		rows = append(rows, "start_time >= "+s.micros(s.from.UnixMicro()), "trace_id NOT IN ("+s.startedBefore(" FINAL")+notDeleted+")")
	}
	if !s.to.IsZero() {
		upTo := "start_time <= " + s.micros(s.to.UnixMicro())
		if !slices.Equal(columns, []string{"start_time"}) {
			if !s.from.IsZero() {
				upTo += " AND start_time >= " + s.micros(s.from.UnixMicro())
			}
			upTo = "trace_id IN (SELECT trace_id FROM observations WHERE " + s.project + " AND " + upTo + ")"
		}
		rows = append(rows, upTo)
	}
	aggregates, names := make([]string, len(columns)), make([]string, len(columns))
	for i, column := range columns {
		aggregates[i], names[i] = ", "+traceColumns[column]+" AS of_"+column, ", of_"+column+" AS "+column
	}
	shown, err := s.shownWhere()
	if err != nil {
		return "", err
	}
	return "(SELECT trace_id" + strings.Join(names, "") + " FROM (SELECT trace_id" + strings.Join(aggregates, "") +
		" FROM observations FINAL WHERE " + strings.Join(rows, " AND ") + notDeleted + " GROUP BY trace_id)" + shown + ")", nil
}

// shownWhere renders the conditions on folded traces.
func (s traceScope) shownWhere() (string, error) {
	var clauses []string
	for _, c := range s.shown {
		clause, err := s.clause(c)
		if err != nil {
			return "", err
		}
		clauses = append(clauses, clause)
	}
	if len(clauses) == 0 {
		return "", nil
	}
	return " WHERE " + strings.Join(clauses, " AND "), nil
}

// startedBefore finds the traces that have rows on both sides of the lower bound. What the table traces says of
// their time may come of rows that are gone: the rows below the bound decide.
func (s traceScope) startedBefore(final string) string {
	from := s.micros(s.from.UnixMicro())
	spanning := "(SELECT trace_id, min(first_start) AS first FROM traces WHERE " + s.project +
		" GROUP BY trace_id HAVING first < " + from + " AND max(last_start) >= " + from + ")"
	clause := "SELECT trace_id FROM observations" + final + " WHERE " + s.project + " AND start_time < " + from +
		" AND start_time >= (SELECT if(count() = 0, " + from + ", min(first)) FROM " + spanning + ")" +
		" AND trace_id IN (SELECT trace_id FROM " + spanning + ")"
	if s.hidden != (hidden{}) {
		clause += " AND " + s.hidden.alive("trace_id", "version")
	}
	return clause
}

// onlyStart reports whether no more than the start of traces is looked at.
func (s traceScope) onlyStart() bool {
	return !slices.ContainsFunc(s.shown, func(c filter.Condition) bool { return c.On() != filter.StartTime })
}

// suspects are the traces with a row that is, or was once, a tombstone.
func (s traceScope) suspects() string {
	return "SELECT trace_id FROM observations WHERE " + s.project + " AND deleted"
}

// started renders traces with their start alone, for a scope that looks at no more. It folds without FINAL, which
// would take many times as long: versions of a row share its start, so only tombstones matter, and of the few
// traces that have some the newest version of each row decides.
func (s traceScope) started() (string, error) {
	rows := append(slices.Clone(s.rows), "trace_id NOT IN ("+s.suspects()+")")
	if !s.from.IsZero() {
		rows = append(rows, "start_time >= "+s.micros(s.from.UnixMicro()), "trace_id NOT IN ("+s.startedBefore("")+")")
	}
	if !s.to.IsZero() {
		rows = append(rows, "start_time <= "+s.micros(s.to.UnixMicro()))
	}
	shown, err := s.shownWhere()
	if err != nil {
		return "", err
	}
	return "(SELECT trace_id, of_start AS start_time FROM (SELECT trace_id, min(start_time) AS of_start FROM observations WHERE " +
		strings.Join(rows, " AND ") + " GROUP BY trace_id UNION ALL SELECT trace_id, min(start_time) AS of_start FROM (SELECT trace_id, start_time, span_id" +
		" FROM observations WHERE " + strings.Join(s.rows, " AND ") + " AND trace_id IN (" + s.suspects() + ")" +
		" GROUP BY trace_id, start_time, span_id HAVING NOT argMax(deleted, version)) GROUP BY trace_id)" + shown + ")", nil
}
