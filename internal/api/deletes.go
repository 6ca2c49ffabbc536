package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
)

// TraceDeleter deletes traces.
type TraceDeleter interface {
	// Delete hides traces from every read that begins after it returned, and names the job that erases them;
	// an empty name when that starts later. Who asked is kept for the report.
	Delete(ctx context.Context, projectID string, traceIDs []string, by model.Requester) (jobID string, err error)
}

const (
	// maxDeleted is how many traces one request may delete, maxDeleteBody bounds its body.
	maxDeleted    = 1000
	maxDeleteBody = 1 << 20
	// maxTraceID is more than any id of a trace that is stored.
	maxTraceID = 1000

	headerJob = "X-Sonde-Job"
)

// deleteRoutes are the routes of deletes of traces.
func (s *server) deleteRoutes() []route {
	return []route{
		{method: http.MethodDelete, path: "/api/public/traces", handle: s.deleteTraces, role: deleteNode, least: model.Admin},
		{method: http.MethodDelete, path: "/api/public/traces/{traceId}", handle: s.deleteTrace, role: deleteNode, least: model.Admin},
	}
}

// deleteTraces serves DELETE /api/public/traces.
func (s *server) deleteTraces(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	var ids []string
	err := s.bodies.read(w, r, func(body []byte) (err error) {
		ids, err = deletedIDs(body)
		return err
	})
	if err != nil {
		return err
	}
	return s.deleted(w, r, caller, ids, "Traces deleted successfully")
}

// deletedIDs reads {"traceIds": [...]} and nothing else.
func deletedIDs(body []byte) ([]string, error) {
	if len(body) > maxDeleteBody {
		return nil, fault.New(fault.TooLarge, "The request body is larger than %d bytes", maxDeleteBody).Hint("delete fewer traces at once")
	}
	var asked struct {
		TraceIDs []string `json:"traceIds"`
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&asked); err != nil || decoder.More() {
		return nil, fault.New(fault.Invalid, "The request body is not a list of traces").
			Hint(`send {"traceIds":["…"]} with 1 to 1000 ids and nothing else`).Because(err)
	}
	if n := len(asked.TraceIDs); n < 1 || n > maxDeleted {
		return nil, fault.Invalidf("traceIds", "must have 1 to %d ids", maxDeleted)
	}
	for _, id := range asked.TraceIDs {
		if err := checkTraceID("traceIds", id); err != nil {
			return nil, err
		}
	}
	return asked.TraceIDs, nil
}

// checkTraceID refuses what cannot be the id of a trace.
func checkTraceID(field, id string) error {
	switch {
	case id == "":
		return fault.Invalidf(field, "must not be empty")
	case len(id) > maxTraceID:
		return fault.Invalidf(field, "must not be longer than %d bytes", maxTraceID)
	case strings.ContainsRune(id, 0) || !utf8.ValidString(id):
		return fault.Invalidf(field, "must be text without NUL")
	}
	return nil
}

// deleteTrace serves DELETE /api/public/traces/{traceId}.
func (s *server) deleteTrace(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	id := r.PathValue("traceId")
	if err := checkTraceID("traceId", id); err != nil {
		return err
	}
	return s.deleted(w, r, caller, []string{id}, "Trace deleted successfully")
}

func (s *server) deleted(w http.ResponseWriter, r *http.Request, caller auth.Principal, ids []string, message string) error {
	job, err := s.Deletes.Delete(r.Context(), caller.Project.ID, ids, requester(r, caller))
	if err != nil {
		return fmt.Errorf("delete traces: %w", err)
	}
	if job != "" {
		w.Header().Set(headerJob, job)
	}
	*noted(r) = note{object: ids[0], detail: fmt.Sprintf("%d traces", len(ids))}
	writeJSON(w, http.StatusOK, errorBody{Message: message})
	return nil
}
