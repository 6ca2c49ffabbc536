package bench

import (
	"encoding/base64"
	"path/filepath"
	"testing"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/metastore/sqlstore"
)

// Projects are created beside a running server: here a store that stays open.
func TestCreateProjects(t *testing.T) {
	t.Parallel()
	s := &server{data: t.TempDir()}
	meta, err := sqlstore.OpenSQLite(t.Context(), filepath.Join(s.data, "metadata.sqlite"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := meta.Close(); err != nil {
			t.Error(err)
		}
	})
	seed, _, err := auth.SeedFrom("Bench", projectID, "Bench", publicKey, secretKey)
	if err != nil {
		t.Fatal(err)
	}
	if planted, err := meta.Plant(t.Context(), seed); !planted || err != nil {
		t.Fatalf("Plant = %v, %v", planted, err)
	}
	keys, err := s.createProjects(t.Context(), 3)
	if err != nil {
		t.Fatal(err)
	}
	projects := map[string]bool{}
	for _, key := range keys {
		header := "Basic " + base64.StdEncoding.EncodeToString([]byte(key.public+":"+key.secret))
		principal, err := auth.New(meta).Authenticate(t.Context(), header)
		if err != nil || principal.Project.Organization.ID != seed.Organization.ID {
			t.Fatalf("Authenticate = %+v, %v", principal, err)
		}
		projects[principal.Project.ID] = true
	}
	if len(projects) != 3 {
		t.Errorf("%d projects, want 3", len(projects))
	}
}

func TestChecksFiftyProjects(t *testing.T) {
	t.Parallel()
	for projects, want := range map[int]int{1: 1, 50: 50, 100: 50, 1000: 50} {
		tenants := &tenants{keys: make([]keyPair, projects)}
		checked := 0
		for i := range projects {
			if tenants.checks(i) {
				checked++
			}
		}
		if checked != want {
			t.Errorf("%d of %d projects are checked, want %d", checked, projects, want)
		}
	}
}
