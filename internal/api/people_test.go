package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/sondehq/sonde/internal/api"
	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/metastore/metastoretest"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/signin"
)

const (
	sessionURL     = "/api/ui/session"
	invitationsURL = "/api/ui/invitations"
	// typed is a password that is long enough.
	typed = "correct horse"
)

// newSignIn lets people in whose passwords are kept as they are, which is fast.
func newSignIn(store *metastoretest.Memory) *signin.Service {
	return signin.New(store, signin.Secrets{
		HashPassword: func(password string) (string, error) {
			if _, err := auth.HashPassword(password); len(password) < 8 {
				return "", err
			}
			return "kept " + password, nil
		},
		PasswordMatches: func(hash, password string) bool { return hash == "kept "+password },
		NewKey:          func() (model.Key, string, error) { return auth.Issue("", "") },
	})
}

// browser is somebody with a cookie.
type browser struct {
	token, csrf, project string
}

// asks makes a request as pages do.
func (b browser) asks(method, target, body string, headers ...string) *http.Request {
	r := request(method, target, "", strings.NewReader(body), "Content-Type", "application/json", "Sec-Fetch-Site", "same-origin")
	for name, value := range map[string]string{"X-Sonde-Project": b.project, "X-Sonde-Csrf": b.csrf} {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	if b.token != "" {
		r.AddCookie(&http.Cookie{Name: "sonde_session", Value: b.token}) //nolint:gosec // of a request
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

// addPerson gives somebody an account with a role in the organization of a project; no role: in none.
func addPerson(t testing.TB, store *metastoretest.Memory, id, project string, role model.Role) {
	t.Helper()
	err := store.CreateUser(context.Background(), model.User{ID: id, Email: id + "@example.com", Name: id, Password: "kept " + typed})
	if err == nil && role != "" {
		err = store.PutMember(context.Background(), "org-"+project, model.Membership{User: model.User{ID: id}, Role: role, Active: true})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// signIn opens a browser for somebody.
func (f *fixture) signIn(t testing.TB, id, project string) browser {
	t.Helper()
	got := f.send(t, browser{}.asks("POST", sessionURL, `{"email":"`+strings.ToUpper(id)+`@example.com","password":"`+typed+`"}`))
	return opened(t, got, project)
}

// opened is the browser that got an answer with a cookie.
func opened(t testing.TB, got answer, project string) browser {
	t.Helper()
	var body struct{ CSRFToken string }
	if err := json.Unmarshal([]byte(got.body), &body); err != nil || got.status >= 300 {
		t.Fatalf("status %d, %v: %s", got.status, err, got.body)
	}
	return browser{token: cookieOf(t, got).Value, csrf: body.CSRFToken, project: project}
}

// cookieOf is the cookie of the session.
func cookieOf(t testing.TB, got answer) *http.Cookie { return cookieNamed(t, got, "sonde_session") }

func cookieNamed(t testing.TB, got answer, name string) *http.Cookie {
	t.Helper()
	cookies := (&http.Response{Header: got.header}).Cookies()
	at := slices.IndexFunc(cookies, func(c *http.Cookie) bool { return c.Name == name })
	if at < 0 {
		t.Fatalf("cookies %v", cookies)
	}
	return cookies[at]
}

// expects sends a request and returns the answer's object.
func (f *fixture) expects(t testing.TB, status int, r *http.Request) map[string]any {
	t.Helper()
	got := f.send(t, r)
	if got.status != status {
		t.Fatalf("%s %s: status %d, want %d: %s", r.Method, r.URL, got.status, status, got.body)
	}
	var object map[string]any
	if got.body != "" {
		if err := json.Unmarshal([]byte(got.body), &object); err != nil {
			t.Fatal(err)
		}
	}
	return object
}

// roleOf are who asks every route: the role that counts for them in project A and its organization.
var roleOf = map[string]model.Role{"viewer": model.Viewer, "member": model.Member, "admin": model.Admin, "owner": model.Owner, "stranger": "", "nobody": ""}

// TestEveryRouteAndEveryRole asks every route as everybody. What to expect comes from what the route declares, so a new
// route is in here without being told.
func TestEveryRouteAndEveryRole(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	browsers := map[string]browser{"nobody": {project: "project-a"}, "ended": {token: strings.Repeat("x", 43), project: "project-a"}}
	for name, role := range roleOf {
		if role != "" {
			addPerson(t, f.tenants, name, "project-a", role)
			browsers[name] = f.signIn(t, name, "project-a")
		}
	}
	addPerson(t, f.tenants, "stranger", "project-b", model.Owner)
	browsers["stranger"] = f.signIn(t, "stranger", "project-a")
	rank := map[model.Role]int{"": 0, model.Viewer: 1, model.Member: 2, model.Admin: 3, model.Owner: 4}
	for _, route := range api.Routes() {
		if route.Open || route.Access == auth.Person {
			continue
		}
		target := strings.ReplaceAll(route.Path, "{projectId}", "project-a")
		if route.Method == http.MethodDelete && route.Path == "/api/public/projects/{projectId}" {
			target = "/api/public/projects/project-x" // of nobody, else there is nothing left to ask
		}
		target = pathVariable.ReplaceAllString(target, "nothing")
		for name, b := range browsers {
			got := f.send(t, b.asks(route.Method, target, "{}"))
			want := 0
			switch {
			case route.Role == "", name == "nobody", name == "ended":
				want = http.StatusUnauthorized
			case rank[roleOf[name]] < rank[route.Role], strings.HasSuffix(target, "project-x"):
				want = http.StatusForbidden
			}
			was := 0
			if got.status == http.StatusUnauthorized || got.status == http.StatusForbidden {
				was = got.status
			}
			if was != want {
				t.Errorf("%s %s as %s: status %d, want %d (0: let in): %s", route.Method, route.Path, name, got.status, want, got.body)
			}
		}
	}
}

// addPeopleValues adds what a person of B asks the routes of people with.
func (f *fixture) addPeopleValues(t *testing.T, v *foreignValues) {
	t.Helper()
	addPerson(t, f.tenants, "owner", foreignProject, model.Owner)
	addPerson(t, f.tenants, "stranger", "project-b", model.Owner)
	invited := f.expects(t, 201, f.signIn(t, "owner", foreignProject).asks("POST", invitationsURL, `{"organizationId":"org-project-a","email":"zqxsecret@example.com","role":"MEMBER"}`))
	both := []string{"org-project-a", "org-project-b"}
	maps.Copy(v.parameters, map[string][]string{
		"GET " + invitationsURL + " organizationId":                   both,
		"DELETE " + invitationsURL + "/{invitationId} organizationId": both,
		"DELETE " + invitationsURL + "/{invitationId} invitationId":   {fmt.Sprint(invited["id"])},
	})
	maps.Copy(v.bodies, map[string][]string{
		"PUT /api/ui/account":           {`{"name":"mine"}`},
		"POST /api/ui/account/password": {`{"currentPassword":"mine","newPassword":"also mine"}`},
		"POST /api/ui/projects":         {`{"organizationId":"org-project-a","name":"mine"}`},
		"POST " + invitationsURL:        {`{"organizationId":"org-project-a","email":"mine@example.com","role":"OWNER"}`},
	})
}
