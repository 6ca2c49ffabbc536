package query

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// The page sizes of reads of experiments and of their items, and how many scores each of them shows.
const (
	DefaultExperimentLimit = 50
	MaxExperimentLimit     = 100
	MaxExperimentScores    = 50 // also the default
)

// ExperimentRequest asks for a page of experiments or of items.
type ExperimentRequest struct {
	Window tracestore.Window
	// Fixed are the conditions of the fixed parameters.
	Fixed []filter.Condition
	// Filter is the text of the filter parameter, a JSON array of conditions; empty: none.
	Filter string
	// IO, of items only, loads texts.
	IO       bool
	Metadata bool
	Scores   bool
	// ScoreLimit is how many of the newest scores each shows, 1 to MaxExperimentScores.
	ScoreLimit int
	Limit      int    // 1 to MaxExperimentLimit
	Cursor     string // empty: from the top
}

// ScoredExperiment is an experiment with the scores of the run itself, newest first.
type ScoredExperiment struct {
	*tracestore.Experiment
	Scores []*model.Score
}

// ExperimentPage is a part of a list of experiments, the latest first.
type ExperimentPage struct {
	Rows   []ScoredExperiment
	Cursor string // where the next page starts; empty: this is the last one
}

// ScoredItem is an item with the scores of its observation and of its trace, newest first.
type ScoredItem struct {
	*tracestore.ExperimentItem
	Scores []*model.Score
}

// ExperimentItemPage is a part of a list of items, newest first.
type ExperimentItemPage struct {
	Rows   []ScoredItem
	Cursor string // where the next page starts; empty: this is the last one
}

const experimentAdvice = "set fromStartTime and toStartTime to a shorter range, name experiments by their id, ask for fewer fields or a smaller limit"

// Experiments returns one page of the experiments of a project.
func (s *Service) Experiments(ctx context.Context, projectID string, req ExperimentRequest) (ExperimentPage, error) {
	where, after, err := experimentPlan(&req, filter.Experiments)
	if err != nil {
		return ExperimentPage{}, err
	}
	// One more than the page holds says whether there is a next one.
	rows, err := s.store.Experiments(ctx, tracestore.ExperimentQuery{
		ProjectID: projectID, Window: req.Window, Where: where, After: after, Limit: req.Limit + 1, Metadata: req.Metadata,
	})
	if err != nil {
		return ExperimentPage{}, readFault(fmt.Errorf("read experiments of project %s: %w", projectID, err), experimentAdvice)
	}
	var page ExperimentPage
	if len(rows) > req.Limit {
		rows = rows[:req.Limit]
		last := rows[len(rows)-1]
		page.Cursor = filter.EncodeCursor(filter.Position{StartTime: last.Latest, ID: last.ID})
	}
	var subjects []tracestore.ScoreSubject
	for _, x := range rows {
		subjects = append(subjects, tracestore.ScoreSubject{ExperimentID: x.ID})
	}
	scores, err := s.newestScores(ctx, projectID, req, subjects)
	if err != nil {
		return ExperimentPage{}, err
	}
	for i, x := range rows {
		page.Rows = append(page.Rows, ScoredExperiment{x, scores[subjects[i]]})
	}
	return page, nil
}

// ExperimentItems returns one page of the items of a project's experiments.
func (s *Service) ExperimentItems(ctx context.Context, projectID string, req ExperimentRequest) (ExperimentItemPage, error) {
	where, after, err := experimentPlan(&req, filter.ExperimentItems)
	if err != nil {
		return ExperimentItemPage{}, err
	}
	rows, err := s.store.ExperimentItems(ctx, tracestore.ExperimentItemQuery{
		ProjectID: projectID, Window: req.Window, Where: where, After: after, Limit: req.Limit + 1, IO: req.IO, Metadata: req.Metadata,
	})
	if err != nil {
		return ExperimentItemPage{}, readFault(fmt.Errorf("read experiment items of project %s: %w", projectID, err), experimentAdvice)
	}
	var page ExperimentItemPage
	if len(rows) > req.Limit {
		rows = rows[:req.Limit]
		last := rows[len(rows)-1]
		page.Cursor = filter.EncodeCursor(filter.Position{StartTime: last.StartTime, TraceID: last.TraceID, ID: last.ID})
	}
	var subjects []tracestore.ScoreSubject
	for _, item := range rows {
		subjects = append(subjects, ofObservation(item), ofTrace(item))
	}
	scores, err := s.newestScores(ctx, projectID, req, subjects)
	if err != nil {
		return ExperimentItemPage{}, err
	}
	for _, item := range rows {
		both := slices.Concat(scores[ofObservation(item)], scores[ofTrace(item)])
		slices.SortFunc(both, func(a, b *model.Score) int {
			return cmp.Or(b.Timestamp.Compare(a.Timestamp), strings.Compare(b.ID, a.ID))
		})
		page.Rows = append(page.Rows, ScoredItem{item, both[:min(len(both), req.ScoreLimit)]})
	}
	return page, nil
}

func ofObservation(item *tracestore.ExperimentItem) tracestore.ScoreSubject {
	return tracestore.ScoreSubject{TraceID: item.TraceID, ObservationID: item.ID}
}

func ofTrace(item *tracestore.ExperimentItem) tracestore.ScoreSubject {
	return tracestore.ScoreSubject{TraceID: item.TraceID}
}

// experimentPlan checks a request, brings its window to the precision and the range of stored times, and
// returns its conditions and where it starts.
func experimentPlan(req *ExperimentRequest, columns filter.Catalog) ([]filter.Condition, *filter.Position, error) {
	if req.Limit < 1 || req.Limit > MaxExperimentLimit {
		return nil, nil, fault.Invalidf("limit", "must be between 1 and %d, got %d", MaxExperimentLimit, req.Limit)
	}
	if req.ScoreLimit < 1 || req.ScoreLimit > MaxExperimentScores {
		return nil, nil, fault.Invalidf("scoreLimit", "must be between 1 and %d, got %d", MaxExperimentScores, req.ScoreLimit)
	}
	advanced, err := filter.Parse(req.Filter, columns)
	if err != nil {
		return nil, nil, err
	}
	after, err := position(req.Cursor)
	if err != nil {
		return nil, nil, err
	}
	req.Window = boundWindow(req.Window)
	return merge(req.Fixed, advanced), after, nil
}

// newestScores reads scores by subject if the request wants them.
func (s *Service) newestScores(ctx context.Context, projectID string, req ExperimentRequest, subjects []tracestore.ScoreSubject) (map[tracestore.ScoreSubject][]*model.Score, error) {
	if !req.Scores || len(subjects) == 0 {
		return nil, nil
	}
	scores, err := s.store.NewestScores(ctx, projectID, subjects, req.ScoreLimit)
	if err != nil {
		return nil, readFault(fmt.Errorf("read scores of experiments of project %s: %w", projectID, err), experimentAdvice)
	}
	bySubject := map[tracestore.ScoreSubject][]*model.Score{}
	for _, score := range scores {
		subject := tracestore.ScoreSubject{ExperimentID: score.ExperimentID, TraceID: score.TraceID, ObservationID: score.ObservationID}
		bySubject[subject] = append(bySubject[subject], score)
	}
	return bySubject, nil
}
