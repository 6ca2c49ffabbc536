package tracestore

import (
	"context"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
)

// ScoreQuery asks for one page of scores of one project: timestamp descending, then id, then trace id.
type ScoreQuery struct {
	ProjectID string
	// Where looks at the score itself, but for filter.UserID and filter.Tags: those are what its trace lends,
	// and a score without a trace has neither.
	Where    []filter.Condition
	After    *filter.Position // StartTime is the score's timestamp; strictly below this; nil: from the top
	Limit    int
	Metadata bool // loads metadata
}

// Scores holds scores.
//
// Promises: when InsertScores returns nil the rows are on disk and visible to the next read. Among rows
// with the same project, timestamp, id and trace only the highest version is ever read, and none when it
// is a tombstone, or when a tombstone of its trace or its id (see Tombstones) hides it. A query sees
// scores of its project only. Walking pages by After, a score that does not change appears exactly once.
type Scores interface {
	InsertScores(ctx context.Context, scores []*model.Score) error
	Scores(ctx context.Context, q ScoreQuery) ([]*model.Score, error)
}
