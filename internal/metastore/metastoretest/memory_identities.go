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

// person is somebody at a provider.
type person struct{ issuer, subject string }

// LinkIdentity implements metastore.Identities.
func (m *Memory) LinkIdentity(ctx context.Context, identity model.Identity) error {
	if err := cmp.Or(ctx.Err(), metastore.CheckIdentity(identity.Issuer, identity.Subject), metastore.CheckID("user id", identity.UserID)); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, known := m.tenants.users[identity.UserID]; !known {
		return metastore.ErrNotFound
	}
	this := person{identity.Issuer, identity.Subject}
	for other, userID := range m.tenants.people {
		samePerson, sameUser := other == this, other.issuer == this.issuer && userID == identity.UserID
		if samePerson != sameUser {
			return metastore.ErrExists
		}
	}
	m.tenants.people[this] = identity.UserID
	return nil
}

// UserByIdentity implements metastore.Identities.
func (m *Memory) UserByIdentity(ctx context.Context, issuer, subject string) (model.User, error) {
	if err := cmp.Or(ctx.Err(), metastore.CheckIdentity(issuer, subject)); err != nil {
		return model.User{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	userID, known := m.tenants.people[person{issuer, subject}]
	return m.tenants.users[userID], foundIf(known)
}

// CreateInvited implements metastore.Identities.
func (m *Memory) CreateInvited(ctx context.Context, user model.User, at time.Time) (bool, error) {
	if err := cmp.Or(ctx.Err(), metastore.CheckUser(user)); err != nil {
		return false, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var open []model.Invitation
	for _, i := range m.tenants.invitations {
		if metastore.Address(i.Email) == metastore.Address(user.Email) && i.ExpiresAt.After(at) {
			open = append(open, i)
		}
	}
	if len(open) == 0 {
		return false, nil
	}
	if err := m.accepting(user, true); err != nil {
		return false, err
	}
	slices.SortFunc(open, func(a, b model.Invitation) int { return b.CreatedAt.Compare(a.CreatedAt) })
	for _, i := range open {
		m.join(i.Organization.ID, model.Membership{User: model.User{ID: user.ID}, Role: i.Role, Active: true})
		delete(m.tenants.invitations, i.ID)
	}
	return true, nil
}

// UnlinkIdentities implements metastore.Identities.
func (m *Memory) UnlinkIdentities(ctx context.Context, userID string) (int, error) {
	if err := cmp.Or(ctx.Err(), metastore.CheckID("user id", userID)); err != nil {
		return 0, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	before := len(m.tenants.people)
	maps.DeleteFunc(m.tenants.people, func(_ person, user string) bool { return user == userID })
	return before - len(m.tenants.people), nil
}
