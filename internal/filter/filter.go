// Package filter holds conditions on rows as a typed list, and the cursor of a page walk.
//
// Every read surface speaks in these terms: the API parses into them, a store turns them into
// its own language with bound parameters.
package filter

import "time"

// Column names a filterable property of an observation, as the public API spells it.
type Column string

// The columns that fixed parameters reach.
const (
	ID                  Column = "id"
	TraceID             Column = "traceId"
	Name                Column = "name"
	Type                Column = "type"
	Level               Column = "level"
	UserID              Column = "userId"
	SessionID           Column = "sessionId"
	Environment         Column = "environment"
	CodeVersion         Column = "version"
	ParentObservationID Column = "parentObservationId"
	IsRootObservation   Column = "isRootObservation"
	StartTime           Column = "startTime"
)

// Condition is one test on a row; a list of conditions is AND-ed.
type Condition interface{ condition() }

// OneOf holds when the column equals one of Values. An empty string among them matches
// rows where the column is not set.
type OneOf struct {
	Column Column
	Values []string
}

// Since holds when the time is at or after At.
type Since struct {
	Column Column
	At     time.Time
}

// Before holds when the time is before At.
type Before struct {
	Column Column
	At     time.Time
}

// IsTrue holds when the boolean column equals Want.
type IsTrue struct {
	Column Column
	Want   bool
}

func (OneOf) condition()  {}
func (Since) condition()  {}
func (Before) condition() {}
func (IsTrue) condition() {}
