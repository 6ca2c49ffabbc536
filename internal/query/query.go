// Package query answers reads: it checks what is asked for, reads one page from the store and
// says where the next one starts.
package query

import (
	"context"
	"fmt"
	"time"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// The page sizes of observation reads.
const (
	DefaultLimit = 50
	MaxLimit     = 1000
)

// The times a store is asked about. Whatever a client sends beyond them means the same:
// no row started there.
var (
	earliest = time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC)
	latest   = time.Date(2262, 1, 1, 0, 0, 0, 0, time.UTC)
)

// Store is the part of the trace store that reads use.
type Store interface {
	Observations(ctx context.Context, q tracestore.ObservationQuery) ([]*model.Observation, error)
	CountObservations(ctx context.Context, projectID string, where []filter.Condition) (uint64, error)
	Scores(ctx context.Context, q tracestore.ScoreQuery) ([]*model.Score, error)
	tracestore.Experiments
	tracestore.Baselines
	tracestore.Metrics
	tracestore.Traces
	tracestore.Places
	tracestore.Lists
	tracestore.Skeletons
	tracestore.Texts
	tracestore.ScoreAnalytics
}

// Service answers reads of one store.
type Service struct{ store Store }

// New returns a service that reads from store.
func New(store Store) *Service { return &Service{store: store} }

// Request asks for a page of observations.
type Request struct {
	// Fixed are the conditions of the fixed parameters.
	Fixed []filter.Condition
	// Filter is the text of the filter parameter, a JSON array of conditions; empty: none.
	Filter string
	Groups Groups
	Limit  int    // 0 to MaxLimit
	Cursor string // empty: from the top
}

// Page is a part of a list of observations, newest first.
type Page struct {
	Rows   []*model.Observation
	Cursor string // where the next page starts; empty: this is the last one
}

// Observations returns one page of the observations of a project.
func (s *Service) Observations(ctx context.Context, projectID string, req Request) (Page, error) {
	q, err := plan(projectID, req)
	if err != nil {
		return Page{}, err
	}
	if req.Limit == 0 {
		return Page{}, nil
	}
	rows, err := s.store.Observations(ctx, q)
	if err != nil {
		return Page{}, readFault(fmt.Errorf("read observations of project %s: %w", projectID, err), cheaper(q.Where))
	}
	if len(rows) <= req.Limit {
		return Page{Rows: rows}, nil
	}
	rows = rows[:req.Limit]
	last := rows[len(rows)-1]
	return Page{
		Rows:   rows,
		Cursor: filter.EncodeCursor(filter.Position{StartTime: last.StartTime, TraceID: last.TraceID, ID: last.ID}),
	}, nil
}

// cheaper says what to ask for instead of what was too expensive.
func cheaper(where []filter.Condition) string {
	for _, c := range where {
		if c.On() == filter.Searched {
			return "set fromStartTime and toStartTime to a shorter range, or search for whole words with searchMode=phrase"
		}
	}
	return "set fromStartTime and toStartTime to a shorter range, ask for fewer fields or a smaller limit"
}

// plan turns a request into what the store is asked. It asks for one row more than the page
// holds: that row says whether there is a next page.
func plan(projectID string, req Request) (tracestore.ObservationQuery, error) {
	if req.Limit < 0 || req.Limit > MaxLimit {
		return tracestore.ObservationQuery{}, fault.Invalidf("limit", "must be between 0 and %d, got %d", MaxLimit, req.Limit)
	}
	advanced, err := filter.Parse(req.Filter, filter.Observations)
	if err != nil {
		return tracestore.ObservationQuery{}, err
	}
	after, err := position(req.Cursor)
	if err != nil {
		return tracestore.ObservationQuery{}, err
	}
	return tracestore.ObservationQuery{
		ProjectID: projectID,
		Where:     within(merge(req.Fixed, advanced)),
		After:     after,
		Limit:     req.Limit + 1,
		IO:        req.Groups.Has(IO),
		Metadata:  req.Groups.Has(Metadata),
		Brief:     req.Groups&detailed == 0,
		OwnOnly:   req.Groups&inheriting == 0,
	}, nil
}

func position(cursor string) (*filter.Position, error) {
	if cursor == "" {
		return nil, nil
	}
	p, err := filter.DecodeCursor(cursor)
	if err != nil {
		return nil, err
	}
	p.StartTime = bound(p.StartTime)
	return &p, nil
}

// within brings the times of conditions to the precision and the range of stored times.
func within(where []filter.Condition) []filter.Condition {
	for i, c := range where {
		if c, ok := c.(filter.Time); ok {
			c.At = bound(c.At)
			where[i] = c
		}
	}
	return where
}

func bound(at time.Time) time.Time {
	at = at.UTC().Truncate(time.Millisecond)
	switch {
	case at.Before(earliest):
		return earliest
	case at.After(latest):
		return latest
	}
	return at
}
