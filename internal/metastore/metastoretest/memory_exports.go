package metastoretest

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// SaveExport implements metastore.Exports.
func (m *Memory) SaveExport(ctx context.Context, e model.Export) (int64, error) {
	_, err := metastore.ExportText(e)
	if err := cmp.Or(ctx.Err(), err); err != nil {
		return 0, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if project, known := m.projects[e.ProjectID]; !known || project.Organization.ID != e.OrganizationID {
		return 0, metastore.ErrNotFound
	}
	old, exists := m.exports[e.ProjectID]
	if old.Revision != e.Revision {
		return 0, metastore.ErrExportChanged
	}
	if exists {
		e.ID, e.CreatedAt = old.ID, old.CreatedAt
	}
	e.Revision++
	e = detachedExport(e)
	e.Until, e.LastSyncAt, e.LastErrorAt = microsecond(e.Until), microsecond(e.LastSyncAt), microsecond(e.LastErrorAt)
	e.CreatedAt, e.UpdatedAt = microsecond(e.CreatedAt), microsecond(e.UpdatedAt)
	m.exports[e.ProjectID] = e
	return e.Revision, nil
}

// detachedExport copies what a caller could change from outside.
func detachedExport(e model.Export) model.Export {
	e.SealedSecret, e.Settings.FieldGroups = bytes.Clone(e.SealedSecret), slices.Clone(e.Settings.FieldGroups)
	return e
}

// Export implements metastore.Exports.
func (m *Memory) Export(ctx context.Context, projectID string) (model.Export, error) {
	if err := cmp.Or(ctx.Err(), metastore.CheckID("projectId", projectID)); err != nil {
		return model.Export{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.exports[projectID]
	if !ok {
		return model.Export{}, metastore.ErrNotFound
	}
	return detachedExport(e), nil
}

// Exports implements metastore.Exports.
func (m *Memory) Exports(ctx context.Context, organizationID, after string, limit int) ([]model.Export, error) {
	return m.someExports(ctx, after, limit, func(e model.Export) bool { return e.OrganizationID == organizationID })
}

// EnabledExports implements metastore.Exports.
func (m *Memory) EnabledExports(ctx context.Context, after string, limit int) ([]model.Export, error) {
	return m.someExports(ctx, after, limit, func(e model.Export) bool { return e.Settings.Enabled && m.workable(e.ProjectID) })
}

func (m *Memory) someExports(ctx context.Context, after string, limit int, wanted func(model.Export) bool) ([]model.Export, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []model.Export
	for _, e := range m.exports {
		if e.ProjectID > after && wanted(e) {
			list = append(list, detachedExport(e))
		}
	}
	slices.SortFunc(list, func(a, b model.Export) int { return cmp.Compare(a.ProjectID, b.ProjectID) })
	return list[:min(len(list), limit)], nil
}

// DeleteExport implements metastore.Exports.
func (m *Memory) DeleteExport(ctx context.Context, projectID string) error {
	if err := cmp.Or(ctx.Err(), metastore.CheckID("projectId", projectID)); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.exports[projectID]; !ok {
		return metastore.ErrNotFound
	}
	delete(m.exports, projectID)
	return nil
}
