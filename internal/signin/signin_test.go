package signin_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore/metastoretest"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/signin"
)

const password = "correct horse"

// compared counts how often a password was compared.
type compared struct{ times atomic.Int32 }

func (c *compared) secrets() signin.Secrets {
	return signin.Secrets{
		HashPassword: func(text string) (string, error) { return "kept " + text, nil },
		PasswordMatches: func(hash, text string) bool {
			c.times.Add(1)
			return hash == "kept "+text
		},
		NewKey: func() (model.Key, string, error) {
			return model.Key{ID: "k", PublicKey: "pk", SecretHash: []byte{1}, Salt: []byte{1}, Scope: model.ScopeAll}, "sk", nil
		},
	}
}

// newService is one with an organization that has two members, ada, an owner with a password, and bob, who has none.
func newService(t *testing.T) (*signin.Service, *metastoretest.Memory, *compared) {
	t.Helper()
	store, counted := metastoretest.NewMemory(), &compared{}
	if _, err := store.Plant(t.Context(), metastoretest.Seed("a")); err != nil {
		t.Fatal(err)
	}
	for id, hash := range map[string]string{"ada": "kept " + password, "bob": ""} {
		user := model.User{ID: id, Email: id + "@example.com", Password: hash}
		if err := store.CreateUser(t.Context(), user); err != nil {
			t.Fatal(err)
		}
		if err := store.PutMember(t.Context(), "a-organization", model.Membership{User: user, Role: model.Owner, Active: true}); err != nil {
			t.Fatal(err)
		}
	}
	return signin.New(store, counted.secrets()), store, counted
}

func wantKind(t *testing.T, what string, err error, kind fault.Kind) {
	t.Helper()
	if !fault.Is(err, kind) {
		t.Errorf("%s = %v, want kind %d", what, err, kind)
	}
}

func attempt(email, password string) signin.Attempt {
	return signin.Attempt{Email: email, Password: password, Address: "192.0.2.1"}
}

func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, _, _ := newService(t)
		start := func() string {
			started, err := s.Start(t.Context(), "ada")
			if err != nil {
				t.Fatal(err)
			}
			return started.Token
		}
		idle, used := start(), start()
		for range 29 {
			time.Sleep(24 * time.Hour)
			if _, err := s.Who(t.Context(), used); err != nil {
				t.Fatalf("a session that is used every day: %v", err)
			}
		}
		_, err := s.Who(t.Context(), idle)
		wantKind(t, "a session without use", err, fault.Unauthenticated)
		time.Sleep(24*time.Hour - time.Microsecond)
		if user, err := s.Who(t.Context(), used); err != nil || user.ID != "ada" {
			t.Errorf("Who = %+v, %v", user, err)
		}
		time.Sleep(time.Microsecond)
		_, err = s.Who(t.Context(), used)
		wantKind(t, "a session of 30 days", err, fault.Unauthenticated)
		_, err = s.Who(t.Context(), "")
		wantKind(t, "no token", err, fault.Unauthenticated)
		_, err = s.Start(t.Context(), "nobody")
		wantKind(t, "Start of nobody", err, fault.NotFound)
	})
}

func TestIdleForAWeek(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, _, _ := newService(t)
		started, err := s.Start(t.Context(), "ada")
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(signin.IdleFor)
		_, err = s.Who(t.Context(), started.Token)
		wantKind(t, "Who after a week", err, fault.Unauthenticated)
	})
}

func TestCSRF(t *testing.T) {
	t.Parallel()
	one, two := strings.Repeat("a", 43), strings.Repeat("b", 43)
	if !signin.CSRFMatches(one, signin.CSRF(one)) || signin.CSRFMatches(two, signin.CSRF(one)) || signin.CSRFMatches(one, "") || signin.CSRFMatches(one, one) {
		t.Error("a CSRF token is of its session and of no other")
	}
	if strings.Contains(signin.CSRF(one), one) {
		t.Error("the CSRF token tells the session's")
	}
}

// Whether there is an account, and whether it has a password, must not be told by the work that a refusal takes.
func TestRefusalsTakeTheSameWork(t *testing.T) {
	t.Parallel()
	s, _, counted := newService(t)
	var messages []string
	for i, a := range []signin.Attempt{attempt("ada@example.com", "wrong"), attempt("bob@example.com", ""), attempt("nobody@example.com", password), attempt("no address", password)} {
		_, err := s.SignIn(t.Context(), a)
		wantKind(t, "SignIn "+a.Email, err, fault.Unauthenticated)
		messages = append(messages, fmt.Sprint(err))
		if got := int(counted.times.Load()); got != i+1 {
			t.Errorf("%s: %d comparisons, want %d", a.Email, got, i+1)
		}
		if messages[i] != messages[0] {
			t.Errorf("%s: %s", a.Email, messages[i])
		}
	}
	if started, err := s.SignIn(t.Context(), attempt("ADA@example.com", password)); err != nil || started.User.ID != "ada" || len(started.Token) != 43 {
		t.Errorf("SignIn = %+v, %v", started, err)
	}
}

func TestTries(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, _, _ := newService(t)
		fail := func(a signin.Attempt, kind fault.Kind) {
			t.Helper()
			_, err := s.SignIn(t.Context(), a)
			wantKind(t, "SignIn "+a.Email+" from "+a.Address, err, kind)
		}
		for range 10 {
			fail(attempt("ada@example.com", "wrong"), fault.Unauthenticated)
		}
		fail(attempt("Ada@example.com", password), fault.Limited)
		fail(attempt("bob@example.com", "wrong"), fault.Unauthenticated) // another email is another matter
		time.Sleep(10 * time.Second)
		fail(attempt("ada@example.com", "wrong"), fault.Unauthenticated)
		fail(attempt("ada@example.com", "wrong"), fault.Limited)
		time.Sleep(10 * time.Second)
		for range 50 { // what succeeds does not count
			if _, err := s.SignIn(t.Context(), attempt("ada@example.com", password)); err != nil {
				t.Fatal(err)
			}
		}
		// With many emails it is the address that counts, and of IPv6 the network.
		refused := 0
		for i := range 150 {
			a := attempt(fmt.Sprintf("x%d@example.com", i), "wrong")
			a.Address = fmt.Sprintf("2001:db8::%x", i)
			if _, err := s.SignIn(t.Context(), a); fault.Is(err, fault.Limited) {
				refused++
			}
		}
		if refused != 50 {
			t.Errorf("%d of 150 attempts of one network were refused, want 50", refused)
		}
	})
}

func TestInvitationsExpire(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, store, _ := newService(t)
		ada, err := store.User(t.Context(), "ada")
		if err != nil {
			t.Fatal(err)
		}
		_, token, err := s.Invite(t.Context(), ada, model.Owner, "a-organization", "new@example.com", model.Viewer)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(signin.InvitationLastsFor - time.Microsecond)
		if i, account, err := s.Invited(t.Context(), token); err != nil || account || i.Role != model.Viewer {
			t.Errorf("Invited = %+v, %v, %v", i, account, err)
		}
		time.Sleep(time.Microsecond)
		_, _, err = s.Invited(t.Context(), token)
		wantKind(t, "Invited", err, fault.NotFound)
		_, err = s.SignUp(t.Context(), token, "New", password)
		wantKind(t, "SignUp", err, fault.NotFound)
		wantKind(t, "Join", s.Join(t.Context(), token, ada), fault.NotFound)
		if list, err := s.Invitations(t.Context(), "a-organization"); err != nil || len(list) != 0 {
			t.Errorf("Invitations = %v, %v", list, err)
		}
	})
}

func TestSetUpIsForTheFirstDay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		first := signin.First{Email: "ada@example.com", Password: password}
		for _, late := range []bool{false, true} {
			store := metastoretest.NewMemory()
			if _, err := store.Plant(t.Context(), metastoretest.Seed("a")); err != nil {
				t.Fatal(err)
			}
			s := signin.New(store, (&compared{}).secrets())
			if needed, err := s.SetupNeeded(t.Context()); err != nil || !needed {
				t.Errorf("SetupNeeded = %v, %v", needed, err)
			}
			time.Sleep(signin.SetUpWithin)
			if late {
				time.Sleep(time.Second)
				_, err := s.SetUp(t.Context(), first)
				wantKind(t, "SetUp after a day", err, fault.Forbidden)
				continue
			}
			made, err := s.SetUp(t.Context(), first)
			if err != nil || made.Project.ID != "a-project" || made.Project.Organization.Name != "Organization a" || made.Secret != "sk" {
				t.Errorf("SetUp = %+v, %v", made, err)
			}
			if user, err := s.Who(t.Context(), made.Token); err != nil || user.Email != "ada@example.com" {
				t.Errorf("Who = %+v, %v", user, err)
			}
			_, err = s.SetUp(t.Context(), first)
			wantKind(t, "SetUp again", err, fault.Conflict)
		}
	})
}

func TestRefusedSetups(t *testing.T) {
	t.Parallel()
	s := signin.New(metastoretest.NewMemory(), (&compared{}).secrets())
	for name, first := range map[string]signin.First{
		"email":        {Email: "nobody", Password: password},
		"organization": {Email: "a@example.com", Password: password, Organization: "ab"},
		"project":      {Email: "a@example.com", Password: password, Project: strings.Repeat("x", 61)},
	} {
		_, err := s.SetUp(t.Context(), first)
		wantKind(t, "SetUp with a bad "+name, err, fault.Invalid)
	}
	made, err := s.SetUp(t.Context(), signin.First{Email: "a@example.com", Password: password})
	if err != nil || made.Project.Name != "My project" || made.Project.Organization.Name != "My organization" {
		t.Errorf("SetUp of nothing = %+v, %v", made.Project, err)
	}
}

func TestFewPasswordsWait(t *testing.T) {
	t.Parallel()
	_, store, _ := newService(t)
	hold := make(chan struct{})
	secrets := (&compared{}).secrets()
	secrets.PasswordMatches = func(string, string) bool { <-hold; return false }
	s := signin.New(store, secrets)
	errs := make(chan error)
	for i := range 40 {
		go func() {
			_, err := s.SignIn(t.Context(), attempt(fmt.Sprintf("x%d@example.com", i), password))
			errs <- err
		}()
	}
	for range 8 { // those that found no room do not wait
		wantKind(t, "SignIn in a crowd", <-errs, fault.Unavailable)
	}
	close(hold)
	for range 32 {
		wantKind(t, "SignIn in a crowd", <-errs, fault.Unauthenticated)
	}
}
