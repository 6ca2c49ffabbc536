package pricing_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore/metastoretest"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/price"
	"github.com/sondehq/sonde/internal/pricing"
)

func catalog(t *testing.T) (*pricing.Catalog, *metastoretest.Memory, string) {
	t.Helper()
	store := metastoretest.NewMemory()
	seed := metastoretest.Seed("seed")
	if _, err := store.Plant(t.Context(), seed); err != nil {
		t.Fatal(err)
	}
	return pricing.NewCatalog(list(t), store), store, seed.Project.ID
}

func TestCatalog(t *testing.T) {
	t.Parallel()
	c, store, project := catalog(t)
	ctx := t.Context()
	made, err := c.Create(ctx, project, own("", "^x$", "1", time.Time{}))
	if !fault.Is(err, fault.Invalid) {
		t.Fatalf("Create without a name = %v, %v", made, err)
	}
	d := own("", "^gpt-4o$", "0.5", time.Time{})
	d.Name = "gpt-4o"
	if made, err = c.Create(ctx, project, d); err != nil || made.ID == "" || made.ProjectID != project || made.Default().ID == "" {
		t.Fatalf("Create = %v, %v", made, err)
	}
	if _, err := c.Create(ctx, project, d); !fault.Is(err, fault.Invalid) {
		t.Errorf("Create with the same name = %v", err)
	}
	all, err := c.List(ctx, project)
	if err != nil || len(all) != len(list(t).All())+1 || !slices.IsSortedFunc(all, byName) {
		t.Errorf("List has %d entries, %v", len(all), err)
	}
	wantHidden(t, c, made.ID)

	// What the catalog holds is what rows are priced with.
	o := row("gpt-4o")
	o.ProjectID = project
	if err := pricing.New(list(t), store, quiet()).Apply(ctx, []*model.Observation{o}); err != nil || o.ModelID != made.ID || total(o) != "500" {
		t.Errorf("priced by %s: %v, %v", o.ModelID, o.CostDetails, err)
	}

	d.Tiers[0].Prices = map[string]decimal.Decimal{"input": decimal.New(2, 0)}
	replaced, err := c.Put(ctx, project, made.ID, d)
	if err != nil || replaced.Default().Prices["input"].String() != "2" || !replaced.CreatedAt.Equal(made.CreatedAt) {
		t.Errorf("Put = %v, %v", replaced, err)
	}
	if err := c.Delete(ctx, project, made.ID); err != nil {
		t.Errorf("Delete: %v", err)
	}
	if err := c.Delete(ctx, project, made.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("Delete twice = %v", err)
	}
}

// wantHidden checks that another project neither sees nor removes a definition.
func wantHidden(t *testing.T, c *pricing.Catalog, id string) {
	t.Helper()
	ctx := t.Context()
	foreign, err := c.List(ctx, "other")
	if err != nil || len(foreign) != len(list(t).All()) {
		t.Errorf("List of another project has %d entries, %v", len(foreign), err)
	}
	if _, err := c.Get(ctx, "other", id); !fault.Is(err, fault.NotFound) {
		t.Errorf("Get of another project = %v", err)
	}
	if err := c.Delete(ctx, "other", id); !fault.Is(err, fault.NotFound) {
		t.Errorf("Delete of another project = %v", err)
	}
}

func TestBuiltinDefinitionsStay(t *testing.T) {
	t.Parallel()
	c, _, project := catalog(t)
	id := list(t).Match("gpt-4o", at).ID
	if d, err := c.Get(t.Context(), project, id); err != nil || d.Name != "gpt-4o" {
		t.Errorf("Get = %v, %v", d, err)
	}
	if _, err := c.Put(t.Context(), project, id, own("x", "^x$", "1", time.Time{})); !fault.Is(err, fault.Invalid) {
		t.Errorf("Put = %v, want fault.Invalid", err)
	}
	if err := c.Delete(t.Context(), project, id); !fault.Is(err, fault.NotFound) {
		t.Errorf("Delete = %v, want fault.NotFound", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.List(ctx, project); err == nil {
		t.Error("List with a canceled context")
	}
}

func byName(a, b *price.Definition) int {
	if a.Name < b.Name {
		return -1
	}
	if a.Name > b.Name {
		return 1
	}
	return a.Start.Compare(b.Start)
}
