package api

import (
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/oidc"
)

const (
	oidcPath     = "/api/ui/oidc"
	callbackPath = oidcPath + "/callback"
	// ticketCookie is what a browser takes along to the provider and back.
	ticketCookie = "sonde_oidc"
	// signInPage shows why somebody was not let in.
	signInPage = "/auth/sign-in"
)

// OIDC is a provider through which people sign in.
type OIDC struct {
	Provider  *oidc.Provider
	Admission *oidc.Admission
	Name      string // what people call it
}

// oidcRoutes are opened by browsers, not by programs: what goes wrong is shown by the page they are sent to.
func (s *server) oidcRoutes() []route {
	return []route{
		{method: http.MethodGet, path: oidcPath + "/start", handle: s.leaveForProvider, role: oidcNode, open: true},
		{method: http.MethodGet, path: callbackPath, handle: s.returnFromProvider, role: oidcNode, open: true},
	}
}

// leaveForProvider serves GET /api/ui/oidc/start.
func (s *server) leaveForProvider(w http.ResponseWriter, r *http.Request, _ auth.Principal) error {
	next := r.URL.Query().Get("next")
	leave, err := s.OIDC.Provider.Start(r.Context(), s.baseURL(r)+callbackPath, next)
	if err != nil {
		s.notLetIn(w, r, oidc.LocalPage(next), err)
		return nil
	}
	http.SetCookie(w, s.ticket(r, leave.Ticket, oidc.TicketLife))
	sendTo(w, leave.Address)
	return nil
}

// returnFromProvider serves GET /api/ui/oidc/callback.
func (s *server) returnFromProvider(w http.ResponseWriter, r *http.Request, _ auth.Principal) error {
	from := oidc.Arrival{Query: r.URL.Query()}
	if cookie, err := r.Cookie(ticketCookie); err == nil {
		from.Ticket = cookie.Value
		http.SetCookie(w, s.ticket(r, "", -time.Second)) // good once, whatever comes of it
	}
	next, err := s.letIn(w, r, from)
	if err != nil {
		s.notLetIn(w, r, next, err)
		return nil
	}
	sendTo(w, s.pagePath(next))
	return nil
}

// letIn begins the session of whoever came back, and returns the page to go on at.
func (s *server) letIn(w http.ResponseWriter, r *http.Request, from oidc.Arrival) (next string, err error) {
	who, next, err := s.OIDC.Provider.Finish(r.Context(), from)
	if err != nil {
		return next, err
	}
	user, err := s.OIDC.Admission.Admit(r.Context(), who)
	if err != nil {
		return next, err
	}
	started, err := s.SignIn.Start(r.Context(), user.ID)
	if err != nil {
		return next, err
	}
	return next, s.begin(w, r, started)
}

// notLetIn sends a browser to the page where it can try again, with the reason.
func (s *server) notLetIn(w http.ResponseWriter, r *http.Request, next string, err error) {
	status, shown := describe(err)
	reason := shown.Message
	if status == http.StatusInternalServerError {
		reason = "Something went wrong here; the server's log has it under " + infoOf(r).id
	}
	s.Log.WarnContext(r.Context(), "sign-in through the provider refused", "request_id", infoOf(r).id, "error", err)
	query := url.Values{"error": {reason}}
	if next != "/" {
		query.Set("next", next)
	}
	sendTo(w, s.pagePath(signInPage)+"?"+query.Encode())
}

// pagePath is the path under which browsers reach a page of ours; without a host it cannot lead elsewhere.
func (s *server) pagePath(page string) string {
	base, err := url.Parse(s.PublicURL)
	if err != nil || s.PublicURL == "" {
		base = &url.URL{Path: s.BasePath}
	}
	return strings.TrimSuffix(path.Clean("/"+base.EscapedPath()), "/") + page
}

// ticket is the cookie of a sign-in that is under way.
func (s *server) ticket(r *http.Request, text string, lasts time.Duration) *http.Cookie {
	cookie := s.cookie(r, ticketCookie, text, lasts) //nolint:gosec // as every cookie of ours
	cookie.Path = path.Join(cookie.Path, oidcPath)
	return cookie
}

// sendTo redirects without a body, and nobody may keep where to.
func sendTo(w http.ResponseWriter, address string) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Location", address)
	w.WriteHeader(http.StatusSeeOther)
}
