package metastoretest

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// CreateSavedView implements metastore.SavedViews.
func (m *Memory) CreateSavedView(ctx context.Context, v model.SavedView) error {
	if err := cmp.Or(ctx.Err(), metastore.CheckSavedView(v)); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	count := 0
	for key := range m.savedViews {
		if key.project == v.ProjectID {
			count++
		}
	}
	if count >= metastore.MaxSavedViews {
		return metastore.TooMany(metastore.MaxSavedViews, "saved views of a project")
	}
	v.CreatedAt, v.UpdatedAt = microsecond(v.CreatedAt), microsecond(v.UpdatedAt)
	if err := add(m, m.savedViews, rowKey{v.ProjectID, v.ID}, v); err != nil {
		return err
	}
	m.onlyDefault(v)
	return nil
}

// UpdateSavedView implements metastore.SavedViews.
func (m *Memory) UpdateSavedView(ctx context.Context, v model.SavedView) error {
	if err := cmp.Or(ctx.Err(), metastore.CheckSavedView(v)); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	key := rowKey{v.ProjectID, v.ID}
	old, known := m.savedViews[key]
	if !known {
		return metastore.ErrNotFound
	}
	old.Name, old.State, old.Shared, old.Default, old.UpdatedAt = v.Name, v.State, v.Shared, v.Default, microsecond(v.UpdatedAt)
	m.savedViews[key] = old
	m.onlyDefault(v)
	return nil
}

// onlyDefault takes the default from the view that had it.
func (m *Memory) onlyDefault(v model.SavedView) {
	for key, other := range m.savedViews {
		if v.Default && key.project == v.ProjectID && key.id != v.ID && other.Table == v.Table && other.Shared == v.Shared &&
			(v.Shared || other.OwnerID == v.OwnerID) {
			other.Default = false
			m.savedViews[key] = other
		}
	}
}

// SavedView implements metastore.SavedViews.
func (m *Memory) SavedView(ctx context.Context, projectID, id string) (model.SavedView, error) {
	if err := cmp.Or(ctx.Err(), metastore.CheckID("id", id)); err != nil {
		return model.SavedView{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	v, known := m.savedViews[rowKey{projectID, id}]
	if !known {
		return model.SavedView{}, metastore.ErrNotFound
	}
	return v, nil
}

// SavedViews implements metastore.SavedViews.
func (m *Memory) SavedViews(ctx context.Context, projectID string, q metastore.SavedViewQuery, part metastore.Range) ([]model.SavedView, int, error) {
	if err := cmp.Or(ctx.Err(), q.Check()); err != nil {
		return nil, 0, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	list, total := newest(m.savedViews, part, func(v model.SavedView) time.Time { return v.CreatedAt }, func(key rowKey, v model.SavedView) bool {
		return key.project == projectID && (q.Table == "" || v.Table == q.Table) && (v.Shared || v.OwnerID == q.OwnerID)
	})
	return list, total, nil
}

// DefaultViews implements metastore.SavedViews.
func (m *Memory) DefaultViews(ctx context.Context, projectIDs []string, ownerID string) ([]model.SavedView, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var views []model.SavedView
	for key, v := range m.savedViews {
		if slices.Contains(projectIDs, key.project) && v.Default && (v.Shared || v.OwnerID == ownerID) {
			v.State = ""
			views = append(views, v)
		}
	}
	slices.SortFunc(views, func(a, b model.SavedView) int {
		return cmp.Or(cmp.Compare(a.ProjectID, b.ProjectID), cmp.Compare(a.Table, b.Table), cmp.Compare(a.ID, b.ID))
	})
	return views, ctx.Err()
}

// DeleteSavedView implements metastore.SavedViews.
func (m *Memory) DeleteSavedView(ctx context.Context, projectID, id string) error {
	if err := cmp.Or(ctx.Err(), metastore.CheckID("id", id)); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	key := rowKey{projectID, id}
	if _, known := m.savedViews[key]; !known {
		return metastore.ErrNotFound
	}
	delete(m.savedViews, key)
	return nil
}
