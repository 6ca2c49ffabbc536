package tracestoretest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// Traces folds every trace of the project and cuts the page out of them.
func (m *Memory) Traces(ctx context.Context, q tracestore.TraceQuery) ([]*tracestore.Trace, error) {
	traces, err := m.matchingTraces(ctx, q.ProjectID, q.Where)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(traces, func(a, b *tracestore.Trace) int {
		order := cmp.Or(
			strings.Compare(traceText(a, q.Order.By), traceText(b, q.Order.By)),
			a.Start.Compare(b.Start), strings.Compare(a.ID, b.ID))
		if !q.Order.Asc {
			return -order
		}
		return order
	})
	page := cut(traces, q.Offset, q.Limit)
	for _, t := range page {
		if !q.IO {
			t.Input, t.Output, t.Metadata = "", "", nil
		}
		if !q.ObservationIDs {
			t.ObservationIDs = nil
		}
		if !q.ScoreIDs {
			t.ScoreIDs = nil
		}
	}
	return page, nil
}

// CountTraces counts the traces that match.
func (m *Memory) CountTraces(ctx context.Context, projectID string, where []filter.Condition) (uint64, error) {
	traces, err := m.matchingTraces(ctx, projectID, where)
	return uint64(len(traces)), err
}

// TraceProjects looks through the rows of all projects.
func (m *Memory) TraceProjects(_ context.Context, traceID string, limit int) ([]string, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	var projects []string
	for id, rows := range m.projects {
		for _, o := range rows {
			if o.TraceID == traceID && traceID != "" {
				projects = append(projects, id)
				break
			}
		}
	}
	slices.Sort(projects)
	return cut(projects, 0, limit), nil
}

func cut[T any](all []T, offset, limit int) []T {
	all = all[min(offset, len(all)):]
	return all[:min(limit, len(all))]
}

// traceText is the text that traces are ordered by before their start.
func traceText(t *tracestore.Trace, by filter.Column) string {
	return map[filter.Column]string{
		filter.TraceName: t.Name, filter.UserID: t.UserID, filter.SessionID: t.SessionID, filter.Release: t.Release,
		filter.Environment: t.Environment, filter.CodeVersion: t.CodeVersion,
	}[by]
}

func (m *Memory) matchingTraces(ctx context.Context, projectID string, where []filter.Condition) ([]*tracestore.Trace, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("read traces: %w", err)
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	byTrace := map[string][]*model.Observation{}
	for _, o := range m.visible(projectID) {
		if o.TraceID != "" {
			byTrace[o.TraceID] = append(byTrace[o.TraceID], o)
		}
	}
	var matches []*tracestore.Trace
	for id, rows := range byTrace {
		t := m.foldTrace(projectID, id, rows)
		ok, err := meetsAll(asObservation(t), where)
		if err != nil {
			return nil, err
		}
		if ok {
			matches = append(matches, t)
		}
	}
	return matches, nil
}

func (m *Memory) foldTrace(projectID, id string, rows []*model.Observation) *tracestore.Trace {
	root := slices.MinFunc(rows, func(a, b *model.Observation) int {
		if a.Root() != b.Root() {
			if a.Root() {
				return -1
			}
			return 1
		}
		return cmp.Or(a.StartTime.Compare(b.StartTime), strings.Compare(a.ID, b.ID))
	})
	lent := &model.Observation{ProjectID: projectID, TraceID: id}
	m.inherit(lent)
	t := &tracestore.Trace{
		ProjectID: projectID, ID: id, Start: rows[0].StartTime, End: rows[0].StartTime,
		Name: lent.TraceName, UserID: lent.UserID, SessionID: lent.SessionID, Release: lent.Release, Tags: lent.Tags,
		RootID: root.ID, RootStart: root.StartTime, Environment: root.Environment, CodeVersion: root.CodeVersion, Public: root.Public, Bookmarked: root.Bookmarked,
		Metadata: root.Metadata, Input: root.Input, Output: root.Output, CreatedAt: rows[0].CreatedAt,
	}
	ids := map[string]bool{}
	for _, o := range rows {
		if o.StartTime.Before(t.Start) {
			t.Start = o.StartTime
		}
		for _, at := range []time.Time{o.StartTime, o.EndTime} {
			if at.After(t.End) {
				t.End = at
			}
		}
		if o.CreatedAt.Before(t.CreatedAt) {
			t.CreatedAt = o.CreatedAt
		}
		if at := model.AcceptedAt(o.Version); at.After(t.UpdatedAt) {
			t.UpdatedAt = at
		}
		tokens := o.Tokens()
		t.InputTokens, t.OutputTokens, t.TotalTokens = t.InputTokens+tokens.Input, t.OutputTokens+tokens.Output, t.TotalTokens+tokens.Total
		t.TotalCost = t.TotalCost.Add(o.Costs().Total.Decimal)
		if !o.StandsForTrace() {
			ids[o.ID] = true
		}
	}
	t.Observations, t.ObservationIDs = uint64(len(ids)), slices.Sorted(slices.Values(keysOf(ids)))
	t.ScoreIDs = m.scoreIDs(projectID, id)
	return t
}

func (m *Memory) scoreIDs(projectID, traceID string) []string {
	ids := map[string]bool{}
	for _, s := range m.scores[projectID] {
		if s.TraceID == traceID && !s.Deleted && !m.scoreHidden(s) && s.Type != model.Correction {
			ids[s.ID] = true
		}
	}
	return slices.Sorted(slices.Values(keysOf(ids)))
}

// asObservation is a trace in the form that conditions look at.
func asObservation(t *tracestore.Trace) *model.Observation {
	return &model.Observation{
		ProjectID: t.ProjectID, TraceID: t.ID, ID: t.ID, StartTime: t.Start, EndTime: t.End, Name: t.Name, TraceName: t.Name,
		UserID: t.UserID, SessionID: t.SessionID, Release: t.Release, Tags: t.Tags, Environment: t.Environment, CodeVersion: t.CodeVersion,
		Metadata:     t.Metadata,
		UsageDetails: map[string]uint64{"input": t.InputTokens, "output": t.OutputTokens, "total": t.TotalTokens},
		CostDetails:  map[string]decimal.Decimal{"total": t.TotalCost},
	}
}

// traceSubjects are the traces that a query counts.
func (m *Memory) traceSubjects(ctx context.Context, q tracestore.MetricsQuery) ([]subject, error) {
	where := window(filter.StartTime, q)
	var months []filter.Condition
	for _, c := range q.Where {
		if c.On() == tracestore.TimestampMonth {
			months = append(months, c)
			continue
		}
		where = append(where, c)
	}
	traces, err := m.matchingTraces(ctx, q.ProjectID, where)
	if err != nil {
		return nil, err
	}
	var kept []subject
	for _, t := range traces {
		s := subject{o: asObservation(t), scores: int64(len(t.ScoreIDs)), rows: int64(t.Observations)}
		ok, err := s.meetsAll(months)
		if err != nil {
			return nil, err
		}
		if ok {
			kept = append(kept, s)
		}
	}
	return kept, nil
}

// Sessions folds every session of the project and cuts the page out of them.
func (m *Memory) Sessions(ctx context.Context, q tracestore.SessionQuery) ([]*tracestore.Session, error) {
	sessions, err := m.matchingSessions(ctx, q.ProjectID, q.Where)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(sessions, func(a, b *tracestore.Session) int {
		return cmp.Or(b.Start.Compare(a.Start), strings.Compare(b.ID, a.ID))
	})
	return cut(sessions, q.Offset, q.Limit), nil
}

// CountSessions counts the sessions that match.
func (m *Memory) CountSessions(ctx context.Context, projectID string, where []filter.Condition) (uint64, error) {
	sessions, err := m.matchingSessions(ctx, projectID, where)
	return uint64(len(sessions)), err
}

func (m *Memory) matchingSessions(ctx context.Context, projectID string, where []filter.Condition) ([]*tracestore.Session, error) {
	traces, err := m.Traces(ctx, tracestore.TraceQuery{ProjectID: projectID, Order: tracestore.TraceOrder{Asc: true}, Limit: everything})
	if err != nil {
		return nil, err
	}
	byID := map[string]*tracestore.Session{}
	for _, t := range traces { // the first one comes first
		if t.SessionID == "" {
			continue
		}
		if byID[t.SessionID] == nil {
			byID[t.SessionID] = &tracestore.Session{ProjectID: projectID, ID: t.SessionID, Start: t.Start, Environment: t.Environment}
		}
		byID[t.SessionID].Traces++
	}
	var matches []*tracestore.Session
	for _, s := range byID {
		ok, err := meetsAll(&model.Observation{SessionID: s.ID, Environment: s.Environment, StartTime: s.Start}, where)
		if err != nil {
			return nil, err
		}
		if ok {
			matches = append(matches, s)
		}
	}
	return matches, nil
}

// ObservationPlace walks there.
func (m *Memory) ObservationPlace(ctx context.Context, projectID string, where []filter.Condition, n int) (*filter.Position, error) {
	rows, err := m.Observations(ctx, tracestore.ObservationQuery{ProjectID: projectID, Where: where, Limit: n})
	if err != nil || len(rows) < n {
		return nil, err
	}
	at := positionOf(rows[n-1])
	return &at, nil
}

// ScorePlace walks there.
func (m *Memory) ScorePlace(ctx context.Context, projectID string, where []filter.Condition, n int) (*filter.Position, error) {
	rows, err := m.Scores(ctx, tracestore.ScoreQuery{ProjectID: projectID, Where: where, Limit: n})
	if err != nil || len(rows) < n {
		return nil, err
	}
	at := scorePosition(rows[n-1])
	return &at, nil
}

// CountScores counts the scores that match.
func (m *Memory) CountScores(ctx context.Context, projectID string, where []filter.Condition) (uint64, error) {
	rows, err := m.Scores(ctx, tracestore.ScoreQuery{ProjectID: projectID, Where: where, Limit: everything})
	return uint64(len(rows)), err
}
