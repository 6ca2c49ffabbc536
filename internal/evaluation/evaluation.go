// Package evaluation scores rows without people: rules say which rows, evaluators how.
//
// A rule goes through its project's rows in windows of acceptance time, as exports do. Each row of a window is decided once: it
// was evaluated, skipped or failed, with a reason, and the decision is in the log that people read. The engine tests filter and
// sample; what is left is run, its scores go the way of all scores under ids that follow from rule, evaluator and row, and then
// the decisions are stored.
//
// Promises:
//   - Every row that was accepted while a rule was enabled gets its decisions from that rule, and has them once.
//   - A row that was evaluated again, because the server died before its decision was stored, has the same scores again,
//     under the same ids.
//   - A rule does not run more, in a day of UTC, than its budget says.
//
// Limits: a row that changes after its decision is not decided again. Rows that come back from dead letters keep the time of
// their acceptance; a backfill finds them.
package evaluation

import (
	"context"
	"encoding/json"
	"time"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/partial"
	"github.com/sondehq/sonde/internal/sandbox"
	"github.com/sondehq/sonde/internal/tracestore"
)

// Store is what rules read and write of the trace store.
type Store interface {
	tracestore.Decisions
	Observations(ctx context.Context, q tracestore.ObservationQuery) ([]*model.Observation, error)
}

// Meta keeps evaluators and rules.
type Meta interface {
	metastore.Evaluators
	metastore.EvaluationRules
}

// Acceptor takes scores as if a client had sent them.
type Acceptor interface {
	// AcceptScores returns nil when all of them are on disk.
	AcceptScores(ctx context.Context, projectID string, scores []partial.Event) error
}

// Code runs evaluators that are programs.
type Code interface {
	Compile(ctx context.Context, source string) (sandbox.Program, error)
	Run(ctx context.Context, program sandbox.Program, call sandbox.Call) ([]byte, error)
}

// Models reach language models through the connections of projects.
type Models interface {
	// Ready refuses with fault.Precondition a model that the project cannot reach; nil is the project's default.
	Ready(ctx context.Context, projectID string, config *ModelConfig) error
	// Complete asks a model for JSON that fits a schema. A fault of kind Unavailable or Limited may pass by itself; one of kind
	// Precondition stays until somebody mends the connection; every other fault's public text is what the provider said. The
	// answer of one that failed has what it did cost.
	Complete(ctx context.Context, request Completion) (Answer, error)
}

// Completion is a question to a model.
type Completion struct {
	ProjectID string
	Config    *ModelConfig // nil: the project's default
	Messages  []Message
	Schema    json.RawMessage // a JSON schema of the answer
	// The call is traced under this name and id, with these metadata.
	Name, TraceID string
	About         map[string]string
}

// Answer is what a model said.
type Answer struct {
	Text    string
	Cost    string // a decimal number of dollars; empty: not known
	TraceID string // of the call; empty: it was not traced
}

// Horizon tells up to when every row that the server accepted is in the store.
type Horizon interface {
	Settled(ctx context.Context) (time.Time, error)
}

// The reasons of decisions beside those of the sandbox. Their texts are stored and shown: never change one.
const (
	reasonFilter     = "filter"
	reasonSampling   = "sampling"
	reasonBudgetRuns = "budget_runs" // in tracestore.BetterReasons
	reasonBudgetCost = "budget_cost" // likewise
	reasonPaused     = "paused"      // likewise
	reasonGone       = "gone"        // the row was deleted meanwhile
	reasonOwn        = "own_call"    // the row is the call of a judge
	reasonMapping    = "mapping"
	reasonModel      = "model"
	reasonLimited    = "rate_limited" // by the provider
	reasonNoModel    = "no_model_connection"
	reasonOutput     = "output" // also the sandbox's
)

// Service keeps evaluators and rules, and tries them out.
type Service struct {
	meta  Meta
	store Store // nil on nodes that read nothing
	run   *evaluating
}

// NewService makes a service. Without a store it offers no reads of decisions.
func NewService(meta Meta, store Store, code Code, models Models) *Service {
	return &Service{meta: meta, store: store, run: newEvaluating(code, models)}
}

// now is the time as databases keep it.
func now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }
