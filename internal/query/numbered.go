package query

import (
	"context"
	"fmt"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// PageNumber says which page of a list is wanted: the Page-th of those of Limit rows, from 1.
type PageNumber struct{ Page, Limit int }

// skipped is how many rows come before the page; ok is false when there are not so many.
func (n PageNumber) skipped(total uint64) (skipped int, ok bool) {
	if total == 0 || uint64(n.Page-1) > (total-1)/uint64(n.Limit) { // a page far out must not overflow
		return 0, false
	}
	return (n.Page - 1) * n.Limit, true
}

// NumberedRequest asks for a page by its number.
type NumberedRequest struct {
	// Fixed are the conditions of the fixed parameters.
	Fixed []filter.Condition
	// Always are conditions that the filter parameter does not replace.
	Always []filter.Condition
	// Filter is the text of the filter parameter; empty: none.
	Filter string
	Number PageNumber
}

// where are the conditions of a request in terms of a catalog.
func (r NumberedRequest) where(c filter.Catalog) ([]filter.Condition, error) {
	advanced, err := filter.Parse(r.Filter, c)
	if err != nil {
		return nil, err
	}
	return within(append(merge(r.Fixed, advanced), r.Always...)), nil
}

// notTheTrace leaves out rows that stand for their trace: older reads know traces and observations apart.
var notTheTrace = filter.IsTrue{Column: filter.StandsForTrace, Want: false}

// shorter says what to ask for instead of what was too expensive.
const shorter = "set the bounds of time to a shorter range, or use the newer read that this one is deprecated for"

// NumberedObservations returns a page of complete observations and how many there are in all.
func (s *Service) NumberedObservations(ctx context.Context, projectID string, req NumberedRequest) ([]*model.Observation, uint64, error) {
	where, err := req.where(filter.Observations)
	if err != nil {
		return nil, 0, err
	}
	where = append(where, notTheTrace)
	total, err := s.store.CountObservations(ctx, projectID, where)
	if err != nil {
		return nil, 0, readFault(fmt.Errorf("count observations of project %s: %w", projectID, err), shorter)
	}
	skipped, ok := req.Number.skipped(total)
	if !ok {
		return nil, total, nil
	}
	q := tracestore.ObservationQuery{ProjectID: projectID, Where: where, Limit: req.Number.Limit, IO: true, Metadata: true}
	if skipped > 0 {
		q.After, err = s.store.ObservationPlace(ctx, projectID, where, skipped)
		if err == nil && q.After == nil { // rows went away since they were counted
			return nil, total, nil
		}
	}
	var rows []*model.Observation
	if err == nil {
		rows, err = s.store.Observations(ctx, q)
	}
	if err != nil {
		return nil, 0, readFault(fmt.Errorf("read observations of project %s: %w", projectID, err), shorter)
	}
	return rows, total, nil
}

// Observation returns the newest row with an id, complete. fault.NotFound.
func (s *Service) Observation(ctx context.Context, projectID, id string) (*model.Observation, error) {
	rows, err := s.store.Observations(ctx, tracestore.ObservationQuery{
		ProjectID: projectID, Where: []filter.Condition{filter.OneOf{Column: filter.ID, Values: []string{id}}, notTheTrace}, Limit: 1, IO: true, Metadata: true,
	})
	if err != nil {
		return nil, readFault(fmt.Errorf("read an observation of project %s: %w", projectID, err), shorter)
	}
	if len(rows) == 0 {
		return nil, fault.New(fault.NotFound, "There is no observation with this id in the project")
	}
	return rows[0], nil
}

// NumberedScores returns a page of scores with their metadata and how many there are in all.
func (s *Service) NumberedScores(ctx context.Context, projectID string, req NumberedRequest) ([]*model.Score, uint64, error) {
	where, err := req.where(filter.NumberedScores)
	if err != nil {
		return nil, 0, err
	}
	total, err := s.store.CountScores(ctx, projectID, where)
	if err != nil {
		return nil, 0, readFault(fmt.Errorf("count scores of project %s: %w", projectID, err), shorter)
	}
	skipped, ok := req.Number.skipped(total)
	if !ok {
		return nil, total, nil
	}
	q := tracestore.ScoreQuery{ProjectID: projectID, Where: where, Limit: req.Number.Limit, Metadata: true}
	if skipped > 0 {
		q.After, err = s.store.ScorePlace(ctx, projectID, where, skipped)
		if err == nil && q.After == nil {
			return nil, total, nil
		}
	}
	var rows []*model.Score
	if err == nil {
		rows, err = s.store.Scores(ctx, q)
	}
	if err != nil {
		return nil, 0, readFault(fmt.Errorf("read scores of project %s: %w", projectID, err), shorter)
	}
	return rows, total, nil
}

// Score returns the score with an id that meets the conditions. fault.NotFound.
func (s *Service) Score(ctx context.Context, projectID, id string, where ...filter.Condition) (*model.Score, error) {
	rows, err := s.store.Scores(ctx, tracestore.ScoreQuery{
		ProjectID: projectID, Where: append(where, filter.OneOf{Column: filter.ID, Values: []string{id}}), Limit: 1, Metadata: true,
	})
	if err != nil {
		return nil, readFault(fmt.Errorf("read a score of project %s: %w", projectID, err), shorter)
	}
	if len(rows) == 0 {
		return nil, fault.New(fault.NotFound, "There is no score with this id in the project")
	}
	return rows[0], nil
}
