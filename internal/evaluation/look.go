package evaluation

import (
	"context"
	"errors"
	"time"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// Decisions returns a page of a rule's decisions. fault.NotFound.
func (s *Service) Decisions(ctx context.Context, q tracestore.DecisionQuery) ([]model.Decision, error) {
	if _, err := s.Rule(ctx, q.ProjectID, q.RuleID); err != nil {
		return nil, err
	}
	return s.store.Decisions(ctx, q)
}

// Counts counts a rule's decisions since a time. fault.NotFound.
func (s *Service) Counts(ctx context.Context, projectID, ruleID string, since time.Time) ([]tracestore.DecisionCount, error) {
	if _, err := s.Rule(ctx, projectID, ruleID); err != nil {
		return nil, err
	}
	return s.store.CountDecisions(ctx, projectID, ruleID, since)
}

// Estimate is what a backfill would do.
type Estimate struct {
	Rows     uint64 // that the rule as it is has not settled
	Matching uint64
	Sampled  uint64
	Runs     uint64           // of evaluators
	Cost     *decimal.Decimal // nil: not known, as no run of the rule had a cost yet
}

// remembered is how far back costs of runs are looked at.
const remembered = 30 * 24 * time.Hour

// Estimate counts what a backfill over starts would do, and what it would cost by what runs did cost. fault.NotFound.
func (s *Service) Estimate(ctx context.Context, projectID, ruleID string, from, to time.Time) (e Estimate, err error) {
	rule, err := s.Rule(ctx, projectID, ruleID)
	if err != nil {
		return e, err
	}
	where, err := filter.Parse(rule.Filter, filter.EvaluationRules)
	if err != nil {
		return e, err
	}
	where = append(where, filter.OneOf{Column: filter.Environment, Values: []string{Environment}, Not: true}) // calls of judges are left out
	if e.Rows, e.Matching, e.Sampled, err = s.store.CountCandidates(ctx, backfillQuery(rule, where, from, to)); err != nil {
		return e, err
	}
	e.Runs = e.Sampled * uint64(len(rule.Evaluators))
	counts, err := s.store.CountDecisions(ctx, projectID, ruleID, time.Now().Add(-remembered))
	if err != nil {
		return e, err
	}
	total := decimal.Zero
	for _, used := range rule.Evaluators {
		evaluator, err := s.Get(ctx, projectID, used.EvaluatorID)
		if err != nil {
			return e, err
		}
		if evaluator.Kind == model.CodeEvaluator {
			continue // costs nothing
		}
		runs, cost := uint64(0), decimal.Zero
		for _, c := range counts {
			if c.EvaluatorID == used.EvaluatorID && c.Outcome == model.Evaluated {
				runs, cost = runs+c.Count, cost.Add(c.Cost)
			}
		}
		if runs == 0 || cost.IsZero() {
			return e, nil
		}
		total = total.Add(cost.Mul(decimal.NewFromUint64(e.Sampled)).Div(decimal.NewFromUint64(runs)))
	}
	total = total.Round(12)
	e.Cost = &total
	return e, nil
}

// Trial is what an evaluator gives for one row, without a score being stored.
type Trial struct {
	Results []Result
	Reason  string // why there are none; empty: there are
	Message string
	Cost    string
	TraceID string // of the model's call; empty: there was none, or it was not traced
	Took    time.Duration
}

// Try runs a draft on a row. fault.Invalid; fault.Precondition when it cannot run; fault.NotFound for the row.
func (s *Service) Try(ctx context.Context, projectID string, d Draft, traceID, observationID string) (Trial, error) {
	e := model.EvaluatorEntity{ProjectID: projectID, ID: "draft", Name: d.Name, Kind: d.Kind}
	if err := checkNames(&e); err != nil {
		return Trial{}, err
	}
	if err := d.Definition.check(d.Kind); err != nil {
		return Trial{}, err
	}
	if err := s.preflight(ctx, projectID, d.Kind, d.Definition); err != nil {
		return Trial{}, err
	}
	rows, err := s.store.Observations(ctx, tracestore.ObservationQuery{ProjectID: projectID, Where: []filter.Condition{
		filter.OneOf{Column: filter.TraceID, Values: []string{traceID}}, filter.OneOf{Column: filter.ID, Values: []string{observationID}},
	}, Limit: 1, IO: true, Metadata: true})
	if err != nil {
		return Trial{}, err
	}
	if len(rows) == 0 {
		return Trial{}, fault.New(fault.NotFound, "No observation with this id in this trace of the project")
	}
	one := &loaded{EvaluatorEntity: e, definition: d.Definition}
	one.mapping, one.missing = merged(d.Definition.Variables(), d.Definition.Mapping)
	out, err := s.run.evaluate(ctx, one, rows[0])
	trial := Trial{Results: out.results, Cost: out.cost, TraceID: out.traceID, Took: out.took}
	if f, ok := errors.AsType[*failure](err); ok {
		trial.Reason, trial.Message = f.reason, f.message
		return trial, nil
	}
	return trial, err
}
