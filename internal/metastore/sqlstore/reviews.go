package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// free is true of items that somebody, $3, may hold at a time, $4.
const free = `status = 'PENDING' AND (held_by = '' OR held_by = $3 OR held_until <= $4)`

// UpdateQueue implements metastore.Reviews.
func (s *Store) UpdateQueue(ctx context.Context, q model.Queue) error {
	configs, err := json.Marshal(q.ScoreConfigIDs)
	if err != nil {
		return fmt.Errorf("encode score configs: %w", err)
	}
	if err := metastore.CheckQueue(q, string(configs)); err != nil {
		return err
	}
	done, err := s.db.ExecContext(ctx, `
		UPDATE annotation_queues SET name = $3, description = $4, score_config_ids = $5, updated_at = $6 WHERE project_id = $1 AND id = $2`,
		q.ProjectID, q.ID, q.Name, q.Description, string(configs), q.UpdatedAt.UnixMicro())
	return affected("update queue", done, err)
}

// QueueProgress implements metastore.Reviews.
func (s *Store) QueueProgress(ctx context.Context, projectID string, queueIDs []string, now time.Time) ([]model.QueueProgress, error) {
	list := make([]model.QueueProgress, len(queueIDs))
	for i, id := range queueIDs {
		if err := metastore.CheckID("queueId", id); err != nil {
			return nil, err
		}
		progress, err := s.progressOf(ctx, projectID, id, now)
		if err != nil {
			return nil, err
		}
		list[i] = progress
	}
	return list, nil
}

func (s *Store) progressOf(ctx context.Context, projectID, queueID string, now time.Time) (model.QueueProgress, error) {
	progress := model.QueueProgress{QueueID: queueID}
	err := s.db.QueryRowContext(ctx, `
		SELECT count(CASE WHEN status = 'PENDING' THEN 1 END), count(CASE WHEN status = 'COMPLETED' THEN 1 END)
		FROM annotation_queue_items WHERE project_id = $1 AND queue_id = $2`, projectID, queueID).Scan(&progress.Pending, &progress.Completed)
	if err != nil {
		return progress, translate("read progress of queue", err)
	}
	progress.Held, err = readAll(ctx, s.db, "list held items", scanQueueItem, `SELECT `+queueItemColumns+` FROM annotation_queue_items
		WHERE project_id = $1 AND queue_id = $2 AND status = 'PENDING' AND held_by <> '' AND held_until > $3 ORDER BY created_at, id LIMIT $4`,
		projectID, queueID, now.UnixMicro(), metastore.MaxHeldShown)
	if err != nil {
		return progress, err
	}
	progress.Assigned, err = readAll(ctx, s.db, "list assignments", scanText,
		`SELECT user_id FROM annotation_queue_assignments WHERE project_id = $1 AND queue_id = $2 ORDER BY created_at, user_id`, projectID, queueID)
	return progress, err
}

func scanText(row scanner) (text string, err error) { return text, row.Scan(&text) }

// HoldQueueItem implements metastore.Reviews.
func (s *Store) HoldQueueItem(ctx context.Context, h metastore.Hold, itemID string) (model.QueueItem, error) {
	return s.changeHeld(ctx, "hold queue item", h, itemID, `held_by = $3, held_until = $5`, free, h.Until.UnixMicro())
}

// CompleteQueueItem implements metastore.Reviews.
func (s *Store) CompleteQueueItem(ctx context.Context, h metastore.Hold, itemID string) (model.QueueItem, error) {
	return s.changeHeld(ctx, "complete queue item", h, itemID,
		`status = 'COMPLETED', completed_by = $3, completed_at = $5, updated_at = $5, held_by = '', held_until = NULL`,
		`status = 'PENDING' AND held_by = $3 AND held_until > $4`, h.Now.UnixMicro())
}

// ReopenQueueItem implements metastore.Reviews.
func (s *Store) ReopenQueueItem(ctx context.Context, h metastore.Hold, itemID string) (model.QueueItem, error) {
	return s.changeHeld(ctx, "reopen queue item", h, itemID,
		`status = 'PENDING', completed_by = '', completed_at = NULL, updated_at = $4, held_by = $3, held_until = $5`,
		`status = 'COMPLETED' AND completed_by = $3`, h.Until.UnixMicro())
}

// changeHeld changes an item in one statement where it meets a condition, so that of several who ask at once one
// finds it so. In both texts $3 is the user, $4 the time and $5 the value that belongs to the change.
func (s *Store) changeHeld(ctx context.Context, doing string, h metastore.Hold, itemID, change, condition string, value int64) (model.QueueItem, error) {
	if err := cmp.Or(h.Check(), metastore.CheckID("itemId", itemID)); err != nil {
		return model.QueueItem{}, err
	}
	item, err := scanQueueItem(s.db.QueryRowContext(ctx, `
		UPDATE annotation_queue_items SET `+change+` WHERE project_id = $1 AND id = $2 AND `+condition+` AND queue_id = $6 RETURNING `+queueItemColumns,
		h.ProjectID, itemID, h.UserID, h.Now.UnixMicro(), value, h.QueueID))
	if errors.Is(err, sql.ErrNoRows) {
		if _, err = s.QueueItem(ctx, h.ProjectID, h.QueueID, itemID); err == nil {
			err = metastore.ErrInUse
		}
	}
	return item, translate(doing, err)
}

// maxTries is how often an item is looked for that nobody takes first. Each time somebody else got one.
const maxTries = 100

// HoldNextQueueItem implements metastore.Reviews.
func (s *Store) HoldNextQueueItem(ctx context.Context, h metastore.Hold, fromID string, back bool) (model.QueueItem, error) {
	if err := h.Check(); err != nil {
		return model.QueueItem{}, err
	}
	for range maxTries {
		id, err := s.nextFree(ctx, h, fromID, back)
		if err != nil {
			return model.QueueItem{}, translate("find next queue item", err)
		}
		item, err := s.HoldQueueItem(ctx, h, id)
		if errors.Is(err, metastore.ErrInUse) || errors.Is(err, metastore.ErrNotFound) {
			continue
		}
		if err != nil {
			return item, err
		}
		_, err = s.db.ExecContext(ctx, `
			UPDATE annotation_queue_items SET held_by = '', held_until = NULL WHERE project_id = $1 AND queue_id = $2 AND held_by = $3 AND id <> $4`,
			h.ProjectID, h.QueueID, h.UserID, item.ID)
		return item, translate("let queue items go", err)
	}
	return model.QueueItem{}, fault.Unavailablef("many people take items of this queue at once")
}

// nextFree finds the item that HoldNextQueueItem promises. Another may take it before it is held.
func (s *Store) nextFree(ctx context.Context, h metastore.Hold, fromID string, back bool) (id string, err error) {
	const from = `SELECT id FROM annotation_queue_items WHERE project_id = $1 AND queue_id = $2 AND ` + free
	args := []any{h.ProjectID, h.QueueID, h.UserID, h.Now.UnixMicro()}
	direction, beyond := "", ">"
	if back {
		direction, beyond = " DESC", "<"
	}
	order := ` ORDER BY created_at` + direction + `, id` + direction + ` LIMIT 1`
	if fromID == "" {
		order = ` ORDER BY CASE WHEN held_by = $3 AND held_until > $4 THEN 0 ELSE 1 END, created_at` + direction + `, id` + direction + ` LIMIT 1`
		return id, s.db.QueryRowContext(ctx, from+order, args...).Scan(&id)
	}
	at, err := s.QueueItem(ctx, h.ProjectID, h.QueueID, fromID)
	if err != nil && !errors.Is(err, metastore.ErrNotFound) {
		return "", err
	}
	if err == nil {
		err = s.db.QueryRowContext(ctx, from+` AND (created_at, id) `+beyond+` ($5, $6)`+order, append(args, at.CreatedAt.UnixMicro(), at.ID)...).Scan(&id)
		if !errors.Is(err, sql.ErrNoRows) {
			return id, err
		}
	}
	return id, s.db.QueryRowContext(ctx, from+order, args...).Scan(&id)
}

// ReleaseQueueItem implements metastore.Reviews.
func (s *Store) ReleaseQueueItem(ctx context.Context, h metastore.Hold, itemID string) error {
	if err := cmp.Or(h.Check(), metastore.CheckID("itemId", itemID)); err != nil {
		return err
	}
	_, err := s.db.ExecContext(ctx, `
		UPDATE annotation_queue_items SET held_by = '', held_until = NULL WHERE project_id = $1 AND queue_id = $2 AND held_by = $3 AND id = $4`,
		h.ProjectID, h.QueueID, h.UserID, itemID)
	return translate("let queue item go", err)
}

// SaveDraft implements metastore.Reviews.
func (s *Store) SaveDraft(ctx context.Context, h metastore.Hold, itemID, draft string) error {
	if err := cmp.Or(h.Check(), metastore.CheckID("itemId", itemID), metastore.CheckDraft(draft)); err != nil {
		return err
	}
	return s.inTransaction(ctx, "save draft", func(tx *sql.Tx) error {
		done, err := tx.ExecContext(ctx, `
			UPDATE annotation_queue_items SET held_until = $5
			WHERE project_id = $1 AND id = $2 AND status = 'PENDING' AND held_by = $3 AND held_until > $4 AND queue_id = $6`,
			h.ProjectID, itemID, h.UserID, h.Now.UnixMicro(), h.Until.UnixMicro(), h.QueueID)
		if err := oneRow(done, err); err != nil {
			if errors.Is(err, metastore.ErrNotFound) {
				return metastore.ErrInUse
			}
			return err
		}
		_, err = tx.ExecContext(ctx, `
			INSERT INTO annotation_drafts (project_id, item_id, user_id, draft, updated_at) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (project_id, item_id, user_id) DO UPDATE SET draft = excluded.draft, updated_at = excluded.updated_at`,
			h.ProjectID, itemID, h.UserID, draft, h.Now.UnixMicro())
		return err
	})
}

// Draft implements metastore.Reviews.
func (s *Store) Draft(ctx context.Context, projectID, queueID, itemID, userID string) (draft string, err error) {
	if err := metastore.CheckIDs("queueId", queueID, "itemId", itemID, "userId", userID); err != nil {
		return "", err
	}
	err = s.db.QueryRowContext(ctx, `
		SELECT d.draft FROM annotation_drafts d JOIN annotation_queue_items i ON i.project_id = d.project_id AND i.id = d.item_id
		WHERE d.project_id = $1 AND i.queue_id = $2 AND d.item_id = $3 AND d.user_id = $4`, projectID, queueID, itemID, userID).Scan(&draft)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return draft, translate("read draft", err)
}
