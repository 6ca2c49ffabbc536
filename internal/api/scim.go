package api

import (
	"errors"
	"net/http"
	"strings"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
)

const (
	scimPath     = "/api/public/scim"
	scimUsers    = scimPath + "/Users"
	scimUserPath = scimUsers + "/{userId}"
)

// scimRoutes let an identity provider manage the members of an organization by SCIM 2.0 (RFC 7644).
func (s *server) scimRoutes() []route {
	list := []route{
		{method: http.MethodGet, path: scimPath + "/ServiceProviderConfig", handle: s.scimConfig},
		{method: http.MethodGet, path: scimPath + "/ResourceTypes", handle: s.scimResourceTypes},
		{method: http.MethodGet, path: scimPath + "/Schemas", handle: s.scimSchemas},
		{method: http.MethodGet, path: scimUsers, handle: s.listUsers},
		{method: http.MethodPost, path: scimUsers, handle: s.createUser},
		{method: http.MethodGet, path: scimUserPath, handle: s.getUser},
		{method: http.MethodPut, path: scimUserPath, handle: s.putUser},
		{method: http.MethodPatch, path: scimUserPath, handle: s.patchUser},
		{method: http.MethodDelete, path: scimUserPath, handle: s.deleteUser},
	}
	for i := range list {
		list[i].level, list[i].keysOnly, list[i].fail = organizationLevel, true, s.failSCIM // people have pages of their own
	}
	return list
}

type scimError struct {
	Schemas []string `json:"schemas"`
	Detail  string   `json:"detail"`
	Status  int      `json:"status"`
	Type    string   `json:"scimType,omitempty"`
}

// kindError adds to a fault the word that SCIM has for it.
type kindError struct {
	error
	kind string
}

func (e kindError) Unwrap() error { return e.error }

// failSCIM answers with SCIM's own error bodies.
func (s *server) failSCIM(w http.ResponseWriter, r *http.Request, err error) {
	status, body := s.failed(w, r, err)
	answer := scimError{Schemas: []string{"urn:ietf:params:scim:api:messages:2.0:Error"}, Detail: body.Message, Status: status}
	if issues, ok := body.Error.([]issue); ok {
		answer.Detail = issues[0].Message
	}
	if kind, ok := errors.AsType[kindError](err); ok {
		answer.Type = kind.kind
	} else if status == http.StatusConflict {
		answer.Type = "uniqueness"
	}
	writeJSON(w, status, answer)
}

// maxUsers is the largest page of users.
const maxUsers = 100

// listUsers serves GET /api/public/scim/Users.
func (s *server) listUsers(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	p, err := readParams(r)
	if err != nil {
		return err
	}
	// As RFC 7644 has it, what is too small counts as the smallest; what is too large we cut.
	start, count := max(p.number("startIndex", 1), 1), min(max(p.number("count", maxUsers), 0), maxUsers)
	text, _ := p.text("filter")
	if err := p.err(); err != nil {
		return err
	}
	email, err := userFilter(text)
	if err != nil {
		return err
	}
	list, total, err := s.Tenancy.Users(r.Context(), caller.Project.Organization.ID, email, start-1, count)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, s.scimListOf(r, list, total, start))
	return nil
}

// userFilter reads the one filter that there is, userName eq "address", and returns the address; empty: all.
func userFilter(text string) (string, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return "", nil
	}
	fields := strings.Fields(text)
	if len(fields) == 3 && strings.EqualFold(fields[0], "userName") && strings.EqualFold(fields[1], "eq") {
		value := fields[2]
		if len(value) > 2 && value[0] == '"' && value[len(value)-1] == '"' && !strings.ContainsAny(value[1:len(value)-1], `"\`) {
			return value[1 : len(value)-1], nil
		}
	}
	return "", kindError{fault.New(fault.Invalid, `Only the filter userName eq "name@example.com" is supported`), "invalidFilter"}
}

// createUser serves POST /api/public/scim/Users.
func (s *server) createUser(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	body, err := readUser(w, r)
	if err != nil {
		return err
	}
	role, err := body.role()
	if err != nil {
		return err
	}
	m := model.Membership{User: model.User{Email: body.UserName, Name: body.displayName()}, Role: model.Member, Active: true}
	if role != nil {
		m.Role = *role
	}
	if body.Active != nil {
		m.Active = *body.Active
	}
	if body.Password != nil {
		if m.User.Password, err = auth.HashPassword(*body.Password); err != nil {
			return err
		}
	}
	made, err := s.Tenancy.AddUser(r.Context(), caller.Project.Organization.ID, m)
	if err != nil {
		return err
	}
	s.writeUser(w, r, http.StatusCreated, made)
	return nil
}

// getUser serves GET /api/public/scim/Users/{userId}.
func (s *server) getUser(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	m, err := s.Tenancy.Member(r.Context(), caller.Project.Organization.ID, r.PathValue("userId"))
	if err != nil {
		return err
	}
	s.writeUser(w, r, http.StatusOK, m)
	return nil
}

// putUser serves PUT /api/public/scim/Users/{userId}. Only the membership changes: the account is
// everybody's.
func (s *server) putUser(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	body, err := readUser(w, r)
	if err != nil {
		return err
	}
	role, err := body.role()
	if err != nil {
		return err
	}
	organization, id := caller.Project.Organization.ID, r.PathValue("userId")
	old, err := s.Tenancy.Member(r.Context(), organization, id)
	if err != nil {
		return err
	}
	if !strings.EqualFold(body.UserName, old.User.Email) {
		return kindError{fault.New(fault.Invalid, "userName cannot change").Hint("create another user"), "mutability"}
	}
	return s.changeUser(w, r, caller, body.Active, role)
}

// patchUser serves PATCH /api/public/scim/Users/{userId}.
func (s *server) patchUser(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	var body scimPatch
	if err := readJSON(w, r, maxTenancyBody, &body, "SCIM operations"); err != nil {
		return err
	}
	active, role, err := body.changes()
	if err != nil {
		return err
	}
	return s.changeUser(w, r, caller, active, role)
}

func (s *server) changeUser(w http.ResponseWriter, r *http.Request, caller auth.Principal, active *bool, role *model.Role) error {
	m, err := s.Tenancy.ChangeMember(r.Context(), caller.Project.Organization.ID, r.PathValue("userId"), active, role)
	if err != nil {
		return err
	}
	s.writeUser(w, r, http.StatusOK, m)
	return nil
}

// deleteUser serves DELETE /api/public/scim/Users/{userId}.
func (s *server) deleteUser(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	if err := s.Tenancy.RemoveMember(r.Context(), caller.Project.Organization.ID, r.PathValue("userId")); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
