package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
)

// translate says in the port's words what a driver reported: ErrNotFound, ErrExists, or
// fault.Unavailable for a database that cannot be reached or cannot work now. Anything else
// stays as it is and is a mistake of ours. The driver's own error is always the cause.
func translate(doing string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sql.ErrNoRows):
		return fmt.Errorf("%s: %w", doing, metastore.ErrNotFound)
	case errors.Is(err, context.Canceled), errors.Is(err, metastore.ErrNotFound), errors.Is(err, metastore.ErrExists), errors.Is(err, metastore.ErrInUse),
		errors.Is(err, metastore.ErrChanged):
		return fmt.Errorf("%s: %w", doing, err)
	}
	if _, ours := errors.AsType[*fault.Fault](err); ours {
		return err
	}
	switch judge(err) {
	case taken:
		return fmt.Errorf("%s: %w: %w", doing, metastore.ErrExists, err)
	case dangling:
		return fmt.Errorf("%s: %w: %w", doing, metastore.ErrNotFound, err)
	case mistaken:
		return fmt.Errorf("%s: %w", doing, err)
	default:
		return fault.Unavailablef("the metadata database does not answer").
			Because(fmt.Errorf("%s: %w", doing, err))
	}
}

// verdict is what the database said about a statement.
type verdict int

const (
	unheard  verdict = iota // it said nothing, or that it cannot work now
	taken                   // a unique value exists
	dangling                // a row that is referred to does not exist
	mistaken                // the statement is wrong
)

// judge reads the codes of both drivers. An error with no code of a database came from the
// way to it: a refused or broken connection, a deadline, a closed pool.
func judge(err error) verdict {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return judgePostgres(pg.Code)
	}
	var lite *sqlite.Error
	if errors.As(err, &lite) {
		return judgeSQLite(lite.Code())
	}
	return unheard
}

func judgePostgres(code string) verdict {
	switch code {
	case "23505": // unique violation
		return taken
	case "23503": // foreign key violation
		return dangling
	case "25006", // read only: a standby, or a primary that was demoted
		"55000": // the database accepts no connections
		return unheard
	}
	// Connection, authorization and catalog of the login, rollback, resources, intervention
	// of the operator, system: all of them may be over the next time.
	for _, class := range []string{"08", "28", "3D", "40", "53", "57", "58"} {
		if strings.HasPrefix(code, class) {
			return unheard
		}
	}
	return mistaken
}

func judgeSQLite(code int) verdict {
	switch code {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY:
		return taken
	case sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
		return dangling
	}
	switch code & 0xff { // the rest is detail
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_NOMEM,
		sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN,
		sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH:
		return unheard
	}
	return mistaken
}
