package sqlstore

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
	_ "modernc.org/sqlite" // the driver named "sqlite"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrationTable is not goose's default, so that a database may be shared with another
// program that uses goose.
const migrationTable = "sonde_migrations"

// Limits of the PostgreSQL pool. Keys are cached in front of it, so few connections carry
// much traffic; a connection is replaced now and then to follow a failover behind one name.
const (
	postgresConnections = 10
	postgresConnect     = 5 * time.Second
	postgresIdle        = 5 * time.Minute
	postgresLifetime    = 30 * time.Minute
)

// OpenSQLite opens or creates the database file at path and migrates it. The directory must
// exist. A write is on disk when it returns.
//
// The pool holds one connection: SQLite has one writer anyway, and waiting for a turn in the
// pool ends with the context, which waiting for a lock of the file does not.
func OpenSQLite(ctx context.Context, path string) (*Store, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open SQLite: %w", err)
	}
	if err := createPrivate(absolute); err != nil {
		return nil, translate("open SQLite", err)
	}
	db, err := sql.Open("sqlite", sqliteDSN(absolute))
	if err != nil {
		return nil, fmt.Errorf("open SQLite: %w", err)
	}
	db.SetMaxOpenConns(1)
	return migrated(ctx, db, goose.DialectSQLite3)
}

// createPrivate makes the file before SQLite would with wider rights; SQLite gives its
// side files the rights of the main file.
func createPrivate(path string) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	return file.Close()
}

func sqliteDSN(absolute string) string {
	options := url.Values{
		"_busy_timeout": {"5000"}, // another process, such as a backup, may hold the file
		"_journal_mode": {"WAL"},
		"_synchronous":  {"FULL"},
		"_foreign_keys": {"on"},
		"_txlock":       {"immediate"}, // a transaction that starts by reading could fail to become a writer
		"_dqs":          {"0"},         // "x" is a name, never a text
	}
	dsn := url.URL{Scheme: "file", Path: filepath.ToSlash(absolute), RawQuery: options.Encode()}
	return dsn.String()
}

// OpenPostgres connects to the database of a URL or key=value text and migrates it. Several
// nodes may do so at once; they take turns.
func OpenPostgres(ctx context.Context, address string) (*Store, error) {
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return nil, fmt.Errorf("open PostgreSQL: %w", err)
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = postgresConnect
	}
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 300)) // looks every second, 5 minutes long
	if err != nil {
		return nil, fmt.Errorf("open PostgreSQL: %w", err)
	}
	db := stdlib.OpenDB(*config)
	db.SetMaxOpenConns(postgresConnections)
	db.SetMaxIdleConns(postgresConnections)
	db.SetConnMaxIdleTime(postgresIdle)
	db.SetConnMaxLifetime(postgresLifetime)
	return migrated(ctx, db, goose.DialectPostgres, goose.WithSessionLocker(locker))
}

// migrated brings the schema up to date and hands out the store, or closes the database.
func migrated(ctx context.Context, db *sql.DB, dialect goose.Dialect, options ...goose.ProviderOption) (*Store, error) {
	if err := migrate(ctx, db, dialect, options); err != nil {
		return nil, errors.Join(translate("migrate metadata database", err), db.Close())
	}
	return &Store{db: db}, nil
}

func migrate(ctx context.Context, db *sql.DB, dialect goose.Dialect, options []goose.ProviderOption) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	options = append(options, goose.WithTableName(migrationTable), goose.WithDisableGlobalRegistry(true))
	provider, err := goose.NewProvider(dialect, db, files, options...)
	if err != nil {
		return err
	}
	_, err = provider.Up(ctx)
	return err
}
