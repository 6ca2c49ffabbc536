package oidc

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/seal"
	"github.com/sondehq/sonde/internal/testkit"
)

// site is the least server around a provider: /start leaves, /back returns and says who came.
type site struct {
	*httptest.Server
	dex      *testkit.DexServer
	provider *Provider
	change   func(address *url.URL) // of a departure, as somebody between us and the provider would
}

// came is what /back says.
type came struct {
	Who   Identity
	Next  string
	Error string
	Kind  fault.Kind
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{change: func(*url.URL) {}}
	mux := http.NewServeMux()
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	s.dex = testkit.Dex(t, s.URL+"/back")
	box, err := seal.NewBox(seal.NewKey())
	if err != nil {
		t.Fatal(err)
	}
	s.provider = New(Settings{Issuer: s.dex.Issuer, ClientID: s.dex.ClientID, ClientSecret: s.dex.ClientSecret}, box)
	mux.HandleFunc("/start", s.start)
	mux.HandleFunc("/back", s.back)
	return s
}

func (s *site) start(w http.ResponseWriter, r *http.Request) {
	leave, err := s.provider.Start(r.Context(), s.URL+"/back", r.FormValue("next"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	address, err := url.Parse(leave.Address)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	s.change(address)
	http.SetCookie(w, &http.Cookie{Name: "ticket", Value: leave.Ticket, Path: "/"}) //nolint:gosec // the test speaks plain HTTP
	http.Redirect(w, r, address.String(), http.StatusSeeOther)
}

func (s *site) back(w http.ResponseWriter, r *http.Request) {
	var from Arrival
	if cookie, err := r.Cookie("ticket"); err == nil {
		from.Ticket = cookie.Value
	}
	from.Query = r.URL.Query()
	var result came
	var err error
	if result.Who, result.Next, err = s.provider.Finish(r.Context(), from); err != nil {
		result.Error, result.Kind = err.Error(), fault.KindOf(err)
	}
	_ = json.NewEncoder(w).Encode(result)
}

func readCame(t *testing.T, page testkit.Page) came {
	t.Helper()
	var c came
	if err := json.Unmarshal(page.Body, &c); err != nil {
		t.Fatalf("%d at %s: %v\n%s", page.Status, page.URL, err, page.Body)
	}
	return c
}

func wantRefused(t *testing.T, got came, kind fault.Kind, words string) {
	t.Helper()
	if got.Who.Subject != "" || got.Kind != kind || !strings.Contains(got.Error, words) {
		t.Errorf("got %+v, want nobody, kind %d and %q", got, kind, words)
	}
}

func TestSignInWithDex(t *testing.T) {
	t.Parallel()
	s := newSite(t)

	t.Run("a password", func(t *testing.T) {
		got := readCame(t, s.dex.EnterPassword(t, testkit.Browser(t), s.URL+"/start?next="+url.QueryEscape("/project/p?a=1"), testkit.DexPassword))
		want := came{Who: Identity{
			Issuer: s.dex.Issuer, Subject: got.Who.Subject, Email: testkit.DexEmail, EmailVerified: true, Name: testkit.DexName,
		}, Next: "/project/p?a=1"}
		if diff := cmp.Diff(want, got); diff != "" || got.Who.Subject == "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		again := readCame(t, s.dex.EnterPassword(t, testkit.Browser(t), s.URL+"/start", testkit.DexPassword))
		if again.Who.Subject != got.Who.Subject || again.Next != "/" {
			t.Errorf("the same person is %+v and %+v", got, again)
		}
	})
	t.Run("a wrong password", func(t *testing.T) {
		page := s.dex.EnterPassword(t, testkit.Browser(t), s.URL+"/start", "wrong")
		if !strings.HasPrefix(page.URL.String(), s.dex.Issuer) {
			t.Errorf("comes back to %s", page.URL)
		}
	})
	t.Run("groups and an unverified address", func(t *testing.T) {
		person := testkit.DexPerson{ID: "7", Email: "eve@example.com", Name: "Eve", Groups: []string{"staff"}}
		got := readCame(t, s.dex.Send(t, testkit.Browser(t), s.URL+"/start", person)).Who
		want := Identity{Issuer: s.dex.Issuer, Subject: got.Subject, Email: "eve@example.com", Name: "Eve", Groups: []string{"staff"}}
		if diff := cmp.Diff(want, got); diff != "" || got.Subject == "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	t.Run("no address", func(t *testing.T) {
		got := readCame(t, s.dex.Send(t, testkit.Browser(t), s.URL+"/start", testkit.DexPerson{ID: "8", Name: "Anonymous"}))
		if got.Error != "" || got.Who.Email != "" || got.Who.Subject == "" {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("used twice", func(t *testing.T) {
		browser := testkit.Browser(t)
		page := s.dex.EnterPassword(t, browser, s.URL+"/start", testkit.DexPassword)
		wantRefused(t, readCame(t, testkit.Visit(t, browser, page.URL.String())), fault.Unauthenticated, "did not confirm")
	})
	t.Run("in another browser", func(t *testing.T) {
		page := s.dex.EnterPassword(t, testkit.Browser(t), s.URL+"/start", testkit.DexPassword)
		wantRefused(t, readCame(t, testkit.Visit(t, testkit.Browser(t), page.URL.String())), fault.Unauthenticated, "not started in this browser")
	})
	t.Run("canceled there", func(t *testing.T) {
		browser := testkit.Browser(t)
		first := testkit.Visit(t, browser, s.URL+"/start")
		back := first.URL.Query() // dex keeps what we asked with in the address of its first page
		if back.Get("state") == "" {
			t.Fatalf("no state in %s", first.URL)
		}
		answer := func(code string) came {
			return readCame(t, testkit.Visit(t, browser, s.URL+"/back?"+url.Values{"state": {back.Get("state")}, "error": {code}}.Encode()))
		}
		wantRefused(t, answer("access_denied"), fault.Unauthenticated, "canceled")
		wantRefused(t, answer("server_error"), fault.Unauthenticated, "server_error")
		wantRefused(t, answer("<b>call 555</b>"), fault.Unauthenticated, "an unknown error")
	})
}

// TestSomebodyBetweenUs changes what a browser takes to the real provider.
func TestSomebodyBetweenUs(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for name, tt := range map[string]struct {
		parameter, value, words string
	}{
		"state":          {"state", "another", "Another sign-in"},
		"nonce":          {"nonce", "another", "cannot be verified"},
		"no nonce":       {"nonce", "", "cannot be verified"},
		"PKCE challenge": {"code_challenge", strings.Repeat("a", 43), "did not confirm"},
		"PKCE left out":  {"code_challenge", "", "did not confirm"},
	} {
		t.Run(name, func(t *testing.T) {
			s.change = func(address *url.URL) {
				query := address.Query()
				if query.Get(tt.parameter) == "" {
					t.Errorf("there is no %s in %s", tt.parameter, address)
				}
				if query.Set(tt.parameter, tt.value); tt.value == "" {
					query.Del(tt.parameter)
				}
				address.RawQuery = query.Encode()
			}
			wantRefused(t, readCame(t, s.dex.EnterPassword(t, testkit.Browser(t), s.URL+"/start", testkit.DexPassword)), fault.Unauthenticated, tt.words)
		})
	}
}

func TestTicketsExpire(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	browser := testkit.Browser(t)
	first := testkit.Visit(t, browser, s.URL+"/start")
	s.provider.now = func() time.Time { return time.Now().Add(TicketLife) }
	wantRefused(t, readCame(t, testkit.Visit(t, browser, s.URL+"/back?code=x&state="+first.URL.Query().Get("state"))), fault.Unauthenticated, "not started in this browser")
}

func TestProviderThatGoesAway(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	wrong := New(Settings{Issuer: s.dex.Issuer, ClientID: s.dex.ClientID, ClientSecret: "wrong"}, s.provider.box)
	right := s.provider
	s.provider = wrong
	wantRefused(t, readCame(t, s.dex.EnterPassword(t, testkit.Browser(t), s.URL+"/start", testkit.DexPassword)), fault.Unavailable, "oidc-client-secret")
	s.provider = right

	browser := testkit.Browser(t)
	first := testkit.Visit(t, browser, s.URL+"/start")
	s.dex.Stop()
	wantRefused(t, readCame(t, testkit.Visit(t, browser, s.URL+"/back?code=x&state="+first.URL.Query().Get("state"))), fault.Unavailable, "cannot be reached")
	unknown := New(Settings{Issuer: s.dex.Issuer, ClientID: "x"}, s.provider.box)
	if _, err := unknown.Start(t.Context(), s.URL+"/back", "/"); !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), s.dex.Issuer+" cannot be reached") {
		t.Errorf("a provider that is away: %v", err)
	}
}
