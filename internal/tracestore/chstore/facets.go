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

// facetLists are the fields of facets that are lists; all others are dimensions of observations.
var facetLists = map[filter.Column]metricsColumn{
	filter.Tags:            inheritedTags,
	filter.ToolNames:       newColumn("tool_names", listForm, nil),
	filter.CalledToolNames: newColumn("called_tool_names", listForm, nil),
}

// Facets takes two statements: the first looks at start times alone and finds how far back MaxRows
// reach, the second counts the values of all fields in one scan of folded rows above that.
func (s *Store) Facets(ctx context.Context, q tracestore.FacetQuery) (tracestore.Facets, error) {
	ctx, cancel := context.WithTimeout(ctx, s.config.ReadWithin)
	defer cancel()
	facets := tracestore.Facets{Values: make([][]tracestore.FacetValue, len(q.Fields))}
	dead, err := s.buried(ctx, q.ProjectID, false)
	if err != nil {
		return facets, readError("read tombstones", err)
	}
	var inRange params
	times, err := conditions{params: &inRange, project: "project_id = " + inRange.text(q.ProjectID)}.all(startTimes(q.Where))
	if err != nil {
		return facets, err
	}
	count, lowest, err := s.newest(ctx, inRange, times, q.MaxRows+1)
	if err != nil {
		return facets, readError("find the rows of facets", err)
	}
	if count == 0 {
		return facets, nil
	}
	list := q.Where
	if facets.Sampled = count > q.MaxRows; facets.Sampled {
		list = append(slices.Clone(list), filter.Time{Column: filter.StartTime, Op: filter.AtLeast, At: lowest})
	}
	sql, p, err := facetsSQL(q, list, lowest, dead)
	if err != nil {
		return facets, err
	}
	if err := s.countFacets(ctx, sql, p, &facets); err != nil {
		return facets, readError("read facets", err)
	}
	return facets, nil
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

// facetsSQL groups by every field on its own in one scan, and by none for the number of rows. Lists are
// groups as a whole first; few rows are left then to be taken apart.
func facetsSQL(q tracestore.FacetQuery, list []filter.Condition, lowest time.Time, dead buried) (string, params, error) {
	var p params
	var needs relation
	r := dead.conditions(&p, q.ProjectID)
	all := uint64(1)<<len(q.Fields) - 1
	var keys, sets, names, values []string
	for i, field := range q.Fields {
		column, isList := facetLists[field]
		if !isList {
			column = observationDimensions[field]
		}
		if !isList && column.form != textForm {
			return "", p, fault.New(fault.Internal, "facet %s has no SQL", field)
		}
		needs |= column.needs
		key := "k" + strconv.Itoa(i)
		value := "[(" + strconv.Itoa(i) + ", CAST(" + key + ", 'String'))]"
		if isList {
			value = fmt.Sprintf("arrayMap(element -> (%d, element), if(empty(%[2]s), [''], arrayDistinct(%[2]s)))", i, key)
		}
		keys, names, sets = append(keys, column.sql+" AS "+key), append(names, key), append(sets, "("+key+")")
		// A bit of grouping is 0 when its key made the group.
		values = append(values, fmt.Sprintf("which = %d, %s", all-1<<(len(q.Fields)-1-i), value))
	}
	clauses, err := r.within(list).all(list)
	if err != nil {
		return "", p, err
	}
	joins := r.joinFacts(needs, lowest, latestStart)
	return "SELECT toInt16(facet.1) AS field, facet.2 AS value, sum(n) AS total FROM (SELECT grouping(" + strings.Join(names, ", ") + ") AS which, count() AS n, " +
		strings.Join(keys, ", ") + " FROM observations AS o FINAL" + joins + " WHERE " + clauses + notDeleted +
		" GROUP BY GROUPING SETS (" + strings.Join(sets, ", ") + ", ())) ARRAY JOIN multiIf(" + strings.Join(values, ", ") + ", [(-1, '')]) AS facet" +
		" GROUP BY field, value ORDER BY field, total DESC, value" + fmt.Sprintf(" LIMIT %d BY field", q.Limit), p, nil
}

// earliestStart and latestStart are beyond all start times.
var (
	earliestStart = time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC)
	latestStart   = time.Date(2262, 1, 1, 0, 0, 0, 0, time.UTC)
)

func (s *Store) countFacets(ctx context.Context, sql string, p params, facets *tracestore.Facets) error {
	var field proto.ColInt16
	var value proto.ColStr
	var count proto.ColUInt64
	return s.reads.do(ctx, ch.Query{
		Body:       sql,
		Parameters: p.list,
		Result:     proto.Results{{Name: "field", Data: &field}, {Name: "value", Data: &value}, {Name: "total", Data: &count}},
		OnResult: func(context.Context, proto.Block) error {
			for i := range field.Rows() {
				place := field.Row(i)
				if place < 0 {
					facets.Rows = count.Row(i)
					continue
				}
				facets.Values[place] = append(facets.Values[place], tracestore.FacetValue{Value: value.Row(i), Count: count.Row(i)})
			}
			return nil
		},
	})
}
