package metastoretest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

var connectionsTests = map[string]func(*testing.T, metastore.Store){
	"connections":             testConnections,
	"connections of projects": testConnectionTenants,
	"one provider at once":    testProviderAtOnce,
	"refused connections":     testRefusedConnections,
	"many connections":        testManyConnections,
	"key check":               testKeyCheck,
	"renewed key check":       testRenewKeyCheck,
	"sealed again":            testReseal,
}

// connection uses every field that a store keeps.
func connection(projectID, id string) model.Connection {
	return model.Connection{
		ProjectID: projectID, ID: id, Provider: "gate'way " + id, Adapter: "openai", SealedKey: []byte{0, 1, 0xff, '\''}, SealedHeaders: []byte{0, 2},
		DisplayKey: "...\"x\"", HeaderNames: []string{"X-A", "X-B"}, BaseURL: "https://x.example/ü", Models: []string{"m'1", "m2"},
		DefaultModels: true, Config: `{"useResponsesApi":true}`, CreatedAt: annotated, UpdatedAt: annotated.Add(time.Hour),
	}
}

func mustPutConnection(t *testing.T, store metastore.Store, c model.Connection, wantCreated bool) {
	t.Helper()
	if created, err := store.PutConnection(t.Context(), c); err != nil || created != wantCreated {
		t.Errorf("PutConnection %s = %v, %v, want %v", c.ID, created, err, wantCreated)
	}
}

func wantConnections(t *testing.T, store metastore.Store, projectID string, part metastore.Range, total int, want ...model.Connection) {
	t.Helper()
	list, got, err := store.Connections(t.Context(), projectID, part)
	if diff := cmp.Diff(want, list); err != nil || got != total || diff != "" {
		t.Errorf("Connections: %d of them, want %d, %v (-want +got):\n%s", got, total, err, diff)
	}
}

func testConnections(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	a, b, newest := connection(project, "a"), connection(project, "b"), connection(project, "newest")
	b.SealedHeaders, b.HeaderNames, b.Models, b.BaseURL, b.Config, b.DefaultModels = nil, nil, nil, "", "", false
	newest.CreatedAt = annotated.Add(time.Microsecond)
	for _, c := range []model.Connection{b, newest, a} {
		mustPutConnection(t, store, c, true)
	}
	all := metastore.Range{Limit: 10}
	wantConnections(t, store, project, all, 3, newest, a, b)
	wantConnections(t, store, project, metastore.Range{Offset: 1, Limit: 1}, 3, a)
	got, err := store.ConnectionByProvider(t.Context(), project, a.Provider)
	if diff := cmp.Diff(a, got); err != nil || diff != "" {
		t.Errorf("connection: %v (-want +got):\n%s", err, diff)
	}
	got.SealedKey[0], got.Models[0] = 9, "changed"

	changed := b
	changed.ID, changed.CreatedAt, changed.UpdatedAt = "a", annotated.Add(time.Hour), annotated.Add(2*time.Hour)
	changed.Provider, changed.Adapter, changed.SealedKey = a.Provider, "azure", []byte("other")
	mustPutConnection(t, store, changed, false)
	changed.CreatedAt = a.CreatedAt
	wantConnections(t, store, project, all, 3, newest, changed, b)

	taken := connection(project, "another")
	taken.Provider = a.Provider
	_, err = store.PutConnection(t.Context(), taken)
	wantError(t, "PutConnection with a taken provider", err, metastore.ErrExists)
	_, err = store.PutConnection(t.Context(), connection("nobody", "x"))
	wantError(t, "PutConnection in no project", err, metastore.ErrNotFound)
	_, err = store.ConnectionByProvider(t.Context(), project, "nothing")
	wantError(t, "ConnectionByProvider of none", err, metastore.ErrNotFound)
	wantError(t, "DeleteConnection", store.DeleteConnection(t.Context(), project, "a"), nil)
	wantError(t, "DeleteConnection again", store.DeleteConnection(t.Context(), project, "a"), metastore.ErrNotFound)
	wantConnections(t, store, project, all, 2, newest, b)
}

func testConnectionTenants(t *testing.T, store metastore.Store) {
	seed := mustPlant(t, store, Seed("seed"))
	wantError(t, "CreateProject", store.CreateProject(t.Context(), model.Project{ID: "other", Organization: seed.Organization}), nil)
	own, foreign := connection(seed.Project.ID, "same"), connection("other", "same")
	foreign.SealedKey = []byte("foreign")
	mustPutConnection(t, store, own, true)
	mustPutConnection(t, store, foreign, true)
	foreign.BaseURL = "changed"
	mustPutConnection(t, store, foreign, false)
	all := metastore.Range{Limit: 10}
	wantConnections(t, store, own.ProjectID, all, 1, own)
	wantError(t, "DeleteConnection", store.DeleteConnection(t.Context(), own.ProjectID, "same"), nil)
	wantConnections(t, store, "other", all, 1, foreign)
	_, err := store.ConnectionByProvider(t.Context(), own.ProjectID, own.Provider)
	wantError(t, "ConnectionByProvider of another project's", err, metastore.ErrNotFound)
}

func testProviderAtOnce(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	made := 0
	for _, err := range atOnce(8, func(i int) error {
		c := connection(project, fmt.Sprint("c", i))
		c.Provider = "wanted"
		_, err := store.PutConnection(t.Context(), c)
		return err
	}) {
		if err == nil {
			made++
		} else if !errors.Is(err, metastore.ErrExists) {
			t.Errorf("PutConnection = %v, want ErrExists", err)
		}
	}
	if made != 1 {
		t.Errorf("%d connections have one provider", made)
	}
}

func testRefusedConnections(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	for name, spoil := range map[string]func(*model.Connection){
		"no id":        func(c *model.Connection) { c.ID = "" },
		"no provider":  func(c *model.Connection) { c.Provider = "" },
		"no key":       func(c *model.Connection) { c.SealedKey = nil },
		"NUL":          func(c *model.Connection) { c.BaseURL = "a\x00" },
		"not UTF-8":    func(c *model.Connection) { c.Provider = "\xff" },
		"huge models":  func(c *model.Connection) { c.Models = []string{strings.Repeat("x", 1<<20)} },
		"huge headers": func(c *model.Connection) { c.SealedHeaders = bytes.Repeat([]byte{1}, 1<<20) },
	} {
		c := connection(project, "bad")
		spoil(&c)
		_, err := store.PutConnection(t.Context(), c)
		wantInvalid(t, "PutConnection with "+name, err)
	}
	wantInvalid(t, "DeleteConnection with a NUL", store.DeleteConnection(t.Context(), project, "\x00"))
	_, err := store.ConnectionByProvider(t.Context(), project, "\x00")
	wantInvalid(t, "ConnectionByProvider with a NUL", err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = store.PutConnection(ctx, connection(project, "late"))
	wantError(t, "PutConnection", err, context.Canceled)
	wantConnections(t, store, project, metastore.Range{Limit: 1}, 0)
}

func testManyConnections(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	for i := range metastore.MaxConnections {
		mustPutConnection(t, store, connection(project, strconv.Itoa(i)), true)
	}
	_, err := store.PutConnection(t.Context(), connection(project, "beyond"))
	wantInvalid(t, "PutConnection beyond the bound", err)
	mustPutConnection(t, store, connection(project, "0"), false)
}

func testKeyCheck(t *testing.T, store metastore.Store) {
	first, err := store.KeyCheck(t.Context(), "a", []byte{0, 1, 0xff})
	if err != nil || !bytes.Equal(first, []byte{0, 1, 0xff}) {
		t.Fatalf("KeyCheck = %v, %v", first, err)
	}
	if second, err := store.KeyCheck(t.Context(), "a", []byte("other")); err != nil || !bytes.Equal(second, first) {
		t.Errorf("second KeyCheck = %v, %v", second, err)
	}
	got := make([][]byte, 8)
	errs := atOnce(len(got), func(i int) (err error) {
		got[i], err = store.KeyCheck(t.Context(), "b", []byte{byte(i)})
		return err
	})
	for i := range got {
		if errs[i] != nil || !bytes.Equal(got[i], got[0]) {
			t.Errorf("KeyCheck at once = %v, %v, want %v", got[i], errs[i], got[0])
		}
	}
	_, err = store.KeyCheck(t.Context(), "", nil)
	wantInvalid(t, "KeyCheck without a name", err)
}

func testRenewKeyCheck(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	for _, bytes := range []string{"first", "never"} {
		if kept, err := store.KeyCheck(t.Context(), "a", []byte(bytes)); err != nil || string(kept) != "first" {
			t.Fatalf("KeyCheck = %s, %v", kept, err)
		}
	}
	wantError(t, "RenewKeyCheck", store.RenewKeyCheck(t.Context(), "a", []byte("second")), nil)
	wantError(t, "RenewKeyCheck of nothing", store.RenewKeyCheck(t.Context(), "b", []byte("second")), metastore.ErrInUse)
	mustPutConnection(t, store, connection(project, "sealed"), true)
	wantError(t, "RenewKeyCheck beside a secret", store.RenewKeyCheck(t.Context(), "a", []byte("third")), metastore.ErrInUse)
	if kept, err := store.KeyCheck(t.Context(), "a", []byte("never")); err != nil || string(kept) != "second" {
		t.Errorf("KeyCheck = %s, %v", kept, err)
	}
}

// Everything sealed is sealed again, each in its place, or nothing is.
func testReseal(t *testing.T, store metastore.Store) {
	seed := mustPlant(t, store, Seed("seed"))
	project := seed.Project.ID
	c := connection(project, "c")
	mustPutConnection(t, store, c, true)
	bare := connection(project, "bare")
	bare.SealedHeaders = nil
	mustPutConnection(t, store, bare, true)
	e := mustSaveExport(t, store, export(seed))
	target := model.AlertTarget{ProjectID: project, ID: "t", Name: "ops", Kind: model.SlackTarget, Display: "d", Sealed: []byte{1, 0, 2}, CreatedAt: annotated}
	wantError(t, "CreateAlertTarget", store.CreateAlertTarget(t.Context(), target), nil)
	if _, err := store.KeyCheck(t.Context(), "a", []byte("check")); err != nil {
		t.Fatal(err)
	}
	wantError(t, "RenewKeyCheck beside secrets", store.RenewKeyCheck(t.Context(), "a", []byte("x")), metastore.ErrInUse)

	seen := 0
	_, err := store.Reseal(t.Context(), func([]string, []byte) ([]byte, error) {
		if seen++; seen == 4 {
			return nil, errors.New("no")
		}
		return []byte("half"), nil
	})
	if err == nil {
		t.Error("a failure is not told")
	}
	places := map[string][]byte{}
	n, err := store.Reseal(t.Context(), func(place []string, sealed []byte) ([]byte, error) {
		places[strings.Join(place, "|")] = bytes.Clone(sealed)
		return append([]byte("new "), sealed...), nil
	})
	want := map[string][]byte{
		"llm_connections|" + project + "|c|key": c.SealedKey, "llm_connections|" + project + "|c|headers": c.SealedHeaders, "llm_connections|" + project + "|bare|key": bare.SealedKey,
		"exports|" + project + "|secret": e.SealedSecret, "alert_targets|" + project + "|t|address": target.Sealed, "key_checks|a": []byte("check"),
	}
	if diff := cmp.Diff(want, places); diff != "" || err != nil || n != len(want) {
		t.Errorf("%d sealed again, %v (-want +got):\n%s", n, err, diff)
	}
	got, err := store.ConnectionByProvider(t.Context(), project, c.Provider)
	if err != nil || !bytes.Equal(got.SealedHeaders, append([]byte("new "), c.SealedHeaders...)) {
		t.Errorf("headers are %q, %v", got.SealedHeaders, err)
	}
}
