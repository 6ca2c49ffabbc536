package metastore

import (
	"context"
	"time"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
)

// MaxSubject is the greatest length of a subject in bytes, which OpenID Connect sets, and of an issuer.
// Both stand in one index.
const MaxSubject = 255

// Identities keeps which person of an OIDC provider is which user. A person is one user, and a user one
// person of each provider: who got an address after somebody else does not get the account behind it.
type Identities interface {
	// LinkIdentity says that a subject of an issuer is a user; saying it again changes nothing. ErrExists when
	// the subject is another user, or the user another subject of this issuer; ErrNotFound for no such user.
	LinkIdentity(ctx context.Context, identity model.Identity) error
	// UserByIdentity returns the user that a subject of an issuer is. Both are compared as they are. ErrNotFound.
	UserByIdentity(ctx context.Context, issuer, subject string) (model.User, error)
	// CreateInvited adds a user whose address somebody has invited, in any case of its letters, uses up all invitations
	// for it and makes the user an active member of their organizations; of several to one the newest counts. All of it
	// happens or nothing. False when no invitation is open at the given time, ErrExists for a taken id or address.
	CreateInvited(ctx context.Context, user model.User, at time.Time) (bool, error)
	// UnlinkIdentities forgets who a user is at all providers, and returns at how many that was known.
	UnlinkIdentities(ctx context.Context, userID string) (int, error)
}

// CheckIdentity refuses with fault.Invalid an issuer and subject that cannot be stored.
func CheckIdentity(issuer, subject string) error {
	for field, text := range map[string]string{"issuer": issuer, "subject": subject} {
		if len(text) > MaxSubject {
			return fault.Invalidf(field, "must not be longer than %d bytes", MaxSubject)
		}
	}
	return first(CheckID("issuer", issuer), CheckID("subject", subject))
}
