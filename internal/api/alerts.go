package api

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/sondehq/sonde/internal/alerts"
	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/query"
)

const (
	alertsPath       = "/api/public/alerts"
	alertPath        = alertsPath + "/{alertId}"
	alertTargetsPath = "/api/public/alert-targets"
	alertTargetPath  = alertTargetsPath + "/{targetId}"
	maxAlertBody     = 128 << 10
)

func (s *server) alertRoutes() []route {
	return []route{
		{method: http.MethodGet, path: alertsPath, handle: s.listAlerts},
		{method: http.MethodPost, path: alertsPath, handle: s.createAlert},
		{method: http.MethodGet, path: alertPath, handle: s.getAlert},
		{method: http.MethodPut, path: alertPath, handle: s.replaceAlert},
		{method: http.MethodDelete, path: alertPath, handle: s.deleteAlert},
		{method: http.MethodPut, path: alertPath + "/mute", handle: s.muteAlert},
		{method: http.MethodGet, path: alertPath + "/history", handle: s.alertHistory},
		{method: http.MethodPost, path: alertPath + "/test", handle: s.tryAlert, role: readNode},
		{method: http.MethodGet, path: alertTargetsPath, handle: s.listAlertTargets},
		{method: http.MethodPost, path: alertTargetsPath, handle: s.createAlertTarget, least: model.Admin},
		{method: http.MethodDelete, path: alertTargetPath, handle: s.deleteAlertTarget, least: model.Admin},
		{method: http.MethodPost, path: alertTargetPath + "/test", handle: s.tryAlertTarget},
	}
}

// alertSettings is what people decide about an alert, as clients read and write it.
type alertSettings struct {
	Name          string              `json:"name"`
	Enabled       *bool               `json:"enabled"`
	DashboardID   string              `json:"dashboardId"`
	TileID        string              `json:"tileId"`
	Query         json.RawMessage     `json:"query"`
	Condition     *alertConditionJSON `json:"condition"`
	WindowMinutes int                 `json:"windowMinutes"`
	EveryMinutes  int                 `json:"everyMinutes"`
	TargetIDs     []string            `json:"targetIds"`
}

type alertConditionJSON struct {
	Kind      model.AlertKind `json:"kind"`
	Operator  string          `json:"operator,omitempty"`
	Limit     string          `json:"limit,omitempty"`
	Direction string          `json:"direction,omitempty"`
}

// alertJSON is an alert as clients read it.
type alertJSON struct {
	ID        string `json:"id"`
	ProjectID string `json:"projectId"`
	alertSettings
	MutedUntil  *string          `json:"mutedUntil"`
	State       model.AlertState `json:"state"`
	Since       *string          `json:"since"`
	Value       *string          `json:"value"`
	Reason      *string          `json:"reason"`
	EvaluatedAt *string          `json:"evaluatedAt"`
	CreatedAt   string           `json:"createdAt"`
	UpdatedAt   string           `json:"updatedAt"`
}

func alertOf(a model.Alert) alertJSON {
	s := a.Settings
	targets := append([]string{}, s.TargetIDs...)
	condition := alertConditionJSON(s.Condition)
	return alertJSON{
		ID: a.ID, ProjectID: a.ProjectID,
		alertSettings: alertSettings{
			Name: s.Name, Enabled: &s.Enabled, DashboardID: s.DashboardID, TileID: s.TileID, Query: s.Query, Condition: &condition,
			WindowMinutes: s.WindowMinutes, EveryMinutes: s.EveryMinutes, TargetIDs: targets,
		},
		MutedUntil: stampOrNull(a.MutedUntil), State: a.State, Since: stampOrNull(a.Since), Value: orNull(a.Value), Reason: orNull(a.Reason),
		EvaluatedAt: stampOrNull(a.EvaluatedAt), CreatedAt: stamp(a.CreatedAt), UpdatedAt: stamp(a.UpdatedAt),
	}
}

func readAlert(w http.ResponseWriter, r *http.Request) (model.AlertSettings, error) {
	var body alertSettings
	if err := readExactly(w, r, maxAlertBody, &body, "an alert"); err != nil {
		return model.AlertSettings{}, err
	}
	if len(body.Query) == 0 || body.Condition == nil {
		return model.AlertSettings{}, fault.Invalidf("query", "and condition are missing").Hint("send name, query, condition, windowMinutes and everyMinutes")
	}
	return model.AlertSettings{
		Name: body.Name, Enabled: body.Enabled == nil || *body.Enabled, DashboardID: body.DashboardID, TileID: body.TileID, Query: body.Query,
		Condition: model.AlertCondition(*body.Condition), WindowMinutes: body.WindowMinutes, EveryMinutes: body.EveryMinutes, TargetIDs: body.TargetIDs,
	}, nil
}

// listAlerts serves GET /api/public/alerts.
func (s *server) listAlerts(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	list, err := s.Alerts.List(r.Context(), caller.Project.ID)
	if err != nil {
		return err
	}
	shown := make([]alertJSON, len(list))
	for i, a := range list {
		shown[i] = alertOf(a)
	}
	writeJSON(w, http.StatusOK, map[string]any{"data": shown})
	return nil
}

// createAlert serves POST /api/public/alerts.
func (s *server) createAlert(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	settings, err := readAlert(w, r)
	if err != nil {
		return err
	}
	a, err := s.Alerts.Create(r.Context(), caller.Project.ID, settings)
	return answerAlert(w, http.StatusCreated, a, err)
}

func answerAlert(w http.ResponseWriter, status int, a model.Alert, err error) error {
	if err != nil {
		return err
	}
	writeJSON(w, status, alertOf(a))
	return nil
}

// getAlert serves GET /api/public/alerts/{alertId}.
func (s *server) getAlert(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	a, err := s.Alerts.Get(r.Context(), caller.Project.ID, r.PathValue("alertId"))
	return answerAlert(w, http.StatusOK, a, err)
}

// replaceAlert serves PUT /api/public/alerts/{alertId}.
func (s *server) replaceAlert(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	settings, err := readAlert(w, r)
	if err != nil {
		return err
	}
	a, err := s.Alerts.Replace(r.Context(), caller.Project.ID, r.PathValue("alertId"), settings)
	return answerAlert(w, http.StatusOK, a, err)
}

// deleteAlert serves DELETE /api/public/alerts/{alertId}.
func (s *server) deleteAlert(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	if err := s.Alerts.Delete(r.Context(), caller.Project.ID, r.PathValue("alertId")); err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, errorBody{Message: "Alert deleted"})
	return nil
}

// muteAlert serves PUT /api/public/alerts/{alertId}/mute.
func (s *server) muteAlert(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	var body struct {
		Until *string `json:"until"`
	}
	if err := readExactly(w, r, maxAlertBody, &body, "a mute"); err != nil {
		return err
	}
	var until time.Time
	if body.Until != nil {
		var err error
		if until, err = query.ParseTime(*body.Until); err != nil {
			return fault.Invalidf("until", "must be an ISO 8601 date-time with a zone, such as 2026-05-01T10:00:00.000Z, or null")
		}
	}
	a, err := s.Alerts.Mute(r.Context(), caller.Project.ID, r.PathValue("alertId"), until)
	return answerAlert(w, http.StatusOK, a, err)
}

type deliveryJSON struct {
	TargetID  string              `json:"targetId"`
	State     model.DeliveryState `json:"state"`
	Attempts  int                 `json:"attempts"`
	LastError *string             `json:"lastError"`
	UpdatedAt string              `json:"updatedAt"`
}

type alertChangeJSON struct {
	ID         string           `json:"id"`
	At         string           `json:"at"`
	From       model.AlertState `json:"from"`
	To         model.AlertState `json:"to"`
	Value      *string          `json:"value"`
	Reason     *string          `json:"reason"`
	Muted      bool             `json:"muted"`
	Deliveries []deliveryJSON   `json:"deliveries"`
}

// alertHistory serves GET /api/public/alerts/{alertId}/history.
func (s *server) alertHistory(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	list, err := s.Alerts.History(r.Context(), caller.Project.ID, r.PathValue("alertId"))
	if err != nil {
		return err
	}
	shown := make([]alertChangeJSON, len(list))
	for i, c := range list {
		shown[i] = alertChangeJSON{ID: c.ID, At: stamp(c.At), From: c.From, To: c.To, Value: orNull(c.Value), Reason: orNull(c.Reason), Muted: c.Muted, Deliveries: []deliveryJSON{}}
		for _, d := range c.Deliveries {
			shown[i].Deliveries = append(shown[i].Deliveries, deliveryJSON{TargetID: d.TargetID, State: d.State, Attempts: d.Attempts, LastError: orNull(d.LastError), UpdatedAt: stamp(d.UpdatedAt)})
		}
	}
	writeJSON(w, http.StatusOK, map[string]any{"data": shown})
	return nil
}

type attemptJSON struct {
	TargetID  string  `json:"targetId"`
	Delivered bool    `json:"delivered"`
	Error     *string `json:"error"`
}

// tryAlert serves POST /api/public/alerts/{alertId}/test.
func (s *server) tryAlert(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	trial, err := s.Alerts.Try(r.Context(), caller.Project.ID, r.PathValue("alertId"))
	if err != nil {
		return err
	}
	sent := make([]attemptJSON, len(trial.Sent))
	for i, a := range trial.Sent {
		sent[i] = attemptOf(a)
	}
	o := trial.Outcome
	writeJSON(w, http.StatusOK, map[string]any{"state": o.State, "value": orNull(o.Value), "reason": orNull(o.Reason), "deliveries": sent})
	return nil
}

func attemptOf(a alerts.Attempt) attemptJSON {
	return attemptJSON{TargetID: a.TargetID, Delivered: a.Error == "", Error: orNull(a.Error)}
}
