package query

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/tracestore"
)

// ConditionCount is how many observations there would be without one condition.
type ConditionCount struct {
	Column  filter.Column
	Index   int // its place in the filter parameter; -1: it is a fixed parameter
	Without uint64
}

// FilterCounts is how many observations meet a filter, and what is in the way of others.
type FilterCounts struct {
	tracestore.Reach
	Conditions []ConditionCount
	// NewestOutside is the start of the newest observation that meets all conditions but lies outside of the range
	// of start times. It is looked for only when there is none within; zero: there is none either, or looking for it
	// would take too long.
	NewestOutside time.Time
}

// FilterCounts counts the observations of a filter, and those of the filter without each of its conditions. Bounds on
// start times always hold.
func (s *Service) FilterCounts(ctx context.Context, projectID string, req RowFilter) (FilterCounts, error) {
	where, err := req.where()
	if err != nil {
		return FilterCounts{}, err
	}
	q := tracestore.EffectQuery{ProjectID: projectID, MaxRows: MaxFacetRows}
	for _, c := range where {
		if isRange(c) {
			q.Where = append(q.Where, c)
		} else {
			q.Each = append(q.Each, c)
		}
	}
	effects, err := s.store.Effects(ctx, q)
	if err != nil {
		return FilterCounts{}, readFault(fmt.Errorf("count conditions of project %s: %w", projectID, err), shorterRange)
	}
	counts := FilterCounts{Reach: effects.Reach}
	indexes := conditionIndexes(req.Filter)
	fixed := len(q.Each) - len(indexes)
	for i, c := range q.Each {
		count := ConditionCount{Column: c.On(), Index: -1, Without: effects.Without[i]}
		if i >= fixed {
			count.Index = indexes[i-fixed]
		}
		counts.Conditions = append(counts.Conditions, count)
	}
	if counts.Rows > 0 {
		return counts, nil
	}
	counts.NewestOutside, err = s.newestOutside(ctx, projectID, q.Each, spanOf(where))
	if err != nil {
		return FilterCounts{}, readFault(fmt.Errorf("look outside of the range in project %s: %w", projectID, err), shorterRange)
	}
	return counts, nil
}

func isRange(c filter.Condition) bool {
	_, isTime := c.(filter.Time)
	return isTime && c.On() == filter.StartTime
}

// conditionIndexes are the places of the conditions of a filter that is known to be good, but for those on
// start times and those that mean nothing.
func conditionIndexes(text string) []int {
	var list []json.RawMessage
	_ = json.Unmarshal([]byte(text), &list) // no text is no list
	var indexes []int
	for i := range list {
		one, err := filter.ParseConditions(list[i:i+1], "filter", spineFilters)
		if err == nil && len(one) == 1 && !isRange(one[0]) {
			indexes = append(indexes, i)
		}
	}
	return indexes
}

// newestOutside looks above the range first, then below. What costs too much is not known.
func (s *Service) newestOutside(ctx context.Context, projectID string, where []filter.Condition, inside span) (time.Time, error) {
	var sides []filter.Time
	if !inside.To.IsZero() {
		sides = append(sides, filter.Time{Column: filter.StartTime, Op: filter.AtLeast, At: inside.To})
	}
	if !inside.From.IsZero() {
		sides = append(sides, filter.Time{Column: filter.StartTime, Op: filter.Below, At: inside.From})
	}
	for _, side := range sides {
		rows, err := s.store.Observations(ctx, tracestore.ObservationQuery{
			ProjectID: projectID, Where: append(slices.Clone(where), side), Limit: 1, Brief: true, OwnOnly: true,
		})
		switch {
		case errors.Is(err, tracestore.ErrTooExpensive):
			return time.Time{}, nil
		case err != nil:
			return time.Time{}, err
		case len(rows) > 0:
			return rows[0].StartTime, nil
		}
	}
	return time.Time{}, nil
}
