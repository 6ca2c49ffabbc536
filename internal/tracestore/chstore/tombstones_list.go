package chstore

import (
	"context"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"github.com/sondehq/sonde/internal/tracestore"
)

// A score that was deleted has no tombstone but a last version that says so, which hides the others just the same.
const allTombstones = "SELECT CAST(project_id, 'String') AS project, CAST(kind, 'String') AS what, id, max(version) AS hidden" +
	" FROM tombstones GROUP BY project_id, kind, id" +
	" UNION ALL SELECT CAST(project_id, 'String') AS project, '" + string(tracestore.ScoreTombstone) + "' AS what, id, max(version) AS hidden" +
	" FROM scores WHERE (project_id, id) IN (SELECT project_id, id FROM scores WHERE deleted) GROUP BY project_id, id HAVING argMax(deleted, version)"

// EachTombstone shows what was deleted as a whole in all projects and hides the rest of it, in no particular order.
func (s *Store) EachTombstone(ctx context.Context, each func(tracestore.Tombstone) error) error {
	var id proto.ColStr
	var version proto.ColUInt64
	var project, kind proto.ColStr
	err := s.inserts.do(ctx, ch.Query{ // not a read of a project, and without its bounds
		Body: allTombstones,
		Result: proto.Results{
			{Name: "project", Data: &project}, {Name: "what", Data: &kind}, {Name: "id", Data: &id}, {Name: "hidden", Data: &version},
		},
		OnResult: func(context.Context, proto.Block) error {
			for i := range id.Rows() {
				t := tracestore.Tombstone{ProjectID: project.Row(i), Kind: tracestore.TombstoneKind(kind.Row(i)), ID: id.Row(i), Version: version.Row(i)}
				if err := each(t); err != nil {
					return err
				}
			}
			return nil
		},
	})
	if err != nil {
		return readError("list tombstones", err)
	}
	return nil
}
