package api

import (
	"cmp"
	"encoding/json"
	"net/http"
	"regexp"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
)

// accountRoutes are what people change about themselves and what they belong to.
func (s *server) accountRoutes() []route {
	return []route{
		{method: http.MethodPut, path: "/api/ui/account", handle: s.changeAccount, role: peopleNode, level: personLevel},
		{method: http.MethodPost, path: "/api/ui/account/password", handle: s.changePassword, role: peopleNode, level: personLevel},
		{method: http.MethodPost, path: "/api/ui/projects", handle: s.addProject, role: peopleNode, level: personLevel},
	}
}

type accountBody struct {
	Name        string          `json:"name"`
	Preferences json.RawMessage `json:"preferences"`
}

// preferences are how somebody likes pages to be. What is not given is for the page to choose.
type preferences struct {
	Theme      string `json:"theme,omitempty"`
	Density    string `json:"density,omitempty"`
	Timezone   string `json:"timezone,omitempty"`
	SingleKeys *bool  `json:"singleKeys,omitempty"`
}

var (
	themes    = []string{"system", "light", "dark"}
	densities = []string{"comfortable", "compact"}
	// timezone is what names of zones look like; which there are, the browser knows better than we.
	timezone = regexp.MustCompile(`^[A-Za-z0-9_+/-]{0,64}$`)
)

// kept returns the text that is stored of given preferences. fault.Invalid for what is none.
func (p preferences) kept(given json.RawMessage) (string, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(given, &members); err != nil {
		return "", fault.Invalidf("preferences", "must be a JSON object")
	}
	if err := exactly(members, &p, "preferences"); err != nil {
		return "", err
	}
	if err := oneOf("preferences.theme", cmp.Or(p.Theme, themes[0]), themes); err != nil {
		return "", err
	}
	if err := oneOf("preferences.density", cmp.Or(p.Density, densities[0]), densities); err != nil {
		return "", err
	}
	if !timezone.MatchString(p.Timezone) {
		return "", fault.Invalidf("preferences.timezone", "must be the name of a time zone, such as Europe/Berlin")
	}
	text, err := json.Marshal(p)
	return string(text), err
}

// changeAccount serves PUT /api/ui/account.
func (s *server) changeAccount(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	var body accountBody
	if err := readExactly(w, r, maxAccountBody, &body, "an account"); err != nil {
		return err
	}
	kept := caller.User.Preferences
	if given := givenMetadata(body.Preferences); given != nil {
		var err error
		if kept, err = (preferences{}).kept(body.Preferences); err != nil {
			return err
		}
	}
	changed, err := s.SignIn.ChangeAccount(r.Context(), caller.User.ID, body.Name, kept)
	if err != nil {
		return err
	}
	writePrivate(w, http.StatusOK, userOf(changed))
	return nil
}

type passwordBody struct {
	CurrentPassword string `json:"currentPassword"`
	NewPassword     string `json:"newPassword"`
}

// changePassword serves POST /api/ui/account/password. All sessions of the user end, and this browser gets a new one.
func (s *server) changePassword(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	var body passwordBody
	if err := readExactly(w, r, maxAccountBody, &body, "two passwords"); err != nil {
		return err
	}
	started, err := s.SignIn.ChangePassword(r.Context(), caller.User, provingOf(r, "", body.CurrentPassword), body.NewPassword)
	if err != nil {
		return err
	}
	return s.writeBegun(w, r, http.StatusOK, started)
}

type newProjectBody struct {
	OrganizationID string `json:"organizationId"`
	Name           string `json:"name"`
}

// addProject serves POST /api/ui/projects.
func (s *server) addProject(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	var body newProjectBody
	if err := readExactly(w, r, maxAccountBody, &body, "a project"); err != nil {
		return err
	}
	if _, err := s.adminOf(r, caller, body.OrganizationID); err != nil {
		return err
	}
	made, err := s.Tenancy.CreateProject(r.Context(), body.OrganizationID, model.Project{Name: body.Name})
	if err != nil {
		return err
	}
	*noted(r) = note{organizations: []string{body.OrganizationID}, object: made.ID, name: made.Name}
	writeJSON(w, http.StatusCreated, projectOf(made))
	return nil
}

// adminOf returns the role of a caller in an organization, which must be ADMIN at least.
func (s *server) adminOf(r *http.Request, caller auth.Principal, organizationID string) (model.Role, error) {
	role, err := s.SignIn.OrganizationRole(r.Context(), caller.User.ID, organizationID)
	if err != nil {
		return role, authError{err}
	}
	return role, needRole(role, model.Admin)
}
