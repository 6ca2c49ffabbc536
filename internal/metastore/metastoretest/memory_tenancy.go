package metastoretest

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// tenants is what Memory knows of people.
type tenants struct {
	users   map[string]model.User
	members map[string]map[string]model.Membership // by organization and user; the user is only an id
	roles   map[string]map[string]model.Role       // by project and user

	sessions    map[string]model.Session    // by hash; the user is only an id
	invitations map[string]model.Invitation // by id
	people      map[person]string           // ids of users
}

func newTenants() tenants {
	return tenants{
		users:   map[string]model.User{},
		members: map[string]map[string]model.Membership{},
		roles:   map[string]map[string]model.Role{},

		sessions: map[string]model.Session{}, invitations: map[string]model.Invitation{},
		people: map[person]string{},
	}
}

func stamped(created, updated *time.Time) {
	if created.IsZero() {
		*created = time.Now()
	}
	if updated.IsZero() {
		*updated = *created
	}
	*created, *updated = microsecond(*created), microsecond(*updated)
}

func stampedOrganization(o model.Organization) model.Organization {
	stamped(&o.CreatedAt, &o.UpdatedAt)
	return o
}

// stampedProject also forgets all of the organization but its id: it may change.
func stampedProject(p model.Project) model.Project {
	stamped(&p.CreatedAt, &p.UpdatedAt)
	p.Organization, p.ErasingAt = model.Organization{ID: p.Organization.ID}, time.Time{}
	return p
}

// nameTaken reports whether another living project of the organization has the name.
func (m *Memory) nameTaken(p model.Project) bool {
	for _, other := range m.projects {
		if p.Name != "" && other.Name == p.Name && other.ID != p.ID && other.Organization.ID == p.Organization.ID && other.ErasingAt.IsZero() {
			return true
		}
	}
	return false
}

// adopted gives a key the organization of its project, or reports that it has no owner.
func (m *Memory) adopted(key *model.Key) bool {
	if key.OfOrganization() {
		_, known := m.organizations[key.Project.Organization.ID]
		return known
	}
	project, known := m.projects[key.Project.ID]
	key.Project = project
	return known && project.ErasingAt.IsZero()
}

// withOwner returns a key as KeyByPublic shows it.
func (m *Memory) withOwner(key model.Key) model.Key {
	organization, project := m.organizations[key.Project.Organization.ID], m.projects[key.Project.ID]
	key.Project = model.Project{
		ID: project.ID, Name: project.Name, ErasingAt: project.ErasingAt,
		Organization: model.Organization{ID: organization.ID, Name: organization.Name},
	}
	return detached(key)
}

// CreateOrganization implements metastore.Organizations.
func (m *Memory) CreateOrganization(ctx context.Context, o model.Organization) error {
	if err := cmp.Or(ctx.Err(), metastore.CheckOrganization(o)); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, taken := m.organizations[o.ID]; taken {
		return metastore.ErrExists
	}
	if len(m.organizations) >= metastore.MaxOrganizations {
		return metastore.TooMany(metastore.MaxOrganizations, "organizations")
	}
	m.organizations[o.ID] = stampedOrganization(o)
	return nil
}

// Organization implements metastore.Organizations.
func (m *Memory) Organization(ctx context.Context, id string) (model.Organization, error) {
	if err := cmp.Or(ctx.Err(), metastore.CheckID("organization id", id)); err != nil {
		return model.Organization{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	o, known := m.organizations[id]
	return o, foundIf(known)
}

func foundIf(known bool) error {
	if known {
		return nil
	}
	return metastore.ErrNotFound
}

// Organizations implements metastore.Organizations.
func (m *Memory) Organizations(ctx context.Context) ([]model.Organization, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []model.Organization
	for _, o := range m.organizations {
		list = append(list, o)
	}
	slices.SortFunc(list, func(a, b model.Organization) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	return list, nil
}

// UpdateOrganization implements metastore.Organizations.
func (m *Memory) UpdateOrganization(ctx context.Context, o model.Organization) error {
	if err := cmp.Or(ctx.Err(), metastore.CheckOrganization(o)); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	old, known := m.organizations[o.ID]
	if known {
		old.Name, old.Metadata, old.UpdatedAt = o.Name, o.Metadata, microsecond(o.UpdatedAt)
		m.organizations[o.ID] = old
	}
	return foundIf(known)
}

// DeleteOrganization implements metastore.Organizations.
func (m *Memory) DeleteOrganization(ctx context.Context, id string) error {
	if err := cmp.Or(ctx.Err(), metastore.CheckID("organization id", id)); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, known := m.organizations[id]; !known {
		return metastore.ErrNotFound
	}
	for _, p := range m.projects {
		if p.Organization.ID == id {
			return metastore.ErrInUse
		}
	}
	for keyID, key := range m.keys {
		if key.Project.Organization.ID == id {
			delete(m.keys, keyID)
			delete(m.public, key.PublicKey)
		}
	}
	maps.DeleteFunc(m.tenants.invitations, func(_ string, i model.Invitation) bool { return i.Organization.ID == id })
	delete(m.tenants.members, id)
	delete(m.organizations, id)
	return nil
}

// keysOf lists valid keys; the caller has the lock.
func (m *Memory) keysOf(organizationID, projectID string) []model.Key {
	var list []model.Key
	for _, key := range m.keys {
		if key.Project.Organization.ID == organizationID && key.Project.ID == projectID && key.RevokedAt.IsZero() {
			key = m.withOwner(key)
			key.SecretHash, key.Salt = nil, nil
			list = append(list, key)
		}
	}
	slices.SortFunc(list, func(a, b model.Key) int { return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID)) })
	return list
}

// KeysOf implements metastore.Keys.
func (m *Memory) KeysOf(ctx context.Context, organizationID, projectID string) ([]model.Key, error) {
	if err := cmp.Or(ctx.Err(), metastore.CheckKeys(organizationID, projectID)); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.keysOf(organizationID, projectID), nil
}

// RevokeKeyOf implements metastore.Keys.
func (m *Memory) RevokeKeyOf(ctx context.Context, organizationID, projectID, keyID string, at time.Time) error {
	if err := cmp.Or(ctx.Err(), metastore.CheckRevocation(keyID, at), metastore.CheckKeys(organizationID, projectID)); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	key, known := m.keys[keyID]
	if !known || key.Project.Organization.ID != organizationID || key.Project.ID != projectID || !key.RevokedAt.IsZero() {
		return metastore.ErrNotFound
	}
	key.RevokedAt = at
	m.keep(key)
	return nil
}

// RotateKey implements metastore.Keys.
func (m *Memory) RotateKey(ctx context.Context, organizationID, projectID, keyID string, secret model.Key, oldUntil time.Time) (model.Key, error) {
	if err := cmp.Or(ctx.Err(), metastore.CheckRotation(organizationID, projectID, keyID, secret)); err != nil {
		return model.Key{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	key, known := m.keys[keyID]
	if !known || key.Project.Organization.ID != organizationID || key.Project.ID != projectID || !key.RevokedAt.IsZero() {
		return model.Key{}, metastore.ErrNotFound
	}
	key.OldHash, key.OldSalt, key.OldUntil = key.SecretHash, key.Salt, microsecond(oldUntil)
	key.SecretHash, key.Salt, key.Display = bytes.Clone(secret.SecretHash), bytes.Clone(secret.Salt), secret.Display
	m.keep(key)
	key.SecretHash, key.Salt, key.OldHash, key.OldSalt = nil, nil, nil, nil
	return key, nil
}

// TouchKey implements metastore.Keys.
func (m *Memory) TouchKey(ctx context.Context, keyID string, at time.Time) error {
	if err := cmp.Or(ctx.Err(), metastore.CheckRevocation(keyID, at)); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if key, known := m.keys[keyID]; known && at.Sub(key.LastUsedAt) >= metastore.UsedWithin {
		key.LastUsedAt = at
		m.keep(key)
	}
	return nil
}
