package metastore

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
)

const (
	// MaxInvitations is how many open invitations an organization may have.
	MaxInvitations = 1_000
	// MaxPreferences bounds the preferences of a user, in bytes.
	MaxPreferences = 4 << 10
	// SeenWithin is how exactly the last use of a session is known.
	SeenWithin = time.Minute
)

// Sessions keeps who has signed in. A session is found by the hash of its token. How old a session may
// get is for its readers to say.
type Sessions interface {
	// CreateSession adds a session. ErrNotFound for no such user, ErrExists for a hash that is taken.
	CreateSession(ctx context.Context, session model.Session) error
	// Session returns a session with its user as it is now. ErrNotFound.
	Session(ctx context.Context, tokenHash []byte) (model.Session, error)
	// TouchSession remembers that a session was used, unless it was so less than SeenWithin ago.
	TouchSession(ctx context.Context, tokenHash []byte, at time.Time) error
	// DeleteSession ends a session. Ending twice is ending once.
	DeleteSession(ctx context.Context, tokenHash []byte) error
	// DeleteSessionsOf ends all sessions of a user.
	DeleteSessionsOf(ctx context.Context, userID string) error
	// DeleteOldSessions ends sessions that were made, or used last, before the given times.
	DeleteOldSessions(ctx context.Context, createdBefore, seenBefore time.Time) error
}

// Standings says where users may do what. Only active memberships count, and projects that are not
// being erased.
type Standings interface {
	// Standing returns what a user may do in a project. ErrNotFound, also when it may do nothing there.
	Standing(ctx context.Context, userID, projectID string) (model.Standing, error)
	// Standings returns all standings of a user, MaxProjects at most, by name of organization and project, then by id;
	// an organization without projects has one.
	Standings(ctx context.Context, userID string) ([]model.Standing, error)
}

// Invitations keeps who may join organizations.
type Invitations interface {
	// CreateInvitation adds an invitation. ErrNotFound for no such organization or user, ErrExists for a taken id or
	// hash, fault.Invalid when the organization has MaxInvitations that have not expired when this one was made.
	CreateInvitation(ctx context.Context, invitation model.Invitation) error
	// Invitation returns an invitation by the hash of its token, expired or not. ErrNotFound.
	Invitation(ctx context.Context, tokenHash []byte) (model.Invitation, error)
	// Invitations returns those of an organization that expire after the given time, the newest first.
	Invitations(ctx context.Context, organizationID string, after time.Time) ([]model.Invitation, error)
	// DeleteInvitation takes an invitation of an organization back. ErrNotFound.
	DeleteInvitation(ctx context.Context, organizationID, id string) error
	// AcceptInvitation uses an invitation up and makes the user an active member with its role; whoever is a member
	// already stays what it is. With create the user is made, too. All of it happens or nothing. ErrNotFound for an
	// invitation that is used, taken back or expired at the given time, and for no such user; ErrExists for a user whose
	// id or address is taken.
	AcceptInvitation(ctx context.Context, tokenHash []byte, at time.Time, user model.User, create bool) error
}

// Setup is what the first person of an installation starts with.
type Setup struct {
	User         model.User
	Organization model.Organization // joined instead, when there is one; its name is taken over unless it is empty
	Project      model.Project      // the same; its Organization is ignored. A new one without a name has that of the organization
	Key          model.Key          // its Project is ignored
}

// Setups makes first persons.
type Setups interface {
	// SetUp makes the user the owner of the oldest organization, or of a new one, gives the key to its oldest project,
	// or to a new one, and returns that project. ErrExists once there is any user: of several that set up at once,
	// exactly one does.
	SetUp(ctx context.Context, setup Setup) (model.Project, error)
}

// CheckHash refuses with fault.Invalid what is no SHA-256.
func CheckHash(hash []byte) error {
	if len(hash) != sha256.Size {
		return fault.Invalidf("token", "must be hashed by SHA-256")
	}
	return nil
}

// CheckSession refuses with fault.Invalid a session that cannot be stored.
func CheckSession(s model.Session) error {
	return first(CheckHash(s.TokenHash), CheckID("user id", s.User.ID))
}

// CheckInvitation refuses with fault.Invalid an invitation that cannot be stored.
func CheckInvitation(i model.Invitation) error {
	if !i.Role.Known() {
		return fault.Invalidf("role", "must be OWNER, ADMIN, MEMBER or VIEWER")
	}
	return first(
		CheckID("invitation id", i.ID),
		CheckID("organization id", i.Organization.ID),
		CheckID("user id", i.InvitedBy.ID),
		CheckEmail(i.Email),
		CheckHash(i.TokenHash),
	)
}

// CheckAccount refuses with fault.Invalid a name or preferences that cannot be stored.
func CheckAccount(userID, name, preferences string) error {
	if len(preferences) > MaxPreferences {
		return fault.Invalidf("preferences", "must not be larger than %d bytes", MaxPreferences)
	}
	return first(CheckID("user id", userID), checkText("name", name), checkDocument("preferences", preferences))
}

// Linked returns the setup with everything pointing to the given project, or fault.Invalid when a part of it cannot be stored.
func (s Setup) Linked() (Setup, error) {
	s.Project.Organization = s.Organization
	s.Key.Project = s.Project
	return s, first(CheckUser(s.User), CheckOrganization(s.Organization), CheckProject(s.Project), CheckKey(s.Key))
}
