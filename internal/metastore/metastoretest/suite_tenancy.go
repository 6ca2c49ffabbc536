package metastoretest

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/price"
)

var tenancyTests = map[string]func(*testing.T, metastore.Store){
	"organizations":              testOrganizations,
	"deleted organizations":      testDeleteOrganization,
	"projects":                   testProjects,
	"names of projects":          testProjectNames,
	"erased projects":            testErasingProject,
	"forgotten projects":         testForgottenProject,
	"retention":                  testRetention,
	"keys of organizations":      testOrganizationKeys,
	"keys of owners":             testKeysOf,
	"scopes":                     testScopes,
	"used keys":                  testTouchKey,
	"rotated keys":               testRotateKey,
	"users":                      testUsers,
	"addresses at once":          testSameAddressAtOnce,
	"members":                    testMembers,
	"members of organizations":   testMemberTenants,
	"members of projects":        testProjectMembers,
	"refused tenants":            testRefusedTenants,
	"hostile texts of tenants":   testHostileTenants,
	"a project is erased or not": testKeyWhileErasing,
}

var spring = time.Date(2026, 4, 1, 9, 0, 0, 1_000, time.UTC)

// two plants an organization with a project each, "a" and "b".
func two(t *testing.T, store metastore.Store) (a, b model.Project) {
	t.Helper()
	seed := mustPlant(t, store, Seed("a"))
	a = seed.Project
	a.Organization.ID = seed.Organization.ID
	b = model.Project{ID: "b-project", Name: a.Name, Organization: model.Organization{ID: "b-organization", Name: "B"}}
	wantError(t, "CreateOrganization", store.CreateOrganization(t.Context(), b.Organization), nil)
	wantError(t, "CreateProject", store.CreateProject(t.Context(), b), nil)
	return a, b
}

func testOrganizations(t *testing.T, store metastore.Store) {
	ctx := t.Context()
	want := model.Organization{ID: "one", Name: "One", Metadata: `{"a":[1]}`, CreatedAt: spring, UpdatedAt: spring}
	wantError(t, "CreateOrganization", store.CreateOrganization(ctx, want), nil)
	wantError(t, "CreateOrganization again", store.CreateOrganization(ctx, want), metastore.ErrExists)
	later := model.Organization{ID: "0", Name: "One", CreatedAt: spring.Add(time.Hour), UpdatedAt: spring.Add(time.Hour)}
	wantError(t, "CreateOrganization of the same name", store.CreateOrganization(ctx, later), nil)

	want.Name, want.Metadata, want.UpdatedAt = "Uno", "", spring.Add(time.Minute)
	change := want
	change.CreatedAt = time.Time{}
	wantError(t, "UpdateOrganization", store.UpdateOrganization(ctx, change), nil)
	got, err := store.Organization(ctx, "one")
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("Organization: %v (-want +got):\n%s", err, diff)
	}
	list, err := store.Organizations(ctx)
	if diff := cmp.Diff([]model.Organization{want, later}, list); diff != "" || err != nil {
		t.Errorf("Organizations: %v (-want +got):\n%s", err, diff)
	}
	change.ID = "nobody"
	wantError(t, "UpdateOrganization of none", store.UpdateOrganization(ctx, change), metastore.ErrNotFound)
	_, err = store.Organization(ctx, "nobody")
	wantError(t, "Organization of none", err, metastore.ErrNotFound)
}

func testDeleteOrganization(t *testing.T, store metastore.Store) {
	ctx := t.Context()
	a, b := two(t, store)
	wantError(t, "DeleteOrganization with a project", store.DeleteOrganization(ctx, b.Organization.ID), metastore.ErrInUse)
	empty := model.Organization{ID: "empty"}
	wantError(t, "CreateOrganization", store.CreateOrganization(ctx, empty), nil)
	own := key("empty", "")
	own.Project.Organization.ID = empty.ID
	wantError(t, "CreateKey", store.CreateKey(ctx, own), nil)
	wantError(t, "CreateUser", store.CreateUser(ctx, user("u")), nil)
	for _, organization := range []string{empty.ID, a.Organization.ID} {
		wantError(t, "PutMember", store.PutMember(ctx, organization, member("u", model.Owner)), nil)
	}
	wantError(t, "DeleteOrganization", store.DeleteOrganization(ctx, empty.ID), nil)
	wantError(t, "DeleteOrganization again", store.DeleteOrganization(ctx, empty.ID), metastore.ErrNotFound)
	wantNoKey(t, store, own.PublicKey)
	if is, err := store.IsMember(ctx, a.Organization.ID, "u"); !is || err != nil {
		t.Errorf("a member of another organization: %v, %v", is, err)
	}
	if is, err := store.IsMember(ctx, empty.ID, "u"); is || err != nil {
		t.Errorf("a member of the deleted organization: %v, %v", is, err)
	}
}

func testProjects(t *testing.T, store metastore.Store) {
	ctx := t.Context()
	a, b := two(t, store)
	want := model.Project{
		ID: "p", Name: "P", Organization: model.Organization{ID: a.Organization.ID}, Metadata: `{"team":"x"}`,
		Retention: model.Retention{Days: 30, PayloadDays: 7}, CreatedAt: spring, UpdatedAt: spring,
	}
	wantError(t, "CreateProject", store.CreateProject(ctx, want), nil)
	wantProject(t, store, want)

	want.Name, want.Metadata, want.Retention, want.UpdatedAt = "Q", `{}`, model.Retention{}, spring.Add(time.Hour)
	wantError(t, "UpdateProject", store.UpdateProject(ctx, want), nil)
	wantProject(t, store, want)
	foreign := want
	foreign.Name, foreign.Organization.ID = "stolen", b.Organization.ID
	wantError(t, "UpdateProject of another organization", store.UpdateProject(ctx, foreign), metastore.ErrNotFound)
	wantProject(t, store, want)

	list, err := store.ProjectsOf(ctx, a.Organization.ID)
	if err != nil || len(list) != 2 || list[0].ID != "p" || list[1].ID != a.ID {
		t.Errorf("ProjectsOf = %+v, %v, want p, which is older, and %s", list, err, a.ID)
	}
	all, err := store.Projects(ctx)
	if err != nil || len(all) != 3 || all[0].Organization.Name == "" {
		t.Errorf("Projects = %+v, %v, want three with their organizations", all, err)
	}
	if none, err := store.ProjectsOf(ctx, "nobody"); len(none) > 0 || err != nil {
		t.Errorf("ProjectsOf nobody = %v, %v", none, err)
	}
	_, err = store.Project(ctx, "nobody")
	wantError(t, "Project of none", err, metastore.ErrNotFound)
}

func wantProject(t *testing.T, store metastore.Store, want model.Project) {
	t.Helper()
	got, err := store.Project(t.Context(), want.ID)
	got.Organization = model.Organization{ID: got.Organization.ID}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("Project: %v (-want +got):\n%s", err, diff)
	}
}

func testProjectNames(t *testing.T, store metastore.Store) {
	ctx := t.Context()
	a, b := two(t, store) // have the same name in two organizations
	same := model.Project{ID: "p", Name: a.Name, Organization: a.Organization}
	wantError(t, "CreateProject with a taken name", store.CreateProject(ctx, same), metastore.ErrExists)
	same.Name = strings.ToUpper(a.Name)
	wantError(t, "CreateProject with another case", store.CreateProject(ctx, same), nil)
	same.Name = a.Name
	wantError(t, "UpdateProject to a taken name", store.UpdateProject(ctx, same), metastore.ErrExists)
	wantError(t, "UpdateProject with its own name", store.UpdateProject(ctx, a), nil)
	wantError(t, "MarkProjectDeleted", store.MarkProjectDeleted(ctx, a.ID), nil)
	wantError(t, "UpdateProject to a name that is free", store.UpdateProject(ctx, same), nil)
	wantError(t, "UpdateProject in the other organization", store.UpdateProject(ctx, b), nil)
}

func testErasingProject(t *testing.T, store metastore.Store) {
	ctx := t.Context()
	a, b := two(t, store)
	var first time.Time
	for range 2 {
		wantError(t, "MarkProjectDeleted", store.MarkProjectDeleted(ctx, a.ID), nil)
		got, err := store.Project(ctx, a.ID)
		if err != nil || got.ErasingAt.IsZero() || !first.IsZero() && !got.ErasingAt.Equal(first) {
			t.Errorf("ErasingAt = %v, %v, want the first time %v", got.ErasingAt, err, first)
		}
		first = got.ErasingAt
	}
	if got := mustKey(t, store, "pk-lf-a"); !got.Project.ErasingAt.Equal(first) {
		t.Errorf("the key shows %v", got.Project.ErasingAt)
	}
	if got, err := store.Project(ctx, b.ID); err != nil || !got.ErasingAt.IsZero() {
		t.Errorf("another project: %+v, %v", got, err)
	}
	wantError(t, "MarkProjectDeleted of none", store.MarkProjectDeleted(ctx, "nobody"), metastore.ErrNotFound)
	if list, err := store.ProjectsOf(ctx, a.Organization.ID); len(list) > 0 || err != nil {
		t.Errorf("ProjectsOf = %v, %v, want none", list, err)
	}
	if all, err := store.Projects(ctx); len(all) != 2 || err != nil {
		t.Errorf("Projects = %v, %v, want both", all, err)
	}
	wantError(t, "UpdateProject", store.UpdateProject(ctx, a), metastore.ErrNotFound)
	wantError(t, "CreateKey", store.CreateKey(ctx, key("late", a.ID)), metastore.ErrNotFound)
	wantError(t, "DeleteOrganization", store.DeleteOrganization(ctx, a.Organization.ID), metastore.ErrInUse)
}

func testForgottenProject(t *testing.T, store metastore.Store) {
	ctx := t.Context()
	a, b := two(t, store)
	mustUsers(t, store, "u")
	for _, p := range []model.Project{a, b} {
		for what, err := range map[string]error{
			"CreateKey":         store.CreateKey(ctx, key("of "+p.ID, p.ID)),
			"CreateModel":       store.CreateModel(ctx, price.Definition{ProjectID: p.ID, ID: "m", Name: "m", Pattern: "m"}),
			"CreateScoreConfig": store.CreateScoreConfig(ctx, model.ScoreConfig{ProjectID: p.ID, ID: "c", Name: "c", Type: model.Numeric}),
			"PutMedia": store.PutMedia(ctx, []metastore.Media{{ProjectID: p.ID, ID: "m", ContentType: "text/plain"}},
				[]metastore.MediaLink{{ProjectID: p.ID, MediaID: "m", TraceID: "t", Field: "input"}}),
			"PutMember": store.PutMember(ctx, p.Organization.ID, member("u", model.Owner)),
		} {
			wantError(t, what, err, nil)
		}
		wantError(t, "PutProjectMember", store.PutProjectMember(ctx, p.Organization.ID, p.ID, member("u", model.Owner)), nil)
	}
	wantError(t, "ForgetProject that lives", store.ForgetProject(ctx, a.ID), metastore.ErrInUse)
	wantError(t, "MarkProjectDeleted", store.MarkProjectDeleted(ctx, a.ID), nil)
	for range 2 {
		wantError(t, "ForgetProject", store.ForgetProject(ctx, a.ID), nil)
	}
	for p, rows := range map[model.Project]int{a: 0, b: 1} {
		models, err := store.Models(ctx, p.ID)
		configs, err2 := store.ScoreConfigs(ctx, p.ID)
		links, err3 := store.MediaLinks(ctx, p.ID, "m", 9)
		members, err4 := store.ProjectMembers(ctx, p.Organization.ID, p.ID)
		if err := errors.Join(err, err2, err3, err4); err != nil || len(models) != rows || len(configs) != rows || len(links) != rows || len(members) != rows {
			t.Errorf("%s has %v, %v, %v, %v, want %d of each: %v", p.ID, models, configs, links, members, rows, err)
		}
	}
	wantNoKey(t, store, "pk-lf-a")
	wantNoKey(t, store, "pk-lf-of "+a.ID)
	mustKey(t, store, "pk-lf-of "+b.ID)
	_, err := store.Project(ctx, a.ID)
	wantError(t, "Project that was forgotten", err, metastore.ErrNotFound)
	wantError(t, "DeleteOrganization", store.DeleteOrganization(ctx, a.Organization.ID), nil)
}

func testRetention(t *testing.T, store metastore.Store) {
	ctx := t.Context()
	a, b := two(t, store)
	for _, want := range []model.Retention{{}, {Days: 30}, {Days: 30, PayloadDays: 3}, {PayloadDays: 3}, {Days: metastore.MaxRetentionDays}} {
		wantError(t, "SetRetention", store.SetRetention(ctx, a.ID, want), nil)
		if got, err := store.Retention(ctx, a.ID); got != want || err != nil {
			t.Errorf("Retention = %+v, %v, want %+v", got, err, want)
		}
	}
	if got, err := store.Retention(ctx, b.ID); got != (model.Retention{}) || err != nil {
		t.Errorf("Retention of another project = %+v, %v", got, err)
	}
	for _, bad := range []model.Retention{{Days: -1}, {PayloadDays: -1}, {Days: 3, PayloadDays: 4}, {Days: metastore.MaxRetentionDays + 1}, {PayloadDays: metastore.MaxRetentionDays + 1}} {
		if err := store.SetRetention(ctx, a.ID, bad); !fault.Is(err, fault.Invalid) {
			t.Errorf("SetRetention %+v = %v, want fault.Invalid", bad, err)
		}
	}
	wantError(t, "SetRetention of none", store.SetRetention(ctx, "nobody", model.Retention{}), metastore.ErrNotFound)
	_, err := store.Retention(ctx, "nobody")
	wantError(t, "Retention of none", err, metastore.ErrNotFound)
}
