package api

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/signin"
)

// maxAccountBody bounds what people send about themselves.
const maxAccountBody = 16 << 10

// sessionRoutes are how people sign in and out.
func (s *server) sessionRoutes() []route {
	const session = "/api/ui/session"
	return []route{
		{method: http.MethodGet, path: session, handle: s.whoAmI, role: peopleNode, open: true},
		{method: http.MethodPost, path: session, handle: s.signIn, role: peopleNode, open: true, fromPage: true},
		{method: http.MethodDelete, path: session, handle: s.signOut, role: peopleNode, level: personLevel},
		{method: http.MethodDelete, path: "/api/ui/sessions", handle: s.signOutEverywhere, role: peopleNode, level: personLevel},
		{method: http.MethodPost, path: "/api/ui/setup", handle: s.setUp, role: peopleNode, open: true, fromPage: true},
	}
}

// signedInJSON is everything that a page must know before it shows anything.
type signedInJSON struct {
	User          *userJSON      `json:"user"` // null: nobody has signed in
	CSRFToken     *string        `json:"csrfToken"`
	Organizations []standingJSON `json:"organizations"`
	SetupNeeded   bool           `json:"setupNeeded"`
	SignIn        signInWays     `json:"signIn"`
}

type signInWays struct {
	Password bool    `json:"password"`
	OIDC     *string `json:"oidc"` // the provider's name
}

type userJSON struct {
	ID          string          `json:"id"`
	Email       string          `json:"email"`
	Name        string          `json:"name"`
	HasPassword bool            `json:"hasPassword"`
	Preferences json.RawMessage `json:"preferences"`
}

func userOf(u model.User) *userJSON {
	return &userJSON{u.ID, u.Email, u.Name, u.Password != "", metadataOf(u.Preferences)}
}

// standingJSON is an organization with what somebody may do there.
type standingJSON struct {
	ID       string              `json:"id"`
	Name     string              `json:"name"`
	Role     model.Role          `json:"role"`
	Projects []standingOfProject `json:"projects"`
}

type standingOfProject struct {
	ID   string     `json:"id"`
	Name string     `json:"name"`
	Role model.Role `json:"role"`
	// DefaultViews are the ids of views that lists begin with, by table.
	DefaultViews map[string]string `json:"defaultViews,omitempty"`
}

// standingsOf groups standings, which come by organization.
func standingsOf(list []model.Standing, defaults map[string]map[string]string) []standingJSON {
	groups := []standingJSON{}
	for _, one := range list {
		o := one.Project.Organization
		if n := len(groups); n == 0 || groups[n-1].ID != o.ID {
			groups = append(groups, standingJSON{o.ID, o.Name, one.OrganizationRole, []standingOfProject{}})
		}
		if last := &groups[len(groups)-1]; one.Project.ID != "" {
			last.Projects = append(last.Projects, standingOfProject{one.Project.ID, one.Project.Name, one.Role(), defaults[one.Project.ID]})
		}
	}
	return groups
}

// whoAmI serves GET /api/ui/session.
func (s *server) whoAmI(w http.ResponseWriter, r *http.Request, _ auth.Principal) error {
	token := tokenOf(r)
	user, err := s.SignIn.Who(r.Context(), token)
	if fault.Is(err, fault.Unauthenticated) {
		needed, err := s.SignIn.SetupNeeded(r.Context())
		if err != nil {
			return err
		}
		writePrivate(w, http.StatusOK, signedInJSON{Organizations: []standingJSON{}, SetupNeeded: needed, SignIn: s.signInWays()})
		return nil
	}
	if err != nil {
		return err
	}
	shown, err := s.sessionOf(r.Context(), user, token)
	if err != nil {
		return err
	}
	writePrivate(w, http.StatusOK, shown)
	return nil
}

func (s *server) sessionOf(ctx context.Context, user model.User, token string) (signedInJSON, error) {
	list, err := s.SignIn.Standings(ctx, user.ID)
	if err != nil {
		return signedInJSON{}, err
	}
	var projects []string
	for _, one := range list {
		projects = append(projects, one.Project.ID)
	}
	defaults, err := s.SavedViews.Defaults(ctx, projects, user.ID)
	csrf := signin.CSRF(token)
	return signedInJSON{User: userOf(user), CSRFToken: &csrf, Organizations: standingsOf(list, defaults), SignIn: s.signInWays()}, err
}

func (s *server) signInWays() signInWays {
	ways := signInWays{Password: true}
	if s.OIDC != nil {
		ways.OIDC = orNull(s.OIDC.Name)
	}
	return ways
}

// writePrivate sends what nobody else may keep.
func writePrivate(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Cache-Control", "no-store")
	writeJSON(w, status, body)
}

// writeBegun gives the browser its cookie and shows what it opens.
func (s *server) writeBegun(w http.ResponseWriter, r *http.Request, status int, started signin.Started) error {
	shown, err := s.sessionOf(r.Context(), started.User, started.Token)
	if err != nil {
		return err
	}
	if err := s.begin(w, r, started); err != nil {
		return err
	}
	writePrivate(w, status, shown)
	return nil
}

type signInBody struct {
	Email    string `json:"email"`
	Password string `json:"password"`
}

// signIn serves POST /api/ui/session.
func (s *server) signIn(w http.ResponseWriter, r *http.Request, _ auth.Principal) error {
	var body signInBody
	if err := readExactly(w, r, maxAccountBody, &body, "an email and a password"); err != nil {
		return err
	}
	started, err := s.SignIn.SignIn(r.Context(), provingOf(r, body.Email, body.Password))
	if fault.Is(err, fault.Unauthenticated) {
		s.refusedSignIn(r, body.Email)
		return authError{err}
	}
	if err != nil {
		return err
	}
	return s.writeBegun(w, r, http.StatusOK, started)
}

// signOut serves DELETE /api/ui/session.
func (s *server) signOut(w http.ResponseWriter, r *http.Request, _ auth.Principal) error {
	if err := s.SignIn.SignOut(r.Context(), tokenOf(r)); err != nil {
		return err
	}
	s.end(w, r)
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// signOutEverywhere serves DELETE /api/ui/sessions.
func (s *server) signOutEverywhere(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	if err := s.SignIn.SignOutEverywhere(r.Context(), caller.User.ID); err != nil {
		return err
	}
	s.end(w, r)
	w.WriteHeader(http.StatusNoContent)
	return nil
}

type setupBody struct {
	Email            string `json:"email"`
	Name             string `json:"name"`
	Password         string `json:"password"`
	OrganizationName string `json:"organizationName"`
	ProjectName      string `json:"projectName"`
}

// foundedJSON is what the first person starts with. The secret is shown only now.
type foundedJSON struct {
	Session signedInJSON `json:"session"`
	Project foundedKey   `json:"project"`
}

type foundedKey struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	PublicKey string `json:"publicKey"`
	SecretKey string `json:"secretKey"`
}

// setUp serves POST /api/ui/setup.
func (s *server) setUp(w http.ResponseWriter, r *http.Request, _ auth.Principal) error {
	var body setupBody
	if err := readExactly(w, r, maxAccountBody, &body, "a first user"); err != nil {
		return err
	}
	made, err := s.SignIn.SetUp(r.Context(), signin.First{
		Email: body.Email, Name: body.Name, Password: body.Password, Organization: body.OrganizationName, Project: body.ProjectName,
	})
	if err != nil {
		return err
	}
	shown, err := s.sessionOf(r.Context(), made.User, made.Token)
	if err != nil {
		return err
	}
	if err := s.begin(w, r, made.Started); err != nil {
		return err
	}
	writePrivate(w, http.StatusCreated, foundedJSON{shown, foundedKey{made.Project.ID, made.Project.Name, made.Key.PublicKey, made.Secret}})
	return nil
}
