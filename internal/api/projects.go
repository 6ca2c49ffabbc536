package api

import (
	"encoding/json"
	"net/http"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/model"
)

type projectsBody struct {
	Data []projectJSON `json:"data"`
}

type projectJSON struct {
	ID           string           `json:"id"`
	Name         string           `json:"name"`
	Organization organizationJSON `json:"organization"`
	Metadata     json.RawMessage  `json:"metadata"` // SDKs insist on it
	Retention    *int             `json:"retentionDays,omitempty"`
	Payloads     *int             `json:"payloadRetentionDays,omitempty"`
}

type organizationJSON struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

func projectOf(p model.Project) projectJSON {
	shown := projectJSON{
		ID: p.ID, Name: p.Name, Metadata: metadataOf(p.Metadata),
		Organization: organizationJSON{p.Organization.ID, p.Organization.Name},
	}
	if p.Retention.Days > 0 {
		shown.Retention = &p.Retention.Days
	}
	if p.Retention.PayloadDays > 0 {
		shown.Payloads = &p.Retention.PayloadDays
	}
	return shown
}

// projects serves GET /api/public/projects: the project of the key.
func (s *server) projects(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	project, err := s.Tenancy.Project(r.Context(), caller.Project.ID)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, projectsBody{[]projectJSON{projectOf(project)}})
	return nil
}
