package sqlstore

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/testkit"
)

func TestAServerTellsAboutItself(t *testing.T) {
	t.Parallel()
	address := testkit.Postgres(t)
	s, err := InspectPostgres(t.Context(), address)
	if err != nil || s.Version < NeedsVersion || time.Since(s.Clock).Abs() > time.Minute || s.ReadOnly || s.MaxConnections < NeedsConnections || s.Connections < 1 {
		t.Errorf("%+v, %v", s, err)
	}
	separator := "?"
	if strings.Contains(address, "?") {
		separator = "&"
	}
	if s, err := InspectPostgres(t.Context(), address+separator+"default_transaction_read_only=on"); err != nil || !s.ReadOnly {
		t.Errorf("a read-only database: %+v, %v", s, err)
	}
	if _, err := InspectPostgres(t.Context(), "postgres://nobody@127.0.0.1:1/none?connect_timeout=1"); err == nil {
		t.Error("a server that is not there tells about itself")
	}
}

// SQLite has no clock of its own; that of PostgreSQL may be another machine's.
func TestClocks(t *testing.T) {
	t.Parallel()
	file, err := OpenSQLite(t.Context(), filepath.Join(t.TempDir(), "m.sqlite"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	if at, err := file.Clock(t.Context()); err != nil || !at.IsZero() {
		t.Errorf("SQLite: %s, %v", at, err)
	}
	if at, err := openPostgres(t, testkit.Postgres(t)).Clock(t.Context()); err != nil || time.Since(at).Abs() > time.Minute {
		t.Errorf("PostgreSQL: %s, %v", at, err)
	}
}
