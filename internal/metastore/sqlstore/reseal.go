package sqlstore

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/sondehq/sonde/internal/metastore"
)

// sealedFields are all columns with sealed bytes: those that name a row, and the name of the field in its place. Whoever adds
// such a column adds it here; a test looks at the tables.
var sealedFields = []struct {
	table, column string
	id            [2]string // empty: fewer are enough
	field         string    // empty: the row has no other
}{
	{"llm_connections", "sealed_key", [2]string{"project_id", "id"}, "key"},
	{"llm_connections", "sealed_headers", [2]string{"project_id", "id"}, "headers"},
	{"exports", "sealed_secret", [2]string{"project_id"}, "secret"},
	{"alert_targets", "sealed", [2]string{"project_id", "id"}, "address"},
	{keyChecksTable, "sealed", [2]string{"name"}, ""},
}

const keyChecksTable = "key_checks"

// Reseal implements metastore.KeyChecks.
func (s *Store) Reseal(ctx context.Context, again metastore.Again) (changed int, err error) {
	err = s.inTransaction(ctx, "seal everything again", func(tx *sql.Tx) error {
		for _, f := range sealedFields {
			second := "''"
			if f.id[1] != "" {
				second = f.id[1]
			}
			rows, err := sealedRows(ctx, tx, fmt.Sprintf(`SELECT %s, %s, %s FROM %s WHERE length(%s) > 0`, f.id[0], second, f.column, f.table, f.column))
			if err != nil {
				return err
			}
			for _, r := range rows {
				place := []string{f.table, r.first}
				if f.id[1] != "" {
					place = append(place, r.second)
				}
				if f.field != "" {
					place = append(place, f.field)
				}
				fresh, err := again(place, r.sealed)
				if err != nil {
					return err
				}
				change := fmt.Sprintf(`UPDATE %s SET %s = $1 WHERE %s = $2 AND %s = $3`, f.table, f.column, f.id[0], second)
				if _, err := tx.ExecContext(ctx, change, fresh, r.first, r.second); err != nil {
					return err
				}
				changed++
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return changed, nil
}

type sealedRow struct {
	first, second string
	sealed        []byte
}

// sealedRows reads all of them: they are few, and a transaction has one connection.
func sealedRows(ctx context.Context, tx *sql.Tx, query string) (list []sealedRow, err error) {
	rows, err := tx.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var r sealedRow
		if err := rows.Scan(&r.first, &r.second, &r.sealed); err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list, rows.Err()
}
