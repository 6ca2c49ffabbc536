package metastoretest

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// Project implements metastore.Projects.
func (m *Memory) Project(ctx context.Context, id string) (model.Project, error) {
	if err := cmp.Or(ctx.Err(), metastore.CheckID("project id", id)); err != nil {
		return model.Project{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	p, known := m.projects[id]
	if known {
		p.Organization = m.organizations[p.Organization.ID]
	}
	return p, foundIf(known)
}

// Projects implements metastore.Projects.
func (m *Memory) Projects(ctx context.Context) ([]model.Project, error) {
	return m.projectsWhere(ctx, func(model.Project) bool { return true })
}

// ProjectsOf implements metastore.Projects.
func (m *Memory) ProjectsOf(ctx context.Context, organizationID string) ([]model.Project, error) {
	if err := metastore.CheckID("organization id", organizationID); err != nil {
		return nil, err
	}
	return m.projectsWhere(ctx, func(p model.Project) bool {
		return p.Organization.ID == organizationID && p.ErasingAt.IsZero()
	})
}

func (m *Memory) projectsWhere(ctx context.Context, wanted func(model.Project) bool) ([]model.Project, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []model.Project
	for _, p := range m.projects {
		if wanted(p) {
			p.Organization = m.organizations[p.Organization.ID]
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(a, b model.Project) int { return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID)) })
	return list, nil
}

// UpdateProject implements metastore.Projects.
func (m *Memory) UpdateProject(ctx context.Context, p model.Project) error {
	if err := cmp.Or(ctx.Err(), metastore.CheckProject(p)); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	old, known := m.projects[p.ID]
	if !known || old.Organization.ID != p.Organization.ID || !old.ErasingAt.IsZero() {
		return metastore.ErrNotFound
	}
	if m.nameTaken(p) {
		return metastore.ErrExists
	}
	old.Name, old.Metadata, old.Retention, old.UpdatedAt = p.Name, p.Metadata, p.Retention, microsecond(p.UpdatedAt)
	m.projects[p.ID] = old
	return nil
}

// MarkProjectDeleted implements metastore.Projects.
func (m *Memory) MarkProjectDeleted(ctx context.Context, projectID string) error {
	if err := cmp.Or(ctx.Err(), metastore.CheckID("project id", projectID)); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	p, known := m.projects[projectID]
	if known && p.ErasingAt.IsZero() {
		p.ErasingAt = microsecond(time.Now())
		m.projects[projectID] = p
	}
	return foundIf(known)
}

// ForgetProject implements metastore.Projects.
func (m *Memory) ForgetProject(ctx context.Context, projectID string) error {
	if err := cmp.Or(ctx.Err(), metastore.CheckID("project id", projectID)); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if p, known := m.projects[projectID]; known && p.ErasingAt.IsZero() {
		return metastore.ErrInUse
	}
	for id, key := range m.keys {
		if key.Project.ID == projectID {
			delete(m.keys, id)
			delete(m.public, key.PublicKey)
		}
	}
	maps.DeleteFunc(m.media, func(_ mediaKey, one metastore.Media) bool { return one.ProjectID == projectID })
	maps.DeleteFunc(m.links, func(link metastore.MediaLink, _ time.Time) bool { return link.ProjectID == projectID })
	delete(m.tenants.roles, projectID)
	delete(m.models, projectID)
	delete(m.scoreConfigs, projectID)
	delete(m.exports, projectID)
	m.forgetRows(projectID)
	delete(m.projects, projectID)
	return nil
}

// forgetRows drops what a project's members and applications wrote.
func (m *Memory) forgetRows(projectID string) {
	maps.DeleteFunc(m.comments, func(k rowKey, _ model.Comment) bool { return k.project == projectID })
	maps.DeleteFunc(m.queues, func(k rowKey, _ model.Queue) bool { return k.project == projectID })
	maps.DeleteFunc(m.items, func(k rowKey, _ model.QueueItem) bool { return k.project == projectID })
	maps.DeleteFunc(m.drafts, func(k draftKey, _ string) bool { return k.project == projectID })
	maps.DeleteFunc(m.assignments, func(k assignment, _ int) bool { return k.project == projectID })
	maps.DeleteFunc(m.feedback, func(k rowKey, _ model.Feedback) bool { return k.project == projectID })
	maps.DeleteFunc(m.savedViews, func(k rowKey, _ model.SavedView) bool { return k.project == projectID })
	maps.DeleteFunc(m.dashboards, func(k rowKey, _ model.Dashboard) bool { return k.project == projectID })
	m.alerting.forget(projectID)
	m.evaluations.forget(projectID)
	maps.DeleteFunc(m.connections, func(k rowKey, _ model.Connection) bool { return k.project == projectID })
	maps.DeleteFunc(m.prompts.names, func(k promptName, _ *memoryPrompt) bool { return k.project == projectID })
	delete(m.prompts.changes, projectID)
	d := &m.datasets
	d.datasets = slices.DeleteFunc(d.datasets, func(one model.Dataset) bool { return one.ProjectID == projectID })
	d.items = slices.DeleteFunc(d.items, func(one model.DatasetItem) bool { return one.ProjectID == projectID })
	d.runItems = slices.DeleteFunc(d.runItems, func(one model.RunItem) bool { return one.ProjectID == projectID })
}

// Retention implements metastore.Projects.
func (m *Memory) Retention(ctx context.Context, projectID string) (model.Retention, error) {
	p, err := m.Project(ctx, projectID)
	return p.Retention, err
}

// SetRetention implements metastore.Projects.
func (m *Memory) SetRetention(ctx context.Context, projectID string, r model.Retention) error {
	if err := cmp.Or(ctx.Err(), metastore.CheckID("project id", projectID), metastore.CheckRetention(r)); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	p, known := m.projects[projectID]
	if known {
		p.Retention, p.UpdatedAt = r, microsecond(time.Now())
		m.projects[projectID] = p
	}
	return foundIf(known)
}
