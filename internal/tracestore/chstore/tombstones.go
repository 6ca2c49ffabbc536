package chstore

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"github.com/sondehq/sonde/internal/tracestore"
)

// InsertTombstones hides things from the next statement on.
func (s *Store) InsertTombstones(ctx context.Context, tombstones []tracestore.Tombstone) error {
	return s.putTombstones(ctx, tombstones, false)
}

// putTombstones inserts tombstones. That of a project lies on every node: the project's rows do.
func (s *Store) putTombstones(ctx context.Context, tombstones []tracestore.Tombstone, erased bool) error {
	var ofProjects, others []tracestore.Tombstone
	for _, t := range tombstones {
		if t.Kind == tracestore.ProjectTombstone {
			ofProjects = append(ofProjects, t)
		} else {
			others = append(others, t)
		}
	}
	if err := s.insertBlock(ctx, tombstoneBlock("tombstones", others, erased)); err != nil || len(ofProjects) == 0 {
		return err
	}
	return s.onNodes(ctx, func(ctx context.Context, node *pool) error {
		block := tombstoneBlock(layout{s.config}.Local("tombstones"), ofProjects, erased)
		return node.do(ctx, ch.Query{Body: block.statement, Input: block.input})
	})
}

func tombstoneBlock(table string, tombstones []tracestore.Tombstone, done bool) tableBlock {
	var id proto.ColStr
	var version proto.ColUInt64
	var erased proto.ColBool
	project, kind := lowCardinality(), lowCardinality()
	for _, t := range tombstones {
		project.Append(t.ProjectID)
		kind.Append(string(t.Kind))
		id.Append(t.ID)
		version.Append(t.Version)
		erased.Append(done)
	}
	return newTableBlock(table, []namedColumn{
		{"project_id", project}, {"kind", kind}, {"id", &id}, {"version", &version}, {"erased", &erased},
	})
}

// hidden are the tombstones of one kind in a project, as expressions: two arrays, ids and the version below which
// each hides, and the version below which everything is hidden because the project is. Empty: there are none.
type hidden struct{ ids, versions, project string }

// hiddenBy reads the tombstones within the statement itself: small reads by key that become constants.
// project is the clause project_id = ….
func hiddenBy(project string, kind tracestore.TombstoneKind) hidden {
	all := "(SELECT (groupArray(id), groupArray(version)) FROM (SELECT id, max(version) AS version FROM tombstones WHERE " +
		project + " AND kind = '" + string(kind) + "' GROUP BY id))"
	whole := "(SELECT max(version) FROM tombstones WHERE " + project + " AND kind = '" + string(tracestore.ProjectTombstone) + "')"
	return hidden{all + ".1", all + ".2", whole}
}

// alive is the condition that no tombstone hides a row, for every table with a column version; id is the
// column that names the thing. Versions below a hidden one are hidden, too, so it may stand before folding as
// well as behind.
func (h hidden) alive(id, version string) string {
	own := "transform(" + id + ", " + h.ids + ", " + h.versions + ", toUInt64(0))"
	switch {
	case h == (hidden{}):
		return "true"
	case h.ids == "":
		return version + " >= " + h.project
	case h.project == "":
		return version + " >= " + own
	}
	return version + " >= greatest(" + own + ", " + h.project + ")"
}

// graves are the tombstones of one kind in a project, as read: the version below which each id is hidden, and
// the one below which all are. Reads of several statements read them once, first: nearly always there are
// none, and then the statements need not look.
type graves struct {
	ids     map[string]uint64
	project uint64
}

func (g graves) none() bool { return len(g.ids) == 0 && g.project == 0 }

func (s *Store) graves(ctx context.Context, projectID string, kind tracestore.TombstoneKind) (graves, error) {
	var p params
	var id proto.ColStr
	var version proto.ColUInt64
	found := graves{ids: map[string]uint64{}}
	ofKind := lowCardinality()
	err := s.reads.do(ctx, ch.Query{
		Body: "SELECT kind, id, max(version) AS hidden FROM tombstones WHERE project_id = " + p.text(projectID) +
			" AND kind IN ('" + string(kind) + "', '" + string(tracestore.ProjectTombstone) + "') GROUP BY kind, id ORDER BY kind, id",
		Parameters: p.list,
		Result:     proto.Results{{Name: "kind", Data: ofKind}, {Name: "id", Data: &id}, {Name: "hidden", Data: &version}},
		OnResult: func(context.Context, proto.Block) error {
			for i := range id.Rows() {
				if ofKind.Row(i) == string(tracestore.ProjectTombstone) {
					found.project = max(found.project, version.Row(i))
					continue
				}
				found.ids[id.Row(i)] = version.Row(i)
			}
			return nil
		},
	})
	return found, err
}

// bind hands the tombstones to a statement.
func (g graves) bind(p *params) (h hidden) {
	if g.project > 0 {
		h.project = "toUInt64(" + strconv.FormatUint(g.project, 10) + ")"
	}
	if len(g.ids) == 0 {
		return h
	}
	ids := slices.Sorted(maps.Keys(g.ids))
	versions := make([]uint64, len(ids))
	for i, id := range ids {
		versions[i] = g.ids[id]
	}
	h.ids, h.versions = p.texts(ids), p.uints(versions)
	return h
}
