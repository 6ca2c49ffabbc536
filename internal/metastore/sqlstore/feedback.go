package sqlstore

import (
	"context"
	"database/sql"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

const feedbackColumns = `project_id, id, target_type, target, feedback, goal, reference_url, created_at`

// AddFeedback implements metastore.Annotations.
func (s *Store) AddFeedback(ctx context.Context, f model.Feedback) error {
	if err := metastore.CheckFeedback(f); err != nil {
		return err
	}
	return s.inTransaction(ctx, "keep feedback", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO feedback (`+feedbackColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
			f.ProjectID, f.ID, f.TargetType, f.Target, f.Text, f.Goal, f.ReferenceURL, f.CreatedAt.UnixMicro())
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `
			DELETE FROM feedback WHERE project_id = $1 AND id IN (
				SELECT id FROM feedback WHERE project_id = $1 ORDER BY created_at DESC, id LIMIT $2 OFFSET $3)`,
			f.ProjectID, metastore.MaxFeedback, metastore.MaxFeedback)
		return err
	})
}

// Feedback implements metastore.Annotations.
func (s *Store) Feedback(ctx context.Context, projectID string) ([]model.Feedback, error) {
	found, _, err := listRows(ctx, s.db, feedbackColumns, rowsIn("feedback", projectID), metastore.Range{Limit: metastore.MaxFeedback}, scanFeedback)
	return found, err
}

func scanFeedback(row scanner) (f model.Feedback, err error) {
	var created int64
	err = row.Scan(&f.ProjectID, &f.ID, &f.TargetType, &f.Target, &f.Text, &f.Goal, &f.ReferenceURL, &created)
	f.CreatedAt = time.UnixMicro(created).UTC()
	return f, err
}
