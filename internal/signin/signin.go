// Package signin lets people in: sessions, passwords, invitations, and the first person of an installation.
//
// A session is a random token that its browser has and of which only the hash is stored. Whether it is
// still good, and what its user may do, is asked of the store every time: who loses a role, a membership or
// a session loses it at once, on all nodes.
package signin

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"sync/atomic"
	"time"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// How long a session lasts: without use, and at all.
const (
	IdleFor = 7 * 24 * time.Hour
	LastFor = 30 * 24 * time.Hour
)

const (
	tokenBytes = 32
	// csrfLabel is what the CSRF token says of itself. A new label ends all of them.
	csrfLabel = "sonde csrf 1"
	// noteWithin bounds how long a request waits for the use of its session to be written, once a minute.
	noteWithin = 250 * time.Millisecond
)

// Store is what the service keeps its things in; a metastore.Store is one.
type Store interface {
	metastore.Sessions
	metastore.Standings
	metastore.Invitations
	metastore.Setups
	metastore.Users
	metastore.Attempts
	metastore.Secrets
	Member(ctx context.Context, organizationID, userID string) (model.Membership, error)
	Members(ctx context.Context, query metastore.MemberQuery) ([]model.Membership, int, error)
	Organizations(ctx context.Context) ([]model.Organization, error)
}

// Secrets makes and compares what people and programs prove themselves with.
type Secrets struct {
	// HashPassword returns the form in which a password is kept. fault.Invalid for one that is too short or too long.
	HashPassword func(password string) (string, error)
	// PasswordMatches reports whether a password is the one of a hash. How long it takes depends on neither.
	PasswordMatches func(hash, password string) bool
	// NewKey returns a random key and its plain secret.
	NewKey func() (model.Key, string, error)
}

// Service lets people in. It is safe for concurrent use.
type Service struct {
	store   Store
	secrets Secrets
	decoy   func() string // a hash that no password has
	tried   atomic.Uint64 // attempts on this node
	proving chan struct{} // holds who waits for a password to be compared
}

// New makes a service.
func New(store Store, secrets Secrets) *Service {
	return &Service{store: store, secrets: secrets, decoy: newDecoy(secrets), proving: make(chan struct{}, maxProving)}
}

// Started is a session that has begun. Its token is nowhere else.
type Started struct {
	Token   string
	LastFor time.Duration
	User    model.User
	Device  string // by which the browser is known from now on, for DeviceLastsFor; empty: as before
}

// Start begins a session of a user who has proved to be that user, always with a new token. fault.NotFound.
func (s *Service) Start(ctx context.Context, userID string) (Started, error) {
	user, err := s.store.User(ctx, userID)
	if err != nil {
		return Started{}, known(err, "User")
	}
	token, now := newToken(), time.Now()
	session := model.Session{TokenHash: hashOf(token), User: user, CreatedAt: now, SeenAt: now}
	if err := s.store.CreateSession(ctx, session); err != nil {
		return Started{}, known(err, "User")
	}
	// The table stays as small as the number of people who come back.
	if err := s.store.DeleteOldSessions(ctx, now.Add(-LastFor), now.Add(-IdleFor)); err != nil {
		return Started{}, err
	}
	return Started{Token: token, LastFor: LastFor, User: user}, nil
}

// Who returns whose session a token is. fault.Unauthenticated for one that is not known, or has ended.
func (s *Service) Who(ctx context.Context, token string) (model.User, error) {
	if len(token) != base64.RawURLEncoding.EncodedLen(tokenBytes) {
		return model.User{}, ended()
	}
	found, err := s.store.Session(ctx, hashOf(token))
	if errors.Is(err, metastore.ErrNotFound) {
		return model.User{}, ended()
	}
	if err != nil {
		return model.User{}, err
	}
	now := time.Now()
	if now.Sub(found.CreatedAt) >= LastFor || now.Sub(found.SeenAt) >= IdleFor {
		return model.User{}, ended()
	}
	if now.Sub(found.SeenAt) >= metastore.SeenWithin {
		s.note(ctx, found.TokenHash, now)
	}
	return found.User, nil
}

// note writes the use of a session. One that cannot be noted now will be soon, and is no reason to refuse a request.
func (s *Service) note(ctx context.Context, tokenHash []byte, now time.Time) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), noteWithin)
	defer cancel()
	_ = s.store.TouchSession(ctx, tokenHash, now)
}

// Standing returns what a user may do in a project. fault.Forbidden when that is nothing, whether there is
// such a project or not.
func (s *Service) Standing(ctx context.Context, userID, projectID string) (model.Standing, error) {
	found, err := s.store.Standing(ctx, userID, projectID)
	if errors.Is(err, metastore.ErrNotFound) || fault.Is(err, fault.Invalid) {
		return found, fault.New(fault.Forbidden, "You are no member of this project, or there is none").
			Hint("choose one of yours, or ask an owner of its organization to invite you")
	}
	return found, err
}

// Standings returns everything that a user may do, by organization.
func (s *Service) Standings(ctx context.Context, userID string) ([]model.Standing, error) {
	return s.store.Standings(ctx, userID)
}

// OrganizationRole returns the role of a user in an organization. fault.Forbidden when there is none.
func (s *Service) OrganizationRole(ctx context.Context, userID, organizationID string) (model.Role, error) {
	m, err := s.store.Member(ctx, organizationID, userID)
	if errors.Is(err, metastore.ErrNotFound) || fault.Is(err, fault.Invalid) || err == nil && !m.Active {
		return "", fault.New(fault.Forbidden, "You are no member of this organization, or there is none").
			Hint("ask one of its owners to invite you")
	}
	return m.Role, err
}

// AdministersAll reports whether an organization is the only one of the installation and a user administers it.
func (s *Service) AdministersAll(ctx context.Context, userID, organizationID string) (bool, error) {
	role, err := s.OrganizationRole(ctx, userID, organizationID)
	if err != nil || !role.AtLeast(model.Admin) {
		return false, err
	}
	organizations, err := s.store.Organizations(ctx)
	return len(organizations) == 1, err
}

// UserByEmail returns the account with an address. fault.NotFound, fault.Invalid.
func (s *Service) UserByEmail(ctx context.Context, email string) (model.User, error) {
	user, err := s.store.UserByEmail(ctx, email)
	return user, known(err, "User")
}

// SignOut ends the session of a token.
func (s *Service) SignOut(ctx context.Context, token string) error {
	return s.store.DeleteSession(ctx, hashOf(token))
}

// SignOutEverywhere ends all sessions of a user.
func (s *Service) SignOutEverywhere(ctx context.Context, userID string) error {
	return s.store.DeleteSessionsOf(ctx, userID)
}

// CSRF returns what a page of the session must send with requests that change something. It is made of the
// token, which other pages cannot know, and does not tell it.
func CSRF(token string) string {
	mac := hmac.New(sha256.New, []byte(token))
	_, _ = mac.Write([]byte(csrfLabel)) // never fails
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// CSRFMatches reports whether the text is the CSRF token of a session's token.
func CSRFMatches(token, text string) bool { return hmac.Equal([]byte(CSRF(token)), []byte(text)) }

func newToken() string {
	random := make([]byte, tokenBytes)
	_, _ = rand.Read(random) // never fails
	return base64.RawURLEncoding.EncodeToString(random)
}

// hashOf is what is stored of a token. A fast hash is right for what is random and long.
func hashOf(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

func ended() error {
	return fault.New(fault.Unauthenticated, "You are not signed in, or your session has ended").Hint("sign in")
}

// known translates what a store says into faults; what names the thing.
func known(err error, what string) error {
	switch {
	case errors.Is(err, metastore.ErrNotFound):
		return fault.New(fault.NotFound, "%s not found", what).Because(err)
	case errors.Is(err, metastore.ErrExists):
		return fault.New(fault.Conflict, "%s exists already", what).Because(err)
	default:
		return err
	}
}
