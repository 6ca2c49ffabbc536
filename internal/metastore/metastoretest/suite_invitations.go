package metastoretest

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

func setup(word string) metastore.Setup {
	seed := Seed(word)
	return metastore.Setup{User: user(word), Organization: seed.Organization, Project: seed.Project, Key: seed.Key}
}

func testSetUp(t *testing.T, store metastore.Store) {
	got, err := store.SetUp(t.Context(), setup("new"))
	if err != nil || got.ID != "new-project" || got.Organization.ID != "new-organization" {
		t.Fatalf("SetUp = %+v, %v", got, err)
	}
	wantStandings(t, store, "new", standing(got, "Organization new", model.Owner, ""))
	if owner := mustKey(t, store, "pk-lf-new").Project; owner.ID != "new-project" {
		t.Errorf("the key opens %+v", owner)
	}
	_, err = store.SetUp(t.Context(), setup("late"))
	wantError(t, "SetUp again", err, metastore.ErrExists)
	_, err = store.User(t.Context(), "late")
	wantError(t, "User of the late", err, metastore.ErrNotFound)
	wantNoKey(t, store, "pk-lf-late")
}

func testSetUpJoins(t *testing.T, store metastore.Store) {
	a, _ := two(t, store)
	first := setup("new")
	first.Organization.Name = "" // keeps its name
	got, err := store.SetUp(t.Context(), first)
	a.Name = "Project new"
	if err != nil || got.ID != a.ID || got.Name != a.Name || got.Organization.Name != "Organization a" {
		t.Fatalf("SetUp = %+v, %v", got, err)
	}
	wantStandings(t, store, "new", standing(a, "Organization a", model.Owner, ""))
	if owner := mustKey(t, store, "pk-lf-new").Project; owner.ID != a.ID || owner.Name != a.Name {
		t.Errorf("the key opens %+v", owner)
	}
}

func testSetUpAtOnce(t *testing.T, store metastore.Store) {
	mustPlant(t, store, Seed("planted"))
	if err := errors.Join(atOnce(8, func(int) error { return store.Ping(t.Context()) })...); err != nil {
		t.Fatalf("Ping: %v", err)
	}
	done := 0
	for _, err := range atOnce(8, func(i int) error {
		_, err := store.SetUp(t.Context(), setup(string(rune('a'+i))))
		return err
	}) {
		if err == nil {
			done++
		} else if !errors.Is(err, metastore.ErrExists) {
			t.Errorf("SetUp = %v, want ErrExists", err)
		}
	}
	users, err := store.Users(t.Context(), 0, 10)
	if done != 1 || len(users) != 1 || err != nil {
		t.Errorf("%d set up, %d users, %v", done, len(users), err)
	}
}

// invitation is one from user "a" to an organization, which is good for an hour.
func invitation(word, organizationID string) model.Invitation {
	return model.Invitation{
		ID: word, Organization: model.Organization{ID: organizationID}, Email: word + "@Example.com", Role: model.Member,
		InvitedBy: model.User{ID: "a"}, TokenHash: hashOf(word), CreatedAt: spring, ExpiresAt: spring.Add(time.Hour),
	}
}

// inviting is a store with user "a" in two organizations and an invitation each, "one" and "two".
func inviting(t *testing.T, store metastore.Store) (one, second model.Project) {
	t.Helper()
	one, second = two(t, store)
	mustUsers(t, store, "a", "b")
	for word, p := range map[string]model.Project{"one": one, "two": second} {
		wantError(t, "PutMember", store.PutMember(t.Context(), p.Organization.ID, member("a", model.Owner)), nil)
		wantError(t, "CreateInvitation", store.CreateInvitation(t.Context(), invitation(word, p.Organization.ID)), nil)
	}
	return one, second
}

func wantInvitations(t *testing.T, store metastore.Store, organizationID string, after time.Time, want ...string) {
	t.Helper()
	list, err := store.Invitations(t.Context(), organizationID, after)
	var got []string
	for _, i := range list {
		got = append(got, i.ID)
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("Invitations: %v (-want +got):\n%s", err, diff)
	}
}

func testInvitations(t *testing.T, store metastore.Store) {
	ctx := t.Context()
	one, other := inviting(t, store)
	organization := one.Organization.ID
	want := invitation("one", organization)
	want.TokenHash, want.Organization.Name = nil, "Organization a"
	want.InvitedBy = model.User{ID: "a", Email: user("a").Email, Name: user("a").Name}
	got, err := store.Invitation(ctx, hashOf("one"))
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("Invitation: %v (-want +got):\n%s", err, diff)
	}
	later := invitation("later", organization)
	later.CreatedAt, later.ExpiresAt = spring.Add(time.Minute), spring.Add(2*time.Hour)
	wantError(t, "CreateInvitation", store.CreateInvitation(ctx, later), nil)
	wantInvitations(t, store, organization, spring, "later", "one")
	wantInvitations(t, store, organization, spring.Add(time.Hour), "later")
	wantInvitations(t, store, other.Organization.ID, spring, "two")
	wantInvitations(t, store, "nobody", spring)

	wantError(t, "DeleteInvitation of others", store.DeleteInvitation(ctx, other.Organization.ID, "one"), metastore.ErrNotFound)
	wantError(t, "DeleteInvitation", store.DeleteInvitation(ctx, organization, "one"), nil)
	wantError(t, "DeleteInvitation again", store.DeleteInvitation(ctx, organization, "one"), metastore.ErrNotFound)
	_, err = store.Invitation(ctx, hashOf("one"))
	wantError(t, "Invitation that was taken back", err, metastore.ErrNotFound)
	wantInvitations(t, store, organization, spring, "later")
}

func testAcceptInvitation(t *testing.T, store metastore.Store) {
	ctx := t.Context()
	one, other := inviting(t, store)
	accept := func(word string, after time.Duration, u model.User, create bool) error {
		return store.AcceptInvitation(ctx, hashOf(word), spring.Add(after), u, create)
	}
	taken := user("new")
	taken.Email = user("b").Email
	wantError(t, "AcceptInvitation when it has expired", accept("one", time.Hour, user("b"), false), metastore.ErrNotFound)
	wantError(t, "AcceptInvitation of nobody", accept("one", 0, user("nobody"), false), metastore.ErrNotFound)
	wantError(t, "AcceptInvitation with a taken address", accept("one", 0, taken, true), metastore.ErrExists)
	wantStandings(t, store, "b")
	wantInvitations(t, store, one.Organization.ID, spring, "one") // what was refused has not used it up

	wantError(t, "AcceptInvitation", accept("one", 0, user("new"), true), nil)
	wantStandings(t, store, "new", standing(one, "Organization a", model.Member, ""))
	if got, err := store.User(ctx, "new"); err != nil || got.Password != "hash-new" {
		t.Errorf("the new user is %+v, %v", got, err)
	}
	wantError(t, "AcceptInvitation again", accept("one", 0, user("b"), false), metastore.ErrNotFound)
	wantStandings(t, store, "b")

	wantError(t, "AcceptInvitation by a member", accept("two", 0, user("a"), false), nil)
	if m, err := store.Member(ctx, other.Organization.ID, "a"); err != nil || m.Role != model.Owner {
		t.Errorf("an owner who accepts is %+v, %v", m, err)
	}
	wantError(t, "AcceptInvitation again", accept("two", 0, user("b"), false), metastore.ErrNotFound)
}

func testAcceptAtOnce(t *testing.T, store metastore.Store) {
	inviting(t, store)
	accepted := 0
	for _, err := range atOnce(8, func(i int) error {
		return store.AcceptInvitation(t.Context(), hashOf("one"), spring, user("new"+string(rune('a'+i))), true)
	}) {
		if err == nil {
			accepted++
		} else if !errors.Is(err, metastore.ErrNotFound) {
			t.Errorf("AcceptInvitation = %v, want ErrNotFound", err)
		}
	}
	if users, err := store.Users(t.Context(), 0, 20); accepted != 1 || len(users) != 3 || err != nil {
		t.Errorf("%d accepted, %d users, %v", accepted, len(users), err)
	}
}

// Invitations go with who made them and with their organization.
func testInvitationsEnd(t *testing.T, store metastore.Store) {
	ctx := t.Context()
	one, other := inviting(t, store)
	wantError(t, "RemoveMember", store.RemoveMember(ctx, one.Organization.ID, "a"), nil)
	wantInvitations(t, store, one.Organization.ID, spring)
	wantInvitations(t, store, other.Organization.ID, spring, "two")
	wantError(t, "MarkProjectDeleted", store.MarkProjectDeleted(ctx, other.ID), nil)
	wantError(t, "ForgetProject", store.ForgetProject(ctx, other.ID), nil)
	wantError(t, "DeleteOrganization", store.DeleteOrganization(ctx, other.Organization.ID), nil)
	_, err := store.Invitation(ctx, hashOf("two"))
	wantError(t, "Invitation of a deleted organization", err, metastore.ErrNotFound)
}

func testRefusedInvitations(t *testing.T, store metastore.Store) {
	ctx := t.Context()
	one, _ := inviting(t, store)
	organization := one.Organization.ID
	nowhere, byNobody, sameHash, sameID := invitation("x", "nowhere"), invitation("x", organization), invitation("x", organization), invitation("one", organization)
	byNobody.InvitedBy.ID, sameHash.TokenHash, sameID.TokenHash = "nobody", hashOf("one"), hashOf("x")
	wantError(t, "CreateInvitation nowhere", store.CreateInvitation(ctx, nowhere), metastore.ErrNotFound)
	wantError(t, "CreateInvitation by nobody", store.CreateInvitation(ctx, byNobody), metastore.ErrNotFound)
	wantError(t, "CreateInvitation with a taken hash", store.CreateInvitation(ctx, sameHash), metastore.ErrExists)
	wantError(t, "CreateInvitation with a taken id", store.CreateInvitation(ctx, sameID), metastore.ErrExists)
	for name, edit := range map[string]func(*model.Invitation){
		"role":  func(i *model.Invitation) { i.Role = "BOSS" },
		"email": func(i *model.Invitation) { i.Email = "nobody" },
		"hash":  func(i *model.Invitation) { i.TokenHash = nil },
		"id":    func(i *model.Invitation) { i.ID = "a\x00" },
	} {
		bad := invitation("x", organization)
		edit(&bad)
		if err := store.CreateInvitation(ctx, bad); !fault.Is(err, fault.Invalid) {
			t.Errorf("CreateInvitation with a bad %s = %v, want fault.Invalid", name, err)
		}
	}
	wantInvitations(t, store, organization, spring, "one")
}
