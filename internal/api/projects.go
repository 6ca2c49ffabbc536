package api

import (
	"net/http"

	"github.com/sondehq/sonde/internal/auth"
)

type projectsBody struct {
	Data []projectJSON `json:"data"`
}

type projectJSON struct {
	ID           string           `json:"id"`
	Name         string           `json:"name"`
	Organization organizationJSON `json:"organization"`
	Metadata     struct{}         `json:"metadata"` // SDKs insist on it
}

type organizationJSON struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// projects serves GET /api/public/projects: the project of the key.
func (s *server) projects(w http.ResponseWriter, _ *http.Request, caller auth.Principal) error {
	project := caller.Project
	writeJSON(w, http.StatusOK, projectsBody{[]projectJSON{{
		ID: project.ID, Name: project.Name,
		Organization: organizationJSON{project.Organization.ID, project.Organization.Name},
	}}})
	return nil
}
