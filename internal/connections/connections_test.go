package connections_test

import (
	"errors"
	"maps"
	"sync"
	"testing"

	"github.com/sondehq/sonde/internal/connections"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/metastore/metastoretest"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/seal"
)

func setup(t *testing.T) (*connections.Service, *metastoretest.Memory, string) {
	t.Helper()
	store, seed := metastoretest.NewMemory(), metastoretest.Seed("seed")
	if _, err := store.Plant(t.Context(), seed); err != nil {
		t.Fatal(err)
	}
	return connections.New(store, newBox(t)), store, seed.Project.ID
}

func newBox(t *testing.T) *seal.Box {
	t.Helper()
	box, err := seal.NewBox(seal.NewKey())
	if err != nil {
		t.Fatal(err)
	}
	return box
}

func definition(provider string) connections.Definition {
	return connections.Definition{Provider: provider, Adapter: "openai", Key: "key of " + provider, Headers: map[string]string{"X": "header of " + provider}}
}

func put(t *testing.T, service *connections.Service, project string, d connections.Definition) model.Connection {
	t.Helper()
	c, _, err := service.Put(t.Context(), project, d)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A row opens where it belongs and nowhere else: whoever can write to the database cannot lend one project the key
// of another.
func TestSealedTextsCannotBeMoved(t *testing.T) {
	t.Parallel()
	service, store, project := setup(t)
	a, b := put(t, service, project, definition("a")), put(t, service, project, definition("b"))
	kept, err := store.ConnectionByProvider(t.Context(), project, "a")
	if err != nil {
		t.Fatal(err)
	}
	key, headers, err := service.Secrets(kept)
	if err != nil || key != "key of a" || !maps.Equal(headers, map[string]string{"X": "header of a"}) {
		t.Fatalf("%q %q %v", key, headers, err)
	}
	for name, spoil := range map[string]func(*model.Connection){
		"key of another row":     func(c *model.Connection) { c.SealedKey = b.SealedKey },
		"headers of another row": func(c *model.Connection) { c.SealedHeaders = b.SealedHeaders },
		"headers as key":         func(c *model.Connection) { c.SealedKey = a.SealedHeaders },
		"key as headers":         func(c *model.Connection) { c.SealedHeaders = a.SealedKey },
		"another project":        func(c *model.Connection) { c.ProjectID = "other" },
		"another id":             func(c *model.Connection) { c.ID = b.ID },
		"no key":                 func(c *model.Connection) { c.SealedKey = nil },
	} {
		c := kept
		spoil(&c)
		if key, headers, err := service.Secrets(c); !errors.Is(err, seal.ErrBroken) {
			t.Errorf("%s: %q %q %v", name, key, headers, err)
		}
	}
	if _, _, err := connections.New(store, newBox(t)).Secrets(kept); !errors.Is(err, seal.ErrOtherKey) {
		t.Errorf("another key: %v", err)
	}
}

func TestReplacedWhole(t *testing.T) {
	t.Parallel()
	service, _, project := setup(t)
	first := put(t, service, project, definition("a"))
	second, created, err := service.Put(t.Context(), project, connections.Definition{Provider: "a", Adapter: "azure", Key: "new"})
	if err != nil || created || second.ID != first.ID || !second.CreatedAt.Equal(first.CreatedAt) {
		t.Fatalf("%+v %v %v", second, created, err)
	}
	if key, headers, err := service.Secrets(second); err != nil || key != "new" || headers != nil {
		t.Errorf("%q %q %v", key, headers, err)
	}
}

// Who puts the same provider at the same time makes one connection.
func TestPutsAtOnce(t *testing.T) {
	t.Parallel()
	service, store, project := setup(t)
	var group sync.WaitGroup
	made := make([]bool, 8)
	for i := range made {
		group.Go(func() {
			var err error
			if _, made[i], err = service.Put(t.Context(), project, definition("wanted")); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	list, total, err := store.Connections(t.Context(), project, metastore.Range{Limit: 10})
	if err != nil || total != 1 {
		t.Fatalf("%d connections, %v", total, err)
	}
	count := 0
	for _, one := range made {
		if one {
			count++
		}
	}
	if count != 1 {
		t.Errorf("%d say that they made it", count)
	}
	if key, _, err := service.Secrets(list[0]); err != nil || key != "key of wanted" {
		t.Errorf("%q %v", key, err)
	}
}
