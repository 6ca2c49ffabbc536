package api

import (
	"encoding/json"
	"net/http"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/evaluation"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
)

const (
	rulesPath = "/api/public/v2/evaluation-rules"
	rulePath  = rulesPath + "/{evaluationRuleId}"
)

// evaluationRuleRoutes are the routes of rules, of what they decided, and of what a backfill would do.
func (s *server) evaluationRuleRoutes() []route {
	return []route{
		{method: http.MethodGet, path: rulesPath, handle: s.listRules, coded: true},
		{method: http.MethodPost, path: rulesPath, handle: s.createRule, coded: true},
		{method: http.MethodGet, path: rulePath, handle: s.getRule, coded: true},
		{method: http.MethodPatch, path: rulePath, handle: s.updateRule, coded: true},
		{method: http.MethodDelete, path: rulePath, handle: s.deleteRule, coded: true},
		{method: http.MethodGet, path: rulePath + "/decisions", handle: s.listDecisions, role: readNode, coded: true},
		{method: http.MethodGet, path: rulePath + "/decision-counts", handle: s.countDecisions, role: readNode, coded: true},
		{method: http.MethodGet, path: rulePath + "/estimate", handle: s.estimateBackfill, role: readNode, coded: true},
	}
}

// ruleJSON is a rule as clients read it. Budget, version and position are ours.
type ruleJSON struct {
	ID            string           `json:"id"`
	Name          string           `json:"name"`
	CreatedBy     *creatorJSON     `json:"createdBy"`
	Enabled       bool             `json:"enabled"`
	Sampling      float64          `json:"sampling"`
	Filter        json.RawMessage  `json:"filter"`
	Assignments   []ruleAssignment `json:"evaluatorAssignments"`
	MaxRunsPerDay *int             `json:"maxRunsPerDay"`
	MaxCostPerDay *string          `json:"maxCostPerDay"`
	Version       int              `json:"version"`
	EvaluatedTo   *string          `json:"evaluatedTo"`
	CreatedAt     string           `json:"createdAt"`
	UpdatedAt     string           `json:"updatedAt"`
}

type ruleAssignment struct {
	EvaluatorID string          `json:"evaluatorId"`
	Mapping     json.RawMessage `json:"variableMapping"`
}

func ruleOf(rule model.EvaluationRule) ruleJSON {
	body := ruleJSON{
		ID: rule.ID, Name: rule.Name, CreatedBy: creatorOf(rule.CreatedBy), Enabled: rule.Enabled, Sampling: rule.Sampling,
		Filter: json.RawMessage(rule.Filter), Assignments: []ruleAssignment{}, MaxCostPerDay: orNull(rule.CostPerDay), Version: rule.Version,
		CreatedAt: stamp(rule.CreatedAt), UpdatedAt: stamp(rule.UpdatedAt),
	}
	if rule.RunsPerDay > 0 {
		body.MaxRunsPerDay = &rule.RunsPerDay
	}
	if rule.Enabled {
		body.EvaluatedTo = stampOrNull(rule.Until)
	}
	for _, e := range rule.Evaluators {
		one := ruleAssignment{EvaluatorID: e.EvaluatorID, Mapping: json.RawMessage("null")}
		if e.Mapping != "" {
			one.Mapping = json.RawMessage(e.Mapping)
		}
		body.Assignments = append(body.Assignments, one)
	}
	return body
}

// ruleBody is a rule as clients write it.
type ruleBody struct {
	Name          *string               `json:"name"`
	Enabled       *bool                 `json:"enabled"`
	Sampling      json.RawMessage       `json:"sampling"`
	Filter        json.RawMessage       `json:"filter"`
	Assignments   *[]ruleAssignmentBody `json:"evaluatorAssignments"`
	MaxRunsPerDay *int                  `json:"maxRunsPerDay"`
	MaxCostPerDay *string               `json:"maxCostPerDay"`
}

type ruleAssignmentBody struct {
	EvaluatorID string               `json:"evaluatorId"`
	Mapping     []evaluation.Mapping `json:"variableMapping"`
}

// readRule reads a rule or changes of one. For budgets null is none.
func readRule(w http.ResponseWriter, r *http.Request) (evaluation.RuleChange, error) {
	var members map[string]json.RawMessage
	var c evaluation.RuleChange
	if err := readJSON(w, r, maxEvaluatorBody, &members, "an evaluation rule"); err != nil {
		return c, err
	}
	var body ruleBody
	if err := exactly(members, &body, "an evaluation rule"); err != nil {
		return c, err
	}
	if len(members) == 0 {
		return c, fault.New(fault.Invalid, "There is nothing in the request").Hint("send name, enabled, sampling, filter or evaluatorAssignments")
	}
	c.Name, c.Enabled = body.Name, body.Enabled
	if raw, there := members["sampling"]; there {
		if c.Sampling = new(float64); !given(raw) || json.Unmarshal(raw, c.Sampling) != nil {
			return c, fault.Invalidf("sampling", "must be a number from 0 to 1")
		}
	}
	if given(body.Filter) {
		text := string(body.Filter)
		c.Filter = &text
	}
	if body.Assignments != nil {
		list := []evaluation.Assignment{}
		for _, a := range *body.Assignments {
			list = append(list, evaluation.Assignment{EvaluatorID: a.EvaluatorID, Mapping: a.Mapping})
		}
		c.Assignments = &list
	}
	if _, there := members["maxRunsPerDay"]; there {
		runs := valueOf(body.MaxRunsPerDay)
		c.RunsPerDay = &runs
	}
	if _, there := members["maxCostPerDay"]; there {
		cost := valueOf(body.MaxCostPerDay)
		c.CostPerDay = &cost
	}
	return c, nil
}

// createRule serves POST /api/public/v2/evaluation-rules.
func (s *server) createRule(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	c, err := readRule(w, r)
	if err != nil {
		return err
	}
	for field, missing := range map[string]bool{"name": c.Name == nil, "enabled": c.Enabled == nil, "evaluatorAssignments": c.Assignments == nil} {
		if missing {
			return fault.Invalidf(field, "is missing").Hint("send name, enabled and evaluatorAssignments")
		}
	}
	rule, err := s.Evaluations.CreateRule(r.Context(), caller.Project.ID, caller.User.ID, c)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusCreated, ruleOf(rule))
	return nil
}

// listRules serves GET /api/public/v2/evaluation-rules.
func (s *server) listRules(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	p, err := readParams(r)
	if err != nil {
		return err
	}
	after, limit := p.cursorLimit()
	if err := p.err(); err != nil {
		return err
	}
	list, err := s.Evaluations.Rules(r.Context(), caller.Project.ID, sinceOf(after), limit+1)
	if err != nil {
		return err
	}
	page := cursorPage{Data: []any{}}
	for i, rule := range list {
		if i == limit {
			page.Meta.Cursor = cursorAt(list[i-1].CreatedAt, list[i-1].ID)
			break
		}
		page.Data = append(page.Data, ruleOf(rule))
	}
	writeJSON(w, http.StatusOK, page)
	return nil
}

// getRule serves GET /api/public/v2/evaluation-rules/{evaluationRuleId}.
func (s *server) getRule(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	rule, err := s.Evaluations.Rule(r.Context(), caller.Project.ID, r.PathValue("evaluationRuleId"))
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, ruleOf(rule))
	return nil
}

// updateRule serves PATCH /api/public/v2/evaluation-rules/{evaluationRuleId}.
func (s *server) updateRule(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	c, err := readRule(w, r)
	if err != nil {
		return err
	}
	rule, err := s.Evaluations.UpdateRule(r.Context(), caller.Project.ID, r.PathValue("evaluationRuleId"), c)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, ruleOf(rule))
	return nil
}

// deleteRule serves DELETE /api/public/v2/evaluation-rules/{evaluationRuleId}.
func (s *server) deleteRule(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	id := r.PathValue("evaluationRuleId")
	if err := s.Evaluations.DeleteRule(r.Context(), caller.Project.ID, id); err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, map[string]string{"id": id})
	return nil
}
