package sqlstore

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sondehq/sonde/internal/selfobs"
	"github.com/sondehq/sonde/internal/testkit"
	"github.com/sondehq/sonde/internal/upgrade"
)

// kinds opens a new database of each kind: connected, planned and as the server does.
func kinds(t *testing.T) map[string]struct {
	connect func() (*database, error)
	plan    func() (Plan, error)
	open    func() (*Store, error)
} {
	t.Helper()
	file, address := filepath.Join(t.TempDir(), "m.sqlite"), testkit.Postgres(t)
	return map[string]struct {
		connect func() (*database, error)
		plan    func() (Plan, error)
		open    func() (*Store, error)
	}{
		"SQLite": {
			func() (*database, error) { return connectSQLite(file) },
			func() (Plan, error) { return PlanSQLite(t.Context(), file) },
			func() (*Store, error) { return OpenSQLite(t.Context(), file) },
		},
		"PostgreSQL": {
			func() (*database, error) { return connectPostgres(address) },
			func() (Plan, error) { return PlanPostgres(t.Context(), address) },
			func() (*Store, error) { return OpenPostgres(t.Context(), address) },
		},
	}
}

func TestPlanTellsWhatOpeningDoes(t *testing.T) {
	t.Parallel()
	for name, kind := range kinds(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan, err := kind.plan()
			if err != nil || !plan.New || len(plan.Pending) < 20 || plan.Pending[0].Name != "00001_tenants" {
				t.Fatalf("of none: %+v, %v", plan, err)
			}
			asTheReleaseBeforeLeftIt(t, kind.connect)
			for range 2 { // looking changes nothing
				plan, err = kind.plan()
				if err != nil || plan.New || plan.Mark != (upgrade.Mark{}) || plan.Pending[0].Name != "00020_attempts" || plan.Pending[0].Kind != upgrade.Expand {
					t.Fatalf("of a release: %+v, %v", plan, err)
				}
			}
			store, err := kind.open()
			if err != nil {
				t.Fatal(err)
			}
			if err := store.Close(); err != nil {
				t.Fatal(err)
			}
			plan, err = kind.plan()
			if err != nil || len(plan.Pending) > 0 || plan.Mark.WrittenBy != selfobs.Version || plan.Mark.Oldest != "" {
				t.Errorf("after opening: %+v, %v", plan, err)
			}
		})
	}
}

// asTheReleaseBeforeLeftIt makes the tables of 0.3.0, which left no mark.
func asTheReleaseBeforeLeftIt(t *testing.T, connect func() (*database, error)) {
	t.Helper()
	d, err := connect()
	if err == nil {
		err = errors.Join(d.migrate(t.Context(), 19), d.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A database that a newer version has contracted is left alone, with a message that says what to do.
func TestContractedDatabaseIsRefused(t *testing.T) { //nolint:paralleltest // it is another version for a while
	version := selfobs.Version
	defer func() { selfobs.Version = version }()
	for name, kind := range kinds(t) {
		selfobs.Version = "0.6.0"
		store, err := kind.open()
		if err != nil {
			t.Fatal(err)
		}
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
		d, err := kind.connect()
		if err != nil {
			t.Fatal(err)
		}
		if err := d.leaveMark(t.Context(), upgrade.Mark{WrittenBy: "0.6.0"}, []upgrade.Step{{Kind: upgrade.Contract, Oldest: "0.5.0"}}); err != nil {
			t.Fatal(err)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		selfobs.Version = "0.4.9"
		_, err = kind.open()
		for _, want := range []string{"metadata database", "0.6.0", "0.5.0", "0.4.9", "backup"} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, without %q", name, err, want)
			}
		}
		selfobs.Version = "0.5.0"
		store, err = kind.open()
		if err != nil {
			t.Fatalf("%s: the oldest that may: %v", name, err)
		}
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
		plan, err := kind.plan()
		if err != nil || plan.Mark != (upgrade.Mark{WrittenBy: "0.6.0", Oldest: "0.5.0"}) {
			t.Errorf("%s: the mark of the newer version is %+v, %v", name, plan.Mark, err)
		}
	}
}

func TestPlanOfNothingMakesNothing(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "m.sqlite")
	if plan, err := PlanSQLite(t.Context(), file); err != nil || !plan.New {
		t.Errorf("%+v, %v", plan, err)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("looking made a database")
	}
}
