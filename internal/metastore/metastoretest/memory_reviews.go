package metastoretest

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// UpdateQueue implements metastore.Reviews.
func (m *Memory) UpdateQueue(ctx context.Context, q model.Queue) error {
	configs, err := json.Marshal(q.ScoreConfigIDs)
	if err := cmp.Or(ctx.Err(), err, metastore.CheckQueue(q, string(configs))); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	old, known := m.queues[rowKey{q.ProjectID, q.ID}]
	if !known {
		return metastore.ErrNotFound
	}
	for key, other := range m.queues {
		if key.project == q.ProjectID && other.Name == q.Name && other.ID != q.ID {
			return metastore.ErrExists
		}
	}
	old.Name, old.Description, old.ScoreConfigIDs, old.UpdatedAt = q.Name, q.Description, slices.Clone(q.ScoreConfigIDs), microsecond(q.UpdatedAt)
	m.queues[rowKey{q.ProjectID, q.ID}] = old
	return nil
}

// QueueProgress implements metastore.Reviews.
func (m *Memory) QueueProgress(ctx context.Context, projectID string, queueIDs []string, now time.Time) ([]model.QueueProgress, error) {
	list := make([]model.QueueProgress, len(queueIDs))
	for i, id := range queueIDs {
		if err := cmp.Or(ctx.Err(), metastore.CheckID("queueId", id)); err != nil {
			return nil, err
		}
		list[i] = m.progressOf(projectID, id, now)
	}
	return list, nil
}

func (m *Memory) progressOf(projectID, queueID string, now time.Time) model.QueueProgress {
	m.mu.Lock()
	defer m.mu.Unlock()
	progress := model.QueueProgress{QueueID: queueID}
	for _, i := range m.oldestItems(projectID, queueID) {
		switch i.Status {
		case model.Pending:
			progress.Pending++
		case model.Completed:
			progress.Completed++
		}
		if i.HeldAt(now) != "" && len(progress.Held) < metastore.MaxHeldShown {
			progress.Held = append(progress.Held, i)
		}
	}
	for a := range m.assignments {
		if a.project == projectID && a.queue == queueID {
			progress.Assigned = append(progress.Assigned, a.user)
		}
	}
	slices.SortFunc(progress.Assigned, func(a, b string) int {
		return cmp.Compare(m.assignments[assignment{projectID, queueID, a}], m.assignments[assignment{projectID, queueID, b}])
	})
	return progress
}

// oldestItems lists a queue in the order of reviews. The caller holds the lock.
func (m *Memory) oldestItems(projectID, queueID string) []model.QueueItem {
	var list []model.QueueItem
	for key, i := range m.items {
		if key.project == projectID && i.QueueID == queueID {
			list = append(list, i)
		}
	}
	slices.SortFunc(list, inReview)
	return list
}

func inReview(a, b model.QueueItem) int {
	return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), strings.Compare(a.ID, b.ID))
}

// mayHold reports whether an item is free for whoever asks.
func mayHold(i model.QueueItem, h metastore.Hold) bool {
	holder := i.HeldAt(h.Now)
	return i.Status == model.Pending && (holder == "" || holder == h.UserID)
}

// HoldQueueItem implements metastore.Reviews.
func (m *Memory) HoldQueueItem(ctx context.Context, h metastore.Hold, itemID string) (model.QueueItem, error) {
	return m.changeHeld(ctx, h, itemID, func(i *model.QueueItem) bool {
		if !mayHold(*i, h) {
			return false
		}
		i.HeldBy, i.HeldUntil = h.UserID, h.Until
		return true
	})
}

// CompleteQueueItem implements metastore.Reviews.
func (m *Memory) CompleteQueueItem(ctx context.Context, h metastore.Hold, itemID string) (model.QueueItem, error) {
	return m.changeHeld(ctx, h, itemID, func(i *model.QueueItem) bool {
		if i.HeldAt(h.Now) != h.UserID {
			return false
		}
		i.Status, i.CompletedBy, i.CompletedAt, i.UpdatedAt, i.HeldBy, i.HeldUntil = model.Completed, h.UserID, h.Now, h.Now, "", time.Time{}
		return true
	})
}

// ReopenQueueItem implements metastore.Reviews.
func (m *Memory) ReopenQueueItem(ctx context.Context, h metastore.Hold, itemID string) (model.QueueItem, error) {
	return m.changeHeld(ctx, h, itemID, func(i *model.QueueItem) bool {
		if i.Status != model.Completed || i.CompletedBy != h.UserID {
			return false
		}
		i.Status, i.CompletedBy, i.CompletedAt, i.UpdatedAt, i.HeldBy, i.HeldUntil = model.Pending, "", time.Time{}, h.Now, h.UserID, h.Until
		return true
	})
}

func (m *Memory) changeHeld(ctx context.Context, h metastore.Hold, itemID string, change func(*model.QueueItem) bool) (model.QueueItem, error) {
	if err := cmp.Or(ctx.Err(), h.Check(), metastore.CheckID("itemId", itemID)); err != nil {
		return model.QueueItem{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	key := rowKey{h.ProjectID, itemID}
	i, known := m.items[key]
	if !known || i.QueueID != h.QueueID {
		return model.QueueItem{}, metastore.ErrNotFound
	}
	if !change(&i) {
		return model.QueueItem{}, metastore.ErrInUse
	}
	m.items[key] = keptItem(i)
	return m.items[key], nil
}

// HoldNextQueueItem implements metastore.Reviews.
func (m *Memory) HoldNextQueueItem(ctx context.Context, h metastore.Hold, fromID string, back bool) (model.QueueItem, error) {
	if err := cmp.Or(ctx.Err(), h.Check()); err != nil {
		return model.QueueItem{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	list := m.oldestItems(h.ProjectID, h.QueueID)
	if back {
		slices.Reverse(list)
	}
	if at := slices.IndexFunc(list, func(i model.QueueItem) bool { return i.ID == fromID }); at >= 0 {
		list = append(slices.Clone(list[at+1:]), list[:at+1]...)
	}
	next := slices.IndexFunc(list, func(i model.QueueItem) bool { return fromID == "" && i.HeldAt(h.Now) == h.UserID })
	if next < 0 {
		next = slices.IndexFunc(list, func(i model.QueueItem) bool { return mayHold(i, h) })
	}
	if next < 0 {
		return model.QueueItem{}, metastore.ErrNotFound
	}
	for _, i := range list {
		if i.HeldBy == h.UserID {
			i.HeldBy, i.HeldUntil = "", time.Time{}
			m.items[rowKey{h.ProjectID, i.ID}] = i
		}
	}
	item := list[next]
	item.HeldBy, item.HeldUntil = h.UserID, h.Until
	m.items[rowKey{h.ProjectID, item.ID}] = keptItem(item)
	return keptItem(item), nil
}

// ReleaseQueueItem implements metastore.Reviews.
func (m *Memory) ReleaseQueueItem(ctx context.Context, h metastore.Hold, itemID string) error {
	if err := cmp.Or(ctx.Err(), h.Check(), metastore.CheckID("itemId", itemID)); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if i, known := m.items[rowKey{h.ProjectID, itemID}]; known && i.QueueID == h.QueueID && i.HeldBy == h.UserID {
		i.HeldBy, i.HeldUntil = "", time.Time{}
		m.items[rowKey{h.ProjectID, itemID}] = i
	}
	return nil
}

// SaveDraft implements metastore.Reviews.
func (m *Memory) SaveDraft(ctx context.Context, h metastore.Hold, itemID, draft string) error {
	if err := metastore.CheckDraft(draft); err != nil {
		return err
	}
	_, err := m.changeHeld(ctx, h, itemID, func(i *model.QueueItem) bool {
		if i.HeldAt(h.Now) != h.UserID {
			return false
		}
		i.HeldUntil = h.Until
		m.drafts[draftKey{h.ProjectID, itemID, h.UserID}] = draft
		return true
	})
	if err == metastore.ErrNotFound { //nolint:errorlint // our own, as it is
		return metastore.ErrInUse
	}
	return err
}

// Draft implements metastore.Reviews.
func (m *Memory) Draft(ctx context.Context, projectID, queueID, itemID, userID string) (string, error) {
	if err := cmp.Or(ctx.Err(), metastore.CheckIDs("queueId", queueID, "itemId", itemID, "userId", userID)); err != nil {
		return "", err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if i, known := m.items[rowKey{projectID, itemID}]; !known || i.QueueID != queueID {
		return "", nil
	}
	return m.drafts[draftKey{projectID, itemID, userID}], nil
}
