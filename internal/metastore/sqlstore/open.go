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
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
	_ "modernc.org/sqlite" // the driver named "sqlite"

	"github.com/sondehq/sonde/internal/selfobs"
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
	d, err := connectSQLite(path)
	if err != nil {
		return nil, err
	}
	return d.migrated(ctx)
}

// database is an open database and what is particular about its kind.
type database struct {
	*sql.DB
	dialect goose.Dialect
	options []goose.ProviderOption
	// snapshot reads in a transaction that sees the database as it is at one moment and keeps nobody from writing.
	snapshot func(ctx context.Context, read func(*sql.Tx) error) error
}

func connectSQLite(path string) (*database, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open SQLite: %w", err)
	}
	if err := createPrivate(absolute); err != nil {
		return nil, translate("open SQLite", err)
	}
	db, err := sql.Open("sqlite", sqliteDSN(absolute, "immediate"))
	if err != nil {
		return nil, fmt.Errorf("open SQLite: %w", err)
	}
	db.SetMaxOpenConns(1)
	return &database{
		DB: db, dialect: goose.DialectSQLite3,
		snapshot: func(ctx context.Context, read func(*sql.Tx) error) error {
			beside, err := sql.Open("sqlite", sqliteDSN(absolute, "deferred")) // the one connection is the server's
			if err != nil {
				return err
			}
			return errors.Join(within(ctx, beside, nil, read), beside.Close())
		},
	}, nil
}

// within reads in a transaction that changes nothing.
func within(ctx context.Context, db *sql.DB, options *sql.TxOptions, read func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, options)
	if err != nil {
		return err
	}
	return errors.Join(read(tx), tx.Rollback())
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

func sqliteDSN(absolute, begin string) string {
	options := url.Values{
		"_busy_timeout": {"5000"}, // another process, such as a backup, may hold the file
		"_journal_mode": {"WAL"},
		"_synchronous":  {"FULL"},
		"_foreign_keys": {"on"},
		"_txlock":       {begin},              // immediate: a transaction that starts by reading could fail to become a writer
		"_dqs":          {"0"},                // "x" is a name, never a text
		"_pragma":       {"secure_delete(1)"}, // what is deleted is overwritten
	}
	dsn := url.URL{Scheme: "file", Path: filepath.ToSlash(absolute), RawQuery: options.Encode()}
	return dsn.String()
}

// OpenPostgres connects to the database of a URL or key=value text and migrates it. Several
// nodes may do so at once; they take turns.
func OpenPostgres(ctx context.Context, address string) (*Store, error) {
	d, err := connectPostgres(address)
	if err != nil {
		return nil, err
	}
	return d.migrated(ctx)
}

func connectPostgres(address string) (*database, error) {
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return nil, fmt.Errorf("open PostgreSQL: %w", err)
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = postgresConnect
	}
	// Whatever the server's default: what another node has written meanwhile is seen, and no conflict.
	config.RuntimeParams["default_transaction_isolation"] = "read committed"
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 300)) // looks every second, 5 minutes long
	if err != nil {
		return nil, fmt.Errorf("open PostgreSQL: %w", err)
	}
	db := stdlib.OpenDB(*config)
	db.SetMaxOpenConns(postgresConnections)
	db.SetMaxIdleConns(postgresConnections)
	db.SetConnMaxIdleTime(postgresIdle)
	db.SetConnMaxLifetime(postgresLifetime)
	return &database{
		DB: db, dialect: goose.DialectPostgres, options: []goose.ProviderOption{goose.WithSessionLocker(locker)},
		snapshot: func(ctx context.Context, read func(*sql.Tx) error) error {
			return within(ctx, db, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}, read)
		},
	}, nil
}

// migrated brings the schema up to date and hands out the store, or closes the database.
func (d *database) migrated(ctx context.Context) (*Store, error) {
	plan, err := d.plan(ctx)
	if err == nil {
		// Before anything is changed: what a newer version left may not be for this one.
		err = plan.Mark.Admit("the metadata database", selfobs.Version)
	}
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	err = d.migrate(ctx, newest)
	if err == nil {
		err = d.leaveMark(ctx, plan.Mark, plan.Pending)
	}
	if err != nil {
		return nil, errors.Join(translate("migrate metadata database", err), d.Close())
	}
	return &Store{db: d.DB, sqlite: d.dialect == goose.DialectSQLite3, snapshot: d.snapshot}, nil
}

// newest is the version of the newest migration, whichever that is.
const newest = 0

// migrate goes forward to a version.
func (d *database) migrate(ctx context.Context, version int64) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	options := append(slices.Clone(d.options), goose.WithTableName(migrationTable), goose.WithDisableGlobalRegistry(true))
	provider, err := goose.NewProvider(d.dialect, d.DB, files, options...)
	if err != nil {
		return err
	}
	if version == newest {
		_, err = provider.Up(ctx)
	} else {
		_, err = provider.UpTo(ctx, version)
	}
	return err
}
