package signin

import (
	"context"
	"errors"
	"sync"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// maxProving is how many passwords may wait to be compared, which takes memory and tens of milliseconds each.
// Few are compared at once; who finds no room is told so.
const maxProving = 32

// newDecoy makes the hash against which the passwords of nobody are compared: how long a refusal takes must
// not tell whether there is an account.
func newDecoy(secrets Secrets) func() string {
	return sync.OnceValue(func() string {
		hash, err := secrets.HashPassword(newToken())
		if err != nil {
			panic(err) // a random text of that length is a password
		}
		return hash
	})
}

// Attempt is somebody who wants in.
type Attempt struct {
	Email, Password string
	Address         string // where from, such as 192.0.2.1
	Device          string // what Started told the browser the last time; may be anything
}

// SignIn begins a session of the user whose address and password are given. fault.Unauthenticated, which says
// nothing about which of both is wrong; fault.Limited after too many attempts.
func (s *Service) SignIn(ctx context.Context, a Attempt) (Started, error) {
	tries, err := s.newTries(ctx, a)
	if err != nil {
		return Started{}, err
	}
	if err := tries.take(ctx); err != nil {
		return Started{}, err
	}
	user, err := s.store.UserByEmail(ctx, a.Email)
	if err != nil && !errors.Is(err, metastore.ErrNotFound) && !fault.Is(err, fault.Invalid) {
		return Started{}, err
	}
	right, err := s.proves(user, a.Password)
	if err != nil {
		return Started{}, err
	}
	if !right {
		return Started{}, fault.New(fault.Unauthenticated, "Wrong email or password").
			Hint("whoever forgot theirs asks the operator for a new one: sonde user reset-password")
	}
	return s.startProved(ctx, tries, user)
}

// startProved begins a session of somebody who has just proved a password, with a browser that is known from now on.
func (s *Service) startProved(ctx context.Context, tries tries, user model.User) (Started, error) {
	if err := tries.forget(ctx); err != nil {
		return Started{}, err
	}
	started, err := s.Start(ctx, user.ID)
	if err != nil {
		return started, err
	}
	started.Device, err = s.newDevice(ctx, user.Email)
	return started, err
}

// proves compares a password, in the same time whether the user exists and has one or not.
func (s *Service) proves(user model.User, password string) (bool, error) {
	select {
	case s.proving <- struct{}{}:
		defer func() { <-s.proving }()
	default:
		return false, fault.Unavailablef("Too many people sign in right now").Hint("try again in a few seconds")
	}
	hash := user.Password
	if hash == "" {
		hash = s.decoy()
	}
	return s.secrets.PasswordMatches(hash, password) && user.Password != "", nil
}

// ChangePassword replaces the password that an attempt proves by one that its owner chose, ends all sessions of the user and begins a new one.
// fault.Invalid for a new one that cannot be used, fault.Forbidden for a current one that is wrong.
func (s *Service) ChangePassword(ctx context.Context, user model.User, a Attempt, next string) (Started, error) {
	if user.Password == "" {
		return Started{}, fault.New(fault.Forbidden, "This account has no password").
			Hint("the operator can give it one: sonde user reset-password")
	}
	a.Email = user.Email
	tries, err := s.newTries(ctx, a)
	if err != nil {
		return Started{}, err
	}
	if err := tries.take(ctx); err != nil {
		return Started{}, err
	}
	right, err := s.proves(user, a.Password)
	if err != nil {
		return Started{}, err
	}
	if !right {
		return Started{}, fault.New(fault.Forbidden, "The current password is wrong")
	}
	hash, err := s.secrets.HashPassword(next)
	if err != nil {
		return Started{}, err
	}
	if err := s.store.SetPassword(ctx, user.ID, hash); err != nil {
		return Started{}, known(err, "User")
	}
	return s.startProved(ctx, tries, user)
}

// ChangeAccount replaces name and preferences of a user and returns the user as it is now. fault.Invalid.
func (s *Service) ChangeAccount(ctx context.Context, userID, name, preferences string) (model.User, error) {
	if err := s.store.SetAccount(ctx, userID, name, preferences); err != nil {
		return model.User{}, known(err, "User")
	}
	user, err := s.store.User(ctx, userID)
	return user, known(err, "User")
}
