package query

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
)

// parseFilter reads the filter parameter. This is the one place that knows how much of the
// filter language there is: today the empty list.
//
//nolint:unparam // no condition is read yet
func parseFilter(text string) ([]filter.Condition, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	if !json.Valid([]byte(text)) {
		return nil, fault.New(fault.Invalid, "Invalid JSON in filter parameter")
	}
	var conditions []struct {
		Type     string `json:"type"`
		Column   string `json:"column"`
		Operator string `json:"operator"`
	}
	if err := json.Unmarshal([]byte(text), &conditions); err != nil {
		return nil, fault.Invalidf("filter", "must be a JSON array of conditions {type, column, operator, value}").Because(err)
	}
	if len(conditions) == 0 {
		return nil, nil
	}
	c := conditions[0]
	return nil, fault.New(fault.Invalid, "filter conditions are not supported yet (got type %q, column %q, operator %q)",
		c.Type, c.Column, c.Operator).
		Hint("use the parameters fromStartTime, toStartTime, traceId, name, type, level, userId, sessionId, environment, version, parentObservationId and isRootObservation")
}

// merge puts conditions of the filter parameter in the place of fixed parameters on the same
// column. Fixed parameters on other columns still apply.
func merge(fixed, advanced []filter.Condition) []filter.Condition {
	taken := map[filter.Column]bool{}
	for _, c := range advanced {
		taken[column(c)] = true
	}
	kept := slices.DeleteFunc(slices.Clone(fixed), func(c filter.Condition) bool { return taken[column(c)] })
	return append(kept, advanced...)
}

func column(c filter.Condition) filter.Column {
	switch c := c.(type) {
	case filter.OneOf:
		return c.Column
	case filter.Since:
		return c.Column
	case filter.Before:
		return c.Column
	case filter.IsTrue:
		return c.Column
	}
	return ""
}
