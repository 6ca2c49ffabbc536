package sqlstore

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// CreateScoreConfig implements metastore.ScoreConfigs.
func (s *Store) CreateScoreConfig(ctx context.Context, c model.ScoreConfig) error {
	categories, err := categoriesText(c)
	if err != nil {
		return err
	}
	// Counted before the write, so some writes at once may go past the bound; reads have their own.
	var others int
	err = s.db.QueryRowContext(ctx, `SELECT count(*) FROM score_configs WHERE project_id = $1 AND id <> $2`, c.ProjectID, c.ID).Scan(&others)
	if err != nil {
		return translate("count score configs", err)
	}
	if others >= metastore.MaxScoreConfigs {
		return metastore.TooManyScoreConfigs()
	}
	_, err = s.db.ExecContext(ctx, `
		INSERT INTO score_configs (`+scoreConfigColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
		c.ProjectID, c.ID, c.Name, string(c.Type), c.Archived, c.Description, c.Min, c.Max, categories,
		c.CreatedAt.UnixMicro(), c.UpdatedAt.UnixMicro())
	return translate("create score config", err)
}

// UpdateScoreConfig implements metastore.ScoreConfigs.
func (s *Store) UpdateScoreConfig(ctx context.Context, c model.ScoreConfig, changed time.Time) error {
	categories, err := categoriesText(c)
	if err != nil {
		return err
	}
	done, err := s.db.ExecContext(ctx, `
		UPDATE score_configs
		SET name = $3, archived = $4, description = $5, min_value = $6, max_value = $7, categories = $8, updated_at = $9
		WHERE project_id = $1 AND id = $2 AND updated_at = $10`,
		c.ProjectID, c.ID, c.Name, c.Archived, c.Description, c.Min, c.Max, categories, c.UpdatedAt.UnixMicro(), changed.UnixMicro())
	return affected("update score config", done, err)
}

func categoriesText(c model.ScoreConfig) (string, error) {
	text, err := json.Marshal(c.Categories)
	if err != nil {
		return "", fmt.Errorf("encode categories: %w", err)
	}
	return string(text), metastore.CheckScoreConfig(c, string(text))
}

const scoreConfigColumns = `project_id, id, name, data_type, archived, description, min_value, max_value, categories, created_at, updated_at`

// ScoreConfig implements metastore.ScoreConfigs.
func (s *Store) ScoreConfig(ctx context.Context, projectID, id string) (model.ScoreConfig, error) {
	if err := metastore.CheckID("id", id); err != nil {
		return model.ScoreConfig{}, err
	}
	row := s.db.QueryRowContext(ctx, `SELECT `+scoreConfigColumns+` FROM score_configs WHERE project_id = $1 AND id = $2`, projectID, id)
	c, err := scanScoreConfig(row)
	return c, translate("read score config", err)
}

// ScoreConfigs implements metastore.ScoreConfigs.
func (s *Store) ScoreConfigs(ctx context.Context, projectID string) (list []model.ScoreConfig, err error) {
	rows, err := s.db.QueryContext(ctx,
		`SELECT `+scoreConfigColumns+` FROM score_configs WHERE project_id = $1 ORDER BY created_at DESC, id LIMIT $2`,
		projectID, metastore.MaxScoreConfigs)
	if err != nil {
		return nil, translate("read score configs", err)
	}
	defer rows.Close()
	for rows.Next() {
		c, err := scanScoreConfig(rows)
		if err != nil {
			return nil, translate("read score configs", err)
		}
		list = append(list, c)
	}
	return list, translate("read score configs", rows.Err())
}

func scanScoreConfig(row scanner) (model.ScoreConfig, error) {
	var (
		c                model.ScoreConfig
		kind, categories string
		created, updated int64
	)
	err := row.Scan(&c.ProjectID, &c.ID, &c.Name, &kind, &c.Archived, &c.Description, &c.Min, &c.Max, &categories, &created, &updated)
	if err != nil {
		return model.ScoreConfig{}, err
	}
	c.Type = model.ScoreType(kind)
	c.CreatedAt, c.UpdatedAt = time.UnixMicro(created).UTC(), time.UnixMicro(updated).UTC()
	return c, json.Unmarshal([]byte(categories), &c.Categories)
}
