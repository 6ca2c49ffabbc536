package metastoretest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

func testPromptVersions(t *testing.T, store metastore.Store) {
	project, other := twoProjects(t, store)
	for i := range 3 {
		mustCreate(t, store, draft(project, "a/b", i))
	}
	mustCreate(t, store, draft(other, "a/b", 9))
	if _, err := store.LabelPrompt(t.Context(), project, "a/b", 1, []string{model.LabelProduction}, later(5)); err != nil {
		t.Fatal(err)
	}
	version := func(number int, labels ...string) metastore.PromptVersion {
		d := draft(project, "a/b", number-1)
		return metastore.PromptVersion{ID: d.ID, Version: number, Labels: labels, CommitMessage: "why", CreatedBy: "API", CreatedAt: later(number - 1), UpdatedAt: later(number)}
	}
	newest, first := version(3, model.LabelLatest), version(1, model.LabelProduction)
	newest.UpdatedAt, first.UpdatedAt = later(2), later(5)
	got, total, err := store.PromptVersions(t.Context(), project, "a/b", metastore.Range{Limit: 10})
	if diff := cmp.Diff([]metastore.PromptVersion{newest, version(2), first}, got); err != nil || total != 3 || diff != "" {
		t.Errorf("PromptVersions: %d, %v (-want +got):\n%s", total, err, diff)
	}
	got, total, err = store.PromptVersions(t.Context(), project, "a/b", metastore.Range{Limit: 1, Offset: 1})
	if err != nil || total != 3 || len(got) != 1 || got[0].Version != 2 {
		t.Errorf("a part: %+v, %d, %v", got, total, err)
	}
	if got, total, err = store.PromptVersions(t.Context(), project, "nothing", metastore.Range{Limit: 1}); err != nil || total != 0 || got != nil {
		t.Errorf("of nothing: %+v, %d, %v", got, total, err)
	}
	if _, _, err = store.PromptVersions(t.Context(), project, "\x00", metastore.Range{Limit: 1}); !fault.Is(err, fault.Invalid) {
		t.Errorf("of an impossible name: %v", err)
	}
}

func testPromptDependents(t *testing.T, store metastore.Store) {
	project, other := twoProjects(t, store)
	mustCreate(t, store, draft(project, "leaf", 0))
	mustCreate(t, store, draft(other, "leaf", 1))
	byVersion, byLabel := model.PromptReference{Name: "leaf", Version: 1}, model.PromptReference{Name: "leaf", Label: model.LabelLatest}
	for i, parent := range []string{"z", "a", "a"} {
		d := draft(project, parent, 10+i)
		d.Includes = []model.PromptReference{byVersion, byLabel}[:1+i%2]
		mustCreate(t, store, d)
	}
	foreign := draft(other, "foreign", 20)
	foreign.Includes = []model.PromptReference{byVersion}
	mustCreate(t, store, foreign)
	want := []metastore.PromptDependent{
		{Name: "a", Version: 2, Includes: byVersion}, {Name: "a", Version: 1, Includes: byVersion}, {Name: "a", Version: 1, Includes: byLabel}, {Name: "z", Version: 1, Includes: byVersion},
	}
	got, total, err := store.PromptDependents(t.Context(), project, "leaf", metastore.Range{Limit: 10})
	if diff := cmp.Diff(want, got); err != nil || total != len(want) || diff != "" {
		t.Errorf("PromptDependents: %d, %v (-want +got):\n%s", total, err, diff)
	}
	got, _, err = store.PromptDependents(t.Context(), project, "leaf", metastore.Range{Limit: 2, Offset: 1})
	if diff := cmp.Diff(want[1:3], got); err != nil || diff != "" {
		t.Errorf("a part: %v\n%s", err, diff)
	}
	if got, total, err = store.PromptDependents(t.Context(), project, "z", metastore.Range{Limit: 10}); err != nil || total != 0 || got != nil {
		t.Errorf("of what nobody needs: %+v, %d, %v", got, total, err)
	}
}
