// Package flagging marks traces: public ones may be shown to anybody who has the link, bookmarked ones stand out in
// lists.
package flagging

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/partial"
	"github.com/sondehq/sonde/internal/tracestore"
)

// Store is the part of the trace store that flags lie in.
type Store interface {
	Traces(ctx context.Context, q tracestore.TraceQuery) ([]*tracestore.Trace, error)
	TraceProjects(ctx context.Context, traceID string, limit int) ([]string, error)
	Observations(ctx context.Context, q tracestore.ObservationQuery) ([]*model.Observation, error)
	tracestore.Amender
}

// Flags says what to change; nil: stays as it is.
type Flags struct{ Public, Bookmarked *bool }

// Service sets the flags of traces.
type Service struct{ store Store }

// New returns a service on a store.
func New(store Store) *Service { return &Service{store: store} }

// Set changes the flags of a trace, which are those of its root. A root that a client told of by events is made anew
// from all of them whenever another comes, so there the change is an event, too: Set returns it, and the caller
// hands it to the log. Other roots have the change when Set returns. fault.NotFound.
//
// Limit: a root that its client sends again as a span has the flags that the client gives it.
func (s *Service) Set(ctx context.Context, projectID, traceID string, flags Flags) (*partial.Event, error) {
	trace, err := s.trace(ctx, projectID, traceID)
	if err != nil {
		return nil, err
	}
	if trace == nil {
		return nil, fault.New(fault.NotFound, "There is no trace with this id in the project")
	}
	if trace.RootID == model.TraceRowID(traceID) {
		return flagEvent(traceID, flags)
	}
	return nil, s.amend(ctx, trace, flags)
}

// trace returns a trace of a project, nil when it has none with the id.
func (s *Service) trace(ctx context.Context, projectID, traceID string) (*tracestore.Trace, error) {
	traces, err := s.store.Traces(ctx, tracestore.TraceQuery{
		ProjectID: projectID, Where: []filter.Condition{filter.OneOf{Column: filter.TraceID, Values: []string{traceID}}}, Limit: 1,
	})
	if err != nil {
		return nil, fmt.Errorf("read the flags of a trace: %w", err)
	}
	if len(traces) == 0 {
		return nil, nil //nolint:nilnil // as it says
	}
	return traces[0], nil
}

func flagEvent(traceID string, flags Flags) (*partial.Event, error) {
	body, err := json.Marshal(struct {
		ID         string `json:"id"`
		Public     *bool  `json:"public,omitempty"`
		Bookmarked *bool  `json:"bookmarked,omitempty"`
	}{traceID, flags.Public, flags.Bookmarked})
	if err != nil {
		return nil, fmt.Errorf("encode flags: %w", err)
	}
	event, _, err := partial.ParseSingle(body, partial.Trace, "id", time.Now())
	return &event, err
}

func (s *Service) amend(ctx context.Context, trace *tracestore.Trace, flags Flags) error {
	rows, err := s.store.Observations(ctx, tracestore.ObservationQuery{
		ProjectID: trace.ProjectID, Limit: 1, Metadata: true, OwnOnly: true, Where: []filter.Condition{
			filter.OneOf{Column: filter.TraceID, Values: []string{trace.ID}},
			filter.OneOf{Column: filter.ID, Values: []string{trace.RootID}},
			filter.Time{Column: filter.StartTime, Op: filter.AtLeast, At: trace.RootStart},
			filter.Time{Column: filter.StartTime, Op: filter.AtMost, At: trace.RootStart},
		},
	})
	if err != nil {
		return fmt.Errorf("read the root to flag: %w", err)
	}
	if len(rows) == 0 { // it went since the trace was read
		return fault.New(fault.NotFound, "There is no trace with this id in the project")
	}
	root := rows[0]
	if flags.Public != nil {
		root.Public = *flags.Public
	}
	if flags.Bookmarked != nil {
		root.Bookmarked = *flags.Bookmarked
	}
	root.Version++
	if err := s.store.Amend(ctx, []*model.Observation{root}); err != nil {
		return fault.Unavailablef("the trace store does not take changes now").Because(fmt.Errorf("flag a trace: %w", err))
	}
	return nil
}
