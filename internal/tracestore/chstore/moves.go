package chstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"
)

// moved is a table whose rows go along when a project moves to another store. Reasons of rejections stay: they are kept
// under positions in the log of the cell that the project leaves.
type moved struct {
	table   string
	key     string // what makes a row one row, beside the project
	columns func() []namedColumn
}

func movedTables() []moved {
	return []moved{
		{"tombstones", "kind, id", func() []namedColumn { return tombstoneBlock("", nil, false).columns }},
		{"payloads", "trace_id, start_time, span_id", func() []namedColumn { return newPayloads().insertColumns() }},
		{"traces", "trace_id", func() []namedColumn { return newTraces().insertColumns() }},
		{"partials", "trace_id, entity_id, event_time, event_id, kind", func() []namedColumn { return newPartials().columns() }},
		{"observations", "start_time, trace_id, span_id", func() []namedColumn { return newSpine(parts{details: true, metadata: true}).insertColumns() }},
		{"scores", "timestamp, id, trace_id", func() []namedColumn { return newScoreBlock(true).columns }},
		{"decisions", "rule_id, start_time, trace_id, span_id, evaluator_id, rule_version", func() []namedColumn { return newDecisionBlock().columns() }},
	}
}

// Identity names the tables of the store on all of its nodes, so that nobody takes two addresses for two stores.
func (s *Store) Identity(ctx context.Context) (ids []string, err error) {
	err = s.onNodes(ctx, func(ctx context.Context, node *pool) error {
		var p params
		var id proto.ColStr
		err := node.do(ctx, ch.Query{
			Body:       "SELECT toString(uuid) AS id FROM system.tables WHERE database = currentDatabase() AND name = " + p.text(layout{s.config}.Local("observations")),
			Parameters: p.list,
			Result:     proto.Results{{Name: "id", Data: &id}},
		})
		for i := range id.Rows() {
			ids = append(ids, id.Row(i))
		}
		return err
	})
	if err == nil && len(ids) < len(s.config.Nodes) {
		err = errors.New("the tables are not there yet; start a server on it first")
	}
	slices.Sort(ids)
	return ids, err
}

// RowsOf counts the rows that the store has of a project, all versions.
func (s *Store) RowsOf(ctx context.Context, projectID string) (rows uint64, err error) {
	for _, t := range movedTables() {
		var p params
		var n proto.ColUInt64
		err := s.inserts.do(ctx, ch.Query{
			Body:       "SELECT count() AS n FROM " + t.table + " WHERE project_id = " + p.text(projectID),
			Parameters: p.list,
			Result:     proto.Results{{Name: "n", Data: &n}},
		})
		if err != nil {
			return 0, fmt.Errorf("count rows of %s: %w", t.table, err)
		}
		for i := range n.Rows() {
			rows += n.Row(i)
		}
	}
	return rows, nil
}

// partSlack is how much older than its commit a part may say it is.
const partSlack = time.Minute

// newParts is the condition that a row is in a part that was made since a time. Merges make new parts of old rows, so it
// holds for more rows than came since, and for all that did.
func newParts(p *params, table string, since time.Time) string {
	if since.IsZero() {
		return "true"
	}
	return "_part IN (SELECT name FROM system.parts WHERE database = currentDatabase() AND active AND table = " + p.text(table) +
		fmt.Sprintf(" AND modification_time >= fromUnixTimestamp(%d))", since.Add(-partSlack).Unix())
}

// partitionsWith lists the partitions of a table on a node that have rows of a project in parts since a time.
func partitionsWith(ctx context.Context, node *pool, table, projectID string, since time.Time) (list []string, err error) {
	var p params
	var id proto.ColStr
	err = node.do(ctx, ch.Query{
		Body: "SELECT DISTINCT CAST(_partition_id, 'String') AS id FROM " + table + " WHERE project_id = " + p.text(projectID) +
			" AND " + newParts(&p, table, since) + " ORDER BY id",
		Parameters: p.list,
		Result:     proto.Results{{Name: "id", Data: &id}},
		OnResult: func(context.Context, proto.Block) error {
			for i := range id.Rows() {
				list = append(list, id.Row(i))
			}
			return nil
		},
	})
	if err != nil {
		return nil, fmt.Errorf("list partitions of %s: %w", table, err)
	}
	return list, nil
}

// MissingFrom looks for rows of a project that this store has and another lacks, by their keys, and says where it found the
// first ones; empty: there are none. It looks at partitions that changed since a time, which must stand still meanwhile, or
// at those that did not.
func (s *Store) MissingFrom(ctx context.Context, other *Store, projectID string, since time.Time, changed bool) (where string, err error) {
	err = s.onNodes(ctx, func(ctx context.Context, node *pool) error {
		for _, t := range movedTables() {
			found, err := s.missingOf(ctx, node, other, t, projectID, since, changed)
			if err != nil {
				return err
			}
			where = cmp.Or(where, found)
		}
		return nil
	})
	return where, err
}

func (s *Store) missingOf(ctx context.Context, node *pool, other *Store, t moved, projectID string, since time.Time, changed bool) (where string, err error) {
	local, from := layout{s.config}.Local(t.table), since
	if !changed {
		from = time.Time{}
	}
	partitions, err := partitionsWith(ctx, node, local, projectID, from)
	if err != nil {
		return "", err
	}
	lacks := map[string]string{}
	for _, partition := range partitions {
		here, err := hashedKeys(ctx, node, local, t.key, projectID, partition)
		if err != nil {
			return "", err
		}
		there, err := hashedKeys(ctx, other.inserts, t.table, t.key, projectID, partition)
		if err != nil {
			return "", err
		}
		if n := lacking(here, there); n > 0 {
			lacks[partition] = fmt.Sprintf("%d of %d rows of partition %s of %s", n, len(here), partition, t.table)
		}
	}
	if !changed { // asked last: what came while keys were read has made its partition one of these
		news, err := partitionsWith(ctx, node, local, projectID, since)
		if err != nil {
			return "", err
		}
		for _, partition := range news {
			delete(lacks, partition)
		}
	}
	for _, text := range lacks {
		return text, nil
	}
	return "", nil
}

// hashedKeys are hashes of the keys in a partition, sorted.
func hashedKeys(ctx context.Context, on *pool, table, key, projectID, partition string) (keys []uint64, err error) {
	var p params
	var hash proto.ColUInt64
	err = on.do(ctx, ch.Query{
		Body: "SELECT DISTINCT cityHash64(" + key + ") AS hash FROM " + table + " WHERE project_id = " + p.text(projectID) +
			" AND _partition_id = " + p.text(partition),
		Parameters: p.list,
		Result:     proto.Results{{Name: "hash", Data: &hash}},
		OnResult: func(context.Context, proto.Block) error {
			keys = append(keys, hash...)
			return nil
		},
	})
	if err != nil {
		return nil, fmt.Errorf("read keys of %s: %w", table, err)
	}
	slices.Sort(keys)
	return keys, nil
}

// lacking counts what is in one sorted list and not in another.
func lacking(here, there []uint64) (n int) {
	for _, key := range here {
		if _, found := slices.BinarySearch(there, key); !found {
			n++
		}
	}
	return n
}

// ForgetProject takes every row of a project off the disks of the store, its tombstones included. It is for a store that
// the project has left: nothing remembers that it was there. Doing it again is doing it once.
func (s *Store) ForgetProject(ctx context.Context, projectID string) error {
	e := &erasure{store: s, project: projectID}
	own := func(p *params) string { return "project_id = " + p.text(projectID) }
	return s.onNodes(ctx, func(ctx context.Context, node *pool) error {
		tables := []string{"rejections"}
		for _, t := range movedTables() {
			tables = append(tables, t.table)
		}
		for _, table := range tables {
			if err := e.mutate(ctx, node, doomed{table: table, where: own}); err != nil {
				return err
			}
		}
		if err := awaitMutations(ctx, node, s.config); err != nil {
			return err
		}
		return awaitOldParts(ctx, node)
	})
}

// castColumns lists columns to be read as what they are written as: the library cannot read aggregates.
func castColumns(columns []namedColumn) string {
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = c.name
		if _, ok := c.data.(typed); ok {
			list[i] = "CAST(" + c.name + ", '" + strings.ReplaceAll(c.data.Type().String(), "'", `\'`) + "') AS " + c.name
		}
	}
	return strings.Join(list, ", ")
}
