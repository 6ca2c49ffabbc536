package metastoretest

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

var identitiesTests = map[string]func(*testing.T, metastore.Store){
	"identities":             testIdentities,
	"identities at once":     testIdentitiesAtOnce,
	"refused identities":     testRefusedIdentities,
	"identities are matched": testIdentitiesAsTheyAre,
}

const (
	hereIssuer  = "https://id.example.com"
	thereIssuer = "https://id.example.org/"
)

func identity(issuer, subject, userID string) model.Identity {
	return model.Identity{Issuer: issuer, Subject: subject, UserID: userID, CreatedAt: spring}
}

func wantIdentity(t *testing.T, store metastore.Store, issuer, subject, userID string) {
	t.Helper()
	got, err := store.UserByIdentity(t.Context(), issuer, subject)
	if userID == "" {
		wantError(t, "UserByIdentity of nobody", err, metastore.ErrNotFound)
		return
	}
	if diff := cmp.Diff(user(userID), got); diff != "" || err != nil {
		t.Errorf("UserByIdentity %s %s: %v (-want +got):\n%s", issuer, subject, err, diff)
	}
}

func testIdentities(t *testing.T, store metastore.Store) {
	ctx := t.Context()
	mustUsers(t, store, "a", "b")
	wantIdentity(t, store, hereIssuer, "1", "")
	link := func(issuer, subject, userID string, want error) {
		t.Helper()
		wantError(t, "LinkIdentity "+issuer+" "+subject+" "+userID, store.LinkIdentity(ctx, identity(issuer, subject, userID)), want)
	}
	link(hereIssuer, "1", "a", nil)
	link(hereIssuer, "1", "a", nil)
	link(hereIssuer, "1", "b", metastore.ErrExists)
	link(hereIssuer, "2", "a", metastore.ErrExists)
	link(hereIssuer, "2", "nobody", metastore.ErrNotFound)
	link(thereIssuer, "1", "b", nil)
	link(thereIssuer, "2", "a", nil)
	wantIdentity(t, store, hereIssuer, "1", "a")
	wantIdentity(t, store, thereIssuer, "1", "b")
	wantIdentity(t, store, thereIssuer, "2", "a")

	if forgotten, err := store.UnlinkIdentities(ctx, "a"); forgotten != 2 || err != nil {
		t.Errorf("UnlinkIdentities = %d, %v, want 2", forgotten, err)
	}
	if forgotten, err := store.UnlinkIdentities(ctx, "a"); forgotten != 0 || err != nil {
		t.Errorf("UnlinkIdentities again = %d, %v, want 0", forgotten, err)
	}
	wantIdentity(t, store, hereIssuer, "1", "")
	wantIdentity(t, store, thereIssuer, "1", "b")
	link(hereIssuer, "2", "a", nil)
	wantIdentity(t, store, hereIssuer, "2", "a")
}

// testIdentitiesAtOnce: one person signs in for the first time in several windows, and another takes the same user.
func testIdentitiesAtOnce(t *testing.T, store metastore.Store) {
	mustUsers(t, store, "a")
	linked := map[string]int{}
	subjects := []string{"1", "2", "1", "2", "1", "2", "1", "2"}
	for i, err := range atOnce(len(subjects), func(i int) error {
		return store.LinkIdentity(t.Context(), identity(hereIssuer, subjects[i], "a"))
	}) {
		if err == nil {
			linked[subjects[i]]++
		} else if !errors.Is(err, metastore.ErrExists) {
			t.Errorf("LinkIdentity = %v, want ErrExists", err)
		}
	}
	if len(linked) != 1 || linked["1"]+linked["2"] != 4 {
		t.Errorf("linked as %v, want one subject four times", linked)
	}
}

func testRefusedIdentities(t *testing.T, store metastore.Store) {
	ctx := t.Context()
	mustUsers(t, store, "a")
	for _, text := range []string{"", "a\x00", "\xff", strings.Repeat("x", metastore.MaxSubject+1)} {
		_, byIssuer := store.UserByIdentity(ctx, text, "1")
		_, bySubject := store.UserByIdentity(ctx, hereIssuer, text)
		for what, err := range map[string]error{
			"issuer":          store.LinkIdentity(ctx, identity(text, "1", "a")),
			"subject":         store.LinkIdentity(ctx, identity(hereIssuer, text, "a")),
			"asked issuer":    byIssuer,
			"asked subject":   bySubject,
			"no user at all":  store.LinkIdentity(ctx, identity(hereIssuer, "1", "")),
			"unlinked nobody": func() error { _, err := store.UnlinkIdentities(ctx, ""); return err }(),
		} {
			if !fault.Is(err, fault.Invalid) {
				t.Errorf("%s %.20q = %v, want fault.Invalid", what, text, err)
			}
		}
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	wantError(t, "LinkIdentity", store.LinkIdentity(canceled, identity(hereIssuer, "1", "a")), context.Canceled)
	wantIdentity(t, store, hereIssuer, "1", "")
}

// testIdentitiesAsTheyAre: neither case nor spaces nor patterns make two subjects one.
func testIdentitiesAsTheyAre(t *testing.T, store metastore.Store) {
	mustUsers(t, store, "a")
	wantError(t, "LinkIdentity", store.LinkIdentity(t.Context(), identity(hereIssuer, "Abc", "a")), nil)
	for _, subject := range []string{"abc", "ABC", "Abc ", " Abc", "%", "A_c", "Abc' OR '1'='1"} {
		wantIdentity(t, store, hereIssuer, subject, "")
	}
	for _, issuer := range []string{hereIssuer + "/", strings.ToUpper(hereIssuer)} {
		wantIdentity(t, store, issuer, "Abc", "")
	}
	wantIdentity(t, store, hereIssuer, "Abc", "a")
}
