package chstore

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/tracestore"
)

// Compare breaks the sample down twice: by the fields of the query, then by the values of the keys of metadata
// that the first one found.
func (s *Store) Compare(ctx context.Context, q tracestore.CompareQuery) (tracestore.Comparison, error) {
	ctx, cancel := context.WithTimeout(ctx, s.config.ReadWithin)
	defer cancel()
	var result tracestore.Comparison
	dead, err := s.buried(ctx, q.ProjectID, slices.Contains(q.Fields, tracestore.ScoreNames))
	if err != nil {
		return result, readError("read tombstones", err)
	}
	rows, err := s.sampled(ctx, q.ProjectID, q.Where, q.MaxRows)
	if err != nil || rows.none {
		return result, err
	}
	result.Reach = rows.Reach
	if result.Fields, err = s.compareFields(ctx, q, q.Fields, rows, dead, &result); err != nil {
		return result, readError("compare observations", err)
	}
	if keys := metadataFieldsOf(result.Fields, q.Keys); len(keys) > 0 {
		ofKeys, err := s.compareFields(ctx, q, keys, rows, dead, &result)
		if err != nil {
			return result, readError("compare metadata", err)
		}
		result.Fields = append(result.Fields, ofKeys...)
	}
	if result.Rows == 0 {
		result.Fields = nil
	}
	for i := range result.Fields {
		f := &result.Fields[i]
		f.Values = f.Values[:min(len(f.Values), q.Values)]
	}
	return result, nil
}

// metadataFieldsOf are the fields of the first keys.
func metadataFieldsOf(fields []tracestore.ComparedField, most int) []filter.Column {
	var keys []filter.Column
	for _, f := range fields {
		for _, v := range f.Values {
			if f.Field == tracestore.MetadataKeys && v.Value != "" && len(keys) < most {
				keys = append(keys, tracestore.MetadataField(v.Value))
			}
		}
	}
	return keys
}

func (s *Store) compareFields(
	ctx context.Context, q tracestore.CompareQuery, names []filter.Column, rows sample, dead buried, into *tracestore.Comparison,
) ([]tracestore.ComparedField, error) {
	sql, p, err := comparisonSQL(q, names, rows, dead)
	if err != nil {
		return nil, err
	}
	fields := make([]tracestore.ComparedField, len(names))
	for i, name := range names {
		fields[i].Field = name
	}
	err = s.readBreakdown(ctx, sql, p, func(b brokenDown) {
		if b.field < 0 {
			into.Rows, into.Selected = b.total, b.chosen
			return
		}
		field := &fields[b.field]
		field.Values = append(field.Values, tracestore.ComparedValue{Value: b.value, Selected: b.chosen, Rest: b.total - b.chosen})
	})
	return fields, err
}

// comparisonSQL orders values by the difference of their shares. The shares of a value, chosen/all_chosen and
// rest/all_rest, differ as much as its two products here, so nothing is divided. All rows are the largest
// group, and all that are chosen the largest part of one.
func comparisonSQL(q tracestore.CompareQuery, names []filter.Column, rows sample, dead buried) (string, params, error) {
	var p params
	r := dead.conditions(&p, q.ProjectID)
	chosen := []string{"true"}
	for _, c := range q.Selection {
		clause, err := r.within(rows.where).clause(c)
		if err != nil {
			return "", p, err
		}
		chosen = append(chosen, clause)
	}
	sql, err := r.breakdown(names, rows, strings.Join(chosen, " AND "), dead)
	return "(SELECT field, value, total, chosen, max(total) OVER () AS all_rows, max(chosen) OVER () AS all_chosen FROM " + sql + ")" +
		" ORDER BY field, abs(toInt128(chosen) * all_rows - toInt128(total) * all_chosen) DESC, total DESC, value" +
		fmt.Sprintf(" LIMIT %d BY field", max(q.Values, q.Keys)), p, err
}
