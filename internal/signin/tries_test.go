package signin_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/signin"
)

// guess tries wrong passwords from ever new addresses until it is refused, and returns how many were compared.
func guess(t *testing.T, s *signin.Service, email string) (guesses int) {
	t.Helper()
	for i := range 10_000 {
		_, err := s.SignIn(t.Context(), signin.Attempt{Email: email, Password: "wrong", Address: fmt.Sprintf("198.51.%d.%d", i/250, i%250)})
		if fault.Is(err, fault.Limited) {
			return i
		}
		wantKind(t, "a guess", err, fault.Unauthenticated)
	}
	t.Fatal("nobody stops a guesser")
	return 0
}

// From many addresses, and through several nodes, an account is guessed at no more than a limit allows; whether there is one
// makes no difference.
func TestManyAddressesShareTheTriesOfAnAccount(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		one, store, counted := newService(t)
		other := signin.New(store, counted.secrets())
		for _, email := range []string{"ada@example.com", "nobody@example.com"} {
			if got := guess(t, one, email); got != 50 {
				t.Errorf("%d guesses at %s, want 50", got, email)
			}
			if got := guess(t, other, email); got != 0 {
				t.Errorf("another node allows %d guesses more at %s", got, email)
			}
		}
		// However long they go on, they get one in a minute.
		through := 0
		for range 24 * 60 {
			time.Sleep(time.Minute)
			through += guess(t, one, "ada@example.com")
		}
		if through > 24*60+10 {
			t.Errorf("%d guesses in a day", through)
		}
		time.Sleep(24*time.Hour + time.Minute)
		if _, err := one.SignIn(t.Context(), attempt("ada@example.com", password)); err != nil {
			t.Errorf("a day after the attack its owner is still locked out: %v", err)
		}
	})
}

// Whoever has signed in with a browser before waits for nobody but themselves.
func TestKnownDeviceIsNotLockedOutByStrangers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, _, _ := newService(t)
		started, err := s.SignIn(t.Context(), attempt("ada@example.com", password))
		if err != nil || started.Device == "" {
			t.Fatalf("SignIn = %+v, %v", started, err)
		}
		guess(t, s, "ada@example.com")
		guess(t, s, "bob@example.com")
		known := attempt("Ada@example.com", password)
		_, err = s.SignIn(t.Context(), known)
		wantKind(t, "an unknown device", err, fault.Limited)
		known.Device = started.Device
		if _, err := s.SignIn(t.Context(), known); err != nil {
			t.Errorf("a known device: %v", err)
		}
		for name, device := range map[string]string{"made up": "AAAA.BBBB", "changed": "A" + started.Device[1:], "empty": ""} {
			known.Device = device
			_, err = s.SignIn(t.Context(), known)
			wantKind(t, name, err, fault.Limited)
		}
		// It opens no second account, and guessing with it is slowed down, too.
		_, err = s.SignIn(t.Context(), signin.Attempt{Email: "bob@example.com", Password: "wrong", Address: "192.0.2.9", Device: started.Device})
		wantKind(t, "another account", err, fault.Limited)
		stolen := attempt("ada@example.com", "wrong")
		stolen.Device = started.Device
		for range 10 {
			_, err = s.SignIn(t.Context(), stolen)
			wantKind(t, "a guess with a stolen token", err, fault.Unauthenticated)
		}
		_, err = s.SignIn(t.Context(), stolen)
		wantKind(t, "more guesses with a stolen token", err, fault.Limited)
	})
}

func TestWaitGrowsAndIsTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, _, _ := newService(t)
		for range 10 {
			_, _ = s.SignIn(t.Context(), attempt("ada@example.com", "wrong"))
		}
		for _, want := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second} {
			_, err := s.SignIn(t.Context(), attempt("ada@example.com", "wrong"))
			refused, ok := errors.AsType[*fault.Fault](err)
			if !ok || refused.RetryAfter() != want {
				t.Fatalf("SignIn = %v, want to wait for %v", err, want)
			}
			time.Sleep(want)
			_, err = s.SignIn(t.Context(), attempt("ada@example.com", "wrong"))
			wantKind(t, "after the wait", err, fault.Unauthenticated)
		}
	})
}
