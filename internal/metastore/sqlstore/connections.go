package sqlstore

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

const connectionColumns = `project_id, id, provider, adapter, sealed_key, sealed_headers, display_key, header_names, base_url,
	models, default_models, config, created_at, updated_at`

// PutConnection implements metastore.Connections.
func (s *Store) PutConnection(ctx context.Context, c model.Connection) (created bool, err error) {
	names, models, err := metastore.ConnectionTexts(c)
	if err != nil {
		return false, err
	}
	headers := append([]byte{}, c.SealedHeaders...) // never NULL
	err = s.inTransaction(ctx, "put connection", func(tx *sql.Tx) error {
		done, err := tx.ExecContext(ctx, `
			UPDATE llm_connections
			SET provider = $3, adapter = $4, sealed_key = $5, sealed_headers = $6, display_key = $7, header_names = $8, base_url = $9,
			    models = $10, default_models = $11, config = $12, updated_at = $13
			WHERE project_id = $1 AND id = $2`,
			c.ProjectID, c.ID, c.Provider, c.Adapter, c.SealedKey, headers, c.DisplayKey, names, c.BaseURL,
			models, c.DefaultModels, c.Config, c.UpdatedAt.UnixMicro())
		if err := affected("put connection", done, err); !errors.Is(err, metastore.ErrNotFound) {
			return err
		}
		// Counted before the write, so some writes at once may go past the bound; reads have their own.
		var others int
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM llm_connections WHERE project_id = $1`, c.ProjectID).Scan(&others); err != nil {
			return err
		}
		if others >= metastore.MaxConnections {
			return metastore.TooManyConnections()
		}
		created = true
		_, err = tx.ExecContext(ctx, `
			INSERT INTO llm_connections (`+connectionColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
			c.ProjectID, c.ID, c.Provider, c.Adapter, c.SealedKey, headers, c.DisplayKey, names, c.BaseURL,
			models, c.DefaultModels, c.Config, c.CreatedAt.UnixMicro(), c.UpdatedAt.UnixMicro())
		return err
	})
	return created && err == nil, err
}

// ConnectionByProvider implements metastore.Connections.
func (s *Store) ConnectionByProvider(ctx context.Context, projectID, provider string) (model.Connection, error) {
	if err := metastore.CheckID("provider", provider); err != nil {
		return model.Connection{}, err
	}
	row := s.db.QueryRowContext(ctx, `SELECT `+connectionColumns+` FROM llm_connections WHERE project_id = $1 AND provider = $2`, projectID, provider)
	c, err := scanConnection(row)
	return c, translate("read connection", err)
}

// Connections implements metastore.Connections.
func (s *Store) Connections(ctx context.Context, projectID string, part metastore.Range) ([]model.Connection, int, error) {
	return listRows(ctx, s.db, connectionColumns, rowsIn("llm_connections", projectID), part, scanConnection)
}

func scanConnection(row scanner) (c model.Connection, err error) {
	var (
		names, models    string
		created, updated int64
	)
	err = row.Scan(&c.ProjectID, &c.ID, &c.Provider, &c.Adapter, &c.SealedKey, &c.SealedHeaders, &c.DisplayKey, &names, &c.BaseURL,
		&models, &c.DefaultModels, &c.Config, &created, &updated)
	if err != nil {
		return model.Connection{}, err
	}
	if len(c.SealedHeaders) == 0 {
		c.SealedHeaders = nil
	}
	c.CreatedAt, c.UpdatedAt = time.UnixMicro(created).UTC(), time.UnixMicro(updated).UTC()
	return c, errors.Join(json.Unmarshal([]byte(names), &c.HeaderNames), json.Unmarshal([]byte(models), &c.Models))
}

// DeleteConnection implements metastore.Connections.
func (s *Store) DeleteConnection(ctx context.Context, projectID, id string) error {
	if err := metastore.CheckID("id", id); err != nil {
		return err
	}
	done, err := s.db.ExecContext(ctx, `DELETE FROM llm_connections WHERE project_id = $1 AND id = $2`, projectID, id)
	return affected("delete connection", done, err)
}

// KeyCheck implements metastore.KeyChecks. Of several nodes that ask at once the first insert stays.
func (s *Store) KeyCheck(ctx context.Context, name string, sealed []byte) ([]byte, error) {
	if err := metastore.CheckID("name", name); err != nil {
		return nil, err
	}
	_, err := s.db.ExecContext(ctx, `INSERT INTO key_checks (name, sealed) VALUES ($1, $2) ON CONFLICT DO NOTHING`, name, bytes.Clone(sealed))
	if err != nil {
		return nil, translate("keep key check", err)
	}
	var kept []byte
	err = s.db.QueryRowContext(ctx, `SELECT sealed FROM key_checks WHERE name = $1`, name).Scan(&kept)
	return kept, translate("read key check", err)
}

// RenewKeyCheck implements metastore.KeyChecks.
func (s *Store) RenewKeyCheck(ctx context.Context, name string, sealed []byte) error {
	done, err := s.db.ExecContext(ctx, `
		UPDATE key_checks SET sealed = $2
		WHERE name = $1 AND NOT EXISTS (SELECT 1 FROM llm_connections) AND NOT EXISTS (SELECT 1 FROM exports)
			AND NOT EXISTS (SELECT 1 FROM alert_targets)`, name, bytes.Clone(sealed))
	err = affected("renew key check", done, err)
	if errors.Is(err, metastore.ErrNotFound) {
		return fmt.Errorf("renew key check: %w", metastore.ErrInUse)
	}
	return err
}
