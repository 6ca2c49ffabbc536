package sqlstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

const erasureColumns = `id, organization, about_project, kind, ids, version, actor_kind, actor_id, actor_name, request_id, asked_at, finished_at, report`

// AddErasure implements metastore.ErasureReports.
func (s *Store) AddErasure(ctx context.Context, e model.Erasure) error {
	ids, err := json.Marshal(e.TraceIDs)
	if err != nil {
		return fmt.Errorf("note an erasure: %w", err)
	}
	_, err = s.db.ExecContext(ctx, `INSERT INTO erasures (`+erasureColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, NULL, '')`,
		e.ID, e.By.OrganizationID, e.ProjectID, e.Kind, string(ids), int64(e.Version), string(e.By.Kind), e.By.ID, e.By.Name, e.By.RequestID, e.AskedAt.UnixMicro())
	return translate("note an erasure", err)
}

// FinishErasures implements metastore.ErasureReports.
func (s *Store) FinishErasures(ctx context.Context, projectID string, until uint64, at time.Time, report model.ErasureReport) error {
	return s.inTransaction(ctx, "note the end of an erasure", func(tx *sql.Tx) error {
		const which = ` about_project = $1 AND version <= $2 AND finished_at IS NULL`
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM erasures WHERE`+which, projectID, int64(until)).Scan(&report.Requests); err != nil {
			return err
		}
		text, err := json.Marshal(report)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE erasures SET finished_at = $3, report = $4 WHERE`+which, projectID, int64(until), at.UnixMicro(), string(text))
		return err
	})
}

// ErasuresAsked implements metastore.ErasureReports.
func (s *Store) ErasuresAsked(ctx context.Context, q metastore.ErasureQuery) ([]model.Erasure, error) {
	var c conditions
	if !q.All {
		c.add("organization = " + c.bind(q.Organization))
	}
	if q.Project != "" {
		c.add("about_project = " + c.bind(q.Project))
	}
	if q.Before != "" {
		c.add("id < " + c.bind(q.Before))
	}
	text := `SELECT ` + erasureColumns + ` FROM erasures` + c.where()
	text += ` ORDER BY id DESC LIMIT ` + c.bind(min(max(q.Limit, 1), metastore.MaxErasurePage))
	return listed(ctx, s.db, "read erasures", scanErasure, text, c.args...)
}

func scanErasure(row scanner) (e model.Erasure, err error) {
	var (
		ids, kind, report string
		version, asked    int64
		finished          sql.NullInt64
	)
	err = row.Scan(&e.ID, &e.By.OrganizationID, &e.ProjectID, &e.Kind, &ids, &version, &kind, &e.By.ID, &e.By.Name, &e.By.RequestID, &asked, &finished, &report)
	if err != nil {
		return e, err
	}
	e.Version, e.By.Kind, e.AskedAt, e.FinishedAt = uint64(version), model.ActorKind(kind), time.UnixMicro(asked).UTC(), moment(finished)
	if err := json.Unmarshal([]byte(ids), &e.TraceIDs); err != nil {
		return e, fmt.Errorf("read the traces of an erasure: %w", err)
	}
	if report != "" {
		if err := json.Unmarshal([]byte(report), &e.Report); err != nil {
			return e, fmt.Errorf("read the report of an erasure: %w", err)
		}
	}
	return e, nil
}
