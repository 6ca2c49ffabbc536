package model

import "time"

// ScoreType says what the value of a score is.
type ScoreType string

// The five score types of the contract.
const (
	Numeric     ScoreType = "NUMERIC"
	Boolean     ScoreType = "BOOLEAN"
	Categorical ScoreType = "CATEGORICAL"
	TextScore   ScoreType = "TEXT"
	Correction  ScoreType = "CORRECTION"
)

// ScoreTypes lists every score type in the order of the contract.
var ScoreTypes = []ScoreType{Numeric, Boolean, Categorical, TextScore, Correction}

// ScoreSource says who gave a score.
type ScoreSource string

// The score sources.
const (
	FromAPI        ScoreSource = "API"
	FromEvaluation ScoreSource = "EVAL"
	FromAnnotation ScoreSource = "ANNOTATION"
)

// ScoreSources lists every score source.
var ScoreSources = []ScoreSource{FromAPI, FromEvaluation, FromAnnotation}

// Score is one judgment about a trace, an observation, a session or an experiment.
//
// An empty string means "not set". Timestamp has millisecond values and never changes once
// the score is there. (ProjectID, ID) identify a score; the store folds by (ProjectID, Timestamp,
// ID, TraceID), and a score that moves leaves a tombstone.
type Score struct {
	ProjectID string
	ID        string
	Timestamp time.Time
	Name      string
	Type      ScoreType
	Source    ScoreSource
	// Number is the value of NUMERIC, 0 or 1 of BOOLEAN, and the category's value of CATEGORICAL, 0 without a config.
	Number float64
	// Text is the value of CATEGORICAL, TEXT and CORRECTION, and "True" or "False" of BOOLEAN.
	Text string

	// Exactly one of TraceID (with ObservationID or without), SessionID and ExperimentID is set.
	TraceID       string
	ObservationID string
	SessionID     string
	ExperimentID  string

	Environment      string
	Comment          string
	ConfigID         string
	QueueID          string
	AuthorUserID     string
	ExecutionTraceID string
	Metadata         []MetadataEntry

	CreatedAt time.Time // when the server first accepted something of it
	Version   uint64    // see RowVersion
	// Deleted marks a tombstone: it hides older versions of the score and is never read itself.
	Deleted bool
}
