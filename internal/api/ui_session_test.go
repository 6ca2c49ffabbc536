package api_test

import (
	"crypto/tls"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/api"
	"github.com/sondehq/sonde/internal/metastore/metastoretest"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/savedviews"
)

func signInBody(id, password string) string {
	return `{"email":"` + id + `@example.com","password":"` + password + `"}`
}

func TestWhoAmI(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	golden(t, "ui_session_setup", f.send(t, browser{}.asks("GET", sessionURL, "")).body)
	addPerson(t, f.tenants, "ada", "project-a", model.Viewer)
	if err := f.tenants.PutProjectMember(t.Context(), "org-project-a", "project-a", model.Membership{User: model.User{ID: "ada"}, Role: model.Admin}); err != nil {
		t.Fatal(err)
	}
	golden(t, "ui_session_out", f.send(t, browser{}.asks("GET", sessionURL, "")).body)
	ada := f.signIn(t, "ada", "project-a")
	got := f.send(t, ada.asks("GET", sessionURL, ""))
	golden(t, "ui_session_in", strings.ReplaceAll(got.body, ada.csrf, "CSRF"))
	if strings.Contains(got.body, ada.token) || ada.csrf == "" || got.header.Get("Cache-Control") != "no-store" {
		t.Errorf("the token is told, or no CSRF token, or kept by caches: %s %v", got.body, got.header)
	}
}

// Whatever cookie a browser brings, signing in gives it another one and ends the old.
func TestSigningInMakesANewToken(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	addPerson(t, f.tenants, "ada", "project-a", model.Owner)
	planted := browser{token: strings.Repeat("x", 43)}
	first := opened(t, f.send(t, planted.asks("POST", sessionURL, signInBody("ada", typed))), "project-a")
	second := opened(t, f.send(t, first.asks("POST", sessionURL, signInBody("ada", typed))), "project-a")
	if first.token == planted.token || second.token == first.token || second.csrf == first.csrf {
		t.Error("a token was used again")
	}
	f.expects(t, 401, first.asks("GET", observations, ""))
	f.expects(t, 200, second.asks("GET", observations, ""))
	f.expects(t, 401, second.asks("POST", sessionURL, signInBody("ada", "wrong horse")))
	f.expects(t, 401, second.asks("POST", sessionURL, signInBody("nobody", typed)))
	f.expects(t, 200, second.asks("GET", observations, ""))
}

func TestSigningOut(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	addPerson(t, f.tenants, "ada", "project-a", model.Owner)
	one, two, three := f.signIn(t, "ada", "project-a"), f.signIn(t, "ada", "project-a"), f.signIn(t, "ada", "project-a")
	got := f.send(t, one.asks("DELETE", sessionURL, ""))
	if cookie := cookieOf(t, got); got.status != http.StatusNoContent || cookie.Value != "" || cookie.MaxAge >= 0 {
		t.Errorf("status %d, cookie %v", got.status, cookie)
	}
	f.expects(t, 401, one.asks("GET", observations, ""))
	f.expects(t, 401, one.asks("DELETE", sessionURL, ""))
	f.expects(t, 200, two.asks("GET", observations, ""))
	f.expects(t, 204, two.asks("DELETE", "/api/ui/sessions", ""))
	f.expects(t, 401, two.asks("GET", observations, ""))
	f.expects(t, 401, three.asks("GET", observations, ""))
}

func TestCookies(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		public, base string
		tls          bool
		path         string
		secure       bool
	}{
		"plain":                 {path: "/"},
		"TLS":                   {tls: true, path: "/", secure: true},
		"base path":             {base: "/sonde", path: "/sonde"},
		"public URL":            {public: "https://sonde.example.com", path: "/", secure: true},
		"public URL with path":  {public: "https://example.com/tools/sonde/", path: "/tools/sonde", secure: true},
		"public URL without s":  {public: "http://example.com/sonde", base: "/sonde", path: "/sonde"},
		"proxy takes path away": {public: "https://example.com/", base: "/sonde", path: "/", secure: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := tenantsOf(t)
			addPerson(t, store, "ada", "project-a", model.Owner)
			f := &fixture{Handler: api.New(api.Config{Auth: fakeAuth{}, SignIn: newSignIn(store), SavedViews: savedviews.New(store), PublicURL: c.public, BasePath: c.base})}
			r := browser{}.asks("POST", c.base+sessionURL, signInBody("ada", typed))
			if c.tls {
				r.TLS = &tls.ConnectionState{}
			}
			cookie := cookieOf(t, f.send(t, r))
			if cookie.Path != c.path || cookie.Secure != c.secure || !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode || cookie.MaxAge != 30*24*3600 {
				t.Errorf("cookie %v", cookie)
			}
		})
	}
}

func TestRequestsOfOtherPagesAreRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *api.Config) { c.PublicURL = "https://sonde.example.com" })
	addPerson(t, f.tenants, "ada", "project-a", model.Owner)
	ada := f.signIn(t, "ada", "project-a")
	other := f.signIn(t, "ada", "project-a")
	const comment = `{"objectType":"TRACE","objectId":"t","content":"hello"}`
	ask := func(method, target, body string, headers ...string) int {
		return f.send(t, ada.asks(method, target, body, headers...)).status
	}
	for name, c := range map[string]struct {
		headers []string
		refused bool
	}{
		"our page":                {nil, false},
		"no browser":              {[]string{"Sec-Fetch-Site", ""}, false},
		"our origin":              {[]string{"Sec-Fetch-Site", "", "Origin", "http://example.com"}, false}, // the host of requests in tests
		"public origin":           {[]string{"Sec-Fetch-Site", "cross-site", "Origin", "https://sonde.example.com"}, false},
		"no CSRF token":           {[]string{"X-Sonde-Csrf", ""}, true},
		"wrong CSRF token":        {[]string{"X-Sonde-Csrf", "wrong"}, true},
		"another session's":       {[]string{"X-Sonde-Csrf", other.csrf}, true},
		"the session's own token": {[]string{"X-Sonde-Csrf", ada.token}, true},
		"other site":              {[]string{"Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example"}, true},
		"other origin of us":      {[]string{"Sec-Fetch-Site", "same-site", "Origin", "https://evil.example.com"}, true},
		"old browser, other site": {[]string{"Sec-Fetch-Site", "", "Origin", "https://evil.example"}, true},
	} {
		for _, route := range [][3]string{{"POST", "/api/public/comments", comment}, {"PUT", "/api/ui/account", `{"name":"Ada"}`}} {
			if got := ask(route[0], route[1], route[2], c.headers...); (got == http.StatusForbidden) != c.refused {
				t.Errorf("%s: %s %s: status %d", name, route[0], route[1], got)
			}
		}
	}
	foreign := []string{"Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example"}
	for target, body := range map[string]string{
		sessionURL: signInBody("ada", typed), "/api/ui/setup": `{"email":"eve@example.com","password":"` + typed + `"}`,
		invitationsURL + "/accept/" + ada.token: `{}`,
	} {
		if got := ask("POST", target, body, foreign...); got != http.StatusForbidden {
			t.Errorf("POST %s from elsewhere: status %d", target, got)
		}
	}
	// Reading needs no token; a key needs neither.
	f.expects(t, 200, ada.asks("GET", observations, "", "X-Sonde-Csrf", ""))
	if got := f.send(t, request("POST", "/api/public/scores", keyA, strings.NewReader(`{"traceId":"t","name":"n","value":1}`), foreign...)); got.status != 200 {
		t.Errorf("a key from a page of somebody: status %d: %s", got.status, got.body)
	}
}

func TestProjectOfASession(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	addPerson(t, f.tenants, "ada", "project-a", model.Owner)
	f.insert(t, row("project-a", "t", "of-a", 0), row("project-b", "t", "of-b", 0))
	ada := f.signIn(t, "ada", "")
	for target, status := range map[string]int{
		observations: 403, observations + "?project=project-b": 403, observations + "?project=nothing": 403, observations + "?project=%00": 403,
		observations + "?project=project-a": 200, "/api/public/comments?project=project-a": 200,
	} {
		f.expects(t, status, ada.asks("GET", target, ""))
	}
	if ids := decodePage(t, f.send(t, ada.asks("GET", observations+"?project=project-a", ""))).ids(); len(ids) != 1 || ids[0] != "of-a" {
		t.Errorf("ids %v", ids)
	}
	// The header wins over the parameter, and a change names its project by header only.
	f.expects(t, 403, ada.asks("GET", observations+"?project=project-a", "", "X-Sonde-Project", "project-b"))
	f.expects(t, 403, ada.asks("POST", "/api/public/score-configs?project=project-a", `{"name":"n","dataType":"NUMERIC"}`))
	f.expects(t, 200, ada.asks("POST", "/api/public/score-configs", `{"name":"n","dataType":"NUMERIC"}`, "X-Sonde-Project", "project-a"))
}

func TestAccessEndsAtOnce(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*metastoretest.Memory) error{
		"inactive": func(m *metastoretest.Memory) error {
			return m.PutMember(t.Context(), "org-project-a", model.Membership{User: model.User{ID: "ada"}, Role: model.Owner})
		},
		"removed":      func(m *metastoretest.Memory) error { return m.RemoveMember(t.Context(), "org-project-a", "ada") },
		"project gone": func(m *metastoretest.Memory) error { return m.MarkProjectDeleted(t.Context(), "project-a") },
		"password":     func(m *metastoretest.Memory) error { return m.SetPassword(t.Context(), "ada", "kept other") },
		"signed out":   func(m *metastoretest.Memory) error { return m.DeleteSessionsOf(t.Context(), "ada") },
		"less by project": func(m *metastoretest.Memory) error {
			return m.PutProjectMember(t.Context(), "org-project-a", "project-a", model.Membership{User: model.User{ID: "ada"}, Role: model.Viewer})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			addPerson(t, f.tenants, "ada", "project-a", model.Owner)
			ada := f.signIn(t, "ada", "project-a")
			const config = `{"name":"n","dataType":"NUMERIC"}`
			f.expects(t, 200, ada.asks("POST", "/api/public/score-configs", config))
			if err := end(f.tenants); err != nil {
				t.Fatal(err)
			}
			if got := f.send(t, ada.asks("POST", "/api/public/score-configs", config)); got.status != 401 && got.status != 403 {
				t.Errorf("status %d: %s", got.status, got.body)
			}
		})
	}
}

func TestMissingRoleIsNamed(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	addPerson(t, f.tenants, "ada", "project-a", model.Viewer)
	got := f.expects(t, 403, f.signIn(t, "ada", "project-a").asks("POST", models, "{}"))
	if want := "This needs ADMIN, you are VIEWER; ask an owner of the organization for the role"; got["message"] != want {
		t.Errorf("message %q", got["message"])
	}
}

func TestSetUpOnceOnly(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var group sync.WaitGroup
	answers := make([]answer, 8)
	for i := range answers {
		group.Go(func() {
			body := `{"email":"` + string(rune('a'+i)) + `@example.com","name":"Ada","password":"` + typed + `","organizationName":"Mine","projectName":"chatbot"}`
			answers[i] = f.send(t, browser{}.asks("POST", "/api/ui/setup", body))
		})
	}
	group.Wait()
	made := 0
	for _, a := range answers {
		switch a.status {
		case http.StatusCreated:
			made++
			if !strings.Contains(a.body, `"role":"OWNER"`) || !strings.Contains(a.body, `"secretKey":"sk-lf-`) || cookieOf(t, a).Value == "" {
				t.Errorf("body %s", a.body)
			}
		case http.StatusConflict:
		default:
			t.Errorf("status %d: %s", a.status, a.body)
		}
	}
	if made != 1 {
		t.Errorf("%d set it up", made)
	}
}

// A page learns with the session where its lists begin, so that it need not ask before it shows rows.
func TestDefaultViewsOfASession(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	addPerson(t, f.tenants, "ada", "project-a", model.Member)
	ada := f.signIn(t, "ada", "project-a")
	_, shared := f.callStatus(t, "POST", savedViewsPath, keyA, `{"tableName":"traces","name":"shared","isDefault":true}`)
	sessions := f.expects(t, 201, ada.asks("POST", savedViewsPath, `{"tableName":"sessions","name":"hers","shared":false,"isDefault":true}`))
	f.callStatus(t, "POST", savedViewsPath, keyB, `{"tableName":"users","name":"of another project","isDefault":true}`)
	views := func() any {
		organizations := f.expects(t, 200, ada.asks("GET", sessionURL, ""))["organizations"].([]any)
		return organizations[0].(map[string]any)["projects"].([]any)[0].(map[string]any)["defaultViews"]
	}
	if diff := cmp.Diff(map[string]any{"traces": shared["id"], "sessions": sessions["id"]}, views()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	own := f.expects(t, 201, ada.asks("POST", savedViewsPath, `{"tableName":"traces","name":"hers","shared":false,"isDefault":true}`))
	if diff := cmp.Diff(map[string]any{"traces": own["id"], "sessions": sessions["id"]}, views()); diff != "" {
		t.Errorf("with a view of her own (-want +got):\n%s", diff)
	}
}
