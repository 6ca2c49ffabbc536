package chstore

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"text/template"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"github.com/sondehq/sonde/internal/selfobs"
	"github.com/sondehq/sonde/internal/upgrade"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// migration is one step of the schema. Steps only go forward, their statements may run twice,
// and a step that has been released never changes: its checksum is kept beside it in every
// database and in migrations/checksums.txt.
type migration struct {
	name     string
	text     string
	checksum string
}

func loadMigrations() ([]migration, error) {
	files, err := fs.Glob(migrationFiles, "migrations/*.sql") // sorted by name
	if err != nil {
		return nil, fmt.Errorf("list migrations: %w", err)
	}
	list := make([]migration, 0, len(files))
	for _, file := range files {
		text, err := migrationFiles.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("read migration: %w", err)
		}
		sum := sha256.Sum256(text)
		list = append(list, migration{strings.TrimSuffix(path.Base(file), ".sql"), string(text), hex.EncodeToString(sum[:])})
	}
	return list, nil
}

// Migrate brings every node to the newest schema. Several processes may do so at once.
func (s *Store) Migrate(ctx context.Context) error {
	steps, err := loadMigrations()
	if err != nil {
		return err
	}
	for _, address := range s.config.Nodes {
		options, err := parseAddress(address)
		if err != nil {
			return err
		}
		if err := createDatabase(ctx, options); err != nil {
			return fmt.Errorf("migrate %s: %w", options.Address, err)
		}
		node := newPool(options, 1)
		err = migrateNode(ctx, node, steps, s.config)
		if err == nil {
			err = setTextIndex(ctx, node, s.config)
		}
		if err == nil {
			err = releaseMerges(ctx, node)
		}
		if err == nil {
			err = s.createViews(ctx, options, node)
		}
		node.close()
		if err != nil {
			return fmt.Errorf("migrate %s: %w", options.Address, err)
		}
	}
	return nil
}

// accessDenied is the answer to a user who may not create databases; somebody else did then.
const accessDenied = 497

// createDatabase makes the database of the address, from outside of it.
func createDatabase(ctx context.Context, options ch.Options) error {
	statement := "CREATE DATABASE IF NOT EXISTS `" + strings.ReplaceAll(options.Database, "`", "") + "`"
	options.Database = "system"
	node := newPool(options, 1)
	defer node.close()
	err := node.do(ctx, ch.Query{Body: statement})
	if err != nil && !ch.IsErr(err, accessDenied) {
		return fmt.Errorf("create the database: %w", err)
	}
	return nil
}

// createMigrations and extendMigrations make the list. Its later columns are added on their own: an older program, which
// names only the first ones, goes on with the table.
const createMigrations = `CREATE TABLE IF NOT EXISTS sonde_migrations (name String, checksum String, applied_at DateTime DEFAULT now())
ENGINE = ReplacingMergeTree ORDER BY name SETTINGS fsync_after_insert = 1, fsync_part_directory = 1`

const extendMigrations = `ALTER TABLE sonde_migrations ADD COLUMN IF NOT EXISTS written_by String DEFAULT '', ADD COLUMN IF NOT EXISTS oldest String DEFAULT ''`

func migrateNode(ctx context.Context, node *pool, steps []migration, config Config) error {
	for _, statement := range []string{createMigrations, extendMigrations} {
		if err := node.do(ctx, ch.Query{Body: statement}); err != nil {
			return fmt.Errorf("create the list of migrations: %w", err)
		}
	}
	applied, mark, err := appliedMigrations(ctx, node)
	if err != nil {
		return err
	}
	// Before anything is changed: what a newer version left may not be for this one.
	if err := mark.Admit("the trace store", selfobs.Version); err != nil {
		return err
	}
	for _, step := range steps {
		sum, done := applied[step.name]
		if done && sum != step.checksum {
			return fmt.Errorf("migration %s was changed after it was applied (%s in the database, %s in the program)", step.name, sum, step.checksum)
		}
		if done {
			continue
		}
		statements, err := step.render(config)
		if err != nil {
			return err
		}
		for _, statement := range statements {
			if err := node.do(ctx, ch.Query{Body: statement}); err != nil {
				return fmt.Errorf("migration %s: %w", step.name, err)
			}
		}
		if err := recordMigration(ctx, node, step); err != nil {
			return err
		}
	}
	return nil
}

// appliedMigrations are the checksums of what was applied, and what that says of who did.
func appliedMigrations(ctx context.Context, node *pool) (applied map[string]string, mark upgrade.Mark, err error) {
	var name, checksum, writer, oldest proto.ColStr
	applied = map[string]string{}
	err = node.do(ctx, ch.Query{
		Body: "SELECT name, checksum, written_by, oldest FROM sonde_migrations FINAL",
		Result: proto.Results{
			{Name: "name", Data: &name}, {Name: "checksum", Data: &checksum}, {Name: "written_by", Data: &writer}, {Name: "oldest", Data: &oldest},
		},
		OnResult: func(context.Context, proto.Block) error {
			for i := range name.Rows() {
				applied[name.Row(i)] = checksum.Row(i)
				mark.WrittenBy = upgrade.Newest(mark.WrittenBy, writer.Row(i))
				mark.Oldest = upgrade.Newest(mark.Oldest, oldest.Row(i))
			}
			return nil
		},
	})
	if err != nil {
		return nil, mark, fmt.Errorf("read the list of migrations: %w", err)
	}
	return applied, mark, nil
}

func recordMigration(ctx context.Context, node *pool, step migration) error {
	var name, checksum, writer, oldest proto.ColStr
	name.Append(step.name)
	checksum.Append(step.checksum)
	writer.Append(selfobs.Version)
	oldest.Append(upgrade.Describe(step.name, step.text).Oldest)
	err := node.do(ctx, ch.Query{
		Body: "INSERT INTO sonde_migrations (name, checksum, written_by, oldest) VALUES",
		Input: proto.Input{
			{Name: "name", Data: &name}, {Name: "checksum", Data: &checksum}, {Name: "written_by", Data: &writer}, {Name: "oldest", Data: &oldest},
		},
	})
	if err != nil {
		return fmt.Errorf("record migration %s: %w", step.name, err)
	}
	return nil
}

// tableSettings hold on every table: durable inserts, erased rows gone from disk soon, room for patch parts. The window in which repeated
// inserts are dropped is of older releases; ours are all unlike.
const tableSettings = "default_compression_codec = 'ZSTD(1)', non_replicated_deduplication_window = 1000, " +
	"fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 10, " +
	"enable_block_number_column = 1, enable_block_offset_column = 1"

// layout is what a migration's template sees: one set of templates for one node and for many.
type layout struct {
	config Config
}

// Local names the table that holds rows on a node.
func (l layout) Local(table string) string {
	if l.config.Cluster == "" {
		return table
	}
	return table + "_local"
}

// Engine renders a MergeTree engine, replicated or not.
func (l layout) Engine(table, engine, version string) string {
	if !l.config.Replicated {
		return engine + "(" + version + ")"
	}
	args := []string{"'/clickhouse/tables/{shard}/{database}/" + table + "'", "'{replica}'"}
	if version != "" {
		args = append(args, version)
	}
	return "Replicated" + engine + "(" + strings.Join(args, ", ") + ")"
}

// Settings are the settings of every table.
func (l layout) Settings() string {
	if l.config.Replicated {
		return strings.Replace(tableSettings, "non_replicated_deduplication_window", "replicated_deduplication_window", 1)
	}
	return tableSettings
}

// shardedTable is a Distributed table over the local ones, and what says where a row goes.
type shardedTable struct{ Name, Local, Cluster, By string }

// Sharded is the table that spans shards; none on one node.
func (l layout) Sharded(table, by string) []shardedTable {
	if l.config.Cluster == "" {
		return nil
	}
	return []shardedTable{{table, l.Local(table), l.config.Cluster, by}}
}

// Distributed lists the sharded tables of the first migration.
func (l layout) Distributed() (tables []shardedTable) {
	for _, name := range []string{"observations", "payloads", "traces"} {
		tables = append(tables, l.Sharded(name, "xxHash64(trace_id)")...)
	}
	return tables
}

// Everywhere names each table that must know a new column of the table.
func (l layout) Everywhere(table string) []string {
	if l.config.Cluster == "" {
		return []string{table}
	}
	return []string{l.Local(table), table}
}

func (m migration) render(config Config) ([]string, error) {
	tmpl, err := template.New(m.name).Parse(m.text)
	if err != nil {
		return nil, fmt.Errorf("parse migration %s: %w", m.name, err)
	}
	var text bytes.Buffer
	if err := tmpl.Execute(&text, layout{config}); err != nil {
		return nil, fmt.Errorf("render migration %s: %w", m.name, err)
	}
	var statements []string
	for part := range strings.SplitSeq(text.String(), ";\n") {
		if statement := strings.TrimSpace(part); statement != "" {
			statements = append(statements, statement)
		}
	}
	return statements, nil
}
