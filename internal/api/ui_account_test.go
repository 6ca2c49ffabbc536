package api_test

import (
	"strings"
	"testing"

	"github.com/sondehq/sonde/internal/model"
)

func TestAccount(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	addPerson(t, f.tenants, "ada", "project-a", model.Viewer)
	ada := f.signIn(t, "ada", "")
	const preferences = `{"theme":"dark","density":"compact","timezone":"Europe/Berlin","singleKeys":false}`
	f.expects(t, 200, ada.asks("PUT", "/api/ui/account", `{"name":"Ada L.","preferences":`+preferences+`}`))
	f.expects(t, 200, ada.asks("PUT", "/api/ui/account", `{"name":"Ada"}`)) // keeps what is not given
	got := f.send(t, ada.asks("GET", sessionURL, "")).body
	if !strings.Contains(got, `"name":"Ada"`) || !strings.Contains(got, `"preferences":`+preferences) {
		t.Errorf("body %s", got)
	}
	for _, bad := range []string{`{"theme":"pink"}`, `{"color":"red"}`, `{"density":1}`, `{"timezone":"' OR 1"}`, `[]`, `{"timezone":"` + strings.Repeat("x", 65) + `"}`} {
		f.expects(t, 400, ada.asks("PUT", "/api/ui/account", `{"name":"Ada","preferences":`+bad+`}`))
	}
}

func TestPasswordChange(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	addPerson(t, f.tenants, "ada", "project-a", model.Viewer)
	ada, elsewhere := f.signIn(t, "ada", "project-a"), f.signIn(t, "ada", "project-a")
	change := func(current, next string) string {
		return `{"currentPassword":"` + current + `","newPassword":"` + next + `"}`
	}
	const path = "/api/ui/account/password"
	f.expects(t, 403, ada.asks("POST", path, change("wrong horse", "another horse")))
	f.expects(t, 400, ada.asks("POST", path, change(typed, "short")))
	f.expects(t, 200, elsewhere.asks("GET", observations, ""))
	changed := opened(t, f.send(t, ada.asks("POST", path, change(typed, "another horse"))), "project-a")
	f.expects(t, 401, elsewhere.asks("GET", observations, ""))
	f.expects(t, 401, ada.asks("GET", observations, ""))
	f.expects(t, 200, changed.asks("GET", observations, ""))
	f.expects(t, 401, browser{}.asks("POST", sessionURL, signInBody("ada", typed)))
	f.expects(t, 200, browser{}.asks("POST", sessionURL, signInBody("ada", "another horse")))
}

func TestGuessingIsSlowedDown(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	addPerson(t, f.tenants, "ada", "project-a", model.Viewer)
	device := cookieNamed(t, f.send(t, browser{}.asks("POST", sessionURL, signInBody("ada", typed))), "sonde_device")
	if device.Path != "/api/ui" || !device.HttpOnly || device.MaxAge != 180*24*3600 {
		t.Errorf("cookie %v", device)
	}
	for range 10 {
		f.expects(t, 401, browser{}.asks("POST", sessionURL, signInBody("ada", "wrong horse")))
	}
	refused := f.send(t, browser{}.asks("POST", sessionURL, signInBody("ada", typed)))
	if refused.status != 429 || refused.header.Get("Retry-After") != "1" {
		t.Errorf("status %d, Retry-After %q", refused.status, refused.header.Get("Retry-After"))
	}
	known := browser{}.asks("POST", sessionURL, signInBody("ada", typed))
	known.AddCookie(device)
	f.expects(t, 200, known)
	elsewhere := browser{}.asks("POST", sessionURL, signInBody("ada", typed))
	elsewhere.RemoteAddr = "[2001:db8::1]:1234"
	f.expects(t, 200, elsewhere)
}

func TestNewProjects(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	addPerson(t, f.tenants, "admin", "project-a", model.Admin)
	addPerson(t, f.tenants, "member", "project-a", model.Member)
	const path, body = "/api/ui/projects", `{"organizationId":"org-project-a","name":"second"}`
	f.expects(t, 403, f.signIn(t, "member", "").asks("POST", path, body))
	admin := f.signIn(t, "admin", "")
	made := f.expects(t, 201, admin.asks("POST", path, body))
	f.expects(t, 409, admin.asks("POST", path, body))
	f.expects(t, 403, admin.asks("POST", path, strings.Replace(body, "project-a", "project-b", 1)))
	f.expects(t, 200, admin.asks("GET", observations, "", "X-Sonde-Project", made["id"].(string)))
}

// People give others at most what they have, and touch nobody above them.
func TestMembersOfASession(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for id, role := range map[string]model.Role{"owner": model.Owner, "admin": model.Admin, "member": model.Member, "outside": ""} {
		addPerson(t, f.tenants, id, "project-a", role)
	}
	admin, owner := f.signIn(t, "admin", "project-a"), f.signIn(t, "owner", "project-a")
	give := func(id string, role model.Role) string {
		return `{"userId":"` + id + `","role":"` + string(role) + `"}`
	}
	const members, inProject = "/api/public/organizations/memberships", "/api/public/projects/project-a/memberships"
	for _, path := range []string{inProject, members} {
		f.expects(t, 403, admin.asks("PUT", path, give("member", model.Owner)))
		f.expects(t, 403, admin.asks("PUT", path, give("admin", model.Owner)))
		f.expects(t, 403, admin.asks("PUT", path, give("owner", model.Viewer)))
		f.expects(t, 403, admin.asks("DELETE", path, `{"userId":"owner"}`))
		f.expects(t, 403, owner.asks("PUT", path, give("owner", model.Viewer)))
		f.expects(t, 200, admin.asks("PUT", path, give("member", model.Admin)))
		f.expects(t, 200, owner.asks("PUT", path, give("member", model.Owner)))
	}
	f.expects(t, 403, owner.asks("DELETE", members, `{"userId":"owner"}`))
	f.expects(t, 200, admin.asks("PUT", members, give("outside", model.Admin)))
	f.expects(t, 200, owner.asks("DELETE", members, `{"userId":"member"}`))
}

func TestAuthorsAreNamed(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	addPerson(t, f.tenants, "ada", "project-a", model.Member)
	ada := f.signIn(t, "ada", "project-a")
	prompt := f.expects(t, 201, ada.asks("POST", "/api/public/v2/prompts", `{"name":"p","prompt":"hello"}`))
	if prompt["createdBy"] != "ada" {
		t.Errorf("prompt by %v", prompt["createdBy"])
	}
	f.expects(t, 200, ada.asks("POST", "/api/public/scores", `{"traceId":"t","name":"n","value":1,"authorUserId":"eve"}`))
	f.want(t, 200, "POST", "/api/public/scores", keyA, `{"traceId":"t","name":"n","value":1,"authorUserId":"eve"}`)
	for i, author := range []string{`"authorUserId":"ada"`, ""} {
		body := string(f.ingest.events[i].Events[0].Body)
		if !strings.Contains(body, author) || strings.Contains(body, "eve") || author == "" && strings.Contains(body, "author") {
			t.Errorf("score %s", body)
		}
	}
}
