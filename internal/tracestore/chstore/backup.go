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
// removes it. It works on a store of one node whose engine keeps its backups in stage.
//
// Promise: every row that was stored before the call is in the copy, in whole. Rows come before what belongs
// to them (texts, facts of traces), and tombstones last; so whatever is stored meanwhile, a row in the copy
// has what it needs.
func (s *Store) CopyTo(ctx context.Context, stage string, take func(tracestore.Archive) error) error {
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
			statement := "BACKUP TABLE " + table + " PARTITION ID '" + partition + "' TO File('" + stagedName + "')"
			if partition == structure {
				statement = "BACKUP TABLE " + table + " TO File('" + stagedName + "') SETTINGS structure_only = 1"
			}
			archive := tracestore.Archive{Name: table + "/" + partition + ".tar", File: filepath.Join(stage, stagedName)}
			if err := copyArchive(ctx, patient, statement, archive, take); err != nil {
				return fmt.Errorf("copy partition %s of table %s: %w", partition, table, err)
			}
		}
	}
	return nil
}

func copyArchive(ctx context.Context, node *pool, statement string, archive tracestore.Archive, take func(tracestore.Archive) error) error {
	if !archiveName.MatchString(archive.Name) {
		return fmt.Errorf("%q is not a name of an archive", archive.Name)
	}
	if err := os.Remove(archive.File); err != nil && !errors.Is(err, fs.ErrNotExist) { // left by a crash
		return err
	}
	if err := node.do(ctx, withStatus(statement)); err != nil {
		return err
	}
	return errors.Join(take(archive), os.Remove(archive.File))
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
