// Package sqlstore keeps metadata in SQLite or PostgreSQL.
//
// Both databases are asked with the same SQL text; they differ only in how they are opened
// and in how their errors are read.
package sqlstore

import (
	"context"
	"database/sql"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
)

// Store is a metastore.Store on a relational database. It is safe for concurrent use.
type Store struct {
	db       *sql.DB
	cell     string // whose store this is
	sqlite   bool
	snapshot func(ctx context.Context, read func(*sql.Tx) error) error
}

var _ metastore.Store = (*Store)(nil)

// Close waits for running statements and ends all connections.
func (s *Store) Close() error { return s.db.Close() }

// Ping implements metastore.Store. It reads a table because a database that answers
// without its tables is of no use.
func (s *Store) Ping(ctx context.Context) error {
	var rows int
	err := s.db.QueryRowContext(ctx, `SELECT count(*) FROM planting`).Scan(&rows)
	return translate("ping metadata database", err)
}

// Clock is Ping, and tells the time of a database that has a clock of its own; zero: it has ours.
func (s *Store) Clock(ctx context.Context) (at time.Time, err error) {
	if s.sqlite {
		return at, s.Ping(ctx)
	}
	var rows int
	err = s.db.QueryRowContext(ctx, `SELECT clock_timestamp(), count(*) FROM planting`).Scan(&at, &rows)
	return at, translate("read the clock of the metadata database", err)
}

// Plant implements metastore.Store.
func (s *Store) Plant(ctx context.Context, seed metastore.Seed) (bool, error) {
	seed, err := seed.Linked()
	if err != nil {
		return false, err
	}
	planted := false
	err = s.inTransaction(ctx, "plant", func(tx *sql.Tx) (err error) {
		seed.Project.Cell = s.cell
		planted, err = plant(ctx, tx, seed)
		return err
	})
	return planted && err == nil, err
}

// inTransaction runs work and commits what it did, or nothing. Work locks the row that it decides by,
// with an UPDATE that changes nothing if need be: a transaction that waited for it sees what the one
// before has written. What work refuses in the port's own words stays as it is.
func (s *Store) inTransaction(ctx context.Context, doing string, work func(tx *sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return translate("begin: "+doing, err)
	}
	defer tx.Rollback() // does nothing after a commit
	if err := work(tx); err != nil {
		return translate(doing, err)
	}
	return translate("commit: "+doing, tx.Commit())
}

func plant(ctx context.Context, tx *sql.Tx, seed metastore.Seed) (bool, error) {
	if _, err := tx.ExecContext(ctx, `UPDATE planting SET attempts = attempts + 1`); err != nil {
		return false, err
	}
	var exists bool
	err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM organizations)`).Scan(&exists)
	if err != nil || exists {
		return false, err
	}
	if err := insertOrganization(ctx, tx, seed.Organization); err != nil {
		return false, err
	}
	if err := insertProject(ctx, tx, seed.Project); err != nil {
		return false, err
	}
	return true, insertKey(ctx, tx, seed.Key)
}

// execer is a database or a transaction.
type execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// affected is ErrNotFound when a statement that should have changed a row changed none.
func affected(doing string, done sql.Result, err error) error {
	return translate(doing, oneRow(done, err))
}

// oneRow is ErrNotFound when a statement changed nothing.
func oneRow(done sql.Result, err error) error {
	if err != nil {
		return err
	}
	rows, err := done.RowsAffected()
	if err == nil && rows == 0 {
		return metastore.ErrNotFound
	}
	return err
}

// micros is a time that may be missing.
func micros(t time.Time) sql.NullInt64 {
	return sql.NullInt64{Int64: t.UnixMicro(), Valid: !t.IsZero()}
}

// moment is the time that micros was made of.
func moment(at sql.NullInt64) time.Time {
	if !at.Valid {
		return time.Time{}
	}
	return time.UnixMicro(at.Int64).UTC()
}
