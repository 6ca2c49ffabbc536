package metastore

import (
	"context"
	"strings"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
)

// MaxMembers is how many members an organization may have.
const MaxMembers = 10_000

// MaxEmail is the greatest length of an email address in bytes.
const MaxEmail = 320

// Users keeps the people of an installation.
type Users interface {
	// CreateUser adds a user. ErrExists for a taken id, and for an address that somebody has in any case.
	CreateUser(ctx context.Context, user model.User) error
	// User returns a user. ErrNotFound.
	User(ctx context.Context, id string) (model.User, error)
	// UserByEmail returns the user with an address, whatever its case. ErrNotFound.
	UserByEmail(ctx context.Context, email string) (model.User, error)
	// Users returns users by address, skipping offset of them, at most limit.
	Users(ctx context.Context, offset, limit int) ([]model.User, error)
	// SetPassword replaces the hash of a user's password and ends all sessions of the user. ErrNotFound.
	SetPassword(ctx context.Context, userID, hash string) error
	// SetAccount replaces the name and the preferences of a user. ErrNotFound.
	SetAccount(ctx context.Context, userID, name, preferences string) error
}

// MemberQuery selects members of an organization.
type MemberQuery struct {
	OrganizationID string
	Email          string // empty: all
	Offset, Limit  int
}

// Members keeps who belongs to organizations and projects. A member of a project is a member of its
// organization.
type Members interface {
	// PutMember makes a user a member of an organization, or changes its role and whether it is active.
	// ErrNotFound for no such organization or user, fault.Invalid when there are MaxMembers.
	PutMember(ctx context.Context, organizationID string, member model.Membership) error
	// Member returns one member of an organization, active or not. ErrNotFound.
	Member(ctx context.Context, organizationID, userID string) (model.Membership, error)
	// Members returns a page of the members of an organization by address, and how many there are.
	Members(ctx context.Context, query MemberQuery) (page []model.Membership, total int, err error)
	// RemoveMember takes a user out of an organization and all its projects, with the invitations it made. ErrNotFound.
	RemoveMember(ctx context.Context, organizationID, userID string) error
	// IsMember reports whether a user is an active member of an organization.
	IsMember(ctx context.Context, organizationID, userID string) (bool, error)
	// IsElsewhere reports whether a user is a member of an organization other than the given one.
	IsElsewhere(ctx context.Context, organizationID, userID string) (bool, error)

	// PutProjectMember gives a member of the organization a role in one of its projects. ErrNotFound
	// when the organization has no such project or member.
	PutProjectMember(ctx context.Context, organizationID, projectID string, member model.Membership) error
	// ProjectMembers returns who has a role in a project of an organization, by address.
	ProjectMembers(ctx context.Context, organizationID, projectID string) ([]model.Membership, error)
	// RemoveProjectMember takes the role in a project away. ErrNotFound.
	RemoveProjectMember(ctx context.Context, organizationID, projectID, userID string) error
}

// Address is an email in the form in which addresses are compared.
func Address(email string) string { return strings.ToLower(email) }

// CheckUser refuses with fault.Invalid a user who cannot be stored.
func CheckUser(u model.User) error {
	return first(
		CheckID("user id", u.ID),
		CheckEmail(u.Email),
		checkText("password", u.Password),
		CheckAccount(u.ID, u.Name, u.Preferences),
	)
}

// CheckEmail refuses with fault.Invalid what cannot be an address. Whether it is one only mail could tell.
func CheckEmail(email string) error {
	name, host, found := strings.Cut(email, "@")
	switch {
	case len(email) > MaxEmail:
		return fault.Invalidf("email", "must not be longer than %d bytes", MaxEmail)
	case !found || name == "" || host == "" || strings.ContainsAny(email, " \t\r\n\"<>(),;"):
		return fault.Invalidf("email", "must look like name@example.com")
	case len(Address(email)) > MaxText:
		return fault.Invalidf("email", "must not be longer than %d bytes", MaxEmail)
	}
	return checkText("email", email)
}

// CheckMember refuses with fault.Invalid a membership that cannot be stored.
func CheckMember(organizationID string, m model.Membership) error {
	if !m.Role.Known() {
		return fault.Invalidf("role", "must be OWNER, ADMIN, MEMBER or VIEWER")
	}
	return first(CheckID("organization id", organizationID), CheckID("userId", m.User.ID))
}

// Check refuses with fault.Invalid a query that no store can answer.
func (q MemberQuery) Check() error {
	if q.Offset < 0 || q.Limit < 0 || q.Limit > MaxMembers {
		return fault.Invalidf("limit", "must be between 0 and %d", MaxMembers)
	}
	return first(CheckID("organization id", q.OrganizationID), checkText("email", q.Email))
}

// CheckPassword refuses with fault.Invalid a hash that cannot be stored.
func CheckPassword(userID, hash string) error {
	return first(CheckID("user id", userID), CheckID("password", hash))
}
