package chstore

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// Undecided folds the rows of a range, tests filter and sample on each, and leaves out those with a decision.
func (s *Store) Undecided(ctx context.Context, q tracestore.UndecidedQuery) ([]tracestore.Candidate, error) {
	ctx, cancel := context.WithTimeout(ctx, s.config.ReadWithin)
	defer cancel()
	from, p, err := s.fromUndecided(ctx, q)
	if err != nil || from == "" {
		return nil, err
	}
	var trace, span proto.ColStr
	var start proto.ColDateTime64
	var matches, sampled proto.ColBool
	start.WithPrecision(proto.PrecisionMicro).WithLocation(time.UTC)
	var list []tracestore.Candidate
	err = s.reads.do(ctx, ch.Query{
		Body:       "SELECT trace_id, span_id, start_time, matches, sampled FROM " + from + fmt.Sprintf(" ORDER BY %s LIMIT %d", pageOrder, q.Limit),
		Parameters: p.list,
		Result: proto.Results{
			{Name: "trace_id", Data: &trace},
			{Name: "span_id", Data: &span},
			{Name: "start_time", Data: &start},
			{Name: "matches", Data: &matches},
			{Name: "sampled", Data: &sampled},
		},
		OnResult: func(context.Context, proto.Block) error {
			for i := range trace.Rows() {
				list = append(list, tracestore.Candidate{
					TraceID: trace.Row(i), ObservationID: span.Row(i), StartTime: time.UnixMicro(int64(start.Data[i])).UTC(),
					Matches: matches.Row(i), Sampled: sampled.Row(i),
				})
			}
			return nil
		},
	})
	if err != nil {
		return nil, readError("read undecided rows", err)
	}
	return list, nil
}

// CountCandidates counts what Undecided would find.
func (s *Store) CountCandidates(ctx context.Context, q tracestore.UndecidedQuery) (rows, matching, inSample uint64, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.config.ReadWithin)
	defer cancel()
	from, p, err := s.fromUndecided(ctx, q)
	if err != nil || from == "" {
		return 0, 0, 0, err
	}
	var all, match, sampled proto.ColUInt64
	err = s.reads.do(ctx, ch.Query{
		Body:       "SELECT count() AS n, countIf(matches) AS m, countIf(matches AND sampled) AS s FROM " + from,
		Parameters: p.list,
		Result:     proto.Results{{Name: "n", Data: &all}, {Name: "m", Data: &match}, {Name: "s", Data: &sampled}},
		OnResult: func(context.Context, proto.Block) error {
			if all.Rows() > 0 {
				rows, matching, inSample = all.Row(0), match.Row(0), sampled.Row(0)
			}
			return nil
		},
	})
	if err != nil {
		return 0, 0, 0, readError("count undecided rows", err)
	}
	return rows, matching, inSample, nil
}

// fromUndecided renders the rows with what a rule says of them; empty when there are none.
func (s *Store) fromUndecided(ctx context.Context, q tracestore.UndecidedQuery) (from string, p *params, err error) {
	p = &params{}
	dead, err := s.buried(ctx, q.ProjectID, false)
	if err != nil {
		return "", p, readError("read tombstones", err)
	}
	r := dead.conditions(p, q.ProjectID)
	window := []filter.Condition{
		filter.Time{Column: filter.StartTime, Op: filter.AtLeast, At: q.From},
		filter.Time{Column: filter.StartTime, Op: filter.Below, At: q.To},
	}
	if !q.ByStart {
		if window, err = s.acceptedWindow(ctx, q); err != nil || window == nil {
			return "", p, err
		}
	}
	r = r.within(window)
	rows, err := r.all(window)
	if err != nil {
		return "", p, err
	}
	var matches strings.Builder
	matches.WriteString("true")
	for _, c := range q.Where {
		clause, err := r.clause(c)
		if err != nil {
			return "", p, err
		}
		matches.WriteString(" AND (" + clause + ")")
	}
	decided := "SELECT start_time, trace_id, span_id FROM decisions FINAL WHERE " + r.project + " AND rule_id = " + p.text(q.RuleID) +
		" AND start_time >= " + p.micros(r.from.UnixMicro()) + " AND start_time <= " + p.micros(r.to.UnixMicro())
	if q.RuleVersion > 0 {
		decided += " AND rule_version = " + strconv.Itoa(q.RuleVersion)
	}
	if q.Again {
		decided += " GROUP BY start_time, trace_id, span_id HAVING min(" + settledReasons() + ")"
	}
	sampled := "bitShiftRight(xxHash64(concat(" + p.text(q.RuleID) + ", '/', trace_id, '/', span_id)), 11) < " +
		p.bind("UInt64", strconv.FormatUint(tracestore.SampleBelow(q.Sampling), 10))
	return "(SELECT trace_id, span_id, start_time, toBool(" + matches.String() + ") AS matches, toBool(" + sampled + ") AS sampled FROM observations AS o FINAL WHERE " +
		rows + notDeleted + after(p, q.After) + " AND (start_time, trace_id, span_id) NOT IN (" + decided + "))", p, nil
}

// acceptedWindow finds where in time the rows lie that were accepted in a range. Versions are few thousand to an entry of
// their index, so this reads what is new and little else; the fold behind it is of that time only. Without such rows there
// is no window.
func (s *Store) acceptedWindow(ctx context.Context, q tracestore.UndecidedQuery) (window []filter.Condition, err error) {
	var p params
	var lowest, highest proto.ColDateTime64
	var count proto.ColUInt64
	lowest.WithPrecision(proto.PrecisionMicro).WithLocation(time.UTC)
	highest.WithPrecision(proto.PrecisionMicro).WithLocation(time.UTC)
	version := func(at time.Time) string {
		return p.bind("UInt64", strconv.FormatUint(model.RowVersion(at, 0), 10))
	}
	err = s.reads.do(ctx, ch.Query{
		Body: "SELECT count() AS n, min(start_time) AS lowest, max(start_time) AS highest FROM observations WHERE project_id = " + p.text(q.ProjectID) +
			" AND version >= " + version(q.From) + " AND version < " + version(q.To),
		Parameters: p.list,
		Result:     proto.Results{{Name: "n", Data: &count}, {Name: "lowest", Data: &lowest}, {Name: "highest", Data: &highest}},
		OnResult: func(context.Context, proto.Block) error {
			if count.Rows() == 0 || count.Row(0) == 0 {
				return nil
			}
			window = []filter.Condition{
				filter.Time{Column: filter.AcceptedAt, Op: filter.AtLeast, At: q.From},
				filter.Time{Column: filter.AcceptedAt, Op: filter.Below, At: q.To},
				filter.Time{Column: filter.StartTime, Op: filter.AtLeast, At: time.UnixMicro(int64(lowest.Data[0])).UTC()},
				filter.Time{Column: filter.StartTime, Op: filter.AtMost, At: time.UnixMicro(int64(highest.Data[0])).UTC()},
			}
			return nil
		},
	})
	if err != nil {
		return nil, readError("find new rows", err)
	}
	return window, nil
}
