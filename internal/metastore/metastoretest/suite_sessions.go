package metastoretest

import (
	"crypto/sha256"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

var sessionTests = map[string]func(*testing.T, metastore.Store){
	"sessions":               testSessions,
	"old sessions":           testOldSessions,
	"sessions of a password": testSessionsEndWithThePassword,
	"accounts":               testAccounts,
	"standings":              testStandings,
	"standings that end":     testStandingsEnd,
	"set up":                 testSetUp,
	"set up joins":           testSetUpJoins,
	"set up at once":         testSetUpAtOnce,
	"invitations":            testInvitations,
	"accepted invitations":   testAcceptInvitation,
	"accepted at once":       testAcceptAtOnce,
	"invitations that end":   testInvitationsEnd,
	"refused invitations":    testRefusedInvitations,
}

func hashOf(word string) []byte {
	sum := sha256.Sum256([]byte(word))
	return sum[:]
}

func session(word, userID string) model.Session {
	return model.Session{TokenHash: hashOf(word), User: model.User{ID: userID}, CreatedAt: spring, SeenAt: spring}
}

func wantNoSession(t *testing.T, store metastore.Store, word string) {
	t.Helper()
	_, err := store.Session(t.Context(), hashOf(word))
	wantError(t, "Session "+word, err, metastore.ErrNotFound)
}

func wantSession(t *testing.T, store metastore.Store, word string) model.Session {
	t.Helper()
	got, err := store.Session(t.Context(), hashOf(word))
	wantError(t, "Session "+word, err, nil)
	return got
}

func testSessions(t *testing.T, store metastore.Store) {
	ctx := t.Context()
	mustUsers(t, store, "a", "b")
	for word, userID := range map[string]string{"one": "a", "two": "a", "three": "b"} {
		wantError(t, "CreateSession", store.CreateSession(ctx, session(word, userID)), nil)
	}
	want := session("one", "a")
	want.User = user("a")
	if diff := cmp.Diff(want, wantSession(t, store, "one")); diff != "" {
		t.Errorf("Session (-want +got):\n%s", diff)
	}
	wantError(t, "CreateSession with a taken hash", store.CreateSession(ctx, session("one", "b")), metastore.ErrExists)
	wantError(t, "CreateSession of nobody", store.CreateSession(ctx, session("four", "nobody")), metastore.ErrNotFound)
	if err := store.CreateSession(ctx, model.Session{TokenHash: []byte("short"), User: model.User{ID: "a"}}); !fault.Is(err, fault.Invalid) {
		t.Errorf("CreateSession with no hash = %v, want fault.Invalid", err)
	}
	for range 2 {
		wantError(t, "DeleteSession", store.DeleteSession(ctx, hashOf("one")), nil)
	}
	wantNoSession(t, store, "one")
	wantSession(t, store, "two")
	wantError(t, "DeleteSessionsOf", store.DeleteSessionsOf(ctx, "a"), nil)
	wantNoSession(t, store, "two")
	wantSession(t, store, "three")
}

func testOldSessions(t *testing.T, store metastore.Store) {
	ctx := t.Context()
	mustUsers(t, store, "a")
	for _, word := range []string{"idle", "used"} {
		wantError(t, "CreateSession", store.CreateSession(ctx, session(word, "a")), nil)
	}
	for _, step := range []struct{ after, seen time.Duration }{
		{metastore.SeenWithin / 2, 0}, {metastore.SeenWithin, metastore.SeenWithin}, {time.Second, metastore.SeenWithin}, {time.Hour, time.Hour},
	} {
		wantError(t, "TouchSession", store.TouchSession(ctx, hashOf("used"), spring.Add(step.after)), nil)
		if got := wantSession(t, store, "used").SeenAt; !got.Equal(spring.Add(step.seen)) {
			t.Errorf("used %v after its start, seen at %v, want %v", step.after, got, spring.Add(step.seen))
		}
	}
	wantError(t, "TouchSession of none", store.TouchSession(ctx, hashOf("nobody"), spring), nil)
	wantError(t, "DeleteOldSessions", store.DeleteOldSessions(ctx, spring, spring), nil)
	wantSession(t, store, "idle")
	wantError(t, "DeleteOldSessions", store.DeleteOldSessions(ctx, spring, spring.Add(time.Hour)), nil)
	wantNoSession(t, store, "idle")
	wantSession(t, store, "used")
	wantError(t, "DeleteOldSessions", store.DeleteOldSessions(ctx, spring.Add(time.Microsecond), spring), nil)
	wantNoSession(t, store, "used")
}

func testSessionsEndWithThePassword(t *testing.T, store metastore.Store) {
	ctx := t.Context()
	mustUsers(t, store, "a", "b")
	wantError(t, "CreateSession", errors.Join(store.CreateSession(ctx, session("one", "a")), store.CreateSession(ctx, session("two", "b"))), nil)
	wantError(t, "SetPassword of none", store.SetPassword(ctx, "nobody", "new"), metastore.ErrNotFound)
	wantError(t, "SetPassword", store.SetPassword(ctx, "a", "new"), nil)
	wantNoSession(t, store, "one")
	wantSession(t, store, "two")
}

func testAccounts(t *testing.T, store metastore.Store) {
	ctx := t.Context()
	mustUsers(t, store, "a", "b")
	const preferences = `{"theme":"dark","timezone":"Europe/Köln"}`
	wantError(t, "SetAccount", store.SetAccount(ctx, "a", "Ada", preferences), nil)
	got, err := store.User(ctx, "a")
	if err != nil || got.Name != "Ada" || got.Preferences != preferences || got.Password != "hash-a" || !got.UpdatedAt.After(spring) {
		t.Errorf("after SetAccount: %+v, %v", got, err)
	}
	if other, err := store.User(ctx, "b"); err != nil || other.Name != "Name b" || other.Preferences != "" {
		t.Errorf("another user: %+v, %v", other, err)
	}
	wantError(t, "SetAccount of nobody", store.SetAccount(ctx, "nobody", "", ""), metastore.ErrNotFound)
	for name, preferences := range map[string]string{"a\x00": "", "long": strings.Repeat("x", metastore.MaxPreferences+1), "bytes": "\xff"} {
		if err := store.SetAccount(ctx, "a", name, preferences); !fault.Is(err, fault.Invalid) {
			t.Errorf("SetAccount %q = %v, want fault.Invalid", name, err)
		}
	}
}

// standing is one as stores show it.
func standing(p model.Project, organization string, own, project model.Role) model.Standing {
	owner := model.Organization{ID: p.Organization.ID, Name: organization}
	return model.Standing{Project: model.Project{ID: p.ID, Name: p.Name, Organization: owner}, OrganizationRole: own, ProjectRole: project}
}

func wantStandings(t *testing.T, store metastore.Store, userID string, want ...model.Standing) {
	t.Helper()
	got, err := store.Standings(t.Context(), userID)
	if diff := cmp.Diff(want, got); len(want)+len(got) > 0 && diff != "" || err != nil {
		t.Errorf("Standings of %s: %v (-want +got):\n%s", userID, err, diff)
	}
	for _, one := range want {
		if one.Project.ID == "" {
			continue
		}
		got, err := store.Standing(t.Context(), userID, one.Project.ID)
		if diff := cmp.Diff(one, got); diff != "" || err != nil {
			t.Errorf("Standing of %s: %v (-want +got):\n%s", userID, err, diff)
		}
	}
}

func testStandings(t *testing.T, store metastore.Store) {
	ctx := t.Context()
	a, b := two(t, store)
	mustUsers(t, store, "u", "v")
	second := model.Project{ID: "a-second", Name: "Another", Organization: a.Organization}
	wantError(t, "CreateProject", store.CreateProject(ctx, second), nil)
	wantError(t, "CreateOrganization", store.CreateOrganization(ctx, model.Organization{ID: "empty", Name: "Empty"}), nil)
	for _, organization := range []string{a.Organization.ID, "empty"} {
		wantError(t, "PutMember", store.PutMember(ctx, organization, member("u", model.Viewer)), nil)
	}
	wantError(t, "PutMember", store.PutMember(ctx, b.Organization.ID, member("v", model.Owner)), nil)
	wantError(t, "PutProjectMember", store.PutProjectMember(ctx, a.Organization.ID, second.ID, member("u", model.Admin)), nil)

	wantStandings(t, store, "u",
		standing(model.Project{Organization: model.Organization{ID: "empty"}}, "Empty", model.Viewer, ""),
		standing(second, "Organization a", model.Viewer, model.Admin), standing(a, "Organization a", model.Viewer, ""))
	wantStandings(t, store, "v", standing(b, "B", model.Owner, ""))
	wantStandings(t, store, "nobody")
	for userID, project := range map[string]string{"u": b.ID, "v": a.ID, "nobody": a.ID} {
		_, err := store.Standing(ctx, userID, project)
		wantError(t, "Standing of "+userID, err, metastore.ErrNotFound)
	}
}

func testStandingsEnd(t *testing.T, store metastore.Store) {
	ctx := t.Context()
	a, b := two(t, store)
	mustUsers(t, store, "u")
	for _, p := range []model.Project{a, b} {
		wantError(t, "PutMember", store.PutMember(ctx, p.Organization.ID, member("u", model.Admin)), nil)
		wantError(t, "PutProjectMember", store.PutProjectMember(ctx, p.Organization.ID, p.ID, member("u", model.Owner)), nil)
	}
	inactive := member("u", model.Admin)
	inactive.Active = false
	wantError(t, "PutMember", store.PutMember(ctx, a.Organization.ID, inactive), nil)
	wantStandings(t, store, "u", standing(b, "B", model.Admin, model.Owner))
	wantError(t, "RemoveProjectMember", store.RemoveProjectMember(ctx, b.Organization.ID, b.ID, "u"), nil)
	wantStandings(t, store, "u", standing(b, "B", model.Admin, ""))
	wantError(t, "MarkProjectDeleted", store.MarkProjectDeleted(ctx, b.ID), nil)
	wantStandings(t, store, "u", standing(model.Project{Organization: b.Organization}, "B", model.Admin, ""))
	_, err := store.Standing(ctx, "u", b.ID)
	wantError(t, "Standing in an erased project", err, metastore.ErrNotFound)
	wantError(t, "RemoveMember", store.RemoveMember(ctx, b.Organization.ID, "u"), nil)
	wantStandings(t, store, "u")
}
