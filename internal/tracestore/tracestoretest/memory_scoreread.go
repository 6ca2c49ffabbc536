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

// Scores returns one page.
func (m *Memory) Scores(ctx context.Context, q tracestore.ScoreQuery) ([]*model.Score, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("read scores: %w", err)
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	var rows []*model.Score
	for _, s := range m.scores[q.ProjectID] {
		ok, err := m.scoreMeetsAll(s, q.Where)
		if err != nil {
			return nil, err
		}
		if !ok || s.Deleted || m.scoreHidden(s) || q.After != nil && newestScoreFirst(scorePosition(s), *q.After) <= 0 {
			continue
		}
		c := *s
		if c.Metadata = nil; q.Metadata {
			c.Metadata = slices.Clone(s.Metadata)
		}
		rows = append(rows, &c)
	}
	slices.SortFunc(rows, func(a, b *model.Score) int { return newestScoreFirst(scorePosition(a), scorePosition(b)) })
	return rows[:min(len(rows), q.Limit)], nil
}

// scoreHidden reports whether a tombstone of its trace or of its id hides a score. The caller holds the lock.
func (m *Memory) scoreHidden(s *model.Score) bool {
	return s.Version < m.hiddenBelow(s.ProjectID, s.TraceID) || s.Version < m.tombstones[tombstoneKey{s.ProjectID, tracestore.ScoreTombstone, s.ID}]
}

func scorePosition(s *model.Score) filter.Position {
	return filter.Position{StartTime: s.Timestamp, TraceID: s.TraceID, ID: s.ID}
}

// newestScoreFirst orders positions as pages of scores show them.
func newestScoreFirst(a, b filter.Position) int {
	return cmp.Or(b.StartTime.Compare(a.StartTime), strings.Compare(b.ID, a.ID), strings.Compare(b.TraceID, a.TraceID))
}

func (m *Memory) scoreMeetsAll(s *model.Score, where []filter.Condition) (bool, error) {
	for _, c := range where {
		ok, err := m.scoreMeets(s, c)
		if err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

func (m *Memory) scoreMeets(s *model.Score, c filter.Condition) (bool, error) {
	if c.On() == filter.UserID || c.On() == filter.Tags {
		lent := &model.Observation{ProjectID: s.ProjectID, TraceID: s.TraceID}
		if s.TraceID != "" {
			m.inherit(lent)
		}
		return meets(lent, c)
	}
	switch c := c.(type) {
	case filter.OneOf:
		value, err := scoreText(s, c.Column)
		return slices.Contains(c.Values, value) != c.Not, err
	case filter.Text:
		value, err := scoreText(s, c.Column)
		return compareText(c.Op, value, c.Value), err
	case filter.Number:
		return ordered(c.Op, cmp.Compare(s.Number, c.Value)), onlyColumn(c.Column, filter.Value)
	case filter.NumberOneOf:
		return slices.Contains(c.Values, s.Number) != c.Not, onlyColumn(c.Column, filter.Value)
	case filter.Time:
		if c.Column == filter.AcceptedAt {
			return acceptedMeets(s.Version, c), nil
		}
		return ordered(c.Op, s.Timestamp.Compare(c.At)), onlyColumn(c.Column, filter.Timestamp)
	case filter.IsSet:
		return scoreIsSet(s, c)
	case filter.MetadataText, filter.MetadataNumber, filter.MetadataSet:
		return meetsMetadata(&model.Observation{Metadata: s.Metadata}, c), nil
	}
	return false, fmt.Errorf("unknown condition %T", c)
}

func scoreIsSet(s *model.Score, c filter.IsSet) (bool, error) {
	switch c.Column {
	case filter.Value, filter.Timestamp:
		return c.Want, nil
	case filter.Metadata:
		return (len(s.Metadata) > 0) == c.Want, nil
	default:
		value, err := scoreText(s, c.Column)
		return (value != "") == c.Want, err
	}
}

func scoreText(s *model.Score, column filter.Column) (string, error) {
	texts := map[filter.Column]string{
		filter.ID: s.ID, filter.Name: s.Name, filter.Source: string(s.Source), filter.DataType: string(s.Type),
		filter.Environment: s.Environment, filter.ConfigID: s.ConfigID, filter.QueueID: s.QueueID,
		filter.AuthorUserID: s.AuthorUserID, filter.TraceID: s.TraceID, filter.SessionID: s.SessionID,
		filter.ObservationID: s.ObservationID, filter.ExperimentID: s.ExperimentID, filter.StringValue: s.Text,
	}
	text, ok := texts[column]
	if !ok {
		return "", fmt.Errorf("column %q of scores holds no text", column)
	}
	return text, nil
}
