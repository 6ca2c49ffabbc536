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

const (
	queueColumns     = `project_id, id, name, description, score_config_ids, created_at, updated_at`
	queueItemColumns = `project_id, queue_id, id, object_type, object_id, status, completed_at, completed_by, held_by, held_until, created_at, updated_at`
)

// CreateQueue implements metastore.Annotations.
func (s *Store) CreateQueue(ctx context.Context, q model.Queue) error {
	configs, err := json.Marshal(q.ScoreConfigIDs)
	if err != nil {
		return fmt.Errorf("encode score configs: %w", err)
	}
	if err := metastore.CheckQueue(q, string(configs)); err != nil {
		return err
	}
	_, err = s.db.ExecContext(ctx, `
		INSERT INTO annotation_queues (`+queueColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		q.ProjectID, q.ID, q.Name, q.Description, string(configs), q.CreatedAt.UnixMicro(), q.UpdatedAt.UnixMicro())
	return translate("create queue", err)
}

// Queue implements metastore.Annotations.
func (s *Store) Queue(ctx context.Context, projectID, id string) (model.Queue, error) {
	if err := metastore.CheckID("queueId", id); err != nil {
		return model.Queue{}, err
	}
	row := s.db.QueryRowContext(ctx, `SELECT `+queueColumns+` FROM annotation_queues WHERE project_id = $1 AND id = $2`, projectID, id)
	q, err := scanQueue(row)
	return q, translate("read queue", err)
}

// Queues implements metastore.Annotations.
func (s *Store) Queues(ctx context.Context, projectID string, part metastore.Range) ([]model.Queue, int, error) {
	return listRows(ctx, s.db, queueColumns, rowsIn("annotation_queues", projectID), part, scanQueue)
}

func scanQueue(row scanner) (q model.Queue, err error) {
	var (
		configs          string
		created, updated int64
	)
	if err := row.Scan(&q.ProjectID, &q.ID, &q.Name, &q.Description, &configs, &created, &updated); err != nil {
		return model.Queue{}, err
	}
	q.CreatedAt, q.UpdatedAt = time.UnixMicro(created).UTC(), time.UnixMicro(updated).UTC()
	return q, json.Unmarshal([]byte(configs), &q.ScoreConfigIDs)
}

// CreateQueueItem implements metastore.Annotations.
func (s *Store) CreateQueueItem(ctx context.Context, i model.QueueItem) error {
	if err := metastore.CheckQueueItem(i); err != nil {
		return err
	}
	_, err := s.db.ExecContext(ctx, `
		INSERT INTO annotation_queue_items (`+queueItemColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
		i.ProjectID, i.QueueID, i.ID, string(i.ObjectType), i.ObjectID, string(i.Status), micros(i.CompletedAt), i.CompletedBy,
		i.HeldBy, micros(i.HeldUntil), i.CreatedAt.UnixMicro(), i.UpdatedAt.UnixMicro())
	return translate("create queue item", err)
}

// QueueItem implements metastore.Annotations.
func (s *Store) QueueItem(ctx context.Context, projectID, queueID, id string) (model.QueueItem, error) {
	if err := metastore.CheckIDs("queueId", queueID, "itemId", id); err != nil {
		return model.QueueItem{}, err
	}
	row := s.db.QueryRowContext(ctx,
		`SELECT `+queueItemColumns+` FROM annotation_queue_items WHERE project_id = $1 AND queue_id = $2 AND id = $3`, projectID, queueID, id)
	i, err := scanQueueItem(row)
	return i, translate("read queue item", err)
}

// QueueItems implements metastore.Annotations.
func (s *Store) QueueItems(ctx context.Context, projectID, queueID string, status model.QueueStatus, part metastore.Range) ([]model.QueueItem, int, error) {
	if err := metastore.CheckID("queueId", queueID); err != nil {
		return nil, 0, err
	}
	from := rowsIn("annotation_queue_items", projectID)
	from.and("queue_id", queueID)
	from.and("status", string(status))
	return listRows(ctx, s.db, queueItemColumns, from, part, scanQueueItem)
}

func scanQueueItem(row scanner) (i model.QueueItem, err error) {
	var (
		completed, held  sql.NullInt64
		created, updated int64
	)
	err = row.Scan(&i.ProjectID, &i.QueueID, &i.ID, &i.ObjectType, &i.ObjectID, &i.Status, &completed, &i.CompletedBy, &i.HeldBy, &held, &created, &updated)
	i.CreatedAt, i.UpdatedAt = time.UnixMicro(created).UTC(), time.UnixMicro(updated).UTC()
	i.CompletedAt, i.HeldUntil = moment(completed), moment(held)
	return i, err
}

// UpdateQueueItem implements metastore.Annotations.
func (s *Store) UpdateQueueItem(ctx context.Context, i model.QueueItem) error {
	if err := metastore.CheckQueueItem(i); err != nil {
		return err
	}
	done, err := s.db.ExecContext(ctx, `
		UPDATE annotation_queue_items SET status = $4, completed_at = $5, updated_at = $6, completed_by = '', held_by = '', held_until = NULL
		WHERE project_id = $1 AND queue_id = $2 AND id = $3`,
		i.ProjectID, i.QueueID, i.ID, string(i.Status), micros(i.CompletedAt), i.UpdatedAt.UnixMicro())
	return affected("update queue item", done, err)
}

// DeleteQueueItem implements metastore.Annotations.
func (s *Store) DeleteQueueItem(ctx context.Context, projectID, queueID, id string) error {
	if err := metastore.CheckIDs("queueId", queueID, "itemId", id); err != nil {
		return err
	}
	return s.inTransaction(ctx, "delete queue item", func(tx *sql.Tx) error {
		// The lock keeps out whoever would note something meanwhile.
		done, err := tx.ExecContext(ctx,
			`UPDATE annotation_queue_items SET held_by = '', held_until = NULL WHERE project_id = $1 AND queue_id = $2 AND id = $3`, projectID, queueID, id)
		if err := oneRow(done, err); err != nil {
			return err
		}
		for _, table := range []string{`annotation_drafts WHERE item_id`, `annotation_queue_items WHERE id`} {
			if _, err := tx.ExecContext(ctx, `DELETE FROM `+table+` = $2 AND project_id = $1`, projectID, id); err != nil {
				return err
			}
		}
		return nil
	})
}

// Assign implements metastore.Annotations.
func (s *Store) Assign(ctx context.Context, projectID, queueID, userID string) error {
	if err := metastore.CheckIDs("queueId", queueID, "userId", userID); err != nil {
		return err
	}
	_, err := s.db.ExecContext(ctx, `
		INSERT INTO annotation_queue_assignments (project_id, queue_id, user_id, created_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT DO NOTHING`, projectID, queueID, userID, time.Now().UnixMicro())
	return translate("assign queue", err)
}

// Unassign implements metastore.Annotations.
func (s *Store) Unassign(ctx context.Context, projectID, queueID, userID string) (bool, error) {
	if err := metastore.CheckIDs("queueId", queueID, "userId", userID); err != nil {
		return false, err
	}
	done, err := s.db.ExecContext(ctx,
		`DELETE FROM annotation_queue_assignments WHERE project_id = $1 AND queue_id = $2 AND user_id = $3`, projectID, queueID, userID)
	if err != nil {
		return false, translate("take back queue", err)
	}
	rows, err := done.RowsAffected()
	return rows > 0, translate("take back queue", err)
}
