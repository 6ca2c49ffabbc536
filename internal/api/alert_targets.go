package api

import (
	"net/http"

	"github.com/sondehq/sonde/internal/alerts"
	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/model"
)

// alertTargetJSON is a target as clients read it.
type alertTargetJSON struct {
	ID        string           `json:"id"`
	ProjectID string           `json:"projectId"`
	Name      string           `json:"name"`
	Kind      model.TargetKind `json:"kind"`
	Display   string           `json:"displayAddress"`
	CreatedAt string           `json:"createdAt"`
}

// newAlertTargetJSON also has the key that is shown once.
type newAlertTargetJSON struct {
	alertTargetJSON
	SigningKey *string `json:"signingKey"`
}

func alertTargetOf(t model.AlertTarget) alertTargetJSON {
	return alertTargetJSON{ID: t.ID, ProjectID: t.ProjectID, Name: t.Name, Kind: t.Kind, Display: t.Display, CreatedAt: stamp(t.CreatedAt)}
}

// listAlertTargets serves GET /api/public/alert-targets.
func (s *server) listAlertTargets(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	list, err := s.AlertTargets.List(r.Context(), caller.Project.ID)
	if err != nil {
		return err
	}
	shown := make([]alertTargetJSON, len(list))
	for i, t := range list {
		shown[i] = alertTargetOf(t)
	}
	writeJSON(w, http.StatusOK, map[string]any{"data": shown})
	return nil
}

// createAlertTarget serves POST /api/public/alert-targets.
func (s *server) createAlertTarget(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	var body struct {
		Name    string `json:"name"`
		Kind    string `json:"kind"`
		Address string `json:"address"`
	}
	if err := readExactly(w, r, maxAlertBody, &body, "a target"); err != nil {
		return err
	}
	made, key, err := s.AlertTargets.Create(r.Context(), caller.Project.ID, body.Name, model.TargetKind(body.Kind), body.Address)
	if err != nil {
		return err
	}
	*noted(r) = note{object: made.ID, name: made.Name, detail: string(made.Kind)}
	writeJSON(w, http.StatusCreated, newAlertTargetJSON{alertTargetOf(made), orNull(key)})
	return nil
}

// deleteAlertTarget serves DELETE /api/public/alert-targets/{targetId}.
func (s *server) deleteAlertTarget(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	if err := s.AlertTargets.Delete(r.Context(), caller.Project.ID, r.PathValue("targetId")); err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, errorBody{Message: "Target deleted"})
	return nil
}

// tryAlertTarget serves POST /api/public/alert-targets/{targetId}/test.
func (s *server) tryAlertTarget(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	id := r.PathValue("targetId")
	reason, err := s.AlertTargets.Try(r.Context(), caller.Project.ID, id)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, attemptOf(alerts.Attempt{TargetID: id, Error: reason}))
	return nil
}
