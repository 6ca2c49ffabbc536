package chstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"github.com/sondehq/sonde/internal/tracestore"
)

// A copy of the store is a list of archives that the engine writes and reads itself: per table one with its
// structure, then one per table partition, so that only a partition's worth of disk is needed beside the data.
const (
	structure  = "structure"
	stagedName = "sonde-backup.tar"
	// archiveWithin is how long the engine may be silent while it writes or reads one.
	archiveWithin = time.Hour
)

// archiveName is what names of archives look like: a table and a partition.
var archiveName = regexp.MustCompile(`^[a-z0-9_]+/[a-z0-9_-]+\.tar$`)

// CopyTo has the engine write the store into stage, one archive at a time, and hands each to take before it
// removes it. It works on a store of one node whose engine keeps its backups in stage. An archive that the caller has in
// its present state is not written again: take gets its name alone.
//
// Promise: every row that was stored before the call is in the copy, in whole. Rows come before what belongs
// to them (texts, facts of traces), and tombstones last; so whatever is stored meanwhile, a row in the copy
// has what it needs.
func (s *Store) CopyTo(ctx context.Context, stage string, has func(name, state string) bool, take func(tracestore.Archive) error) error {
	patient := s.patient()
	defer patient.close()
	tables, err := tablesOf(ctx, patient)
	if err != nil {
		return err
	}
	for _, table := range tables {
		partitions, err := partitionsOf(ctx, patient, table)
		if err != nil {
			return err
		}
		for _, partition := range append([]string{structure}, partitions...) {
			c := &copying{node: patient, table: table, partition: partition, stage: stage}
			if err := c.copy(ctx, has, take); err != nil {
				return fmt.Errorf("copy partition %s of table %s: %w", partition, table, err)
			}
		}
	}
	return nil
}

// copying makes one archive.
type copying struct {
	node                    *pool
	table, partition, stage string
}

func (c *copying) copy(ctx context.Context, has func(name, state string) bool, take func(tracestore.Archive) error) error {
	archive := tracestore.Archive{Name: c.table + "/" + c.partition + ".tar"}
	if !archiveName.MatchString(archive.Name) {
		return fmt.Errorf("%q is not a name of an archive", archive.Name)
	}
	before, err := c.state(ctx)
	if err != nil {
		return err
	}
	if has(archive.Name, before) {
		archive.State = before
		return take(archive)
	}
	archive.File = filepath.Join(c.stage, stagedName)
	if err := os.Remove(archive.File); err != nil && !errors.Is(err, fs.ErrNotExist) { // left by a crash
		return err
	}
	statement := "BACKUP TABLE " + c.table + " PARTITION ID '" + c.partition + "' TO File('" + stagedName + "')"
	if c.partition == structure {
		statement = "BACKUP TABLE " + c.table + " TO File('" + stagedName + "') SETTINGS structure_only = 1"
	}
	if err := c.node.do(ctx, withStatus(statement)); err != nil {
		return err
	}
	after, err := c.state(ctx)
	if err == nil && after == before { // else the archive may hold more than either
		archive.State = before
	}
	return errors.Join(err, take(archive), os.Remove(archive.File))
}

// state is a checksum of the table's definition, of the parts of the partition with all of their files, and of what is still
// to be done to them. A definition counts because the engine brings an archive back only into a table like its own.
func (c *copying) state(ctx context.Context) (string, error) {
	var p params
	var sum proto.ColStr
	here := "database = currentDatabase() AND table = " + p.text(c.table)
	partition := p.text(c.partition)
	body := "SELECT lower(hex(SHA256(assumeNotNull(concat(" +
		"(SELECT any(create_table_query) FROM system.tables WHERE database = currentDatabase() AND name = " + p.text(c.table) + "), '\n'," +
		"(SELECT arrayStringConcat(arraySort(groupArray(mutation_id)), ' ') FROM system.mutations WHERE NOT is_done AND " + here + "), '\n'," +
		"(SELECT arrayStringConcat(arraySort(groupArray(concat(name, ' ', hash_of_all_files))), '\n') FROM system.parts WHERE active AND " + here +
		" AND (partition_id = " + partition + " OR startsWith(partition_id, 'patch-') AND endsWith(partition_id, concat('-', " + partition + "))))" +
		"))))) AS sum"
	err := c.node.do(ctx, ch.Query{Body: body, Parameters: p.list, Result: proto.Results{{Name: "sum", Data: &sum}}})
	if err != nil {
		return "", fmt.Errorf("sum up parts: %w", err)
	}
	if sum.Rows() != 1 {
		return "", nil
	}
	return sum.Row(0), nil
}

// RestoreFrom brings one archive back. fetch writes it to a file in stage, where the engine keeps its backups.
// Archives come in the order in which CopyTo made them, into a store that was never migrated; Migrate comes last.
func (s *Store) RestoreFrom(ctx context.Context, stage, name string, fetch func(file string) error) (err error) {
	if !archiveName.MatchString(name) {
		return fmt.Errorf("restore: %q is not a name of an archive", name)
	}
	file := filepath.Join(stage, stagedName)
	if err := fetch(file); err != nil {
		return fmt.Errorf("restore %s: %w", name, err)
	}
	defer func() { err = errors.Join(err, os.Remove(file)) }()
	patient := s.patient()
	defer patient.close()
	if err := createDatabase(ctx, patient.options); err != nil {
		return fmt.Errorf("restore %s: %w", name, err)
	}
	table, _, _ := strings.Cut(name, "/")
	if err := patient.do(ctx, withStatus("RESTORE TABLE "+table+" FROM File('"+stagedName+"') SETTINGS allow_non_empty_tables = 1")); err != nil {
		return fmt.Errorf("restore %s: %w", name, err)
	}
	return nil
}

// patient waits for statements that say nothing for long.
func (s *Store) patient() *pool {
	options := s.inserts.options
	options.ReadTimeout = archiveWithin
	return newPool(options, 1)
}

// withStatus takes the row that BACKUP and RESTORE answer with: an id and a status.
func withStatus(statement string) ch.Query {
	var results proto.Results
	return ch.Query{Body: statement, Result: results.Auto()}
}

// tablesOf lists what holds rows, referring tables first.
func tablesOf(ctx context.Context, node *pool) ([]string, error) {
	tables, err := tablesWhere(ctx, node, "SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree'")
	if err != nil {
		return nil, err
	}
	rank := func(table string) int {
		switch table {
		case "observations", "scores":
			return 0
		case "tombstones":
			return 2
		}
		return 1
	}
	slices.SortFunc(tables, func(a, b string) int { return cmp.Or(rank(a)-rank(b), strings.Compare(a, b)) })
	return tables, nil
}

// partitionsOf lists the partitions of a table that hold rows.
func partitionsOf(ctx context.Context, node *pool, table string) ([]string, error) {
	var p params
	var id proto.ColStr
	var partitions []string
	err := node.do(ctx, ch.Query{
		Body: "SELECT DISTINCT partition_id AS id FROM system.parts WHERE database = currentDatabase() AND active AND table = " + p.text(table) +
			" AND NOT startsWith(partition_id, 'patch-') ORDER BY id",
		Parameters: p.list,
		Result:     proto.Results{{Name: "id", Data: &id}},
		OnResult: func(context.Context, proto.Block) error {
			for i := range id.Rows() {
				partitions = append(partitions, id.Row(i))
			}
			return nil
		},
	})
	if err != nil {
		return nil, fmt.Errorf("list partitions of %s: %w", table, err)
	}
	return partitions, nil
}
