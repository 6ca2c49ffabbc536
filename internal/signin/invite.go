package signin

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// InvitationLastsFor is how long an invitation can be accepted.
const InvitationLastsFor = 7 * 24 * time.Hour

// Invite makes an invitation into an organization and returns it with its token, which is nowhere else. The inviter's
// role there must be at least the one that is offered. fault.Invalid, fault.Forbidden, and fault.Conflict for somebody
// who is a member already.
func (s *Service) Invite(ctx context.Context, inviter model.User, own model.Role, organizationID, email string, role model.Role) (model.Invitation, string, error) {
	now, token := time.Now(), newToken()
	i := model.Invitation{
		ID: uuid.NewString(), Organization: model.Organization{ID: organizationID}, Email: email, Role: role,
		InvitedBy: inviter, TokenHash: hashOf(token), CreatedAt: now, ExpiresAt: now.Add(InvitationLastsFor),
	}
	if err := metastore.CheckInvitation(i); err != nil {
		return i, "", err
	}
	if !own.AtLeast(role) {
		return i, "", fault.New(fault.Forbidden, "You cannot invite as %s: you are %s yourself", role, own)
	}
	_, members, err := s.store.Members(ctx, metastore.MemberQuery{OrganizationID: organizationID, Email: email})
	if err != nil {
		return i, "", err
	}
	if members > 0 {
		return i, "", fault.New(fault.Conflict, "%s is a member already", email).Hint("change their role instead")
	}
	if err := s.store.CreateInvitation(ctx, i); err != nil {
		return i, "", known(err, "Organization")
	}
	shown, err := s.store.Invitation(ctx, i.TokenHash)
	return shown, token, known(err, "Invitation")
}

// Invitations returns the open invitations of an organization, the newest first.
func (s *Service) Invitations(ctx context.Context, organizationID string) ([]model.Invitation, error) {
	return s.store.Invitations(ctx, organizationID, time.Now())
}

// Uninvite takes an invitation back. fault.NotFound.
func (s *Service) Uninvite(ctx context.Context, organizationID, id string) error {
	return known(s.store.DeleteInvitation(ctx, organizationID, id), "Invitation")
}

// Invited returns the invitation of a token, and whether its address has an account, whose owner must sign in to accept.
// fault.NotFound for one that is used, taken back or expired, or whose inviter may not invite as that any more.
func (s *Service) Invited(ctx context.Context, token string) (i model.Invitation, account bool, err error) {
	i, err = s.store.Invitation(ctx, hashOf(token))
	if err == nil && !time.Now().Before(i.ExpiresAt) {
		err = metastore.ErrNotFound
	}
	if err == nil {
		err = s.stillOffered(ctx, i)
	}
	if err != nil {
		return i, false, invited(err)
	}
	_, err = s.store.UserByEmail(ctx, i.Email)
	if errors.Is(err, metastore.ErrNotFound) {
		return i, false, nil
	}
	return i, err == nil, err
}

// stillOffered is ErrNotFound when whoever invited has lost the role, or the membership, that it took.
func (s *Service) stillOffered(ctx context.Context, i model.Invitation) error {
	inviter, err := s.store.Member(ctx, i.Organization.ID, i.InvitedBy.ID)
	if err == nil && (!inviter.Active || !inviter.Role.AtLeast(model.Admin) || !inviter.Role.AtLeast(i.Role)) {
		err = metastore.ErrNotFound
	}
	return err
}

func invited(err error) error {
	if !errors.Is(err, metastore.ErrNotFound) {
		return err
	}
	return fault.New(fault.NotFound, "This invitation was used or taken back, or has expired").
		Hint("ask for a new one").Because(err)
}

// Join accepts an invitation for somebody who is signed in, whatever their address. fault.NotFound.
func (s *Service) Join(ctx context.Context, token string, user model.User) error {
	if _, _, err := s.Invited(ctx, token); err != nil {
		return err
	}
	return invited(s.store.AcceptInvitation(ctx, hashOf(token), time.Now(), user, false))
}

// SignUp accepts an invitation for somebody without an account: it makes one with the invited address and begins a
// session. fault.NotFound, fault.Invalid, and fault.Unauthenticated when the address has an account, whose owner must
// sign in: an invitation is no way into the accounts of others.
func (s *Service) SignUp(ctx context.Context, token, name, password string) (Started, error) {
	i, account, err := s.Invited(ctx, token)
	if err != nil {
		return Started{}, err
	}
	taken := fault.New(fault.Unauthenticated, "%s has an account already", i.Email).Hint("sign in, then accept the invitation")
	if account {
		return Started{}, taken
	}
	user, err := s.newUser(i.Email, name, password)
	if err != nil {
		return Started{}, err
	}
	err = s.store.AcceptInvitation(ctx, hashOf(token), time.Now(), user, true)
	if errors.Is(err, metastore.ErrExists) {
		return Started{}, taken
	}
	if err != nil {
		return Started{}, invited(err)
	}
	return s.Start(ctx, user.ID)
}

func (s *Service) newUser(email, name, password string) (model.User, error) {
	user := model.User{ID: uuid.NewString(), Email: email, Name: name}
	if err := metastore.CheckUser(user); err != nil {
		return user, err
	}
	var err error
	user.Password, err = s.secrets.HashPassword(password)
	return user, err
}
