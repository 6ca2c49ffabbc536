package app

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sondehq/sonde/internal/config"
	"github.com/sondehq/sonde/internal/connections"
	"github.com/sondehq/sonde/internal/metastore/metastoretest"
	"github.com/sondehq/sonde/internal/seal"
)

// A node makes its key once and finds it again; who cannot read what is stored does not start.
func TestNodesShareOneKey(t *testing.T) {
	t.Parallel()
	store := metastoretest.NewMemory()
	first := &config.Config{DataDir: t.TempDir()}
	box, err := openBox(t.Context(), first, store)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(first.DataDir, keyFile)
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v, %v", info, err)
	}
	sealed, err := box.Seal([]byte("x"), nil)
	if err != nil {
		t.Fatal(err)
	}
	again, err := openBox(t.Context(), first, store)
	if err != nil {
		t.Fatal(err)
	}
	if plain, err := again.Open(sealed, nil); err != nil || string(plain) != "x" {
		t.Errorf("after a restart: %q, %v", plain, err)
	}

	second := &config.Config{DataDir: t.TempDir()}
	second.Metadata.URL = "postgres://shared"
	for range 2 { // what a refused start has made must not make the next one succeed
		_, err = openBox(t.Context(), second, store)
		if !errors.Is(err, errOtherKey) || !strings.Contains(err.Error(), "SONDE_ENCRYPTION_KEY") {
			t.Errorf("another node with a key of its own: %v", err)
		}
		if _, err := os.Stat(filepath.Join(second.DataDir, keyFile)); err == nil {
			t.Error("a refused start leaves its key")
		}
	}
	key, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	second.EncryptionKey = config.Secret(key)
	if _, err := openBox(t.Context(), second, store); err != nil {
		t.Errorf("another node with the key of the first: %v", err)
	}
	if _, err := os.Stat(filepath.Join(second.DataDir, keyFile)); err == nil {
		t.Error("a configured key is written to disk")
	}
	first.EncryptionKey = config.Secret(seal.KeyText(seal.NewKey()))
	if _, err := openBox(t.Context(), first, store); !errors.Is(err, errOtherKey) {
		t.Errorf("another key: %v", err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Errorf("a refused start removes the key of before: %v", err)
	}
}

func TestBadKeysAreRefused(t *testing.T) {
	t.Parallel()
	store := metastoretest.NewMemory()
	bad := &config.Config{DataDir: t.TempDir(), EncryptionKey: "tooshort"}
	if _, err := openBox(t.Context(), bad, store); err == nil || strings.Contains(err.Error(), "tooshort") {
		t.Errorf("a short key: %v", err)
	}
	c := &config.Config{DataDir: t.TempDir()}
	path := filepath.Join(c.DataDir, keyFile)
	if err := os.WriteFile(path, []byte("garbage"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := openBox(t.Context(), c, store); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a broken file: %v", err)
	}
	if err := os.WriteFile(path, []byte(seal.KeyText(seal.NewKey())), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := openBox(t.Context(), c, store); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("a file that others can read: %v", err)
	}
}

// TestRestoredServerGetsAKey: a server that was restored without its key goes on when nothing is sealed.
func TestRestoredServerGetsAKey(t *testing.T) {
	t.Parallel()
	store := metastoretest.NewMemory()
	if _, err := openBox(t.Context(), &config.Config{DataDir: t.TempDir()}, store); err != nil {
		t.Fatal(err)
	}
	restored := &config.Config{DataDir: t.TempDir()}
	for range 2 {
		if _, err := openBox(t.Context(), restored, store); err != nil {
			t.Errorf("a restored server: %v", err)
		}
	}
}

// sealedOnce is a store with something sealed in it.
type sealedOnce struct {
	*metastoretest.Memory
	project  string
	settings *config.Config
}

func newSealedOnce(t *testing.T) (sealedOnce, *seal.Box) {
	t.Helper()
	s := sealedOnce{metastoretest.NewMemory(), "", &config.Config{DataDir: t.TempDir()}}
	box := s.start(t)
	seed := metastoretest.Seed("seed")
	if _, err := s.Plant(t.Context(), seed); err != nil {
		t.Fatal(err)
	}
	s.project = seed.Project.ID
	if _, _, err := connections.New(s, box).Put(t.Context(), s.project, connections.Definition{Provider: "p", Adapter: "openai", Key: "sk-0123456789abcdef"}); err != nil {
		t.Fatal(err)
	}
	return s, box
}

func (s sealedOnce) start(t *testing.T) *seal.Box {
	t.Helper()
	box, err := openBox(t.Context(), s.settings, s)
	if err != nil {
		t.Fatal(err)
	}
	return box
}

// opens opens what is sealed.
func (s sealedOnce) opens(t *testing.T, box *seal.Box) error {
	t.Helper()
	c, err := s.ConnectionByProvider(t.Context(), s.project, "p")
	if err == nil {
		_, _, err = connections.New(s, box).Secrets(c)
	}
	return err
}

func (s sealedOnce) rotate(t *testing.T) *seal.Box {
	t.Helper()
	n, next, err := new(secretsRotateCommand).rotate(t.Context(), s.settings, s)
	if err != nil || n != 2 {
		t.Fatalf("%d sealed again, %v", n, err)
	}
	return next
}

// Everything opens with the next key, and with no other.
func TestRotateSecrets(t *testing.T) {
	t.Parallel()
	s, old := newSealedOnce(t)
	next := s.rotate(t)
	if err := s.opens(t, old); !errors.Is(err, seal.ErrOtherKey) || next.KeyID() == old.KeyID() {
		t.Errorf("the old key: %v", err)
	}
	if after := s.start(t); after.KeyID() != next.KeyID() || s.opens(t, after) != nil {
		t.Errorf("after the next start: %v", s.opens(t, after))
	}
}

// A rotation that was cut off after everything was sealed, before the next key took its place, can be run again.
func TestRotationIsCutOff(t *testing.T) {
	t.Parallel()
	s, _ := newSealedOnce(t)
	current, next := filepath.Join(s.settings.DataDir, keyFile), filepath.Join(s.settings.DataDir, nextKeyFile)
	keep, err := os.ReadFile(current)
	if err != nil {
		t.Fatal(err)
	}
	s.rotate(t)
	if err := errors.Join(os.Rename(current, next), os.WriteFile(current, keep, 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, err := openBox(t.Context(), s.settings, s); err == nil || !strings.Contains(err.Error(), "sonde secrets rotate") {
		t.Errorf("a start after it was cut off: %v", err)
	}
	s.rotate(t)
	if err := s.opens(t, s.start(t)); err != nil {
		t.Errorf("the start after it: %v", err)
	}
	if _, err := os.Stat(next); err == nil {
		t.Error("the next key is left over")
	}
}

// Who configures the key must bring the next one, and a wrong old one changes nothing.
func TestRotateSecretsOfACluster(t *testing.T) {
	t.Parallel()
	store := metastoretest.NewMemory()
	settings := &config.Config{DataDir: t.TempDir(), EncryptionKey: config.Secret(seal.KeyText(seal.NewKey()))}
	if _, err := openBox(t.Context(), settings, store); err != nil {
		t.Fatal(err)
	}
	if _, _, err := (&secretsRotateCommand{}).rotate(t.Context(), settings, store); err == nil || !strings.Contains(err.Error(), "SONDE_NEW_ENCRYPTION_KEY") {
		t.Errorf("without a key: %v", err)
	}
	rotation := secretsRotateCommand{NewKey: config.Secret(seal.KeyText(seal.NewKey()))}
	wrong := &config.Config{DataDir: settings.DataDir, EncryptionKey: config.Secret(seal.KeyText(seal.NewKey()))}
	if _, _, err := rotation.rotate(t.Context(), wrong, store); err == nil || !strings.Contains(err.Error(), "opens neither") {
		t.Errorf("with another old key: %v", err)
	}
	if n, _, err := rotation.rotate(t.Context(), settings, store); err != nil || n != 1 {
		t.Errorf("%d, %v", n, err)
	}
	settings.EncryptionKey = rotation.NewKey
	if _, err := openBox(t.Context(), settings, store); err != nil {
		t.Errorf("a start with the next key: %v", err)
	}
}
