package auth

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// given adds a key with the secret "secret".
func given(t *testing.T, store metastore.Store, key model.Key) {
	t.Helper()
	key.ID, key.CreatedAt = key.PublicKey, time.Now()
	key.Salt, key.SecretHash = Hash("secret")
	if err := store.CreateKey(t.Context(), key); err != nil {
		t.Fatal(err)
	}
}

func TestScopes(t *testing.T) {
	t.Parallel()
	store, seed := planted(t)
	for _, scope := range []model.Scope{model.ScopeAll, model.ScopeIngest, model.ScopeRead, model.ScopeScores} {
		given(t, store, model.Key{PublicKey: string(scope), Project: seed.Key.Project, Scope: scope})
	}
	organization := model.Project{Organization: seed.Organization}
	given(t, store, model.Key{PublicKey: "org", Project: organization, Scope: model.ScopeRead})
	keys := New(store)
	for header, want := range map[string]Principal{
		basic("all:secret"):    {Access: Project, Scope: model.ScopeAll, Project: seed.Key.Project, KeyID: "all"},
		basic("ingest:secret"): {Access: Project, Scope: model.ScopeIngest, Project: seed.Key.Project, KeyID: "ingest"},
		basic("read:secret"):   {Access: Project, Scope: model.ScopeRead, Project: seed.Key.Project, KeyID: "read"},
		basic("scores:secret"): {Access: Project, Scope: model.ScopeScores, Project: seed.Key.Project, KeyID: "scores"},
		"Bearer all":           {Access: ScoresOnly, Scope: model.ScopeScores, Project: seed.Key.Project, KeyID: "all"},
		"Bearer ingest":        {Access: ScoresOnly, Scope: model.ScopeScores, Project: seed.Key.Project, KeyID: "ingest"},
		"Bearer scores":        {Access: ScoresOnly, Scope: model.ScopeScores, Project: seed.Key.Project, KeyID: "scores"},
		"Bearer read":          {Access: ScoresOnly, Project: seed.Key.Project, KeyID: "read"},
		basic("org:secret"):    {Access: Organization, Scope: model.ScopeRead, Project: organization, KeyID: "org"},
	} {
		if got, err := keys.Authenticate(t.Context(), header); err != nil || got != want {
			t.Errorf("Authenticate %s = %+v, %v, want %+v", header, got, err, want)
		}
	}
	got, err := keys.Authenticate(t.Context(), "Bearer org")
	wantRefusal(t, got, err, fault.Unauthenticated, badKey)
}

func TestExpiredKeyIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store, seed := planted(t)
		given(t, store, model.Key{PublicKey: "short", Project: seed.Key.Project, Scope: model.ScopeAll, ExpiresAt: time.Now().Add(1500 * time.Millisecond)})
		keys := New(store)
		for _, wait := range []time.Duration{0, 1499 * time.Millisecond} { // remembered anew shortly before the end
			time.Sleep(wait)
			if _, err := keys.Authenticate(t.Context(), basic("short:secret")); err != nil {
				t.Fatalf("before it expires: %v", err)
			}
		}
		time.Sleep(time.Millisecond)
		for _, header := range []string{basic("short:secret"), "Bearer short"} {
			got, err := keys.Authenticate(t.Context(), header)
			wantRefusal(t, got, err, fault.Unauthenticated, badKey)
		}
	})
}

func TestProjectThatIsBeingErasedIsRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store, seed := planted(t)
		keys := New(store)
		if _, err := keys.Authenticate(t.Context(), basic("pk:s:ky")); err != nil {
			t.Fatal(err)
		}
		if err := store.MarkProjectDeleted(t.Context(), seed.Project.ID); err != nil {
			t.Fatal(err)
		}
		time.Sleep(lifetime)
		for _, header := range []string{basic("pk:s:ky"), "Bearer pk"} {
			got, err := keys.Authenticate(t.Context(), header)
			wantRefusal(t, got, err, fault.Unauthenticated, badKey)
		}
	})
}

// touching counts the uses that a store is told of.
type touching struct {
	metastore.Store
	count atomic.Int64
	err   error
}

func (c *touching) TouchKey(ctx context.Context, keyID string, at time.Time) error {
	c.count.Add(1)
	if c.err != nil {
		return c.err
	}
	return c.Store.TouchKey(ctx, keyID, at)
}

func TestUseOfAKeyIsNotedOnceAMinute(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		memory, _ := planted(t)
		store := &touching{Store: memory}
		one, other := New(store), New(store)
		_, _ = one.Authenticate(t.Context(), basic("pk:wrong"))
		if got := store.count.Load(); got != 0 {
			t.Fatalf("a wrong secret is a use of the key: %d", got)
		}
		began := time.Now()
		for range 3 * 60 * 4 {
			for _, node := range []*Keys{one, other, one} {
				if _, err := node.Authenticate(t.Context(), basic("pk:s:ky")); err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(250 * time.Millisecond)
		}
		// Both nodes may find out within the second for which they remember a key.
		if got := store.count.Load(); got < 3 || got > 6 {
			t.Errorf("%d notes in three minutes of two nodes", got)
		}
		key, err := memory.KeyByPublic(t.Context(), "pk")
		if used := key.LastUsedAt.Sub(began); err != nil || used < time.Minute || used > 3*time.Minute {
			t.Errorf("last used %v after the beginning, %v", used, err)
		}
	})
}

func TestUseThatCannotBeNotedRefusesNobody(t *testing.T) {
	t.Parallel()
	memory, _ := planted(t)
	store := &touching{Store: memory, err: errors.New("read only")}
	if _, err := New(store).Authenticate(t.Context(), basic("pk:s:ky")); err != nil || store.count.Load() != 1 {
		t.Errorf("Authenticate = %v after %d notes", err, store.count.Load())
	}
}

func TestAdminKey(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		key    AdminKey
		header string
		want   bool
	}{
		{"secret", "Bearer secret", true},
		{"secret", "Bearer secret ", false},
		{"secret", "Bearer  secret", false},
		{"secret", "bearer secret", false},
		{"secret", "Bearer Secret", false},
		{"secret", "secret", false},
		{"secret", "", false},
		{"", "Bearer ", false},
		{"", "", false},
	} {
		if got := c.key.Authenticate(c.header); got != c.want {
			t.Errorf("%q with %q = %v, want %v", c.key, c.header, got, c.want)
		}
	}
}

func TestIssue(t *testing.T) {
	t.Parallel()
	random, secret, err := Issue("", "")
	if err != nil || !strings.HasPrefix(random.PublicKey, "pk-lf-") || !matches(random, secret, time.Now()) || random.ID == "" || random.CreatedAt.IsZero() {
		t.Errorf("Issue = %+v, %v", random, err)
	}
	own, secret, err := Issue("pk-lf-own", "sk-lf-0123456789:abcdef")
	if err != nil || own.PublicKey != "pk-lf-own" || secret != "sk-lf-0123456789:abcdef" || own.Display != "sk-lf-...cdef" || !matches(own, secret, time.Now()) {
		t.Errorf("Issue = %+v, %q, %v", own, secret, err)
	}
	for _, bad := range [][2]string{
		{"pk-lf-x", ""},
		{"", "sk-lf-x"},
		{"pk-lf-", "sk-lf-x"},
		{"pk-lf-x", "sk-lf-"},
		{"x", "sk-lf-x"},
		{"pk-lf-x", "pk-lf-x"},
		{"pk-lf-a:b", "sk-lf-x"},
		{"pk-lf-\x00", "sk-lf-x"},
		{"pk-lf-x", "sk-lf-\xff"},
		{"pk-lf-" + strings.Repeat("x", metastore.MaxText), "sk-lf-x"},
	} {
		if key, secret, err := Issue(bad[0], bad[1]); !fault.Is(err, fault.Invalid) || secret != "" || key.PublicKey != "" {
			t.Errorf("Issue %.20q = %+v, %v, want fault.Invalid", bad, key, err)
		}
	}
}

// While the grace lasts both secrets of a rotated key open, afterwards the new one alone.
func TestRotatedKeyTakesBothSecretsForAWhile(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store, seed := planted(t)
		keys := New(store)
		rotate := func(grace time.Duration) string {
			fresh, secret, err := Issue("", "")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := store.RotateKey(t.Context(), seed.Organization.ID, seed.Project.ID, seed.Key.ID, fresh, time.Now().Add(grace)); err != nil {
				t.Fatal(err)
			}
			time.Sleep(lifetime)
			return secret
		}
		opens := func(secret string, want bool) {
			t.Helper()
			if _, err := keys.Authenticate(t.Context(), basic("pk:"+secret)); (err == nil) != want {
				t.Errorf("%.12s opens: %v, want %v", secret, err, want)
			}
		}
		opens("s:ky", true)
		second := rotate(time.Hour)
		opens("s:ky", true)
		opens(second, true)
		opens("", false)
		time.Sleep(time.Hour - lifetime - time.Microsecond)
		opens("s:ky", true)
		time.Sleep(time.Microsecond)
		opens("s:ky", false)
		opens(second, true)
		third := rotate(0) // at once, as after a leak
		opens(second, false)
		opens(third, true)
		fourth := rotate(time.Hour)
		fifth := rotate(time.Hour)
		opens(third, false) // the one before the one before
		opens(fourth, true)
		opens(fifth, true)
	})
}
