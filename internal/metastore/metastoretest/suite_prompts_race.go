package metastoretest

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

func testPromptAtOnce(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	const writers = 50
	versions := make([]int, writers)
	for i, err := range atOnce(writers, func(i int) error {
		d := draft(project, "p", i)
		d.Labels, d.KeepTags = []string{"production"}, i%2 == 0
		made, err := store.CreatePrompt(t.Context(), d)
		versions[i] = made.Version
		return err
	}) {
		if err != nil {
			t.Errorf("writer %d: %v", i, err)
		}
	}
	slices.Sort(versions)
	for i, version := range versions {
		if version != i+1 {
			t.Fatalf("versions %v, want 1 to %d", versions, writers)
		}
	}
	for version := 1; version <= writers; version++ {
		p, err := store.Prompt(t.Context(), project, "p", metastore.PromptSelector{Version: version})
		if err != nil {
			t.Fatal(err)
		}
		want := []string(nil)
		if version == writers {
			want = []string{"production", "latest"}
		}
		if diff := cmp.Diff(want, p.Labels); diff != "" {
			t.Errorf("labels of version %d (-want +got):\n%s", version, diff)
		}
	}
}

func testLabelsAtOnce(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	const versions = 8
	for i := range versions {
		mustCreate(t, store, draft(project, "p", i))
	}
	if err := errors.Join(atOnce(4*versions, func(i int) error {
		_, err := store.LabelPrompt(t.Context(), project, "p", i%versions+1, []string{"production", "b"}, promptTime)
		return err
	})...); err != nil {
		t.Error(err)
	}
	owners := map[string]int{}
	for version := 1; version <= versions; version++ {
		p, err := store.Prompt(t.Context(), project, "p", metastore.PromptSelector{Version: version})
		if err != nil {
			t.Fatal(err)
		}
		for _, label := range p.Labels {
			owners[label]++
		}
	}
	if diff := cmp.Diff(map[string]int{"production": 1, "b": 1, "latest": 1}, owners); diff != "" {
		t.Errorf("how many versions have a label (-want +got):\n%s", diff)
	}
}

// testDeletedAtOnce breaks a promise if a prompt that another one includes goes away, or if versions are
// left without "latest".
func testDeletedAtOnce(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	for round := range 5 {
		child, parent := fmt.Sprintf("child%d", round), draft(project, fmt.Sprintf("parent%d", round), 0)
		mustCreate(t, store, draft(project, child, 0))
		parent.Includes = []model.PromptReference{{Name: child, Version: 1}}
		var created atomic.Bool
		for _, err := range atOnce(8, func(i int) error {
			switch i % 4 {
			case 0:
				_, err := store.CreatePrompt(t.Context(), parent)
				if err == nil {
					created.Store(true)
				}
				return err
			case 1:
				return store.DeletePrompts(t.Context(), project, child, metastore.PromptSelector{Version: 1}, promptTime)
			default:
				_, err := store.CreatePrompt(t.Context(), draft(project, child, i))
				return err
			}
		}) {
			if err != nil && !fault.Is(err, fault.Invalid) && !errors.Is(err, metastore.ErrNotFound) && !errors.Is(err, metastore.ErrExists) {
				t.Errorf("round %d: %v", round, err)
			}
		}
		if _, gone := store.Prompt(t.Context(), project, child, metastore.PromptSelector{Version: 1}); created.Load() && gone != nil {
			t.Errorf("round %d: a prompt that is included is gone: %v", round, gone)
		}
		latest, err := store.Prompt(t.Context(), project, child, metastore.PromptSelector{Label: model.LabelLatest})
		if err != nil {
			t.Errorf("round %d: no latest version: %v", round, err)
		}
		if _, err := store.Prompt(t.Context(), project, child, metastore.PromptSelector{Version: latest.Version + 1}); !errors.Is(err, metastore.ErrNotFound) {
			t.Errorf("round %d: latest is %d, and there is a higher one", round, latest.Version)
		}
	}
}

func testPromptChanges(t *testing.T, store metastore.Store) {
	seed := mustPlant(t, store, Seed("seed"))
	project := seed.Project.ID
	wantError(t, "CreateProject", store.CreateProject(t.Context(), model.Project{ID: "other", Organization: seed.Organization}), nil)
	since := int64(0)
	want := func(projects ...string) {
		t.Helper()
		got, err := store.PromptChanges(t.Context(), since)
		slices.Sort(got.Projects)
		if diff := cmp.Diff(projects, got.Projects); err != nil || diff != "" || len(projects) > 0 && got.Revision <= since {
			t.Errorf("PromptChanges since %d: revision %d, %v (-want +got):\n%s", since, got.Revision, err, diff)
		}
		since = got.Revision
	}
	want()
	mustCreate(t, store, draft(project, "p", 0))
	want(project)
	want()
	mustCreate(t, store, draft("other", "p", 0))
	mustCreate(t, store, draft(project, "p", 1))
	want("other", project)
	if _, err := store.LabelPrompt(t.Context(), "other", "p", 1, []string{"x"}, promptTime); err != nil {
		t.Fatal(err)
	}
	want("other")
	wantError(t, "DeletePrompts", store.DeletePrompts(t.Context(), project, "p", metastore.PromptSelector{Version: 1}, promptTime), nil)
	want(project)
	// Refusals change nothing.
	bad := draft(project, "p", 7)
	bad.Includes = []model.PromptReference{{Name: "nothing", Version: 1}}
	if _, err := store.CreatePrompt(t.Context(), bad); err == nil {
		t.Error("a bad draft was made")
	}
	want()
}

func testManyPromptChanges(t *testing.T, store metastore.Store) {
	seed := mustPlant(t, store, Seed("seed"))
	for i := range 12 {
		id := fmt.Sprintf("project%d", i)
		wantError(t, "CreateProject", store.CreateProject(t.Context(), model.Project{ID: id, Organization: seed.Organization}), nil)
		mustCreate(t, store, draft(id, "p", 0))
	}
	all, err := store.PromptChanges(t.Context(), 0)
	if err != nil || len(all.Projects) != 12 || all.Revision < 12 {
		t.Errorf("PromptChanges = %+v, %v", all, err)
	}
	some, err := store.PromptChanges(t.Context(), all.Revision-3)
	if err != nil || len(some.Projects) != 3 || some.Revision != all.Revision {
		t.Errorf("PromptChanges of the last three = %+v, %v", some, err)
	}
}

// testPromptChangesAtOnce asks for changes while others write: whoever follows the revisions hears of
// everything that is there.
func testPromptChangesAtOnce(t *testing.T, store metastore.Store) {
	seed := mustPlant(t, store, Seed("seed"))
	const projects, writes = 4, 10
	for i := range projects {
		wantError(t, "CreateProject", store.CreateProject(t.Context(), model.Project{ID: strconv.Itoa(i), Organization: seed.Organization}), nil)
	}
	done := make(chan []error, 1)
	go func() {
		done <- atOnce(projects, func(i int) error {
			for n := range writes {
				if _, err := store.CreatePrompt(t.Context(), draft(strconv.Itoa(i), "p", n)); err != nil {
					return err
				}
			}
			return nil
		})
	}()
	var since int64
	known := map[string]int{} // the newest version that a cache would show
	for writing := true; writing; {
		select {
		case errs := <-done:
			writing = false
			if err := errors.Join(errs...); err != nil {
				t.Fatal(err)
			}
		default:
		}
		changes, err := store.PromptChanges(t.Context(), since)
		if err != nil {
			t.Fatal(err)
		}
		since = changes.Revision
		for _, project := range changes.Projects {
			p, err := store.Prompt(t.Context(), project, "p", metastore.PromptSelector{Label: model.LabelLatest})
			if err != nil {
				t.Fatalf("a change of %s was told before it could be seen: %v", project, err)
			}
			known[project] = p.Version
		}
	}
	for i := range projects {
		if known[strconv.Itoa(i)] != writes {
			t.Errorf("project %d: version %d was known at the end, want %d", i, known[strconv.Itoa(i)], writes)
		}
	}
}
