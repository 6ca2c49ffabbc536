package api

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/evaluation"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/metastore"
)

const (
	evaluatorsPath   = "/api/public/v2/evaluators"
	evaluatorPath    = evaluatorsPath + "/{evaluatorId}"
	trialsPath       = "/api/public/v2/evaluator-trials"
	maxEvaluatorBody = 1 << 20
)

// evaluatorRoutes are the routes of evaluators. Trying one out reads a row and stores nothing.
func (s *server) evaluatorRoutes() []route {
	return []route{
		{method: http.MethodGet, path: evaluatorsPath, handle: s.listEvaluators, coded: true},
		{method: http.MethodPost, path: evaluatorsPath, handle: s.createEvaluator, coded: true},
		{method: http.MethodPost, path: trialsPath, handle: s.tryEvaluator, role: readNode, coded: true},
		{method: http.MethodGet, path: evaluatorPath, handle: s.getEvaluator, coded: true},
		{method: http.MethodPatch, path: evaluatorPath, handle: s.updateEvaluator, coded: true},
		{method: http.MethodDelete, path: evaluatorPath, handle: s.deleteEvaluator, coded: true},
		{method: http.MethodGet, path: evaluatorPath + "/versions", handle: s.listEvaluatorVersions, coded: true},
	}
}

// cursorPage is a page of a list by cursor.
type cursorPage struct {
	Data []any      `json:"data"`
	Meta cursorMeta `json:"meta"`
}

type cursorMeta struct {
	Cursor *string `json:"cursor,omitempty"`
}

// cursorLimit reads which part of a list by cursor is wanted.
func (p *params) cursorLimit() (after *filter.Position, limit int) {
	limit = p.number("limit", 50)
	if limit < 1 || limit > maxPage {
		p.invalid("limit", "must be between 1 and %d", maxPage)
	}
	if text, ok := p.text("cursor"); ok && text != "" {
		at, err := filter.DecodeCursor(text)
		if err != nil {
			p.issues = append(p.issues, err)
		}
		after = &at
	}
	return after, limit
}

// sinceOf is where a list goes on.
func sinceOf(after *filter.Position) *metastore.Since {
	if after == nil {
		return nil
	}
	return &metastore.Since{CreatedAt: after.StartTime, ID: after.ID}
}

// cursorAt is the cursor of a list behind something.
func cursorAt(created time.Time, id string) *string {
	text := filter.EncodeCursor(filter.Position{StartTime: created, ID: id})
	return &text
}

// listEvaluators serves GET /api/public/v2/evaluators.
func (s *server) listEvaluators(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	p, err := readParams(r)
	if err != nil {
		return err
	}
	after, limit := p.cursorLimit()
	if err := p.err(); err != nil {
		return err
	}
	list, err := s.Evaluations.List(r.Context(), caller.Project.ID, sinceOf(after), limit+1)
	if err != nil {
		return err
	}
	page := cursorPage{Data: []any{}}
	for i, e := range list {
		if i == limit {
			page.Meta.Cursor = cursorAt(list[i-1].CreatedAt, list[i-1].ID)
			break
		}
		body, err := evaluatorOf(e)
		if err != nil {
			return err
		}
		page.Data = append(page.Data, body)
	}
	writeJSON(w, http.StatusOK, page)
	return nil
}

// createEvaluator serves POST /api/public/v2/evaluators.
func (s *server) createEvaluator(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	draft, _, err := s.readDraft(w, r)
	if err != nil {
		return err
	}
	made, err := s.Evaluations.Create(r.Context(), caller.Project.ID, caller.User.ID, draft)
	if err != nil {
		return err
	}
	body, err := evaluatorOf(made)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusCreated, body)
	return nil
}

// trialBody is a draft with the row to try it on.
type trialBody struct {
	evaluatorBody

	TraceID       *string `json:"traceId"`
	ObservationID *string `json:"observationId"`
}

func (s *server) readDraft(w http.ResponseWriter, r *http.Request) (evaluation.Draft, trialBody, error) {
	var body trialBody
	if err := readJSON(w, r, maxEvaluatorBody, &body, "an evaluator"); err != nil {
		return evaluation.Draft{}, body, err
	}
	definition, err := body.definition()
	return evaluation.Draft{Name: valueOf(body.Name), Description: valueOf(body.Description), Kind: valueOf(body.Type), Definition: definition}, body, err
}

// trialJSON is what a draft gave.
type trialJSON struct {
	Scores     []trialScore `json:"scores"`
	Reason     *string      `json:"reason"`
	Message    *string      `json:"message"`
	Cost       *string      `json:"cost"`
	TraceID    *string      `json:"traceId"`
	DurationMS float64      `json:"durationMs"`
}

type trialScore struct {
	Name     string  `json:"name"`
	DataType string  `json:"dataType"`
	Value    any     `json:"value"`
	Comment  *string `json:"comment"`
}

// tryEvaluator serves POST /api/public/v2/evaluator-trials.
func (s *server) tryEvaluator(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	draft, body, err := s.readDraft(w, r)
	if err != nil {
		return err
	}
	for field, value := range map[string]*string{"traceId": body.TraceID, "observationId": body.ObservationID} {
		if valueOf(value) == "" {
			return fault.Invalidf(field, "must name the observation to try the evaluator on")
		}
	}
	trial, err := s.Evaluations.Try(r.Context(), caller.Project.ID, draft, *body.TraceID, *body.ObservationID)
	if err != nil {
		return err
	}
	answer := trialJSON{
		Scores: []trialScore{}, Reason: orNull(trial.Reason), Message: orNull(trial.Message), Cost: orNull(trial.Cost),
		TraceID: orNull(trial.TraceID), DurationMS: float64(trial.Took.Microseconds()) / 1000,
	}
	for _, result := range trial.Results {
		one := trialScore{Name: result.Name, DataType: string(result.Type), Value: result.Number, Comment: orNull(result.Comment)}
		if result.Text != "" {
			one.Value = result.Text
		}
		answer.Scores = append(answer.Scores, one)
	}
	writeJSON(w, http.StatusOK, answer)
	return nil
}

// getEvaluator serves GET /api/public/v2/evaluators/{evaluatorId}.
func (s *server) getEvaluator(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	e, err := s.Evaluations.Get(r.Context(), caller.Project.ID, r.PathValue("evaluatorId"))
	if err != nil {
		return err
	}
	body, err := evaluatorOf(e)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, body)
	return nil
}

// updateEvaluator serves PATCH /api/public/v2/evaluators/{evaluatorId}. A definition is replaced whole.
func (s *server) updateEvaluator(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	var members map[string]json.RawMessage
	if err := readJSON(w, r, maxEvaluatorBody, &members, "changes of an evaluator"); err != nil {
		return err
	}
	var body evaluatorBody
	if err := exactly(members, &body, "changes of an evaluator"); err != nil {
		return err
	}
	change, err := body.change(members)
	if err != nil {
		return err
	}
	e, err := s.Evaluations.Update(r.Context(), caller.Project.ID, r.PathValue("evaluatorId"), caller.User.ID, change)
	if err != nil {
		return err
	}
	answer, err := evaluatorOf(e)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, answer)
	return nil
}

func (b evaluatorBody) change(members map[string]json.RawMessage) (c evaluation.EvaluatorChange, err error) {
	if len(members) == 0 {
		return c, fault.New(fault.Invalid, "There is nothing to change").Hint("send name, description, or type with a whole definition")
	}
	c.Name, c.Kind = b.Name, valueOf(b.Type)
	if _, there := members["description"]; there {
		text := valueOf(b.Description)
		c.Description = &text
	}
	for name := range members {
		switch name {
		case "name", "description", "status":
		default:
			if c.Definition == nil {
				d, err := b.definition()
				if err != nil {
					return c, err
				}
				c.Definition = &d
			}
		}
	}
	if c.Definition != nil && c.Kind == "" {
		return c, fault.Invalidf("type", "must be given with a definition").Hint("a definition is replaced whole")
	}
	switch status := valueOf(b.Status); status {
	case "":
	case "active", "paused":
		paused := status == "paused"
		c.Paused = &paused
	default:
		return c, fault.Invalidf("status", "must be active or paused")
	}
	return c, nil
}

// deleteEvaluator serves DELETE /api/public/v2/evaluators/{evaluatorId}.
func (s *server) deleteEvaluator(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	id := r.PathValue("evaluatorId")
	if err := s.Evaluations.Delete(r.Context(), caller.Project.ID, id); err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, map[string]string{"id": id})
	return nil
}

// listEvaluatorVersions serves GET /api/public/v2/evaluators/{evaluatorId}/versions.
func (s *server) listEvaluatorVersions(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	p, err := readParams(r)
	if err != nil {
		return err
	}
	after, limit := p.cursorLimit()
	below := 0
	if after != nil {
		if below, err = strconv.Atoi(after.ID); err != nil {
			p.invalid("cursor", "is not of this list")
		}
	}
	if err := p.err(); err != nil {
		return err
	}
	id := r.PathValue("evaluatorId")
	e, err := s.Evaluations.Get(r.Context(), caller.Project.ID, id)
	if err != nil {
		return err
	}
	list, err := s.Evaluations.Versions(r.Context(), caller.Project.ID, id, below, limit+1)
	if err != nil {
		return err
	}
	page := cursorPage{Data: []any{}}
	for i, v := range list {
		if i == limit {
			page.Meta.Cursor = cursorAt(list[i-1].CreatedAt, strconv.Itoa(list[i-1].Number))
			break
		}
		body, err := evaluatorVersionOf(e.Kind, v)
		if err != nil {
			return err
		}
		page.Data = append(page.Data, body)
	}
	writeJSON(w, http.StatusOK, page)
	return nil
}
