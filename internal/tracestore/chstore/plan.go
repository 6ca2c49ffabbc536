package chstore

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"github.com/sondehq/sonde/internal/upgrade"
)

// Plan is what Migrate would do to a node.
type Plan struct {
	Node    string
	New     bool           // it holds nothing of ours yet
	Mark    upgrade.Mark   // what it says of who wrote it
	Pending []upgrade.Step // in the order in which they would be applied
}

// Plan looks at every node and changes nothing.
func (s *Store) Plan(ctx context.Context) (plans []Plan, err error) {
	err = s.onNodes(ctx, func(ctx context.Context, node *pool) error {
		plan, err := s.planOf(ctx, node)
		plans = append(plans, plan)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("plan migrations of the trace store: %w", err)
	}
	return plans, nil
}

func (s *Store) planOf(ctx context.Context, node *pool) (Plan, error) {
	p := Plan{Node: node.options.Address}
	database := node.options.Database
	node.options.Database = "system" // the one of the address may not be there
	columns, err := columnsOf(ctx, node, database, "sonde_migrations")
	if err != nil {
		return p, err
	}
	applied := map[string]string{}
	p.New = len(columns) == 0
	if !p.New {
		if applied, p.Mark, err = s.appliedIn(ctx, node, database, slices.Contains(columns, "oldest")); err != nil {
			return p, err
		}
	}
	steps, err := loadMigrations()
	if err != nil {
		return p, err
	}
	for _, step := range steps {
		if _, done := applied[step.name]; done {
			continue
		}
		statements, err := step.render(s.config)
		if err != nil {
			return p, err
		}
		described := upgrade.Describe(step.name, strings.Join(statements, ";\n"))
		described.Kind, described.Oldest = kindOf(step)
		if described.Rows, err = rowsOf(ctx, node, database, described.Tables); err != nil {
			return p, err
		}
		p.Pending = append(p.Pending, described)
	}
	return p, nil
}

// kindOf reads the kind from the text as it was written: rendering may have dropped comments.
func kindOf(step migration) (upgrade.Kind, string) {
	d := upgrade.Describe(step.name, step.text)
	return d.Kind, d.Oldest
}

// appliedIn reads the list of a database; one that a release up to 0.3.0 made has no marks.
func (s *Store) appliedIn(ctx context.Context, node *pool, database string, marked bool) (map[string]string, upgrade.Mark, error) {
	options := node.options
	options.Database = database
	inside := newPool(options, 1)
	defer inside.close()
	if marked {
		return appliedMigrations(ctx, inside)
	}
	var name proto.ColStr
	applied := map[string]string{}
	err := inside.do(ctx, ch.Query{
		Body:   "SELECT name FROM sonde_migrations FINAL",
		Result: proto.Results{{Name: "name", Data: &name}},
		OnResult: func(context.Context, proto.Block) error {
			for i := range name.Rows() {
				applied[name.Row(i)] = ""
			}
			return nil
		},
	})
	return applied, upgrade.Mark{}, err
}

func columnsOf(ctx context.Context, node *pool, database, table string) (columns []string, err error) {
	var p params
	var name proto.ColStr
	err = node.do(ctx, ch.Query{
		Body:       "SELECT name FROM system.columns WHERE database = " + p.text(database) + " AND table = " + p.text(table),
		Parameters: p.list,
		Result:     proto.Results{{Name: "name", Data: &name}},
		OnResult: func(context.Context, proto.Block) error {
			for i := range name.Rows() {
				columns = append(columns, name.Row(i))
			}
			return nil
		},
	})
	return columns, err
}

// rowsOf sums up the rows of tables.
func rowsOf(ctx context.Context, node *pool, database string, tables []string) (uint64, error) {
	if len(tables) == 0 {
		return 0, nil
	}
	var p params
	var rows proto.ColUInt64
	err := node.do(ctx, ch.Query{
		Body: "SELECT toUInt64(sum(ifNull(total_rows, 0))) AS rows FROM system.tables WHERE database = " + p.text(database) +
			" AND name IN " + p.texts(tables),
		Parameters: p.list,
		Result:     proto.Results{{Name: "rows", Data: &rows}},
	})
	if err != nil || rows.Rows() == 0 {
		return 0, err
	}
	return rows.Row(0), nil
}

// Version is the engine's own, of the first node.
func (s *Store) Version(ctx context.Context) (string, error) {
	options := s.inserts.options
	options.Database = "system"
	node := newPool(options, 1)
	defer node.close()
	var version proto.ColStr
	err := one(ctx, node, "SELECT version() AS version", proto.Results{{Name: "version", Data: &version}})
	if err != nil {
		return "", fmt.Errorf("ask the engine for its version: %w", err)
	}
	return version.Row(0), nil
}
