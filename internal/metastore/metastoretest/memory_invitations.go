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

// CreateInvitation implements metastore.Invitations.
func (m *Memory) CreateInvitation(ctx context.Context, i model.Invitation) error {
	if err := cmp.Or(ctx.Err(), metastore.CheckInvitation(i)); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	_, organization := m.organizations[i.Organization.ID]
	_, user := m.tenants.users[i.InvitedBy.ID]
	if !organization || !user {
		return metastore.ErrNotFound
	}
	open := 0
	for _, other := range m.tenants.invitations {
		if other.ID == i.ID || bytes.Equal(other.TokenHash, i.TokenHash) {
			return metastore.ErrExists
		}
		if other.Organization.ID == i.Organization.ID && other.ExpiresAt.After(i.CreatedAt) {
			open++
		}
	}
	if open >= metastore.MaxInvitations {
		return metastore.TooMany(metastore.MaxInvitations, "open invitations of an organization")
	}
	i.TokenHash, i.CreatedAt, i.ExpiresAt = bytes.Clone(i.TokenHash), microsecond(i.CreatedAt), microsecond(i.ExpiresAt)
	m.tenants.invitations[i.ID] = i
	return nil
}

// shownInvitation is an invitation with the names of who invites and where to.
func (m *Memory) shownInvitation(i model.Invitation) model.Invitation {
	by := m.tenants.users[i.InvitedBy.ID]
	i.InvitedBy = model.User{ID: by.ID, Email: by.Email, Name: by.Name}
	i.Organization = model.Organization{ID: i.Organization.ID, Name: m.organizations[i.Organization.ID].Name}
	i.TokenHash = nil
	return i
}

// Invitation implements metastore.Invitations.
func (m *Memory) Invitation(ctx context.Context, tokenHash []byte) (model.Invitation, error) {
	if err := cmp.Or(ctx.Err(), metastore.CheckHash(tokenHash)); err != nil {
		return model.Invitation{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, i := range m.tenants.invitations {
		if bytes.Equal(i.TokenHash, tokenHash) {
			return m.shownInvitation(i), nil
		}
	}
	return model.Invitation{}, metastore.ErrNotFound
}

// Invitations implements metastore.Invitations.
func (m *Memory) Invitations(ctx context.Context, organizationID string, after time.Time) ([]model.Invitation, error) {
	if err := cmp.Or(ctx.Err(), metastore.CheckID("organization id", organizationID)); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []model.Invitation
	for _, i := range m.tenants.invitations {
		if i.Organization.ID == organizationID && i.ExpiresAt.After(after) {
			list = append(list, m.shownInvitation(i))
		}
	}
	slices.SortFunc(list, func(a, b model.Invitation) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	return list, nil
}

// DeleteInvitation implements metastore.Invitations.
func (m *Memory) DeleteInvitation(ctx context.Context, organizationID, id string) error {
	if err := cmp.Or(ctx.Err(), metastore.CheckID("organization id", organizationID), metastore.CheckID("invitation id", id)); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	known := m.tenants.invitations[id].Organization.ID == organizationID
	if known {
		delete(m.tenants.invitations, id)
	}
	return foundIf(known)
}

// AcceptInvitation implements metastore.Invitations.
func (m *Memory) AcceptInvitation(ctx context.Context, tokenHash []byte, at time.Time, user model.User, create bool) error {
	check := metastore.CheckID("user id", user.ID)
	if create {
		check = metastore.CheckUser(user)
	}
	if err := cmp.Or(ctx.Err(), metastore.CheckHash(tokenHash), check); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, i := range m.tenants.invitations {
		if bytes.Equal(i.TokenHash, tokenHash) && i.ExpiresAt.After(at) {
			if err := m.accepting(user, create); err != nil {
				return err
			}
			m.join(i.Organization.ID, model.Membership{User: model.User{ID: user.ID}, Role: i.Role, Active: true})
			delete(m.tenants.invitations, i.ID)
			return nil
		}
	}
	return metastore.ErrNotFound
}

// accepting makes the user, or looks whether there is one.
func (m *Memory) accepting(user model.User, create bool) error {
	for _, other := range m.tenants.users {
		if create && (other.ID == user.ID || metastore.Address(other.Email) == metastore.Address(user.Email)) {
			return metastore.ErrExists
		}
	}
	if create {
		stamped(&user.CreatedAt, &user.UpdatedAt)
		m.tenants.users[user.ID] = user
	}
	_, known := m.tenants.users[user.ID]
	return foundIf(known)
}
