package sqlstore

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/metastore/metastoretest"
	"github.com/sondehq/sonde/internal/testkit"
)

// tables reads what the database itself says there is.
func tables(t *testing.T, store *Store) []string {
	t.Helper()
	rows, err := store.db.QueryContext(t.Context(), `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		if name != migrationTable {
			names = append(names, name)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return names
}

// columnsOf reads the columns of a table and their types.
func columnsOf(t *testing.T, store *Store, table string) (names, kinds []string) {
	t.Helper()
	rows, err := store.db.QueryContext(t.Context(), `SELECT name, lower(type) FROM pragma_table_info('`+table+`')`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var name, kind string
		if err := rows.Scan(&name, &kind); err != nil {
			t.Fatal(err)
		}
		names, kinds = append(names, name), append(kinds, kind)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return names, kinds
}

// fillEvery puts a row into every table, whichever there are: the same text in every column of text, so that
// each row finds the ones it refers to.
func fillEvery(t *testing.T, store *Store, names []string) {
	t.Helper()
	byType := map[string]any{
		"text": "a \"ä\"\n<&> \u2028 日本", "bigint": int64(1<<62 + 1), "integer": int64(7), "bytea": []byte{0, 255, '\n', 'x'},
		"boolean": true, "double precision": -0.1,
	}
	filled := 0
	for _, table := range names {
		columns, kinds := columnsOf(t, store, table)
		var values []any
		for i, kind := range kinds {
			value, ok := byType[kind]
			if !ok {
				t.Errorf("column %s.%s has type %s: show here that it comes back", table, columns[i], kind)
			}
			values = append(values, value)
		}
		if _, err := store.db.ExecContext(t.Context(), insertInto(copyTable{table, columns}), values...); err != nil {
			t.Logf("table %s takes no such row: %v", table, err)
			continue
		}
		filled++
	}
	if filled < 8 {
		t.Errorf("only %d tables have rows", filled)
	}
}

// copied is a copy with the rows of each table in order.
func copied(t *testing.T, store *Store) string {
	t.Helper()
	var text bytes.Buffer
	if err := store.CopyTo(t.Context(), &text); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// byTable sorts the rows of each table: a database gives them in any order.
func byTable(text string) []string {
	var sorted, rows []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "{") {
			slices.Sort(rows)
			sorted, rows = append(append(sorted, rows...), line), nil
			continue
		}
		rows = append(rows, line)
	}
	slices.Sort(rows)
	return append(sorted, rows...)
}

func TestCopyKnowsEveryTable(t *testing.T) {
	t.Parallel()
	store := closed(t, openSQLite(t, filepath.Join(t.TempDir(), "meta.db")))
	got, err := tablesAt(versionOf(t, store))
	if err != nil {
		t.Fatal(err)
	}
	want := tables(t, store)
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func versionOf(t *testing.T, store *Store) (version int64) {
	t.Helper()
	if err := store.db.QueryRowContext(t.Context(), `SELECT max(version_id) FROM `+migrationTable).Scan(&version); err != nil {
		t.Fatal(err)
	}
	return version
}

// From SQLite to PostgreSQL and back again nothing changes.
func TestCopyComesBack(t *testing.T) {
	t.Parallel()
	store := closed(t, openSQLite(t, filepath.Join(t.TempDir(), "meta.db")))
	if _, err := store.Plant(t.Context(), metastoretest.Seed("planted")); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Secret(t.Context(), "seal"); err != nil {
		t.Fatal(err)
	}
	names, err := tablesAt(versionOf(t, store))
	if err != nil {
		t.Fatal(err)
	}
	fillEvery(t, store, names)
	first := copied(t, store)

	address := testkit.Postgres(t)
	if err := LoadPostgres(t.Context(), address, strings.NewReader(first)); err != nil {
		t.Fatal(err)
	}
	second := openPostgres(t, address)
	if diff := cmp.Diff(byTable(first), byTable(copied(t, second))); diff != "" {
		t.Errorf("in PostgreSQL: %s", diff)
	}
	path := filepath.Join(t.TempDir(), "again.db")
	if err := LoadSQLite(t.Context(), path, strings.NewReader(copied(t, second))); err != nil {
		t.Fatal(err)
	}
	third := closed(t, openSQLite(t, path))
	if diff := cmp.Diff(byTable(first), byTable(copied(t, third))); diff != "" {
		t.Errorf("in SQLite again: %s", diff)
	}
	if _, err := third.KeyByPublic(t.Context(), "pk-lf-planted"); err != nil {
		t.Error(err)
	}
	for name, load := range map[string]func() error{
		"SQLite":     func() error { return LoadSQLite(t.Context(), path, strings.NewReader(first)) },
		"PostgreSQL": func() error { return LoadPostgres(t.Context(), address, strings.NewReader(first)) },
	} {
		if err := load(); err == nil || !strings.Contains(err.Error(), "in use") {
			t.Errorf("loading %s again: %v", name, err)
		}
	}
}

// The server goes on writing while a copy is made, and the copy does not see it.
func TestCopyIsOfOneMomentAndHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	store := closed(t, openSQLite(t, filepath.Join(t.TempDir(), "meta.db")))
	seed := metastoretest.Seed("seed")
	if _, err := store.Plant(t.Context(), seed); err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	writer := writerFunc(func(p []byte) (int, error) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if _, err := store.Secret(ctx, fmt.Sprint("made meanwhile ", text.Len())); err != nil {
			return 0, err
		}
		return text.Write(p)
	})
	if err := store.CopyTo(t.Context(), writer); err != nil {
		t.Fatal(err)
	}
	// The first line is written after the snapshot began with the read of the version.
	if strings.Contains(text.String(), "made meanwhile") {
		t.Error("the copy has what was written while it was made")
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestDamagedCopyIsRefused(t *testing.T) {
	t.Parallel()
	store := closed(t, openSQLite(t, filepath.Join(t.TempDir(), "meta.db")))
	if _, err := store.Plant(t.Context(), metastoretest.Seed("seed")); err != nil {
		t.Fatal(err)
	}
	whole := copied(t, store)
	lines := slices.Collect(strings.Lines(whole))
	for name, text := range map[string]string{
		"empty":           "",
		"newer":           strings.Replace(whole, `"version":`, `"version":99`, 1),
		"cut at a line":   strings.Join(lines[:len(lines)/2], ""),
		"cut in a line":   whole[:len(whole)/2],
		"foreign table":   lines[0] + `{"table":"sqlite_master","columns":["name"]}` + "\n",
		"hostile column":  lines[0] + `{"table":"secrets","columns":["name\") VALUES (1); --"]}` + "\n",
		"row first":       lines[0] + `["x"]` + "\n",
		"too few columns": lines[0] + `{"table":"secrets","columns":["name","secret"]}` + "\n" + `["x"]` + "\n",
	} {
		path := filepath.Join(t.TempDir(), "meta.db")
		if err := LoadSQLite(t.Context(), path, strings.NewReader(text)); err == nil {
			t.Errorf("%s: loaded", name)
		}
		again := openSQLite(t, path) // what failed left nothing behind
		if planted, err := again.Plant(t.Context(), metastoretest.Seed("new")); !planted || err != nil {
			t.Errorf("%s: Plant = %v, %v", name, planted, err)
		}
		if err := again.Close(); err != nil {
			t.Error(err)
		}
	}
}
