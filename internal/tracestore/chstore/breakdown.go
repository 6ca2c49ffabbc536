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

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/tracestore"
)

// sample is the rows that a bounded read looks at.
type sample struct {
	tracestore.Reach
	none   bool
	where  []filter.Condition // those of the query, and the bound
	lowest time.Time          // no row of it started before
}

// sampled finds how far back maxRows reach. It looks at start times alone.
func (s *Store) sampled(ctx context.Context, projectID string, where []filter.Condition, maxRows int) (sample, error) {
	var p params
	times, err := conditions{params: &p, project: "project_id = " + p.text(projectID)}.all(startTimes(where))
	if err != nil {
		return sample{}, err
	}
	count, lowest, err := s.newest(ctx, p, times, maxRows+1)
	if err != nil {
		return sample{}, readError("find the rows to read", err)
	}
	found := sample{none: count == 0, where: where, lowest: lowest}
	if found.Sampled = count > maxRows; found.Sampled {
		found.Since = lowest.UTC()
		found.where = append(slices.Clone(where), filter.Time{Column: filter.StartTime, Op: filter.AtLeast, At: lowest})
	}
	return found, nil
}

// newest counts the newest row versions, at most limit, and finds where they begin. It reads nothing but
// start times.
func (s *Store) newest(ctx context.Context, p params, where string, limit int) (int, time.Time, error) {
	var count proto.ColUInt64
	var lowest proto.ColDateTime64
	err := s.reads.do(ctx, ch.Query{
		Body: fmt.Sprintf("SELECT count() AS n, min(start_time) AS lowest FROM (SELECT start_time FROM observations WHERE %s ORDER BY start_time DESC LIMIT %d)",
			where, limit),
		Parameters: p.list,
		Result:     proto.Results{{Name: "n", Data: &count}, {Name: "lowest", Data: &lowest}},
	})
	if err != nil || count.Rows() == 0 {
		return 0, time.Time{}, err
	}
	return int(count.Row(0)), lowest.Row(0), nil
}

// startTimes keeps the conditions that the primary key answers.
func startTimes(list []filter.Condition) []filter.Condition {
	return slices.DeleteFunc(slices.Clone(list), func(c filter.Condition) bool {
		_, isTime := c.(filter.Time)
		return !isTime || c.On() != filter.StartTime
	})
}

// earliestStart and latestStart are beyond all start times.
var (
	earliestStart = time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC)
	latestStart   = time.Date(2262, 1, 1, 0, 0, 0, 0, time.UTC)
)

// listFields are the fields of breakdowns that are lists.
var listFields = map[filter.Column]metricsColumn{
	filter.Tags:             inheritedTags,
	filter.ToolNames:        newColumn("tool_names", listForm, nil),
	filter.CalledToolNames:  newColumn("called_tool_names", listForm, nil),
	tracestore.MetadataKeys: newColumn("CAST(meta_names, 'Array(String)')", listForm, nil),
	tracestore.ScoreNames: newColumn("arrayMap(score -> score.2, arrayFilter(score -> score.1 = span_id OR (score.1 = '' AND ("+
		boolColumns[filter.IsRootObservation]+")), trace_scores))", listForm, []relation{traceScores}),
}

// field is the SQL of a field; all that are no lists are dimensions of observations.
func (r conditions) field(name filter.Column) (metricsColumn, error) {
	if list, ok := listFields[name]; ok {
		return list, nil
	}
	if key, ok := tracestore.MetadataKey(name); ok {
		return textColumn(fmt.Sprintf("left(meta_values[%s], %d)", r.placeOf(key), tracestore.MaxMetadataValue)), nil
	}
	if name == tracestore.Prompt {
		return textColumn("if(prompt_name = '', '', concat(prompt_name, ':', toString(prompt_version)))"), nil
	}
	if column := observationDimensions[name]; column.form == textForm {
		return column, nil
	}
	return metricsColumn{}, fault.New(fault.Internal, "field %s has no SQL", name)
}

// breakdown renders a table (field, value, total, chosen): how many rows of a sample have which value of which
// field, and how many of those meet a clause; field -1 has all rows. Rows are grouped by every field on its own in one
// scan. Lists are groups as a whole first; few are left then to be taken apart.
func (r conditions) breakdown(fields []filter.Column, rows sample, chosen string, dead buried) (string, error) {
	var needs relation
	all := uint64(1)<<len(fields) - 1
	var keys, sets, names, values []string
	for i, name := range fields {
		column, err := r.field(name)
		if err != nil {
			return "", err
		}
		needs |= column.needs
		key := "k" + strconv.Itoa(i)
		value := "[(" + strconv.Itoa(i) + ", CAST(" + key + ", 'String'))]"
		if column.form == listForm {
			value = fmt.Sprintf("arrayMap(element -> (%d, element), if(empty(%[2]s), [''], arrayDistinct(%[2]s)))", i, key)
		}
		keys, names, sets = append(keys, ", "+column.sql+" AS "+key), append(names, key), append(sets, "("+key+"), ")
		// A bit of grouping is 0 when its key made the group.
		values = append(values, fmt.Sprintf("which = %d, %s, ", all-1<<(len(fields)-1-i), value))
	}
	which, facets := "toUInt64(0)", "[(-1, '')]"
	if len(fields) > 0 {
		which, facets = "grouping("+strings.Join(names, ", ")+")", "multiIf("+strings.Join(values, "")+facets+")"
	}
	bounded := r.within(rows.where)
	clauses, err := bounded.all(rows.where)
	if err != nil {
		return "", err
	}
	joins := r.joinFacts(needs, rows.lowest, latestStart)
	if needs&traceScores != 0 {
		joins += bounded.joinScores(dead)
	}
	return "(SELECT toInt16(facet.1) AS field, facet.2 AS value, sum(n) AS total, sum(m) AS chosen FROM (SELECT " + which + " AS which, count() AS n, countIf(" +
		chosen + ") AS m" + strings.Join(keys, "") + " FROM observations AS o FINAL" + joins + " WHERE " + clauses + notDeleted +
		" GROUP BY GROUPING SETS (" + strings.Join(sets, "") + "())) ARRAY JOIN " + facets + " AS facet GROUP BY field, value)", nil
}

// joinScores joins the names of scores, by trace: pairs of observation and name.
func (r conditions) joinScores(dead buried) string {
	clauses := r.project + " AND trace_id != ''" + notDeleted
	if !r.from.IsZero() {
		clauses += " AND timestamp >= " + r.scoreTime(r.from)
	}
	if !dead.traces.none() {
		clauses += " AND " + r.hidden.alive("trace_id", "version")
	}
	if !dead.scores.none() {
		clauses += " AND " + dead.scores.bind(r.params).alive("id", "version")
	}
	return " LEFT JOIN (SELECT trace_id AS scored_trace, groupUniqArray((observation_id, CAST(name, 'String'))) AS trace_scores FROM scores FINAL WHERE " +
		clauses + " GROUP BY trace_id) AS s ON s.scored_trace = o.trace_id"
}

// brokenDown is one row of a breakdown.
type brokenDown struct {
	field         int
	value         string
	total, chosen uint64
}

// readBreakdown hands on the rows of a statement that selects what a breakdown has.
func (s *Store) readBreakdown(ctx context.Context, sql string, p params, use func(brokenDown)) error {
	var field proto.ColInt16
	var value proto.ColStr
	var total, chosen proto.ColUInt64
	return s.reads.do(ctx, ch.Query{
		Body:       "SELECT field, value, total, chosen FROM " + sql,
		Parameters: p.list,
		Result: proto.Results{
			{Name: "field", Data: &field}, {Name: "value", Data: &value}, {Name: "total", Data: &total}, {Name: "chosen", Data: &chosen},
		},
		OnResult: func(context.Context, proto.Block) error {
			for i := range field.Rows() {
				use(brokenDown{int(field.Row(i)), value.Row(i), total.Row(i), chosen.Row(i)})
			}
			return nil
		},
	})
}
