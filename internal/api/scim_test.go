package api_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/auth"
)

func TestSCIMUsers(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	made := f.want(t, 201, "POST", scimURL, organizationKey,
		`{"schemas":["urn:ietf:params:scim:schemas:core:2.0:User"],"userName":"Ada@Example.com","name":{"givenName":"Ada","familyName":"Lovelace"},"emails":[{"primary":true,"value":"x"}],"password":"correct horse","roles":["ADMIN"],"externalId":"7"}`)
	id := fmt.Sprint(made["id"])
	meta := made["meta"].(map[string]any)
	want := map[string]any{
		"schemas": []any{"urn:ietf:params:scim:schemas:core:2.0:User"}, "id": id, "userName": "Ada@Example.com", "displayName": "Ada Lovelace",
		"name": map[string]any{"formatted": "Ada Lovelace"}, "active": true, "roles": []any{"ADMIN"},
		"emails": []any{map[string]any{"value": "Ada@Example.com", "type": "work", "primary": true}},
		"meta":   map[string]any{"resourceType": "User", "created": meta["created"], "lastModified": meta["lastModified"], "location": "http://example.com" + scimURL + "/" + id},
	}
	if diff := cmp.Diff(want, made); diff != "" {
		t.Errorf("POST (-want +got):\n%s", diff)
	}
	if user, err := f.tenants.User(t.Context(), id); err != nil || !auth.PasswordMatches(user.Password, "correct horse") {
		t.Errorf("the password is not kept: %+v, %v", user, err)
	}
	f.want(t, 409, "POST", scimURL, organizationKey, `{"userName":"ada@example.COM"}`)
	if diff := cmp.Diff(want, f.want(t, 200, "GET", scimURL+"/"+id, organizationKey, "")); diff != "" {
		t.Errorf("GET (-want +got):\n%s", diff)
	}
	f.want(t, 404, "GET", scimURL+"/"+id, organizationKeyB, "")

	// Another organization shares the account and changes nothing of it.
	shared := f.want(t, 201, "POST", scimURL, organizationKeyB, `{"userName":"ada@example.com","displayName":"Eve","password":"another password"}`)
	if shared["id"] != id || shared["displayName"] != "Ada Lovelace" || cmp.Diff([]any{"MEMBER"}, shared["roles"]) != "" {
		t.Errorf("POST in another organization: %v", shared)
	}
	if user, err := f.tenants.User(t.Context(), id); err != nil || !auth.PasswordMatches(user.Password, "correct horse") {
		t.Errorf("another organization changed the password: %v", err)
	}
	f.want(t, 200, "PATCH", scimURL+"/"+id, organizationKeyB, `{"Operations":[{"op":"Replace","path":"active","value":"False"}]}`)
	if got := f.want(t, 200, "GET", scimURL+"/"+id, organizationKey, ""); got["active"] != true {
		t.Errorf("another organization deactivates: %v", got)
	}
	if got := f.want(t, 204, "DELETE", scimURL+"/"+id, organizationKeyB, ""); got != nil {
		t.Errorf("DELETE: %v", got)
	}
	f.want(t, 404, "DELETE", scimURL+"/"+id, organizationKeyB, "")
	f.want(t, 200, "GET", scimURL+"/"+id, organizationKey, "")
}

func TestSCIMChanges(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.user(t, "u", "org-project-a")
	one := scimURL + "/u"
	for _, c := range []struct {
		method, body string
		active       bool
		role         string
	}{
		{"PATCH", `{"Operations":[{"op":"replace","path":"active","value":false}]}`, false, "VIEWER"},
		{"PATCH", `{"schemas":["x"],"Operations":[{"op":"Add","value":{"active":true}}]}`, true, "VIEWER"},
		{"PATCH", `{"Operations":[{"op":"REPLACE","path":"Active","value":"False"},{"op":"replace","path":"roles","value":["ADMIN"]}]}`, false, "ADMIN"},
		{"PATCH", `{"Operations":[{"op":"replace","path":"roles","value":{"value":"OWNER"}}]}`, false, "OWNER"},
		{"PUT", `{"userName":"U@example.com","active":true,"roles":[{"value":"MEMBER","primary":true}]}`, true, "MEMBER"},
		{"PUT", `{"userName":"u@example.com","displayName":"other","active":null,"roles":null}`, true, "MEMBER"},
	} {
		got := f.want(t, 200, c.method, one, organizationKey, c.body)
		if got["active"] != c.active || cmp.Diff([]any{c.role}, got["roles"]) != "" || got["displayName"] != "Name of u" {
			t.Errorf("%s %s: %v", c.method, c.body, got)
		}
	}
	for method, bodies := range map[string][]string{
		"PATCH": {
			``, `null`, `[]`, `{}`, `{"Operations":[]}`, `{"Operations":[{}]}`, `{"Operations":[{"op":"remove","path":"active"}]}`, `{"Operations":{}}`,
			`{"Operations":[{"op":"replace","path":"active"}]}`, `{"Operations":[{"op":"replace","path":"active","value":1}]}`, `{"Operations":[{"op":"replace","value":[]}]}`,
			`{"Operations":[{"op":"replace","value":{}}]}`, `{"Operations":[{"op":"replace","path":"userName","value":"x"}]}`,
			`{"Operations":[{"op":"replace","path":"roles","value":"owner"}]}`, `{"Operations":[{"op":"replace","path":"roles","value":["OWNER","ADMIN"]}]}`,
			`{"Operations":[` + strings.Repeat(`{"op":"replace","path":"active","value":true},`, 100) + `{"op":"replace","path":"active","value":true}]}`,
		},
		"PUT":  {``, `{}`, `{"userName":"other@example.com"}`, `{"userName":"u@example.com","active":"yes"}`, `{"userName":"u@example.com","roles":["x"]}`, `{"userName":"u@example.com","roles":[1]}`},
		"POST": {``, `null`, `{}`, `{"userName":"x"}`, `{"userName":1}`, `{"userName":"a@b","password":"short"}`, `{"userName":"a@b","displayName":"\u0000"}`, `{"userName":"a@b","roles":["OWNER","OWNER"]}`, `{"userName":"` + strings.Repeat("x", 400) + `@b"}`},
	} {
		target := one
		if method == "POST" {
			target = scimURL
		}
		for _, body := range bodies {
			if got := f.want(t, 400, method, target, organizationKey, body); got["status"] != 400.0 || got["detail"] == "" {
				t.Errorf("%s %s: %v", method, body, got)
			}
		}
	}
	for _, method := range []string{"GET", "DELETE", "PUT", "PATCH"} {
		body := `{"userName":"u@example.com","Operations":[{"op":"replace","path":"active","value":true}]}`
		f.want(t, 404, method, scimURL+"/nobody", organizationKey, body)
		f.want(t, 400, method, scimURL+"/a%00b", organizationKey, body)
	}
	f.want(t, 413, "POST", scimURL, organizationKey, `{"userName":"`+strings.Repeat("x", 1<<20)+`"}`)
	for _, key := range []string{"", keyA, scoresOnly} {
		status := map[string]int{"": 401}[key]
		if status == 0 {
			status = 403
		}
		if got := f.want(t, status, "GET", scimURL, key, ""); got["detail"] == nil {
			t.Errorf("refused with %v", got)
		}
	}
}

func TestSCIMList(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, id := range []string{"c", "a", "b"} {
		f.user(t, id, "org-project-a")
	}
	f.user(t, "foreign", "org-project-b")
	for query, want := range map[string]struct {
		ids   string
		start float64
		total float64
	}{
		"":                                     {"abc", 1, 3},
		"?count=2":                             {"ab", 1, 3},
		"?count=2&startIndex=2":                {"bc", 2, 3},
		"?startIndex=9":                        {"", 9, 3},
		"?count=0":                             {"", 1, 3},
		"?count=-5&startIndex=-5":              {"", 1, 3},
		"?count=100000":                        {"abc", 1, 3},
		"?filter=":                             {"abc", 1, 3},
		`?filter=userName eq "B@example.com"`:  {"b", 1, 1},
		`?filter= username EQ "b@example.com"`: {"b", 1, 1},
		`?filter=userName eq "foreign@example.com"`: {"", 1, 0},
		`?filter=userName eq "%"`:                   {"", 1, 0},
	} {
		target := scimURL + strings.NewReplacer(" ", "%20", `"`, "%22", "%", "%25").Replace(query)
		got := f.want(t, 200, "GET", target, organizationKey, "")
		var named strings.Builder
		for _, user := range got["Resources"].([]any) {
			fmt.Fprint(&named, user.(map[string]any)["id"])
		}
		ids := named.String()
		if ids != want.ids || got["startIndex"] != want.start || got["totalResults"] != want.total || got["itemsPerPage"] != float64(len(ids)) {
			t.Errorf("%s: %q of %v from %v", query, ids, got["totalResults"], got["startIndex"])
		}
	}
	for _, filter := range []string{`userName`, `userName eq`, `userName eq x`, `userName co "x"`, `emails eq "x"`, `userName eq ""`, `userName eq "a" and active eq true`, `userName eq "a\"b"`, "userName eq \"a\x00b\""} {
		got := f.want(t, 400, "GET", scimURL+"?filter="+url.QueryEscape(filter), organizationKey, "")
		if got["scimType"] != "invalidFilter" && !strings.Contains(filter, "\x00") {
			t.Errorf("%s: %v", filter, got)
		}
	}
	for _, query := range []string{"?count=x", "?startIndex=1.5", "?count=1&count=2", "?filter=%zz", "?count=99999999999999999999"} {
		f.want(t, 400, "GET", scimURL+query, organizationKey, "")
	}
	for _, document := range []string{"ServiceProviderConfig", "ResourceTypes", "Schemas"} {
		if got := f.want(t, 200, "GET", "/api/public/scim/"+document, organizationKey, ""); len(got["schemas"].([]any)) != 1 {
			t.Errorf("%s: %v", document, got)
		}
	}
}

// FuzzTenancy sends any body to any route of organizations and the instance, and any filter to SCIM.
func FuzzTenancy(f *testing.F) {
	routes := []string{
		"POST " + projectsURL, "PUT " + projectsURL + "/project-a", "POST " + projectsURL + "/project-a/apiKeys",
		"PUT " + organizationsURL + "/memberships", "DELETE " + organizationsURL + "/memberships",
		"PUT " + projectsURL + "/project-a/memberships", "DELETE " + projectsURL + "/project-a/memberships",
		"POST " + scimURL, "PUT " + scimURL + "/u", "PATCH " + scimURL + "/u", "GET " + scimURL,
		"POST " + adminURL, "PUT " + adminURL + "/org-project-a", "POST " + adminURL + "/org-project-a/apiKeys",
	}
	for i, body := range []string{
		`{"name":"good","metadata":{},"retention":3}`, `{"name":"good"}`, `{"name":"k","scope":"read","expiresAt":"2099-01-01T00:00:00Z"}`,
		`{"userId":"u","role":"OWNER"}`, `{"userId":"u"}`, `{"userId":"u","role":"VIEWER"}`, `{"userId":"u"}`,
		`{"userName":"a@b","roles":["OWNER"]}`, `{"userName":"u@example.com","active":false}`, `{"Operations":[{"op":"replace","value":{"active":false}}]}`,
		`userName eq "u@example.com"`, `{"name":"good"}`, `{"name":"good","metadata":{"a":1}}`, `{"scope":"all"}`,
	} {
		f.Add(uint8(i), body)
	}
	f.Fuzz(func(t *testing.T, which uint8, body string) {
		method, target, _ := strings.Cut(routes[int(which)%len(routes)], " ")
		key := organizationKey
		if strings.HasPrefix(target, adminURL) {
			key = asAdmin
		}
		if method == "GET" {
			target, body = target+"?filter="+url.QueryEscape(body), ""
		}
		fixture := newFixture(t)
		fixture.user(t, "u", "org-project-a")
		recorder := httptest.NewRecorder()
		fixture.ServeHTTP(recorder, request(method, target, key, strings.NewReader(body), "Content-Type", "application/json"))
		if recorder.Code >= 500 || recorder.Code != 204 && !json.Valid(recorder.Body.Bytes()) {
			t.Errorf("%s %s %q: status %d, %s", method, target, body, recorder.Code, recorder.Body)
		}
	})
}
