package query

import (
	"context"
	"errors"
	"fmt"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// The page sizes of score reads.
const (
	DefaultScoreLimit = 50
	MaxScoreLimit     = 100
)

// ScoreRequest asks for a page of scores.
type ScoreRequest struct {
	Fixed    []filter.Condition // of the fixed parameters
	Filter   string             // of the filter parameter, as in Request; empty: none
	Metadata bool
	Limit    int    // 1 to MaxScoreLimit
	Cursor   string // empty: from the top
}

// ScorePage is a part of a list of scores, newest first.
type ScorePage struct {
	Rows   []*model.Score
	Cursor string // where the next page starts; empty: this is the last one
}

// Scores returns one page of the scores of a project.
func (s *Service) Scores(ctx context.Context, projectID string, req ScoreRequest) (ScorePage, error) {
	if req.Limit < 1 || req.Limit > MaxScoreLimit {
		return ScorePage{}, fault.Invalidf("limit", "must be between 1 and %d, got %d", MaxScoreLimit, req.Limit)
	}
	after, err := position(req.Cursor)
	if err != nil {
		return ScorePage{}, err
	}
	advanced, err := filter.Parse(req.Filter, filter.Scores)
	if err != nil {
		return ScorePage{}, err
	}
	// One more than the page holds says whether there is a next one.
	rows, err := s.store.Scores(ctx, tracestore.ScoreQuery{
		ProjectID: projectID, Where: within(merge(req.Fixed, advanced)), After: after, Limit: req.Limit + 1, Metadata: req.Metadata,
	})
	if err != nil {
		return ScorePage{}, readFault(fmt.Errorf("read scores of project %s: %w", projectID, err),
			"set fromTimestamp and toTimestamp to a shorter range, or name a trace, a session or an experiment")
	}
	if len(rows) <= req.Limit {
		return ScorePage{Rows: rows}, nil
	}
	last := rows[req.Limit-1]
	return ScorePage{
		Rows:   rows[:req.Limit],
		Cursor: filter.EncodeCursor(filter.Position{StartTime: last.Timestamp, TraceID: last.TraceID, ID: last.ID}),
	}, nil
}

// readFault tells a caller whose read ran into its bounds what to ask instead.
func readFault(err error, advice string) error {
	if !errors.Is(err, tracestore.ErrTooExpensive) {
		return err
	}
	return fault.New(fault.Exhausted, "The request needs more time or memory than one request may use").Hint(advice).Because(err)
}
