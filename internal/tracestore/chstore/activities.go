package chstore

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"
	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/tracestore"
)

// activityOrders are the columns of activities that they can be ordered by.
var activityOrders = map[tracestore.ActivityOrder]string{
	tracestore.ByLastSeen: "last_seen", tracestore.ByFirstSeen: "first_seen", tracestore.ByTraces: "traces",
	tracestore.ByObservations: "shown_rows", tracestore.ByErrors: "errors", tracestore.ByTotalTokens: "sum_tokens",
	tracestore.ByTotalCost: "sum_cost", tracestore.ByDuration: "last_seen - first_seen",
}

// Activities groups folded rows by user or session.
func (s *Store) Activities(ctx context.Context, q tracestore.ActivityQuery) (tracestore.Activities, error) {
	ctx, cancel := context.WithTimeout(ctx, s.config.ReadWithin)
	defer cancel()
	var page tracestore.Activities
	dead, err := s.buried(ctx, q.ProjectID, false)
	if err != nil {
		return page, readError("read tombstones", err)
	}
	rows, err := s.sampled(ctx, q.ProjectID, q.Where, q.MaxRows)
	if err != nil || rows.none {
		return page, err
	}
	page.Reach = rows.Reach
	if err := s.activityPage(ctx, q, rows, dead, &page); err != nil {
		return page, readError("read activities", err)
	}
	if len(page.List) == 0 && q.Offset > 0 { // beyond the end nothing says how many there are
		q.Offset, q.Limit = 0, 1
		if err := s.activityPage(ctx, q, rows, dead, &page); err != nil {
			return page, readError("count activities", err)
		}
		page.List = nil
	}
	return page, nil
}

func (s *Store) activityPage(ctx context.Context, q tracestore.ActivityQuery, rows sample, dead buried, page *tracestore.Activities) error {
	sql, p, err := activitiesSQL(q, rows, dead)
	if err != nil {
		return err
	}
	b := newActivityBlock()
	return s.reads.do(ctx, ch.Query{
		Body:       sql,
		Parameters: p.list,
		Result:     b.results,
		OnResult: func(context.Context, proto.Block) error {
			for i := range b.id.Rows() {
				a, err := b.row(i)
				if err != nil {
					return err
				}
				page.List, page.Total, page.Rows = append(page.List, a), b.total.Row(i), b.allRows.Row(i)
			}
			return nil
		},
	})
}

func activitiesSQL(q tracestore.ActivityQuery, rows sample, dead buried) (string, params, error) {
	var p params
	r := dead.conditions(&p, q.ProjectID)
	clauses, err := r.within(rows.where).all(rows.where)
	order, known := activityOrders[q.Order]
	if !known || !slices.Contains([]filter.Column{filter.UserID, filter.SessionID}, q.By) {
		return "", p, fault.New(fault.Internal, "activities by %q, ordered by %q, have no SQL", q.By, q.Order)
	}
	by, user, session := observationDimensions[q.By], observationDimensions[filter.UserID], observationDimensions[filter.SessionID]
	needs, users := by.needs|user.needs|session.needs, "CAST([], 'Array(String)')"
	if q.By == filter.SessionID {
		users = fmt.Sprintf("arraySlice(arraySort(groupUniqArrayIf(%[1]s, %[1]s != '')), 1, %d)", user.sql, tracestore.MaxActivityUsers)
	}
	having := "of_id != ''"
	if q.Prefix != "" {
		having += " AND startsWith(of_id, " + p.text(q.Prefix) + ")"
	}
	direction := " DESC"
	if q.Asc {
		direction = ""
	}
	return "SELECT of_id, first_seen, last_seen, traces, shown_rows, errors, toString(sum_input) AS input_sum, toString(sum_output) AS output_sum," +
		" toString(sum_tokens) AS token_sum, toString(sum_cost) AS cost_sum, users, user_count, session_count, count() OVER () AS total, sum(all_rows) OVER () AS of_all FROM (SELECT " +
		by.sql + " AS of_id, toUnixTimestamp64Micro(min(start_time)) AS first_seen, toUnixTimestamp64Micro(greatest(max(end_time), max(start_time))) AS last_seen," +
		" uniqExactIf(trace_id, trace_id != '') AS traces, count() AS all_rows, countIf(NOT (" + boolColumns[filter.StandsForTrace] + ")) AS shown_rows," +
		" countIf(level = 'ERROR') AS errors, sum(toInt128(input_tokens)) AS sum_input, sum(toInt128(output_tokens)) AS sum_output," +
		" sum(toInt128(ifNull(total_tokens, 0))) AS sum_tokens, sum(ifNull(total_cost, toDecimal64(0, 12))) AS sum_cost, " + users + " AS users," +
		fmt.Sprintf(" uniqExactIf(%[1]s, %[1]s != '') AS user_count, uniqExactIf(%[2]s, %[2]s != '') AS session_count", user.sql, session.sql) +
		" FROM observations AS o FINAL" + r.joinFacts(needs, rows.lowest, latestStart) + " WHERE " + clauses + notDeleted +
		" GROUP BY of_id HAVING " + having + ")" + fmt.Sprintf(" ORDER BY %s%s, of_id%s LIMIT %d OFFSET %d", order, direction, direction, q.Limit, q.Offset), p, err
}

// activityBlock is one block of activities.
type activityBlock struct {
	id                                      proto.ColStr
	first, last                             proto.ColInt64
	traces, rows, errors                    proto.ColUInt64
	input, output, tokens, cost             proto.ColStr
	users                                   *proto.ColArr[string]
	userCount, sessionCount, total, allRows proto.ColUInt64
	results                                 proto.Results
}

func newActivityBlock() *activityBlock {
	b := &activityBlock{users: new(proto.ColStr).Array()}
	b.results = proto.Results{
		{Name: "of_id", Data: &b.id},
		{Name: "first_seen", Data: &b.first},
		{Name: "last_seen", Data: &b.last},
		{Name: "traces", Data: &b.traces},
		{Name: "shown_rows", Data: &b.rows},
		{Name: "errors", Data: &b.errors},
		{Name: "input_sum", Data: &b.input},
		{Name: "output_sum", Data: &b.output},
		{Name: "token_sum", Data: &b.tokens},
		{Name: "cost_sum", Data: &b.cost},
		{Name: "users", Data: b.users},
		{Name: "user_count", Data: &b.userCount},
		{Name: "session_count", Data: &b.sessionCount},
		{Name: "total", Data: &b.total},
		{Name: "of_all", Data: &b.allRows},
	}
	return b
}

func (b *activityBlock) row(i int) (a tracestore.Activity, err error) {
	a = tracestore.Activity{
		ID: b.id.Row(i), FirstSeen: time.UnixMicro(b.first.Row(i)).UTC(), LastSeen: time.UnixMicro(b.last.Row(i)).UTC(),
		Traces: b.traces.Row(i), Observations: b.rows.Row(i), Errors: b.errors.Row(i), Users: b.users.Row(i),
		UserCount: b.userCount.Row(i), SessionCount: b.sessionCount.Row(i),
	}
	for into, text := range map[*decimal.Decimal]string{
		&a.InputTokens: b.input.Row(i), &a.OutputTokens: b.output.Row(i), &a.TotalTokens: b.tokens.Row(i), &a.TotalCost: b.cost.Row(i),
	} {
		if *into, err = decimal.NewFromString(text); err != nil {
			return a, fmt.Errorf("read a sum of %q: %w", a.ID, err)
		}
	}
	return a, nil
}
