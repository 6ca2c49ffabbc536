package tenancy

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// Members returns all members of an organization, by address.
func (s *Service) Members(ctx context.Context, organizationID string) ([]model.Membership, error) {
	list, _, err := s.store.Members(ctx, metastore.MemberQuery{OrganizationID: organizationID, Limit: metastore.MaxMembers})
	return list, err
}

// PutMember gives a user a role in an organization. It must be a member already, or belong to no
// organization: people of other organizations are none of our business until they are added by their
// address. fault.Invalid, fault.NotFound.
func (s *Service) PutMember(ctx context.Context, organizationID, userID string, role model.Role) (model.Membership, error) {
	m, err := s.store.Member(ctx, organizationID, userID)
	if errors.Is(err, metastore.ErrNotFound) {
		elsewhere, wrong := s.store.IsElsewhere(ctx, organizationID, userID)
		if wrong != nil || elsewhere {
			return m, errors.Join(wrong, known(err, "User"))
		}
		m, err = model.Membership{User: model.User{ID: userID}, Active: true}, nil
	}
	if err != nil {
		return m, err
	}
	m.Role = role
	if err := s.store.PutMember(ctx, organizationID, m); err != nil {
		return m, known(err, "User")
	}
	return s.Member(ctx, organizationID, userID)
}

// Member returns one member of an organization. fault.NotFound.
func (s *Service) Member(ctx context.Context, organizationID, userID string) (model.Membership, error) {
	m, err := s.store.Member(ctx, organizationID, userID)
	return m, known(err, "User")
}

// RemoveMember takes a user out of an organization and its projects; the account stays. fault.NotFound.
func (s *Service) RemoveMember(ctx context.Context, organizationID, userID string) error {
	return known(s.store.RemoveMember(ctx, organizationID, userID), "User")
}

// ProjectMembers returns who has a role in a project of an organization. fault.NotFound.
func (s *Service) ProjectMembers(ctx context.Context, organizationID, projectID string) ([]model.Membership, error) {
	if _, err := s.own(ctx, organizationID, projectID); err != nil {
		return nil, err
	}
	return s.store.ProjectMembers(ctx, organizationID, projectID)
}

// PutProjectMember gives a member of an organization a role in one of its projects. fault.Invalid,
// fault.NotFound.
func (s *Service) PutProjectMember(ctx context.Context, organizationID, projectID, userID string, role model.Role) (model.Membership, error) {
	if _, err := s.own(ctx, organizationID, projectID); err != nil {
		return model.Membership{}, err
	}
	m := model.Membership{User: model.User{ID: userID}, Role: role, Active: true}
	if err := s.store.PutProjectMember(ctx, organizationID, projectID, m); err != nil {
		return m, known(err, "Member of the organization")
	}
	shown, err := s.Member(ctx, organizationID, userID)
	shown.Role = role
	return shown, err
}

// RemoveProjectMember takes the role in a project away. fault.NotFound.
func (s *Service) RemoveProjectMember(ctx context.Context, organizationID, projectID, userID string) error {
	return known(s.store.RemoveProjectMember(ctx, organizationID, projectID, userID), "Member of the project")
}

// Users returns a page of the members of an organization by address, and how many there are; with an
// email only the one who has it.
func (s *Service) Users(ctx context.Context, organizationID, email string, offset, limit int) ([]model.Membership, int, error) {
	return s.store.Members(ctx, metastore.MemberQuery{OrganizationID: organizationID, Email: email, Offset: offset, Limit: limit})
}

// AddUser makes the user with an address a member of an organization. An account that there is already
// stays as it is, its name and its password too: another organization may have made it. fault.Invalid, and
// fault.Conflict for one who is a member already.
func (s *Service) AddUser(ctx context.Context, organizationID string, m model.Membership) (model.Membership, error) {
	if err := metastore.CheckMember(organizationID, model.Membership{User: model.User{ID: "new"}, Role: m.Role}); err != nil {
		return m, err
	}
	user, err := s.CreateUser(ctx, m.User)
	if fault.Is(err, fault.Conflict) {
		user, err = s.store.UserByEmail(ctx, m.User.Email)
	}
	if err != nil {
		return m, err
	}
	switch _, err := s.store.Member(ctx, organizationID, user.ID); {
	case err == nil:
		return m, fault.New(fault.Conflict, "User with this userName already exists in the organization")
	case !errors.Is(err, metastore.ErrNotFound):
		return m, err
	}
	m.User = user
	if err := s.store.PutMember(ctx, organizationID, m); err != nil {
		return m, known(err, "Organization")
	}
	return s.Member(ctx, organizationID, user.ID)
}

// CreateUser makes an account that belongs to no organization yet. fault.Invalid, and fault.Conflict for
// an address that somebody has.
func (s *Service) CreateUser(ctx context.Context, u model.User) (model.User, error) {
	u.ID, u.CreatedAt = uuid.NewString(), now()
	u.UpdatedAt = u.CreatedAt
	return u, known(s.store.CreateUser(ctx, u), "User with this email")
}

// UserByEmail returns the account with an address. fault.Invalid, fault.NotFound.
func (s *Service) UserByEmail(ctx context.Context, email string) (model.User, error) {
	u, err := s.store.UserByEmail(ctx, email)
	return u, known(err, "User with this email")
}

// ChangeMember changes whether a member of an organization is active and, unless it is nil, its role.
// fault.Invalid, fault.NotFound.
func (s *Service) ChangeMember(ctx context.Context, organizationID, userID string, active *bool, role *model.Role) (model.Membership, error) {
	m, err := s.Member(ctx, organizationID, userID)
	if err != nil {
		return m, err
	}
	if active != nil {
		m.Active = *active
	}
	if role != nil {
		m.Role = *role
	}
	return m, known(s.store.PutMember(ctx, organizationID, m), "User")
}
