package oidc

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// People is where users are kept.
type People interface {
	metastore.Identities
	metastore.Users
	metastore.Members
	metastore.Organizations
}

// Admission decides which user a person of the provider is.
type Admission struct {
	people People
	rules  Rules
}

// Rules are the operator's.
type Rules struct {
	Domains     []string   // of verified addresses that are let in; none: all
	DefaultRole model.Role // in the oldest organization, of those who come for the first time; empty: they are refused
}

// NewAdmission makes an admission.
func NewAdmission(people People, rules Rules) *Admission { return &Admission{people, rules} }

// Admit returns the user that a person is. Who was here before is known by the provider's word for them,
// whatever their address is now; others by an address that the provider verified. Who is not let in gets
// fault.Forbidden with the reason.
func (a *Admission) Admit(ctx context.Context, who Identity) (model.User, error) {
	if err := a.checkDomain(who); err != nil {
		return model.User{}, err
	}
	user, err := a.people.UserByIdentity(ctx, who.Issuer, who.Subject)
	if !errors.Is(err, metastore.ErrNotFound) {
		return user, err
	}
	if err := checkAddress(who); err != nil {
		return model.User{}, err
	}
	if user, err = a.byAddress(ctx, who); err != nil {
		return model.User{}, err
	}
	if err := a.place(ctx, user); err != nil {
		return model.User{}, err
	}
	err = a.people.LinkIdentity(ctx, model.Identity{Issuer: who.Issuer, Subject: who.Subject, UserID: user.ID})
	if errors.Is(err, metastore.ErrExists) {
		return model.User{}, fault.New(fault.Forbidden, "The account of %s belongs to another person of the provider", who.Email).
			Hint("if it is yours, an operator can run: sonde user unlink " + user.Email).Because(err)
	}
	return user, err
}

func (a *Admission) checkDomain(who Identity) error {
	if len(a.rules.Domains) == 0 {
		return nil
	}
	if err := checkAddress(who); err != nil {
		return err
	}
	_, domain, _ := strings.Cut(who.Email, "@")
	if slices.ContainsFunc(a.rules.Domains, func(allowed string) bool { return strings.EqualFold(allowed, domain) }) {
		return nil
	}
	return fault.New(fault.Forbidden, "Addresses of %s are not let in here", domain).
		Hint("sign in with one of " + strings.Join(a.rules.Domains, ", "))
}

// checkAddress refuses an address that anybody could have claimed.
func checkAddress(who Identity) error {
	if who.Email == "" {
		return fault.New(fault.Forbidden, "The provider does not tell your email address").
			Hint("its administrator can let this server read it, by the scope email")
	}
	if metastore.CheckEmail(who.Email) != nil || strings.Count(who.Email, "@") != 1 {
		return fault.New(fault.Forbidden, "What the provider says is your email address is none")
	}
	if !who.EmailVerified {
		return fault.New(fault.Forbidden, "The provider has not verified that %s is yours", who.Email).
			Hint("verify it there, then sign in again")
	}
	return nil
}

// byAddress returns the user with a verified address, whom it creates if somebody has invited them, or if
// everybody who comes for the first time is let in.
func (a *Admission) byAddress(ctx context.Context, who Identity) (model.User, error) {
	user, err := a.people.UserByEmail(ctx, who.Email)
	if !errors.Is(err, metastore.ErrNotFound) {
		return user, err
	}
	user = model.User{ID: uuid.NewString(), Email: who.Email, Name: shortened(who.Name)}
	invited, err := a.people.CreateInvited(ctx, user, time.Now())
	if err == nil && !invited && a.rules.DefaultRole == "" {
		return user, fault.New(fault.Forbidden, "There is no account for %s", who.Email).Hint("ask for an invitation")
	}
	if err == nil && !invited {
		err = a.people.CreateUser(ctx, user)
	}
	if errors.Is(err, metastore.ErrExists) { // in another window, at the same moment
		return a.people.UserByEmail(ctx, who.Email)
	}
	return user, err
}

// place makes somebody who belongs to no organization a member of the oldest one, if there is a role for them.
// Doing it before the identity is linked lets a sign-in that was interrupted be repeated.
func (a *Admission) place(ctx context.Context, user model.User) error {
	if a.rules.DefaultRole == "" {
		return nil
	}
	organizations, err := a.people.Organizations(ctx)
	if err != nil {
		return err
	}
	if len(organizations) == 0 {
		return fault.New(fault.Forbidden, "This server has no organization yet").Hint("an operator sets it up first")
	}
	oldest := organizations[0].ID
	if _, err := a.people.Member(ctx, oldest, user.ID); !errors.Is(err, metastore.ErrNotFound) {
		return err
	}
	if elsewhere, err := a.people.IsElsewhere(ctx, oldest, user.ID); err != nil || elsewhere {
		return err
	}
	return a.people.PutMember(ctx, oldest, model.Membership{User: user, Role: a.rules.DefaultRole, Active: true})
}

// shortened is a name as it can be kept.
func shortened(name string) string {
	name = strings.ReplaceAll(strings.ToValidUTF8(name, ""), "\x00", "")
	const most = 200
	if runes := []rune(name); len(runes) > most {
		name = string(runes[:most])
	}
	return name
}
