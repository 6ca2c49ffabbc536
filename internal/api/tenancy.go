package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tenancy"
)

// ProjectEraser erases everything that a project has.
type ProjectEraser interface {
	// Project starts to erase a project and returns the job that does it. Asked again it goes on with
	// what it began.
	Project(ctx context.Context, projectID string, by model.Requester) (jobID string, err error)
}

// maxTenancyBody bounds the bodies of organizations, projects, keys, members and users.
const maxTenancyBody = 1 << 20

const (
	projectsPath    = "/api/public/projects"
	projectPath     = "/api/public/projects/{projectId}"
	projectKeysPath = projectPath + "/apiKeys"
	membersPath     = "/api/public/organizations/memberships"
	projectMembers  = projectPath + "/memberships"
)

// tenancyRoutes are the routes of organizations, projects, keys and members.
func (s *server) tenancyRoutes() []route {
	list := []route{
		{method: http.MethodPost, path: projectsPath, handle: s.createProject},
		{method: http.MethodPut, path: projectPath, handle: s.changeProject},
		{method: http.MethodDelete, path: projectPath, handle: s.deleteProject, least: model.Owner},
		{method: http.MethodGet, path: projectKeysPath, handle: s.listProjectKeys, least: model.Admin},
		{method: http.MethodPost, path: projectKeysPath, handle: s.createProjectKey},
		{method: http.MethodDelete, path: projectKeysPath + "/{apiKeyId}", handle: s.deleteProjectKey},
		{method: http.MethodPost, path: projectKeysPath + "/{apiKeyId}/rotate", handle: s.rotateProjectKey},
		{method: http.MethodGet, path: membersPath, handle: s.listMembers},
		{method: http.MethodPut, path: membersPath, handle: s.putMember},
		{method: http.MethodDelete, path: membersPath, handle: s.deleteMember},
		{method: http.MethodGet, path: projectMembers, handle: s.listProjectMembers},
		{method: http.MethodPut, path: projectMembers, handle: s.putProjectMember},
		{method: http.MethodDelete, path: projectMembers, handle: s.deleteProjectMember},
		{method: http.MethodGet, path: "/api/public/organizations/projects", handle: s.listProjects},
		{method: http.MethodGet, path: "/api/public/organizations/apiKeys", handle: s.listOrganizationKeys, least: model.Admin},
	}
	for i := range list {
		list[i].level = organizationLevel
	}
	return slices.Concat(list, s.scimRoutes(), s.adminRoutes())
}

// projectBody is a project, or a change of one, as clients write it. Null is not given.
type projectBody struct {
	Name             *string         `json:"name"`
	Metadata         json.RawMessage `json:"metadata"`
	Retention        *int            `json:"retention"`
	PayloadRetention *int            `json:"payloadRetention"`
}

// ownedProject is a project in the list of its organization.
type ownedProject struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Metadata  json.RawMessage `json:"metadata"`
	CreatedAt string          `json:"createdAt"`
	UpdatedAt string          `json:"updatedAt"`
}

func ownedProjectsOf(list []model.Project) []ownedProject {
	rows := make([]ownedProject, 0, len(list))
	for _, p := range list {
		rows = append(rows, ownedProject{p.ID, p.Name, metadataOf(p.Metadata), stamp(p.CreatedAt), stamp(p.UpdatedAt)})
	}
	return rows
}

// metadataOf is a JSON object, whatever was given.
func metadataOf(text string) json.RawMessage {
	if text == "" {
		return json.RawMessage("{}")
	}
	return json.RawMessage(text)
}

// givenMetadata returns the text of a member that should be an object; nil: not given. What it is instead
// is found by who stores it.
func givenMetadata(raw json.RawMessage) *string {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	text := string(raw)
	return &text
}

// listProjects serves GET /api/public/organizations/projects.
func (s *server) listProjects(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	list, err := s.Tenancy.Projects(r.Context(), caller.Project.Organization.ID)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, map[string]any{"projects": ownedProjectsOf(list)})
	return nil
}

// createProject serves POST /api/public/projects.
func (s *server) createProject(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	var body projectBody
	if err := readJSON(w, r, maxTenancyBody, &body, "a project"); err != nil {
		return err
	}
	if body.Retention == nil {
		return fault.Invalidf("retention", "must be given").Hint("0 keeps data as long as the server is set to, for ever unless it says otherwise")
	}
	made, err := s.Tenancy.CreateProject(r.Context(), caller.Project.Organization.ID, model.Project{
		Name: valueOf(body.Name), Metadata: valueOf(givenMetadata(body.Metadata)),
		Retention: model.Retention{Days: *body.Retention, PayloadDays: days(body.PayloadRetention)},
	})
	if err != nil {
		return err
	}
	*noted(r) = note{object: made.ID, name: made.Name, detail: retentionText(made.Retention)}
	writeJSON(w, http.StatusCreated, projectOf(made))
	return nil
}

// retentionText is a retention as the audit log has it.
func retentionText(r model.Retention) string {
	return fmt.Sprintf("retention %d days, payloads %d days", r.Days, r.PayloadDays)
}

func days(given *int) int {
	if given == nil {
		return 0
	}
	return *given
}

// changeProject serves PUT /api/public/projects/{projectId}.
func (s *server) changeProject(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	var body projectBody
	if err := readJSON(w, r, maxTenancyBody, &body, "a project"); err != nil {
		return err
	}
	changed, err := s.Tenancy.ChangeProject(r.Context(), caller.Project.Organization.ID, r.PathValue("projectId"), tenancy.ProjectChange{
		Name: body.Name, Metadata: givenMetadata(body.Metadata), RetentionDays: body.Retention, PayloadDays: body.PayloadRetention,
	})
	if err != nil {
		return err
	}
	*noted(r) = note{object: changed.ID, name: changed.Name, detail: retentionText(changed.Retention)}
	writeJSON(w, http.StatusOK, projectOf(changed))
	return nil
}

// deleteProject serves DELETE /api/public/projects/{projectId}. Its keys are refused before its data goes.
func (s *server) deleteProject(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	if s.ProjectEraser == nil {
		return refusal{http.StatusNotImplemented, "NotImplementedError", "This node cannot erase projects; ask one that stores data"}
	}
	id := r.PathValue("projectId")
	if project, err := s.Tenancy.Project(r.Context(), id); err == nil && s.Cells != nil && project.Organization.ID == caller.Project.Organization.ID {
		if err := s.Cells.Takes(r.Context(), id); err != nil {
			return err // its rows are where it is
		}
	}
	if err := s.Tenancy.GiveUpProject(r.Context(), caller.Project.Organization.ID, id); err != nil {
		return err
	}
	job, err := s.ProjectEraser.Project(r.Context(), id, requester(r, caller))
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusAccepted, map[string]any{
		"success": true, "message": "Project deletion has been initiated and is being processed asynchronously", "jobId": job,
	})
	return nil
}
