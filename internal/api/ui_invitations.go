package api

import (
	"net/http"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
)

// signUpPage is the page, below the base path, that an invitation's link leads to.
const signUpPage = "/auth/sign-up?invitation="

// invitationRoutes are how people get others in.
func (s *server) invitationRoutes() []route {
	const (
		invitations = "/api/ui/invitations"
		accept      = invitations + "/accept/{token}"
	)
	return []route{
		{method: http.MethodGet, path: invitations, handle: s.listInvitations, role: peopleNode, level: personLevel},
		{method: http.MethodPost, path: invitations, handle: s.invite, role: peopleNode, level: personLevel},
		{method: http.MethodDelete, path: invitations + "/{invitationId}", handle: s.uninvite, role: peopleNode, level: personLevel},
		{method: http.MethodGet, path: accept, handle: s.showInvitation, role: peopleNode, open: true},
		{method: http.MethodPost, path: accept, handle: s.acceptInvitation, role: peopleNode, open: true, fromPage: true},
	}
}

type invitationJSON struct {
	ID        string      `json:"id"`
	Email     string      `json:"email"`
	Role      model.Role  `json:"role"`
	InvitedBy inviterJSON `json:"invitedBy"`
	CreatedAt string      `json:"createdAt"`
	ExpiresAt string      `json:"expiresAt"`
}

type inviterJSON struct {
	Email string `json:"email"`
	Name  string `json:"name"`
}

func invitationOf(i model.Invitation) invitationJSON {
	return invitationJSON{i.ID, i.Email, i.Role, inviterJSON{i.InvitedBy.Email, i.InvitedBy.Name}, stamp(i.CreatedAt), stamp(i.ExpiresAt)}
}

// invitationOrganization is the organization that a parameter names, of which the caller is an ADMIN at least.
func (s *server) invitationOrganization(r *http.Request, caller auth.Principal) (string, error) {
	id := r.URL.Query().Get("organizationId")
	if id == "" {
		return "", fault.Invalidf("organizationId", "must be given")
	}
	_, err := s.adminOf(r, caller, id)
	return id, err
}

// listInvitations serves GET /api/ui/invitations.
func (s *server) listInvitations(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	organization, err := s.invitationOrganization(r, caller)
	if err != nil {
		return err
	}
	list, err := s.SignIn.Invitations(r.Context(), organization)
	if err != nil {
		return err
	}
	rows := make([]invitationJSON, 0, len(list))
	for _, i := range list {
		rows = append(rows, invitationOf(i))
	}
	writeJSON(w, http.StatusOK, map[string]any{"data": rows})
	return nil
}

type inviteBody struct {
	OrganizationID string     `json:"organizationId"`
	Email          string     `json:"email"`
	Role           model.Role `json:"role"`
}

// invite serves POST /api/ui/invitations. The link is shown only now; the inviter hands it over.
func (s *server) invite(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	var body inviteBody
	if err := readExactly(w, r, maxAccountBody, &body, "an invitation"); err != nil {
		return err
	}
	own, err := s.adminOf(r, caller, body.OrganizationID)
	if err != nil {
		return err
	}
	made, token, err := s.SignIn.Invite(r.Context(), caller.User, own, body.OrganizationID, body.Email, body.Role)
	if err != nil {
		return err
	}
	*noted(r) = note{organizations: []string{body.OrganizationID}, object: made.ID, name: made.Email, detail: string(made.Role)}
	writePrivate(w, http.StatusCreated, struct {
		invitationJSON
		Link string `json:"link"`
	}{invitationOf(made), s.baseURL(r) + signUpPage + token})
	return nil
}

// uninvite serves DELETE /api/ui/invitations/{invitationId}.
func (s *server) uninvite(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	organization, err := s.invitationOrganization(r, caller)
	if err != nil {
		return err
	}
	if err := s.SignIn.Uninvite(r.Context(), organization, r.PathValue("invitationId")); err != nil {
		return err
	}
	noted(r).organizations = []string{organization}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// showInvitation serves GET /api/ui/invitations/accept/{token}.
func (s *server) showInvitation(w http.ResponseWriter, r *http.Request, _ auth.Principal) error {
	i, account, err := s.SignIn.Invited(r.Context(), r.PathValue("token"))
	if err != nil {
		return err
	}
	writePrivate(w, http.StatusOK, struct {
		invitationJSON
		Organization organizationJSON `json:"organization"`
		HasAccount   bool             `json:"hasAccount"` // then it is accepted by signing in first
	}{invitationOf(i), organizationJSON{i.Organization.ID, i.Organization.Name}, account})
	return nil
}

type acceptBody struct {
	Name     string `json:"name"`
	Password string `json:"password"`
}

// acceptInvitation serves POST /api/ui/invitations/accept/{token}: who has signed in joins, others get an account.
func (s *server) acceptInvitation(w http.ResponseWriter, r *http.Request, _ auth.Principal) error {
	var body acceptBody
	if err := readExactly(w, r, maxAccountBody, &body, "a name and a password"); err != nil {
		return err
	}
	caller, err := s.person(r)
	switch {
	case err == nil:
		if err := s.SignIn.Join(r.Context(), r.PathValue("token"), caller.User); err != nil {
			return err
		}
		s.signedIn(r, caller.User)
		shown, err := s.sessionOf(r.Context(), caller.User, tokenOf(r))
		if err != nil {
			return err
		}
		writePrivate(w, http.StatusOK, shown)
		return nil
	case !fault.Is(err, fault.Unauthenticated):
		return err
	}
	started, err := s.SignIn.SignUp(r.Context(), r.PathValue("token"), body.Name, body.Password)
	if fault.Is(err, fault.Unauthenticated) {
		return authError{err}
	}
	if err != nil {
		return err
	}
	return s.writeBegun(w, r, http.StatusOK, started)
}
