package chstore

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// pageOrder is newest first; its ascending form is the table's own order, so the engine stops
// reading after the first granules.
const pageOrder = "start_time DESC, xxHash32(trace_id) DESC, span_id DESC, trace_id DESC"

// Observations reads one page. With conditions on columns that may differ between versions it takes
// two steps: the first finds, without folding, a start time that the page cannot reach below; the
// second reads folded rows above it. Folding (FINAL) must see every version of a row before such a
// condition does, or a stale version could match. Other pages fold what they have read.
func (s *Store) Observations(ctx context.Context, q tracestore.ObservationQuery) ([]*model.Observation, error) {
	if q.Limit <= 0 {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.config.ReadWithin)
	defer cancel()
	var p params
	where, err := where(&p, q.ProjectID, q.Where)
	if err != nil {
		return nil, err
	}
	where += after(&p, q.After)
	rows, err := s.page(ctx, p, where, q)
	if err != nil {
		return nil, readError("read observations", err)
	}
	if !q.OwnOnly {
		if err := s.inherit(ctx, q.ProjectID, rows); err != nil {
			return nil, readError("read traces", err)
		}
	}
	if q.IO {
		if err := s.loadPayloads(ctx, q.ProjectID, rows); err != nil {
			return nil, readError("read payloads", err)
		}
	}
	return rows, nil
}

// after is the condition "strictly below the cursor"; its first part feeds the primary key.
func after(p *params, at *filter.Position) string {
	if at == nil {
		return ""
	}
	start, trace, span := p.micros(at.StartTime.UnixMicro()), p.text(at.TraceID), p.text(at.ID)
	return " AND start_time <= " + start +
		" AND (start_time, xxHash32(trace_id), span_id, trace_id) < (" + start + ", xxHash32(" + trace + "), " + span + ", " + trace + ")"
}

// notDeleted keeps tombstones out. It holds only over folded rows: a version below a tombstone is not
// deleted itself.
const notDeleted = " AND NOT deleted"

// page reads rows by the cheaper of two exact ways.
func (s *Store) page(ctx context.Context, p params, where string, q tracestore.ObservationQuery) ([]*model.Observation, error) {
	if onlyIdentity(q.Where) {
		return s.adjacentRows(ctx, p, where, q)
	}
	return s.boundedRows(ctx, p, where, q)
}

// onlyIdentity reports whether the conditions look at nothing but what all versions of a row share.
// Then no stale version can match where the newest does not, and folding may come after reading.
func onlyIdentity(conditions []filter.Condition) bool {
	for _, c := range conditions {
		switch c := c.(type) {
		case filter.OneOf:
			if c.Column != filter.TraceID && c.Column != filter.ID {
				return false
			}
		case filter.Since, filter.Before: // on the start time
		default:
			return false
		}
	}
	return true
}

// adjacentRows reads without FINAL: versions of a row come one after the other, the newest first.
// It fetches a few rows more than the page for the versions and tombstones it will drop, and again
// with more where there were many. A tombstone goes last: until then it hides what is below it.
func (s *Store) adjacentRows(ctx context.Context, p params, where string, q tracestore.ObservationQuery) ([]*model.Observation, error) {
	for fetch := q.Limit + q.Limit/8 + 16; ; fetch *= 2 {
		read, err := s.rows(ctx, p, q.Metadata, fmt.Sprintf("observations WHERE %s ORDER BY %s, version DESC LIMIT %d", where, pageOrder, fetch))
		if err != nil {
			return nil, err
		}
		rows := slices.DeleteFunc(slices.CompactFunc(slices.Clone(read), sameRow), isDeleted)
		if len(rows) >= q.Limit || len(read) < fetch {
			return rows[:min(len(rows), q.Limit)], nil
		}
	}
}

func sameRow(a, b *model.Observation) bool {
	return a.ID == b.ID && a.TraceID == b.TraceID && a.StartTime.Equal(b.StartTime)
}

func isDeleted(o *model.Observation) bool { return o.Deleted }

// boundedRows over-fetches to find the bound, and again with more where many candidates were
// versions of the same rows or no longer match.
func (s *Store) boundedRows(ctx context.Context, p params, where string, q tracestore.ObservationQuery) ([]*model.Observation, error) {
	where += notDeleted
	for fetch := 2*q.Limit + 1; ; fetch *= 4 {
		count, lowest, err := s.lowerBound(ctx, p, where, fetch)
		if err != nil || count == 0 {
			return nil, err
		}
		rows, err := s.foldedRows(ctx, p, where, lowest, q)
		if err != nil || len(rows) == q.Limit || count < fetch {
			return rows, err
		}
	}
}

func (s *Store) lowerBound(ctx context.Context, p params, where string, fetch int) (int, time.Time, error) {
	var count proto.ColUInt64
	var lowest proto.ColDateTime64
	err := s.reads.do(ctx, ch.Query{
		Body: fmt.Sprintf("SELECT count() AS n, min(start_time) AS lowest FROM (SELECT start_time FROM observations WHERE %s ORDER BY %s LIMIT %d)",
			where, pageOrder, fetch),
		Parameters: p.list,
		Result:     proto.Results{{Name: "n", Data: &count}, {Name: "lowest", Data: &lowest}},
	})
	if err != nil || count.Rows() == 0 {
		return 0, time.Time{}, err
	}
	return int(count.Row(0)), lowest.Row(0), nil
}

func (s *Store) foldedRows(ctx context.Context, p params, where string, lowest time.Time, q tracestore.ObservationQuery) ([]*model.Observation, error) {
	p.list = slices.Clip(p.list)
	above := p.micros(lowest.UnixMicro())
	return s.rows(ctx, p, q.Metadata, fmt.Sprintf("observations FINAL WHERE %s AND start_time >= %s ORDER BY %s LIMIT %d", where, above, pageOrder, q.Limit))
}

// rows reads the columns of observations that from selects.
func (s *Store) rows(ctx context.Context, p params, metadata bool, from string) ([]*model.Observation, error) {
	block := newSpine(metadata)
	names, results := resultOf(block.columns)
	var rows []*model.Observation
	err := s.reads.do(ctx, ch.Query{
		Body:       "SELECT " + names + " FROM " + from,
		Parameters: p.list,
		Result:     results,
		OnResult: func(context.Context, proto.Block) error {
			for i := range block.traceID.Rows() {
				rows = append(rows, block.row(i))
			}
			return nil
		},
	})
	return rows, err
}

// inherit fills what rows lack from their traces.
func (s *Store) inherit(ctx context.Context, projectID string, rows []*model.Observation) error {
	var ids []string
	for _, o := range rows {
		if !complete(o) {
			ids = append(ids, o.TraceID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	slices.Sort(ids)
	facts, err := s.facts(ctx, projectID, slices.Compact(ids))
	if err != nil {
		return err
	}
	for _, o := range rows {
		facts[o.TraceID].lend(o)
	}
	return nil
}

func (s *Store) facts(ctx context.Context, projectID string, traceIDs []string) (map[string]inherited, error) {
	var p params
	var trace, user, session, name, release proto.ColStr
	tags := new(proto.ColStr).Array()
	facts := make(map[string]inherited, len(traceIDs))
	err := s.reads.do(ctx, ch.Query{
		Body: "SELECT trace_id, min(user_id).value AS u, min(session_id).value AS s, min(name).value AS n, min(release).value AS r, min(tags).value AS t" +
			" FROM traces WHERE project_id = " + p.text(projectID) + " AND trace_id IN " + p.texts(traceIDs) + " GROUP BY trace_id",
		Parameters: p.list,
		Result: proto.Results{
			{Name: "trace_id", Data: &trace},
			{Name: "u", Data: &user},
			{Name: "s", Data: &session},
			{Name: "n", Data: &name},
			{Name: "r", Data: &release},
			{Name: "t", Data: tags},
		},
		OnResult: func(context.Context, proto.Block) error {
			for i := range trace.Rows() {
				facts[trace.Row(i)] = inherited{user.Row(i), session.Row(i), name.Row(i), release.Row(i), tags.Row(i)}
			}
			return nil
		},
	})
	return facts, err
}

// CountObservations counts folded rows.
func (s *Store) CountObservations(ctx context.Context, projectID string, conditions []filter.Condition) (uint64, error) {
	var p params
	where, err := where(&p, projectID, conditions)
	if err != nil {
		return 0, err
	}
	var count proto.ColUInt64
	err = s.reads.do(ctx, ch.Query{
		Body:       "SELECT count() AS n FROM observations FINAL WHERE " + where + notDeleted,
		Parameters: p.list,
		Result:     proto.Results{{Name: "n", Data: &count}},
	})
	if err != nil {
		return 0, readError("count observations", err)
	}
	return count.Row(0), nil
}

// AnySince reports whether an observation of any project started at or after since, one that was
// deleted meanwhile included.
func (s *Store) AnySince(ctx context.Context, since time.Time) (bool, error) {
	var p params
	var one proto.ColUInt8
	found := false
	err := s.reads.do(ctx, ch.Query{
		Body:       "SELECT toUInt8(1) AS one FROM observations WHERE start_time >= " + p.micros(since.UnixMicro()) + " LIMIT 1",
		Parameters: p.list,
		Result:     proto.Results{{Name: "one", Data: &one}},
		OnResult: func(context.Context, proto.Block) error {
			found = found || one.Rows() > 0
			return nil
		},
	})
	if err != nil {
		return false, readError("look for recent observations", err)
	}
	return found, nil
}
