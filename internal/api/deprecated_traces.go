package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/query"
	"github.com/sondehq/sonde/internal/tracestore"
)

// traceJSON is a trace as older clients read it.
type traceJSON struct {
	ID          string          `json:"id"`
	ProjectID   string          `json:"projectId"`
	ExternalID  *string         `json:"externalId"` // never set
	Timestamp   string          `json:"timestamp"`
	Name        *string         `json:"name"`
	UserID      *string         `json:"userId"`
	SessionID   *string         `json:"sessionId"`
	Release     *string         `json:"release"`
	Version     *string         `json:"version"`
	Environment string          `json:"environment"`
	Public      bool            `json:"public"`
	Bookmarked  bool            `json:"bookmarked"`
	Tags        []string        `json:"tags"`
	Metadata    json.RawMessage `json:"metadata"`
	Input       any             `json:"input"`
	Output      any             `json:"output"`
	CreatedAt   string          `json:"createdAt"`
	UpdatedAt   string          `json:"updatedAt"`
	HTMLPath    string          `json:"htmlPath"`
	Latency     float64         `json:"latency"`   // -1: not asked for
	TotalCost   json.Number     `json:"totalCost"` // -1: not asked for
}

// listedTrace is a trace in a list, with ids.
type listedTrace struct {
	traceJSON
	Observations []string `json:"observations"`
	Scores       []string `json:"scores"`
}

func traceOf(t *tracestore.Trace, parts query.TraceParts) traceJSON {
	row := traceJSON{
		ID: t.ID, ProjectID: t.ProjectID, Timestamp: stamp(t.Start), Name: orNull(t.Name), UserID: orNull(t.UserID), SessionID: orNull(t.SessionID),
		Release: orNull(t.Release), Version: orNull(t.CodeVersion), Environment: t.Environment, Public: t.Public, Bookmarked: t.Bookmarked,
		Tags: append([]string{}, t.Tags...), CreatedAt: stamp(t.CreatedAt), UpdatedAt: stamp(t.UpdatedAt),
		HTMLPath: "/project/" + url.PathEscape(t.ProjectID) + "/traces/" + url.PathEscape(t.ID), Latency: -1, TotalCost: "-1",
	}
	if parts.IO {
		row.Metadata, row.Input, row.Output = flatObject(t.Metadata, typedValue), parsed(t.Input), parsed(t.Output)
	}
	if parts.Metrics {
		row.Latency, row.TotalCost = float64(t.Latency().Milliseconds())/1000, json.Number(t.TotalCost.String())
	}
	return row
}

func listedTraceOf(t *tracestore.Trace, parts query.TraceParts) listedTrace {
	return listedTrace{traceOf(t, parts), append([]string{}, t.ObservationIDs...), append([]string{}, t.ScoreIDs...)}
}

// oldTraces serves GET /api/public/traces.
func (s *server) oldTraces(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	p, number, err := readNumbered(r)
	if err != nil {
		return err
	}
	fields, _ := p.text("fields")
	advanced, _ := p.text("filter")
	orderBy, _ := p.text("orderBy")
	req := query.TraceRequest{Parts: query.ParseTraceParts(fields), NumberedRequest: query.NumberedRequest{Filter: advanced, Number: number}}
	if req.Order, err = query.ParseTraceOrder(orderBy); err != nil {
		p.issues = append(p.issues, err)
	}
	req.Fixed = p.equals(map[string]filter.Column{
		"userId": filter.UserID, "name": filter.TraceName, "sessionId": filter.SessionID, "version": filter.CodeVersion, "release": filter.Release,
	})
	req.Fixed = append(req.Fixed, p.timestamps(filter.StartTime)...)
	req.Fixed = append(req.Fixed, p.allTags("tags")...)
	req.Fixed = append(req.Fixed, p.anyOf("environment", filter.Environment)...)
	if err := p.err(); err != nil {
		return err
	}
	traces, total, err := s.Query.Traces(r.Context(), caller.Project.ID, req)
	if err != nil {
		return err
	}
	return writeNumbered(w, len(traces), func(i int) any { return listedTraceOf(traces[i], req.Parts) }, metaOf(number.Page, number.Limit, int(total)))
}

// oldTrace serves GET /api/public/traces/{traceId}: its observations are read and sent a few at a time.
func (s *server) oldTrace(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	trace, err := s.Query.Trace(r.Context(), caller.Project.ID, r.PathValue("traceId"))
	if err != nil {
		return err
	}
	scores, err := s.Query.TraceScores(r.Context(), caller.Project.ID, trace.ID)
	if err != nil {
		return err
	}
	head, err := json.Marshal(traceOf(trace, query.ParseTraceParts("")))
	if err != nil {
		return err
	}
	out := newRowWriter(w, string(bytes.TrimSuffix(head, []byte("}")))+`,"observations":[`)
	form := s.oldRows(r.Context(), caller.Project.ID)
	err = s.Query.TraceObservations(r.Context(), caller.Project.ID, trace.ID, func(rows []*model.Observation) error {
		for _, o := range rows {
			if err := out.row(form(o)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	shown := []oldScoreJSON{}
	for _, score := range scores {
		shown = append(shown, oldScoreOf(score))
	}
	return out.end(`],"scores":`, shown)
}

// sessionJSON is a session as older clients read it.
type sessionJSON struct {
	ID          string `json:"id"`
	CreatedAt   string `json:"createdAt"`
	ProjectID   string `json:"projectId"`
	Environment string `json:"environment"`
}

func sessionOf(s *tracestore.Session) sessionJSON {
	return sessionJSON{ID: s.ID, CreatedAt: stamp(s.Start), ProjectID: s.ProjectID, Environment: s.Environment}
}

// oldSessions serves GET /api/public/sessions.
func (s *server) oldSessions(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	p, number, err := readNumbered(r)
	if err != nil {
		return err
	}
	where := append(p.timestamps(filter.StartTime), p.anyOf("environment", filter.Environment)...)
	if err := p.err(); err != nil {
		return err
	}
	sessions, total, err := s.Query.Sessions(r.Context(), caller.Project.ID, where, number)
	if err != nil {
		return err
	}
	return writeNumbered(w, len(sessions), func(i int) any { return sessionOf(sessions[i]) }, metaOf(number.Page, number.Limit, int(total)))
}

// oldSession serves GET /api/public/sessions/{sessionId}.
func (s *server) oldSession(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	session, traces, err := s.Query.Session(r.Context(), caller.Project.ID, r.PathValue("sessionId"))
	if err != nil {
		return err
	}
	rows := make([]traceJSON, len(traces))
	for i, t := range traces {
		rows[i] = traceOf(t, query.TraceParts{IO: true, Metrics: true})
	}
	writeJSON(w, http.StatusOK, struct {
		sessionJSON
		Traces []traceJSON `json:"traces"`
	}{sessionOf(session), rows})
	return nil
}
