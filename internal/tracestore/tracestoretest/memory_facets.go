package tracestoretest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// Facets counts values over every row. It has no versions, so a bound on rows is one on folded rows.
func (m *Memory) Facets(ctx context.Context, q tracestore.FacetQuery) (tracestore.Facets, error) {
	if err := ctx.Err(); err != nil {
		return tracestore.Facets{}, fmt.Errorf("read facets: %w", err)
	}
	rows, err := m.matching(q.ProjectID, q.Where, false)
	if err != nil {
		return tracestore.Facets{}, err
	}
	slices.SortFunc(rows, func(a, b *model.Observation) int { return newestFirst(positionOf(a), positionOf(b)) })
	facets := tracestore.Facets{Values: make([][]tracestore.FacetValue, len(q.Fields)), Sampled: len(rows) > q.MaxRows}
	rows = rows[:min(len(rows), q.MaxRows)]
	facets.Rows = uint64(len(rows))
	for i, field := range q.Fields {
		counts := map[string]uint64{}
		for _, o := range rows {
			for _, value := range facetValues(o, field) {
				counts[value]++
			}
		}
		for value, count := range counts {
			facets.Values[i] = append(facets.Values[i], tracestore.FacetValue{Value: value, Count: count})
		}
		slices.SortFunc(facets.Values[i], func(a, b tracestore.FacetValue) int {
			return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Value, b.Value))
		})
		facets.Values[i] = facets.Values[i][:min(len(facets.Values[i]), q.Limit)]
	}
	return facets, nil
}

func facetValues(o *model.Observation, field filter.Column) []string {
	var list []string
	switch field {
	case filter.Tags:
		list = o.Tags
	case filter.ToolNames:
		list = toolNames(o.ToolDefinitions)
	case filter.CalledToolNames:
		list = toolNames(o.ToolCalls)
	default:
		text, _ := subject{o: o}.dimension(field).(string)
		return []string{text}
	}
	if len(list) == 0 {
		return []string{""}
	}
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}
