package sqlstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

const deliveryColumns = `project_id, id, alert_id, change_id, target_id, state, message, attempts, next_at, last_error, created_at, updated_at`

func insertDelivery(ctx context.Context, tx *sql.Tx, d model.AlertDelivery) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO alert_deliveries (`+deliveryColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
		d.ProjectID, d.ID, d.AlertID, d.ChangeID, d.TargetID, string(d.State), string(d.Message), d.Attempts, d.NextAt.UnixMicro(), d.LastError,
		d.CreatedAt.UnixMicro(), d.UpdatedAt.UnixMicro())
	return err
}

// DueDeliveries implements metastore.AlertWork.
func (s *Store) DueDeliveries(ctx context.Context, by time.Time, limit int) ([]model.AlertDelivery, error) {
	ours, values := s.workable("project_id", 3)
	return readAll(ctx, s.db, "find due messages", scanDelivery, `SELECT `+deliveryColumns+` FROM alert_deliveries
		WHERE state = 'pending' AND next_at <= $1 AND`+ours+`ORDER BY next_at, id LIMIT $2`,
		append([]any{by.UnixMicro(), limit}, values...)...)
}

// SettleDelivery implements metastore.AlertWork.
func (s *Store) SettleDelivery(ctx context.Context, d model.AlertDelivery) error {
	done, err := s.db.ExecContext(ctx, `
		UPDATE alert_deliveries SET state = $3, attempts = $4, next_at = $5, last_error = $6, updated_at = $7
		WHERE project_id = $1 AND id = $2 AND state = 'pending'`,
		d.ProjectID, d.ID, string(d.State), d.Attempts, d.NextAt.UnixMicro(), d.LastError, d.UpdatedAt.UnixMicro())
	return affected("settle message", done, err)
}

// AlertChanges implements metastore.Alerts.
func (s *Store) AlertChanges(ctx context.Context, projectID, alertID string, limit int) ([]model.AlertChange, error) {
	if err := metastore.CheckID("alertId", alertID); err != nil {
		return nil, err
	}
	changes, err := readAll(ctx, s.db, "list changes of an alert", scanChange, `
		SELECT project_id, alert_id, id, at, from_state, to_state, value, reason, muted FROM alert_changes
		WHERE project_id = $1 AND alert_id = $2 ORDER BY id DESC LIMIT $3`, projectID, alertID, limit)
	if err != nil || len(changes) == 0 {
		return changes, err
	}
	deliveries, err := readAll(ctx, s.db, "list messages of an alert", scanDelivery, `
		SELECT `+deliveryColumns+` FROM alert_deliveries WHERE project_id = $1 AND alert_id = $2 AND change_id >= $3 ORDER BY id`,
		projectID, alertID, changes[len(changes)-1].ID)
	for _, d := range deliveries {
		for i := range changes {
			if changes[i].ID == d.ChangeID {
				changes[i].Deliveries = append(changes[i].Deliveries, d)
			}
		}
	}
	return changes, err
}

func scanChange(row scanner) (c model.AlertChange, err error) {
	var at int64
	var from, to string
	err = row.Scan(&c.ProjectID, &c.AlertID, &c.ID, &at, &from, &to, &c.Value, &c.Reason, &c.Muted)
	c.At, c.From, c.To = time.UnixMicro(at).UTC(), model.AlertState(from), model.AlertState(to)
	return c, err
}

func scanDelivery(row scanner) (d model.AlertDelivery, err error) {
	var state, message string
	var next, created, updated int64
	err = row.Scan(&d.ProjectID, &d.ID, &d.AlertID, &d.ChangeID, &d.TargetID, &state, &message, &d.Attempts, &next, &d.LastError, &created, &updated)
	d.State, d.Message = model.DeliveryState(state), json.RawMessage(message)
	d.NextAt, d.CreatedAt, d.UpdatedAt = time.UnixMicro(next).UTC(), time.UnixMicro(created).UTC(), time.UnixMicro(updated).UTC()
	return d, err
}

const targetColumns = `project_id, id, name, kind, display, sealed, created_at`

// CreateAlertTarget implements metastore.AlertTargets.
func (s *Store) CreateAlertTarget(ctx context.Context, t model.AlertTarget) error {
	if err := metastore.CheckAlertTarget(t); err != nil {
		return err
	}
	return s.inTransaction(ctx, "create alert target", func(tx *sql.Tx) error {
		if err := roomIn(ctx, tx, t.ProjectID, "alert_targets", metastore.MaxAlertTargets); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO alert_targets (`+targetColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
			t.ProjectID, t.ID, t.Name, string(t.Kind), t.Display, append([]byte{}, t.Sealed...), t.CreatedAt.UnixMicro())
		return err
	})
}

// AlertTarget implements metastore.AlertTargets.
func (s *Store) AlertTarget(ctx context.Context, projectID, id string) (model.AlertTarget, error) {
	if err := metastore.CheckID("targetId", id); err != nil {
		return model.AlertTarget{}, err
	}
	t, err := scanTarget(s.db.QueryRowContext(ctx, `SELECT `+targetColumns+` FROM alert_targets WHERE project_id = $1 AND id = $2`, projectID, id))
	return t, translate("read alert target", err)
}

// AlertTargets implements metastore.AlertTargets.
func (s *Store) AlertTargets(ctx context.Context, projectID string) ([]model.AlertTarget, error) {
	return readAll(ctx, s.db, "list alert targets", scanTarget, `SELECT `+targetColumns+` FROM alert_targets WHERE project_id = $1 ORDER BY created_at, id`, projectID)
}

// DeleteAlertTarget implements metastore.AlertTargets.
func (s *Store) DeleteAlertTarget(ctx context.Context, projectID, id string) error {
	if err := metastore.CheckID("targetId", id); err != nil {
		return err
	}
	done, err := s.db.ExecContext(ctx, `DELETE FROM alert_targets WHERE project_id = $1 AND id = $2`, projectID, id)
	return affected("delete alert target", done, err)
}

func scanTarget(row scanner) (t model.AlertTarget, err error) {
	var kind string
	var created int64
	err = row.Scan(&t.ProjectID, &t.ID, &t.Name, &kind, &t.Display, &t.Sealed, &created)
	t.Kind, t.CreatedAt = model.TargetKind(kind), time.UnixMicro(created).UTC()
	return t, err
}
