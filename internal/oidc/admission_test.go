package oidc

import (
	"crypto/sha256"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore/metastoretest"
	"github.com/sondehq/sonde/internal/model"
)

const issuer = "https://id.example.com"

func ada(subject string) Identity {
	return Identity{Issuer: issuer, Subject: subject, Email: "Ada@Example.com", EmailVerified: true, Name: "Ada\x00"}
}

// newPeople has two organizations, of which "first" is the oldest.
func newPeople(t *testing.T) *metastoretest.Memory {
	t.Helper()
	store := metastoretest.NewMemory()
	for _, id := range []string{"first", "second"} {
		if err := store.CreateOrganization(t.Context(), model.Organization{ID: id, Name: id}); err != nil {
			t.Fatal(err)
		}
	}
	return store
}

func addUser(t *testing.T, store *metastoretest.Memory, id, email string) {
	t.Helper()
	if err := store.CreateUser(t.Context(), model.User{ID: id, Email: email}); err != nil {
		t.Fatal(err)
	}
}

func wantForbidden(t *testing.T, admission *Admission, who Identity, words string) {
	t.Helper()
	user, err := admission.Admit(t.Context(), who)
	if user.ID != "" || !fault.Is(err, fault.Forbidden) || !strings.Contains(err.Error(), words) {
		t.Errorf("Admit %+v = %+v, %v, want forbidden with %q", who, user, err, words)
	}
}

func wantUser(t *testing.T, admission *Admission, who Identity, id string) {
	t.Helper()
	if user, err := admission.Admit(t.Context(), who); user.ID != id || err != nil {
		t.Errorf("Admit %+v = %+v, %v, want %s", who, user, err, id)
	}
}

func TestKnownPeopleOnly(t *testing.T) {
	t.Parallel()
	store := newPeople(t)
	admission := NewAdmission(store, Rules{})
	wantForbidden(t, admission, ada("1"), "There is no account for Ada@Example.com; ask for an invitation")
	addUser(t, store, "ada", "ada@example.com")

	unverified, nameless := ada("1"), ada("1")
	unverified.EmailVerified, nameless.Email = false, ""
	wantForbidden(t, admission, unverified, "has not verified that Ada@Example.com is yours")
	wantForbidden(t, admission, nameless, "does not tell your email address")
	wantUser(t, admission, ada("1"), "ada")

	// Once they are known, only who they are counts.
	moved := Identity{Issuer: issuer, Subject: "1", Email: "ada@elsewhere.example"}
	wantUser(t, admission, moved, "ada")
	wantUser(t, admission, nameless, "ada")
	wantForbidden(t, admission, ada("2"), "sonde user unlink ada@example.com")
	other := ada("2")
	other.Issuer = "https://other.example.com"
	wantUser(t, admission, other, "ada")
	if member, err := store.IsMember(t.Context(), "first", "ada"); member || err != nil {
		t.Errorf("signing in made them a member: %v, %v", member, err)
	}
}

func TestAllowedDomains(t *testing.T) {
	t.Parallel()
	store := newPeople(t)
	admission := NewAdmission(store, Rules{Domains: []string{"example.com", "example.org"}, DefaultRole: model.Viewer})
	for _, email := range []string{"a@evil.com", "a@example.com.evil.com", "a@notexample.com", "a@sub.example.com", "a@evil.com@example.com"} {
		who := ada("1")
		who.Email = email
		if user, err := admission.Admit(t.Context(), who); user.ID != "" || !fault.Is(err, fault.Forbidden) {
			t.Errorf("%s = %+v, %v", email, user, err)
		}
	}
	user, err := admission.Admit(t.Context(), ada("1"))
	if err != nil || user.Email != "Ada@Example.com" {
		t.Fatalf("Admit = %+v, %v", user, err)
	}
	// An address that leaves the domain, or that nobody vouches for, leaves with it.
	moved, unverified := ada("1"), ada("1")
	moved.Email, unverified.EmailVerified = "ada@evil.com", false
	wantForbidden(t, admission, moved, "evil.com are not let in here; sign in with one of example.com, example.org")
	wantForbidden(t, admission, unverified, "has not verified")
	wantUser(t, admission, ada("1"), user.ID)
}

func TestDefaultRole(t *testing.T) {
	t.Parallel()
	store := newPeople(t)
	admission := NewAdmission(store, Rules{DefaultRole: model.Member})
	unverified := ada("1")
	unverified.EmailVerified = false
	wantForbidden(t, admission, unverified, "has not verified")

	ids := make([]string, 8) // one person in several windows
	var windows sync.WaitGroup
	for i := range ids {
		windows.Go(func() {
			user, err := admission.Admit(t.Context(), ada("1"))
			if err != nil {
				t.Error(err)
			}
			ids[i] = user.ID
		})
	}
	windows.Wait()
	for _, id := range ids {
		if id == "" || id != ids[0] {
			t.Fatalf("one person is %q", ids)
		}
	}
	member, err := store.Member(t.Context(), "first", ids[0])
	if err != nil || member.Role != model.Member || !member.Active || member.User.Name != "Ada" {
		t.Errorf("member %+v, %v", member, err)
	}

	// Who belongs to an organization keeps what they have there, and gets nothing beside it.
	addUser(t, store, "bob", "bob@example.com")
	if err := store.PutMember(t.Context(), "second", model.Membership{User: model.User{ID: "bob"}, Role: model.Viewer, Active: true}); err != nil {
		t.Fatal(err)
	}
	wantUser(t, admission, Identity{Issuer: issuer, Subject: "bob", Email: "bob@example.com", EmailVerified: true}, "bob")
	if member, err := store.IsMember(t.Context(), "first", "bob"); member || err != nil {
		t.Errorf("bob is a member of the first organization, too: %v, %v", member, err)
	}
	// A first sign-in that was interrupted after the user was made.
	addUser(t, store, "half", "half@example.com")
	wantUser(t, admission, Identity{Issuer: issuer, Subject: "half", Email: "half@example.com", EmailVerified: true}, "half")
	if member, err := store.IsMember(t.Context(), "first", "half"); !member || err != nil {
		t.Errorf("half is no member: %v, %v", member, err)
	}
	// Who was taken out of the organization, or whose role is another, is not put back.
	if err := store.RemoveMember(t.Context(), "first", ids[0]); err != nil {
		t.Fatal(err)
	}
	wantUser(t, admission, ada("1"), ids[0])
	if member, err := store.IsMember(t.Context(), "first", ids[0]); member || err != nil {
		t.Errorf("a removed member is back: %v, %v", member, err)
	}
}

func TestInvitedPeople(t *testing.T) {
	t.Parallel()
	store := newPeople(t)
	addUser(t, store, "bob", "bob@example.com")
	invite := func(email string, until time.Time) {
		hash := sha256.Sum256([]byte(email))
		err := store.CreateInvitation(t.Context(), model.Invitation{
			ID: email, Organization: model.Organization{ID: "second"}, Email: email, Role: model.Admin, InvitedBy: model.User{ID: "bob"},
			TokenHash: hash[:], CreatedAt: until.Add(-time.Hour), ExpiresAt: until,
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	admission := NewAdmission(store, Rules{})
	invite("late@example.com", time.Now().Add(-time.Second))
	wantForbidden(t, admission, Identity{Issuer: issuer, Subject: "late", Email: "late@example.com", EmailVerified: true}, "There is no account")
	invite("ada@example.com", time.Now().Add(time.Hour))
	unverified := ada("1")
	unverified.EmailVerified = false
	wantForbidden(t, admission, unverified, "has not verified")
	user, err := admission.Admit(t.Context(), ada("1"))
	if err != nil {
		t.Fatal(err)
	}
	if m, err := store.Member(t.Context(), "second", user.ID); err != nil || m.Role != model.Admin {
		t.Errorf("member %+v, %v", m, err)
	}
	wantUser(t, admission, ada("1"), user.ID)
}

func TestNoOrganization(t *testing.T) {
	t.Parallel()
	wantForbidden(t, NewAdmission(metastoretest.NewMemory(), Rules{DefaultRole: model.Member}), ada("1"), "has no organization yet")
}
