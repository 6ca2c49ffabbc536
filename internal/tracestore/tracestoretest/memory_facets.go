package tracestoretest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// Facets counts values over every row. It has no versions, so a bound on rows is one on folded rows.
func (m *Memory) Facets(ctx context.Context, q tracestore.FacetQuery) (tracestore.Facets, error) {
	if err := ctx.Err(); err != nil {
		return tracestore.Facets{}, fmt.Errorf("read facets: %w", err)
	}
	rows, reach, err := m.reached(q.ProjectID, q.Where, q.MaxRows)
	if err != nil {
		return tracestore.Facets{}, err
	}
	facets := tracestore.Facets{Values: make([][]tracestore.FacetValue, len(q.Fields)), Reach: reach}
	for i, field := range q.Fields {
		counts := map[string]uint64{}
		for _, o := range rows {
			for _, value := range m.facetValues(o, field, q.Where) {
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

// reached returns the rows that match, the newest ones if they are too many.
func (m *Memory) reached(projectID string, where []filter.Condition, maxRows int) ([]*model.Observation, tracestore.Reach, error) {
	rows, err := m.matching(projectID, where, false)
	if err != nil {
		return nil, tracestore.Reach{}, err
	}
	slices.SortFunc(rows, func(a, b *model.Observation) int { return newestFirst(positionOf(a), positionOf(b)) })
	reach := tracestore.Reach{Sampled: len(rows) > maxRows}
	if reach.Sampled {
		rows = rows[:maxRows]
		reach.Since = rows[maxRows-1].StartTime
	}
	reach.Rows = uint64(len(rows))
	return rows, reach, nil
}

// facetValues are the values that a row has of a field; where says from when on scores count.
func (m *Memory) facetValues(o *model.Observation, field filter.Column, where []filter.Condition) []string {
	if key, ok := tracestore.MetadataKey(field); ok {
		if entry := entryOf(o, key); entry != nil {
			return []string{entry.Value[:min(len(entry.Value), tracestore.MaxMetadataValue)]}
		}
		return []string{""}
	}
	var list []string
	switch field {
	case tracestore.Prompt:
		if o.PromptName == "" {
			return []string{""}
		}
		return []string{fmt.Sprintf("%s:%d", o.PromptName, o.PromptVersion)}
	case tracestore.MetadataKeys:
		for _, entry := range o.Metadata {
			list = append(list, entry.Name)
		}
	case tracestore.ScoreNames:
		list = m.scoreNames(o, where)
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

// scoreNames are the names of the scores of a row, and of its trace if it is a root.
func (m *Memory) scoreNames(o *model.Observation, where []filter.Condition) (names []string) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	for _, s := range m.scores[o.ProjectID] {
		about := s.ObservationID == o.ID || s.ObservationID == "" && o.Root()
		if s.Deleted || m.scoreHidden(s) || s.TraceID == "" || s.TraceID != o.TraceID || !about || beforeRange(s.Timestamp, where) {
			continue
		}
		names = append(names, s.Name)
	}
	return names
}

// beforeRange reports whether a time lies before the range of start times.
func beforeRange(at time.Time, where []filter.Condition) bool {
	return slices.ContainsFunc(where, func(c filter.Condition) bool {
		bound, ok := c.(filter.Time)
		return ok && bound.Column == filter.StartTime && (bound.Op == filter.Above || bound.Op == filter.AtLeast) && at.Before(bound.At)
	})
}
