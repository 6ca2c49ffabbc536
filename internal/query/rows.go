package query

import (
	"slices"
	"time"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
)

// spineFilters is the catalog of observations without what needs the payloads of rows.
var spineFilters = slices.DeleteFunc(slices.Clone(filter.Observations), func(f filter.Field) bool {
	return slices.Contains([]filter.Column{filter.Input, filter.Output, filter.HasInput, filter.HasOutput}, f.Column)
})

// RowFilter says which observations a read beside their list is about.
type RowFilter struct {
	Fixed  []filter.Condition // of the fixed parameters
	Filter string             // as in Request, but nothing on input and output
}

func (f RowFilter) where() ([]filter.Condition, error) {
	advanced, err := filter.Parse(f.Filter, spineFilters)
	if err != nil {
		return nil, err
	}
	return within(merge(f.Fixed, advanced)), nil
}

// span is a range of start times; To is the first time that is not in it.
type span struct{ From, To time.Time }

// spanOf is the range that conditions leave; zero where they have no bound.
func spanOf(where []filter.Condition) span {
	var s span
	for _, c := range where {
		bound, ok := c.(filter.Time)
		if !ok || bound.Column != filter.StartTime {
			continue
		}
		at := bound.At
		if bound.Op == filter.Above || bound.Op == filter.AtMost { // times have milliseconds
			at = at.Add(time.Millisecond)
		}
		switch bound.Op {
		case filter.Above, filter.AtLeast:
			if s.From.IsZero() || at.After(s.From) {
				s.From = at
			}
		case filter.Below, filter.AtMost:
			if s.To.IsZero() || at.Before(s.To) {
				s.To = at
			}
		default:
		}
	}
	return s
}

// boundedBelow refuses a range without a beginning.
func (s span) boundedBelow() error {
	if s.From.IsZero() {
		return fault.Invalidf("fromStartTime", "must be given: this read is bounded by a range of start times")
	}
	return nil
}

// bounded refuses a range without both ends.
func (s span) bounded() error {
	if err := s.boundedBelow(); err != nil {
		return err
	}
	if s.To.IsZero() {
		return fault.Invalidf("toStartTime", "must be given: this read is bounded by a range of start times")
	}
	return nil
}

// shorterRange says what to ask for instead of what was too expensive.
const shorterRange = "set fromStartTime and toStartTime to a shorter range"
