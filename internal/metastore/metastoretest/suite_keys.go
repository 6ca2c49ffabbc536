package metastoretest

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// ownKey is a key of an organization.
func ownKey(word, organizationID string) model.Key {
	k := key(word, "")
	k.Project.Organization.ID = organizationID
	return k
}

func testOrganizationKeys(t *testing.T, store metastore.Store) {
	a, _ := two(t, store)
	own := ownKey("own", a.Organization.ID)
	own.Name, own.ExpiresAt = "ci", spring.Add(time.Hour)
	wantError(t, "CreateKey", store.CreateKey(t.Context(), own), nil)
	own.Project.Organization.Name = "Organization a"
	wantKey(t, store, own)
	wantError(t, "CreateKey in no organization", store.CreateKey(t.Context(), ownKey("x", "nobody")), metastore.ErrNotFound)
	taken := key("taken", a.ID)
	taken.PublicKey = own.PublicKey
	wantError(t, "CreateKey with the public key of an organization", store.CreateKey(t.Context(), taken), metastore.ErrExists)
}

func testKeysOf(t *testing.T, store metastore.Store) {
	ctx := t.Context()
	a, b := two(t, store)
	for _, k := range []model.Key{ownKey("own", a.Organization.ID), key("second", a.ID), key("foreign", b.ID)} {
		wantError(t, "CreateKey", store.CreateKey(ctx, k), nil)
	}
	check := func(organization, project string, want ...string) {
		t.Helper()
		list, err := store.KeysOf(ctx, organization, project)
		if err != nil || len(list) != len(want) {
			t.Fatalf("KeysOf %s %q = %+v, %v, want %q", organization, project, list, err, want)
		}
		for i, got := range list {
			if got.ID != want[i] || got.SecretHash != nil || got.Salt != nil {
				t.Errorf("KeysOf %s %q = %+v, want %s without secrets", organization, project, got, want[i])
			}
		}
	}
	check(a.Organization.ID, a.ID, "a-key", "second-key")
	check(a.Organization.ID, "", "own-key")
	check(b.Organization.ID, b.ID, "foreign-key")
	check(b.Organization.ID, "")
	check(b.Organization.ID, a.ID)

	revoke := func(organization, project, id string, want error) {
		t.Helper()
		wantError(t, "RevokeKeyOf "+organization+" "+project+" "+id, store.RevokeKeyOf(ctx, organization, project, id, spring), want)
	}
	revoke(b.Organization.ID, a.ID, "second-key", metastore.ErrNotFound)
	revoke(b.Organization.ID, b.ID, "second-key", metastore.ErrNotFound)
	revoke(a.Organization.ID, "", "second-key", metastore.ErrNotFound)
	revoke(a.Organization.ID, a.ID, "own-key", metastore.ErrNotFound)
	check(a.Organization.ID, a.ID, "a-key", "second-key")
	revoke(a.Organization.ID, a.ID, "second-key", nil)
	revoke(a.Organization.ID, a.ID, "second-key", metastore.ErrNotFound)
	revoke(a.Organization.ID, "", "own-key", nil)
	check(a.Organization.ID, a.ID, "a-key")
	check(a.Organization.ID, "")
	if got := mustKey(t, store, "pk-lf-second").RevokedAt; !got.Equal(spring) {
		t.Errorf("RevokedAt = %v, want %v", got, spring)
	}
	again := key("again", a.ID)
	again.PublicKey = "pk-lf-second"
	wantError(t, "CreateKey with the public key of a revoked one", store.CreateKey(ctx, again), metastore.ErrExists)
}

func testScopes(t *testing.T, store metastore.Store) {
	a, _ := two(t, store)
	for _, scope := range []model.Scope{model.ScopeAll, model.ScopeIngest, model.ScopeRead, model.ScopeScores} {
		k := key(string(scope), a.ID)
		k.Scope = scope
		wantError(t, "CreateKey", store.CreateKey(t.Context(), k), nil)
		if got := mustKey(t, store, k.PublicKey).Scope; got != scope {
			t.Errorf("Scope = %q, want %q", got, scope)
		}
	}
	none, unknown, useless := key("none", a.ID), key("unknown", a.ID), ownKey("useless", a.Organization.ID)
	none.Scope, unknown.Scope, useless.Scope = "", "root", model.ScopeIngest
	for _, bad := range []model.Key{none, unknown, useless} {
		if err := store.CreateKey(t.Context(), bad); !fault.Is(err, fault.Invalid) {
			t.Errorf("CreateKey with scope %q = %v, want fault.Invalid", bad.Scope, err)
		}
	}
}

func testTouchKey(t *testing.T, store metastore.Store) {
	ctx := t.Context()
	a, _ := two(t, store)
	wantError(t, "CreateKey", store.CreateKey(ctx, key("idle", a.ID)), nil)
	at := spring
	for after, want := range []time.Duration{0, 0, 0, 3 * 20 * time.Second, 60 * time.Second} {
		wantError(t, "TouchKey", store.TouchKey(ctx, "a-key", at), nil)
		if got := mustKey(t, store, "pk-lf-a").LastUsedAt; !got.Equal(spring.Add(want)) {
			t.Errorf("after %d touches LastUsedAt = %v, want %v", after+1, got, spring.Add(want))
		}
		at = at.Add(20 * time.Second)
	}
	if got := mustKey(t, store, "pk-lf-idle").LastUsedAt; !got.IsZero() {
		t.Errorf("another key was used at %v", got)
	}
	wantError(t, "TouchKey of no key", store.TouchKey(ctx, "nobody", at), nil)
}

// testKeyWhileErasing gives a project up while it gets a key: the key is refused, or there before.
func testKeyWhileErasing(t *testing.T, store metastore.Store) {
	a, _ := two(t, store)
	errs := atOnce(2, func(i int) error {
		if i == 0 {
			return store.MarkProjectDeleted(t.Context(), a.ID)
		}
		return store.CreateKey(t.Context(), key("late", a.ID))
	})
	wantError(t, "MarkProjectDeleted", errs[0], nil)
	if errs[1] != nil && !errors.Is(errs[1], metastore.ErrNotFound) {
		t.Errorf("CreateKey = %v, want nil or ErrNotFound", errs[1])
	}
	for _, public := range []string{"pk-lf-a", "pk-lf-late"} {
		got, err := store.KeyByPublic(t.Context(), public)
		if err == nil && got.Project.ErasingAt.IsZero() {
			t.Errorf("%s opens a project that is being erased", public)
		}
	}
}

func testRotateKey(t *testing.T, store metastore.Store) {
	ctx := t.Context()
	a, b := two(t, store)
	keys, err := store.KeysOf(ctx, a.Organization.ID, a.ID)
	if err != nil || len(keys) == 0 {
		t.Fatalf("KeysOf = %v, %v", keys, err)
	}
	id := keys[0].ID
	before, err := store.KeyByPublic(ctx, keys[0].PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	fresh := model.Key{SecretHash: []byte{7}, Salt: []byte{8}, Display: "sk-lf-...new!"}
	for _, foreign := range [][3]string{{b.Organization.ID, b.ID, id}, {a.Organization.ID, b.ID, id}, {a.Organization.ID, "", id}, {a.Organization.ID, a.ID, "none"}} {
		_, err := store.RotateKey(ctx, foreign[0], foreign[1], foreign[2], fresh, spring)
		wantError(t, "RotateKey of another", err, metastore.ErrNotFound)
	}
	if _, err := store.RotateKey(ctx, a.Organization.ID, a.ID, id, model.Key{}, spring); !fault.Is(err, fault.Invalid) {
		t.Errorf("RotateKey to no secret = %v", err)
	}
	shown, err := store.RotateKey(ctx, a.Organization.ID, a.ID, id, fresh, spring)
	if err != nil || shown.ID != id || shown.Display != fresh.Display || !shown.OldUntil.Equal(spring) || shown.SecretHash != nil || shown.OldHash != nil {
		t.Errorf("RotateKey = %+v, %v", shown, err)
	}
	after, err := store.KeyByPublic(ctx, before.PublicKey)
	want := before
	want.SecretHash, want.Salt, want.Display = fresh.SecretHash, fresh.Salt, fresh.Display
	want.OldHash, want.OldSalt, want.OldUntil = before.SecretHash, before.Salt, spring
	if diff := cmp.Diff(want, after); err != nil || diff != "" {
		t.Errorf("after RotateKey: %v (-want +got):\n%s", err, diff)
	}
	wantError(t, "RevokeKeyOf", store.RevokeKeyOf(ctx, a.Organization.ID, a.ID, id, spring), nil)
	_, err = store.RotateKey(ctx, a.Organization.ID, a.ID, id, fresh, spring)
	wantError(t, "RotateKey of a revoked one", err, metastore.ErrNotFound)
}
