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

// CreateUser implements metastore.Users.
func (m *Memory) CreateUser(ctx context.Context, u model.User) error {
	if err := cmp.Or(ctx.Err(), metastore.CheckUser(u)); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, other := range m.tenants.users {
		if other.ID == u.ID || metastore.Address(other.Email) == metastore.Address(u.Email) {
			return metastore.ErrExists
		}
	}
	stamped(&u.CreatedAt, &u.UpdatedAt)
	m.tenants.users[u.ID] = u
	return nil
}

// User implements metastore.Users.
func (m *Memory) User(ctx context.Context, id string) (model.User, error) {
	if err := cmp.Or(ctx.Err(), metastore.CheckID("user id", id)); err != nil {
		return model.User{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	u, known := m.tenants.users[id]
	return u, foundIf(known)
}

// UserByEmail implements metastore.Users.
func (m *Memory) UserByEmail(ctx context.Context, email string) (model.User, error) {
	if err := cmp.Or(ctx.Err(), metastore.CheckEmail(email)); err != nil {
		return model.User{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, u := range m.tenants.users {
		if metastore.Address(u.Email) == metastore.Address(email) {
			return u, nil
		}
	}
	return model.User{}, metastore.ErrNotFound
}

// Users implements metastore.Users.
func (m *Memory) Users(ctx context.Context, offset, limit int) ([]model.User, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []model.User
	for _, u := range m.tenants.users {
		list = append(list, u)
	}
	slices.SortFunc(list, func(a, b model.User) int {
		return cmp.Compare(metastore.Address(a.Email), metastore.Address(b.Email))
	})
	return cut(list, offset, limit), nil
}

func cut[T any](list []T, offset, limit int) []T {
	list = list[min(offset, len(list)):]
	return slices.Clone(list[:min(limit, len(list))])
}

// SetPassword implements metastore.Users.
func (m *Memory) SetPassword(ctx context.Context, userID, hash string) error {
	if err := cmp.Or(ctx.Err(), metastore.CheckPassword(userID, hash)); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	u, known := m.tenants.users[userID]
	if known {
		u.Password, u.UpdatedAt = hash, microsecond(time.Now())
		m.tenants.users[userID] = u
	}
	maps.DeleteFunc(m.tenants.sessions, func(_ string, s model.Session) bool { return s.User.ID == userID && known })
	return foundIf(known)
}

// SetAccount implements metastore.Users.
func (m *Memory) SetAccount(ctx context.Context, userID, name, preferences string) error {
	if err := cmp.Or(ctx.Err(), metastore.CheckAccount(userID, name, preferences)); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	u, known := m.tenants.users[userID]
	if known {
		u.Name, u.Preferences, u.UpdatedAt = name, preferences, microsecond(time.Now())
		m.tenants.users[userID] = u
	}
	return foundIf(known)
}

// PutMember implements metastore.Members.
func (m *Memory) PutMember(ctx context.Context, organizationID string, member model.Membership) error {
	if err := cmp.Or(ctx.Err(), metastore.CheckMember(organizationID, member)); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	_, organization := m.organizations[organizationID]
	_, user := m.tenants.users[member.User.ID]
	if !organization || !user {
		return metastore.ErrNotFound
	}
	own := m.tenants.members[organizationID]
	if own == nil {
		own = map[string]model.Membership{}
		m.tenants.members[organizationID] = own
	}
	own[member.User.ID] = member
	return nil
}

// shown is a membership with its user as others see it.
func (m *Memory) shown(member model.Membership) model.Membership {
	member.User = m.tenants.users[member.User.ID]
	member.User.Password, member.User.Preferences = "", ""
	return member
}

// Member implements metastore.Members.
func (m *Memory) Member(ctx context.Context, organizationID, userID string) (model.Membership, error) {
	if err := checkMember(ctx, organizationID, userID); err != nil {
		return model.Membership{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	member, known := m.tenants.members[organizationID][userID]
	if !known {
		return model.Membership{}, metastore.ErrNotFound
	}
	return m.shown(member), nil
}

func checkMember(ctx context.Context, organizationID, userID string) error {
	return cmp.Or(ctx.Err(), metastore.CheckID("organization id", organizationID), metastore.CheckID("userId", userID))
}

// Members implements metastore.Members.
func (m *Memory) Members(ctx context.Context, q metastore.MemberQuery) ([]model.Membership, int, error) {
	if err := cmp.Or(ctx.Err(), q.Check()); err != nil {
		return nil, 0, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []model.Membership
	for _, member := range m.tenants.members[q.OrganizationID] {
		member = m.shown(member)
		if q.Email == "" || metastore.Address(q.Email) == metastore.Address(member.User.Email) {
			list = append(list, member)
		}
	}
	byAddress(list)
	return cut(list, q.Offset, q.Limit), len(list), nil
}

func byAddress(list []model.Membership) {
	slices.SortFunc(list, func(a, b model.Membership) int {
		return cmp.Compare(metastore.Address(a.User.Email), metastore.Address(b.User.Email))
	})
}

// RemoveMember implements metastore.Members.
func (m *Memory) RemoveMember(ctx context.Context, organizationID, userID string) error {
	if err := checkMember(ctx, organizationID, userID); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	_, known := m.tenants.members[organizationID][userID]
	delete(m.tenants.members[organizationID], userID)
	maps.DeleteFunc(m.tenants.invitations, func(_ string, i model.Invitation) bool {
		return i.Organization.ID == organizationID && i.InvitedBy.ID == userID
	})
	for _, p := range m.projects {
		if p.Organization.ID == organizationID {
			delete(m.tenants.roles[p.ID], userID)
		}
	}
	return foundIf(known)
}

// IsMember implements metastore.Members.
func (m *Memory) IsMember(ctx context.Context, organizationID, userID string) (bool, error) {
	if err := checkMember(ctx, organizationID, userID); err != nil {
		return false, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.tenants.members[organizationID][userID].Active, nil
}

// IsElsewhere implements metastore.Members.
func (m *Memory) IsElsewhere(ctx context.Context, organizationID, userID string) (bool, error) {
	if err := checkMember(ctx, organizationID, userID); err != nil {
		return false, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for other, members := range m.tenants.members {
		if _, is := members[userID]; is && other != organizationID {
			return true, nil
		}
	}
	return false, nil
}

// PutProjectMember implements metastore.Members.
func (m *Memory) PutProjectMember(ctx context.Context, organizationID, projectID string, member model.Membership) error {
	if err := cmp.Or(ctx.Err(), metastore.CheckMember(organizationID, member), metastore.CheckID("project id", projectID)); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	p, known := m.projects[projectID]
	_, is := m.tenants.members[organizationID][member.User.ID]
	if !known || p.Organization.ID != organizationID || !p.ErasingAt.IsZero() || !is {
		return metastore.ErrNotFound
	}
	if m.tenants.roles[projectID] == nil {
		m.tenants.roles[projectID] = map[string]model.Role{}
	}
	m.tenants.roles[projectID][member.User.ID] = member.Role
	return nil
}

// ProjectMembers implements metastore.Members.
func (m *Memory) ProjectMembers(ctx context.Context, organizationID, projectID string) ([]model.Membership, error) {
	if err := cmp.Or(ctx.Err(), metastore.CheckID("project id", projectID)); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.projects[projectID].Organization.ID != organizationID {
		return nil, nil
	}
	var list []model.Membership
	for id, role := range m.tenants.roles[projectID] {
		list = append(list, m.shown(model.Membership{User: model.User{ID: id}, Role: role, Active: true}))
	}
	byAddress(list)
	return list, nil
}

// RemoveProjectMember implements metastore.Members.
func (m *Memory) RemoveProjectMember(ctx context.Context, organizationID, projectID, userID string) error {
	if err := cmp.Or(checkMember(ctx, organizationID, userID), metastore.CheckID("project id", projectID)); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	_, known := m.tenants.roles[projectID][userID]
	known = known && m.projects[projectID].Organization.ID == organizationID
	if known {
		delete(m.tenants.roles[projectID], userID)
	}
	return foundIf(known)
}
