package chstore

import (
	"fmt"
	"strings"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
)

// experimentPlace is the value of a key of the map.
func experimentPlace(key string) string { return "experiment['" + key + "']" }

// experimentWhere renders conditions, each led by AND. Columns tell where the value of a column is; values
// are bound, never spliced.
func experimentWhere(p *params, columns map[filter.Column]string, conditions []filter.Condition) (string, error) {
	var out strings.Builder
	for _, c := range conditions {
		column, ok := columns[c.On()]
		if !ok {
			return "", fault.New(fault.Internal, "column %s of an experiment has no SQL", c.On())
		}
		clause, err := textClause(p, column, c)
		if err != nil {
			return "", err
		}
		out.WriteString(" AND " + clause)
	}
	return out.String(), nil
}

// textClause tests a text that an expression gives; no value is the empty text.
func textClause(p *params, text string, c filter.Condition) (string, error) {
	switch c := c.(type) {
	case filter.OneOf:
		if c.Not {
			return text + " NOT IN " + p.texts(c.Values), nil
		}
		return text + " IN " + p.texts(c.Values), nil
	case filter.IsSet:
		return fmt.Sprintf("(%s != '') = %t", text, c.Want), nil
	case filter.Text:
		if compare, ok := textComparisons[c.Op]; ok {
			return compare(text, p.text(c.Value)), nil
		}
	}
	return "", fault.New(fault.Internal, "condition %#v on an experiment has no SQL", c)
}
