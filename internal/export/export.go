// Package export writes observations, scores and experiments to blob storage on a schedule.
//
// An export goes window by window. A window is a range of times at which the server accepted row
// versions, and the windows of a project follow each other without gap or overlap. A row belongs to the
// window of its newest version, so that data that starts in the past but arrives today is in today's
// window, and a row that changes later is exported again in the window of the change.
//
// Promises:
//   - Once a window is done, every row whose newest version was accepted in it is in exactly one file of
//     it. A version that was never the newest one while its window was exported is in no file.
//   - A file is there whole or not at all, and its name depends on nothing but the settings, the window,
//     the kind of rows and its number. A run that was interrupted writes the file it was at again, under
//     the same name, and goes on behind it.
//   - A row that was deleted before it was read is in no file.
//
// Limit: rows that come back from dead letters, and costs that a re-pricing job wrote, keep the time of
// acceptance of their request. Export its time range again, as a job of its own.
package export

import (
	"context"
	"time"

	"github.com/sondehq/sonde/internal/blob"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// Kind is the name of the job.
const Kind = "export"

// Store is what exports read.
type Store interface {
	Observations(ctx context.Context, q tracestore.ObservationQuery) ([]*model.Observation, error)
	Scores(ctx context.Context, q tracestore.ScoreQuery) ([]*model.Score, error)
}

// Horizon tells up to when every row version that the server accepted is in the store.
type Horizon interface {
	// Settled is that time. It never promises a row that still may come, but for dead letters.
	Settled(ctx context.Context) (time.Time, error)
}

// Targets opens places that exports write to.
type Targets interface {
	// Check refuses with fault.Invalid settings of a place that nothing may be written to.
	Check(settings model.ExportSettings) error
	// Open opens the place; the caller calls close when it is done. Check goes first.
	Open(settings model.ExportSettings, secret string) (place blob.Store, done func(), err error)
}

// kinds of rows, in the order in which they are exported. The names are parts of file names: never
// change one.
const (
	observations = "observations"
	scores       = "scores"
	experiments  = "experiments"
)

var kinds = []string{observations, scores, experiments}

// record is a row of any kind.
type record struct {
	observation *model.Observation
	score       *model.Score
}

func (r record) position() *filter.Position {
	if r.score != nil {
		return &filter.Position{StartTime: r.score.Timestamp, TraceID: r.score.TraceID, ID: r.score.ID}
	}
	return &filter.Position{StartTime: r.observation.StartTime, TraceID: r.observation.TraceID, ID: r.observation.ID}
}
