package auth

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/metastore/metastoretest"
	"github.com/sondehq/sonde/internal/model"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	noHeader    = "No authorization header"
	badHeader   = "Invalid authorization header"
	badKey      = "Invalid credentials. Confirm that you've configured the correct host."
	unavailable = "Service Unavailable"
)

func basic(pair string) string { return "Basic " + base64.StdEncoding.EncodeToString([]byte(pair)) }

// planted returns a store with the key pk:s:ky of project prj, whose secret has a colon, and
// the revoked key gone:secret.
func planted(t testing.TB) (*metastoretest.Memory, metastore.Seed) {
	t.Helper()
	store := metastoretest.NewMemory()
	seed, _, err := SeedFrom("Acme", "prj", "Demo", "pk", "s:ky")
	if err != nil {
		t.Fatal(err)
	}
	if planted, err := store.Plant(t.Context(), seed); !planted || err != nil {
		t.Fatalf("Plant = %v, %v", planted, err)
	}
	gone := model.Key{ID: "gone", Project: seed.Project, PublicKey: "gone", Scope: model.ScopeAll, RevokedAt: time.Unix(1, 0)}
	gone.Salt, gone.SecretHash = Hash("secret")
	if err := store.CreateKey(t.Context(), gone); err != nil {
		t.Fatal(err)
	}
	return store, seed
}

func TestAuthenticate(t *testing.T) {
	t.Parallel()
	store, seed := planted(t)
	keys := New(store)
	unpadded := strings.TrimRight(basic("pk:s:ky"), "=")
	if unpadded == basic("pk:s:ky") {
		t.Fatal("the pair needs padding to show something")
	}
	tests := []struct {
		name, header, refusal string
		access                Access
	}{
		{"key", basic("pk:s:ky"), "", Project},
		{"key without padding", unpadded, "", Project},
		{"public half", "Bearer pk", "", ScoresOnly},

		{"nothing", "", noHeader, 0},
		{"another scheme", "Digest pk:s:ky", badHeader, 0},
		{"lower case", strings.Replace(basic("pk:s:ky"), "Basic", "basic", 1), badHeader, 0},
		{"upper case", "BEARER pk", badHeader, 0},
		{"scheme only", "Basic", badHeader, 0},
		{"scheme and space", "Basic ", badHeader, 0},
		{"bearer of nothing", "Bearer ", badHeader, 0},
		{"space before", " " + basic("pk:s:ky"), badHeader, 0},
		{"two spaces", strings.Replace(basic("pk:s:ky"), " ", "  ", 1), badHeader, 0},
		{"tab", "Bearer\tpk", badHeader, 0},
		{"not base64", "Basic pk:s:ky", badHeader, 0},
		{"no colon", basic("pk"), badHeader, 0},
		{"no public half", basic(":s:ky"), badHeader, 0},
		{"no secret half", basic("pk:"), badHeader, 0},

		{"bearer and two spaces", "Bearer  pk", badKey, 0},
		{"unknown key", basic("nobody:s:ky"), badKey, 0},
		{"unknown public half", "Bearer nobody", badKey, 0},
		{"wrong secret", basic("pk:s:Ky"), badKey, 0},
		{"part of the secret", basic("pk:s"), badKey, 0},
		{"more than the secret", basic("pk:s:ky:"), badKey, 0},
		{"secret of another key", basic("pk:secret"), badKey, 0},
		{"wrong public half of a right secret", basic("gone:s:ky"), badKey, 0},
		{"public half in another case", "Bearer PK", badKey, 0},
		{"secret as bearer", "Bearer s:ky", badKey, 0},
		{"revoked key", basic("gone:secret"), badKey, 0},
		{"revoked public half", "Bearer gone", badKey, 0},
		{"NUL", basic("p\x00k:s:ky"), badKey, 0},
		{"not UTF-8", basic("\xff:s:ky"), badKey, 0},
		{"overlong", "Bearer " + strings.Repeat("x", metastore.MaxText+1), badKey, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for range 2 { // from the store, then from the cache
				got, err := keys.Authenticate(t.Context(), test.header)
				if test.refusal != "" {
					wantRefusal(t, got, err, fault.Unauthenticated, test.refusal)
					continue
				}
				want := Principal{Access: test.access, Scope: model.ScopeAll, Project: seed.Key.Project, KeyID: seed.Key.ID}
				if test.access == ScoresOnly {
					want.Scope = model.ScopeScores
				}
				if err != nil || got != want {
					t.Errorf("Authenticate = %+v, %v, want %+v", got, err, want)
				}
			}
		})
	}
}

func wantRefusal(t *testing.T, got Principal, err error, kind fault.Kind, message string) {
	t.Helper()
	if got != (Principal{}) {
		t.Errorf("refused, and yet %+v", got)
	}
	var refusal *fault.Fault
	if !errors.As(err, &refusal) || refusal.Kind != kind || refusal.Public() != message {
		t.Errorf("Authenticate = %v, want %q", err, message)
	}
}

func FuzzAuthenticate(f *testing.F) {
	store, _ := planted(f)
	keys := New(store)
	for _, header := range []string{"", "Basic", "Bearer pk", "Bearer gone", basic("pk:s:ky"), basic("pk:"), basic("\xff\x00:x"), "Basic ====", "Bearer \x00"} {
		f.Add(header)
	}
	f.Fuzz(func(t *testing.T, header string) {
		got, err := keys.Authenticate(t.Context(), header)
		if err != nil {
			if got != (Principal{}) || !fault.Is(err, fault.Unauthenticated) {
				t.Errorf("Authenticate(%q) = %+v, %v", header, got, err)
			}
			return
		}
		encoded, isBasic := strings.CutPrefix(header, "Basic ")
		pair, _ := base64.RawStdEncoding.DecodeString(strings.TrimRight(encoded, "="))
		switch {
		case got.Access == ScoresOnly && header == "Bearer pk":
		case got.Access == Project && isBasic && string(pair) == "pk:s:ky":
		default:
			t.Errorf("Authenticate(%q) let in %+v", header, got)
		}
	})
}

func BenchmarkAuthenticate(b *testing.B) {
	seed, secret, err := SeedFrom("Acme", "", "Demo", "", "")
	if err != nil {
		b.Fatal(err)
	}
	store := metastoretest.NewMemory()
	if planted, err := store.Plant(b.Context(), seed); !planted || err != nil {
		b.Fatalf("Plant = %v, %v", planted, err)
	}
	keys := New(store)
	otherPublic, otherSecret := NewKeyPair()
	hot := basic(seed.Key.PublicKey + ":" + secret)
	for _, bench := range []struct{ name, header string }{
		{"hot", hot},
		{"bearer", "Bearer " + seed.Key.PublicKey},
		{"wrong", basic(seed.Key.PublicKey + ":" + otherSecret)},
		{"unknown", basic(otherPublic + ":" + secret)},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = keys.Authenticate(b.Context(), bench.header)
			}
		})
	}
	b.Run("hot parallel", func(b *testing.B) {
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if _, err := keys.Authenticate(b.Context(), hot); err != nil {
					b.Error(err)
				}
			}
		})
	})
}
