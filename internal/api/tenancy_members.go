package api

import (
	"net/http"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
)

type memberJSON struct {
	UserID string     `json:"userId"`
	Role   model.Role `json:"role"`
	Email  string     `json:"email"`
	Name   string     `json:"name"`
}

func memberOf(m model.Membership) memberJSON {
	return memberJSON{m.User.ID, m.Role, m.User.Email, m.User.Name}
}

func writeMembers(w http.ResponseWriter, list []model.Membership) {
	rows := make([]memberJSON, 0, len(list))
	for _, m := range list {
		rows = append(rows, memberOf(m))
	}
	writeJSON(w, http.StatusOK, map[string]any{"memberships": rows})
}

// memberBody is a membership, or only its user where one is taken away.
type memberBody struct {
	UserID string     `json:"userId"`
	Role   model.Role `json:"role"`
}

func readMember(w http.ResponseWriter, r *http.Request) (body memberBody, err error) {
	err = readJSON(w, r, maxTenancyBody, &body, "a membership")
	return body, err
}

func writeRemoved(w http.ResponseWriter, userID string) {
	writeJSON(w, http.StatusOK, map[string]string{"message": "Membership deleted successfully", "userId": userID})
}

// mayChange refuses people who would change what somebody above them may do. Keys of an organization may.
func (s *server) mayChange(r *http.Request, caller auth.Principal, userID string) (model.Membership, error) {
	if caller.User.ID == "" {
		return model.Membership{}, nil
	}
	m, err := s.Tenancy.Member(r.Context(), caller.Project.Organization.ID, userID)
	if fault.Is(err, fault.NotFound) {
		return m, nil // the one who changes it says so
	}
	if err != nil {
		return m, err
	}
	return m, needRole(caller.Role, m.Role)
}

// mayGive also refuses people who would give a role above their own, or take the role of an owner from themselves,
// with which the last owner might go.
func (s *server) mayGive(r *http.Request, caller auth.Principal, userID string, role model.Role) error {
	m, err := s.mayChange(r, caller, userID)
	switch {
	case err != nil || caller.User.ID == "":
		return err
	case role.Known() && !caller.Role.AtLeast(role):
		return needRole(caller.Role, role)
	case userID == caller.User.ID && m.Role == model.Owner && role != model.Owner:
		return authError{fault.New(fault.Forbidden, "An owner does not step down alone").Hint("ask another owner to change your role")}
	}
	return nil
}

// listMembers serves GET /api/public/organizations/memberships.
func (s *server) listMembers(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	list, err := s.Tenancy.Members(r.Context(), caller.Project.Organization.ID)
	if err != nil {
		return err
	}
	writeMembers(w, list)
	return nil
}

// putMember serves PUT /api/public/organizations/memberships.
func (s *server) putMember(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	body, err := readMember(w, r)
	if err != nil {
		return err
	}
	if err := s.mayGive(r, caller, body.UserID, body.Role); err != nil {
		return err
	}
	m, err := s.Tenancy.PutMember(r.Context(), caller.Project.Organization.ID, body.UserID, body.Role)
	if err != nil {
		return err
	}
	*noted(r) = note{object: m.User.ID, name: m.User.Email, detail: string(m.Role)}
	writeJSON(w, http.StatusOK, memberOf(m))
	return nil
}

// deleteMember serves DELETE /api/public/organizations/memberships.
func (s *server) deleteMember(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	body, err := readMember(w, r)
	if err != nil {
		return err
	}
	if err := s.mayGive(r, caller, body.UserID, ""); err != nil {
		return err
	}
	if err := s.Tenancy.RemoveMember(r.Context(), caller.Project.Organization.ID, body.UserID); err != nil {
		return err
	}
	*noted(r) = note{object: body.UserID}
	writeRemoved(w, body.UserID)
	return nil
}

// listProjectMembers serves GET /api/public/projects/{projectId}/memberships.
func (s *server) listProjectMembers(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	list, err := s.Tenancy.ProjectMembers(r.Context(), caller.Project.Organization.ID, r.PathValue("projectId"))
	if err != nil {
		return err
	}
	writeMembers(w, list)
	return nil
}

// putProjectMember serves PUT /api/public/projects/{projectId}/memberships.
func (s *server) putProjectMember(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	body, err := readMember(w, r)
	if err != nil {
		return err
	}
	if err := s.mayGive(r, caller, body.UserID, body.Role); err != nil {
		return err
	}
	m, err := s.Tenancy.PutProjectMember(r.Context(), caller.Project.Organization.ID, r.PathValue("projectId"), body.UserID, body.Role)
	if err != nil {
		return err
	}
	*noted(r) = note{object: m.User.ID, name: m.User.Email, detail: string(m.Role)}
	writeJSON(w, http.StatusOK, memberOf(m))
	return nil
}

// deleteProjectMember serves DELETE /api/public/projects/{projectId}/memberships.
func (s *server) deleteProjectMember(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	body, err := readMember(w, r)
	if err != nil {
		return err
	}
	if _, err := s.mayChange(r, caller, body.UserID); err != nil {
		return err
	}
	if err := s.Tenancy.RemoveProjectMember(r.Context(), caller.Project.Organization.ID, r.PathValue("projectId"), body.UserID); err != nil {
		return err
	}
	*noted(r) = note{object: body.UserID}
	writeRemoved(w, body.UserID)
	return nil
}
