package sqlstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/price"
)

// CreateModel implements metastore.Models.
func (s *Store) CreateModel(ctx context.Context, d price.Definition) error {
	return s.writeModel(ctx, d, "create model", "")
}

// PutModel implements metastore.Models.
func (s *Store) PutModel(ctx context.Context, d price.Definition) error {
	return s.writeModel(ctx, d, "put model", `
		ON CONFLICT (project_id, id) DO UPDATE SET
			name = excluded.name, pattern = excluded.pattern, start_at = excluded.start_at, unit = excluded.unit,
			tokenizer = excluded.tokenizer, tokenizer_config = excluded.tokenizer_config, tiers = excluded.tiers`)
}

func (s *Store) writeModel(ctx context.Context, d price.Definition, doing, onConflict string) error {
	tiers, err := json.Marshal(d.Tiers)
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	if err := metastore.CheckModel(d, string(tiers)); err != nil {
		return err
	}
	if err := s.roomForModel(ctx, d); err != nil {
		return err
	}
	_, err = s.db.ExecContext(ctx, `
		INSERT INTO models (project_id, id, name, pattern, start_at, unit, tokenizer, tokenizer_config, tiers, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`+onConflict,
		d.ProjectID, d.ID, d.Name, d.Pattern, micros(d.Start), d.Unit, d.Tokenizer, d.TokenizerConfig, string(tiers), d.CreatedAt.UnixMicro())
	return translate(doing, err)
}

// roomForModel counts before the write, so some writes at once may go past the bound; reads have
// one of their own.
func (s *Store) roomForModel(ctx context.Context, d price.Definition) error {
	var others int
	err := s.db.QueryRowContext(ctx, `SELECT count(*) FROM models WHERE project_id = $1 AND id <> $2`, d.ProjectID, d.ID).Scan(&others)
	if err == nil && others >= metastore.MaxModels {
		return metastore.TooManyModels()
	}
	return translate("count models", err)
}

const modelColumns = `project_id, id, name, pattern, start_at, unit, tokenizer, tokenizer_config, tiers, created_at`

// Model implements metastore.Models.
func (s *Store) Model(ctx context.Context, projectID, id string) (price.Definition, error) {
	if err := metastore.CheckID("id", id); err != nil {
		return price.Definition{}, err
	}
	row := s.db.QueryRowContext(ctx, `SELECT `+modelColumns+` FROM models WHERE project_id = $1 AND id = $2`, projectID, id)
	d, err := scanModel(row)
	return d, translate("read model", err)
}

// Models implements metastore.Models.
func (s *Store) Models(ctx context.Context, projectID string) (list []price.Definition, err error) {
	rows, err := s.db.QueryContext(ctx,
		`SELECT `+modelColumns+` FROM models WHERE project_id = $1 ORDER BY name LIMIT $2`, projectID, metastore.MaxModels)
	if err != nil {
		return nil, translate("read models", err)
	}
	defer rows.Close()
	for rows.Next() {
		d, err := scanModel(rows)
		if err != nil {
			return nil, translate("read models", err)
		}
		list = append(list, d)
	}
	return list, translate("read models", rows.Err())
}

// DeleteModel implements metastore.Models.
func (s *Store) DeleteModel(ctx context.Context, projectID, id string) error {
	if err := metastore.CheckID("id", id); err != nil {
		return err
	}
	done, err := s.db.ExecContext(ctx, `DELETE FROM models WHERE project_id = $1 AND id = $2`, projectID, id)
	return affected("delete model", done, err)
}

// scanner is one row, or the current one of many.
type scanner interface {
	Scan(into ...any) error
}

func scanModel(row scanner) (price.Definition, error) {
	var (
		d       price.Definition
		start   sql.NullInt64
		created int64
		tiers   string
	)
	err := row.Scan(&d.ProjectID, &d.ID, &d.Name, &d.Pattern, &start, &d.Unit, &d.Tokenizer, &d.TokenizerConfig, &tiers, &created)
	if err != nil {
		return price.Definition{}, err
	}
	d.CreatedAt, d.Start = time.UnixMicro(created).UTC(), moment(start)
	return d, json.Unmarshal([]byte(tiers), &d.Tiers)
}
