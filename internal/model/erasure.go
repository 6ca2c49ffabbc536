package model

import "time"

// Requester is who asks for something, as far as it is remembered.
type Requester struct {
	OrganizationID string
	Kind           ActorKind
	ID             string // of a user or a key
	Name           string // an email
	RequestID      string
}

// The kinds of erasures.
const (
	ErasureOfTraces  = "TRACES"
	ErasureOfProject = "PROJECT"
)

// Erasure is a request to delete, and what became of it. It outlives what it is about.
type Erasure struct {
	ID         string // in the order of time
	ProjectID  string
	Kind       string   // ErasureOfTraces or ErasureOfProject
	TraceIDs   []string // of traces only
	Version    uint64   // everything below it was to go
	By         Requester
	AskedAt    time.Time
	FinishedAt time.Time // zero: it is hidden, and not erased yet
	Report     ErasureReport
}

// ErasureReport is what the job that erased it found and did. A job erases all that waits in its project, so it may be the
// report of several requests.
type ErasureReport struct {
	JobID    string `json:"jobId"`
	Requests int    `json:"requests"` // that it is about
	Traces   int    `json:"traces"`
	Scores   int    `json:"scores"` // deleted on their own
	// Rows are those that were hidden, by the table that held them, counted before they were erased.
	Rows map[string]uint64 `json:"rows"`
	// RowsLeft are those that a count by the same conditions found afterwards.
	RowsLeft    uint64 `json:"rowsLeft"`
	DeadLetters int    `json:"deadLetters"`
	Media       int    `json:"media"`
	// UnreadableDeadLetters are left: nobody knows what they hold.
	UnreadableDeadLetters int `json:"unreadableDeadLetters"`
}
