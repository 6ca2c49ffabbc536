package tracestore

import (
	"context"
	"time"
)

// Expiry says up to when the data of a project goes. A zero time means that none does.
type Expiry struct {
	ProjectID string
	// Before is for observations by their start, for scores by their timestamp, and for what a trace lends when all
	// of its observations started before.
	Before time.Time
	// TextsBefore is for the texts of observations by their start (see ObservationQuery.IO), and for partials by
	// their acceptance: those hold the same texts. It is never earlier than Before.
	TextsBefore time.Time
}

// Expired counts what went: rows as they lay there, older versions included.
type Expired struct {
	Parts uint64 // of the store that went as a whole
	Rows  uint64
}

// Retainer removes what has become too old.
//
// Promises: when Expire returns nil, whatever was stored before the call and is due is neither read nor counted
// any more, nor on disk once the store has cleared what it replaced. Nothing else goes, whatever is stored
// meanwhile. Texts that went leave rows without texts. Doing it again does nothing.
//
// Limit: what is stored later and is as old as that is accepted, and goes with the next call.
type Retainer interface {
	Expire(ctx context.Context, due []Expiry) (Expired, error)
}
