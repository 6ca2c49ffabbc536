package sqlstore

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/metastore/metastoretest"
)

func openSQLite(t *testing.T, path string) *Store {
	t.Helper()
	store, err := OpenSQLite(t.Context(), path)
	if err != nil {
		t.Fatalf("OpenSQLite: %v", err)
	}
	return store
}

func TestSQLite(t *testing.T) {
	t.Parallel()
	metastoretest.Run(t, func(t *testing.T) metastore.Store {
		return closed(t, openSQLite(t, filepath.Join(t.TempDir(), "meta.db")))
	})
}

func TestSQLiteIsDurable(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "meta.db")
	store := closed(t, openSQLite(t, path))
	for pragma, want := range map[string]string{
		"synchronous":  "2", // FULL: the log is synced before a commit returns
		"journal_mode": "wal",
		"foreign_keys": "1",
		"busy_timeout": "5000",
	} {
		for range 2 { // the second time on a fresh connection
			var got string
			if err := store.db.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got); err != nil || got != want {
				t.Errorf("%s = %s, %v, want %s", pragma, got, err, want)
			}
			store.db.SetMaxIdleConns(-1)
		}
		store.db.SetMaxIdleConns(1)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode = %v, %v, want only the owner's", info.Mode(), err)
	}
}

func TestSQLiteReopenKeepsData(t *testing.T) {
	t.Parallel()
	// The name has what would end or change a path in an address.
	path := filepath.Join(t.TempDir(), "a b?c=d#e%41&ü.db")
	seed := metastoretest.Seed("kept")
	for i := range 3 {
		store := openSQLite(t, path)
		planted, err := store.Plant(t.Context(), seed)
		if err != nil || planted != (i == 0) {
			t.Errorf("Plant %d = %v, %v", i, planted, err)
		}
		key, err := store.KeyByPublic(t.Context(), seed.Key.PublicKey)
		if err != nil || key.ID != seed.Key.ID {
			t.Errorf("KeyByPublic %d = %q, %v", i, key.ID, err)
		}
		if err := store.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}
	if _, err := os.Stat(path); err != nil {
		t.Errorf("the database is elsewhere: %v", err)
	}
}

func TestSQLiteUnreachable(t *testing.T) {
	t.Parallel()
	_, err := OpenSQLite(t.Context(), filepath.Join(t.TempDir(), "missing", "meta.db"))
	if !fault.Is(err, fault.Unavailable) || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("OpenSQLite without a directory = %v, want fault.Unavailable", err)
	}
	store := openSQLite(t, filepath.Join(t.TempDir(), "meta.db"))
	if err := store.Close(); err != nil {
		t.Fatalf("Close: %v", err)
	}
	if err := store.Ping(t.Context()); !fault.Is(err, fault.Unavailable) {
		t.Errorf("Ping after Close = %v, want fault.Unavailable", err)
	}
}

func TestSQLiteWaitsForTheOnlyConnectionAsLongAsTheContext(t *testing.T) {
	t.Parallel()
	store := closed(t, openSQLite(t, filepath.Join(t.TempDir(), "meta.db")))
	busy, err := store.db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, err = store.KeyByPublic(ctx, "pk-lf-any")
	if !fault.Is(err, fault.Unavailable) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("KeyByPublic behind a busy connection = %v, want fault.Unavailable", err)
	}
	if err := busy.Close(); err != nil {
		t.Fatal(err)
	}
	if err := store.Ping(t.Context()); err != nil {
		t.Errorf("Ping after the wait: %v", err)
	}
}

func TestSQLiteTwoProcesses(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "meta.db")
	server, tool := closed(t, openSQLite(t, path)), closed(t, openSQLite(t, path))
	seed := metastoretest.Seed("seed")
	if planted, err := server.Plant(t.Context(), seed); !planted || err != nil {
		t.Fatalf("Plant = %v, %v", planted, err)
	}
	if planted, err := tool.Plant(t.Context(), metastoretest.Seed("other")); planted || err != nil {
		t.Errorf("Plant by another process = %v, %v, want false", planted, err)
	}
	if err := tool.RevokeKey(t.Context(), seed.Key.ID, time.Now()); err != nil {
		t.Fatalf("RevokeKey: %v", err)
	}
	key, err := server.KeyByPublic(t.Context(), seed.Key.PublicKey)
	if err != nil || key.RevokedAt.IsZero() {
		t.Errorf("the server does not see the revocation: %v, %v", key.RevokedAt, err)
	}
}
