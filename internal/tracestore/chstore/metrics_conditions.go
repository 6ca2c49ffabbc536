package chstore

import (
	"context"
	"fmt"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/tracestore"
)

// buried is what tombstones hide in a project. It is read before the statement, which need not look then
// where there is nothing, and that is nearly always.
type buried struct{ traces, scores graves }

func (s *Store) buried(ctx context.Context, projectID string, scores bool) (b buried, err error) {
	if b.traces, err = s.graves(ctx, projectID, tracestore.TraceTombstone); err != nil || !scores {
		return b, err
	}
	b.scores, err = s.graves(ctx, projectID, tracestore.ScoreTombstone)
	return b, err
}

// conditions begins the rendering of a statement.
func (b buried) conditions(p *params, projectID string) conditions {
	return conditions{params: p, project: "project_id = " + p.text(projectID), hidden: b.traces.bind(p)}
}

// on renders a condition on a column that is an expression of metrics.
func (r conditions) on(column metricsColumn, c filter.Condition) (string, error) {
	value := column.sql
	switch c := c.(type) {
	case filter.OneOf:
		return r.testOneOf(c).holds(value), nil
	case filter.Text:
		if compare, ok := textComparisons[c.Op]; ok {
			return compare(value, r.text(c.Value)), nil
		}
	case filter.List:
		if t, ok := r.testList(c); ok {
			return t.holds(value), nil
		}
	case filter.Number:
		return "ifNull(" + value + " " + comparisons[c.Op] + " " + r.float(c.Value) + ", false)", nil
	case filter.Time:
		return value + " " + comparisons[c.Op] + " " + r.micros(c.At.UnixMicro()), nil
	case filter.IsTrue:
		return fmt.Sprintf("%s = %t", value, c.Want), nil
	case filter.IsSet:
		return negated(column.isSet(), !c.Want), nil
	}
	return "", fault.New(fault.Internal, "condition %#v has no SQL", c)
}

func (c metricsColumn) isSet() string {
	switch c.form {
	case textForm:
		return c.sql + " != ''"
	case listForm:
		return "notEmpty(" + c.sql + ")"
	default:
		return "isNotNull(" + c.sql + ")"
	}
}
