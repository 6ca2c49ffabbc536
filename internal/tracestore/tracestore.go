// Package tracestore is the port to the analytics store that holds observations.
package tracestore

import (
	"context"
	"errors"
	"time"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
)

// ErrRefused is wrapped by Insert when the store looked at the rows and will never take them
// as they are. Every other error means "not now": the same batch may be tried again.
var ErrRefused = errors.New("the store refuses these rows")

// ErrTooExpensive is wrapped by reads that ran into their bound on time, rows or memory.
var ErrTooExpensive = errors.New("the read ran into its bound")

// ErrTextGone is wrapped by ReadText when the text has changed since it was found.
var ErrTextGone = errors.New("the text has changed")

// ObservationQuery asks for one page of observations of one project, newest first:
// start time descending, then xxHash32 of the trace id, span id and trace id, all descending.
type ObservationQuery struct {
	ProjectID string
	Where     []filter.Condition
	After     *filter.Position // strictly below this; nil: from the top
	Limit     int
	// IO loads the texts: input, output, happenings, the JSON of tools and an item's expected output.
	IO bool
	// Metadata loads the row's own, its experiment's and its item's.
	Metadata bool
	// Brief leaves out what few readers of a list look at: model, usage, cost, prompt, tools, experiment and
	// who made and sent the row. It goes with neither IO nor Metadata.
	Brief bool
	// OwnOnly leaves out what rows inherit from their trace. Conditions see it all the same.
	OwnOnly bool
}

// Store holds observations.
//
// Promises:
//   - When Insert returns nil every row is on disk and visible to the next read.
//     A visible row always has its payload.
//   - A row counts once however often it is inserted: among rows with the same project, trace,
//     id and start time only the highest version is ever read.
//   - A query sees rows of its project only.
//   - Walking pages by After, a row that does not change appears exactly once, whatever is
//     inserted meanwhile.
//   - UserID, SessionID, TraceName, Tags and Release of a row that has none of its own are those
//     of its trace: its root's, else those of its first row (by start time, then id) that has one.
//     The trace's name is its root's trace name, else its root's name. Of several roots the first
//     that has the value gives it. Conditions see the same values.
//   - A tombstone (Deleted) is a version like others, but when it is the highest there is no row:
//     none is returned, counted or inherited from. A version above it brings the row back.
//   - A condition holds of the newest version of a row or not at all, by the rules of package filter. One that
//     the store cannot test is an error, never left out.
//
// Limit: a value that a row gave to its trace stays with the trace when a later version of that
// row has the value no more, is no longer a root, or is a tombstone. A later version with another value
// replaces it. (What Tombstones hides is shown by no row.)
type Store interface {
	Ping(ctx context.Context) error
	Insert(ctx context.Context, rows []*model.Observation) error
	Observations(ctx context.Context, q ObservationQuery) ([]*model.Observation, error)
	// CountObservations counts the rows that match, each once.
	CountObservations(ctx context.Context, projectID string, where []filter.Condition) (uint64, error)
}

// Partial is one event that tells a part of an observation: a create or an update of an older
// client, or a log record with messages of a span. All partials of an entity together make its row.
type Partial struct {
	ProjectID string
	TraceID   string
	EntityID  string // of the observation that it tells about
	Kind      string // how Body is to be read; never changes its meaning
	EventTime time.Time
	EventID   string // the client's id of the event
	Version   uint64 // see model.RowVersion
	Body      []byte
}

// Entity names what partials tell about.
type Entity struct{ ProjectID, TraceID, EntityID string }

// Partials keeps partial events.
//
// Promises: when InsertPartials returns nil the events are on disk and the next PartialsOf on any
// node sees them; what one PartialsOf call returns is a snapshot. A partial counts once: among those
// with the same project, trace, entity, kind, event time and event id the highest version stays.
// Times have microseconds. A partial that a tombstone of its trace hides (see Tombstones) is not returned: what
// comes after a delete is not completed by what was deleted.
type Partials interface {
	InsertPartials(ctx context.Context, partials []Partial) error
	// PartialsOf returns every partial of the entities, by event time, event id and kind. It wraps
	// ErrTooExpensive when they are too many to hold.
	PartialsOf(ctx context.Context, entities []Entity) ([]Partial, error)
}

// Rejection says why something that a client sent is not stored. It is named by the record of the
// log that carried it and by its position in the client's request.
type Rejection struct {
	ProjectID     string
	Partition     int
	Sequence      uint64
	Item          int    // position in the request, from 0
	TraceID       string // as far as it is known
	ObservationID string
	Reason        string
	At            time.Time
}

// LogPosition names a record of the log.
type LogPosition struct {
	Partition int
	Sequence  uint64
}

// Rejections keeps the reasons for 30 days.
//
// Promises: inserting a rejection again does nothing; RejectionsOf sees those of its project only.
type Rejections interface {
	InsertRejections(ctx context.Context, rejections []Rejection) error
	// RejectionsOf returns those of the given records that were noted at or after since, by
	// item, partition and sequence, at most limit.
	RejectionsOf(ctx context.Context, projectID string, records []LogPosition, since time.Time, limit int) ([]Rejection, error)
}

// Amender changes stored rows without touching their payload.
type Amender interface {
	// Amend stores new versions of rows as they were read with Metadata and OwnOnly, but without
	// IO: the texts stay. What the rows give to their trace must not change. Version must be above
	// the one read; just above it, whatever arrived meanwhile still wins. When it returns nil the
	// rows are on disk and visible.
	Amend(ctx context.Context, rows []*model.Observation) error
}
