package chstore

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

var _ tracestore.Traces = (*Store)(nil)

// walkedTraces is how many of the newest traces a page looks at before it folds all traces of the project.
const walkedTraces = 1024

// Traces finds the ids of a page, then folds those traces with everything that is asked for.
func (s *Store) Traces(ctx context.Context, q tracestore.TraceQuery) ([]*tracestore.Trace, error) {
	if q.Limit <= 0 {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.config.ReadWithin)
	defer cancel()
	dead, err := s.graves(ctx, q.ProjectID, tracestore.TraceTombstone)
	if err != nil {
		return nil, readError("read tombstones", err)
	}
	page, err := s.tracePage(ctx, q, dead)
	if err != nil {
		return nil, readError("read traces", err)
	}
	if err := s.completeTraces(ctx, q, page, dead); err != nil {
		return nil, readError("read what belongs to traces", err)
	}
	return page, nil
}

// tracePage looks at the newest traces where that may do, else at all.
func (s *Store) tracePage(ctx context.Context, q tracestore.TraceQuery, dead graves) ([]*tracestore.Trace, error) {
	newestFirst := q.Order == tracestore.TraceOrder{} || q.Order == tracestore.TraceOrder{By: filter.StartTime}
	scope, err := newTraceScope(new(params), q.ProjectID, q.Where, dead)
	if err != nil {
		return nil, err
	}
	if newestFirst && !scope.named {
		for candidates := 2*(q.Offset+q.Limit) + 16; candidates <= walkedTraces; candidates *= 4 {
			page, done, err := s.newestTraces(ctx, q, dead, candidates)
			if err != nil || done {
				return page, err
			}
		}
	}
	ids, err := s.traceIDs(ctx, q, dead)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	traces, err := s.foldTraces(ctx, q, ids, nil, dead)
	if err != nil {
		return nil, err
	}
	place := make(map[string]int, len(ids))
	for i, id := range ids {
		place[id] = i
	}
	slices.SortFunc(traces, func(a, b *tracestore.Trace) int { return place[a.ID] - place[b.ID] })
	return traces, nil
}

// newestTraces takes the traces that the table traces has as the newest for candidates, and folds those. What it
// has as the start of a trace is the start of its first row, or earlier where that row is gone: so all traces
// that start after the last candidate are among them, but for suspects, which are added. It is done when
// these fill the page, or when there were no further candidates.
func (s *Store) newestTraces(ctx context.Context, q tracestore.TraceQuery, dead graves, candidates int) ([]*tracestore.Trace, bool, error) {
	ids, last, err := s.candidateTraces(ctx, q, dead, candidates)
	if err != nil {
		return nil, false, err
	}
	all := len(ids) < candidates
	more, err := s.suspectTraces(ctx, q, dead, last, all)
	if err != nil || len(more) > walkedTraces {
		return nil, false, err
	}
	if ids = append(ids, more...); len(ids) == 0 {
		return nil, true, nil
	}
	scope, err := newTraceScope(new(params), q.ProjectID, q.Where, dead)
	if err != nil {
		return nil, false, err
	}
	traces, err := s.foldTraces(ctx, q, ids, scope.shown, dead)
	if err != nil {
		return nil, false, err
	}
	if !all {
		traces = slices.DeleteFunc(traces, func(t *tracestore.Trace) bool { return t.Start.UnixMicro() <= last })
	}
	page := traces[min(q.Offset, len(traces)):]
	return page[:min(q.Limit, len(page))], all || len(page) >= q.Limit, nil
}

// candidateTraces finds the newest traces of the scope by the table traces, and the start of the last in microseconds.
func (s *Store) candidateTraces(ctx context.Context, q tracestore.TraceQuery, dead graves, limit int) (ids []string, last int64, err error) {
	var p params
	scope, err := newTraceScope(&p, q.ProjectID, q.Where, dead)
	if err != nil {
		return nil, 0, err
	}
	having := ""
	if !scope.from.IsZero() {
		having += " AND min(first_start) >= " + p.micros(scope.from.UnixMicro())
	}
	if !scope.to.IsZero() {
		having += " AND min(first_start) <= " + p.micros(scope.to.UnixMicro())
	}
	var trace proto.ColStr
	var first proto.ColInt64
	err = s.reads.do(ctx, ch.Query{
		Body: "SELECT trace_id, toUnixTimestamp64Micro(min(first_start)) AS first FROM traces WHERE " + strings.Join(scope.ids, " AND ") +
			" GROUP BY trace_id HAVING true" + having + fmt.Sprintf(" ORDER BY first DESC, trace_id DESC LIMIT %d", limit),
		Parameters: p.list,
		Result:     proto.Results{{Name: "trace_id", Data: &trace}, {Name: "first", Data: &first}},
		OnResult: func(context.Context, proto.Block) error {
			for i := range trace.Rows() {
				ids, last = append(ids, trace.Row(i)), first.Row(i)
			}
			return nil
		},
	})
	return ids, last, err
}

// suspectTraces finds traces that may start later than the table traces has it, because rows of theirs are gone:
// those that are no candidates and have a row after the last of these. It finds one more than can be used.
func (s *Store) suspectTraces(ctx context.Context, q tracestore.TraceQuery, dead graves, last int64, all bool) (ids []string, err error) {
	var p params
	scope, err := newTraceScope(&p, q.ProjectID, q.Where, dead)
	if err != nil {
		return nil, err
	}
	bound := p.micros(last)
	below := "min(first_start) <= " + bound
	if all { // every trace within the bounds is a candidate
		if scope.from.IsZero() {
			return nil, nil
		}
		bound = p.micros(scope.from.UnixMicro())
		below = "min(first_start) < " + bound
	}
	suspects := "trace_id IN (" + scope.suspects() + ")"
	if scope.hidden != (hidden{}) {
		suspects = "(" + suspects + " OR trace_id IN " + scope.hidden.ids + ")"
	}
	var trace proto.ColStr
	err = s.reads.do(ctx, ch.Query{
		Body: "SELECT trace_id FROM traces WHERE " + strings.Join(scope.ids, " AND ") + " AND " + suspects +
			" GROUP BY trace_id HAVING " + below + " AND max(last_start) >= " + bound + fmt.Sprintf(" LIMIT %d", walkedTraces+1),
		Parameters: p.list,
		Result:     proto.Results{{Name: "trace_id", Data: &trace}},
		OnResult: func(context.Context, proto.Block) error {
			for i := range trace.Rows() {
				ids = append(ids, trace.Row(i))
			}
			return nil
		},
	})
	return ids, err
}

// traceOrders are the columns that traces can be ordered by, and what must be joined for it.
var traceOrders = map[filter.Column]struct {
	column string
	needs  relation
}{
	"": {}, filter.StartTime: {}, filter.Environment: {column: "environment"}, filter.CodeVersion: {column: "code_version"},
	filter.TraceName: {"lent_name", traceNames}, filter.UserID: {"lent_user", traceUser},
	filter.SessionID: {"lent_session", traceSession}, filter.Release: {"lent_release", traceRelease},
}

// traceIDs folds all traces of the scope and returns the ids of a page.
func (s *Store) traceIDs(ctx context.Context, q tracestore.TraceQuery, dead graves) ([]string, error) {
	var p params
	scope, err := newTraceScope(&p, q.ProjectID, q.Where, dead)
	if err != nil {
		return nil, err
	}
	by, ok := traceOrders[q.Order.By]
	if !ok {
		return nil, fault.New(fault.Internal, "traces cannot be ordered by %q", q.Order.By)
	}
	columns, direction, order := []string{"start_time"}, " DESC", ""
	if q.Order.Asc {
		direction = ""
	}
	if by.column != "" {
		order = by.column + direction + ", "
	}
	if by.column != "" && by.needs == 0 {
		columns = append(columns, by.column)
	}
	var from string
	if len(columns) == 1 && scope.onlyStart() {
		from, err = scope.started()
	} else {
		from, err = scope.folded(columns...)
	}
	if err != nil {
		return nil, err
	}
	var trace proto.ColStr
	var ids []string
	err = s.reads.do(ctx, ch.Query{
		Body: "SELECT trace_id FROM " + from + " AS o" + scope.joinFacts(by.needs, earliestStart, latestStart) +
			fmt.Sprintf(" ORDER BY %sstart_time%s, trace_id%s LIMIT %d OFFSET %d", order, direction, direction, q.Limit, q.Offset),
		Parameters: p.list,
		Result:     proto.Results{{Name: "trace_id", Data: &trace}},
		OnResult: func(context.Context, proto.Block) error {
			for i := range trace.Rows() {
				ids = append(ids, trace.Row(i))
			}
			return nil
		},
	})
	return ids, err
}

// CountTraces folds as far as the conditions look.
func (s *Store) CountTraces(ctx context.Context, projectID string, where []filter.Condition) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, s.config.ReadWithin)
	defer cancel()
	dead, err := s.graves(ctx, projectID, tracestore.TraceTombstone)
	if err != nil {
		return 0, readError("read tombstones", err)
	}
	var p params
	scope, err := newTraceScope(&p, projectID, where, dead)
	if err != nil {
		return 0, err
	}
	var from string
	if scope.onlyStart() {
		from, err = scope.started()
	} else {
		from, err = scope.folded()
	}
	if err != nil {
		return 0, err
	}
	return s.count(ctx, "count traces", from, p)
}

// count counts the rows of a table or a subquery.
func (s *Store) count(ctx context.Context, what, from string, p params) (uint64, error) {
	var count proto.ColUInt64
	err := s.reads.do(ctx, ch.Query{
		Body:       "SELECT count() AS n FROM " + from,
		Parameters: p.list,
		Result:     proto.Results{{Name: "n", Data: &count}},
	})
	if err != nil {
		return 0, readError(what, err)
	}
	return count.Row(0), nil
}

// TraceProjects reads by the second part of the table's key, which the engine can skip by: projects are few.
func (s *Store) TraceProjects(ctx context.Context, traceID string, limit int) (projects []string, err error) {
	if traceID == "" {
		return nil, nil // what has no trace is kept under this id
	}
	var p params
	project := lowCardinality()
	err = s.reads.do(ctx, ch.Query{
		Body: "SELECT DISTINCT project_id FROM traces WHERE trace_id = " + p.text(traceID) +
			" ORDER BY project_id LIMIT " + strconv.Itoa(limit),
		Parameters: p.list,
		Result:     proto.Results{{Name: "project_id", Data: project}},
		OnResult: func(context.Context, proto.Block) error {
			for i := range project.Rows() {
				projects = append(projects, project.Row(i))
			}
			return nil
		},
	})
	if err != nil {
		return nil, readError("find the projects of a trace", err)
	}
	return projects, nil
}

// foldTraces folds the traces with the given ids that meet the conditions on folded traces, newest first.
func (s *Store) foldTraces(ctx context.Context, q tracestore.TraceQuery, ids []string, shown []filter.Condition, dead graves) ([]*tracestore.Trace, error) {
	var p params
	scope, err := newTraceScope(&p, q.ProjectID, []filter.Condition{filter.OneOf{Column: filter.TraceID, Values: ids}}, dead)
	if err != nil {
		return nil, err
	}
	scope.shown = shown
	block := newTraceBlock(q)
	from, err := scope.folded(block.folded()...)
	if err != nil {
		return nil, err
	}
	names, results := resultOf(block.columns)
	var traces []*tracestore.Trace
	err = s.reads.do(ctx, ch.Query{
		Body:       "SELECT " + names + " FROM " + from + " ORDER BY start_time DESC, trace_id DESC",
		Parameters: p.list,
		Result:     results,
		OnResult: func(context.Context, proto.Block) error {
			for i := range block.traceID.Rows() {
				traces = append(traces, block.row(q.ProjectID, i))
			}
			return nil
		},
	})
	return traces, err
}

// completeTraces adds what lies in other tables: what traces lend, the texts of roots, the ids of scores.
func (s *Store) completeTraces(ctx context.Context, q tracestore.TraceQuery, page []*tracestore.Trace, dead graves) error {
	if len(page) == 0 {
		return nil
	}
	ids := make([]string, len(page))
	for i, t := range page {
		ids[i] = t.ID
	}
	facts, err := s.facts(ctx, q.ProjectID, ids, dead)
	if err != nil {
		return err
	}
	for _, t := range page {
		lent := facts[t.ID]
		t.Name, t.UserID, t.SessionID, t.Release, t.Tags = lent.name, lent.userID, lent.sessionID, lent.release, lent.tags
	}
	if q.ScoreIDs {
		if err := s.loadScoreIDs(ctx, q.ProjectID, ids, page, dead); err != nil {
			return err
		}
	}
	if q.IO {
		return s.loadRoots(ctx, q.ProjectID, page)
	}
	return nil
}

// loadRoots fills input and output.
func (s *Store) loadRoots(ctx context.Context, projectID string, page []*tracestore.Trace) error {
	roots := make([]*model.Observation, len(page))
	for i, t := range page {
		roots[i] = &model.Observation{ProjectID: projectID, TraceID: t.ID, ID: t.RootID, StartTime: t.RootStart}
	}
	if err := s.loadPayloads(ctx, projectID, roots); err != nil {
		return err
	}
	for i, t := range page {
		t.Input, t.Output = roots[i].Input, roots[i].Output
	}
	return nil
}
