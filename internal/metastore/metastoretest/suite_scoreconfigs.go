package metastoretest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// scoreConfig uses every field that a store keeps.
func scoreConfig(projectID, id string) model.ScoreConfig {
	low, high := -0.1, 1e300
	return model.ScoreConfig{
		ProjectID: projectID, ID: id, Name: "Tone (v1.0)", Type: model.Categorical, Description: "how it 'sounds', \"müßig\"",
		Min: &low, Max: &high, Categories: []model.ScoreCategory{{Label: "kind", Value: 1.25}, {Label: "müde", Value: -3}},
		CreatedAt: time.Date(2026, 4, 1, 12, 0, 0, 123_456_000, time.UTC), UpdatedAt: time.Date(2026, 4, 2, 12, 0, 0, 654_321_000, time.UTC),
	}
}

func wantScoreConfig(t *testing.T, store metastore.Store, want model.ScoreConfig) {
	t.Helper()
	got, err := store.ScoreConfig(t.Context(), want.ProjectID, want.ID)
	if err != nil {
		t.Errorf("ScoreConfig %s: %v", want.ID, err)
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("score config %s (-want +got):\n%s", want.ID, diff)
	}
}

func wantScoreConfigs(t *testing.T, store metastore.Store, projectID string, want ...string) {
	t.Helper()
	list, err := store.ScoreConfigs(t.Context(), projectID)
	if err != nil {
		t.Errorf("ScoreConfigs: %v", err)
	}
	var got []string
	for _, c := range list {
		got = append(got, c.ID)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("score configs of %s (-want +got):\n%s", projectID, diff)
	}
}

func testScoreConfigs(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	wantScoreConfigs(t, store, project)
	a, b, newest := scoreConfig(project, "a"), scoreConfig(project, "b"), scoreConfig(project, "newest")
	b.Min, b.Max, b.Categories, b.Description, b.Archived, b.Type = nil, nil, nil, "", true, model.Numeric
	newest.CreatedAt = newest.CreatedAt.Add(time.Microsecond)
	for _, c := range []model.ScoreConfig{b, newest, a} {
		wantError(t, "CreateScoreConfig", store.CreateScoreConfig(t.Context(), c), nil)
	}
	wantScoreConfig(t, store, a)
	wantScoreConfig(t, store, b)
	wantScoreConfigs(t, store, project, "newest", "a", "b")

	wantError(t, "CreateScoreConfig with a taken id", store.CreateScoreConfig(t.Context(), scoreConfig(project, "a")), metastore.ErrExists)
	wantError(t, "CreateScoreConfig in no project", store.CreateScoreConfig(t.Context(), scoreConfig("nobody", "c")), metastore.ErrNotFound)
	_, err := store.ScoreConfig(t.Context(), project, "nothing")
	wantError(t, "ScoreConfig that does not exist", err, metastore.ErrNotFound)

	got, err := store.ScoreConfig(t.Context(), project, "a")
	wantError(t, "ScoreConfig", err, nil)
	got.Categories[0].Label, *got.Min = "changed", 7
	wantScoreConfig(t, store, a)
}

func testUpdateScoreConfig(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	first := scoreConfig(project, "a")
	wantError(t, "CreateScoreConfig", store.CreateScoreConfig(t.Context(), first), nil)

	second := first
	second.Name, second.Archived, second.Description, second.Min, second.Max, second.Categories = "other", true, "", nil, nil, nil
	second.Type, second.CreatedAt, second.UpdatedAt = model.Boolean, first.CreatedAt.Add(time.Hour), first.UpdatedAt.Add(time.Microsecond)
	wantError(t, "UpdateScoreConfig", store.UpdateScoreConfig(t.Context(), second, first.UpdatedAt), nil)
	second.Type, second.CreatedAt = first.Type, first.CreatedAt
	wantScoreConfig(t, store, second)

	wantError(t, "UpdateScoreConfig of an older state", store.UpdateScoreConfig(t.Context(), first, first.UpdatedAt), metastore.ErrNotFound)
	nothing := scoreConfig(project, "nothing")
	wantError(t, "UpdateScoreConfig of nothing", store.UpdateScoreConfig(t.Context(), nothing, nothing.UpdatedAt), metastore.ErrNotFound)
	wantScoreConfig(t, store, second)
}

func testScoreConfigTenants(t *testing.T, store metastore.Store) {
	seed := mustPlant(t, store, Seed("seed"))
	wantError(t, "CreateProject", store.CreateProject(t.Context(), model.Project{ID: "other", Organization: seed.Organization}), nil)
	own, foreign := scoreConfig(seed.Project.ID, "same"), scoreConfig("other", "same")
	foreign.Name = "foreign"
	for _, c := range []model.ScoreConfig{own, foreign} {
		wantError(t, "CreateScoreConfig", store.CreateScoreConfig(t.Context(), c), nil)
	}
	wantScoreConfig(t, store, own)
	foreign.Archived = true
	wantError(t, "UpdateScoreConfig", store.UpdateScoreConfig(t.Context(), foreign, foreign.UpdatedAt), nil)
	wantScoreConfig(t, store, own)
	wantScoreConfig(t, store, foreign)
	wantScoreConfigs(t, store, "other", "same")
}

func testRefusedScoreConfigs(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	for name, spoil := range map[string]func(*model.ScoreConfig){
		"no id":           func(c *model.ScoreConfig) { c.ID = "" },
		"no name":         func(c *model.ScoreConfig) { c.Name = "" },
		"NUL":             func(c *model.ScoreConfig) { c.Description = "a\x00" },
		"not UTF-8":       func(c *model.ScoreConfig) { c.Name = "\xff" },
		"huge text":       func(c *model.ScoreConfig) { c.Description = strings.Repeat("x", 1<<20) },
		"huge categories": func(c *model.ScoreConfig) { c.Categories[0].Label = strings.Repeat("x", 1<<20) },
	} {
		c := scoreConfig(project, "bad")
		spoil(&c)
		if err := store.CreateScoreConfig(t.Context(), c); !fault.Is(err, fault.Invalid) {
			t.Errorf("CreateScoreConfig with %s = %v, want fault.Invalid", name, err)
		}
		if err := store.UpdateScoreConfig(t.Context(), c, c.UpdatedAt); !fault.Is(err, fault.Invalid) {
			t.Errorf("UpdateScoreConfig with %s = %v, want fault.Invalid", name, err)
		}
	}
	if _, err := store.ScoreConfig(t.Context(), project, "a\x00"); !fault.Is(err, fault.Invalid) {
		t.Errorf("ScoreConfig with a NUL = %v, want fault.Invalid", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	wantError(t, "CreateScoreConfig", store.CreateScoreConfig(ctx, scoreConfig(project, "late")), context.Canceled)
	_, err := store.ScoreConfigs(ctx, project)
	wantError(t, "ScoreConfigs", err, context.Canceled)
	wantScoreConfigs(t, store, project)
}

func testScoreConfigUpdatedAtOnce(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	first := scoreConfig(project, "wanted")
	wantError(t, "CreateScoreConfig", store.CreateScoreConfig(t.Context(), first), nil)
	updated := 0
	for _, err := range atOnce(8, func(i int) error {
		c := first
		c.UpdatedAt = first.UpdatedAt.Add(time.Duration(i+1) * time.Microsecond)
		return store.UpdateScoreConfig(t.Context(), c, first.UpdatedAt)
	}) {
		if err == nil {
			updated++
		} else if !errors.Is(err, metastore.ErrNotFound) {
			t.Errorf("UpdateScoreConfig = %v, want ErrNotFound", err)
		}
	}
	if updated != 1 {
		t.Errorf("%d replaced the same state", updated)
	}
}
