package model

import "time"

// The kinds of evaluators. Their texts are stored: never change one.
const (
	LLMJudge      = "llm_as_judge"
	CodeEvaluator = "code"
)

// EvaluatorEntity says how rows are scored, in versions of which the newest counts.
type EvaluatorEntity struct {
	ProjectID   string
	ID          string
	Name        string
	Description string
	Kind        string
	CreatedBy   string // a user; empty: a key made it
	CreatedAt   time.Time
	UpdatedAt   time.Time
	// PausedAt is since when it does not run; zero: it runs. Reason is for programs, message for people.
	PausedAt      time.Time
	PausedReason  string
	PausedMessage string
	Latest        EvaluatorVersion
	// UsedBy are the rules that name it, the newest first. It is read, never written.
	UsedBy []RuleUse
	// Revision changes with every change. It belongs to the store.
	Revision int64
}

// EvaluatorVersion is a definition under a number.
type EvaluatorVersion struct {
	ID         string
	Number     int
	Definition string // JSON, of package evaluation
	CreatedBy  string
	CreatedAt  time.Time
}

// RuleUse is a rule that names an evaluator.
type RuleUse struct {
	RuleID  string
	Mapping string // as in RuleEvaluator
}

// EvaluationRule says which rows are evaluated, and by what.
type EvaluationRule struct {
	ProjectID string
	ID        string
	Name      string
	Enabled   bool
	Sampling  float64 // the fraction of matching rows that is evaluated
	Filter    string  // a JSON list of conditions
	// RunsPerDay and CostPerDay bound what the rule does in a day of UTC; zero and empty: no bound.
	RunsPerDay int
	CostPerDay string // a decimal number of dollars
	Evaluators []RuleEvaluator
	CreatedBy  string
	CreatedAt  time.Time
	UpdatedAt  time.Time
	// Version counts the changes of a rule from 1 on. A change names the one that it was made from.
	Version int
	// Until is the time of acceptance up to which rows are decided.
	Until time.Time
}

// RuleEvaluator is an evaluator of a rule.
type RuleEvaluator struct {
	EvaluatorID string
	Mapping     string // JSON; empty: the evaluator's own
}

// The outcomes of decisions. Their texts are stored: never change one.
const (
	Evaluated        = "evaluated"
	Skipped          = "skipped"
	FailedEvaluation = "failed"
)

// Decision is what a rule did with a row, and why. (ProjectID, RuleID, RuleVersion, the row, EvaluatorID) name it.
type Decision struct {
	ProjectID   string
	RuleID      string
	RuleVersion int
	// The row.
	TraceID       string
	ObservationID string
	StartTime     time.Time
	// EvaluatorID is empty when the rule as a whole left the row out.
	EvaluatorID      string
	EvaluatorVersion int

	Outcome  string
	Reason   string   // a word for programs; empty when it was evaluated
	Message  string   // for people
	ScoreIDs []string // what came of it
	Cost     string   // a decimal number of dollars; empty: not known
	Duration time.Duration
	JobID    string // of a backfill; empty: live
	At       time.Time
}
