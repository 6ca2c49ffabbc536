package query

import (
	"context"
	"fmt"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/tracestore"
)

// MaxRuns is how many runs of datasets, and MaxRunItems how many items of one run, a read that has
// numbered pages or none goes through.
const (
	MaxRuns     = 1000
	MaxRunItems = 10_000
)

const runAdvice = "read GET /api/public/experiments and GET /api/public/experiment-items instead, in ranges of time"

// Runs returns the experiments on datasets, of all times, the latest first: those of some datasets, and of
// a name unless that is empty. fault.Exhausted when they are more than MaxRuns.
func (s *Service) Runs(ctx context.Context, projectID string, datasetIDs []string, name string) ([]*tracestore.Experiment, error) {
	if len(datasetIDs) == 0 {
		return nil, nil
	}
	where := []filter.Condition{filter.OneOf{Column: filter.DatasetID, Values: datasetIDs}}
	if name != "" {
		where = append(where, filter.OneOf{Column: filter.Name, Values: []string{name}})
	}
	rows, err := s.store.Experiments(ctx, tracestore.ExperimentQuery{
		ProjectID: projectID, Window: tracestore.Window{From: earliest}, Where: where, Limit: MaxRuns + 1, Metadata: true,
	})
	if err != nil {
		return nil, readFault(fmt.Errorf("read runs of project %s: %w", projectID, err), runAdvice)
	}
	if len(rows) > MaxRuns {
		return nil, fault.New(fault.Exhausted, "There are more than %d runs, too many to be counted", MaxRuns).Hint(runAdvice)
	}
	return rows, nil
}

// RunItems returns some items of an experiment, newest first, without texts and metadata. fault.Exhausted
// beyond MaxRunItems.
func (s *Service) RunItems(ctx context.Context, projectID, experimentID string, offset, limit int) ([]*tracestore.ExperimentItem, error) {
	const step = 1000
	if offset+limit > MaxRunItems {
		return nil, fault.New(fault.Exhausted, "A run can be read up to item %d here", MaxRunItems).Hint(runAdvice)
	}
	q := tracestore.ExperimentItemQuery{
		ProjectID: projectID, Window: tracestore.Window{From: earliest},
		Where: []filter.Condition{filter.OneOf{Column: filter.ExperimentID, Values: []string{experimentID}}},
	}
	var found []*tracestore.ExperimentItem
	for seen := 0; seen < offset+limit; {
		q.Limit = min(step, offset+limit-seen)
		rows, err := s.store.ExperimentItems(ctx, q)
		if err != nil {
			return nil, readFault(fmt.Errorf("read items of a run of project %s: %w", projectID, err), runAdvice)
		}
		found = append(found, rows[min(max(offset-seen, 0), len(rows)):]...)
		seen += len(rows)
		if len(rows) < q.Limit {
			break
		}
		last := rows[len(rows)-1]
		q.After = &filter.Position{StartTime: last.StartTime, TraceID: last.TraceID, ID: last.ID}
	}
	return found, nil
}
