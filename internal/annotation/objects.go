package annotation

import (
	"context"
	"errors"
	"fmt"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// Traces is the part of the trace store that tells what there is.
type Traces interface {
	Observations(ctx context.Context, q tracestore.ObservationQuery) ([]*model.Observation, error)
}

// columns are where the ids of objects are found in observations: a trace or a session is there when one of its
// observations is.
var columns = map[model.ObjectType]filter.Column{
	model.TraceObject: filter.TraceID, model.ObservationObject: filter.ID, model.SessionObject: filter.SessionID,
}

func (s *Service) exists(ctx context.Context, projectID string, kind model.ObjectType, id string) (bool, error) {
	if kind == model.PromptObject {
		if s.prompts == nil {
			return false, nil
		}
		return s.prompts.PromptExists(ctx, projectID, id)
	}
	column, known := columns[kind]
	if !known {
		return false, fault.Invalidf("objectType", "must be one of TRACE, OBSERVATION, SESSION, PROMPT")
	}
	if s.traces == nil {
		return false, nil
	}
	rows, err := s.traces.Observations(ctx, tracestore.ObservationQuery{
		ProjectID: projectID, Where: []filter.Condition{filter.OneOf{Column: column, Values: []string{id}}}, Limit: 1, Brief: true, OwnOnly: true,
	})
	if errors.Is(err, tracestore.ErrTooExpensive) {
		return false, fault.New(fault.Exhausted, "Looking for the object takes more time or memory than one request may use").
			Hint("try again").Because(err)
	}
	if err != nil {
		return false, fmt.Errorf("look for %s in project %s: %w", kind, projectID, err)
	}
	return len(rows) > 0, nil
}
