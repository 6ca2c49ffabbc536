package sqlstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// SaveExport implements metastore.Exports.
func (s *Store) SaveExport(ctx context.Context, e model.Export) (int64, error) {
	settings, err := metastore.ExportText(e)
	if err != nil {
		return 0, err
	}
	secret := append([]byte{}, e.SealedSecret...) // never NULL
	err = s.inTransaction(ctx, "save export", func(tx *sql.Tx) error {
		var one int
		err := tx.QueryRowContext(ctx, `SELECT 1 FROM projects WHERE id = $1 AND organization_id = $2`, e.ProjectID, e.OrganizationID).Scan(&one)
		if err != nil {
			return err
		}
		if e.Revision == 0 {
			_, err := tx.ExecContext(ctx, `
				INSERT INTO exports (project_id, id, enabled, settings, sealed_secret, until_us, progress, last_sync_at, last_error, last_error_at,
				    created_at, updated_at, revision)
				VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 1)`,
				e.ProjectID, e.ID, e.Settings.Enabled, settings, secret, microsOrZero(e.Until), e.Progress, microsOrZero(e.LastSyncAt),
				e.LastError, microsOrZero(e.LastErrorAt), e.CreatedAt.UnixMicro(), e.UpdatedAt.UnixMicro())
			return err
		}
		done, err := tx.ExecContext(ctx, `
			UPDATE exports
			SET enabled = $3, settings = $4, sealed_secret = $5, until_us = $6, progress = $7, last_sync_at = $8, last_error = $9,
			    last_error_at = $10, updated_at = $11, revision = revision + 1
			WHERE project_id = $1 AND revision = $2`,
			e.ProjectID, e.Revision, e.Settings.Enabled, settings, secret, microsOrZero(e.Until), e.Progress, microsOrZero(e.LastSyncAt),
			e.LastError, microsOrZero(e.LastErrorAt), e.UpdatedAt.UnixMicro())
		if err := affected("save export", done, err); !errors.Is(err, metastore.ErrNotFound) {
			return err
		}
		return metastore.ErrExportChanged
	})
	if errors.Is(err, metastore.ErrExists) {
		return 0, metastore.ErrExportChanged
	}
	return e.Revision + 1, err
}

func microsOrZero(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func timeOrZero(us int64) time.Time {
	if us == 0 {
		return time.Time{}
	}
	return time.UnixMicro(us).UTC()
}

const exportRows = `SELECT e.project_id, p.organization_id, e.id, e.settings, e.sealed_secret, e.until_us, e.progress, e.last_sync_at,
	e.last_error, e.last_error_at, e.created_at, e.updated_at, e.revision FROM exports e JOIN projects p ON p.id = e.project_id `

// Export implements metastore.Exports.
func (s *Store) Export(ctx context.Context, projectID string) (model.Export, error) {
	if err := metastore.CheckID("projectId", projectID); err != nil {
		return model.Export{}, err
	}
	e, err := scanExport(s.db.QueryRowContext(ctx, exportRows+`WHERE e.project_id = $1`, projectID))
	return e, translate("read export", err)
}

// Exports implements metastore.Exports.
func (s *Store) Exports(ctx context.Context, organizationID, after string, limit int) ([]model.Export, error) {
	return s.exports(ctx, `WHERE p.organization_id = $1 AND e.project_id > $2 ORDER BY e.project_id LIMIT $3`, organizationID, after, limit)
}

// EnabledExports implements metastore.Exports.
func (s *Store) EnabledExports(ctx context.Context, after string, limit int) ([]model.Export, error) {
	ours, values := s.workable("e.project_id", 3)
	return s.exports(ctx, `WHERE e.enabled AND e.project_id > $1 AND`+ours+`ORDER BY e.project_id LIMIT $2`, append([]any{after, limit}, values...)...)
}

func (s *Store) exports(ctx context.Context, where string, args ...any) (list []model.Export, err error) {
	rows, err := s.db.QueryContext(ctx, exportRows+where, args...)
	if err != nil {
		return nil, translate("list exports", err)
	}
	defer rows.Close()
	for rows.Next() {
		e, err := scanExport(rows)
		if err != nil {
			return nil, translate("list exports", err)
		}
		list = append(list, e)
	}
	return list, translate("list exports", rows.Err())
}

// DeleteExport implements metastore.Exports.
func (s *Store) DeleteExport(ctx context.Context, projectID string) error {
	if err := metastore.CheckID("projectId", projectID); err != nil {
		return err
	}
	done, err := s.db.ExecContext(ctx, `DELETE FROM exports WHERE project_id = $1`, projectID)
	return affected("delete export", done, err)
}

func scanExport(row scanner) (e model.Export, err error) {
	var (
		settings                                 string
		until, synced, failed, created, modified int64
	)
	err = row.Scan(&e.ProjectID, &e.OrganizationID, &e.ID, &settings, &e.SealedSecret, &until, &e.Progress, &synced,
		&e.LastError, &failed, &created, &modified, &e.Revision)
	if err != nil {
		return model.Export{}, err
	}
	e.Until, e.LastSyncAt, e.LastErrorAt = timeOrZero(until), timeOrZero(synced), timeOrZero(failed)
	e.CreatedAt, e.UpdatedAt = time.UnixMicro(created).UTC(), time.UnixMicro(modified).UTC()
	if err := json.Unmarshal([]byte(settings), &e.Settings); err != nil {
		return model.Export{}, fmt.Errorf("read export settings: %w", err)
	}
	return e, nil
}
