package tracestoretest

import (
	"context"
	"fmt"
	"slices"

	"github.com/sondehq/sonde/internal/model"
)

// scoreKey is what makes two rows of a project the same score row.
type scoreKey struct {
	id, trace   string
	stampMillis int64
}

// InsertScores keeps the highest version of every score.
func (m *Memory) InsertScores(ctx context.Context, scores []*model.Score) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("insert %d scores: %w", len(scores), err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.scores == nil {
		m.scores = map[string]map[scoreKey]*model.Score{}
	}
	for _, s := range scores {
		held := m.scores[s.ProjectID]
		if held == nil {
			held = map[scoreKey]*model.Score{}
			m.scores[s.ProjectID] = held
		}
		key := scoreKey{s.ID, s.TraceID, s.Timestamp.UnixMilli()}
		if old := held[key]; old == nil || old.Version < s.Version {
			c := *s
			c.Metadata = slices.Clone(s.Metadata)
			held[key] = &c
		}
	}
	return nil
}
