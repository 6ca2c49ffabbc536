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

// SaveDashboard implements metastore.Dashboards.
func (s *Store) SaveDashboard(ctx context.Context, d model.Dashboard) (int64, error) {
	tiles, err := metastore.TilesText(d)
	if err != nil {
		return 0, err
	}
	err = s.inTransaction(ctx, "save dashboard", func(tx *sql.Tx) error {
		if d.Revision == 0 {
			return makeDashboard(ctx, tx, d, tiles)
		}
		done, err := tx.ExecContext(ctx, `
			UPDATE dashboards SET name = $4, description = $5, tiles = $6, tile_count = $7, updated_at = $8, revision = revision + 1
			WHERE project_id = $1 AND id = $2 AND revision = $3`,
			d.ProjectID, d.ID, d.Revision, d.Name, d.Description, tiles, len(d.Tiles), d.UpdatedAt.UnixMicro())
		if err := oneRow(done, err); !errors.Is(err, metastore.ErrNotFound) {
			return err
		}
		return metastore.ErrDashboardChanged
	})
	if errors.Is(err, metastore.ErrExists) {
		return 0, metastore.ErrDashboardChanged
	}
	return d.Revision + 1, err
}

// makeDashboard adds a dashboard. Those of a project take turns by its row.
func makeDashboard(ctx context.Context, tx *sql.Tx, d model.Dashboard, tiles string) error {
	done, err := tx.ExecContext(ctx, `UPDATE projects SET name = name WHERE id = $1`, d.ProjectID)
	if err := oneRow(done, err); err != nil {
		return err
	}
	var count int
	if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM dashboards WHERE project_id = $1`, d.ProjectID).Scan(&count); err != nil {
		return err
	}
	if count >= metastore.MaxDashboards {
		return metastore.TooMany(metastore.MaxDashboards, "dashboards of a project")
	}
	_, err = tx.ExecContext(ctx, `
		INSERT INTO dashboards (project_id, id, name, description, tiles, tile_count, created_at, updated_at, revision)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 1)`,
		d.ProjectID, d.ID, d.Name, d.Description, tiles, len(d.Tiles), d.CreatedAt.UnixMicro(), d.UpdatedAt.UnixMicro())
	return err
}

const dashboardColumns = `project_id, id, name, description, tile_count, created_at, updated_at, revision`

// Dashboard implements metastore.Dashboards.
func (s *Store) Dashboard(ctx context.Context, projectID, id string) (model.Dashboard, error) {
	if err := metastore.CheckID("dashboardId", id); err != nil {
		return model.Dashboard{}, err
	}
	row := s.db.QueryRowContext(ctx, `SELECT `+dashboardColumns+`, tiles FROM dashboards WHERE project_id = $1 AND id = $2`, projectID, id)
	var tiles string
	d, err := scanDashboard(row, &tiles)
	if err != nil {
		return model.Dashboard{}, translate("read dashboard", err)
	}
	if err := json.Unmarshal([]byte(tiles), &d.Tiles); err != nil {
		return model.Dashboard{}, fmt.Errorf("read tiles: %w", err)
	}
	return d, nil
}

// Dashboards implements metastore.Dashboards.
func (s *Store) Dashboards(ctx context.Context, projectID string) (list []model.Dashboard, err error) {
	rows, err := s.db.QueryContext(ctx, `SELECT `+dashboardColumns+` FROM dashboards WHERE project_id = $1 ORDER BY created_at, id`, projectID)
	if err != nil {
		return nil, translate("list dashboards", err)
	}
	defer rows.Close()
	for rows.Next() {
		d, err := scanDashboard(rows)
		if err != nil {
			return nil, translate("list dashboards", err)
		}
		list = append(list, d)
	}
	return list, translate("list dashboards", rows.Err())
}

// DeleteDashboard implements metastore.Dashboards.
func (s *Store) DeleteDashboard(ctx context.Context, projectID, id string) error {
	if err := metastore.CheckID("dashboardId", id); err != nil {
		return err
	}
	done, err := s.db.ExecContext(ctx, `DELETE FROM dashboards WHERE project_id = $1 AND id = $2`, projectID, id)
	return affected("delete dashboard", done, err)
}

func scanDashboard(row scanner, more ...any) (d model.Dashboard, err error) {
	var created, updated int64
	err = row.Scan(append([]any{&d.ProjectID, &d.ID, &d.Name, &d.Description, &d.TileCount, &created, &updated, &d.Revision}, more...)...)
	d.CreatedAt, d.UpdatedAt = time.UnixMicro(created).UTC(), time.UnixMicro(updated).UTC()
	return d, err
}
