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
// two steps: the first finds the keys of versions that match, the second reads all versions of those keys
// and lets the newest decide. Other pages fold what they have read. Neither reads more than the page needs:
// rows that share a start time and rows between two matches are not folded.
func (s *Store) Observations(ctx context.Context, q tracestore.ObservationQuery) ([]*model.Observation, error) {
	if q.Limit <= 0 {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.config.ReadWithin)
	defer cancel()
	dead, err := s.graves(ctx, q.ProjectID, tracestore.TraceTombstone)
	if err != nil {
		return nil, readError("read tombstones", err)
	}
	rows, err := s.page(ctx, q, dead)
	if err != nil {
		return nil, readError("read observations", err)
	}
	if !q.OwnOnly {
		if err := s.inherit(ctx, q.ProjectID, rows, dead); err != nil {
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

// pageWhere renders the conditions of a page on single versions, its cursor included.
func pageWhere(p *params, q tracestore.ObservationQuery, dead graves) (string, error) {
	r := conditions{params: p, project: "project_id = " + p.text(q.ProjectID), hidden: dead.bind(p)}
	where, err := r.within(q.Where).all(q.Where)
	return where + after(p, q.After), err
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

// page reads rows by the cheaper of two exact ways; conditions on texts have ways of their own.
func (s *Store) page(ctx context.Context, q tracestore.ObservationQuery, dead graves) ([]*model.Observation, error) {
	if texts, rest := splitPayload(q.Where); len(texts) > 0 {
		return s.searchRows(ctx, q, texts, rest, dead)
	}
	if onlyIdentity(q.Where) {
		return s.adjacentRows(ctx, q, dead)
	}
	return s.verifiedRows(ctx, q, dead)
}

// onlyIdentity reports whether the conditions look at nothing but what all versions of a row share.
// Then no stale version can match where the newest does not, and folding may come after reading.
func onlyIdentity(conditions []filter.Condition) bool {
	for _, c := range conditions {
		switch c.On() {
		case filter.TraceID, filter.ID, filter.StartTime, filter.StandsForTrace:
		default:
			return false
		}
	}
	return true
}

// adjacentRows reads without FINAL: versions of a row come one after the other. It fetches a few rows more
// than the page for the versions and tombstones it will drop, and goes on below where there were many. The
// version is not part of the order: the engine would read the whole project to sort by it.
func (s *Store) adjacentRows(ctx context.Context, q tracestore.ObservationQuery, dead graves) ([]*model.Observation, error) {
	var page []*model.Observation
	for fetch := fetchFor(q.Limit); ; fetch = nextFetch(fetch) {
		var p params
		where, err := pageWhere(&p, q, dead)
		if err != nil {
			return nil, err
		}
		read, err := s.rows(ctx, p, q, fmt.Sprintf("observations WHERE %s ORDER BY %s LIMIT %d", where, pageOrder, fetch))
		if err != nil {
			return nil, err
		}
		rows, more := newestVersions(read), len(read) == fetch
		if more { // versions of the last row may lie beyond
			rows = rows[:len(rows)-1]
		}
		if len(rows) > 0 {
			q.After = positionOf(rows[len(rows)-1])
		} else {
			fetch *= 2 // one row has all these versions
		}
		page = append(page, slices.DeleteFunc(rows, isDeleted)...)
		if len(page) >= q.Limit || !more {
			return page[:min(len(page), q.Limit)], nil
		}
	}
}

// newestVersions folds rows whose versions are neighbors. A tombstone stays: it hides what is below it.
func newestVersions(read []*model.Observation) []*model.Observation {
	var rows []*model.Observation
	for _, o := range read {
		last := len(rows) - 1
		switch {
		case last < 0 || !sameRow(rows[last], o):
			rows = append(rows, o)
		case rows[last].Version < o.Version:
			rows[last] = o
		}
	}
	return rows
}

// fetchFor is how many versions to read for a page of that many rows.
func fetchFor(limit int) int { return limit + limit/8 + 16 }

// nextFetch reads more where a page was not filled, up to what one statement should hold.
func nextFetch(fetch int) int { return max(fetch, min(2*fetch, 16_384)) }

func sameRow(a, b *model.Observation) bool {
	return a.ID == b.ID && a.TraceID == b.TraceID && a.StartTime.Equal(b.StartTime)
}

func isDeleted(o *model.Observation) bool { return o.Deleted }

func positionOf(o *model.Observation) *filter.Position {
	return &filter.Position{StartTime: o.StartTime, TraceID: o.TraceID, ID: o.ID}
}

// partsOf says which columns the rows of a query need.
func partsOf(q tracestore.ObservationQuery) parts {
	return parts{details: !q.Brief, metadata: q.Metadata}
}

// rows reads the columns of observations that from selects.
func (s *Store) rows(ctx context.Context, p params, q tracestore.ObservationQuery, from string) ([]*model.Observation, error) {
	block := newSpine(partsOf(q))
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
func (s *Store) inherit(ctx context.Context, projectID string, rows []*model.Observation, dead graves) error {
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
	facts, err := s.facts(ctx, projectID, slices.Compact(ids), dead)
	if err != nil {
		return err
	}
	for _, o := range rows {
		facts[o.TraceID].lend(o)
	}
	return nil
}

func (s *Store) facts(ctx context.Context, projectID string, traceIDs []string, dead graves) (map[string]inherited, error) {
	var p params
	var trace, user, session, name, release proto.ColStr
	tags := new(proto.ColStr).Array()
	facts := make(map[string]inherited, len(traceIDs))
	r := conditions{params: &p, project: "project_id = " + p.text(projectID), hidden: dead.bind(&p)}
	lent := func(column filter.Column) string { return r.lent(inheritedColumns[column]) }
	err := s.reads.do(ctx, ch.Query{
		Body: "SELECT trace_id, " + lent(filter.UserID) + " AS u, " + lent(filter.SessionID) + " AS s, " + lent(filter.TraceName) + " AS n, " +
			lent(filter.Release) + " AS r, " + lent(filter.Tags) + " AS t" +
			" FROM traces WHERE " + r.project + " AND trace_id IN " + p.texts(traceIDs) + " GROUP BY trace_id",
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
	where, err := foldedWhere(&p, projectID, conditions)
	if err != nil {
		return 0, err
	}
	return s.count(ctx, "count observations", "observations FINAL WHERE "+where, p)
}

// foldedWhere renders conditions, those on texts included, for a statement that folds by FINAL.
func foldedWhere(p *params, projectID string, conditions []filter.Condition) (string, error) {
	texts, rest := splitPayload(conditions)
	where, err := where(p, projectID, rest)
	if err != nil {
		return "", err
	}
	if len(texts) > 0 {
		clause, err := countTexts(p, projectID, texts, rest)
		if err != nil {
			return "", err
		}
		where += " AND " + clause
	}
	return where + notDeleted, nil
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
