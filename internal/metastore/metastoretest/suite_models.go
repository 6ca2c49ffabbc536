package metastoretest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/price"
)

// definition uses every field that a store keeps.
func definition(projectID, word string) price.Definition {
	return price.Definition{
		ID: word + "-id", ProjectID: projectID, Name: word, Pattern: `(?i)^` + word + `\d*$`, Unit: "TOKENS",
		Start:     time.Date(2026, 3, 1, 0, 0, 0, 123_456_000, time.UTC),
		CreatedAt: time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC),
		Tokenizer: "openai", TokenizerConfig: `{"tokenizerModel":"gpt-4"}`,
		Tiers: []price.Tier{
			{ID: "t0", Name: "Standard", Default: true, Conditions: []price.Condition{}, Prices: map[string]decimal.Decimal{
				"input": decimal.RequireFromString("0.0000000000000123"), "output": decimal.RequireFromString("999999.999999"),
			}},
			{ID: "t1", Name: "Long 'quoted' \"text\"", Priority: 7, Prices: map[string]decimal.Decimal{"input": decimal.New(1, 0)}, Conditions: []price.Condition{
				{UsagePattern: "^input", Operator: "gt", Value: 272000, CaseSensitive: true},
				{Source: "metadata", Key: "plan", Operator: "in", Values: []string{"gold", "müßig"}},
			}},
		},
	}
}

func wantModel(t *testing.T, store metastore.Store, want price.Definition) {
	t.Helper()
	got, err := store.Model(t.Context(), want.ProjectID, want.ID)
	if err != nil {
		t.Errorf("Model %s: %v", want.ID, err)
		return
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(price.Tier{}, price.Condition{})); diff != "" {
		t.Errorf("model %s (-want +got):\n%s", want.ID, diff)
	}
}

func wantModels(t *testing.T, store metastore.Store, projectID string, want ...string) {
	t.Helper()
	list, err := store.Models(t.Context(), projectID)
	if err != nil {
		t.Errorf("Models: %v", err)
	}
	var got []string
	for _, d := range list {
		got = append(got, d.Name)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("models of %s (-want +got):\n%s", projectID, diff)
	}
}

func testModels(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	wantModels(t, store, project)
	b, a := definition(project, "b"), definition(project, "a")
	a.Start, a.Unit, a.Tokenizer, a.TokenizerConfig = time.Time{}, "", "", ""
	for _, d := range []price.Definition{b, a} {
		wantError(t, "CreateModel", store.CreateModel(t.Context(), d), nil)
	}
	wantModel(t, store, a)
	wantModel(t, store, b)
	wantModels(t, store, project, "a", "b")

	sameID, sameName := definition(project, "c"), definition(project, "c")
	sameID.ID, sameName.Name = a.ID, a.Name
	wantError(t, "CreateModel with a taken id", store.CreateModel(t.Context(), sameID), metastore.ErrExists)
	wantError(t, "CreateModel with a taken name", store.CreateModel(t.Context(), sameName), metastore.ErrExists)
	wantError(t, "CreateModel in no project", store.CreateModel(t.Context(), definition("nobody", "c")), metastore.ErrNotFound)
	wantModel(t, store, a)

	got, err := store.Model(t.Context(), project, a.ID)
	wantError(t, "Model", err, nil)
	got.Tiers[0].Prices["input"] = decimal.New(5, 0)
	got.Tiers[0].Name = "changed"
	wantModel(t, store, a)

	wantError(t, "DeleteModel", store.DeleteModel(t.Context(), project, a.ID), nil)
	wantError(t, "DeleteModel twice", store.DeleteModel(t.Context(), project, a.ID), metastore.ErrNotFound)
	_, err = store.Model(t.Context(), project, a.ID)
	wantError(t, "Model that was deleted", err, metastore.ErrNotFound)
	wantModels(t, store, project, "b")
}

func testPutModel(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	first, other := definition(project, "a"), definition(project, "b")
	wantError(t, "PutModel", store.PutModel(t.Context(), first), nil)
	wantError(t, "PutModel", store.PutModel(t.Context(), other), nil)

	second := definition(project, "renamed")
	second.ID, second.CreatedAt = first.ID, first.CreatedAt.Add(time.Hour)
	second.Start, second.Tiers = time.Time{}, second.Tiers[:1]
	wantError(t, "PutModel again", store.PutModel(t.Context(), second), nil)
	second.CreatedAt = first.CreatedAt
	wantModel(t, store, second)
	wantModels(t, store, project, "b", "renamed")

	second.Name = other.Name
	wantError(t, "PutModel with another's name", store.PutModel(t.Context(), second), metastore.ErrExists)
	wantError(t, "PutModel in no project", store.PutModel(t.Context(), definition("nobody", "c")), metastore.ErrNotFound)
	wantModels(t, store, project, "b", "renamed")
}

func testModelTenants(t *testing.T, store metastore.Store) {
	seed := mustPlant(t, store, Seed("seed"))
	wantError(t, "CreateProject", store.CreateProject(t.Context(), model.Project{ID: "other", Organization: seed.Organization}), nil)
	own, foreign := definition(seed.Project.ID, "same"), definition("other", "same")
	foreign.Pattern = "foreign"
	for _, d := range []price.Definition{own, foreign} {
		wantError(t, "CreateModel", store.CreateModel(t.Context(), d), nil)
	}
	wantModel(t, store, own)
	wantModel(t, store, foreign)
	wantModels(t, store, "other", "same")

	foreign.Pattern = "replaced"
	wantError(t, "PutModel", store.PutModel(t.Context(), foreign), nil)
	wantModel(t, store, own)
	wantError(t, "DeleteModel", store.DeleteModel(t.Context(), "other", own.ID), nil)
	wantModel(t, store, own)
	wantModels(t, store, "other")
}

func testRefusedModels(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	for name, spoil := range map[string]func(*price.Definition){
		"no id":         func(d *price.Definition) { d.ID = "" },
		"no name":       func(d *price.Definition) { d.Name = "" },
		"NUL":           func(d *price.Definition) { d.Pattern = "a\x00" },
		"not UTF-8":     func(d *price.Definition) { d.Name = "\xff" },
		"huge settings": func(d *price.Definition) { d.TokenizerConfig = strings.Repeat("x", 1<<20) },
		"huge tiers":    func(d *price.Definition) { d.Tiers[0].Name = strings.Repeat("x", 1<<20) },
	} {
		d := definition(project, "bad")
		spoil(&d)
		if err := store.CreateModel(t.Context(), d); !fault.Is(err, fault.Invalid) {
			t.Errorf("CreateModel with %s = %v, want fault.Invalid", name, err)
		}
		if err := store.PutModel(t.Context(), d); !fault.Is(err, fault.Invalid) {
			t.Errorf("PutModel with %s = %v, want fault.Invalid", name, err)
		}
	}
	if _, err := store.Model(t.Context(), project, "a\x00"); !fault.Is(err, fault.Invalid) {
		t.Errorf("Model with a NUL = %v, want fault.Invalid", err)
	}
	if err := store.DeleteModel(t.Context(), project, "a\x00"); !fault.Is(err, fault.Invalid) {
		t.Errorf("DeleteModel with a NUL = %v, want fault.Invalid", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	wantError(t, "CreateModel", store.CreateModel(ctx, definition(project, "late")), context.Canceled)
	_, err := store.Models(ctx, project)
	wantError(t, "Models", err, context.Canceled)
	wantModels(t, store, project)
}

func testSameModelAtOnce(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	created := 0
	for _, err := range atOnce(8, func(i int) error {
		d := definition(project, "wanted")
		d.ID = string(rune('a' + i))
		return store.CreateModel(t.Context(), d)
	}) {
		if err == nil {
			created++
		} else if !errors.Is(err, metastore.ErrExists) {
			t.Errorf("CreateModel = %v, want ErrExists", err)
		}
	}
	if created != 1 {
		t.Errorf("%d models were created with one name", created)
	}
}
