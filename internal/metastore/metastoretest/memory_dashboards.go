package metastoretest

import (
	"cmp"
	"context"
	"slices"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// SaveDashboard implements metastore.Dashboards.
func (m *Memory) SaveDashboard(ctx context.Context, d model.Dashboard) (int64, error) {
	if _, err := metastore.TilesText(d); cmp.Or(ctx.Err(), err) != nil {
		return 0, cmp.Or(ctx.Err(), err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	key := rowKey{d.ProjectID, d.ID}
	old, known := m.dashboards[key]
	if _, there := m.projects[d.ProjectID]; !there && d.Revision == 0 {
		return 0, metastore.ErrNotFound
	}
	if d.Revision == 0 && !known && len(m.dashboardsOf(d.ProjectID)) >= metastore.MaxDashboards {
		return 0, metastore.TooMany(metastore.MaxDashboards, "dashboards of a project")
	}
	if old.Revision != d.Revision {
		return 0, metastore.ErrDashboardChanged
	}
	if known {
		d.CreatedAt = old.CreatedAt
	}
	d.Tiles, d.TileCount, d.Revision = slices.Clone(d.Tiles), len(d.Tiles), d.Revision+1
	d.CreatedAt, d.UpdatedAt = microsecond(d.CreatedAt), microsecond(d.UpdatedAt)
	m.dashboards[key] = d
	return d.Revision, nil
}

// Dashboard implements metastore.Dashboards.
func (m *Memory) Dashboard(ctx context.Context, projectID, id string) (model.Dashboard, error) {
	if err := cmp.Or(ctx.Err(), metastore.CheckID("dashboardId", id)); err != nil {
		return model.Dashboard{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	d, known := m.dashboards[rowKey{projectID, id}]
	if !known {
		return model.Dashboard{}, metastore.ErrNotFound
	}
	d.Tiles = append([]model.Tile{}, d.Tiles...)
	return d, nil
}

// Dashboards implements metastore.Dashboards.
func (m *Memory) Dashboards(ctx context.Context, projectID string) ([]model.Dashboard, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.dashboardsOf(projectID), nil
}

func (m *Memory) dashboardsOf(projectID string) (list []model.Dashboard) {
	for key, d := range m.dashboards {
		if key.project == projectID {
			d.Tiles = nil
			list = append(list, d)
		}
	}
	slices.SortFunc(list, func(a, b model.Dashboard) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	return list
}

// DeleteDashboard implements metastore.Dashboards.
func (m *Memory) DeleteDashboard(ctx context.Context, projectID, id string) error {
	if err := cmp.Or(ctx.Err(), metastore.CheckID("dashboardId", id)); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	key := rowKey{projectID, id}
	if _, known := m.dashboards[key]; !known {
		return metastore.ErrNotFound
	}
	delete(m.dashboards, key)
	return nil
}
