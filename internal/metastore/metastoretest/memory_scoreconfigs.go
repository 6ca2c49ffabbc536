package metastoretest

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// CreateScoreConfig implements metastore.ScoreConfigs.
func (m *Memory) CreateScoreConfig(ctx context.Context, c model.ScoreConfig) error {
	if err := checkScoreConfig(ctx, c); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, known := m.projects[c.ProjectID]; !known {
		return metastore.ErrNotFound
	}
	own := m.scoreConfigs[c.ProjectID]
	if _, exists := own[c.ID]; exists {
		return metastore.ErrExists
	}
	if len(own) >= metastore.MaxScoreConfigs {
		return metastore.TooManyScoreConfigs()
	}
	if own == nil {
		own = map[string]model.ScoreConfig{}
		m.scoreConfigs[c.ProjectID] = own
	}
	c.CreatedAt, c.UpdatedAt = microsecond(c.CreatedAt), microsecond(c.UpdatedAt)
	own[c.ID] = detachedScoreConfig(c)
	return nil
}

// UpdateScoreConfig implements metastore.ScoreConfigs.
func (m *Memory) UpdateScoreConfig(ctx context.Context, c model.ScoreConfig, changed time.Time) error {
	if err := checkScoreConfig(ctx, c); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	old, known := m.scoreConfigs[c.ProjectID][c.ID]
	if !known || !old.UpdatedAt.Equal(microsecond(changed)) {
		return metastore.ErrNotFound
	}
	c.Type, c.CreatedAt, c.UpdatedAt = old.Type, old.CreatedAt, microsecond(c.UpdatedAt)
	m.scoreConfigs[c.ProjectID][c.ID] = detachedScoreConfig(c)
	return nil
}

func checkScoreConfig(ctx context.Context, c model.ScoreConfig) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	categories, err := json.Marshal(c.Categories)
	if err != nil {
		return err
	}
	return metastore.CheckScoreConfig(c, string(categories))
}

// detachedScoreConfig copies what a caller could change from outside.
func detachedScoreConfig(c model.ScoreConfig) model.ScoreConfig {
	c.Categories = slices.Clone(c.Categories)
	for _, bound := range []**float64{&c.Min, &c.Max} {
		if *bound != nil {
			value := **bound
			*bound = &value
		}
	}
	return c
}

// ScoreConfig implements metastore.ScoreConfigs.
func (m *Memory) ScoreConfig(ctx context.Context, projectID, id string) (model.ScoreConfig, error) {
	if err := ctx.Err(); err != nil {
		return model.ScoreConfig{}, err
	}
	if err := metastore.CheckID("id", id); err != nil {
		return model.ScoreConfig{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	c, known := m.scoreConfigs[projectID][id]
	if !known {
		return model.ScoreConfig{}, metastore.ErrNotFound
	}
	return detachedScoreConfig(c), nil
}

// ScoreConfigs implements metastore.ScoreConfigs.
func (m *Memory) ScoreConfigs(ctx context.Context, projectID string) ([]model.ScoreConfig, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []model.ScoreConfig
	for _, c := range m.scoreConfigs[projectID] {
		list = append(list, detachedScoreConfig(c))
	}
	slices.SortFunc(list, func(a, b model.ScoreConfig) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	return list, nil
}
