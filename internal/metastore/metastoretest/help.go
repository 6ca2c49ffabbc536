package metastoretest

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// Seed returns a seed whose ids start with the given word.
func Seed(word string) metastore.Seed {
	return metastore.Seed{
		Organization: model.Organization{ID: word + "-organization", Name: "Organization " + word},
		Project:      model.Project{ID: word + "-project", Name: "Project " + word},
		Key:          key(word, ""),
	}
}

func key(word, projectID string) model.Key {
	return model.Key{
		ID:         word + "-key",
		Project:    model.Project{ID: projectID},
		PublicKey:  "pk-lf-" + word,
		SecretHash: []byte{0, 1, 2, 0xff, '\'', 0},
		Salt:       []byte{0, 0xfe, '"'},
		Display:    "sk-lf-...abcd",
		Scope:      model.ScopeAll,
		CreatedAt:  time.Date(2026, 5, 1, 10, 0, 0, 123_456_000, time.UTC),
	}
}

func mustPlant(t *testing.T, store metastore.Store, seed metastore.Seed) metastore.Seed {
	t.Helper()
	planted, err := store.Plant(t.Context(), seed)
	if !planted || err != nil {
		t.Fatalf("Plant = %v, %v, want true", planted, err)
	}
	return seed
}

func mustKey(t *testing.T, store metastore.Store, publicKey string) model.Key {
	t.Helper()
	got, err := store.KeyByPublic(t.Context(), publicKey)
	if err != nil {
		t.Fatalf("KeyByPublic %.40q: %v", publicKey, err)
	}
	return got
}

func wantKey(t *testing.T, store metastore.Store, want model.Key) {
	t.Helper()
	if diff := cmp.Diff(want, mustKey(t, store, want.PublicKey)); diff != "" {
		t.Errorf("KeyByPublic %.40q (-want +got):\n%s", want.PublicKey, diff)
	}
}

func wantNoKey(t *testing.T, store metastore.Store, publicKey string) {
	t.Helper()
	_, err := store.KeyByPublic(t.Context(), publicKey)
	wantError(t, "KeyByPublic "+publicKey, err, metastore.ErrNotFound)
}

func wantError(t *testing.T, what string, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

// atOnce runs n calls of f that start together and returns their errors.
func atOnce(n int, f func(i int) error) []error {
	errs := make([]error, n)
	start := make(chan struct{})
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() {
			<-start
			errs[i] = f(i)
		})
	}
	close(start)
	group.Wait()
	return errs
}
