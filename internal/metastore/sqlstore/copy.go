package sqlstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A copy of the database is lines of JSON: the version of the schema, then per table a line with its name and
// columns and a line per row. It fits SQLite and PostgreSQL alike. docs/formats/backup.md describes it.

// copyHeader is the first line.
type copyHeader struct {
	Version int64 `json:"version"` // of the newest migration that was applied
}

// copyTable is the line before the rows of a table.
type copyTable struct {
	Table   string   `json:"table"`
	Columns []string `json:"columns"`
}

// copyBytes is a value that is not text.
type copyBytes struct {
	Bytes []byte `json:"bytes"`
}

// maxCopyLine bounds a row.
const maxCopyLine = 64 << 20

// CopyTo writes all of the database as it is at one moment; nobody waits for it.
func (s *Store) CopyTo(ctx context.Context, w io.Writer) error {
	return translate("copy metadata", s.snapshot(ctx, func(tx *sql.Tx) error { return copyAll(ctx, tx, w) }))
}

func copyAll(ctx context.Context, tx *sql.Tx, w io.Writer) error {
	var header copyHeader
	if err := tx.QueryRowContext(ctx, `SELECT max(version_id) FROM `+migrationTable).Scan(&header.Version); err != nil {
		return err
	}
	tables, err := tablesAt(header.Version)
	if err != nil {
		return err
	}
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	if err := out.Encode(header); err != nil {
		return err
	}
	for _, table := range tables {
		if err := copyRows(ctx, tx, table, out); err != nil {
			return fmt.Errorf("table %s: %w", table, err)
		}
	}
	return nil
}

func copyRows(ctx context.Context, tx *sql.Tx, table string, out *json.Encoder) error {
	rows, err := tx.QueryContext(ctx, `SELECT * FROM `+table)
	if err != nil {
		return err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	if err := out.Encode(copyTable{table, columns}); err != nil {
		return err
	}
	types, err := rows.ColumnTypes()
	if err != nil {
		return err
	}
	values, places := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		places[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(places...); err != nil {
			return err
		}
		for i, value := range values {
			values[i] = portable(value, types[i].DatabaseTypeName())
		}
		if err := out.Encode(values); err != nil {
			return err
		}
	}
	return rows.Err()
}

// portable is a value as both databases know it. SQLite has no truth, only numbers.
func portable(value any, kind string) any {
	switch v := value.(type) {
	case []byte:
		return copyBytes{v}
	case int64:
		if strings.EqualFold(kind, "boolean") {
			return v != 0
		}
	}
	return value
}

var tableStatement = regexp.MustCompile(`(?m)^(CREATE|DROP|ALTER) TABLE (?:IF (?:NOT )?EXISTS )?(\w+)(?: RENAME TO (\w+))?`)

// tablesAt lists the tables of a version of the schema in the order of their creation, so that none refers to
// one behind it. A database may have tables of other programs, so its own list does not tell.
func tablesAt(version int64) ([]string, error) {
	files, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	var tables []string
	known := false
	for _, file := range files {
		number, err := strconv.ParseInt(path.Base(file)[:5], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("read the version of %s: %w", file, err)
		}
		if number > version {
			break
		}
		known = known || number == version
		text, err := fs.ReadFile(migrations, file)
		if err != nil {
			return nil, err
		}
		for _, found := range tableStatement.FindAllStringSubmatch(string(text), -1) {
			verb, table, renamed := found[1], found[2], found[3]
			at := slices.Index(tables, table)
			switch {
			case verb == "CREATE" && at < 0:
				tables = append(tables, table)
			case verb == "DROP" && at >= 0:
				tables = slices.Delete(tables, at, at+1)
			case verb == "ALTER" && at >= 0 && renamed != "":
				tables[at] = renamed
			}
		}
	}
	if !known {
		return nil, fmt.Errorf("this program does not know version %d of the metadata: use the one that made the copy, or a newer one", version)
	}
	return tables, nil
}
