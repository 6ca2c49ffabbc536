package metastore

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
)

// ErrChanged is returned for a change that was made from something that is not there any more.
var ErrChanged = errors.New("it changed meanwhile")

// Bounds of evaluators and rules.
const (
	MaxEvaluators        = 1000 // of a project
	MaxEvaluatorVersions = 1000 // of an evaluator
	MaxEvaluationRules   = 200  // of a project
	MaxRuleEvaluators    = 20   // of a rule
	MaxDefinition        = 512 << 10
)

// Since is where a list goes on, newest first: behind what was created then and has this id.
type Since struct {
	CreatedAt time.Time
	ID        string
}

// Evaluators keeps evaluators with their versions. Ids are unique within a project; projects do not see each other's.
type Evaluators interface {
	// CreateEvaluator adds an evaluator with its first version. ErrExists, ErrNotFound for the project;
	// fault.Invalid when there are MaxEvaluators.
	CreateEvaluator(ctx context.Context, evaluator model.EvaluatorEntity) error
	// Evaluator returns one with its newest version and the rules that name it. ErrNotFound.
	Evaluator(ctx context.Context, projectID, id string) (model.EvaluatorEntity, error)
	// Evaluators returns at most limit of them, the newest first, then by id.
	Evaluators(ctx context.Context, projectID string, after *Since, limit int) ([]model.EvaluatorEntity, error)
	// UpdateEvaluator sets name, description, pause and time of change, and adds the version when its number is new.
	// ErrChanged when the evaluator has another revision by now, ErrNotFound; fault.Invalid when there are
	// MaxEvaluatorVersions.
	UpdateEvaluator(ctx context.Context, evaluator model.EvaluatorEntity) error
	// DeleteEvaluator removes an evaluator from its rules and for ever. A rule that is left without any is disabled.
	// ErrNotFound.
	DeleteEvaluator(ctx context.Context, projectID, id string) error
	// EvaluatorVersions returns versions with a number below the given one, the newest first.
	EvaluatorVersions(ctx context.Context, projectID, id string, below, limit int) ([]model.EvaluatorVersion, error)
}

// EvaluationRules keeps rules with the evaluators that they name, and how far each came.
type EvaluationRules interface {
	// CreateEvaluationRule adds a rule. ErrExists; ErrNotFound for the project or an evaluator; fault.Invalid when there
	// are MaxEvaluationRules.
	CreateEvaluationRule(ctx context.Context, rule model.EvaluationRule) error
	// EvaluationRule returns one. ErrNotFound.
	EvaluationRule(ctx context.Context, projectID, id string) (model.EvaluationRule, error)
	// EvaluationRules returns at most limit of them, the newest first, then by id.
	EvaluationRules(ctx context.Context, projectID string, after *Since, limit int) ([]model.EvaluationRule, error)
	// UpdateEvaluationRule replaces a rule, but for who made it and when, if its version is one below that of the given
	// one. It is decided up to Until then. ErrChanged, ErrNotFound for the rule or an evaluator.
	UpdateEvaluationRule(ctx context.Context, rule model.EvaluationRule) error
	// DeleteEvaluationRule removes a rule for ever. ErrNotFound.
	DeleteEvaluationRule(ctx context.Context, projectID, id string) error

	// EnabledEvaluationRules returns the enabled rules of projects that are not being erased, by project and id, at most
	// limit, behind those named.
	EnabledEvaluationRules(ctx context.Context, afterProject, afterID string, limit int) ([]model.EvaluationRule, error)
	// HoldEvaluationRule lets one holder work on a rule until a time, and reports whether it does: nobody else held it now.
	// A holder may hold on.
	HoldEvaluationRule(ctx context.Context, projectID, id, holder string, now, until time.Time) (bool, error)
	// AdvanceEvaluationRule says up to where rows are decided. ErrChanged when somebody else holds the rule by now, or it
	// begins later since it was enabled again.
	AdvanceEvaluationRule(ctx context.Context, projectID, id, holder string, from, to time.Time) error
}

// CheckEvaluator refuses with fault.Invalid an evaluator that cannot be stored.
func CheckEvaluator(e model.EvaluatorEntity) error {
	if e.Latest.Number < 1 || e.Latest.Number > math.MaxInt32 {
		return fault.Invalidf("version", "must be a number from 1 on")
	}
	if len(e.Latest.Definition) > MaxDefinition {
		return fault.Invalidf("definition", "must not be larger than %d bytes", MaxDefinition)
	}
	return first(
		CheckID("project id", e.ProjectID),
		CheckID("id", e.ID),
		CheckID("name", e.Name),
		CheckID("type", e.Kind),
		CheckID("version id", e.Latest.ID),
		checkText("creator", e.CreatedBy),
		checkText("creator", e.Latest.CreatedBy),
		checkText("reason", e.PausedReason),
		checkDocument("description", e.Description),
		checkDocument("message", e.PausedMessage),
		checkPlain("definition", e.Latest.Definition),
	)
}

// CheckEvaluationRule refuses with fault.Invalid a rule that cannot be stored.
func CheckEvaluationRule(r model.EvaluationRule) error {
	switch {
	case math.IsNaN(r.Sampling) || r.Sampling < 0 || r.Sampling > 1:
		return fault.Invalidf("sampling", "must be a number from 0 to 1")
	case r.RunsPerDay < 0 || r.RunsPerDay > math.MaxInt32:
		return fault.Invalidf("maxRunsPerDay", "must be a number from 0 to %d", math.MaxInt32)
	case len(r.Evaluators) > MaxRuleEvaluators:
		return fault.Invalidf("evaluatorAssignments", "must not have more than %d evaluators", MaxRuleEvaluators)
	case r.Version < 1 || r.Version > math.MaxInt32:
		return fault.Invalidf("version", "must be a number from 1 on")
	}
	if cost, err := decimal.NewFromString(r.CostPerDay); r.CostPerDay != "" && (err != nil || cost.IsNegative()) {
		return fault.Invalidf("maxCostPerDay", "must be a decimal number that is not negative")
	}
	seen := map[string]bool{}
	for _, e := range r.Evaluators {
		if seen[e.EvaluatorID] {
			return fault.Invalidf("evaluatorAssignments", "must name each evaluator once")
		}
		seen[e.EvaluatorID] = true
		if err := first(CheckID("evaluatorId", e.EvaluatorID), checkDocument("variableMapping", e.Mapping)); err != nil {
			return err
		}
	}
	return first(
		CheckID("project id", r.ProjectID),
		CheckID("id", r.ID),
		CheckID("name", r.Name),
		checkText("creator", r.CreatedBy),
		checkText("maxCostPerDay", r.CostPerDay),
		checkDocument("filter", r.Filter),
	)
}

// TooManyEvaluatorVersions is the fault of an evaluator that has MaxEvaluatorVersions.
func TooManyEvaluatorVersions() error {
	return fault.New(fault.Invalid, "An evaluator can have at most %d versions", MaxEvaluatorVersions).Hint("make a new evaluator")
}
