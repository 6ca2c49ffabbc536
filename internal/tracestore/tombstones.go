package tracestore

import "context"

// TombstoneKind says what a tombstone hides. The texts are stored: never change one.
type TombstoneKind string

// The kinds of tombstones.
const (
	TraceTombstone TombstoneKind = "trace" // observations and scores of a trace
	ScoreTombstone TombstoneKind = "score" // one score, by its id
	// ProjectTombstone hides everything of a project; its id is the project's.
	ProjectTombstone TombstoneKind = "project"
)

// Tombstone hides a thing as a whole, whatever rows of it there are.
type Tombstone struct {
	ProjectID string
	Kind      TombstoneKind
	ID        string
	Version   uint64 // see model.RowVersion: of the moment of the deletion
}

// Tombstones deletes by hiding. (A row of its own that is Deleted hides one row only.)
//
// Promises: when InsertTombstones returns nil the tombstones are on disk, and every row of the thing with a
// version below the tombstone's is hidden from every read that begins afterwards: it is not returned, not
// counted, and nothing that it gave to its trace is shown by other rows. Rows with that version or a higher
// one are new data and visible. Of several tombstones of a thing the highest counts.
//
// Limit: where a hidden row gave a value to its trace before others could, rows that come later do not inherit
// that value from each other; they show their own.
type Tombstones interface {
	InsertTombstones(ctx context.Context, tombstones []Tombstone) error
}
