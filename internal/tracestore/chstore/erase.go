package chstore

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

const (
	// idsPerMutation bounds the text of a mutation, which the engine keeps in a file and reads at every start.
	idsPerMutation = 2000
	// lentAtOnce are the traces whose visible rows are read at once.
	lentAtOnce = 500
)

// Unerased reads the newest tombstone of each thing: an older one hides no more than that.
func (s *Store) Unerased(ctx context.Context, projectID string, limit int) ([]tracestore.Tombstone, error) {
	var p params
	var id proto.ColStr
	var version proto.ColUInt64
	kind := lowCardinality()
	var list []tracestore.Tombstone
	err := s.reads.do(ctx, ch.Query{
		Body: "SELECT kind, id, max((version, erased)) AS newest, newest.1 AS hidden FROM tombstones WHERE project_id = " + p.text(projectID) +
			" GROUP BY kind, id HAVING NOT newest.2 ORDER BY hidden, kind, id LIMIT " + strconv.Itoa(limit),
		Parameters: p.list,
		Result: proto.Results{
			{Name: "kind", Data: kind},
			{Name: "id", Data: &id},
			{Name: "newest", Data: proto.ColTuple{new(proto.ColUInt64), new(proto.ColBool)}},
			{Name: "hidden", Data: &version},
		},
		OnResult: func(context.Context, proto.Block) error {
			for i := range id.Rows() {
				list = append(list, tracestore.Tombstone{
					ProjectID: projectID, Kind: tracestore.TombstoneKind(kind.Row(i)), ID: id.Row(i), Version: version.Row(i),
				})
			}
			return nil
		},
	})
	if err != nil {
		return nil, readError("list tombstones", err)
	}
	return list, nil
}

// UnerasedProjects looks at every tombstone there is: a few bytes each.
func (s *Store) UnerasedProjects(ctx context.Context, limit int) ([]string, error) {
	project := lowCardinality()
	var list []string
	err := s.reads.do(ctx, ch.Query{
		Body: "SELECT project_id FROM (SELECT project_id, max((version, erased)) AS newest FROM tombstones GROUP BY project_id, kind, id)" +
			" WHERE NOT newest.2 GROUP BY project_id ORDER BY project_id LIMIT " + strconv.Itoa(limit),
		Result: proto.Results{{Name: "project_id", Data: project}},
		OnResult: func(context.Context, proto.Block) error {
			for i := range project.Rows() {
				list = append(list, project.Row(i))
			}
			return nil
		},
	})
	if err != nil {
		return nil, readError("list projects with tombstones", err)
	}
	return list, nil
}

// MarkErased inserts the tombstones again.
func (s *Store) MarkErased(ctx context.Context, tombstones []tracestore.Tombstone) error {
	return s.putTombstones(ctx, tombstones, true)
}

// Erase rewrites the parts that hold hidden rows, waits until the replaced ones are gone, and lets visible rows
// lend to their traces again.
func (s *Store) Erase(ctx context.Context, projectID string, tombstones []tracestore.Tombstone) error {
	e := &erasure{store: s, project: projectID}
	for _, t := range tombstones {
		e.add(t)
	}
	if err := e.findScores(ctx); err != nil {
		return err
	}
	err := s.onNodes(ctx, func(ctx context.Context, node *pool) error { return e.onNode(ctx, node) })
	if err != nil {
		return err
	}
	for some := range slices.Chunk(e.traces.ids, lentAtOnce) {
		if err := s.lendAgain(ctx, projectID, some); err != nil {
			return err
		}
	}
	return nil
}

// Hidden counts by the conditions that Erase erases by.
func (s *Store) Hidden(ctx context.Context, projectID string, tombstones []tracestore.Tombstone) (map[string]uint64, error) {
	e := &erasure{store: s, project: projectID}
	for _, t := range tombstones {
		e.add(t)
	}
	if err := e.findScores(ctx); err != nil {
		return nil, err
	}
	rows := map[string]uint64{}
	err := s.onNodes(ctx, func(ctx context.Context, node *pool) error {
		for _, d := range append(e.doomed(), e.doomedScores()...) {
			var p params
			var count proto.ColUInt64
			table := layout{s.config}.Local(d.table)
			err := node.do(ctx, ch.Query{
				Body: "SELECT count() AS n FROM " + table + " WHERE " + d.where(&p), Parameters: p.list, Result: proto.Results{{Name: "n", Data: &count}},
			})
			if err != nil {
				return fmt.Errorf("count hidden rows of %s: %w", table, err)
			}
			if count.Rows() == 1 && count.Row(0) > 0 {
				rows[d.table] += count.Row(0)
			}
		}
		return nil
	})
	return rows, err
}

// onNodes runs something on every node, with a connection of its own.
func (s *Store) onNodes(ctx context.Context, do func(ctx context.Context, node *pool) error) error {
	for _, address := range s.config.Nodes {
		options, err := parseAddress(address)
		if err != nil {
			return err
		}
		node := newPool(options, 1)
		err = do(ctx, node)
		node.close()
		if err != nil {
			return fmt.Errorf("on %s: %w", options.Address, err)
		}
	}
	return nil
}

// grave lists ids, each with the version below which it is hidden.
type grave struct {
	ids      []string
	versions []uint64
}

func (g *grave) add(id string, version uint64) {
	g.ids, g.versions = append(g.ids, id), append(g.versions, version)
}

// chunks are parts of a list that a mutation can hold.
func (g *grave) chunks() (list []grave) {
	for i := 0; i < len(g.ids); i += idsPerMutation {
		end := min(i+idsPerMutation, len(g.ids))
		list = append(list, grave{g.ids[i:end], g.versions[i:end]})
	}
	return list
}

// erasure is what one call erases.
type erasure struct {
	store   *Store
	project string
	traces  grave
	scores  grave  // by tombstones of their own
	events  grave  // scores whose partial events go, because they or their traces do
	whole   uint64 // everything below it; 0: not the project
}

func (e *erasure) add(t tracestore.Tombstone) {
	switch t.Kind {
	case tracestore.TraceTombstone:
		e.traces.add(t.ID, t.Version)
	case tracestore.ScoreTombstone:
		e.scores.add(t.ID, t.Version)
		e.events.add(t.ID, t.Version)
	case tracestore.ProjectTombstone:
		e.whole = max(e.whole, t.Version)
	}
}

// findScores finds the scores of the traces: their partial events lie under the score alone.
func (e *erasure) findScores(ctx context.Context) error {
	for _, chunk := range e.traces.chunks() {
		var p params
		var id proto.ColStr
		var hidden proto.ColUInt64
		err := e.store.reads.do(ctx, ch.Query{
			Body: "SELECT id, max(transform(trace_id, " + p.texts(chunk.ids) + ", " + p.uints(chunk.versions) + ", toUInt64(0))) AS hidden FROM scores" +
				" WHERE project_id = " + p.text(e.project) + " AND trace_id IN " + p.texts(chunk.ids) + " GROUP BY id",
			Parameters: p.list,
			Result:     proto.Results{{Name: "id", Data: &id}, {Name: "hidden", Data: &hidden}},
			OnResult: func(context.Context, proto.Block) error {
				for i := range id.Rows() {
					e.events.add(id.Row(i), hidden.Row(i))
				}
				return nil
			},
		})
		if err != nil {
			return readError("list scores of traces", err)
		}
	}
	return nil
}

// doomed says which rows of a table go, or what becomes of them.
type doomed struct {
	table  string
	where  func(p *params) string
	update func(p *params) string // empty: they go
}

// doomed lists everything to be erased. Scores come last: they name the partial events that go with them, and
// must still be there when an interrupted erasure begins again.
func (e *erasure) doomed() (list []doomed) {
	if e.whole > 0 {
		return e.everything()
	}
	for _, chunk := range e.traces.chunks() {
		below := func(p *params, column string) string { return chunk.below(p, e.project, column) }
		for _, table := range []string{"observations", "payloads", "partials", "decisions"} {
			list = append(list, doomed{table: table, where: func(p *params) string { return below(p, "trace_id") }})
		}
		list = append(list, doomed{table: "rejections", where: func(p *params) string {
			return chunk.belowBy(p, e.project, "trace_id", rejectionVersion)
		}}, e.facts(chunk))
	}
	for _, chunk := range e.events.chunks() {
		list = append(list, doomed{table: "partials", where: func(p *params) string {
			return "trace_id = '' AND " + chunk.below(p, e.project, "entity_id")
		}})
	}
	return list
}

// doomedScores are the rows of scores that go, after everything else.
func (e *erasure) doomedScores() (list []doomed) {
	for _, chunk := range e.traces.chunks() {
		list = append(list, doomed{table: "scores", where: func(p *params) string { return chunk.below(p, e.project, "trace_id") }})
	}
	for _, chunk := range e.scores.chunks() {
		list = append(list, doomed{table: "scores", where: func(p *params) string { return chunk.below(p, e.project, "id") }})
	}
	return list
}

// facts takes from traces what hidden rows gave them. The rows of the table stay, with ids and times alone: reads
// find a trace by them, and it may have been born again meanwhile.
func (e *erasure) facts(g grave) doomed {
	const none = "(toUInt8(255), toDateTime64(0, 6, 'UTC'), '', toUInt64(0), "
	names := []string{"user_id", "session_id", "name", "release", "tags"}
	old := func(p *params, name string) string {
		return "bitNot(" + name + ".newer) < transform(trace_id, " + p.texts(g.ids) + ", " + p.uints(g.versions) + ", toUInt64(0))"
	}
	return doomed{
		table: "traces",
		where: func(p *params) string {
			var parts []string
			for _, name := range names {
				parts = append(parts, old(p, name))
			}
			return "project_id = " + p.text(e.project) + " AND trace_id IN " + p.texts(g.ids) + " AND (" + strings.Join(parts, " OR ") + ")"
		},
		update: func(p *params) string {
			var set []string
			for _, name := range names {
				value := "''"
				if name == "tags" {
					value = "emptyArrayString()"
				}
				set = append(set, name+" = if("+old(p, name)+", CAST("+none+value+"), toTypeName("+name+")), "+name+")")
			}
			return strings.Join(set, ", ")
		},
	}
}

// rejectionVersion is the version that a rejection would have as a row.
const rejectionVersion = "toUInt64(toUnixTimestamp64Milli(at)) * 1024000"

// everything of a project goes, its other tombstones included.
func (e *erasure) everything() (list []doomed) {
	below := func(version string) func(p *params) string {
		return func(p *params) string {
			return "project_id = " + p.text(e.project) + " AND " + version + " < " + strconv.FormatUint(e.whole, 10)
		}
	}
	for _, table := range []string{"observations", "payloads", "partials", "scores", "decisions"} {
		list = append(list, doomed{table: table, where: below("version")})
	}
	return append(list, doomed{table: "rejections", where: below(rejectionVersion)},
		doomed{table: "traces", where: func(p *params) string { return "project_id = " + p.text(e.project) }},
		doomed{table: "tombstones", where: func(p *params) string {
			return "project_id = " + p.text(e.project) + " AND kind != '" + string(tracestore.ProjectTombstone) + "'"
		}})
}

func (g grave) below(p *params, project, column string) string {
	return g.belowBy(p, project, column, "version")
}

func (g grave) belowBy(p *params, project, column, version string) string {
	ids := p.texts(g.ids)
	return "project_id = " + p.text(project) + " AND " + column + " IN " + ids +
		" AND " + version + " < transform(" + column + ", " + ids + ", " + p.uints(g.versions) + ", toUInt64(0))"
}

// onNode erases on one node. The first round leaves the scores, so that a crash before its end leaves them, too.
func (e *erasure) onNode(ctx context.Context, node *pool) error {
	for _, round := range [][]doomed{e.doomed(), e.doomedScores()} {
		for _, d := range round {
			if err := e.mutate(ctx, node, d); err != nil {
				return err
			}
		}
		if err := awaitMutations(ctx, node, e.store.config); err != nil {
			return err
		}
	}
	if err := awaitOldParts(ctx, node); err != nil {
		return err
	}
	return e.forgetQueries(ctx, node)
}

// forgetQueries empties the embedded engine's list of recent queries, which may name values of clients. The list of
// somebody else's engine is theirs.
func (e *erasure) forgetQueries(ctx context.Context, node *pool) error {
	if e.store.config.ReadAddress == "" { // given for the embedded engine alone
		return nil
	}
	for _, statement := range []string{"SYSTEM FLUSH LOGS", "TRUNCATE TABLE IF EXISTS system.query_log"} {
		if err := node.do(ctx, ch.Query{Body: statement}); err != nil {
			return fmt.Errorf("forget recent queries: %w", err)
		}
	}
	return nil
}

// mutate rewrites the partitions of a table that hold such rows.
func (e *erasure) mutate(ctx context.Context, node *pool, d doomed) error {
	table := layout{e.store.config}.Local(d.table)
	var p params
	var id proto.ColStr
	where := d.where(&p)
	var partitions []string
	err := node.do(ctx, ch.Query{
		Body:       "SELECT DISTINCT CAST(_partition_id, 'String') AS id FROM " + table + " WHERE " + where + " ORDER BY id",
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
		return fmt.Errorf("find hidden rows of %s: %w", table, err)
	}
	change := " DELETE"
	if d.update != nil {
		change = " UPDATE " + d.update(&p)
	}
	for _, partition := range partitions {
		err := node.do(ctx, ch.Query{
			Body:       "ALTER TABLE " + table + change + " IN PARTITION ID '" + partition + "' WHERE " + where,
			Parameters: p.list,
			Settings: []ch.Setting{
				setting("mutations_sync", 0),
				setting("allow_nondeterministic_mutations", 1), // a replica computes what the others do: all is constant
			},
		})
		if err != nil {
			return fmt.Errorf("erase from %s: %w", table, err)
		}
	}
	return nil
}

// lendAgain gives traces what their visible rows have for them: what hidden rows gave may have stood in its place.
func (s *Store) lendAgain(ctx context.Context, projectID string, traceIDs []string) error {
	q := tracestore.ObservationQuery{
		ProjectID: projectID, OwnOnly: true, Limit: 1000,
		Where: []filter.Condition{filter.OneOf{Column: filter.TraceID, Values: traceIDs}},
	}
	for {
		rows, err := s.Observations(ctx, q)
		if err != nil {
			return fmt.Errorf("read traces that were born again: %w", err)
		}
		if err := s.insertFacts(ctx, rows); err != nil {
			return err
		}
		if len(rows) < q.Limit {
			return nil
		}
		last := rows[len(rows)-1]
		q.After = &filter.Position{StartTime: last.StartTime, TraceID: last.TraceID, ID: last.ID}
	}
}

func (s *Store) insertFacts(ctx context.Context, rows []*model.Observation) error {
	block := newTraces()
	for _, f := range gatherFacts(rows) {
		block.append(f)
	}
	return s.insertBlock(ctx, newTableBlock("traces", block.insertColumns()))
}
