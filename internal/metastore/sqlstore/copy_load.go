package sqlstore

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// LoadSQLite makes the file at path from a copy. There must be none, or an empty one.
func LoadSQLite(ctx context.Context, path string, r io.Reader) error {
	d, err := connectSQLite(path)
	if err != nil {
		return err
	}
	return errors.Join(d.load(ctx, r), d.Close())
}

// LoadPostgres fills the database of an address from a copy. It must not have metadata.
func LoadPostgres(ctx context.Context, address string, r io.Reader) error {
	d, err := connectPostgres(address)
	if err != nil {
		return err
	}
	return errors.Join(d.load(ctx, r), d.Close())
}

// load makes the tables as they were when the copy was made and fills them, all or nothing. The next open
// brings them up to date.
func (d *database) load(ctx context.Context, r io.Reader) error {
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 0, 64<<10), maxCopyLine)
	var header copyHeader
	if err := line(in, &header); err != nil {
		return fmt.Errorf("read the head of the metadata: %w", err)
	}
	tables, err := tablesAt(header.Version)
	if err != nil {
		return err
	}
	if err := d.migrate(ctx, header.Version); err != nil {
		return translate("make the tables of the metadata", err)
	}
	tx, err := d.BeginTx(ctx, nil)
	if err != nil {
		return translate("load metadata", err)
	}
	defer tx.Rollback() // does nothing after a commit
	if err := clearTables(ctx, tx, tables); err != nil {
		return err
	}
	if err := loadTables(ctx, tx, tables, in); err != nil {
		return err
	}
	return translate("load metadata", tx.Commit())
}

// clearTables removes what migrations put there, and refuses to remove what people did.
func clearTables(ctx context.Context, tx *sql.Tx, tables []string) error {
	var organizations int
	if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM organizations`).Scan(&organizations); err != nil {
		return translate("load metadata", err)
	}
	if organizations > 0 {
		return errors.New("the metadata database is in use: restore into an empty one")
	}
	for _, table := range slices.Backward(tables) {
		if _, err := tx.ExecContext(ctx, `DELETE FROM `+table); err != nil {
			return translate("clear table "+table, err)
		}
	}
	return nil
}

// loadTables reads lines to the end: an object begins a table, a list is a row of it.
func loadTables(ctx context.Context, tx *sql.Tx, tables []string, in *bufio.Scanner) error {
	var (
		current copyTable
		insert  *sql.Stmt
		loaded  int
	)
	for {
		var text json.RawMessage
		switch err := line(in, &text); {
		case errors.Is(err, io.EOF) && loaded == len(tables):
			return nil
		case errors.Is(err, io.EOF):
			return fmt.Errorf("read metadata: %d of %d tables: %w", loaded, len(tables), io.ErrUnexpectedEOF)
		case err != nil:
			return fmt.Errorf("read metadata: %w", err)
		}
		if text[0] == '{' {
			current = copyTable{}
			if err := json.Unmarshal(text, &current); err != nil || !slices.Contains(tables, current.Table) || !areNames(current.Columns) {
				return fmt.Errorf("read metadata: %.100s does not begin a table: %w", text, err)
			}
			var err error
			if insert, err = tx.PrepareContext(ctx, insertInto(current)); err != nil {
				return translate("load table "+current.Table, err)
			}
			defer insert.Close() // a table each, and the transaction ends soon
			loaded++
			continue
		}
		if insert == nil {
			return errors.New("read metadata: a row without a table")
		}
		values, err := readRow(text, len(current.Columns))
		if err != nil {
			return fmt.Errorf("read a row of table %s: %w", current.Table, err)
		}
		if _, err := insert.ExecContext(ctx, values...); err != nil {
			return translate("load table "+current.Table, err)
		}
	}
}

var name = regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)

func areNames(columns []string) bool {
	return len(columns) > 0 && !slices.ContainsFunc(columns, func(c string) bool { return !name.MatchString(c) })
}

func insertInto(t copyTable) string {
	places := make([]string, len(t.Columns))
	for i := range places {
		places[i] = "$" + strconv.Itoa(i+1)
	}
	return `INSERT INTO ` + t.Table + ` ("` + strings.Join(t.Columns, `", "`) + `") VALUES (` + strings.Join(places, ", ") + `)`
}

func readRow(text json.RawMessage, columns int) ([]any, error) {
	var cells []json.RawMessage
	if err := json.Unmarshal(text, &cells); err != nil {
		return nil, err
	}
	if len(cells) != columns {
		return nil, fmt.Errorf("%d values for %d columns", len(cells), columns)
	}
	values := make([]any, len(cells))
	for i, cell := range cells {
		var err error
		if values[i], err = readValue(cell); err != nil {
			return nil, err
		}
	}
	return values, nil
}

func readValue(cell json.RawMessage) (any, error) {
	switch cell[0] {
	case '{':
		var raw copyBytes
		err := json.Unmarshal(cell, &raw)
		if raw.Bytes == nil {
			raw.Bytes = []byte{}
		}
		return raw.Bytes, err
	case '"', 'n', 't', 'f':
		var value any
		err := json.Unmarshal(cell, &value)
		return value, err
	}
	if whole, err := strconv.ParseInt(string(cell), 10, 64); err == nil {
		return whole, nil
	}
	return strconv.ParseFloat(string(cell), 64)
}

// line reads the next one, io.EOF when there is none.
func line(in *bufio.Scanner, into any) error {
	if !in.Scan() {
		if err := in.Err(); err != nil {
			return err
		}
		return io.EOF
	}
	return json.Unmarshal(in.Bytes(), into)
}
