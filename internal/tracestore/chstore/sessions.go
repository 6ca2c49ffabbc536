package chstore

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/tracestore"
)

// sessionGroups renders the sessions that meet the conditions as a table. Which trace of a session is the first
// is known only when all of them are folded; traces of no session are left out before.
func sessionGroups(p *params, projectID string, where []filter.Condition, dead graves) (string, error) {
	inSession := []filter.Condition{filter.IsSet{Column: filter.SessionID, Want: true}}
	shown := []string{"session_id != ''"}
	for _, c := range where {
		one, isOneOf := c.(filter.OneOf)
		at, isTime := c.(filter.Time)
		switch {
		case isOneOf && one.Column == filter.SessionID:
			inSession = append(inSession, one)
		case isOneOf && one.Column == filter.Environment && !one.Not:
			shown = append(shown, "environment IN "+p.texts(one.Values))
		case isTime && at.Column == filter.StartTime:
			shown = append(shown, "start_time "+comparisons[at.Op]+" "+p.micros(at.At.UnixMicro()))
		default:
			return "", fault.New(fault.Internal, "condition %#v on sessions has no SQL", c)
		}
	}
	scope, err := newTraceScope(p, projectID, inSession, dead)
	if err != nil {
		return "", err
	}
	traces, err := scope.folded("start_time", "environment")
	if err != nil {
		return "", err
	}
	return "(SELECT session_id, of_start AS start_time, of_environment AS environment, traces FROM (SELECT lent_session AS session_id, min(start_time) AS of_start," +
		" argMin(environment, (start_time, trace_id)) AS of_environment, count() AS traces FROM " + traces + " AS o" +
		scope.joinFacts(traceSession, earliestStart, latestStart) + " GROUP BY session_id) WHERE " + strings.Join(shown, " AND ") + ")", nil
}

// Sessions groups folded traces.
func (s *Store) Sessions(ctx context.Context, q tracestore.SessionQuery) ([]*tracestore.Session, error) {
	if q.Limit <= 0 {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.config.ReadWithin)
	defer cancel()
	dead, err := s.graves(ctx, q.ProjectID, tracestore.TraceTombstone)
	if err != nil {
		return nil, readError("read tombstones", err)
	}
	var p params
	from, err := sessionGroups(&p, q.ProjectID, q.Where, dead)
	if err != nil {
		return nil, err
	}
	var id, environment proto.ColStr
	var traces proto.ColUInt64
	start := newKeys().start
	var page []*tracestore.Session
	err = s.reads.do(ctx, ch.Query{
		Body: "SELECT session_id, start_time, environment, traces FROM " + from +
			fmt.Sprintf(" ORDER BY start_time DESC, session_id DESC LIMIT %d OFFSET %d", q.Limit, q.Offset),
		Parameters: p.list,
		Result: proto.Results{
			{Name: "session_id", Data: &id}, {Name: "start_time", Data: &start}, {Name: "environment", Data: &environment}, {Name: "traces", Data: &traces},
		},
		OnResult: func(context.Context, proto.Block) error {
			for i := range id.Rows() {
				page = append(page, &tracestore.Session{
					ProjectID: q.ProjectID, ID: id.Row(i), Start: time.UnixMicro(int64(start.Data[i])).UTC(), Environment: environment.Row(i), Traces: traces.Row(i),
				})
			}
			return nil
		},
	})
	if err != nil {
		return nil, readError("read sessions", err)
	}
	return page, nil
}

// CountSessions counts the groups.
func (s *Store) CountSessions(ctx context.Context, projectID string, where []filter.Condition) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, s.config.ReadWithin)
	defer cancel()
	dead, err := s.graves(ctx, projectID, tracestore.TraceTombstone)
	if err != nil {
		return 0, readError("read tombstones", err)
	}
	var p params
	from, err := sessionGroups(&p, projectID, where, dead)
	if err != nil {
		return 0, err
	}
	return s.count(ctx, "count sessions", from, p)
}
