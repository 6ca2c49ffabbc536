package query

import (
	"context"
	"fmt"
	"strings"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// TraceParts is a set of what can be shown of a trace beside its core.
type TraceParts struct{ IO, Scores, Observations, Metrics bool }

// ParseTraceParts reads a comma-separated list of names. An unknown name adds nothing; no list means all.
func ParseTraceParts(list string) TraceParts {
	names := SplitList(list)
	if len(names) == 0 {
		return TraceParts{true, true, true, true}
	}
	var parts TraceParts
	for _, name := range names {
		switch name {
		case "io":
			parts.IO = true
		case "scores":
			parts.Scores = true
		case "observations":
			parts.Observations = true
		case "metrics":
			parts.Metrics = true
		}
	}
	return parts
}

// traceOrders are the names that traces can be ordered by.
var traceOrders = map[string]filter.Column{
	"timestamp": filter.StartTime, "name": filter.TraceName, "userId": filter.UserID, "sessionId": filter.SessionID,
	"release": filter.Release, "environment": filter.Environment, "version": filter.CodeVersion,
}

// ParseTraceOrder reads an order such as timestamp.asc; none is timestamp.desc.
func ParseTraceOrder(text string) (tracestore.TraceOrder, error) {
	if text == "" {
		return tracestore.TraceOrder{}, nil
	}
	name, direction, _ := strings.Cut(text, ".")
	column, ok := traceOrders[name]
	if !ok || direction != "asc" && direction != "desc" {
		return tracestore.TraceOrder{}, fault.Invalidf("orderBy",
			"must be one of timestamp, name, userId, sessionId, release, environment, version, followed by .asc or .desc, such as timestamp.desc")
	}
	return tracestore.TraceOrder{By: column, Asc: direction == "asc"}, nil
}

// TraceRequest asks for a page of traces.
type TraceRequest struct {
	NumberedRequest
	Order tracestore.TraceOrder
	Parts TraceParts
}

// Traces returns a page of the traces of a project and how many there are in all.
func (s *Service) Traces(ctx context.Context, projectID string, req TraceRequest) ([]*tracestore.Trace, uint64, error) {
	where, err := req.where(filter.Traces)
	if err != nil {
		return nil, 0, err
	}
	total, err := s.store.CountTraces(ctx, projectID, where)
	if err != nil {
		return nil, 0, readFault(fmt.Errorf("count traces of project %s: %w", projectID, err), shorter)
	}
	skipped, ok := req.Number.skipped(total)
	if !ok {
		return nil, total, nil
	}
	traces, err := s.store.Traces(ctx, tracestore.TraceQuery{
		ProjectID: projectID, Where: where, Order: req.Order, Offset: skipped, Limit: req.Number.Limit,
		IO: req.Parts.IO, ObservationIDs: req.Parts.Observations, ScoreIDs: req.Parts.Scores,
	})
	if err != nil {
		return nil, 0, readFault(fmt.Errorf("read traces of project %s: %w", projectID, err), shorter)
	}
	return traces, total, nil
}

// TracesByID returns those of the given traces that are there, without texts, by id.
func (s *Service) TracesByID(ctx context.Context, projectID string, ids []string) (map[string]*tracestore.Trace, error) {
	found := map[string]*tracestore.Trace{}
	if len(ids) == 0 {
		return found, nil
	}
	traces, err := s.store.Traces(ctx, tracestore.TraceQuery{
		ProjectID: projectID, Where: []filter.Condition{filter.OneOf{Column: filter.TraceID, Values: ids}}, Limit: len(ids),
	})
	if err != nil {
		return nil, readFault(fmt.Errorf("read traces of project %s: %w", projectID, err), shorter)
	}
	for _, t := range traces {
		found[t.ID] = t
	}
	return found, nil
}

// MaxTraceRows is how many observations, and how many scores, a trace is shown with.
const MaxTraceRows = tracestore.MaxTraceIDs

// Trace returns one trace with its texts. fault.NotFound; fault.Exhausted for one with more than MaxTraceRows
// observations.
func (s *Service) Trace(ctx context.Context, projectID, id string) (*tracestore.Trace, error) {
	traces, err := s.store.Traces(ctx, tracestore.TraceQuery{
		ProjectID: projectID, Where: []filter.Condition{filter.OneOf{Column: filter.TraceID, Values: []string{id}}}, Limit: 1, IO: true,
	})
	switch {
	case err != nil:
		return nil, readFault(fmt.Errorf("read a trace of project %s: %w", projectID, err), shorter)
	case len(traces) == 0:
		return nil, fault.New(fault.NotFound, "There is no trace with this id in the project")
	case traces[0].Observations > MaxTraceRows:
		return nil, fault.New(fault.Exhausted, "The trace has %d observations, more than the %d that one answer holds", traces[0].Observations, MaxTraceRows).
			Hint("read them page by page with GET /api/public/v2/observations?traceId=...")
	}
	return traces[0], nil
}

// traceStep is how many rows of a trace are held at once.
const traceStep = 200

// TraceObservations calls show with all observations of a trace, oldest last, a few at a time.
func (s *Service) TraceObservations(ctx context.Context, projectID, traceID string, show func([]*model.Observation) error) error {
	q := tracestore.ObservationQuery{
		ProjectID: projectID, Where: []filter.Condition{filter.OneOf{Column: filter.TraceID, Values: []string{traceID}}, notTheTrace},
		Limit: traceStep, IO: true, Metadata: true,
	}
	for {
		rows, err := s.store.Observations(ctx, q)
		if err != nil {
			return readFault(fmt.Errorf("read a trace of project %s: %w", projectID, err), shorter)
		}
		if err := show(rows); err != nil || len(rows) < q.Limit {
			return err
		}
		last := rows[len(rows)-1]
		q.After = &filter.Position{StartTime: last.StartTime, TraceID: last.TraceID, ID: last.ID}
	}
}

// TraceScores returns the newest scores of a trace and of its observations, at most MaxTraceRows.
func (s *Service) TraceScores(ctx context.Context, projectID, traceID string) ([]*model.Score, error) {
	scores, err := s.store.Scores(ctx, tracestore.ScoreQuery{
		ProjectID: projectID, Limit: MaxTraceRows, Metadata: true,
		Where: append(OldScores(), filter.OneOf{Column: filter.TraceID, Values: []string{traceID}}),
	})
	if err != nil {
		return nil, readFault(fmt.Errorf("read the scores of a trace of project %s: %w", projectID, err), shorter)
	}
	return scores, nil
}

// OldScores are the conditions on scores that the first read of them knows: those of traces, without corrections.
func OldScores() []filter.Condition {
	return []filter.Condition{
		filter.OneOf{Column: filter.TraceID, Values: []string{""}, Not: true},
		filter.OneOf{Column: filter.DataType, Values: []string{string(model.Correction)}, Not: true},
	}
}

// MaxSessionTraces is how many traces a session is shown with, the newest.
const MaxSessionTraces = 1000

// Sessions returns a page of the sessions of a project and how many there are in all. Conditions are on
// StartTime and Environment.
func (s *Service) Sessions(ctx context.Context, projectID string, where []filter.Condition, number PageNumber) ([]*tracestore.Session, uint64, error) {
	where = within(where)
	total, err := s.store.CountSessions(ctx, projectID, where)
	if err != nil {
		return nil, 0, readFault(fmt.Errorf("count sessions of project %s: %w", projectID, err), shorter)
	}
	skipped, ok := number.skipped(total)
	if !ok {
		return nil, total, nil
	}
	sessions, err := s.store.Sessions(ctx, tracestore.SessionQuery{ProjectID: projectID, Where: where, Offset: skipped, Limit: number.Limit})
	if err != nil {
		return nil, 0, readFault(fmt.Errorf("read sessions of project %s: %w", projectID, err), shorter)
	}
	return sessions, total, nil
}

// Session returns one session and its newest traces with their texts. fault.NotFound.
func (s *Service) Session(ctx context.Context, projectID, id string) (*tracestore.Session, []*tracestore.Trace, error) {
	where := []filter.Condition{filter.OneOf{Column: filter.SessionID, Values: []string{id}}}
	sessions, err := s.store.Sessions(ctx, tracestore.SessionQuery{ProjectID: projectID, Where: where, Limit: 1})
	if err != nil {
		return nil, nil, readFault(fmt.Errorf("read a session of project %s: %w", projectID, err), shorter)
	}
	if len(sessions) == 0 || id == "" {
		return nil, nil, fault.New(fault.NotFound, "There is no session with this id in the project")
	}
	traces, err := s.store.Traces(ctx, tracestore.TraceQuery{ProjectID: projectID, Where: where, Limit: MaxSessionTraces, IO: true})
	if err != nil {
		return nil, nil, readFault(fmt.Errorf("read the traces of a session of project %s: %w", projectID, err), shorter)
	}
	return sessions[0], traces, nil
}
