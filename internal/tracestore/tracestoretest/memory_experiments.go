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

// Experiments returns one page.
func (m *Memory) Experiments(ctx context.Context, q tracestore.ExperimentQuery) ([]*tracestore.Experiment, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("read experiments: %w", err)
	}
	groups := map[string][]*model.Observation{}
	for _, o := range m.experimentRows(q.ProjectID, q.Window) {
		groups[o.Experiment.ID] = append(groups[o.Experiment.ID], o)
	}
	var page []*tracestore.Experiment
	for id, rows := range groups {
		x := experimentOf(id, rows)
		if q.After != nil && experimentsFirst(placeOf(x), *q.After) <= 0 {
			continue
		}
		ok, err := meetsTexts(q.Where, map[filter.Column]string{filter.ID: x.ID, filter.Name: x.Name, filter.DatasetID: x.DatasetID})
		if err != nil {
			return nil, err
		}
		if !q.Metadata {
			x.Metadata = nil
		}
		if ok {
			page = append(page, x)
		}
	}
	slices.SortFunc(page, func(a, b *tracestore.Experiment) int { return experimentsFirst(placeOf(a), placeOf(b)) })
	return page[:min(len(page), q.Limit)], nil
}

// experimentRows returns copies of the observations of a window that are tagged with an experiment,
// newest first.
func (m *Memory) experimentRows(projectID string, window tracestore.Window) []*model.Observation {
	m.mu.RLock()
	defer m.mu.RUnlock()
	var rows []*model.Observation
	for _, o := range m.projects[projectID] {
		hidden := o.Deleted || o.Version < m.hiddenBelow(projectID, o.TraceID)
		if !hidden && o.Experiment != nil && o.Experiment.ID != "" && window.Holds(o.StartTime) {
			rows = append(rows, clone(o))
		}
	}
	slices.SortFunc(rows, func(a, b *model.Observation) int { return newestFirst(positionOf(a), positionOf(b)) })
	return rows
}

// experimentOf sums up rows of one experiment, which are newest first.
func experimentOf(id string, rows []*model.Observation) *tracestore.Experiment {
	x := &tracestore.Experiment{ID: id, Start: rows[len(rows)-1].StartTime, Latest: rows[0].StartTime}
	x.End = x.Start
	items := map[[2]string]bool{}
	for _, o := range rows {
		if o.EndTime.After(x.End) {
			x.End = o.EndTime
		}
		if tracestore.IsExperimentItem(o) {
			items[[2]string{o.TraceID, o.ID}] = true
		}
		x.Name = cmp.Or(x.Name, o.Experiment.Name)
		x.Description = cmp.Or(x.Description, o.Experiment.Description)
		x.DatasetID = cmp.Or(x.DatasetID, o.Experiment.DatasetID)
		if len(x.Metadata) == 0 {
			x.Metadata = o.Experiment.Metadata
		}
	}
	x.Items = uint64(len(items))
	return x
}

func placeOf(x *tracestore.Experiment) filter.Position {
	return filter.Position{StartTime: x.Latest, ID: x.ID}
}

// experimentsFirst orders experiments as pages show them.
func experimentsFirst(a, b filter.Position) int {
	return cmp.Or(b.StartTime.Compare(a.StartTime), strings.Compare(b.ID, a.ID))
}

// ExperimentItems returns one page.
func (m *Memory) ExperimentItems(ctx context.Context, q tracestore.ExperimentItemQuery) ([]*tracestore.ExperimentItem, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("read experiment items: %w", err)
	}
	var page []*tracestore.ExperimentItem
	for _, o := range m.experimentRows(q.ProjectID, q.Window) {
		x := o.Experiment
		ok, err := meetsTexts(q.Where, map[filter.Column]string{
			filter.ExperimentID: x.ID, filter.ExperimentName: x.Name, filter.ExperimentItemID: x.ItemID, filter.DatasetID: x.DatasetID,
		})
		if err != nil {
			return nil, err
		}
		if !ok || !tracestore.IsExperimentItem(o) || q.After != nil && newestFirst(positionOf(o), *q.After) <= 0 {
			continue
		}
		if !q.IO {
			takeTexts(o, &model.Observation{})
		}
		if !q.Metadata {
			dropMetadata(o)
		}
		page = append(page, &tracestore.ExperimentItem{
			ID: o.ID, TraceID: o.TraceID, StartTime: o.StartTime, EndTime: o.EndTime, Level: o.Level, Environment: o.Environment,
			Experiment: *x, Metadata: o.Metadata, Input: o.Input, Output: o.Output,
		})
	}
	return page[:min(len(page), q.Limit)], nil
}

// meetsTexts reports whether texts meet every condition.
func meetsTexts(where []filter.Condition, texts map[filter.Column]string) (bool, error) {
	for _, c := range where {
		text, ok := texts[c.On()]
		if !ok {
			return false, fmt.Errorf("column %q is none of an experiment", c.On())
		}
		if ok, err := textMeets(text, c); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

func textMeets(text string, c filter.Condition) (bool, error) {
	switch c := c.(type) {
	case filter.OneOf:
		return slices.Contains(c.Values, text) != c.Not, nil
	case filter.IsSet:
		return (text != "") == c.Want, nil
	case filter.Text:
		if c.Op != filter.Matches {
			return compareText(c.Op, text, c.Value), nil
		}
	}
	return false, fmt.Errorf("condition %#v does not apply to an experiment", c)
}

// NewestScores looks at every score of the project.
func (m *Memory) NewestScores(ctx context.Context, projectID string, subjects []tracestore.ScoreSubject, limit int) ([]*model.Score, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("read scores: %w", err)
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	var all []*model.Score
	for _, s := range m.scores[projectID] {
		hidden := s.Deleted || s.Version < m.hiddenBelow(projectID, s.TraceID) ||
			s.Version < m.tombstones[tombstoneKey{projectID, tracestore.ScoreTombstone, s.ID}]
		if !hidden && s.Type != model.Correction && s.SessionID == "" && slices.Contains(subjects, subjectOf(s)) {
			c := *s
			c.Metadata = nil
			all = append(all, &c)
		}
	}
	slices.SortFunc(all, func(a, b *model.Score) int {
		return cmp.Or(b.Timestamp.Compare(a.Timestamp), strings.Compare(b.ID, a.ID), strings.Compare(b.TraceID, a.TraceID))
	})
	given := map[tracestore.ScoreSubject]int{}
	return slices.DeleteFunc(all, func(s *model.Score) bool {
		given[subjectOf(s)]++
		return given[subjectOf(s)] > limit
	}), nil
}

func subjectOf(s *model.Score) tracestore.ScoreSubject {
	return tracestore.ScoreSubject{ExperimentID: s.ExperimentID, TraceID: s.TraceID, ObservationID: s.ObservationID}
}
