package api_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/sondehq/sonde/internal/api"
	"github.com/sondehq/sonde/internal/metastore/metastoretest"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/oidc"
	"github.com/sondehq/sonde/internal/seal"
	"github.com/sondehq/sonde/internal/testkit"
)

// awayIssuer is a provider that does not answer.
const awayIssuer = "http://127.0.0.1:1/away"

const (
	startURL    = "/api/ui/oidc/start"
	callbackURL = "/api/ui/oidc/callback"
)

func newOIDC(t testing.TB, people oidc.People, settings oidc.Settings, rules oidc.Rules) *api.OIDC {
	t.Helper()
	box, err := seal.NewBox(seal.NewKey())
	if err != nil {
		t.Fatal(err)
	}
	return &api.OIDC{Provider: oidc.New(settings, box), Admission: oidc.NewAdmission(people, rules)}
}

// site is the API on an address of its own, with dex for a provider, below a base path.
type site struct {
	*fixture
	dex    *testkit.DexServer
	root   string // its address
	base   string // the same with the base path
	people *metastoretest.Memory
	logged *logBuffer
}

// logBuffer takes what handlers log at the same time.
type logBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func newSite(t *testing.T, rules oidc.Rules) *site {
	t.Helper()
	var handler http.Handler
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r) }))
	t.Cleanup(server.Close)
	s := &site{root: server.URL, base: server.URL + "/sonde", logged: &logBuffer{}}
	s.dex = testkit.Dex(t, s.base+callbackURL)
	s.fixture = newFixture(t, func(c *api.Config) {
		s.people = metastoretest.NewMemory()
		if err := s.people.CreateOrganization(t.Context(), model.Organization{ID: "org", Name: "Acme"}); err != nil {
			t.Fatal(err)
		}
		c.BasePath, c.Log = "/sonde", slog.New(slog.NewTextHandler(s.logged, nil))
		c.SignIn = newSignIn(s.people)
		c.OIDC = newOIDC(t, s.people, oidc.Settings{Issuer: s.dex.Issuer, ClientID: s.dex.ClientID, ClientSecret: s.dex.ClientSecret}, rules)
		c.OIDC.Name = "Dex"
	})
	handler = s.bare
	return s
}

// who is the address of whoever has signed in with a browser, "" for nobody.
func (s *site) who(t *testing.T, browser *http.Client) string {
	t.Helper()
	page := testkit.Visit(t, browser, s.base+sessionURL)
	var session struct {
		User   *struct{ Email string }
		SignIn struct{ OIDC string }
	}
	if err := json.Unmarshal(page.Body, &session); err != nil || session.SignIn.OIDC != "Dex" {
		t.Fatalf("%v: %s", err, page.Body)
	}
	if session.User == nil {
		return ""
	}
	return session.User.Email
}

// wantRefusal expects the sign-in page with a reason, nobody signed in, and the reason in the log.
func (s *site) wantRefusal(t *testing.T, browser *http.Client, page testkit.Page, words string) {
	t.Helper()
	at := page.URL
	if at.Host != strings.TrimPrefix(s.root, "http://") || at.Path != "/sonde/auth/sign-in" || !strings.Contains(at.Query().Get("error"), words) {
		t.Errorf("sent to %s, want the sign-in page with %q", at, words)
	}
	if who := s.who(t, browser); who != "" {
		t.Errorf("%s is signed in", who)
	}
	if logged := s.logged.String(); !strings.Contains(logged, words) || strings.Contains(logged, s.dex.ClientSecret) {
		t.Errorf("the log does not say %q, or too much:\n%s", words, logged)
	}
}

func TestSignInThroughDex(t *testing.T) {
	t.Parallel()
	s := newSite(t, oidc.Rules{Domains: []string{"example.com"}, DefaultRole: model.Viewer})
	start := s.base + startURL + "?next=" + url.QueryEscape("/project/p/traces?q=a")

	browser := testkit.Browser(t)
	page := s.dex.EnterPassword(t, browser, start, testkit.DexPassword)
	if want := s.base + "/project/p/traces?q=a"; page.URL.String() != want {
		t.Errorf("sent to %s, want %s", page.URL, want)
	}
	if who := s.who(t, browser); who != testkit.DexEmail {
		t.Errorf("signed in as %q", who)
	}
	user, err := s.people.UserByEmail(t.Context(), testkit.DexEmail)
	if err != nil {
		t.Fatal(err)
	}
	if m, err := s.people.Member(t.Context(), "org", user.ID); err != nil || m.Role != model.Viewer {
		t.Errorf("member %+v, %v", m, err)
	}
	for _, cookie := range browser.Jar.Cookies(must(url.Parse(s.base + callbackURL))) {
		if cookie.Name == "sonde_oidc" {
			t.Error("the ticket stays in the browser")
		}
	}

	t.Run("no verified address", func(t *testing.T) {
		browser := testkit.Browser(t)
		page := s.dex.Send(t, browser, start, testkit.DexPerson{ID: "1", Email: testkit.DexEmail, Name: "Eve"})
		s.wantRefusal(t, browser, page, "has not verified that ada@example.com is yours")
		if next := page.URL.Query().Get("next"); next != "/project/p/traces?q=a" {
			t.Errorf("the page to go on at is %q", next)
		}
	})
	t.Run("another domain", func(t *testing.T) {
		browser := testkit.Browser(t)
		page := s.dex.Send(t, browser, start, testkit.DexPerson{ID: "2", Email: "eve@evil.example", Verified: true})
		s.wantRefusal(t, browser, page, "evil.example are not let in here")
	})
	t.Run("the address of somebody else", func(t *testing.T) {
		browser := testkit.Browser(t)
		page := s.dex.Send(t, browser, start, testkit.DexPerson{ID: "3", Email: testkit.DexEmail, Verified: true})
		s.wantRefusal(t, browser, page, "belongs to another person")
	})
	t.Run("pages elsewhere", func(t *testing.T) {
		for _, next := range []string{"https://evil.example/", "//evil.example", `/\evil.example`, "/\t/evil.example"} {
			page := s.dex.EnterPassword(t, testkit.Browser(t), s.base+startURL+"?next="+url.QueryEscape(next), testkit.DexPassword)
			if page.URL.String() != s.base+"/" {
				t.Errorf("%q leads to %s", next, page.URL)
			}
		}
	})
	t.Run("twice", func(t *testing.T) {
		browser := testkit.Browser(t)
		var back string
		browser.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
			if strings.HasSuffix(r.URL.Path, callbackURL) {
				back = r.URL.String()
			}
			return nil
		}
		s.dex.EnterPassword(t, browser, start, testkit.DexPassword)
		if page := testkit.Visit(t, browser, back); !strings.Contains(page.URL.Query().Get("error"), "not started in this browser") {
			t.Errorf("sent to %s", page.URL)
		}
		if who := s.who(t, browser); who != testkit.DexEmail {
			t.Errorf("a replay signs %q in", who)
		}
	})
	t.Run("a state of another sign-in", func(t *testing.T) {
		browser := testkit.Browser(t)
		testkit.Visit(t, browser, start)
		s.wantRefusal(t, browser, testkit.Visit(t, browser, s.base+callbackURL+"?code=x&state=y"), "Another sign-in was started")
	})
	t.Run("no ticket", func(t *testing.T) {
		browser := testkit.Browser(t)
		s.wantRefusal(t, browser, testkit.Visit(t, browser, s.base+callbackURL+"?code=x&state=y"), "not started in this browser")
	})
	t.Run("provider gone", func(t *testing.T) {
		browser := testkit.Browser(t)
		first := testkit.Visit(t, browser, start)
		s.dex.Stop()
		back := s.base + callbackURL + "?code=x&state=" + first.URL.Query().Get("state")
		s.wantRefusal(t, browser, testkit.Visit(t, browser, back), "cannot be reached")
	})
}

func TestOnlyKnownPeopleThroughDex(t *testing.T) {
	t.Parallel()
	s := newSite(t, oidc.Rules{})
	browser := testkit.Browser(t)
	s.wantRefusal(t, browser, s.dex.EnterPassword(t, browser, s.base+startURL, testkit.DexPassword), "There is no account for ada@example.com")
	if err := s.people.CreateUser(t.Context(), model.User{ID: "ada", Email: "ADA@example.com"}); err != nil {
		t.Fatal(err)
	}
	s.dex.EnterPassword(t, browser, s.base+startURL, testkit.DexPassword)
	if who := s.who(t, browser); who != "ADA@example.com" {
		t.Errorf("signed in as %q", who)
	}
}

// TestProviderAway also holds both answers against the description.
func TestProviderAway(t *testing.T) {
	t.Parallel()
	for public, secure := range map[string]bool{"": false, "https://sonde.example.com/here": true} {
		f := newFixture(t, func(c *api.Config) { c.PublicURL = public })
		base := ""
		if public != "" {
			base = "/here"
		}
		a := f.send(t, request("GET", startURL+"?next=/x", "", nil))
		want := base + "/auth/sign-in?error=The+provider+at+http%3A%2F%2F127.0.0.1%3A1%2Faway+cannot+be+reached%3B+try+again+in+a+moment&next=%2Fx"
		if a.status != http.StatusSeeOther || a.header.Get("Location") != want || a.header.Get("Cache-Control") != "no-store" {
			t.Errorf("status %d, %v", a.status, a.header)
		}
		a = f.send(t, request("GET", callbackURL, "", nil, "Cookie", "sonde_oidc=made-up"))
		if a.status != http.StatusSeeOther || !strings.HasPrefix(a.header.Get("Location"), base+"/auth/sign-in?error=This+sign-in+was+not+started") {
			t.Errorf("status %d, %v", a.status, a.header)
		}
		cookie := a.header.Get("Set-Cookie")
		for attribute, has := range map[string]bool{
			"HttpOnly": true, "SameSite=Lax": true, "Path=" + base + "/api/ui/oidc": true, "Max-Age=0": true, "Secure": secure,
		} {
			if strings.Contains(cookie, attribute) != has {
				t.Errorf("%s in %q: want %v", attribute, cookie, has)
			}
		}
	}
	f := newFixture(t, func(c *api.Config) { c.OIDC = nil })
	for _, target := range []string{startURL, callbackURL} {
		if a := f.send(t, request("GET", target, "", nil)); a.status != http.StatusNotFound {
			t.Errorf("%s without a provider: status %d", target, a.status)
		}
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
