// Package query answers reads: it checks what is asked for, reads one page from the store and
// says where the next one starts.
package query

import (
	"context"
	"errors"
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
	switch {
	case errors.Is(err, tracestore.ErrTooExpensive):
		return Page{}, fault.New(fault.Exhausted, "The request needs more time or memory than one request may use").
			Hint("set fromStartTime and toStartTime to a shorter range, ask for fewer fields or a smaller limit").Because(err)
	case err != nil:
		return Page{}, fmt.Errorf("read observations of project %s: %w", projectID, err)
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

// plan turns a request into what the store is asked. It asks for one row more than the page
// holds: that row says whether there is a next page.
func plan(projectID string, req Request) (tracestore.ObservationQuery, error) {
	if req.Limit < 0 || req.Limit > MaxLimit {
		return tracestore.ObservationQuery{}, fault.Invalidf("limit", "must be between 0 and %d, got %d", MaxLimit, req.Limit)
	}
	advanced, err := parseFilter(req.Filter)
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
		OwnOnly:   req.Groups&inheriting == 0,
	}, nil
}

func position(cursor string) (*filter.Position, error) {
	if cursor == "" {
		return nil, nil
	}
	p, err := filter.DecodeCursor(cursor)
	if err != nil {
		// The contract fixes this text, so the hint of the codec stays out of it.
		return nil, fault.New(fault.Invalid, "Invalid cursor format").Because(err)
	}
	p.StartTime = bound(p.StartTime)
	return &p, nil
}

// within brings the times of conditions to the precision and the range of stored times.
func within(where []filter.Condition) []filter.Condition {
	for i, c := range where {
		switch c := c.(type) {
		case filter.Since:
			c.At = bound(c.At)
			where[i] = c
		case filter.Before:
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
