package metastore

import (
	"context"
	"time"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
)

// MaxScoreConfigs is how many score configs a project may have, archived ones included.
const MaxScoreConfigs = 1000

// ScoreConfigs keeps the score configs of projects. Ids are unique within a project, names need not
// be; projects do not see each other's. What cannot be stored is refused with fault.Invalid.
type ScoreConfigs interface {
	// CreateScoreConfig adds a config to a project. ErrExists when the project has its id already,
	// ErrNotFound when there is no such project, fault.Invalid when the project has MaxScoreConfigs.
	CreateScoreConfig(ctx context.Context, config model.ScoreConfig) error
	// UpdateScoreConfig replaces a config whole, its type and time of creation apart, if it was last
	// changed at the given time; else, and when there is none, ErrNotFound. Of several that replace
	// the same state, exactly one does, provided that each brings another time.
	UpdateScoreConfig(ctx context.Context, config model.ScoreConfig, changed time.Time) error
	// ScoreConfig returns one config of a project. ErrNotFound.
	ScoreConfig(ctx context.Context, projectID, id string) (model.ScoreConfig, error)
	// ScoreConfigs returns all configs of a project, the newest first, then by id.
	ScoreConfigs(ctx context.Context, projectID string) ([]model.ScoreConfig, error)
}

// CheckScoreConfig refuses with fault.Invalid a config that cannot be stored.
func CheckScoreConfig(c model.ScoreConfig, categories string) error {
	return first(
		CheckID("project id", c.ProjectID),
		CheckID("id", c.ID),
		CheckID("name", c.Name),
		CheckID("dataType", string(c.Type)),
		checkDocument("description", c.Description),
		checkDocument("categories", categories),
	)
}

// TooManyScoreConfigs is the fault of a project that has MaxScoreConfigs.
func TooManyScoreConfigs() error {
	return fault.New(fault.Invalid, "A project can have at most %d score configs", MaxScoreConfigs).
		Hint("change one that is not needed any more")
}
