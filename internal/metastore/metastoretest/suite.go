package metastoretest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// Run checks the contract of metastore.Store. Open returns an empty store of its own for
// every call and arranges for its end.
func Run(t *testing.T, open func(t *testing.T) metastore.Store) {
	t.Helper()
	for _, tests := range []map[string]func(*testing.T, metastore.Store){
		coreTests,
		datasetsTests,
		promptsTests,
		annotationsTests,
		reviewsTests,
		connectionsTests,
		tenancyTests,
		exportsTests,
		erasuresTests,
		retentionTests,
		savedViewsTests,
		dashboardsTests,
		alertsTests,
		evaluationsTests,
		sessionTests,
		identitiesTests,
		attemptsTests,
		auditTests,
		cellsTests,
		erasureReportTests,
	} {
		for name, test := range tests {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				test(t, open(t))
			})
		}
	}
}

var coreTests = map[string]func(*testing.T, metastore.Store){
	"ping":                       testPing,
	"plant":                      testPlant,
	"plant at once":              testPlantAtOnce,
	"plant after refusal":        testPlantAfterRefusal,
	"create project":             testCreateProject,
	"create key":                 testCreateKey,
	"same public key at once":    testSamePublicKeyAtOnce,
	"revoke":                     testRevoke,
	"times":                      testTimes,
	"bytes are copied":           testBytesAreCopied,
	"hostile texts":              testHostileTexts,
	"texts no database can hold": testRefusedTexts,
	"keys without a secret":      testRefusedKeys,
	"canceled context":           testCanceled,
	"secrets":                    testSecrets,
	"models":                     testModels,
	"replaced models":            testPutModel,
	"models of other projects":   testModelTenants,
	"refused models":             testRefusedModels,
	"same model at once":         testSameModelAtOnce,
	"media":                      testMedia,
	"media links":                testMediaLinks,
	"media of two projects":      testMediaTenants,
	"media put at once":          testMediaAtOnce,
	"media refused":              testMediaRefused,
	"score configs":              testScoreConfigs,
	"updated score configs":      testUpdateScoreConfig,
	"score configs of projects":  testScoreConfigTenants,
	"refused score configs":      testRefusedScoreConfigs,
	"score config at once":       testScoreConfigUpdatedAtOnce,
}

func testPing(t *testing.T, store metastore.Store) {
	if err := store.Ping(t.Context()); err != nil {
		t.Errorf("Ping: %v", err)
	}
}

func testPlant(t *testing.T, store metastore.Store) {
	seed := Seed("first")
	seed.Project.Organization = model.Organization{ID: "ignored", Name: "ignored"}
	seed.Key.Project = model.Project{ID: "ignored", Name: "ignored"}
	mustPlant(t, store, seed)

	want := seed.Key
	want.Project = seed.Project
	want.Project.Organization = seed.Organization
	wantKey(t, store, want)

	planted, err := store.Plant(t.Context(), Seed("second"))
	if planted || err != nil {
		t.Errorf("second Plant = %v, %v, want false", planted, err)
	}
	wantNoKey(t, store, "pk-lf-second")
	wantKey(t, store, want)
}

func testPlantAtOnce(t *testing.T, store metastore.Store) {
	words := []string{"a", "b", "c", "d", "e", "f", "g", "h"}
	planted := make([]bool, len(words))
	// Connections that are open already make the race a close one.
	if err := errors.Join(atOnce(len(words), func(int) error { return store.Ping(t.Context()) })...); err != nil {
		t.Fatalf("Ping: %v", err)
	}
	errs := atOnce(len(words), func(i int) (err error) {
		planted[i], err = store.Plant(t.Context(), Seed(words[i]))
		return err
	})
	count := 0
	for i, word := range words {
		if errs[i] != nil {
			t.Errorf("Plant %s: %v", word, errs[i])
		}
		if !planted[i] {
			wantNoKey(t, store, "pk-lf-"+word)
			continue
		}
		count++
		if _, err := store.KeyByPublic(t.Context(), "pk-lf-"+word); err != nil {
			t.Errorf("key of the planter %s: %v", word, err)
		}
	}
	if count != 1 {
		t.Errorf("%d planters did, want 1", count)
	}
}

func testPlantAfterRefusal(t *testing.T, store metastore.Store) {
	bad := Seed("bad")
	bad.Key.PublicKey = "a\x00b"
	if planted, err := store.Plant(t.Context(), bad); planted || !fault.Is(err, fault.Invalid) {
		t.Errorf("Plant with a NUL = %v, %v, want fault.Invalid", planted, err)
	}
	mustPlant(t, store, Seed("good"))
}

func testCreateProject(t *testing.T, store metastore.Store) {
	seed := mustPlant(t, store, Seed("seed"))
	project := model.Project{ID: "other", Name: "Other", Organization: model.Organization{ID: seed.Organization.ID}}
	if err := store.CreateProject(t.Context(), project); err != nil {
		t.Fatalf("CreateProject: %v", err)
	}
	added := key("added", project.ID)
	if err := store.CreateKey(t.Context(), added); err != nil {
		t.Fatalf("CreateKey: %v", err)
	}
	added.Project = project
	added.Project.Organization = seed.Organization
	wantKey(t, store, added)

	project.Name = "Other name"
	wantError(t, "CreateProject with a taken id", store.CreateProject(t.Context(), project), metastore.ErrExists)
	wantKey(t, store, added)

	project.ID, project.Organization.ID = "third", "nobody"
	wantError(t, "CreateProject in no organization", store.CreateProject(t.Context(), project), metastore.ErrNotFound)
	wantError(t, "CreateKey in a refused project", store.CreateKey(t.Context(), key("third", "third")), metastore.ErrNotFound)
}

func testCreateKey(t *testing.T, store metastore.Store) {
	seed := mustPlant(t, store, Seed("seed"))

	sameID := key("new", seed.Project.ID)
	sameID.ID = seed.Key.ID
	wantError(t, "CreateKey with a taken id", store.CreateKey(t.Context(), sameID), metastore.ErrExists)

	samePublic := key("new", seed.Project.ID)
	samePublic.PublicKey = seed.Key.PublicKey
	wantError(t, "CreateKey with a taken public key", store.CreateKey(t.Context(), samePublic), metastore.ErrExists)

	wantError(t, "CreateKey in no project", store.CreateKey(t.Context(), key("new", "nobody")), metastore.ErrNotFound)
	wantNoKey(t, store, "pk-lf-new")

	if err := store.CreateKey(t.Context(), key("new", seed.Project.ID)); err != nil {
		t.Errorf("CreateKey after refusals: %v", err)
	}
}

func testSamePublicKeyAtOnce(t *testing.T, store metastore.Store) {
	seed := mustPlant(t, store, Seed("seed"))
	errs := atOnce(8, func(i int) error {
		one := key(string(rune('a'+i)), seed.Project.ID)
		one.PublicKey = "pk-lf-wanted"
		return store.CreateKey(t.Context(), one)
	})
	created := 0
	for _, err := range errs {
		if err == nil {
			created++
		} else if !errors.Is(err, metastore.ErrExists) {
			t.Errorf("CreateKey = %v, want ErrExists", err)
		}
	}
	if created != 1 {
		t.Errorf("%d keys were created with one public key", created)
	}
}

func testRevoke(t *testing.T, store metastore.Store) {
	seed := mustPlant(t, store, Seed("seed"))
	other := key("other", seed.Project.ID)
	if err := store.CreateKey(t.Context(), other); err != nil {
		t.Fatalf("CreateKey: %v", err)
	}
	first := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	for _, at := range []time.Time{first, first.Add(-time.Hour), first.Add(time.Hour)} {
		if err := store.RevokeKey(t.Context(), seed.Key.ID, at); err != nil {
			t.Fatalf("RevokeKey: %v", err)
		}
		if got := mustKey(t, store, seed.Key.PublicKey).RevokedAt; !got.Equal(first) {
			t.Errorf("RevokedAt = %v after revoking at %v, want the first time %v", got, at, first)
		}
	}
	if got := mustKey(t, store, other.PublicKey).RevokedAt; !got.IsZero() {
		t.Errorf("another key was revoked at %v", got)
	}
	wantError(t, "RevokeKey of no key", store.RevokeKey(t.Context(), "nobody", first), metastore.ErrNotFound)
	if err := store.RevokeKey(t.Context(), other.ID, time.Time{}); !fault.Is(err, fault.Invalid) {
		t.Errorf("RevokeKey at the zero time = %v, want fault.Invalid", err)
	}
}

func testTimes(t *testing.T, store metastore.Store) {
	seed := Seed("seed")
	east := time.FixedZone("east", 5*3600+1800)
	seed.Key.CreatedAt = time.Date(2026, 3, 29, 2, 30, 0, 999_999_999, east)
	seed.Key.RevokedAt = time.Date(1969, 12, 31, 23, 0, 0, 1_500, east)
	mustPlant(t, store, seed)

	got := mustKey(t, store, seed.Key.PublicKey)
	if want := time.Date(2026, 3, 28, 21, 0, 0, 999_999_000, time.UTC); got.CreatedAt != want {
		t.Errorf("CreatedAt = %v, want %v", got.CreatedAt, want)
	}
	if want := time.Date(1969, 12, 31, 17, 30, 0, 1_000, time.UTC); got.RevokedAt != want {
		t.Errorf("RevokedAt = %v, want %v", got.RevokedAt, want)
	}
}

func testBytesAreCopied(t *testing.T, store metastore.Store) {
	seed := mustPlant(t, store, Seed("seed"))
	want := mustKey(t, store, seed.Key.PublicKey)
	seed.Key.Salt[0]++
	mustKey(t, store, seed.Key.PublicKey).SecretHash[0]++
	wantKey(t, store, want)
}

func testRefusedKeys(t *testing.T, store metastore.Store) {
	seed := mustPlant(t, store, Seed("seed"))
	noHash, noSalt := key("a", seed.Project.ID), key("b", seed.Project.ID)
	noHash.SecretHash, noSalt.Salt = nil, []byte{}
	for _, bad := range []model.Key{noHash, noSalt} {
		if err := store.CreateKey(t.Context(), bad); !fault.Is(err, fault.Invalid) {
			t.Errorf("CreateKey %s = %v, want fault.Invalid", bad.ID, err)
		}
	}
}

func testCanceled(t *testing.T, store metastore.Store) {
	seed := mustPlant(t, store, Seed("seed"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	planted, planting := store.Plant(ctx, Seed("late"))
	_, reading := store.KeyByPublic(ctx, seed.Key.PublicKey)
	project := seed.Project
	project.ID, project.Organization = "late", seed.Organization
	for what, err := range map[string]error{
		"Ping":          store.Ping(ctx),
		"Plant":         planting,
		"CreateProject": store.CreateProject(ctx, project),
		"CreateKey":     store.CreateKey(ctx, key("late", seed.Project.ID)),
		"KeyByPublic":   reading,
		"RevokeKey":     store.RevokeKey(ctx, seed.Key.ID, time.Now()),
	} {
		wantError(t, what, err, context.Canceled)
	}
	if planted {
		t.Error("Plant reported success with a canceled context")
	}
	wantNoKey(t, store, "pk-lf-late")
	if got := mustKey(t, store, seed.Key.PublicKey); !got.RevokedAt.IsZero() {
		t.Error("RevokeKey took effect with a canceled context")
	}
}
