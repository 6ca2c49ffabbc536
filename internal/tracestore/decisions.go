package tracestore

import (
	"context"
	"math"
	"time"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
)

// UndecidedQuery asks for rows of a project that a rule has not decided.
type UndecidedQuery struct {
	ProjectID string
	RuleID    string
	// RuleVersion is whose decisions count; 0: those of any version.
	RuleVersion int
	// Again takes rows whose decision may be made better: those that failed, and those that a budget or a pause left out.
	Again bool
	// From and To bound the rows: their time of acceptance, or with ByStart their start. To is not in it.
	From, To time.Time
	ByStart  bool
	// Where is the rule's filter. Rows that do not meet it are found, too.
	Where    []filter.Condition
	Sampling float64
	After    *filter.Position // strictly below this in the order of pages; nil: from the top
	Limit    int
}

// Candidate is a row with what the rule says of it.
type Candidate struct {
	TraceID       string
	ObservationID string
	StartTime     time.Time
	Matches       bool // the filter
	Sampled       bool // belongs to the fraction that is evaluated
}

// DecisionQuery asks for a page of a rule's decisions, those about the latest rows first.
type DecisionQuery struct {
	ProjectID string
	RuleID    string
	Outcome   string // empty: any, as below
	Reason    string
	TraceID   string
	Evaluator string
	After     *DecisionPosition
	Limit     int
}

// DecisionPosition is where a page of decisions ended.
type DecisionPosition struct {
	StartTime     time.Time
	TraceID       string
	ObservationID string
	EvaluatorID   string
	RuleVersion   int
}

// DecisionCount is how many decisions of a rule ended alike.
type DecisionCount struct {
	EvaluatorID string
	Outcome     string
	Reason      string
	Count       uint64
	Cost        decimal.Decimal // of those whose cost is known
}

// Spent is what a rule did.
type Spent struct {
	Runs uint64
	Cost decimal.Decimal
}

// Decisions is the log of what rules did with rows.
//
// Promises:
//   - When InsertDecisions returns nil the decisions are on disk, and the next Undecided on any node sees them. Those of one
//     row become visible together.
//   - A decision counts once: among those about the same row by the same version of a rule and the same evaluator the one
//     that was made last.
//   - Undecided tests filter and sample on the newest version of each row, in one look: a row is there with its judgment, or not
//     at all. A row whose newest version is outside of the range is not in it.
//   - What a tombstone hides is in no answer.
//
// Decisions are kept for 90 days.
type Decisions interface {
	InsertDecisions(ctx context.Context, decisions []model.Decision) error
	// Undecided returns rows in the order of pages of observations.
	Undecided(ctx context.Context, q UndecidedQuery) ([]Candidate, error)
	// CountCandidates counts the rows that Undecided would find, those that match, and those of them that are sampled.
	CountCandidates(ctx context.Context, q UndecidedQuery) (rows, matching, sampled uint64, err error)
	Decisions(ctx context.Context, q DecisionQuery) ([]model.Decision, error)
	// CountDecisions counts a rule's decisions made at or after since, by evaluator, outcome and reason.
	CountDecisions(ctx context.Context, projectID, ruleID string, since time.Time) ([]DecisionCount, error)
	// SpentSince sums what a rule ran since then, backfills apart. Failed runs count.
	SpentSince(ctx context.Context, projectID, ruleID string, since time.Time) (Spent, error)
}

// BetterReasons are reasons of decisions that another look may change. Their texts are stored: never change one.
var BetterReasons = []string{"budget_runs", "budget_cost", "paused"}

// SampleBits is how fine samples are.
const SampleBits = 53

// SampleBelow is the bound of a sample: a row belongs to the fraction that a rule evaluates if the upper SampleBits of the
// xxHash64 of "rule/trace/observation", their ids, are below it. So every node samples the same rows every time.
func SampleBelow(fraction float64) uint64 { return uint64(math.Ldexp(fraction, SampleBits)) }
