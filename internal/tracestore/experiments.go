package tracestore

import (
	"context"
	"time"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
)

// Window is a range of start times.
type Window struct {
	From time.Time // inclusive
	To   time.Time // exclusive; zero: open
}

// Holds reports whether at lies in the window.
func (w Window) Holds(at time.Time) bool {
	return !at.Before(w.From) && (w.To.IsZero() || at.Before(w.To))
}

// Experiment is what the observations of a window say of the experiment that they are tagged with.
type Experiment struct {
	ID string
	// Name, Description, DatasetID and Metadata are those of the newest observation, in the order of
	// observation pages, that has one; each may come of another.
	Name, Description, DatasetID string
	Metadata                     []model.MetadataEntry

	Start  time.Time // of the first observation
	Latest time.Time // the start of the last one: where the experiment stands in the list
	End    time.Time // the latest end, Start when that is later or there is none
	Items  uint64    // distinct observations that stand for an item
}

// ExperimentQuery asks for one page of experiments: by Latest, then id, both descending.
type ExperimentQuery struct {
	ProjectID string
	Window    Window
	// Where looks at the experiment as it is shown: filter.ID, Name and DatasetID. OneOf, Text and IsSet apply.
	Where    []filter.Condition
	After    *filter.Position // StartTime is Latest and ID the experiment's; strictly below this; nil: from the top
	Limit    int
	Metadata bool // loads metadata
}

// ExperimentItem is one run of an item: the observation that stands for it, see IsExperimentItem.
type ExperimentItem struct {
	ID, TraceID        string
	StartTime, EndTime time.Time
	Level              model.Level
	Environment        string
	Experiment         model.Experiment
	Metadata           []model.MetadataEntry
	Input, Output      string
}

// IsExperimentItem reports whether o stands for an item: it is tagged with an experiment and an item and
// is the root that it names itself. It may have a parent.
func IsExperimentItem(o *model.Observation) bool {
	x := o.Experiment
	return x != nil && x.ID != "" && x.ItemID != "" && x.ItemRootID == o.ID
}

// ExperimentItemQuery asks for one page of items in the order of observation pages.
type ExperimentItemQuery struct {
	ProjectID string
	Window    Window
	// Where looks at what the observation itself says: filter.ExperimentID, ExperimentName,
	// ExperimentItemID and DatasetID. OneOf, Text and IsSet apply.
	Where []filter.Condition
	After *filter.Position // strictly below this; nil: from the top
	Limit int
	// IO loads input, output and expected output.
	IO bool
	// Metadata loads the observation's own, its experiment's and its item's.
	Metadata bool
}

// ScoreSubject is what a score is about: an experiment, an observation of a trace, or a trace.
type ScoreSubject struct{ ExperimentID, TraceID, ObservationID string }

// Experiments reads experiments. There is no table of them: an experiment is the observations that carry
// its id, and nothing is inherited from a trace.
//
// Promises:
//   - Only the newest version of an observation counts, and none when that is a tombstone or its trace was
//     deleted: one that a later version moved to another experiment counts there alone.
//   - A query sees observations and scores of its project only.
//   - Walking pages by After, an experiment or item whose observations do not change appears exactly once.
//     An experiment that only gains observations meanwhile never appears twice; one that was not reached
//     yet and gains an observation above the position is not shown in this walk.
//   - Reads wrap ErrTooExpensive when they run into their bound.
type Experiments interface {
	Experiments(ctx context.Context, q ExperimentQuery) ([]*Experiment, error)
	ExperimentItems(ctx context.Context, q ExperimentItemQuery) ([]*ExperimentItem, error)
	// NewestScores returns up to limit scores of every subject, corrections left out, by timestamp, then id,
	// then trace id, all descending. Whenever they were given, they count. A subject that names a trace alone
	// has the scores of the trace itself, not those of its observations. Metadata is not loaded.
	NewestScores(ctx context.Context, projectID string, subjects []ScoreSubject, limit int) ([]*model.Score, error)
}
