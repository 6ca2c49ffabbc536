package metastoretest

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

var savedViewsTests = map[string]func(*testing.T, metastore.Store){
	"saved views":                  testSavedViews,
	"saved views and their owners": testSavedViewOwners,
	"default saved views":          testSavedViewDefaults,
	"one default of many at once":  testSavedViewDefaultAtOnce,
	"refused saved views":          testRefusedSavedViews,
	"saved views are limited":      testSavedViewLimit,
}

func savedView(projectID, id string, micros int) model.SavedView {
	return model.SavedView{
		ProjectID: projectID, ID: id, Table: "traces", Name: "so \"müde\"", Shared: true, State: "q=level%3AERROR&x='",
		CreatedAt: annotated.Add(time.Duration(micros) * time.Microsecond), UpdatedAt: annotated.Add(time.Hour),
	}
}

func privateView(projectID, id, owner string) model.SavedView {
	v := savedView(projectID, id, 0)
	v.Shared, v.OwnerID = false, owner
	return v
}

func mustCreateViews(t *testing.T, store metastore.Store, views ...model.SavedView) {
	t.Helper()
	for _, v := range views {
		wantError(t, "CreateSavedView "+v.ID, store.CreateSavedView(t.Context(), v), nil)
	}
}

func wantViews(t *testing.T, store metastore.Store, projectID string, q metastore.SavedViewQuery, part metastore.Range, total int, want ...string) {
	t.Helper()
	list, got, err := store.SavedViews(t.Context(), projectID, q, part)
	if err != nil || got != total {
		t.Errorf("SavedViews %+v: %d of them, want %d, %v", q, got, total, err)
	}
	var ids []string
	for _, v := range list {
		ids = append(ids, v.ID)
	}
	if diff := cmp.Diff(want, ids); diff != "" {
		t.Errorf("saved views %+v %+v (-want +got):\n%s", q, part, diff)
	}
}

func wantView(t *testing.T, store metastore.Store, want model.SavedView) {
	t.Helper()
	got, err := store.SavedView(t.Context(), want.ProjectID, want.ID)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("SavedView %s: %v (-want +got):\n%s", want.ID, err, diff)
	}
}

var allViews = metastore.Range{Limit: 100}

func testSavedViews(t *testing.T, store metastore.Store) {
	seed := mustPlant(t, store, Seed("seed"))
	project := seed.Project.ID
	wantError(t, "CreateProject", store.CreateProject(t.Context(), model.Project{ID: "other", Organization: seed.Organization}), nil)
	a, b, newest, foreign := savedView(project, "a", 0), savedView(project, "b", 0), savedView(project, "newest", 1), savedView("other", "a", 0)
	b.Table = "sessions"
	mustCreateViews(t, store, a, b, newest, foreign)
	wantError(t, "the same id", store.CreateSavedView(t.Context(), a), metastore.ErrExists)
	wantError(t, "no project", store.CreateSavedView(t.Context(), savedView("nowhere", "a", 0)), metastore.ErrNotFound)
	wantView(t, store, a)
	wantViews(t, store, project, metastore.SavedViewQuery{}, allViews, 3, "newest", "a", "b")
	wantViews(t, store, project, metastore.SavedViewQuery{Table: "traces"}, allViews, 2, "newest", "a")
	wantViews(t, store, project, metastore.SavedViewQuery{}, metastore.Range{Offset: 1, Limit: 1}, 3, "a")
	wantViews(t, store, "nowhere", metastore.SavedViewQuery{}, allViews, 0)

	changed := a
	changed.Name, changed.State, changed.UpdatedAt = "another", "", annotated.Add(2*time.Hour)
	moved := changed
	moved.Table, moved.CreatedAt = "users", annotated.Add(time.Minute) // stay as they are
	wantError(t, "UpdateSavedView", store.UpdateSavedView(t.Context(), moved), nil)
	wantView(t, store, changed)
	wantView(t, store, foreign)
	wantError(t, "UpdateSavedView of none", store.UpdateSavedView(t.Context(), savedView(project, "none", 0)), metastore.ErrNotFound)

	wantError(t, "DeleteSavedView", store.DeleteSavedView(t.Context(), project, "a"), nil)
	wantError(t, "DeleteSavedView again", store.DeleteSavedView(t.Context(), project, "a"), metastore.ErrNotFound)
	_, err := store.SavedView(t.Context(), project, "a")
	wantError(t, "SavedView", err, metastore.ErrNotFound)
	wantView(t, store, foreign)
}

func testSavedViewOwners(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	shared := savedView(project, "shared", 1)
	shared.OwnerID = "anna"
	mustCreateViews(t, store, privateView(project, "annas", "anna"), privateView(project, "bens", "ben"), shared)
	wantViews(t, store, project, metastore.SavedViewQuery{OwnerID: "anna"}, allViews, 2, "shared", "annas")
	wantViews(t, store, project, metastore.SavedViewQuery{OwnerID: "ben"}, allViews, 2, "shared", "bens")
	wantViews(t, store, project, metastore.SavedViewQuery{OwnerID: "nobody"}, allViews, 1, "shared")
	wantViews(t, store, project, metastore.SavedViewQuery{}, allViews, 1, "shared")
}

func defaults(t *testing.T, store metastore.Store, projectID string, owners ...string) (ids []string) {
	t.Helper()
	seen := map[string]bool{}
	for _, owner := range append(owners, "") {
		list, _, err := store.SavedViews(t.Context(), projectID, metastore.SavedViewQuery{OwnerID: owner}, allViews)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range list {
			if v.Default && !seen[v.ID] {
				seen[v.ID] = true
				ids = append(ids, v.ID)
			}
		}
	}
	return ids
}

func wantDefaults(t *testing.T, store metastore.Store, projectIDs []string, owner string, want ...string) {
	t.Helper()
	list, err := store.DefaultViews(t.Context(), projectIDs, owner)
	var got []string
	for _, v := range list {
		got = append(got, v.ProjectID+" "+v.Table+" "+v.ID+v.State)
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("DefaultViews of %v for %q: %v (-want +got):\n%s", projectIDs, owner, err, diff)
	}
}

func testSavedViewDefaults(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	with := func(v model.SavedView) model.SavedView { v.Default = true; return v }
	sessions := with(savedView(project, "4", 4))
	sessions.Table = "sessions"
	annas := savedView(project, "3", 3)
	annas.OwnerID = "anna"
	mustCreateViews(t, store, with(savedView(project, "1", 1)), with(savedView(project, "2", 2)), annas, sessions,
		with(privateView(project, "a", "anna")), with(privateView(project, "b", "anna")), with(privateView(project, "c", "ben")))
	want := []string{"4", "2", "b", "c"}
	if diff := cmp.Diff(want, defaults(t, store, project, "anna", "ben")); diff != "" {
		t.Errorf("defaults (-want +got):\n%s", diff)
	}
	wantDefaults(t, store, []string{"nowhere", project}, "anna", project+" sessions 4", project+" traces 2", project+" traces b")
	wantDefaults(t, store, []string{project}, "", project+" sessions 4", project+" traces 2")
	wantDefaults(t, store, nil, "anna")
	wantError(t, "UpdateSavedView", store.UpdateSavedView(t.Context(), with(annas)), nil)
	wantError(t, "UpdateSavedView", store.UpdateSavedView(t.Context(), with(privateView(project, "a", "anna"))), nil)
	want = []string{"4", "3", "a", "c"}
	if diff := cmp.Diff(want, defaults(t, store, project, "anna", "ben")); diff != "" {
		t.Errorf("defaults after a change (-want +got):\n%s", diff)
	}
}

func testSavedViewDefaultAtOnce(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	errs := atOnce(8, func(i int) error {
		v := savedView(project, strconv.Itoa(i), i)
		v.Default = true
		return store.CreateSavedView(t.Context(), v)
	})
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	if got := defaults(t, store, project); len(got) != 1 {
		t.Errorf("defaults are %q, want one", got)
	}
}

func testRefusedSavedViews(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	for name, change := range map[string]func(*model.SavedView){
		"private of nobody": func(v *model.SavedView) { v.Shared = false },
		"large state":       func(v *model.SavedView) { v.State = strings.Repeat("x", metastore.MaxSavedViewState+1) },
		"odd state":         func(v *model.SavedView) { v.State = "\x00" },
		"no name":           func(v *model.SavedView) { v.Name = "" },
		"long name":         func(v *model.SavedView) { v.Name = strings.Repeat("x", metastore.MaxText+1) },
		"no table":          func(v *model.SavedView) { v.Table = "" },
		"no id":             func(v *model.SavedView) { v.ID = "" },
		"odd owner":         func(v *model.SavedView) { v.OwnerID = "\xff" },
	} {
		v := savedView(project, "a", 0)
		change(&v)
		for call, err := range map[string]error{"create": store.CreateSavedView(t.Context(), v), "update": store.UpdateSavedView(t.Context(), v)} {
			if !fault.Is(err, fault.Invalid) {
				t.Errorf("%s, %s: %v, want a fault of kind Invalid", name, call, err)
			}
		}
	}
	largest := savedView(project, "largest", 0)
	largest.State = strings.Repeat("x", metastore.MaxSavedViewState)
	mustCreateViews(t, store, largest)
	wantView(t, store, largest)
}

func testSavedViewLimit(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	for i := range metastore.MaxSavedViews {
		mustCreateViews(t, store, savedView(project, strconv.Itoa(i), i))
	}
	err := store.CreateSavedView(t.Context(), savedView(project, "one more", 0))
	if !fault.Is(err, fault.Invalid) {
		t.Errorf("one more than allowed: %v", err)
	}
}
