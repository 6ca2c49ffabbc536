package chstore

import (
	"context"
	"fmt"
	"slices"

	"github.com/sondehq/sonde/internal/tracestore"
)

// Facets takes two statements: the first looks at start times alone and finds how far back MaxRows
// reach, the second counts the values of all fields in one scan of folded rows above that.
func (s *Store) Facets(ctx context.Context, q tracestore.FacetQuery) (tracestore.Facets, error) {
	ctx, cancel := context.WithTimeout(ctx, s.config.ReadWithin)
	defer cancel()
	facets := tracestore.Facets{Values: make([][]tracestore.FacetValue, len(q.Fields))}
	dead, err := s.buried(ctx, q.ProjectID, slices.Contains(q.Fields, tracestore.ScoreNames))
	if err != nil {
		return facets, readError("read tombstones", err)
	}
	rows, err := s.sampled(ctx, q.ProjectID, q.Where, q.MaxRows)
	if err != nil || rows.none {
		return facets, err
	}
	sql, p, err := facetsSQL(q, rows, dead)
	if err != nil {
		return facets, err
	}
	facets.Reach = rows.Reach
	err = s.readBreakdown(ctx, sql, p, func(b brokenDown) {
		if b.field < 0 {
			facets.Rows = b.total
			return
		}
		facets.Values[b.field] = append(facets.Values[b.field], tracestore.FacetValue{Value: b.value, Count: b.total})
	})
	if err != nil {
		return facets, readError("read facets", err)
	}
	return facets, nil
}

func facetsSQL(q tracestore.FacetQuery, rows sample, dead buried) (string, params, error) {
	var p params
	sql, err := dead.conditions(&p, q.ProjectID).breakdown(q.Fields, rows, "false", dead)
	return sql + " ORDER BY field, total DESC, value" + fmt.Sprintf(" LIMIT %d BY field", q.Limit), p, err
}
