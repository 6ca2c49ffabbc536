package flagging

import (
	"context"
	"errors"
	"fmt"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/tracestore"
)

// ErrNotShared is the one answer for a trace that is not there, is not public, or is not told apart from another: who
// guesses ids learns nothing by it.
var ErrNotShared = fault.New(fault.NotFound, "There is no shared trace with this id")

// mostNamesakes is how many projects with a trace of the same id are looked at.
const mostNamesakes = 16

// Shared finds the project whose trace with this id everybody may see. Anybody can send a trace with the id of another's,
// so a link says whose trace it means; projectID may be empty for an address that was made without, and then only a trace
// that is alone in being public is found. Always ErrNotShared, a fault.NotFound, or an error of the store.
func (s *Service) Shared(ctx context.Context, traceID, projectID string) (string, error) {
	candidates := []string{projectID}
	if projectID == "" {
		var err error
		candidates, err = s.store.TraceProjects(ctx, traceID, mostNamesakes)
		if err != nil {
			return "", sharedFault(err)
		}
	}
	found := ""
	for _, candidate := range candidates {
		trace, err := s.trace(ctx, candidate, traceID)
		switch {
		case err != nil:
			return "", sharedFault(err)
		case trace == nil || !trace.Public:
		case found != "":
			return "", ErrNotShared
		default:
			found = candidate
		}
	}
	if found == "" {
		return "", ErrNotShared
	}
	return found, nil
}

// sharedFault says what callers may know of an error of the store.
func sharedFault(err error) error {
	err = fmt.Errorf("find a shared trace: %w", err)
	if errors.Is(err, tracestore.ErrTooExpensive) {
		return fault.Unavailablef("The trace cannot be looked for now").Because(err)
	}
	return err
}
