package chstore

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

var _ tracestore.Retainer = (*Store)(nil)

// noSuchPart is the answer for a part that was merged with another since it was looked at.
const noSuchPart = 232

// Expire goes through the tables of every node. A part of which every row is due is dropped, which costs nothing;
// partitions with others in them are rewritten without the rows that are due. Parts are named as they were looked
// at: what is stored meanwhile lies in others.
func (s *Store) Expire(ctx context.Context, due []tracestore.Expiry) (tracestore.Expired, error) {
	var total tracestore.Expired
	err := s.onNodes(ctx, func(ctx context.Context, node *pool) error {
		for some := range slices.Chunk(due, idsPerMutation) {
			for _, table := range expiring(some) {
				if err := s.expireTable(ctx, node, table, &total); err != nil {
					return fmt.Errorf("expire %s: %w", table.name, err)
				}
			}
		}
		return awaitMutations(ctx, node, s.config)
	})
	return total, err
}

// expiringTable is a table with what of it is due.
type expiringTable struct {
	name  string
	where func(p *params, local string) string
}

// expiring lists the tables in an order in which a row never loses its texts before it is due itself.
func expiring(due []tracestore.Expiry) (tables []expiringTable) {
	var rows, texts cutoffs
	for _, e := range due {
		rows.add(e.ProjectID, e.Before)
		texts.add(e.ProjectID, e.TextsBefore)
	}
	by := func(c cutoffs, column string) func(*params, string) string {
		return func(p *params, _ string) string { return c.before(p, column) }
	}
	if len(rows.ids) > 0 {
		tables = append(tables,
			expiringTable{"observations", by(rows, "start_time")},
			expiringTable{"scores", by(rows, "timestamp")},
			expiringTable{"traces", func(p *params, local string) string { return rows.traces(p, local) }})
	}
	if len(texts.ids) > 0 {
		tables = append(tables,
			expiringTable{"payloads", by(texts, "start_time")},
			expiringTable{"partials", func(p *params, _ string) string { return texts.accepted(p) }})
	}
	return tables
}

// cutoffs are projects, each with a time.
type cutoffs struct {
	ids   []string
	times []time.Time
}

func (c *cutoffs) add(id string, at time.Time) {
	if !at.IsZero() {
		c.ids, c.times = append(c.ids, id), append(c.times, at)
	}
}

func (c cutoffs) latest() time.Time { return slices.MaxFunc(c.times, time.Time.Compare) }

// before is true of rows whose time is before the cutoff of their project. The latest of all stands there, too:
// with it alone the engine leaves out what is younger.
func (c cutoffs) before(p *params, column string) string {
	return column + " < " + p.micros(c.latest().UnixMicro()) + " AND project_id IN " + p.texts(c.ids) +
		" AND " + column + " < " + c.own(p)
}

// own is the cutoff of a row's project.
func (c cutoffs) own(p *params) string {
	micros := make([]uint64, len(c.times))
	for i, at := range c.times {
		micros[i] = uint64(max(0, at.UnixMicro()))
	}
	return "fromUnixTimestamp64Micro(toInt64(transform(CAST(project_id, 'String'), " + p.texts(c.ids) + ", " + p.uints(micros) + ", toUInt64(0))), 'UTC')"
}

// traces is true of all that traces lend whose last observation started before: what lies in several parts of the
// table counts together.
func (c cutoffs) traces(p *params, local string) string {
	return c.before(p, "first_start") + " AND (project_id, trace_id) IN (SELECT project_id, trace_id FROM " + local +
		" WHERE (project_id, trace_id) IN (SELECT project_id, trace_id FROM " + local + " WHERE " + c.before(p, "first_start") + ")" +
		" GROUP BY project_id, trace_id HAVING max(last_start) < " + c.own(p) + ")"
}

// accepted is before by the time at which a row was taken.
func (c cutoffs) accepted(p *params) string {
	versions := make([]uint64, len(c.times))
	for i, at := range c.times {
		versions[i] = model.RowVersion(at, 0)
	}
	return "version < " + strconv.FormatUint(slices.Max(versions), 10) + " AND project_id IN " + p.texts(c.ids) +
		" AND version < transform(CAST(project_id, 'String'), " + p.texts(c.ids) + ", " + p.uints(versions) + ", toUInt64(0))"
}

// expireAttempts is how often parts are counted anew that were merged while they were looked at. What is merged
// every time goes the next time.
const expireAttempts = 5

func (s *Store) expireTable(ctx context.Context, node *pool, table expiringTable, total *tracestore.Expired) error {
	local := layout{s.config}.Local(table.name)
	var p params
	c := clearing{node: node, local: local, where: table.where(&p, local), parameters: p.list, rewritten: map[string]bool{}}
	for range expireAttempts {
		if again, err := c.pass(ctx, total); err != nil || !again {
			return err
		}
	}
	return nil
}

// clearing is a table while rows go from it.
type clearing struct {
	node         *pool
	local, where string
	parameters   []proto.Parameter
	rewritten    map[string]bool // partitions whose rows go in the background
}

// pass drops parts that are due as a whole and has the others rewritten. It is to be done again when a part was
// merged meanwhile: the rows are in another one now.
func (e *clearing) pass(ctx context.Context, total *tracestore.Expired) (again bool, err error) {
	parts, err := dueParts(ctx, e.node, e.local, e.where, e.parameters)
	if err != nil {
		return false, err
	}
	for _, part := range parts {
		if e.rewritten[part.partition] {
			continue
		}
		if part.due == part.rows {
			err = e.node.do(ctx, ch.Query{Body: "ALTER TABLE " + e.local + " DROP PART '" + part.name + "'"})
		}
		switch {
		case part.rows == 0 || ch.IsErr(err, noSuchPart):
			again = true
			continue
		case err != nil:
			return false, err
		case part.due == part.rows:
			total.Parts++
		}
		total.Rows += part.due
	}
	return again, e.rewrite(ctx, parts)
}

// rewrite lets the rows of parts go that keep others.
func (e *clearing) rewrite(ctx context.Context, parts []duePart) error {
	for _, part := range parts {
		if part.due >= part.rows || e.rewritten[part.partition] {
			continue
		}
		e.rewritten[part.partition] = true
		err := e.node.do(ctx, ch.Query{
			Body:       "ALTER TABLE " + e.local + " DELETE IN PARTITION ID '" + part.partition + "' WHERE " + e.where,
			Parameters: e.parameters,
			Settings:   []ch.Setting{setting("mutations_sync", 0), setting("allow_nondeterministic_mutations", 1)},
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// duePart is a part with rows that are due.
type duePart struct {
	partition, name string
	due             uint64
	rows            uint64 // 0: it was merged meanwhile
}

// dueParts counts by part. Only parts with rows that are due are counted whole.
func dueParts(ctx context.Context, node *pool, table, where string, parameters []proto.Parameter) ([]duePart, error) {
	var partition, name proto.ColStr
	var due, rows proto.ColUInt64
	var parts []duePart
	err := node.do(ctx, ch.Query{
		Body: "SELECT d.partition AS partition, d.name AS name, d.due AS due, toUInt64(p.rows) AS rows FROM" +
			" (SELECT CAST(_partition_id, 'String') AS partition, CAST(_part, 'String') AS name, count() AS due FROM " + table + " WHERE " + where + " GROUP BY partition, name) AS d" +
			" LEFT JOIN (SELECT name, rows FROM system.parts WHERE database = currentDatabase() AND table = '" + table + "' AND active) AS p ON d.name = p.name ORDER BY partition, name",
		Parameters: parameters,
		Result: proto.Results{
			{Name: "partition", Data: &partition}, {Name: "name", Data: &name}, {Name: "due", Data: &due}, {Name: "rows", Data: &rows},
		},
		OnResult: func(context.Context, proto.Block) error {
			for i := range name.Rows() {
				parts = append(parts, duePart{partition.Row(i), name.Row(i), due.Row(i), rows.Row(i)})
			}
			return nil
		},
	})
	return parts, err
}
