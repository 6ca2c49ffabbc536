package api_test

import (
	"strings"
	"testing"

	"github.com/sondehq/sonde/internal/model"
)

func inviteBody(email string, role model.Role) string {
	return `{"organizationId":"org-project-a","email":"` + email + `","role":"` + string(role) + `"}`
}

// invited returns where an invitation is accepted.
func (f *fixture) invited(t *testing.T, by browser, email string, role model.Role) (path, id string) {
	t.Helper()
	made := f.expects(t, 201, by.asks("POST", invitationsURL, inviteBody(email, role)))
	_, token, found := strings.Cut(made["link"].(string), "http://example.com/auth/sign-up?invitation=")
	if !found || len(token) != 43 {
		t.Fatalf("link %v", made["link"])
	}
	return invitationsURL + "/accept/" + token, made["id"].(string)
}

func TestInvitationOfSomebodyNew(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	addPerson(t, f.tenants, "admin", "project-a", model.Admin)
	path, _ := f.invited(t, f.signIn(t, "admin", ""), "bob@example.com", model.Member)
	shown := f.expects(t, 200, browser{}.asks("GET", path, ""))
	if shown["hasAccount"] != false || shown["organization"].(map[string]any)["name"] != "Acme" || shown["invitedBy"].(map[string]any)["email"] != "admin@example.com" {
		t.Errorf("shown %v", shown)
	}
	f.expects(t, 400, browser{}.asks("POST", path, `{"password":"short"}`))
	bob := opened(t, f.send(t, browser{}.asks("POST", path, `{"name":"Bob","password":"`+typed+`"}`)), "project-a")
	f.expects(t, 200, bob.asks("GET", observations, ""))
	f.expects(t, 403, bob.asks("POST", models, "{}"))
	f.signIn(t, "bob", "")
	for _, method := range []string{"GET", "POST"} {
		f.expects(t, 404, browser{}.asks(method, path, `{"password":"`+typed+`"}`))
	}
	f.expects(t, 404, browser{}.asks("GET", invitationsURL+"/accept/"+strings.Repeat("x", 43), ""))
}

// An invitation is no way into an account that there is: its owner signs in.
func TestInvitationOfSomebodyKnown(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	addPerson(t, f.tenants, "owner", "project-a", model.Owner)
	addPerson(t, f.tenants, "bob", "project-b", model.Owner)
	path, _ := f.invited(t, f.signIn(t, "owner", ""), "BOB@example.com", model.Owner)
	if shown := f.expects(t, 200, browser{}.asks("GET", path, "")); shown["hasAccount"] != true {
		t.Errorf("shown %v", shown)
	}
	f.expects(t, 401, browser{}.asks("POST", path, `{"password":"stolen horse"}`))
	bob := f.signIn(t, "bob", "project-a")
	f.expects(t, 403, bob.asks("GET", observations, ""))
	f.expects(t, 403, bob.asks("POST", path, `{}`, "X-Sonde-Csrf", ""))
	f.expects(t, 200, bob.asks("POST", path, `{}`))
	f.expects(t, 200, bob.asks("GET", observations, ""))
	f.expects(t, 404, bob.asks("POST", path, `{}`))
}

func TestInvitationsAreBounded(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for id, role := range map[string]model.Role{"owner": model.Owner, "admin": model.Admin, "member": model.Member} {
		addPerson(t, f.tenants, id, "project-a", role)
	}
	admin, owner, member := f.signIn(t, "admin", ""), f.signIn(t, "owner", ""), f.signIn(t, "member", "")
	f.expects(t, 403, admin.asks("POST", invitationsURL, inviteBody("x@example.com", model.Owner)))
	f.expects(t, 403, member.asks("POST", invitationsURL, inviteBody("x@example.com", model.Viewer)))
	f.expects(t, 403, member.asks("GET", invitationsURL+"?organizationId=org-project-a", ""))
	f.expects(t, 409, admin.asks("POST", invitationsURL, inviteBody("member@example.com", model.Viewer)))
	f.expects(t, 400, admin.asks("POST", invitationsURL, inviteBody("nobody", model.Viewer)))
	f.expects(t, 400, admin.asks("POST", invitationsURL, inviteBody("x@example.com", "BOSS")))
	f.expects(t, 403, admin.asks("POST", invitationsURL, strings.Replace(inviteBody("x@example.com", model.Viewer), "project-a", "project-b", 1)))
	f.expects(t, 400, admin.asks("GET", invitationsURL, ""))

	path, id := f.invited(t, admin, "x@example.com", model.Admin)
	list := f.send(t, owner.asks("GET", invitationsURL+"?organizationId=org-project-a", "")).body
	if !strings.Contains(list, id) || strings.Contains(list, path[len(path)-43:]) {
		t.Errorf("list %s", list)
	}
	f.expects(t, 204, owner.asks("DELETE", invitationsURL+"/"+id+"?organizationId=org-project-a", ""))
	f.expects(t, 404, owner.asks("DELETE", invitationsURL+"/"+id+"?organizationId=org-project-a", ""))
	f.expects(t, 404, browser{}.asks("GET", path, ""))

	// Who loses the role to invite takes the invitation along.
	path, _ = f.invited(t, admin, "x@example.com", model.Admin)
	if err := f.tenants.PutMember(t.Context(), "org-project-a", model.Membership{User: model.User{ID: "admin"}, Role: model.Member, Active: true}); err != nil {
		t.Fatal(err)
	}
	f.expects(t, 404, browser{}.asks("GET", path, ""))
	f.expects(t, 404, browser{}.asks("POST", path, `{"password":"`+typed+`"}`))
}
