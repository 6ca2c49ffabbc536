package api

import (
	"encoding/json"
	"net/http"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tenancy"
)

const (
	adminPath        = "/api/admin/organizations"
	adminOnePath     = adminPath + "/{organizationId}"
	adminKeysPath    = adminOnePath + "/apiKeys"
	adminOneKeysPath = adminKeysPath + "/{apiKeyId}"
)

// adminRoutes are the routes of the operator of the instance.
func (s *server) adminRoutes() []route {
	list := []route{
		{method: http.MethodGet, path: adminPath, handle: s.listOrganizations},
		{method: http.MethodPost, path: adminPath, handle: s.createOrganization},
		{method: http.MethodGet, path: adminOnePath, handle: s.getOrganization},
		{method: http.MethodPut, path: adminOnePath, handle: s.changeOrganization},
		{method: http.MethodDelete, path: adminOnePath, handle: s.deleteOrganization},
		{method: http.MethodGet, path: adminKeysPath, handle: s.listKeysOfOrganization},
		{method: http.MethodPost, path: adminKeysPath, handle: s.createOrganizationKey},
		{method: http.MethodDelete, path: adminOneKeysPath, handle: s.deleteOrganizationKey},
		{method: http.MethodPost, path: adminOneKeysPath + "/rotate", handle: s.rotateOrganizationKey},
	}
	for i := range list {
		list[i].level, list[i].fail = instanceLevel, s.failAdmin
	}
	return list
}

// failAdmin answers with bodies of one member.
func (s *server) failAdmin(w http.ResponseWriter, r *http.Request, err error) {
	status, body := s.failed(w, r, err)
	message := body.Message
	if issues, ok := body.Error.([]issue); ok {
		message = issues[0].Message
	}
	writeJSON(w, status, map[string]string{"error": message})
}

type adminOrganization struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	CreatedAt string          `json:"createdAt"`
	Metadata  json.RawMessage `json:"metadata"`
	Projects  []ownedProject  `json:"projects"`
}

func adminOrganizationOf(o tenancy.OrganizationProjects) adminOrganization {
	return adminOrganization{o.ID, o.Name, stamp(o.CreatedAt), metadataOf(o.Metadata), ownedProjectsOf(o.Projects)}
}

// organizationBody is an organization as the operator writes it.
type organizationBody struct {
	Name     string          `json:"name"`
	Metadata json.RawMessage `json:"metadata"`
}

func readOrganization(w http.ResponseWriter, r *http.Request) (body organizationBody, err error) {
	err = readJSON(w, r, maxTenancyBody, &body, "an organization")
	return body, err
}

// listOrganizations serves GET /api/admin/organizations.
func (s *server) listOrganizations(w http.ResponseWriter, r *http.Request, _ auth.Principal) error {
	list, err := s.Tenancy.Organizations(r.Context())
	if err != nil {
		return err
	}
	rows := make([]adminOrganization, 0, len(list))
	for _, o := range list {
		rows = append(rows, adminOrganizationOf(o))
	}
	writeJSON(w, http.StatusOK, map[string]any{"organizations": rows})
	return nil
}

// createOrganization serves POST /api/admin/organizations.
func (s *server) createOrganization(w http.ResponseWriter, r *http.Request, _ auth.Principal) error {
	body, err := readOrganization(w, r)
	if err != nil {
		return err
	}
	made, err := s.Tenancy.CreateOrganization(r.Context(), model.Organization{Name: body.Name, Metadata: valueOf(givenMetadata(body.Metadata))})
	if err != nil {
		return err
	}
	*noted(r) = note{organizations: []string{made.ID}, object: made.ID, name: made.Name}
	writeJSON(w, http.StatusCreated, adminOrganizationOf(made))
	return nil
}

// getOrganization serves GET /api/admin/organizations/{organizationId}.
func (s *server) getOrganization(w http.ResponseWriter, r *http.Request, _ auth.Principal) error {
	found, err := s.Tenancy.Organization(r.Context(), r.PathValue("organizationId"))
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, adminOrganizationOf(found))
	return nil
}

// changeOrganization serves PUT /api/admin/organizations/{organizationId}.
func (s *server) changeOrganization(w http.ResponseWriter, r *http.Request, _ auth.Principal) error {
	body, err := readOrganization(w, r)
	if err != nil {
		return err
	}
	changed, err := s.Tenancy.ChangeOrganization(r.Context(), r.PathValue("organizationId"), body.Name, givenMetadata(body.Metadata))
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, adminOrganizationOf(changed))
	return nil
}

// deleteOrganization serves DELETE /api/admin/organizations/{organizationId}.
func (s *server) deleteOrganization(w http.ResponseWriter, r *http.Request, _ auth.Principal) error {
	if err := s.Tenancy.DeleteOrganization(r.Context(), r.PathValue("organizationId")); err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, map[string]bool{"success": true})
	return nil
}

// organization is the one that a path names. fault.NotFound.
func (s *server) organization(r *http.Request) (string, error) {
	found, err := s.Tenancy.Organization(r.Context(), r.PathValue("organizationId"))
	return found.ID, err
}

// listKeysOfOrganization serves GET /api/admin/organizations/{organizationId}/apiKeys.
func (s *server) listKeysOfOrganization(w http.ResponseWriter, r *http.Request, _ auth.Principal) error {
	id, err := s.organization(r)
	if err != nil {
		return err
	}
	return s.listKeys(w, r, id, "")
}

// createOrganizationKey serves POST /api/admin/organizations/{organizationId}/apiKeys.
func (s *server) createOrganizationKey(w http.ResponseWriter, r *http.Request, _ auth.Principal) error {
	id, err := s.organization(r)
	if err != nil {
		return err
	}
	return s.createKey(w, r, id, "")
}

// rotateOrganizationKey serves POST /api/admin/organizations/{organizationId}/apiKeys/{apiKeyId}/rotate.
func (s *server) rotateOrganizationKey(w http.ResponseWriter, r *http.Request, _ auth.Principal) error {
	return s.rotateKey(w, r, r.PathValue("organizationId"), "")
}

// deleteOrganizationKey serves DELETE /api/admin/organizations/{organizationId}/apiKeys/{apiKeyId}.
func (s *server) deleteOrganizationKey(w http.ResponseWriter, r *http.Request, _ auth.Principal) error {
	return s.deleteKey(w, r, r.PathValue("organizationId"), "")
}
