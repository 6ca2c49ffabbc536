package datasets_test

import (
	"context"
	"testing"

	"go.uber.org/goleak"

	"github.com/sondehq/sonde/internal/datasets"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore/metastoretest"
	"github.com/sondehq/sonde/internal/model"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const project = "seed-project"

// newService is a service on a store in memory. The only media is "there".
func newService(t testing.TB) (*datasets.Service, *metastoretest.Memory) {
	t.Helper()
	store := metastoretest.NewMemory()
	if _, err := store.Plant(t.Context(), metastoretest.Seed("seed")); err != nil {
		t.Fatal(err)
	}
	return datasets.New(store, func(_ context.Context, _, id string) error {
		if id == "there" {
			return nil
		}
		return fault.New(fault.NotFound, "Media asset not found")
	}), store
}

func mustSave(t testing.TB, s *datasets.Service, change datasets.Change) model.Dataset {
	t.Helper()
	d, err := s.Save(t.Context(), project, change)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
