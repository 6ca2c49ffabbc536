package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"

	"github.com/pressly/goose/v3"

	"github.com/sondehq/sonde/internal/selfobs"
	"github.com/sondehq/sonde/internal/upgrade"
)

// markedPart is the row of the table compatibility that is about the metadata itself.
const markedPart = "metadata"

// Plan is what opening a metadata database would do to it.
type Plan struct {
	New     bool           // there is none yet
	Mark    upgrade.Mark   // what it says of who wrote it
	Pending []upgrade.Step // in the order in which they would be applied
}

// PlanSQLite looks at the database file at path, and changes nothing.
func PlanSQLite(ctx context.Context, path string) (Plan, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		pending, err := pendingSteps(nil)
		return Plan{New: true, Pending: pending}, err
	}
	d, err := connectSQLite(path)
	if err != nil {
		return Plan{}, err
	}
	plan, err := d.plan(ctx)
	return plan, errors.Join(err, d.Close())
}

// PlanPostgres looks at the database of an address, and changes nothing.
func PlanPostgres(ctx context.Context, address string) (Plan, error) {
	d, err := connectPostgres(address)
	if err != nil {
		return Plan{}, err
	}
	plan, err := d.plan(ctx)
	return plan, errors.Join(err, d.Close())
}

func (d *database) plan(ctx context.Context) (p Plan, err error) {
	applied := map[int64]bool{}
	known, err := d.hasTable(ctx, migrationTable)
	if err != nil {
		return p, translate("look at the metadata", err)
	}
	p.New = !known
	if known {
		if applied, err = d.applied(ctx); err != nil {
			return p, translate("look at the metadata", err)
		}
	}
	if p.Mark, err = d.mark(ctx); err != nil {
		return p, translate("look at the metadata", err)
	}
	if p.Pending, err = pendingSteps(applied); err != nil {
		return p, err
	}
	for i := range p.Pending {
		for _, table := range p.Pending[i].Tables {
			rows, err := d.rowsOf(ctx, table)
			if err != nil {
				return p, translate("look at the metadata", err)
			}
			p.Pending[i].Rows += rows
		}
	}
	return p, nil
}

// rowsOf counts a table that one of the pending migrations may only make.
func (d *database) rowsOf(ctx context.Context, table string) (rows uint64, err error) {
	if there, err := d.hasTable(ctx, table); err != nil || !there {
		return 0, err
	}
	err = d.QueryRowContext(ctx, `SELECT count(*) FROM `+table).Scan(&rows)
	return rows, err
}

func (d *database) applied(ctx context.Context) (map[int64]bool, error) {
	rows, err := d.QueryContext(ctx, `SELECT version_id FROM `+migrationTable)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	applied := map[int64]bool{}
	for rows.Next() {
		var version int64
		if err := rows.Scan(&version); err != nil {
			return nil, err
		}
		applied[version] = true
	}
	return applied, rows.Err()
}

// pendingSteps are the migrations that were not applied, in their order.
func pendingSteps(applied map[int64]bool) (pending []upgrade.Step, err error) {
	files, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		name := strings.TrimSuffix(path.Base(file), ".sql")
		version, err := strconv.ParseInt(name[:5], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("read the version of %s: %w", file, err)
		}
		text, err := fs.ReadFile(migrations, file)
		if err != nil {
			return nil, err
		}
		if !applied[version] {
			pending = append(pending, upgrade.Describe(name, string(text)))
		}
	}
	return pending, nil
}

func (d *database) hasTable(ctx context.Context, table string) (bool, error) {
	query := `SELECT count(*) FROM information_schema.tables WHERE table_schema = current_schema() AND table_name = $1`
	if d.dialect == goose.DialectSQLite3 {
		query = `SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = $1`
	}
	var n int
	err := d.QueryRowContext(ctx, query, table).Scan(&n)
	return n > 0, err
}

// mark reads what the database says of who wrote it; releases up to 0.3.0 said nothing.
func (d *database) mark(ctx context.Context) (m upgrade.Mark, err error) {
	if there, err := d.hasTable(ctx, "compatibility"); err != nil || !there {
		return m, err
	}
	err = d.QueryRowContext(ctx, `SELECT written_by, oldest FROM compatibility WHERE part = $1`, markedPart).Scan(&m.WrittenBy, &m.Oldest)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return m, err
}

// leaveMark tells later programs that this one wrote the database. Nodes of two versions may take turns: the newer one stays.
func (d *database) leaveMark(ctx context.Context, m upgrade.Mark, applied []upgrade.Step) error {
	fresh := upgrade.Mark{WrittenBy: upgrade.Newest(m.WrittenBy, selfobs.Version), Oldest: m.Oldest}
	for _, step := range applied {
		fresh.Oldest = upgrade.Newest(fresh.Oldest, step.Oldest)
	}
	if fresh == m {
		return nil
	}
	_, err := d.ExecContext(ctx, `INSERT INTO compatibility (part, written_by, oldest) VALUES ($1, $2, $3)
		ON CONFLICT (part) DO UPDATE SET written_by = excluded.written_by, oldest = excluded.oldest`, markedPart, fresh.WrittenBy, fresh.Oldest)
	return err
}
