package scoring_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore/metastoretest"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/partial"
	"github.com/sondehq/sonde/internal/scoring"
)

// store counts how often all configs are read.
type store struct {
	*metastoretest.Memory
	reads int
	err   error
}

func (s *store) ScoreConfigs(ctx context.Context, projectID string) ([]model.ScoreConfig, error) {
	s.reads++
	if s.err != nil {
		return nil, s.err
	}
	return s.Memory.ScoreConfigs(ctx, projectID)
}

func setup(t *testing.T) (*scoring.Service, *store, string) {
	t.Helper()
	memory := metastoretest.NewMemory()
	seed := metastoretest.Seed("seed")
	if _, err := memory.Plant(t.Context(), seed); err != nil {
		t.Fatal(err)
	}
	s := &store{Memory: memory}
	return scoring.New(s), s, seed.Project.ID
}

var grades = []model.ScoreCategory{{Label: "good", Value: 2}, {Label: "bad", Value: -1}}

func TestConfigsAreChecked(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		config model.ScoreConfig
		want   string
	}{
		"number":             {model.ScoreConfig{Name: "n (1.0)_-", Type: model.Numeric, Min: new(0.0), Max: new(1.0)}, ""},
		"open number":        {model.ScoreConfig{Name: strings.Repeat("n", 35), Type: model.Numeric}, ""},
		"category":           {model.ScoreConfig{Name: "Größe", Type: model.Categorical, Categories: grades}, ""},
		"boolean":            {model.ScoreConfig{Name: "n", Type: model.Boolean}, ""},
		"text":               {model.ScoreConfig{Name: "n", Type: model.TextScore}, ""},
		"no name":            {model.ScoreConfig{Type: model.TextScore}, "name"},
		"blank name":         {model.ScoreConfig{Name: " ", Type: model.TextScore}, "name"},
		"long name":          {model.ScoreConfig{Name: strings.Repeat("n", 36), Type: model.TextScore}, "name"},
		"odd name":           {model.ScoreConfig{Name: "a/b", Type: model.TextScore}, "name"},
		"two lines":          {model.ScoreConfig{Name: "a\n", Type: model.TextScore}, "name"},
		"no type":            {model.ScoreConfig{Name: "n"}, "dataType"},
		"correction":         {model.ScoreConfig{Name: "n", Type: model.Correction}, "dataType"},
		"empty range":        {model.ScoreConfig{Name: "n", Type: model.Numeric, Min: new(1.0), Max: new(1.0)}, "maxValue"},
		"number, categories": {model.ScoreConfig{Name: "n", Type: model.Numeric, Categories: grades}, "categories"},
		"no categories":      {model.ScoreConfig{Name: "n", Type: model.Categorical}, "categories"},
		"label twice":        {model.ScoreConfig{Name: "n", Type: model.Categorical, Categories: []model.ScoreCategory{{Label: "a", Value: 1}, {Label: "a", Value: 2}}}, "categories"},
		"value twice":        {model.ScoreConfig{Name: "n", Type: model.Categorical, Categories: []model.ScoreCategory{{Label: "a", Value: 1}, {Label: "b", Value: 1}}}, "categories"},
		"no label":           {model.ScoreConfig{Name: "n", Type: model.Categorical, Categories: []model.ScoreCategory{{Value: 1}}}, "categories"},
		"range of category":  {model.ScoreConfig{Name: "n", Type: model.Categorical, Categories: grades, Min: new(0.0)}, "minValue"},
		"boolean categories": {model.ScoreConfig{Name: "n", Type: model.Boolean, Categories: grades}, "categories"},
		"text categories":    {model.ScoreConfig{Name: "n", Type: model.TextScore, Categories: grades}, "categories"},
		"text range":         {model.ScoreConfig{Name: "n", Type: model.TextScore, Max: new(1.0)}, "maxValue"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service, _, project := setup(t)
			made, err := service.Create(t.Context(), project, c.config)
			if c.want == "" {
				if err != nil || made.ID == "" || made.CreatedAt.IsZero() {
					t.Errorf("%+v, %v", made, err)
				}
				return
			}
			f, ok := errors.AsType[*fault.Fault](err)
			if !ok || f.Kind != fault.Invalid || f.Field != c.want {
				t.Errorf("%v, want a fault of %s", err, c.want)
			}
		})
	}
}

func TestChange(t *testing.T) {
	t.Parallel()
	service, _, project := setup(t)
	made, err := service.Create(t.Context(), project, model.ScoreConfig{Name: "n", Type: model.Numeric, Min: new(0.0), Description: "d"})
	if err != nil {
		t.Fatal(err)
	}
	name, yes := "other", true
	changed, err := service.Change(t.Context(), project, made.ID, scoring.Change{Name: &name, Archived: &yes, Max: new(5.0)})
	if err != nil || !changed.UpdatedAt.After(made.UpdatedAt) {
		t.Fatal(changed, err)
	}
	want := made
	want.Name, want.Archived, want.Max, want.UpdatedAt = name, true, new(5.0), changed.UpdatedAt
	got, err := service.Get(t.Context(), project, made.ID)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
	if _, err := service.Change(t.Context(), project, made.ID, scoring.Change{Min: new(9.0)}); !fault.Is(err, fault.Invalid) {
		t.Errorf("a minimum above the maximum: %v", err)
	}
	if _, err := service.Change(t.Context(), project, "nothing", scoring.Change{Name: &name}); !fault.Is(err, fault.NotFound) {
		t.Errorf("change of nothing: %v", err)
	}
	boolean, err := service.Create(t.Context(), project, model.ScoreConfig{Name: "b", Type: model.Boolean})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := service.Change(t.Context(), project, boolean.ID, scoring.Change{Categories: grades}); !fault.Is(err, fault.Invalid) {
		t.Errorf("categories of a boolean: %v", err)
	}
	if _, err := service.Change(t.Context(), project, boolean.ID, scoring.Change{Name: &name}); err != nil {
		t.Errorf("another name of a boolean: %v", err)
	}
}

// Changes of different fields at once are all there in the end.
func TestChangesAtOnce(t *testing.T) {
	t.Parallel()
	service, _, project := setup(t)
	made, err := service.Create(t.Context(), project, model.ScoreConfig{Name: "n", Type: model.Numeric})
	if err != nil {
		t.Fatal(err)
	}
	name, text, yes := "other", "described", true
	var group sync.WaitGroup
	for _, change := range []scoring.Change{{Name: &name}, {Description: &text}, {Archived: &yes}, {Min: new(1.0)}, {Max: new(2.0)}} {
		group.Go(func() {
			if _, err := service.Change(t.Context(), project, made.ID, change); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	got, err := service.Get(t.Context(), project, made.ID)
	if err != nil || got.Name != name || got.Description != text || !got.Archived || *got.Min != 1 || *got.Max != 2 {
		t.Errorf("%+v, %v", got, err)
	}
}

func scores(t *testing.T, configIDs ...string) *partial.Batch {
	t.Helper()
	var list []string
	for i, id := range configIDs {
		list = append(list, fmt.Sprintf(`{"id":"s%d","traceId":"t","name":"n","value":1,"configId":%q}`, i, id))
	}
	b, _, err := partial.ParseScores([]byte("["+strings.Join(list, ",")+"]"), time.Now())
	if err != nil || len(b.Events) != len(configIDs) {
		t.Fatal(b, err)
	}
	return &b
}

func configured(t *testing.T, service *scoring.Service, project string, batch *partial.Batch) (taken, refused int) {
	t.Helper()
	if err := service.Configure(t.Context(), project, batch); err != nil {
		t.Fatal(err)
	}
	return len(batch.Events), len(batch.Problems)
}

func TestConfigsAreReadOnceASecond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service, store, project := setup(t)
		made, err := service.Create(t.Context(), project, model.ScoreConfig{Name: "n", Type: model.Numeric})
		if err != nil {
			t.Fatal(err)
		}
		for range 100 {
			if taken, _ := configured(t, service, project, scores(t, made.ID, "")); taken != 2 {
				t.Fatal("a score is refused")
			}
		}
		if store.reads != 1 {
			t.Errorf("%d reads, want 1", store.reads)
		}
		configured(t, service, project, scores(t, "", ""))
		time.Sleep(time.Second) // in the bubble
		configured(t, service, project, scores(t, made.ID))
		if store.reads != 2 {
			t.Errorf("%d reads, want 2", store.reads)
		}
	})
}

func TestChangesCountAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service, store, project := setup(t)
		if taken, refused := configured(t, service, project, scores(t, "unknown")); taken != 0 || refused != 1 {
			t.Error("an unknown config is taken")
		}
		made, err := service.Create(t.Context(), project, model.ScoreConfig{Name: "n", Type: model.Numeric})
		if err != nil {
			t.Fatal(err)
		}
		if taken, _ := configured(t, service, project, scores(t, made.ID)); taken != 1 {
			t.Error("a config that was just made is not known")
		}
		elsewhere := made
		elsewhere.ID = "elsewhere" // another node made it
		if err := store.CreateScoreConfig(t.Context(), elsewhere); err != nil {
			t.Fatal(err)
		}
		if taken, _ := configured(t, service, project, scores(t, made.ID, "elsewhere")); taken != 2 {
			t.Error("a config of another node is not looked for")
		}
		yes := true
		if _, err := service.Change(t.Context(), project, made.ID, scoring.Change{Archived: &yes}); err != nil {
			t.Fatal(err)
		}
		if taken, refused := configured(t, service, project, scores(t, made.ID, "elsewhere")); taken != 1 || refused != 1 {
			t.Error("an archived config takes scores")
		}
		if taken, refused := configured(t, service, "other", scores(t, "elsewhere")); taken != 0 || refused != 1 {
			t.Error("a config of another project takes scores")
		}
	})
}

func TestConfigsThatCannotBeReadRefuseNothing(t *testing.T) {
	t.Parallel()
	service, store, project := setup(t)
	store.err = fault.Unavailablef("away")
	batch := scores(t, "c", "")
	if err := service.Configure(t.Context(), project, batch); !fault.Is(err, fault.Unavailable) || len(batch.Events) != 2 || len(batch.Problems) != 0 {
		t.Errorf("%v, %+v", err, batch)
	}
	plain := scores(t, "")
	if err := service.Configure(t.Context(), project, plain); err != nil {
		t.Errorf("a score without a config: %v", err)
	}
}
