package oidc

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/seal"
)

func newProvider(t *testing.T, issuer string) *Provider {
	t.Helper()
	box, err := seal.NewBox(seal.NewKey())
	if err != nil {
		t.Fatal(err)
	}
	return New(Settings{Issuer: issuer, ClientID: "sonde", ClientSecret: "secret"}, box)
}

// A provider that is away when the server starts is found when it comes, but not asked all the time.
func TestDiscoveryIsRepeatedUntilItWorks(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	var there atomic.Bool
	var server *httptest.Server
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		if !there.Load() {
			http.Error(w, "starting", http.StatusBadGateway)
			return
		}
		fmt.Fprintf(w, `{"issuer":%q,"authorization_endpoint":%q,"token_endpoint":%q}`, server.URL, server.URL+"/a", server.URL+"/t")
	}))
	t.Cleanup(server.Close)
	p, now := newProvider(t, server.URL), time.Now()
	p.now = func() time.Time { return now }
	for range 3 {
		if _, err := p.Start(t.Context(), "http://here/back", "/"); !fault.Is(err, fault.Unavailable) {
			t.Fatalf("a provider that is away: %v", err)
		}
	}
	if asked.Load() != 1 {
		t.Errorf("asked %d times in a moment", asked.Load())
	}
	there.Store(true)
	now = now.Add(askAgain)
	for range 3 {
		leave, err := p.Start(t.Context(), "http://here/back", "/")
		if err != nil || !strings.HasPrefix(leave.Address, server.URL+"/a?") {
			t.Fatalf("a provider that came: %+v, %v", leave, err)
		}
	}
	if asked.Load() != 2 {
		t.Errorf("asked %d times, want 2", asked.Load())
	}
}

func TestDiscoverySaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ body, words string }{
		"another issuer":     {`{"issuer":"https://other.example.com"}`, "calls itself https://other.example.com; set oidc-issuer"},
		"no provider":        {`<html>hello</html>`, "is no OpenID Connect provider"},
		"nowhere to sign in": {`{"issuer":"HERE","authorization_endpoint":"javascript:alert(1)","token_endpoint":"x"}`, "is no OpenID Connect provider"},
		"endless":            {`{"issuer":"` + strings.Repeat("x", maxAnswer) + `"}`, "is no OpenID Connect provider"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var server *httptest.Server
			server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				_, _ = w.Write([]byte(strings.Replace(tt.body, "HERE", server.URL, 1)))
			}))
			t.Cleanup(server.Close)
			_, err := newProvider(t, server.URL).Start(t.Context(), "http://here/back", "/")
			if !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), tt.words) {
				t.Errorf("got %v, want %q", err, tt.words)
			}
		})
	}
}

func TestDeparture(t *testing.T) {
	t.Parallel()
	var server *httptest.Server
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"issuer":%q,"authorization_endpoint":"https://id/a","token_endpoint":"https://id/t","scopes_supported":["openid","groups"]}`, server.URL)
	}))
	t.Cleanup(server.Close)
	p := newProvider(t, server.URL)
	first, err := p.Start(t.Context(), "https://here/back", "/next")
	if err != nil {
		t.Fatal(err)
	}
	second, err := p.Start(t.Context(), "https://here/back", "/next")
	if err != nil {
		t.Fatal(err)
	}
	one, two := address(t, first).Query(), address(t, second).Query()
	for _, parameter := range []string{"state", "nonce", "code_challenge"} {
		if len(one.Get(parameter)) < 22 || one.Get(parameter) == two.Get(parameter) {
			t.Errorf("%s is %q, then %q", parameter, one.Get(parameter), two.Get(parameter))
		}
	}
	for parameter, want := range map[string]string{
		"client_id": "sonde", "response_type": "code", "redirect_uri": "https://here/back",
		"code_challenge_method": "S256", "scope": "openid email profile groups",
	} {
		if one.Get(parameter) != want {
			t.Errorf("%s = %q, want %q", parameter, one.Get(parameter), want)
		}
	}
	opened, ok := openTicket(p.box, first.Ticket, time.Now())
	if !ok || strings.Contains(first.Address, opened.Verifier) || strings.Contains(first.Address, "secret") {
		t.Errorf("%s gives a secret away, or the ticket does not open: %v", first.Address, ok)
	}
	if len(first.Ticket) > 3<<10 {
		t.Errorf("a ticket has %d bytes", len(first.Ticket))
	}
	for name, text := range map[string]string{
		"none": "", "no ticket": "x", "changed": first.Ticket[:len(first.Ticket)-2] + "xx", "plain": "e30",
	} {
		if _, ok := openTicket(p.box, text, time.Now()); ok {
			t.Errorf("%s: opened", name)
		}
	}
	if _, ok := openTicket(newProvider(t, server.URL).box, first.Ticket, time.Now()); ok {
		t.Error("another installation opens the ticket")
	}
}

func address(t *testing.T, d Departure) *url.URL {
	t.Helper()
	u, err := url.Parse(d.Address)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestLocalPage(t *testing.T) {
	t.Parallel()
	for next, want := range map[string]string{
		"":                                 "/",
		"/":                                "/",
		"/project/p/traces?q=a%20b#x":      "/project/p/traces?q=a%20b#x",
		"/project/p?next=https://evil.com": "/project/p?next=https://evil.com",
		"https://evil.com":                 "/",
		"https://evil.com/project":         "/",
		"//evil.com":                       "/",
		"///evil.com":                      "/",
		"/\\evil.com":                      "/",
		"\\\\evil.com":                     "/",
		"/a\\..\\..":                       "/",
		"/\t/evil.com":                     "/",
		"/\n/evil.com":                     "/",
		" //evil.com":                      "/",
		"javascript:alert(1)":              "/",
		"evil.com":                         "/",
		"/%zz":                             "/",
		"/" + strings.Repeat("x", maxNext): "/",
	} {
		if got := LocalPage(next); got != want {
			t.Errorf("LocalPage(%.40q) = %q, want %q", next, got, want)
		}
	}
}

func FuzzLocalPage(f *testing.F) {
	for _, seed := range []string{"/a", "//a", "/\\a", "/\t/a", "https://a", "/a?b#c"} {
		f.Add(seed)
	}
	here, err := url.Parse("https://here.example.com/")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, next string) {
		page := LocalPage(next)
		to, err := here.Parse(page)
		if err != nil || to.Host != here.Host || to.Scheme != here.Scheme || !strings.HasPrefix(page, "/") || strings.HasPrefix(page, "//") {
			t.Errorf("%q leads to %q, %v", next, page, err)
		}
	})
}

func TestClaims(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		verified bool
		groups   int
	}{
		`{"email_verified":true,"groups":["a","b"]}`: {true, 2},
		`{"email_verified":"true","groups":"a"}`:     {true, 1},
		`{"email_verified":false,"groups":[]}`:       {false, 0},
		`{"email_verified":"no","groups":{"a":1}}`:   {false, 0},
		`{"email_verified":1,"groups":null}`:         {false, 0},
		`{"email_verified":null,"groups":[1]}`:       {false, 0},
		`{}`:                                         {false, 0},
	} {
		var c claims
		if err := json.Unmarshal([]byte(text), &c); err != nil || bool(c.EmailVerified) != want.verified || len(c.Groups) != want.groups {
			t.Errorf("%s: %+v, %v", text, c, err)
		}
	}
}
