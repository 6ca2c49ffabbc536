package metastoretest

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// CreateSession implements metastore.Sessions.
func (m *Memory) CreateSession(ctx context.Context, s model.Session) error {
	if err := cmp.Or(ctx.Err(), metastore.CheckSession(s)); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, known := m.tenants.users[s.User.ID]; !known {
		return metastore.ErrNotFound
	}
	if _, taken := m.tenants.sessions[string(s.TokenHash)]; taken {
		return metastore.ErrExists
	}
	s.TokenHash, s.CreatedAt, s.SeenAt = bytes.Clone(s.TokenHash), microsecond(s.CreatedAt), microsecond(s.SeenAt)
	m.tenants.sessions[string(s.TokenHash)] = s
	return nil
}

// Session implements metastore.Sessions.
func (m *Memory) Session(ctx context.Context, tokenHash []byte) (model.Session, error) {
	if err := cmp.Or(ctx.Err(), metastore.CheckHash(tokenHash)); err != nil {
		return model.Session{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s, known := m.tenants.sessions[string(tokenHash)]
	if !known {
		return model.Session{}, metastore.ErrNotFound
	}
	s.User, s.TokenHash = m.tenants.users[s.User.ID], bytes.Clone(s.TokenHash)
	return s, nil
}

// TouchSession implements metastore.Sessions.
func (m *Memory) TouchSession(ctx context.Context, tokenHash []byte, at time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s, known := m.tenants.sessions[string(tokenHash)]; known && ctx.Err() == nil && !s.SeenAt.After(at.Add(-metastore.SeenWithin)) {
		s.SeenAt = microsecond(at)
		m.tenants.sessions[string(tokenHash)] = s
	}
	return ctx.Err()
}

// DeleteSession implements metastore.Sessions.
func (m *Memory) DeleteSession(ctx context.Context, tokenHash []byte) error {
	return m.endSessions(ctx, func(s model.Session) bool { return bytes.Equal(s.TokenHash, tokenHash) })
}

// DeleteSessionsOf implements metastore.Sessions.
func (m *Memory) DeleteSessionsOf(ctx context.Context, userID string) error {
	if err := metastore.CheckID("user id", userID); err != nil {
		return err
	}
	return m.endSessions(ctx, func(s model.Session) bool { return s.User.ID == userID })
}

// DeleteOldSessions implements metastore.Sessions.
func (m *Memory) DeleteOldSessions(ctx context.Context, createdBefore, seenBefore time.Time) error {
	return m.endSessions(ctx, func(s model.Session) bool { return s.CreatedAt.Before(createdBefore) || s.SeenAt.Before(seenBefore) })
}

func (m *Memory) endSessions(ctx context.Context, which func(model.Session) bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for hash, s := range m.tenants.sessions {
		if which(s) {
			delete(m.tenants.sessions, hash)
		}
	}
	return nil
}

// Standing implements metastore.Standings.
func (m *Memory) Standing(ctx context.Context, userID, projectID string) (model.Standing, error) {
	if err := metastore.CheckID("project id", projectID); err != nil {
		return model.Standing{}, err
	}
	all, err := m.Standings(ctx, userID)
	for _, one := range all {
		if one.Project.ID == projectID {
			return one, nil
		}
	}
	return model.Standing{}, cmp.Or(err, metastore.ErrNotFound)
}

// Standings implements metastore.Standings.
func (m *Memory) Standings(ctx context.Context, userID string) ([]model.Standing, error) {
	if err := cmp.Or(ctx.Err(), metastore.CheckID("user id", userID)); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []model.Standing
	for id, members := range m.tenants.members {
		own, is := members[userID]
		if !is || !own.Active {
			continue
		}
		organization, found := model.Organization{ID: id, Name: m.organizations[id].Name}, false
		for _, p := range m.projects {
			if p.Organization.ID != id || !p.ErasingAt.IsZero() {
				continue
			}
			found = true
			list = append(list, model.Standing{
				Project:          model.Project{ID: p.ID, Name: p.Name, Organization: organization},
				OrganizationRole: own.Role, ProjectRole: m.tenants.roles[p.ID][userID],
			})
		}
		if !found {
			list = append(list, model.Standing{Project: model.Project{Organization: organization}, OrganizationRole: own.Role})
		}
	}
	slices.SortFunc(list, func(a, b model.Standing) int {
		return cmp.Or(cmp.Compare(a.Project.Organization.Name, b.Project.Organization.Name), cmp.Compare(a.Project.Organization.ID, b.Project.Organization.ID),
			cmp.Compare(a.Project.Name, b.Project.Name), cmp.Compare(a.Project.ID, b.Project.ID))
	})
	return list, nil
}

// SetUp implements metastore.Setups.
func (m *Memory) SetUp(ctx context.Context, setup metastore.Setup) (model.Project, error) {
	setup, err := setup.Linked()
	if err = cmp.Or(ctx.Err(), err); err != nil {
		return model.Project{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, taken := m.public[setup.Key.PublicKey]; taken || len(m.tenants.users) > 0 {
		return model.Project{}, metastore.ErrExists
	}
	organization := m.oldestOrganization()
	if organization.ID == "" {
		organization = stampedOrganization(setup.Organization)
	} else if setup.Organization.Name != "" {
		organization.Name = setup.Organization.Name
	}
	m.organizations[organization.ID] = organization
	project := m.oldestProject(organization.ID)
	if renamed := project; project.ID == "" {
		setup.Project.Organization, setup.Project.Name = organization, cmp.Or(setup.Project.Name, organization.Name)
		project = stampedProject(setup.Project)
	} else if renamed.Name = setup.Project.Name; renamed.Name != "" && !m.nameTaken(renamed) {
		project = renamed
	}
	m.projects[project.ID] = project
	setup.Key.Project = project
	m.keep(setup.Key)
	stamped(&setup.User.CreatedAt, &setup.User.UpdatedAt)
	m.tenants.users[setup.User.ID] = setup.User
	m.join(organization.ID, model.Membership{User: model.User{ID: setup.User.ID}, Role: model.Owner, Active: true})
	project.Organization = organization
	return project, nil
}

func (m *Memory) oldestOrganization() (oldest model.Organization) {
	for _, o := range m.organizations {
		if oldest.ID == "" || cmp.Or(o.CreatedAt.Compare(oldest.CreatedAt), cmp.Compare(o.ID, oldest.ID)) < 0 {
			oldest = o
		}
	}
	return oldest
}

func (m *Memory) oldestProject(organizationID string) (oldest model.Project) {
	for _, p := range m.projects {
		if p.Organization.ID != organizationID || !p.ErasingAt.IsZero() {
			continue
		}
		if oldest.ID == "" || cmp.Or(p.CreatedAt.Compare(oldest.CreatedAt), cmp.Compare(p.ID, oldest.ID)) < 0 {
			oldest = p
		}
	}
	return oldest
}

// join adds a member; whoever is one already stays what it is.
func (m *Memory) join(organizationID string, member model.Membership) {
	if m.tenants.members[organizationID] == nil {
		m.tenants.members[organizationID] = map[string]model.Membership{}
	}
	if _, is := m.tenants.members[organizationID][member.User.ID]; !is {
		m.tenants.members[organizationID][member.User.ID] = member
	}
}
