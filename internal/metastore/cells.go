package metastore

import (
	"context"
	"regexp"
	"time"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
)

// Cells keeps which cell serves a project, and leads it through a move: it begins, the project is held, it switches, it
// ends. Each step is refused with ErrInUse unless the one before was taken, so that of several that move a project at once
// at most one gets to the end.
type Cells interface {
	// Placement says where a project is served. ErrNotFound.
	Placement(ctx context.Context, projectID string) (model.Placement, error)
	// BeginMove notes that a project that the cell from serves is on its way to another. Beginning the same again is
	// beginning once. ErrInUse when it is elsewhere, on its way elsewhere, being erased, or its last move has not ended.
	BeginMove(ctx context.Context, projectID, from, to string) error
	// HoldProject keeps everybody from writing to a project on its way until a time, or longer than before.
	HoldProject(ctx context.Context, projectID string, until time.Time) error
	// KeepHolding does the same if the project has been held without a gap until now. ErrInUse when it has not.
	KeepHolding(ctx context.Context, projectID string, now, until time.Time) error
	// SwitchCell has the other cell serve the project and lets it be written to, if it is held at least until a time. It
	// was held until now, which its placement says as long as the move has not ended.
	SwitchCell(ctx context.Context, projectID, from, to string, now, heldUntil time.Time) error
	// EndMove ends a move that is in the given phase: one that is copying is given up, and the project let go; one that
	// switched is done.
	EndMove(ctx context.Context, projectID string, phase model.MovePhase) error
}

var cellName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`)

// CheckCell refuses with fault.Invalid what no cell is called. The empty name is that of the cell without one.
func CheckCell(name string) error {
	if name != "" && !cellName.MatchString(name) {
		return fault.Invalidf("cell", "must be a name of up to 32 lower-case letters, digits and dashes, got %.40q", name)
	}
	return nil
}
