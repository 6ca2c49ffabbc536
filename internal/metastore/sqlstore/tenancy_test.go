package sqlstore

import (
	"database/sql"
	"io/fs"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pressly/goose/v3"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/testkit"
)

// upTo brings a database to an older version of the schema.
func upTo(t *testing.T, db *sql.DB, dialect goose.Dialect, version int64) {
	t.Helper()
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		t.Fatal(err)
	}
	provider, err := goose.NewProvider(dialect, db, files, goose.WithTableName(migrationTable), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.UpTo(t.Context(), version); err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		`INSERT INTO organizations (id, name, created_at) VALUES ('o', 'Acme', 1)`,
		`INSERT INTO projects (id, organization_id, name, created_at) VALUES ('p', 'o', 'Demo', 2)`,
		`INSERT INTO projects (id, organization_id, name, created_at) VALUES ('q', 'o', 'Other', 2)`,
	} {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	for id, revoked := range map[string]any{"valid": nil, "revoked": int64(4)} {
		_, err := db.ExecContext(t.Context(), `
			INSERT INTO api_keys (id, project_id, public_key, secret_hash, salt, display, created_at, revoked_at)
			VALUES ($1, 'p', $2, $3, $4, 'sk...', 3, $5)`, id, "pk-"+id, []byte{0, 1, 0xff}, []byte{9}, revoked)
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestKeysOfAnOlderVersionStayValid migrates a database that was in use.
func TestKeysOfAnOlderVersionStayValid(t *testing.T) {
	t.Parallel()
	const before = 5
	for name, open := range map[string]func(t *testing.T) *Store{
		"SQLite": func(t *testing.T) *Store {
			path := filepath.Join(t.TempDir(), "meta.db")
			db, err := sql.Open("sqlite", sqliteDSN(path, "immediate"))
			if err != nil {
				t.Fatal(err)
			}
			upTo(t, db, goose.DialectSQLite3, before)
			return closed(t, openSQLite(t, path))
		},
		"PostgreSQL": func(t *testing.T) *Store {
			address := testkit.Postgres(t)
			db, err := sql.Open("pgx", address)
			if err != nil {
				t.Fatal(err)
			}
			upTo(t, db, goose.DialectPostgres, before)
			store, err := OpenPostgres(t.Context(), address)
			if err != nil {
				t.Fatal(err)
			}
			return closed(t, store)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := open(t)
			for id, revoked := range map[string]time.Time{"valid": {}, "revoked": time.UnixMicro(4).UTC()} {
				want := model.Key{
					ID: id, PublicKey: "pk-" + id, SecretHash: []byte{0, 1, 0xff}, Salt: []byte{9}, Display: "sk...", Scope: model.ScopeAll,
					CreatedAt: time.UnixMicro(3).UTC(), RevokedAt: revoked,
					Project: model.Project{ID: "p", Name: "Demo", Organization: model.Organization{ID: "o", Name: "Acme"}},
				}
				key, err := store.KeyByPublic(t.Context(), "pk-"+id)
				if diff := cmp.Diff(want, key); diff != "" || err != nil {
					t.Errorf("key %s: %v (-want +got):\n%s", id, err, diff)
				}
			}
			project, err := store.Project(t.Context(), "p")
			if err != nil || project.Name != "Demo" || project.UpdatedAt.UnixMicro() != 2 || project.Retention != (model.Retention{}) || project.Metadata != "" {
				t.Errorf("project %+v, %v", project, err)
			}
		})
	}
}

// TestEveryTableOfProjectsIsForgotten finds tables that a deleted project would leave rows in.
func TestEveryTableOfProjectsIsForgotten(t *testing.T) {
	t.Parallel()
	store := closed(t, openSQLite(t, filepath.Join(t.TempDir(), "meta.db")))
	rows, err := store.db.QueryContext(t.Context(), `
		SELECT t.name FROM sqlite_master t JOIN pragma_table_info(t.name) c
		WHERE t.type = 'table' AND c.name = 'project_id' ORDER BY t.name`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	found := 0
	for rows.Next() {
		var table string
		if err := rows.Scan(&table); err != nil {
			t.Fatal(err)
		}
		found++
		if !slices.Contains(projectTables, table) {
			t.Errorf("%s has rows of projects; add it to projectTables, before the tables that it refers to", table)
		}
	}
	if err := rows.Err(); err != nil || found != len(projectTables) {
		t.Errorf("%d tables found, %d listed, %v", found, len(projectTables), err)
	}
}
