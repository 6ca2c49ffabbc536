package api

import (
	"bytes"
	"encoding/json"
	"net/http"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/jobs"
	"github.com/sondehq/sonde/internal/model"
)

// maxJobBody bounds the parameters of a job.
const maxJobBody = 64 << 10

// jobRoutes are the routes of background jobs.
func (s *server) jobRoutes() []route {
	const path = "/api/public/jobs"
	return []route{
		{method: http.MethodPost, path: path, handle: s.createJob, role: jobNode, least: model.Admin},
		{method: http.MethodGet, path: path, handle: s.listJobs, role: jobNode},
		{method: http.MethodGet, path: path + "/{id}", handle: s.getJob, role: jobNode},
		{method: http.MethodPost, path: path + "/{id}/cancel", handle: s.cancelJob, role: jobNode, least: model.Admin},
	}
}

// createJob serves POST /api/public/jobs. All members but the kind are the kind's own.
func (s *server) createJob(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	var job jobs.Job
	err := s.bodies.read(w, r, func(body []byte) (err error) {
		if len(body) > maxJobBody {
			return fault.New(fault.TooLarge, "The request body is larger than %d bytes", maxJobBody).Hint("a job takes a few parameters")
		}
		var asked struct {
			Kind string `json:"kind"`
		}
		if err := json.Unmarshal(body, &asked); err != nil {
			return fault.New(fault.Invalid, "The request body is not a JSON object").
				Hint(`send one like {"kind":"reprice","from":"2026-05-01T00:00:00Z","to":"2026-05-02T00:00:00Z","preview":true}`).Because(err)
		}
		job, err = s.Jobs.Create(r.Context(), caller.Project.ID, asked.Kind, bytes.Clone(body))
		return err
	})
	if err != nil {
		return err
	}
	*noted(r) = note{object: job.ID, name: job.Kind}
	writeJSON(w, http.StatusAccepted, jobOf(job))
	return nil
}

// listJobs serves GET /api/public/jobs.
func (s *server) listJobs(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	p, err := readParams(r)
	if err != nil {
		return err
	}
	limit := p.number("limit", jobs.MaxListed)
	if limit < 1 || limit > jobs.MaxListed {
		p.invalid("limit", "must be between 1 and %d", jobs.MaxListed)
	}
	if err := p.err(); err != nil {
		return err
	}
	list, err := s.Jobs.List(r.Context(), caller.Project.ID, limit)
	if err != nil {
		return err
	}
	data := make([]jobJSON, 0, len(list))
	for _, job := range list {
		data = append(data, jobOf(job))
	}
	writeJSON(w, http.StatusOK, map[string]any{"data": data})
	return nil
}

// getJob serves GET /api/public/jobs/{id}.
func (s *server) getJob(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	job, err := s.Jobs.Get(r.Context(), caller.Project.ID, r.PathValue("id"))
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, jobOf(job))
	return nil
}

// cancelJob serves POST /api/public/jobs/{id}/cancel.
func (s *server) cancelJob(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	job, err := s.Jobs.Cancel(r.Context(), caller.Project.ID, r.PathValue("id"))
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, jobOf(job))
	return nil
}

// jobJSON is a job as clients see it; what its handler remembers stays inside.
type jobJSON struct {
	ID         string          `json:"id"`
	Kind       string          `json:"kind"`
	State      jobs.State      `json:"state"`
	Parameters json.RawMessage `json:"parameters"`
	Progress   jobProgress     `json:"progress"`
	Result     json.RawMessage `json:"result"`
	Reason     *string         `json:"reason"`
	Attempts   int             `json:"attempts"`
	CreatedAt  string          `json:"createdAt"`
	StartedAt  *string         `json:"startedAt"`
	UpdatedAt  string          `json:"updatedAt"`
	EndedAt    *string         `json:"endedAt"`
}

type jobProgress struct {
	Done  uint64 `json:"done"`
	Total uint64 `json:"total"`
	Text  string `json:"text"`
}

func jobOf(job jobs.Job) jobJSON {
	return jobJSON{
		ID: job.ID, Kind: job.Kind, State: job.State, Parameters: job.Parameters,
		Progress: jobProgress(job.Progress), Result: job.Result, Reason: orNull(job.Reason), Attempts: job.Attempts,
		CreatedAt: stamp(job.CreatedAt), StartedAt: stampOrNull(job.StartedAt),
		UpdatedAt: stamp(job.UpdatedAt), EndedAt: stampOrNull(job.EndedAt),
	}
}
