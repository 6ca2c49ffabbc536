package metastoretest

import (
	"cmp"
	"context"
	"maps"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// CreateQueueItem implements metastore.Annotations.
func (m *Memory) CreateQueueItem(ctx context.Context, i model.QueueItem) error {
	if err := cmp.Or(ctx.Err(), metastore.CheckQueueItem(i)); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, known := m.queues[rowKey{i.ProjectID, i.QueueID}]; !known {
		return metastore.ErrNotFound
	}
	return add(m, m.items, rowKey{i.ProjectID, i.ID}, keptItem(i))
}

func keptItem(i model.QueueItem) model.QueueItem {
	i.CreatedAt, i.UpdatedAt = microsecond(i.CreatedAt), microsecond(i.UpdatedAt)
	if !i.CompletedAt.IsZero() {
		i.CompletedAt = microsecond(i.CompletedAt)
	}
	if !i.HeldUntil.IsZero() {
		i.HeldUntil = microsecond(i.HeldUntil)
	}
	return i
}

// QueueItem implements metastore.Annotations.
func (m *Memory) QueueItem(ctx context.Context, projectID, queueID, id string) (model.QueueItem, error) {
	if err := cmp.Or(ctx.Err(), metastore.CheckIDs("queueId", queueID, "itemId", id)); err != nil {
		return model.QueueItem{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	i, known := m.items[rowKey{projectID, id}]
	if !known || i.QueueID != queueID {
		return model.QueueItem{}, metastore.ErrNotFound
	}
	return i, nil
}

// QueueItems implements metastore.Annotations.
func (m *Memory) QueueItems(ctx context.Context, projectID, queueID string, status model.QueueStatus, part metastore.Range) ([]model.QueueItem, int, error) {
	if err := cmp.Or(ctx.Err(), metastore.CheckID("queueId", queueID)); err != nil {
		return nil, 0, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	list, total := newest(m.items, part, func(i model.QueueItem) time.Time { return i.CreatedAt }, func(key rowKey, i model.QueueItem) bool {
		return key.project == projectID && i.QueueID == queueID && (status == "" || i.Status == status)
	})
	return list, total, nil
}

// UpdateQueueItem implements metastore.Annotations.
func (m *Memory) UpdateQueueItem(ctx context.Context, i model.QueueItem) error {
	if err := cmp.Or(ctx.Err(), metastore.CheckQueueItem(i)); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	key := rowKey{i.ProjectID, i.ID}
	old, known := m.items[key]
	if !known || old.QueueID != i.QueueID {
		return metastore.ErrNotFound
	}
	old.Status, old.CompletedAt, old.UpdatedAt = i.Status, i.CompletedAt, i.UpdatedAt
	old.CompletedBy, old.HeldBy, old.HeldUntil = "", "", time.Time{}
	m.items[key] = keptItem(old)
	return nil
}

// DeleteQueueItem implements metastore.Annotations.
func (m *Memory) DeleteQueueItem(ctx context.Context, projectID, queueID, id string) error {
	if _, err := m.QueueItem(ctx, projectID, queueID, id); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.items, rowKey{projectID, id})
	maps.DeleteFunc(m.drafts, func(key draftKey, _ string) bool { return key.project == projectID && key.item == id })
	return nil
}

// Assign implements metastore.Annotations.
func (m *Memory) Assign(ctx context.Context, projectID, queueID, userID string) error {
	if err := cmp.Or(ctx.Err(), metastore.CheckIDs("queueId", queueID, "userId", userID)); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, known := m.queues[rowKey{projectID, queueID}]; !known {
		return metastore.ErrNotFound
	}
	if key := (assignment{projectID, queueID, userID}); m.assignments[key] == 0 {
		m.assigned++
		m.assignments[key] = m.assigned
	}
	return nil
}

// Unassign implements metastore.Annotations.
func (m *Memory) Unassign(ctx context.Context, projectID, queueID, userID string) (bool, error) {
	if err := cmp.Or(ctx.Err(), metastore.CheckIDs("queueId", queueID, "userId", userID)); err != nil {
		return false, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	key := assignment{projectID, queueID, userID}
	_, had := m.assignments[key]
	delete(m.assignments, key)
	return had, nil
}
