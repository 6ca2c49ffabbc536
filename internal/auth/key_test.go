package auth

import (
	"bytes"
	"crypto/sha256"
	"regexp"
	"strings"
	"testing"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/metastore/metastoretest"
	"github.com/sondehq/sonde/internal/model"
)

const uuidForm = `[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`

func TestNewKeyPair(t *testing.T) {
	t.Parallel()
	public, secret := NewKeyPair()
	if !regexp.MustCompile(`^pk-lf-` + uuidForm).MatchString(public) {
		t.Errorf("public = %q", public)
	}
	if !regexp.MustCompile(`^sk-lf-` + uuidForm).MatchString(secret) {
		t.Errorf("secret = %q", secret)
	}
	otherPublic, otherSecret := NewKeyPair()
	if public == otherPublic || secret == otherSecret || public[3:] == secret[3:] {
		t.Error("halves of keys are alike")
	}
}

func TestHash(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{"sk-lf-1", strings.Repeat("long ", 100)} {
		salt, hash := Hash(secret)
		if want := sha256.Sum256([]byte(string(salt) + secret)); !bytes.Equal(hash, want[:]) {
			t.Errorf("hash is not SHA-256 over salt and secret")
		}
		if other, _ := Hash(secret); bytes.Equal(salt, other) || len(salt) != saltBytes {
			t.Errorf("salts %x and %x", salt, other)
		}
	}
}

func TestDisplay(t *testing.T) {
	t.Parallel()
	for secret, want := range map[string]string{
		"sk-lf-01234567-89ab-cdef-0123-456789abcdef": "sk-lf-...cdef",
		"01234567890123456789":                       "012345...6789",
		"0123456789012345678":                        "...",
		"":                                           "...",
		strings.Repeat("ü", 20):                      "üüüüüü...üüüü",
	} {
		if got := Display(secret); got != want {
			t.Errorf("Display(%q) = %q, want %q", secret, got, want)
		}
	}
}

func TestSeedFrom(t *testing.T) {
	t.Parallel()
	given, secret, err := SeedFrom("Acme", "prj_1", "Demo", "pk-lf-given", "sk-lf-given")
	if err != nil {
		t.Fatal(err)
	}
	if given.Organization.Name != "Acme" || given.Project.ID != "prj_1" || given.Project.Name != "Demo" ||
		given.Key.PublicKey != "pk-lf-given" || secret != "sk-lf-given" || given.Key.CreatedAt.IsZero() {
		t.Errorf("SeedFrom = %+v, %q", given, secret)
	}
	random, randomSecret, err := SeedFrom("Acme", "", "Demo", "", "")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(random.Key.PublicKey, "pk-lf-") || !strings.HasPrefix(randomSecret, "sk-lf-") || random.Project.ID == "" {
		t.Errorf("SeedFrom = %+v, %q", random, randomSecret)
	}
	for _, bad := range [][2]string{{"a\x00", "pk"}, {"prj", "p\x00k"}, {"prj", "p:k"}, {strings.Repeat("x", metastore.MaxText+1), "pk"}} {
		if _, secret, err := SeedFrom("Acme", bad[0], "Demo", bad[1], ""); !fault.Is(err, fault.Invalid) || secret != "" {
			t.Errorf("SeedFrom with project %.10q and public key %q = %v, want fault.Invalid", bad[0], bad[1], err)
		}
	}
}

func TestSeedOpensTheDoor(t *testing.T) {
	t.Parallel()
	seed, secret, err := SeedFrom("Acme", "prj_1", "Demo", "", "")
	if err != nil {
		t.Fatal(err)
	}
	store := metastoretest.NewMemory()
	if planted, err := store.Plant(t.Context(), seed); !planted || err != nil {
		t.Fatalf("Plant = %v, %v", planted, err)
	}
	got, err := New(store).Authenticate(t.Context(), basic(seed.Key.PublicKey+":"+secret))
	want := Principal{Access: Project, Scope: model.ScopeAll, Project: seed.Key.Project, KeyID: seed.Key.ID}
	if err != nil || got != want {
		t.Errorf("Authenticate = %+v, %v, want %+v", got, err, want)
	}
}
