package query

import (
	"slices"

	"github.com/sondehq/sonde/internal/filter"
)

// merge puts conditions of the filter parameter in the place of fixed parameters on the same
// column. Fixed parameters on other columns still apply.
func merge(fixed, advanced []filter.Condition) []filter.Condition {
	taken := map[filter.Column]bool{}
	for _, c := range advanced {
		taken[c.On()] = true
	}
	kept := slices.DeleteFunc(slices.Clone(fixed), func(c filter.Condition) bool { return taken[c.On()] })
	return append(kept, advanced...)
}
