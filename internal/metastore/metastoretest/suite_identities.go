package metastoretest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

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
	"invited users":          testCreateInvited,
	"invited users at once":  testCreateInvitedAtOnce,
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

func testCreateInvited(t *testing.T, store metastore.Store) {
	ctx := t.Context()
	a, b := two(t, store)
	mustUsers(t, store, "a")
	older, newer, elsewhere := invitation("older", a.Organization.ID), invitation("newer", a.Organization.ID), invitation("elsewhere", b.Organization.ID)
	newer.CreatedAt, newer.Role, elsewhere.Role = spring.Add(time.Minute), model.Admin, model.Viewer
	other := invitation("other", a.Organization.ID)
	for _, i := range []*model.Invitation{&older, &newer, &elsewhere} {
		i.Email = "Ada@Example.com"
	}
	for _, i := range []model.Invitation{older, newer, elsewhere, other} {
		wantError(t, "CreateInvitation", store.CreateInvitation(ctx, i), nil)
	}
	create := func(id, email string, at time.Time, want bool, wrong error) {
		t.Helper()
		invited := user(id)
		invited.Email = email
		got, err := store.CreateInvited(ctx, invited, at)
		wantError(t, "CreateInvited "+email, err, wrong)
		if got != want {
			t.Errorf("CreateInvited %s = %v, want %v", email, got, want)
		}
	}
	soon := spring.Add(30 * time.Minute)
	create("nobody", "nobody@example.com", soon, false, nil)
	create("late", "ada@example.com", spring.Add(time.Hour), false, nil)
	create("a", "ada@example.com", soon, false, metastore.ErrExists)
	for _, id := range []string{"nobody", "late"} {
		_, err := store.User(ctx, id)
		wantError(t, "User who was not invited", err, metastore.ErrNotFound)
	}
	create("ada", "aDa@example.com", soon, true, nil)
	for organization, role := range map[string]model.Role{a.Organization.ID: model.Admin, b.Organization.ID: model.Viewer} {
		if m, err := store.Member(ctx, organization, "ada"); m.Role != role || !m.Active || err != nil {
			t.Errorf("member of %s: %+v, %v, want %s", organization, m, err, role)
		}
	}
	for _, used := range []model.Invitation{older, newer, elsewhere} {
		_, err := store.Invitation(ctx, used.TokenHash)
		wantError(t, "Invitation "+used.ID, err, metastore.ErrNotFound)
	}
	if _, err := store.Invitation(ctx, other.TokenHash); err != nil {
		t.Errorf("the invitation of another address: %v", err)
	}
	create("again", "ada@example.com", soon, false, nil)
}

func testCreateInvitedAtOnce(t *testing.T, store metastore.Store) {
	a, _ := two(t, store)
	mustUsers(t, store, "a")
	wantError(t, "CreateInvitation", store.CreateInvitation(t.Context(), invitation("ada", a.Organization.ID)), nil)
	created := make([]bool, 8)
	for _, err := range atOnce(len(created), func(i int) (err error) {
		invited := user("ada" + string(rune('0'+i)))
		invited.Email = "ada@example.com"
		created[i], err = store.CreateInvited(t.Context(), invited, spring)
		return err
	}) {
		if err != nil && !errors.Is(err, metastore.ErrExists) {
			t.Errorf("CreateInvited: %v", err)
		}
	}
	count := 0
	for _, is := range created {
		if is {
			count++
		}
	}
	if count != 1 {
		t.Errorf("created %d times", count)
	}
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
