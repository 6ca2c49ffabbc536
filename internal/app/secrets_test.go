package app

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sondehq/sonde/internal/config"
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
