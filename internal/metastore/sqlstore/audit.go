package sqlstore

import (
	"context"
	"database/sql"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

const auditColumns = `id, at, organization, about_project, action, actor_kind, actor_id, actor_name, object_id, object_name, detail, request_id, address`

// AppendAudit implements metastore.AuditLog.
func (s *Store) AppendAudit(ctx context.Context, events []model.AuditEvent) error {
	return s.inTransaction(ctx, "append to the audit log", func(tx *sql.Tx) error {
		for _, e := range events {
			e = metastore.Fitting(e)
			_, err := tx.ExecContext(ctx, `
				INSERT INTO audit_events (`+auditColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
				e.ID, e.At.UnixMicro(), e.OrganizationID, e.ProjectID, e.Action, string(e.ActorKind), e.ActorID, e.ActorName,
				e.ObjectID, e.ObjectName, e.Detail, e.RequestID, e.Address)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// AuditEvents implements metastore.AuditLog.
func (s *Store) AuditEvents(ctx context.Context, q metastore.AuditQuery) ([]model.AuditEvent, error) {
	if err := metastore.CheckAudit(q); err != nil {
		return nil, err
	}
	var c conditions
	if !q.All {
		c.add("organization = " + c.bind(q.Organization))
	}
	if q.Project != "" {
		c.add("about_project = " + c.bind(q.Project))
	}
	if family, ok := strings.CutSuffix(q.Action, "."); ok {
		c.add("action >= "+c.bind(family+"."), "action < "+c.bind(family+"/")) // the byte after the dot
	} else if q.Action != "" {
		c.add("action = " + c.bind(q.Action))
	}
	if q.Actor != "" {
		actor := c.bind(q.Actor)
		c.add("(actor_id = " + actor + " OR actor_name = " + actor + ")")
	}
	if !q.From.IsZero() {
		c.add("at >= " + c.bind(q.From.UnixMicro()))
	}
	if !q.To.IsZero() {
		c.add("at < " + c.bind(q.To.UnixMicro()))
	}
	if q.After != nil {
		c.add("(at, id) < (" + c.bind(q.After.At.UnixMicro()) + ", " + c.bind(q.After.ID) + ")")
	}
	text := `SELECT ` + auditColumns + ` FROM audit_events` + c.where()
	text += ` ORDER BY at DESC, id DESC LIMIT ` + c.bind(min(max(q.Limit, 1), metastore.MaxAuditPage))
	return listed(ctx, s.db, "read the audit log", scanAudit, text, c.args...)
}

func scanAudit(row scanner) (e model.AuditEvent, err error) {
	var at int64
	var kind string
	err = row.Scan(&e.ID, &at, &e.OrganizationID, &e.ProjectID, &e.Action, &kind, &e.ActorID, &e.ActorName,
		&e.ObjectID, &e.ObjectName, &e.Detail, &e.RequestID, &e.Address)
	e.At, e.ActorKind = time.UnixMicro(at).UTC(), model.ActorKind(kind)
	return e, err
}

// DeleteAuditBefore implements metastore.AuditLog.
func (s *Store) DeleteAuditBefore(ctx context.Context, before time.Time) (int, error) {
	done, err := s.db.ExecContext(ctx, `DELETE FROM audit_events WHERE at < $1`, before.UnixMicro())
	if err != nil {
		return 0, translate("shorten the audit log", err)
	}
	rows, err := done.RowsAffected()
	return int(rows), translate("shorten the audit log", err)
}
