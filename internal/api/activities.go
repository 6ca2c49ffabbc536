package api

import (
	"encoding/json"
	"net/http"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/query"
	"github.com/sondehq/sonde/internal/tracestore"
)

// activities answers a page of users or sessions.
func (s *server) activities(w http.ResponseWriter, r *http.Request, caller auth.Principal, by filter.Column, shown func(tracestore.Activity) any) error {
	p, err := readParams(r)
	if err != nil {
		return err
	}
	page, limit := p.page()
	req := query.ActivityRequest{RowFilter: p.rowFilter(), By: by, Number: query.PageNumber{Page: page, Limit: limit}}
	req.Prefix, _ = p.text("prefix")
	req.Order, _ = p.text("orderBy")
	if err := p.err(); err != nil {
		return err
	}
	answer, err := s.Query.Activities(r.Context(), caller.Project.ID, req)
	if err != nil {
		return err
	}
	data := make([]any, len(answer.List))
	for i, a := range answer.List {
		data[i] = shown(a)
	}
	writeJSON(w, http.StatusOK, map[string]any{"data": data, "meta": struct {
		pageMeta
		reachJSON
	}{metaOf(page, limit, int(answer.Total)), reachOf(answer.Reach)}})
	return nil
}

// activityJSON is what a user and a session have in common.
type activityJSON struct {
	ID           string      `json:"id"`
	FirstSeen    string      `json:"firstSeen"`
	LastSeen     string      `json:"lastSeen"`
	Traces       uint64      `json:"traces"`
	Observations uint64      `json:"observations"`
	Errors       uint64      `json:"errors"`
	InputTokens  json.Number `json:"inputTokens"`
	OutputTokens json.Number `json:"outputTokens"`
	TotalTokens  json.Number `json:"totalTokens"`
	TotalCost    json.Number `json:"totalCost"`
}

func activityOf(a tracestore.Activity) activityJSON {
	return activityJSON{
		ID: a.ID, FirstSeen: stamp(a.FirstSeen), LastSeen: stamp(a.LastSeen), Traces: a.Traces, Observations: a.Observations, Errors: a.Errors,
		InputTokens: json.Number(a.InputTokens.String()), OutputTokens: json.Number(a.OutputTokens.String()),
		TotalTokens: json.Number(a.TotalTokens.String()), TotalCost: json.Number(a.TotalCost.String()),
	}
}

// users serves GET /api/public/users.
func (s *server) users(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	return s.activities(w, r, caller, filter.UserID, func(a tracestore.Activity) any {
		return struct {
			activityJSON
			Sessions uint64 `json:"sessions"`
		}{activityOf(a), a.SessionCount}
	})
}

// sessionSummaries serves GET /api/public/session-summaries.
func (s *server) sessionSummaries(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	return s.activities(w, r, caller, filter.SessionID, func(a tracestore.Activity) any {
		return struct {
			activityJSON
			Duration  float64  `json:"duration"`
			Users     []string `json:"users"`
			UserCount uint64   `json:"userCount"`
		}{activityOf(a), a.LastSeen.Sub(a.FirstSeen).Seconds(), append([]string{}, a.Users...), a.UserCount}
	})
}
