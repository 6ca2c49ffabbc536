package metastoretest

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

func user(id string) model.User {
	return model.User{ID: id, Email: strings.ToUpper(id) + "@Example.com", Name: "Name " + id, Password: "hash-" + id, CreatedAt: spring, UpdatedAt: spring}
}

func member(id string, role model.Role) model.Membership {
	return model.Membership{User: model.User{ID: id}, Role: role, Active: true}
}

// shownMember is a member as lists show it.
func shownMember(id string, role model.Role) model.Membership {
	m := member(id, role)
	m.User = user(id)
	m.User.Password = ""
	return m
}

func mustUsers(t *testing.T, store metastore.Store, ids ...string) {
	t.Helper()
	for _, id := range ids {
		wantError(t, "CreateUser", store.CreateUser(t.Context(), user(id)), nil)
	}
}

func testUsers(t *testing.T, store metastore.Store) {
	ctx := t.Context()
	mustUsers(t, store, "b", "a", "c")
	sameID, sameAddress := user("a"), user("d")
	sameID.Email, sameAddress.Email = "other@example.com", "a@EXAMPLE.com"
	wantError(t, "CreateUser with a taken id", store.CreateUser(ctx, sameID), metastore.ErrExists)
	wantError(t, "CreateUser with a taken address", store.CreateUser(ctx, sameAddress), metastore.ErrExists)

	want := user("a")
	for what, read := range map[string]func() (model.User, error){
		"User":        func() (model.User, error) { return store.User(ctx, "a") },
		"UserByEmail": func() (model.User, error) { return store.UserByEmail(ctx, "a@example.COM") },
	} {
		got, err := read()
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", what, err, diff)
		}
	}
	list, err := store.Users(ctx, 1, 1)
	if diff := cmp.Diff([]model.User{user("b")}, list); diff != "" || err != nil {
		t.Errorf("Users: %v (-want +got):\n%s", err, diff)
	}
	wantError(t, "SetPassword", store.SetPassword(ctx, "a", "new"), nil)
	got, err := store.User(ctx, "a")
	if err != nil || got.Password != "new" || !got.UpdatedAt.After(spring) || !got.CreatedAt.Equal(spring) {
		t.Errorf("after SetPassword: %+v, %v", got, err)
	}
	if other, err := store.User(ctx, "b"); other.Password != "hash-b" || err != nil {
		t.Errorf("another user: %+v, %v", other, err)
	}
	_, err = store.User(ctx, "nobody")
	wantError(t, "User of none", err, metastore.ErrNotFound)
	_, err = store.UserByEmail(ctx, "nobody@example.com")
	wantError(t, "UserByEmail of none", err, metastore.ErrNotFound)
	wantError(t, "SetPassword of none", store.SetPassword(ctx, "nobody", "new"), metastore.ErrNotFound)
}

func testSameAddressAtOnce(t *testing.T, store metastore.Store) {
	created := 0
	for _, err := range atOnce(8, func(i int) error {
		u := user(string(rune('a' + i)))
		u.Email = "one@example.com"
		return store.CreateUser(t.Context(), u)
	}) {
		if err == nil {
			created++
		} else if !errors.Is(err, metastore.ErrExists) {
			t.Errorf("CreateUser = %v, want ErrExists", err)
		}
	}
	if created != 1 {
		t.Errorf("%d users have one address", created)
	}
}

func wantMembers(t *testing.T, store metastore.Store, q metastore.MemberQuery, total int, want ...model.Membership) {
	t.Helper()
	got, count, err := store.Members(t.Context(), q)
	if diff := cmp.Diff(want, got); len(want)+len(got) > 0 && diff != "" || count != total || err != nil {
		t.Errorf("Members %+v: %d, %v, want %d (-want +got):\n%s", q, count, err, total, diff)
	}
}

func testMembers(t *testing.T, store metastore.Store) {
	ctx := t.Context()
	a, _ := two(t, store)
	organization := a.Organization.ID
	mustUsers(t, store, "c", "b", "a")
	for _, id := range []string{"c", "a", "b"} {
		wantError(t, "PutMember", store.PutMember(ctx, organization, member(id, model.Viewer)), nil)
	}
	inactive := shownMember("b", model.Admin)
	inactive.Active = false
	wantError(t, "PutMember again", store.PutMember(ctx, organization, inactive), nil)
	wantMembers(t, store, metastore.MemberQuery{OrganizationID: organization, Limit: 2}, 3, shownMember("a", model.Viewer), inactive)
	wantMembers(t, store, metastore.MemberQuery{OrganizationID: organization, Limit: 2, Offset: 2}, 3, shownMember("c", model.Viewer))
	wantMembers(t, store, metastore.MemberQuery{OrganizationID: organization, Limit: 2, Offset: 7}, 3)
	wantMembers(t, store, metastore.MemberQuery{OrganizationID: organization, Limit: 2, Email: "C@example.com"}, 1, shownMember("c", model.Viewer))
	wantMembers(t, store, metastore.MemberQuery{OrganizationID: organization, Email: "c@example.com"}, 1)

	got, err := store.Member(ctx, organization, "b")
	if diff := cmp.Diff(inactive, got); diff != "" || err != nil {
		t.Errorf("Member: %v (-want +got):\n%s", err, diff)
	}
	for id, want := range map[string]bool{"a": true, "b": false, "nobody": false} {
		if is, err := store.IsMember(ctx, organization, id); is != want || err != nil {
			t.Errorf("IsMember %s = %v, %v, want %v", id, is, err, want)
		}
	}
	wantError(t, "PutMember of no user", store.PutMember(ctx, organization, member("nobody", model.Owner)), metastore.ErrNotFound)
	wantError(t, "PutMember of no organization", store.PutMember(ctx, "nobody", member("a", model.Owner)), metastore.ErrNotFound)
	wantError(t, "RemoveMember", store.RemoveMember(ctx, organization, "b"), nil)
	wantError(t, "RemoveMember again", store.RemoveMember(ctx, organization, "b"), metastore.ErrNotFound)
	_, err = store.Member(ctx, organization, "b")
	wantError(t, "Member that was removed", err, metastore.ErrNotFound)
	if _, err := store.User(ctx, "b"); err != nil {
		t.Errorf("the user is gone, too: %v", err)
	}
}

func testMemberTenants(t *testing.T, store metastore.Store) {
	ctx := t.Context()
	a, b := two(t, store)
	mustUsers(t, store, "both", "only")
	wantError(t, "PutMember", store.PutMember(ctx, a.Organization.ID, member("both", model.Owner)), nil)
	wantError(t, "PutMember", store.PutMember(ctx, b.Organization.ID, member("both", model.Viewer)), nil)
	wantError(t, "PutMember", store.PutMember(ctx, b.Organization.ID, member("only", model.Owner)), nil)
	wantMembers(t, store, metastore.MemberQuery{OrganizationID: a.Organization.ID, Limit: 9}, 1, shownMember("both", model.Owner))
	wantMembers(t, store, metastore.MemberQuery{OrganizationID: a.Organization.ID, Limit: 9, Email: "only@example.com"}, 0)
	_, err := store.Member(ctx, a.Organization.ID, "only")
	wantError(t, "Member of another organization", err, metastore.ErrNotFound)
	wantError(t, "RemoveMember of another organization", store.RemoveMember(ctx, a.Organization.ID, "only"), metastore.ErrNotFound)
	for id, want := range map[string]bool{"both": true, "only": false} {
		if is, err := store.IsElsewhere(ctx, b.Organization.ID, id); is != want || err != nil {
			t.Errorf("IsElsewhere %s = %v, %v, want %v", id, is, err, want)
		}
	}
	wantError(t, "RemoveMember", store.RemoveMember(ctx, a.Organization.ID, "both"), nil)
	wantMembers(t, store, metastore.MemberQuery{OrganizationID: b.Organization.ID, Limit: 9}, 2, shownMember("both", model.Viewer), shownMember("only", model.Owner))
}

func testProjectMembers(t *testing.T, store metastore.Store) {
	ctx := t.Context()
	a, b := two(t, store)
	mustUsers(t, store, "a", "b")
	organization := a.Organization.ID
	put := func(organization, project, user string, want error) {
		t.Helper()
		wantError(t, "PutProjectMember "+project+" "+user, store.PutProjectMember(ctx, organization, project, member(user, model.Admin)), want)
	}
	want := func(organization, project string, members ...model.Membership) {
		t.Helper()
		got, err := store.ProjectMembers(ctx, organization, project)
		if diff := cmp.Diff(members, got); len(members)+len(got) > 0 && diff != "" || err != nil {
			t.Errorf("ProjectMembers: %v (-want +got):\n%s", err, diff)
		}
	}
	put(organization, a.ID, "a", metastore.ErrNotFound) // no member yet
	wantError(t, "PutMember", store.PutMember(ctx, organization, member("a", model.Viewer)), nil)
	wantError(t, "PutMember", store.PutMember(ctx, b.Organization.ID, member("b", model.Viewer)), nil)
	put(organization, a.ID, "a", nil)
	put(organization, a.ID, "a", nil)
	put(organization, a.ID, "b", metastore.ErrNotFound)
	put(organization, b.ID, "a", metastore.ErrNotFound)
	put(b.Organization.ID, a.ID, "b", metastore.ErrNotFound)
	want(organization, a.ID, shownMember("a", model.Admin))
	want(b.Organization.ID, a.ID)
	want(b.Organization.ID, b.ID)
	wantError(t, "RemoveProjectMember by others", store.RemoveProjectMember(ctx, b.Organization.ID, a.ID, "a"), metastore.ErrNotFound)
	wantError(t, "RemoveProjectMember", store.RemoveProjectMember(ctx, organization, a.ID, "a"), nil)
	wantError(t, "RemoveProjectMember again", store.RemoveProjectMember(ctx, organization, a.ID, "a"), metastore.ErrNotFound)
	put(organization, a.ID, "a", nil)
	wantError(t, "RemoveMember", store.RemoveMember(ctx, organization, "a"), nil)
	want(organization, a.ID)
}

func testRefusedTenants(t *testing.T, store metastore.Store) {
	a, _ := two(t, store)
	mustUsers(t, store, "u")
	ctx := t.Context()
	errs := map[string]error{}
	note := func(what string, err error) { errs[what] = err }
	for _, text := range []string{"", "a\x00", "\xff", strings.Repeat("x", metastore.MaxText+1)} {
		named := user("n")
		named.ID = text
		note("CreateOrganization "+text, store.CreateOrganization(ctx, model.Organization{ID: text}))
		note("CreateUser "+text, store.CreateUser(ctx, named))
		note("SetPassword "+text, store.SetPassword(ctx, text, "x"))
		note("PutMember "+text, store.PutMember(ctx, a.Organization.ID, member(text, model.Owner)))
		note("PutProjectMember "+text, store.PutProjectMember(ctx, a.Organization.ID, text, member("u", model.Owner)))
		_, err := store.Project(ctx, text)
		note("Project "+text, err)
		_, err = store.Member(ctx, a.Organization.ID, text)
		note("Member "+text, err)
		_, err = store.KeysOf(ctx, text, "")
		note("KeysOf "+text, err)
	}
	for _, email := range []string{"", "x", "@", "a@", "@b", "a b@c", "a\x00@b", "\xff@b", strings.Repeat("x", metastore.MaxEmail) + "@b", "<a@b>"} {
		bad := user("n")
		bad.Email = email
		note("CreateUser "+email, store.CreateUser(ctx, bad))
		_, err := store.UserByEmail(ctx, email)
		note("UserByEmail "+email, err)
	}
	for _, metadata := range []string{"[]", "1", `"x"`, "{", "{\"a\":\"\xff\"}", "{\"a\":\"" + strings.Repeat("x", metastore.MaxMetadata) + "\"}"} {
		project := a
		project.Metadata = metadata
		note("UpdateProject "+metadata, store.UpdateProject(ctx, project))
		note("UpdateOrganization "+metadata, store.UpdateOrganization(ctx, model.Organization{ID: a.Organization.ID, Metadata: metadata}))
	}
	note("PutMember without a role", store.PutMember(ctx, a.Organization.ID, member("u", "")))
	note("PutMember with another role", store.PutMember(ctx, a.Organization.ID, member("u", "owner")))
	_, _, err := store.Members(ctx, metastore.MemberQuery{OrganizationID: a.Organization.ID, Limit: -1})
	note("Members with a bad limit", err)
	for what, err := range errs {
		if !fault.Is(err, fault.Invalid) {
			t.Errorf("%.60q = %v, want fault.Invalid", what, err)
		}
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	wantError(t, "PutMember", store.PutMember(canceled, a.Organization.ID, member("u", model.Owner)), context.Canceled)
	wantError(t, "CreateUser", store.CreateUser(canceled, user("late")), context.Canceled)
	wantMembers(t, store, metastore.MemberQuery{OrganizationID: a.Organization.ID, Limit: 9}, 0)
}

func testHostileTenants(t *testing.T, store metastore.Store) {
	ctx := t.Context()
	for _, text := range []string{"'; DROP TABLE users; --", "%", "_", "null", "\U0001F600", "a/b", strings.Repeat("ü", metastore.MaxText/2)} {
		organization := model.Organization{ID: text, Name: text, Metadata: `{"x":"\u0000 '"}`}
		person := user(text)
		person.Email, person.Name = "u%'_"+text[:1]+"@b", text
		wantError(t, "CreateOrganization", store.CreateOrganization(ctx, organization), nil)
		if err := store.CreateUser(ctx, person); err != nil && !errors.Is(err, metastore.ErrExists) && !fault.Is(err, fault.Invalid) {
			t.Errorf("CreateUser %.20q: %v", text, err)
			continue
		}
		got, err := store.Organization(ctx, text)
		if err != nil || got.Name != text || got.Metadata != organization.Metadata {
			t.Errorf("Organization %.20q = %+v, %v", text, got, err)
		}
	}
	// A filter is a text, never a pattern.
	mustUsers(t, store, "u")
	wantError(t, "PutMember", store.PutMember(ctx, "%", member("u", model.Owner)), nil)
	wantMembers(t, store, metastore.MemberQuery{OrganizationID: "%", Email: "_@example.com", Limit: 9}, 0)
	wantMembers(t, store, metastore.MemberQuery{OrganizationID: "%", Email: "%", Limit: 9}, 0)
}
