package evaluation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// Assignment is an evaluator of a rule as somebody writes it. A nil mapping is the evaluator's own.
type Assignment struct {
	EvaluatorID string
	Mapping     []Mapping
}

// RuleChange is what to change of a rule; nil is left as it is.
type RuleChange struct {
	Name        *string
	Enabled     *bool
	Sampling    *float64
	Filter      *string // a JSON list of conditions
	Assignments *[]Assignment
	RunsPerDay  *int
	CostPerDay  *string
}

// CreateRule adds a rule. One that is enabled decides rows that are accepted from now on. fault.Invalid; fault.NotFound for an
// evaluator.
func (s *Service) CreateRule(ctx context.Context, projectID, userID string, c RuleChange) (model.EvaluationRule, error) {
	at := now()
	r := model.EvaluationRule{ProjectID: projectID, ID: uuid.NewString(), Sampling: 1, Filter: "[]", CreatedBy: userID, CreatedAt: at}
	if err := s.changeRule(ctx, &r, c); err != nil {
		return r, err
	}
	return r, noEvaluator(s.meta.CreateEvaluationRule(ctx, r))
}

// UpdateRule changes a rule, which gets another version. fault.NotFound, fault.Invalid.
func (s *Service) UpdateRule(ctx context.Context, projectID, id string, c RuleChange) (model.EvaluationRule, error) {
	for range changeTries {
		r, err := s.Rule(ctx, projectID, id)
		if err != nil {
			return r, err
		}
		if err := s.changeRule(ctx, &r, c); err != nil {
			return r, err
		}
		err = s.meta.UpdateEvaluationRule(ctx, r)
		if errors.Is(err, metastore.ErrChanged) {
			continue
		}
		return r, noEvaluator(err)
	}
	return model.EvaluationRule{}, fault.Unavailablef("The evaluation rule is being changed by others").Hint("try again")
}

// changeRule makes the next version of a rule. Rows that came while it was not enabled are not its own.
func (s *Service) changeRule(ctx context.Context, r *model.EvaluationRule, c RuleChange) error {
	before := r.Enabled
	if c.Name != nil {
		r.Name = *c.Name
	}
	if c.Sampling != nil {
		r.Sampling = *c.Sampling
	}
	if c.Filter != nil {
		r.Filter = *c.Filter
	}
	if c.RunsPerDay != nil {
		r.RunsPerDay = *c.RunsPerDay
	}
	if c.CostPerDay != nil {
		r.CostPerDay = *c.CostPerDay
	}
	if c.Assignments != nil {
		list, err := s.assign(ctx, r.ProjectID, *c.Assignments)
		if err != nil {
			return err
		}
		r.Evaluators = list
		r.Enabled = r.Enabled && len(list) > 0
	}
	if c.Enabled != nil {
		r.Enabled = *c.Enabled
	}
	if err := checkRule(r); err != nil {
		return err
	}
	r.Version++
	r.UpdatedAt = now()
	if r.Enabled && !before {
		r.Until = r.UpdatedAt
	}
	return nil
}

func checkRule(r *model.EvaluationRule) error {
	r.Name = strings.TrimSpace(r.Name)
	if n := utf8.RuneCountInString(r.Name); n < 1 || n > maxName {
		return fault.Invalidf("name", "must have 1 to %d characters without the spaces around it, got %d", maxName, n)
	}
	switch {
	case r.Enabled && len(r.Evaluators) == 0:
		return fault.Invalidf("enabled", "needs at least one evaluator in evaluatorAssignments")
	case math.IsNaN(r.Sampling) || r.Sampling < 0 || r.Sampling > 1:
		return fault.Invalidf("sampling", "must be a number from 0 to 1")
	case r.RunsPerDay < 0 || r.RunsPerDay > math.MaxInt32:
		return fault.Invalidf("maxRunsPerDay", "must be a number from 0 to %d", math.MaxInt32)
	}
	if r.CostPerDay != "" {
		if cost, err := decimal.NewFromString(r.CostPerDay); err != nil || cost.IsNegative() || len(r.CostPerDay) > 40 {
			return fault.Invalidf("maxCostPerDay", "must be a decimal number as text that is not negative")
		}
	}
	_, err := filter.Parse(r.Filter, filter.EvaluationRules)
	return err
}

// assign checks the evaluators of a rule and their mappings.
func (s *Service) assign(ctx context.Context, projectID string, list []Assignment) ([]model.RuleEvaluator, error) {
	if len(list) > metastore.MaxRuleEvaluators {
		return nil, fault.Invalidf("evaluatorAssignments", "must not have more than %d evaluators", metastore.MaxRuleEvaluators)
	}
	var assigned []model.RuleEvaluator
	seen := map[string]bool{}
	for i, a := range list {
		at := fmt.Sprintf("evaluatorAssignments.%d.", i)
		if seen[a.EvaluatorID] {
			return nil, fault.Invalidf(at+"evaluatorId", "is there twice")
		}
		seen[a.EvaluatorID] = true
		e, err := s.Get(ctx, projectID, a.EvaluatorID)
		if err != nil {
			return nil, err
		}
		one := model.RuleEvaluator{EvaluatorID: a.EvaluatorID}
		if a.Mapping != nil {
			if one.Mapping, err = s.ruleMapping(e, a.Mapping, at); err != nil {
				return nil, err
			}
		}
		assigned = append(assigned, one)
	}
	return assigned, nil
}

func (s *Service) ruleMapping(e model.EvaluatorEntity, list []Mapping, at string) (string, error) {
	if e.Kind == model.CodeEvaluator {
		return "", fault.Invalidf(at+"variableMapping", "must not be given for a code evaluator: it sees the whole observation")
	}
	d, err := parseDefinition(e.Latest.Definition)
	if err != nil {
		return "", err
	}
	if err := checkMapping(list, d.Variables()); err != nil {
		if f, ok := errors.AsType[*fault.Fault](err); ok {
			f.Field = at + f.Field
		}
		return "", err
	}
	text, err := json.Marshal(list)
	return string(text), err
}

// Rule returns a rule. fault.NotFound.
func (s *Service) Rule(ctx context.Context, projectID, id string) (model.EvaluationRule, error) {
	r, err := s.meta.EvaluationRule(ctx, projectID, id)
	return r, noRule(err)
}

func noRule(err error) error {
	if errors.Is(err, metastore.ErrNotFound) {
		return fault.New(fault.NotFound, "No evaluation rule with this id in this project")
	}
	return err
}

// Rules returns rules behind a place, the newest first.
func (s *Service) Rules(ctx context.Context, projectID string, after *metastore.Since, limit int) ([]model.EvaluationRule, error) {
	return s.meta.EvaluationRules(ctx, projectID, after, limit)
}

// DeleteRule removes a rule for ever. Its scores stay. fault.NotFound.
func (s *Service) DeleteRule(ctx context.Context, projectID, id string) error {
	return noRule(s.meta.DeleteEvaluationRule(ctx, projectID, id))
}
