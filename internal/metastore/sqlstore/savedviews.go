package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

const savedViewColumns = `project_id, id, table_name, name, owner_id, shared, is_default, state, created_at, updated_at`

// CreateSavedView implements metastore.SavedViews.
func (s *Store) CreateSavedView(ctx context.Context, v model.SavedView) error {
	if err := metastore.CheckSavedView(v); err != nil {
		return err
	}
	return s.changeViews(ctx, "create saved view", v, func(tx *sql.Tx) error {
		var count int
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM saved_views WHERE project_id = $1`, v.ProjectID).Scan(&count); err != nil {
			return err
		}
		if count >= metastore.MaxSavedViews {
			return metastore.TooMany(metastore.MaxSavedViews, "saved views of a project")
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO saved_views (`+savedViewColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
			v.ProjectID, v.ID, v.Table, v.Name, v.OwnerID, v.Shared, v.Default, v.State, v.CreatedAt.UnixMicro(), v.UpdatedAt.UnixMicro())
		return err
	})
}

// UpdateSavedView implements metastore.SavedViews.
func (s *Store) UpdateSavedView(ctx context.Context, v model.SavedView) error {
	if err := metastore.CheckSavedView(v); err != nil {
		return err
	}
	return s.changeViews(ctx, "update saved view", v, func(tx *sql.Tx) error {
		done, err := tx.ExecContext(ctx, `
			UPDATE saved_views SET name = $3, shared = $4, is_default = $5, state = $6, updated_at = $7
			WHERE project_id = $1 AND id = $2`, v.ProjectID, v.ID, v.Name, v.Shared, v.Default, v.State, v.UpdatedAt.UnixMicro())
		return oneRow(done, err)
	})
}

// changeViews makes a change and takes the default from the view that had it. Changes of a project take turns
// by its row.
func (s *Store) changeViews(ctx context.Context, doing string, v model.SavedView, change func(tx *sql.Tx) error) error {
	return s.inTransaction(ctx, doing, func(tx *sql.Tx) error {
		done, err := tx.ExecContext(ctx, `UPDATE projects SET name = name WHERE id = $1`, v.ProjectID)
		if err := oneRow(done, err); err != nil {
			return err
		}
		if err := change(tx); err != nil || !v.Default {
			return err
		}
		_, err = tx.ExecContext(ctx, `
			UPDATE saved_views SET is_default = $5
			WHERE project_id = $1 AND id <> $2 AND table_name = $3 AND shared = $4 AND (shared OR owner_id = $6)`,
			v.ProjectID, v.ID, v.Table, v.Shared, false, v.OwnerID)
		return err
	})
}

// SavedView implements metastore.SavedViews.
func (s *Store) SavedView(ctx context.Context, projectID, id string) (model.SavedView, error) {
	if err := metastore.CheckID("id", id); err != nil {
		return model.SavedView{}, err
	}
	row := s.db.QueryRowContext(ctx, `SELECT `+savedViewColumns+` FROM saved_views WHERE project_id = $1 AND id = $2`, projectID, id)
	v, err := scanSavedView(row)
	return v, translate("read saved view", err)
}

// SavedViews implements metastore.SavedViews.
func (s *Store) SavedViews(ctx context.Context, projectID string, q metastore.SavedViewQuery, part metastore.Range) ([]model.SavedView, int, error) {
	if err := q.Check(); err != nil {
		return nil, 0, err
	}
	from := rowsIn("saved_views", projectID)
	from.and("table_name", q.Table)
	from.args = append(from.args, q.OwnerID)
	from.tests = append(from.tests, fmt.Sprintf("(shared OR owner_id = $%d)", len(from.args)))
	return listRows(ctx, s.db, savedViewColumns, from, part, scanSavedView)
}

// defaultsAtOnce bounds how many projects one statement names.
const defaultsAtOnce = 1000

// DefaultViews implements metastore.SavedViews.
func (s *Store) DefaultViews(ctx context.Context, projectIDs []string, ownerID string) (views []model.SavedView, err error) {
	const columns = `project_id, id, table_name, name, owner_id, shared, is_default, '', created_at, updated_at`
	for some := range slices.Chunk(slices.Sorted(slices.Values(projectIDs)), defaultsAtOnce) {
		args, places := []any{ownerID}, make([]string, len(some))
		for i, id := range some {
			args, places[i] = append(args, id), fmt.Sprintf("$%d", i+2)
		}
		found, err := listed(ctx, s.db, "read default views", scanSavedView, `
			SELECT `+columns+` FROM saved_views
			WHERE project_id IN (`+strings.Join(places, ", ")+`) AND is_default AND (shared OR owner_id = $1)
			ORDER BY project_id, table_name, id`, args...)
		if err != nil {
			return nil, err
		}
		views = append(views, found...)
	}
	return views, nil
}

// DeleteSavedView implements metastore.SavedViews.
func (s *Store) DeleteSavedView(ctx context.Context, projectID, id string) error {
	if err := metastore.CheckID("id", id); err != nil {
		return err
	}
	done, err := s.db.ExecContext(ctx, `DELETE FROM saved_views WHERE project_id = $1 AND id = $2`, projectID, id)
	return affected("delete saved view", done, err)
}

func scanSavedView(row scanner) (v model.SavedView, err error) {
	var created, updated int64
	err = row.Scan(&v.ProjectID, &v.ID, &v.Table, &v.Name, &v.OwnerID, &v.Shared, &v.Default, &v.State, &created, &updated)
	v.CreatedAt, v.UpdatedAt = time.UnixMicro(created).UTC(), time.UnixMicro(updated).UTC()
	return v, err
}
