package oidc

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
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
	http.SetCookie(w, &http.Cookie{Name: "ticket", Value: leave.Ticket, Path: "/"})
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

func newBrowser(t *testing.T) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar, Transport: &http.Transport{DisableKeepAlives: true}}
	return browser
}

func readCame(t *testing.T, response *http.Response) came {
	t.Helper()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	var c came
	if err := json.Unmarshal(text, &c); err != nil {
		t.Fatalf("%s at %s: %v\n%s", response.Status, response.Request.URL, err, text)
	}
	return c
}

func wantRefused(t *testing.T, got came, kind fault.Kind, words string) {
	t.Helper()
	if got.Who.Subject != "" || got.Kind != kind || !strings.Contains(got.Error, words) {
		t.Errorf("got %+v, want nobody, kind %d and %q", got, kind, words)
	}
}

func get(t *testing.T, browser *http.Client, address string) *http.Response {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := browser.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = response.Body.Close() })
	return response
}

func TestSignInWithDex(t *testing.T) {
	t.Parallel()
	s := newSite(t)

	t.Run("a password", func(t *testing.T) {
		got := readCame(t, s.dex.EnterPassword(t, newBrowser(t), s.URL+"/start?next="+url.QueryEscape("/project/p?a=1"), testkit.DexPassword))
		want := came{Who: Identity{
			Issuer: s.dex.Issuer, Subject: got.Who.Subject, Email: testkit.DexEmail, EmailVerified: true, Name: testkit.DexName,
		}, Next: "/project/p?a=1"}
		if diff := cmp.Diff(want, got); diff != "" || got.Who.Subject == "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		again := readCame(t, s.dex.EnterPassword(t, newBrowser(t), s.URL+"/start", testkit.DexPassword))
		if again.Who.Subject != got.Who.Subject || again.Next != "/" {
			t.Errorf("the same person is %+v and %+v", got, again)
		}
	})
	t.Run("a wrong password", func(t *testing.T) {
		response := s.dex.EnterPassword(t, newBrowser(t), s.URL+"/start", "wrong")
		if !strings.HasPrefix(response.Request.URL.String(), s.dex.Issuer) {
			t.Errorf("comes back to %s", response.Request.URL)
		}
	})
	t.Run("groups and an unverified address", func(t *testing.T) {
		person := testkit.DexPerson{ID: "7", Email: "eve@example.com", Name: "Eve", Groups: []string{"staff"}}
		got := readCame(t, s.dex.Send(t, newBrowser(t), s.URL+"/start", person)).Who
		want := Identity{Issuer: s.dex.Issuer, Subject: got.Subject, Email: "eve@example.com", Name: "Eve", Groups: []string{"staff"}}
		if diff := cmp.Diff(want, got); diff != "" || got.Subject == "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	t.Run("no address", func(t *testing.T) {
		got := readCame(t, s.dex.Send(t, newBrowser(t), s.URL+"/start", testkit.DexPerson{ID: "8", Name: "Anonymous"}))
		if got.Error != "" || got.Who.Email != "" || got.Who.Subject == "" {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("used twice", func(t *testing.T) {
		browser := newBrowser(t)
		response := s.dex.EnterPassword(t, browser, s.URL+"/start", testkit.DexPassword)
		wantRefused(t, readCame(t, get(t, browser, response.Request.URL.String())), fault.Unauthenticated, "did not confirm")
	})
	t.Run("in another browser", func(t *testing.T) {
		response := s.dex.EnterPassword(t, newBrowser(t), s.URL+"/start", testkit.DexPassword)
		wantRefused(t, readCame(t, get(t, newBrowser(t), response.Request.URL.String())), fault.Unauthenticated, "not started in this browser")
	})
	t.Run("canceled there", func(t *testing.T) {
		browser := newBrowser(t)
		first := get(t, browser, s.URL+"/start")
		back := first.Request.URL.Query() // dex keeps what we asked with in the address of its first page
		if back.Get("state") == "" {
			t.Fatalf("no state in %s", first.Request.URL)
		}
		answer := func(code string) came {
			return readCame(t, get(t, browser, s.URL+"/back?"+url.Values{"state": {back.Get("state")}, "error": {code}}.Encode()))
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
			wantRefused(t, readCame(t, s.dex.EnterPassword(t, newBrowser(t), s.URL+"/start", testkit.DexPassword)), fault.Unauthenticated, tt.words)
		})
	}
}

func TestTicketsExpire(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	browser := newBrowser(t)
	first := get(t, browser, s.URL+"/start")
	s.provider.now = func() time.Time { return time.Now().Add(TicketLife) }
	wantRefused(t, readCame(t, get(t, browser, s.URL+"/back?code=x&state="+first.Request.URL.Query().Get("state"))), fault.Unauthenticated, "not started in this browser")
}

func TestProviderThatGoesAway(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	wrong := New(Settings{Issuer: s.dex.Issuer, ClientID: s.dex.ClientID, ClientSecret: "wrong"}, s.provider.box)
	right := s.provider
	s.provider = wrong
	wantRefused(t, readCame(t, s.dex.EnterPassword(t, newBrowser(t), s.URL+"/start", testkit.DexPassword)), fault.Unavailable, "oidc-client-secret")
	s.provider = right

	browser := newBrowser(t)
	first := get(t, browser, s.URL+"/start")
	s.dex.Stop()
	wantRefused(t, readCame(t, get(t, browser, s.URL+"/back?code=x&state="+first.Request.URL.Query().Get("state"))), fault.Unavailable, "cannot be reached")
	unknown := New(Settings{Issuer: s.dex.Issuer, ClientID: "x"}, s.provider.box)
	if _, err := unknown.Start(t.Context(), s.URL+"/back", "/"); !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), s.dex.Issuer+" cannot be reached") {
		t.Errorf("a provider that is away: %v", err)
	}
}
