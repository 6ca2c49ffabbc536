package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/api"
	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore/metastoretest"
	"github.com/sondehq/sonde/internal/model"
)

const adminKey = "admin-key-of-the-tests"

// asAdmin is the Authorization of the operator.
const asAdmin = "Bearer " + adminKey

// tenantsOf makes a store with the projects of the keys, each in an organization of its own.
func tenantsOf(t testing.TB) *metastoretest.Memory {
	t.Helper()
	store := metastoretest.NewMemory()
	for _, id := range []string{"project-a", "project-b"} {
		project := projectNamed(id)
		if err := errors.Join(store.CreateOrganization(context.Background(), project.Organization), store.CreateProject(context.Background(), project)); err != nil {
			t.Fatal(err)
		}
	}
	return store
}

// fakeEraser remembers which projects it was to erase.
type fakeEraser struct {
	mu     sync.Mutex
	erased []string
	err    error
}

func (f *fakeEraser) Project(_ context.Context, id string, _ model.Requester) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.erased = append(f.erased, id)
	return "job-1", f.err
}

// want calls and compares the status, and returns the answer's object.
func (f *fixture) want(t testing.TB, status int, method, target, key, body string) map[string]any {
	t.Helper()
	r := request(method, target, key, strings.NewReader(body), "Content-Type", "application/json")
	got := f.send(t, r)
	if got.status != status {
		t.Fatalf("%s %s %s: status %d, want %d: %s", method, target, body, got.status, status, got.body)
	}
	var object map[string]any
	if got.body != "" {
		if err := json.Unmarshal([]byte(got.body), &object); err != nil {
			t.Fatalf("%s %s: %v in %s", method, target, err, got.body)
		}
	}
	return object
}

const (
	projectsURL      = "/api/public/projects"
	organizationsURL = "/api/public/organizations"
	scimURL          = "/api/public/scim/Users"
	adminURL         = "/api/admin/organizations"
)

func TestProjectsOfAnOrganization(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	made := f.want(t, 201, "POST", projectsURL, organizationKey, `{"name":"chatbot","metadata":{"team":{"a":[1,null]}},"retention":30,"payloadRetention":7}`)
	want := map[string]any{
		"id": made["id"], "name": "chatbot", "metadata": map[string]any{"team": map[string]any{"a": []any{1.0, nil}}},
		"retentionDays": 30.0, "payloadRetentionDays": 7.0, "organization": map[string]any{"id": "org-project-a", "name": "Acme"},
	}
	if diff := cmp.Diff(want, made); diff != "" {
		t.Errorf("POST (-want +got):\n%s", diff)
	}
	one := projectsURL + "/" + fmt.Sprint(made["id"])
	f.want(t, 409, "POST", projectsURL, organizationKey, `{"name":"chatbot","retention":0}`)
	f.want(t, 201, "POST", projectsURL, organizationKeyB, `{"name":"chatbot","retention":0}`) // is free there

	changed := f.want(t, 200, "PUT", one, organizationKey, `{"name":"chatbots"}`)
	if changed["name"] != "chatbots" || changed["retentionDays"] != 30.0 || changed["metadata"] == nil {
		t.Errorf("PUT of the name changed more: %v", changed)
	}
	changed = f.want(t, 200, "PUT", one, organizationKey, `{"retention":0,"payloadRetention":0,"metadata":{}}`)
	if changed["retentionDays"] != nil || changed["name"] != "chatbots" {
		t.Errorf("PUT of the retention: %v", changed)
	}
	f.want(t, 409, "PUT", one, organizationKey, `{"name":"name of project-a"}`)
	f.want(t, 404, "PUT", one, organizationKeyB, `{"name":"stolen"}`)
	f.want(t, 404, "DELETE", one, organizationKeyB, "")

	list := f.want(t, 200, "GET", organizationsURL+"/projects", organizationKey, "")["projects"].([]any)
	if len(list) != 2 || list[1].(map[string]any)["name"] != "chatbots" {
		t.Errorf("projects: %v", list)
	}
	gone := f.want(t, 202, "DELETE", one, organizationKey, "")
	if gone["success"] != true || gone["jobId"] != "job-1" || !slices.Equal(f.eraser.erased, []string{fmt.Sprint(made["id"])}) {
		t.Errorf("DELETE: %v, erased %v", gone, f.eraser.erased)
	}
	if list := f.want(t, 200, "GET", organizationsURL+"/projects", organizationKey, "")["projects"].([]any); len(list) != 1 {
		t.Errorf("projects after the deletion: %v", list)
	}
	f.want(t, 404, "PUT", one, organizationKey, `{"name":"again"}`)
	f.want(t, 404, "GET", one+"/apiKeys", organizationKey, "")
	f.want(t, 202, "DELETE", one, organizationKey, "") // the erasing could have failed to start
}

func TestProjectCannotBeErasedHere(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *api.Config) { c.ProjectEraser = nil })
	f.want(t, 501, "DELETE", projectsURL+"/project-a", organizationKey, "")
	f.want(t, 200, "PUT", projectsURL+"/project-a", organizationKey, `{"name":"alive"}`)
	f = newFixture(t)
	f.eraser.err = fault.Unavailablef("no log")
	f.want(t, 503, "DELETE", projectsURL+"/project-a", organizationKey, "")
	f.want(t, 404, "PUT", projectsURL+"/project-a", organizationKey, `{"name":"alive"}`) // it was given up all the same
}

func TestRefusedTenancyBodies(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	keys := projectsURL + "/project-a/apiKeys"
	for target, bodies := range map[string][]string{
		"POST " + projectsURL: {
			``, `null`, `[]`, `{`, `{}`, `{"name":"ab","retention":0}`, `{"name":"   ","retention":0}`, `{"name":"` + strings.Repeat("x", 61) + `","retention":0}`,
			`{"name":"good"}`, `{"name":"good","retention":1}`, `{"name":"good","retention":-1}`, `{"name":"good","retention":2.5}`, `{"name":"good","retention":1e99}`,
			`{"name":"good","retention":99999}`, `{"name":"good","retention":0,"payloadRetention":2}`, `{"name":"good","retention":3,"payloadRetention":4}`,
			`{"name":"good","retention":0,"metadata":[]}`, `{"name":"good","retention":0,"metadata":"x"}`, `{"name":"go\u0000od","retention":0}`,
			`{"name":"good","retention":0,"metadata":{"a":"` + strings.Repeat("x", 9000) + `"}}`, "{\"name\":\"good\",\"retention\":0,\"metadata\":{\"a\":\"\xff\"}}",
		},
		"POST " + keys: {
			`[]`, `{`, `{"name":"a","note":"b"}`, `{"scope":"root"}`, `{"scope":""}`, `{"scope":1}`, `{"expiresAt":"yesterday"}`, `{"expiresAt":"2020-01-01T00:00:00Z"}`,
			`{"publicKey":"pk-lf-x"}`, `{"secretKey":"sk-lf-x"}`, `{"publicKey":"x","secretKey":"sk-lf-x"}`, `{"publicKey":"pk-lf-a:b","secretKey":"sk-lf-x"}`,
			`{"name":"a\u0000"}`, `{"name":"` + strings.Repeat("x", 2000) + `"}`,
		},
		"PUT " + organizationsURL + "/memberships":         {``, `null`, `{}`, `{"userId":"u"}`, `{"userId":"u","role":"owner"}`, `{"userId":"","role":"OWNER"}`, `{"userId":"\u0000","role":"OWNER"}`, `{"userId":1,"role":"OWNER"}`},
		"DELETE " + organizationsURL + "/memberships":      {``, `{}`, `{"userId":"\u0000"}`, `[]`},
		"PUT " + projectsURL + "/project-a/memberships":    {``, `{}`, `{"userId":"u","role":"NONE"}`},
		"DELETE " + projectsURL + "/project-a/memberships": {`{}`},
	} {
		method, path, _ := strings.Cut(target, " ")
		for _, body := range bodies {
			f.want(t, 400, method, path, organizationKey, body)
		}
	}
	for _, path := range []string{projectsURL + "/a%00b", projectsURL + "/%ff", projectsURL + "/" + strings.Repeat("x", 2000)} {
		f.want(t, 400, "PUT", path, organizationKey, `{"name":"good"}`)
		f.want(t, 400, "DELETE", path, organizationKey, "")
		f.want(t, 400, "GET", path+"/apiKeys", organizationKey, "")
		f.want(t, 400, "POST", path+"/apiKeys", organizationKey, "")
		f.want(t, 400, "GET", path+"/memberships", organizationKey, "")
		f.want(t, 400, "DELETE", path+"/memberships", organizationKey, `{"userId":"u"}`)
	}
	f.want(t, 413, "POST", projectsURL, organizationKey, `{"name":"`+strings.Repeat("x", 1<<20)+`"}`)
}

func TestKeysOfAProject(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	keys := projectsURL + "/project-a/apiKeys"
	plain := f.want(t, 201, "POST", keys, organizationKey, "")
	if !strings.HasPrefix(fmt.Sprint(plain["publicKey"]), "pk-lf-") || !strings.HasPrefix(fmt.Sprint(plain["secretKey"]), "sk-lf-") || plain["scope"] != "all" {
		t.Errorf("POST without a body: %v", plain)
	}
	own := f.want(t, 201, "POST", keys, organizationKey,
		`{"note":"ci","scope":"ingest","expiresAt":"2099-01-01T00:00:00Z","publicKey":"pk-lf-own","secretKey":"sk-lf-0123456789abcdef","name":null}`)
	want := map[string]any{
		"id": own["id"], "createdAt": own["createdAt"], "expiresAt": "2099-01-01T00:00:00.000Z", "lastUsedAt": nil, "name": "ci", "note": "ci",
		"scope": "ingest", "publicKey": "pk-lf-own", "secretKey": "sk-lf-0123456789abcdef", "displaySecretKey": "sk-lf-...cdef",
	}
	if diff := cmp.Diff(want, own); diff != "" {
		t.Errorf("POST (-want +got):\n%s", diff)
	}
	f.want(t, 409, "POST", keys, organizationKey, `{"publicKey":"pk-lf-own","secretKey":"sk-lf-other"}`)
	f.want(t, 409, "POST", projectsURL+"/project-b/apiKeys", organizationKeyB, `{"publicKey":"pk-lf-own","secretKey":"sk-lf-other"}`)
	f.want(t, 404, "POST", keys, organizationKeyB, "")
	f.want(t, 404, "POST", projectsURL+"/nothing/apiKeys", organizationKey, "")

	delete(want, "secretKey")
	list := f.want(t, 200, "GET", keys, organizationKey, "")["apiKeys"].([]any)
	if len(list) != 2 || cmp.Diff(want, list[1]) != "" {
		t.Errorf("GET: %v", list)
	}
	one := keys + "/" + fmt.Sprint(own["id"])
	f.want(t, 404, "DELETE", one, organizationKeyB, "")
	f.want(t, 404, "DELETE", projectsURL+"/project-b/apiKeys/"+fmt.Sprint(own["id"]), organizationKeyB, "")
	if got := f.want(t, 200, "DELETE", one, organizationKey, ""); got["success"] != true {
		t.Errorf("DELETE: %v", got)
	}
	f.want(t, 404, "DELETE", one, organizationKey, "")
	if list := f.want(t, 200, "GET", keys, organizationKey, "")["apiKeys"].([]any); len(list) != 1 {
		t.Errorf("GET after the deletion: %v", list)
	}
}

// user adds an account, and memberships of it.
func (f *fixture) user(t testing.TB, id string, organizations ...string) {
	t.Helper()
	err := f.tenants.CreateUser(t.Context(), model.User{ID: id, Email: id + "@example.com", Name: "Name of " + id})
	for _, organization := range organizations {
		m := model.Membership{User: model.User{ID: id}, Role: model.Viewer, Active: true}
		err = errors.Join(err, f.tenants.PutMember(t.Context(), organization, m))
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestMemberships(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.user(t, "own", "org-project-a")
	f.user(t, "foreign", "org-project-b")
	f.user(t, "free")
	all, some := organizationsURL+"/memberships", projectsURL+"/project-a/memberships"
	for body, status := range map[string]int{
		`{"userId":"own","role":"ADMIN"}`:     200,
		`{"userId":"free","role":"MEMBER"}`:   200,
		`{"userId":"foreign","role":"OWNER"}`: 404,
		`{"userId":"nobody","role":"OWNER"}`:  404,
	} {
		f.want(t, status, "PUT", all, organizationKey, body)
	}
	got := f.want(t, 200, "GET", all, organizationKey, "")
	member := func(id, role string) map[string]any {
		return map[string]any{"userId": id, "role": role, "email": id + "@example.com", "name": "Name of " + id}
	}
	if diff := cmp.Diff(map[string]any{"memberships": []any{member("free", "MEMBER"), member("own", "ADMIN")}}, got); diff != "" {
		t.Errorf("GET (-want +got):\n%s", diff)
	}
	if got := f.want(t, 200, "PUT", some, organizationKey, `{"userId":"own","role":"OWNER"}`); cmp.Diff(member("own", "OWNER"), got) != "" {
		t.Errorf("PUT: %v", got)
	}
	f.want(t, 404, "PUT", some, organizationKey, `{"userId":"foreign","role":"OWNER"}`)
	f.want(t, 404, "PUT", some, organizationKeyB, `{"userId":"foreign","role":"OWNER"}`)
	f.want(t, 404, "GET", some, organizationKeyB, "")
	f.want(t, 404, "DELETE", some, organizationKeyB, `{"userId":"own"}`)
	if got := f.want(t, 200, "GET", some, organizationKey, ""); cmp.Diff(map[string]any{"memberships": []any{member("own", "OWNER")}}, got) != "" {
		t.Errorf("GET of the project: %v", got)
	}
	f.want(t, 200, "DELETE", some, organizationKey, `{"userId":"own"}`)
	f.want(t, 404, "DELETE", some, organizationKey, `{"userId":"own"}`)
	f.want(t, 404, "DELETE", all, organizationKey, `{"userId":"foreign"}`)
	f.want(t, 200, "DELETE", all, organizationKey, `{"userId":"own"}`)
	f.want(t, 404, "DELETE", all, organizationKey, `{"userId":"own"}`)
	if is, err := f.tenants.IsMember(t.Context(), "org-project-b", "foreign"); !is || err != nil {
		t.Errorf("the member of another organization is gone: %v", err)
	}
}

func TestAdministration(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	made := f.want(t, 201, "POST", adminURL, asAdmin, `{"name":"Third","metadata":{"a":1}}`)
	one := adminURL + "/" + fmt.Sprint(made["id"])
	if made["name"] != "Third" || cmp.Diff(map[string]any{"a": 1.0}, made["metadata"]) != "" || len(made["projects"].([]any)) != 0 {
		t.Errorf("POST: %v", made)
	}
	if list := f.want(t, 200, "GET", adminURL, asAdmin, "")["organizations"].([]any); len(list) != 3 || len(list[0].(map[string]any)["projects"].([]any)) != 1 {
		t.Errorf("GET: %v", list)
	}
	if got := f.want(t, 200, "PUT", one, asAdmin, `{"name":"Fourth"}`); got["name"] != "Fourth" || cmp.Diff(made["metadata"], got["metadata"]) != "" {
		t.Errorf("PUT: %v", got)
	}
	if got := f.want(t, 200, "GET", one, asAdmin, ""); got["name"] != "Fourth" {
		t.Errorf("GET: %v", got)
	}
	key := f.want(t, 201, "POST", one+"/apiKeys", asAdmin, `{"name":"terraform"}`)
	if list := f.want(t, 200, "GET", one+"/apiKeys", asAdmin, "")["apiKeys"].([]any); len(list) != 1 {
		t.Errorf("keys: %v", list)
	}
	// The key really opens the organization.
	opened := newFixture(t, func(c *api.Config) { c.Auth = auth.New(f.tenants) })
	header := basic(fmt.Sprint(key["publicKey"]), fmt.Sprint(key["secretKey"]))
	if list := opened.want(t, 200, "GET", organizationsURL+"/apiKeys", header, "")["apiKeys"]; list == nil {
		t.Error("the key shows nothing")
	}
	f.want(t, 400, "POST", one+"/apiKeys", asAdmin, `{"scope":"ingest"}`)
	f.want(t, 400, "POST", one+"/apiKeys", asAdmin, " null\n")
	f.want(t, 404, "DELETE", adminURL+"/org-project-a/apiKeys/"+fmt.Sprint(key["id"]), asAdmin, "")
	f.want(t, 200, "DELETE", one+"/apiKeys/"+fmt.Sprint(key["id"]), asAdmin, "")
	f.want(t, 404, "DELETE", one+"/apiKeys/"+fmt.Sprint(key["id"]), asAdmin, "")
	f.want(t, 400, "DELETE", adminURL+"/org-project-a", asAdmin, "")
	f.want(t, 200, "DELETE", one, asAdmin, "")
	for _, method := range []string{"GET", "DELETE"} {
		f.want(t, 404, method, one, asAdmin, "")
	}
	f.want(t, 404, "PUT", one, asAdmin, `{"name":"Fourth"}`)
	f.want(t, 404, "GET", one+"/apiKeys", asAdmin, "")
	f.want(t, 404, "POST", one+"/apiKeys", asAdmin, "")
	for _, body := range []string{``, `null`, `{}`, `{"name":"x"}`, `{"name":1}`, `{"name":"good","metadata":[]}`, `{"name":"go\u0000od"}`} {
		if got := f.want(t, 400, "POST", adminURL, asAdmin, body); got["error"] == "" {
			t.Errorf("%s: %v", body, got)
		}
	}
	f.want(t, 400, "GET", adminURL+"/a%00b", asAdmin, "")
}

func TestAdminKey(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, header := range []string{"", "Bearer ", "Bearer wrong", asAdmin + "x", keyA, organizationKey, scoresOnly, basic("admin", adminKey)} {
		f.want(t, 401, "GET", adminURL, header, "")
	}
	without := newFixture(t, func(c *api.Config) { c.AdminKey = "" })
	for _, header := range []string{"", "Bearer ", asAdmin} {
		if got := without.want(t, 401, "GET", adminURL, header, ""); !strings.Contains(fmt.Sprint(got["error"]), "--admin-api-key") {
			t.Errorf("the operator is not told what to do: %v", got)
		}
	}
	// It opens nothing else.
	f.want(t, 401, "GET", projectsURL, asAdmin, "")
	f.want(t, 401, "GET", organizationsURL+"/projects", asAdmin, "")
}

func TestAdminActsAsAProject(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ask := func(status int, target string, headers ...string) answer {
		t.Helper()
		got := f.send(t, request("GET", target, "", nil, headers...))
		if got.status != status {
			t.Errorf("%s with %q: status %d, want %d: %s", target, headers, got.status, status, got.body)
		}
		return got
	}
	const authorization, admin, project = "Authorization", "x-langfuse-admin-api-key", "x-langfuse-project-id"
	f.call(t, "PUT", models+"/own", keyA, `{"modelName":"only-a","matchPattern":"^a$","inputPrice":1}`)
	if got := ask(200, models, authorization, asAdmin, admin, adminKey, project, "project-a"); !strings.Contains(got.body, "only-a") {
		t.Errorf("models of project A: %s", got.body)
	}
	if got := ask(200, models, authorization, asAdmin, admin, adminKey, project, "project-b"); strings.Contains(got.body, "only-a") {
		t.Errorf("models of project B: %s", got.body)
	}
	ask(401, models, authorization, asAdmin, admin, "wrong", project, "project-a")
	ask(401, models, authorization, "Bearer wrong", admin, adminKey, project, "project-a")
	ask(401, models, admin, adminKey, project, "project-a")
	ask(401, models, authorization, keyB, admin, adminKey, project, "project-a")
	ask(401, models, authorization, asAdmin, project, "project-a") // a public key like any other
	ask(400, models, authorization, asAdmin, admin, adminKey)
	ask(400, models, authorization, asAdmin, admin, adminKey, project, "a\x00b")
	ask(404, models, authorization, asAdmin, admin, adminKey, project, "nothing")
	ask(401, "/api/public/v2/observations", authorization, asAdmin, admin, adminKey, project, "project-a")
	if err := f.tenants.MarkProjectDeleted(t.Context(), "project-a"); err != nil {
		t.Fatal(err)
	}
	ask(404, models, authorization, asAdmin, admin, adminKey, project, "project-a")
}

func TestOwnProjectShowsItsSettings(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.want(t, 200, "PUT", projectsURL+"/project-a", organizationKey, `{"metadata":{"k":"v"},"retention":14}`)
	got := f.want(t, http.StatusOK, "GET", projectsURL, keyA, "")["data"].([]any)[0].(map[string]any)
	if got["retentionDays"] != 14.0 || cmp.Diff(map[string]any{"k": "v"}, got["metadata"]) != "" || got["payloadRetentionDays"] != nil {
		t.Errorf("GET: %v", got)
	}
	other := f.want(t, http.StatusOK, "GET", projectsURL, keyB, "")["data"].([]any)[0].(map[string]any)
	if other["retentionDays"] != nil || cmp.Diff(map[string]any{}, other["metadata"]) != "" {
		t.Errorf("GET of the other project: %v", other)
	}
}
