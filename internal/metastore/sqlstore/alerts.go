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

const alertColumns = `project_id, id, settings, muted_until, state, since, told, value, reason, evaluated_at, next_at, created_at, updated_at, revision`

// CreateAlert implements metastore.Alerts.
func (s *Store) CreateAlert(ctx context.Context, a model.Alert) error {
	settings, err := metastore.AlertText(a)
	if err != nil {
		return err
	}
	return s.inTransaction(ctx, "create alert", func(tx *sql.Tx) error {
		if err := roomIn(ctx, tx, a.ProjectID, "alerts", metastore.MaxAlerts); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO alerts (`+alertColumns+`, enabled)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 1, $14)`,
			a.ProjectID, a.ID, settings, microsOrZero(a.MutedUntil), string(a.State), microsOrZero(a.Since), string(a.Told), a.Value, a.Reason,
			microsOrZero(a.EvaluatedAt), a.NextAt.UnixMicro(), a.CreatedAt.UnixMicro(), a.UpdatedAt.UnixMicro(), a.Settings.Enabled)
		return err
	})
}

// roomIn fails when a project has as many rows in a table as it may. Those who add take turns by the project's row.
func roomIn(ctx context.Context, tx *sql.Tx, projectID, table string, most int) error {
	done, err := tx.ExecContext(ctx, `UPDATE projects SET name = name WHERE id = $1`, projectID)
	if err := oneRow(done, err); err != nil {
		return err
	}
	var count int
	if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM `+table+` WHERE project_id = $1`, projectID).Scan(&count); err != nil {
		return err
	}
	if count >= most {
		return metastore.TooMany(most, table+" of a project")
	}
	return nil
}

// Alert implements metastore.Alerts.
func (s *Store) Alert(ctx context.Context, projectID, id string) (model.Alert, error) {
	if err := metastore.CheckID("alertId", id); err != nil {
		return model.Alert{}, err
	}
	a, err := scanAlert(s.db.QueryRowContext(ctx, `SELECT `+alertColumns+` FROM alerts WHERE project_id = $1 AND id = $2`, projectID, id))
	return a, translate("read alert", err)
}

// Alerts implements metastore.Alerts.
func (s *Store) Alerts(ctx context.Context, projectID string) ([]model.Alert, error) {
	return readAll(ctx, s.db, "list alerts", scanAlert, `SELECT `+alertColumns+` FROM alerts WHERE project_id = $1 ORDER BY created_at, id`, projectID)
}

// DueAlerts implements metastore.AlertWork.
func (s *Store) DueAlerts(ctx context.Context, by time.Time, limit int) ([]model.Alert, error) {
	ours, values := s.workable("project_id", 3)
	return readAll(ctx, s.db, "find due alerts", scanAlert, `SELECT `+alertColumns+` FROM alerts
		WHERE enabled AND next_at <= $1 AND`+ours+`ORDER BY next_at, project_id, id LIMIT $2`,
		append([]any{by.UnixMicro(), limit}, values...)...)
}

// readAll reads all rows of a statement.
func readAll[T any](ctx context.Context, db *sql.DB, doing string, scan func(scanner) (T, error), statement string, args ...any) (list []T, err error) {
	rows, err := db.QueryContext(ctx, statement, args...)
	if err != nil {
		return nil, translate(doing, err)
	}
	defer rows.Close()
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return nil, translate(doing, err)
		}
		list = append(list, one)
	}
	return list, translate(doing, rows.Err())
}

// UpdateAlert implements metastore.Alerts.
func (s *Store) UpdateAlert(ctx context.Context, a model.Alert, change *model.AlertChange, deliveries []model.AlertDelivery) (int64, error) {
	settings, err := metastore.AlertText(a)
	if err != nil {
		return 0, err
	}
	err = s.inTransaction(ctx, "update alert", func(tx *sql.Tx) error {
		done, err := tx.ExecContext(ctx, `
			UPDATE alerts SET enabled = $4, settings = $5, muted_until = $6, state = $7, since = $8, told = $9, value = $10, reason = $11,
			    evaluated_at = $12, next_at = $13, updated_at = $14, revision = revision + 1
			WHERE project_id = $1 AND id = $2 AND revision = $3`,
			a.ProjectID, a.ID, a.Revision, a.Settings.Enabled, settings, microsOrZero(a.MutedUntil), string(a.State), microsOrZero(a.Since), string(a.Told),
			a.Value, a.Reason, microsOrZero(a.EvaluatedAt), a.NextAt.UnixMicro(), a.UpdatedAt.UnixMicro())
		if err := oneRow(done, err); errors.Is(err, metastore.ErrNotFound) {
			return metastore.ErrAlertChanged
		} else if err != nil {
			return err
		}
		if err := insertChange(ctx, tx, change); err != nil {
			return err
		}
		for _, d := range deliveries {
			if err := insertDelivery(ctx, tx, d); err != nil {
				return err
			}
		}
		return nil
	})
	return a.Revision + 1, err
}

// insertChange keeps a change and forgets those that are too many, unless one of their messages is still to be told.
func insertChange(ctx context.Context, tx *sql.Tx, c *model.AlertChange) error {
	if c == nil {
		return nil
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO alert_changes (project_id, alert_id, id, at, from_state, to_state, value, reason, muted)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`, c.ProjectID, c.AlertID, c.ID, c.At.UnixMicro(), string(c.From), string(c.To), c.Value, c.Reason, c.Muted)
	if err != nil {
		return err
	}
	const old = ` WHERE project_id = $1 AND alert_id = $2 AND %s NOT IN
		(SELECT id FROM alert_changes WHERE project_id = $1 AND alert_id = $2 ORDER BY id DESC LIMIT $3)`
	for table, column := range map[string]string{"alert_deliveries": "change_id", "alert_changes": "id"} {
		statement := `DELETE FROM ` + table + fmt.Sprintf(old, column)
		if table == "alert_deliveries" {
			statement += ` AND state <> 'pending'`
		}
		if _, err := tx.ExecContext(ctx, statement, c.ProjectID, c.AlertID, metastore.MaxAlertChanges); err != nil {
			return err
		}
	}
	return nil
}

// DeleteAlert implements metastore.Alerts.
func (s *Store) DeleteAlert(ctx context.Context, projectID, id string) error {
	if err := metastore.CheckID("alertId", id); err != nil {
		return err
	}
	return s.inTransaction(ctx, "delete alert", func(tx *sql.Tx) error {
		// The row first: whoever records a change of it waits, and finds it gone.
		done, err := tx.ExecContext(ctx, `UPDATE alerts SET revision = revision + 1 WHERE project_id = $1 AND id = $2`, projectID, id)
		if err := oneRow(done, err); err != nil {
			return err
		}
		for _, statement := range []string{
			`DELETE FROM alert_deliveries WHERE project_id = $1 AND alert_id = $2`,
			`DELETE FROM alert_changes WHERE project_id = $1 AND alert_id = $2`,
			`DELETE FROM alerts WHERE project_id = $1 AND id = $2`,
		} {
			if _, err := tx.ExecContext(ctx, statement, projectID, id); err != nil {
				return err
			}
		}
		return nil
	})
}

func scanAlert(row scanner) (a model.Alert, err error) {
	var settings, state, told string
	var muted, since, evaluated, next, created, updated int64
	err = row.Scan(&a.ProjectID, &a.ID, &settings, &muted, &state, &since, &told, &a.Value, &a.Reason, &evaluated, &next, &created, &updated, &a.Revision)
	if err != nil {
		return model.Alert{}, err
	}
	a.State, a.Told = model.AlertState(state), model.AlertState(told)
	a.MutedUntil, a.Since, a.EvaluatedAt = timeOrZero(muted), timeOrZero(since), timeOrZero(evaluated)
	a.NextAt, a.CreatedAt, a.UpdatedAt = time.UnixMicro(next).UTC(), time.UnixMicro(created).UTC(), time.UnixMicro(updated).UTC()
	if err := json.Unmarshal([]byte(settings), &a.Settings); err != nil {
		return model.Alert{}, fmt.Errorf("read alert settings: %w", err)
	}
	return a, nil
}
