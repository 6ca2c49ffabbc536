package api

import (
	"cmp"
	"net"
	"net/http"
	"net/url"
	"path"
	"time"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/signin"
)

// What a page of a session sends.
const (
	sessionCookie = "sonde_session"
	deviceCookie  = "sonde_device"
	accountPaths  = "/api/ui" // below it passwords are proved
	csrfHeader    = "X-Sonde-Csrf"
	// namedProject is the header in which a page says which project it is about.
	namedProject = "X-Sonde-Project"
	// namedProjectQuery is for GET by what cannot set headers, such as an EventSource.
	namedProjectQuery = "project"
)

var errForeignPage = fault.New(fault.Forbidden, "Pages of other sites may not send this").
	Hint("open the server under the address that it was told with --public-url")

// ownPages knows pages of our own origin: those of the address that a request went to, and of the public one.
func ownPages(publicURL string) *http.CrossOriginProtection {
	own := http.NewCrossOriginProtection()
	if public, err := url.Parse(publicURL); err == nil && public.Host != "" {
		_ = own.AddTrustedOrigin(public.Scheme + "://" + public.Host) // the settings were checked, else pages of that address are foreign
	}
	return own
}

// ownPage reports whether no page of another origin sends a request that changes something. Programs that are no
// browsers send neither Origin nor Sec-Fetch-Site and are fine: nobody can make them send a cookie.
func (s *server) ownPage(r *http.Request) bool { return s.origins.Check(r) == nil }

// tokenOf is the token of the session that a request claims to be of, "" when it claims none.
func tokenOf(r *http.Request) string {
	cookie, err := r.Cookie(sessionCookie)
	if err != nil {
		return ""
	}
	return cookie.Value
}

// person lets in who has signed in. What changes something must come from a page of ours.
func (s *server) person(r *http.Request) (auth.Principal, error) {
	token := tokenOf(r)
	user, err := s.SignIn.Who(r.Context(), token)
	if err != nil {
		return auth.Principal{}, authError{err}
	}
	safe := r.Method == http.MethodGet || r.Method == http.MethodHead
	switch {
	case !s.ownPage(r):
		return auth.Principal{}, authError{errForeignPage}
	case !safe && !signin.CSRFMatches(token, r.Header.Get(csrfHeader)):
		return auth.Principal{}, authError{fault.New(fault.Forbidden, "The header %s is missing or belongs to another session", csrfHeader).
			Hint("reload the page; programs find the value in GET /api/ui/session")}
	}
	return auth.Principal{Access: auth.Person, User: user}, nil
}

// member lets in who has signed in and has the role that a route needs, in the project that the request names.
func (s *server) member(r *http.Request, rt route) (auth.Principal, error) {
	if s.SignIn == nil {
		return auth.Principal{}, authError{fault.New(fault.Unauthenticated, "Nobody signs in on this node").Hint("send a key")}
	}
	caller, err := s.person(r)
	if err != nil {
		return caller, err
	}
	inPath := ""
	if rt.level == organizationLevel {
		inPath = r.PathValue("projectId")
	}
	project := cmp.Or(inPath, takeProject(r))
	if project == "" {
		return caller, authError{fault.New(fault.Forbidden, "No project is named").Hint("name it in the header " + namedProject)}
	}
	standing, err := s.SignIn.Standing(r.Context(), caller.User.ID, project)
	if err != nil {
		return caller, authError{err}
	}
	caller.Access, caller.Scope = rt.level.access(), model.ScopeAll
	switch {
	case rt.level == projectLevel:
		caller.Project, caller.Role = standing.Project, standing.Role()
		infoOf(r).project = project
	case inPath != "":
		caller.Project.Organization, caller.Role = standing.Project.Organization, standing.Role()
	default:
		caller.Project.Organization, caller.Role = standing.Project.Organization, standing.OrganizationRole
	}
	return caller, needRole(caller.Role, rt.leastRole())
}

// takeProject returns the project that a request names. The parameter is taken out of it: it is none of the route's.
func takeProject(r *http.Request) string {
	if id := r.Header.Get(namedProject); id != "" || r.Method != http.MethodGet {
		return id
	}
	query := r.URL.Query()
	id := query.Get(namedProjectQuery)
	if id != "" {
		query.Del(namedProjectQuery)
		r.URL.RawQuery = query.Encode()
	}
	return id
}

// needRole is fault.Forbidden for a role that is not enough.
func needRole(own, least model.Role) error {
	if own.AtLeast(least) {
		return nil
	}
	return authError{fault.New(fault.Forbidden, "This needs %s, you are %s", least, own).Hint("ask an owner of the organization for the role")}
}

// begin gives a browser the cookie of a session, and ends the one that it had.
func (s *server) begin(w http.ResponseWriter, r *http.Request, started signin.Started) error {
	if old := tokenOf(r); old != "" {
		if err := s.SignIn.SignOut(r.Context(), old); err != nil {
			return err
		}
	}
	s.signedIn(r, started.User)
	http.SetCookie(w, s.cookie(r, sessionCookie, started.Token, started.LastFor))
	if started.Device != "" {
		device := s.cookie(r, deviceCookie, started.Device, signin.DeviceLastsFor) //nolint:gosec // as every cookie of ours
		device.Path = path.Join(device.Path, accountPaths)
		http.SetCookie(w, device)
	}
	return nil
}

// end takes the cookie away.
func (s *server) end(w http.ResponseWriter, r *http.Request) {
	http.SetCookie(w, s.cookie(r, sessionCookie, "", -time.Second))
}

func (s *server) cookie(r *http.Request, name, value string, lasts time.Duration) *http.Cookie {
	public, err := url.Parse(s.PublicURL)
	if err != nil || s.PublicURL == "" {
		public = &url.URL{Path: s.BasePath}
	}
	return &http.Cookie{ //nolint:gosec // secure wherever the server is reached by TLS
		Name: name, Value: value, MaxAge: int(lasts.Seconds()), Path: path.Clean("/" + public.Path),
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: r.TLS != nil || public.Scheme == "https",
	}
}

// provingOf is what somebody who wants to prove a password sends.
func provingOf(r *http.Request, email, password string) signin.Attempt {
	a := signin.Attempt{Email: email, Password: password, Address: addressOf(r)}
	if cookie, err := r.Cookie(deviceCookie); err == nil {
		a.Device = cookie.Value
	}
	return a
}

// addressOf is where a request comes from.
func addressOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}
