package api_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/sondehq/sonde/internal/api"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

const auditURL = organizationsURL + "/audit-events"

// notAudited are routes that change data of a project, or nothing, and not who may do what or how.
var notAudited = []string{
	"POST /api/public/otel/v1/traces", "POST /api/public/otel/v1/logs", "POST /api/public/otel/v1/metrics", "POST /api/public/ingestion",
	"POST /api/public/media", "PATCH /api/public/media/{mediaId}", "PUT /api/public/media/{mediaId}/content",
	"POST /api/public/scores", "DELETE /api/public/scores/{scoreId}", "POST /api/public/score-configs", "PATCH /api/public/score-configs/{configId}",
	"POST /api/public/comments", "POST /api/public/feedback", "POST /api/public/dead-letters/{id}/redrive", "PUT /api/public/prompt-tags",
	"POST /api/public/mcp", "POST /api/public/sql", "POST /api/public/compare", "DELETE /api/public/queries/{requestId}", "PUT /api/ui/account",
	"POST /api/public/traces", "POST /api/public/spans", "PATCH /api/public/spans", "POST /api/public/generations", "PATCH /api/public/generations", "POST /api/public/events",
}

// notAuditedBelow are subjects of which the same is true as a whole.
var notAuditedBelow = []string{
	"/api/public/annotation-queues", "/api/public/dataset", "/api/public/v2/datasets", "/api/public/saved-views", "/api/public/dashboards",
	"/api/public/alerts", "/api/public/playground", "/api/public/v2/evaluator-trials", "/api/public/alert-targets/{targetId}/test",
}

// Every route that changes something is remembered, or it is known why not.
func TestEveryChangeIsAudited(t *testing.T) {
	t.Parallel()
	known := api.AuditedRoutes()
	var seen []string
	for _, route := range api.Routes() {
		name := route.Method + " " + route.Path
		_, audited := known[name]
		listed := slices.Contains(notAudited, name) || slices.ContainsFunc(notAuditedBelow, func(p string) bool { return strings.HasPrefix(route.Path, p) })
		seen = append(seen, name)
		if route.Method != http.MethodGet && audited == listed {
			t.Errorf("%s: audited %v, listed as not audited %v", name, audited, listed)
		}
	}
	for name := range known {
		if !slices.Contains(seen, name) {
			t.Errorf("%s is audited, but is no route", name)
		}
	}
}

type auditPage struct {
	Data []struct {
		Action, RequestID, Address string
		Actor                      struct{ Kind, ID, Name string }
		ProjectID, Detail          string
		Object                     struct{ ID, Name string }
	}
	Meta struct{ Cursor string }
}

func (f *fixture) audit(t *testing.T, r *http.Request) (page auditPage) {
	t.Helper()
	got := f.send(t, r)
	if err := json.Unmarshal([]byte(got.body), &page); err != nil || got.status != http.StatusOK {
		t.Fatalf("status %d, %v: %s", got.status, err, got.body)
	}
	return page
}

func TestAuditLogTellsWhoDidWhat(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	addPerson(t, f.tenants, "owner", "project-a", model.Owner)
	addPerson(t, f.tenants, "admin", "project-a", model.Admin)
	f.expects(t, 401, browser{}.asks("POST", sessionURL, signInBody("owner", "wrong horse")))
	owner := f.signIn(t, "owner", "project-a")
	keys := projectsURL + "/project-a/apiKeys"
	made := f.expects(t, 201, owner.asks("POST", keys, `{"name":"app","scope":"ingest"}`, "X-Request-Id", "my-request"))
	rotated := f.expects(t, 200, owner.asks("POST", keys+"/"+made["id"].(string)+"/rotate", ""))
	f.expects(t, 400, owner.asks("POST", keys, `{"scope":"root"}`)) // nothing was done
	f.want(t, 200, "PUT", organizationsURL+"/memberships", organizationKey, `{"userId":"admin","role":"VIEWER"}`)
	f.want(t, 200, "PUT", projectsURL+"/project-a", organizationKey, `{"retention":30}`)
	f.expects(t, 200, owner.asks("DELETE", keys+"/"+made["id"].(string), ""))
	f.expects(t, 204, owner.asks("DELETE", sessionURL, ""))

	page := f.audit(t, request("GET", auditURL+"?limit=100", organizationKey, nil))
	var actions []string
	for _, e := range page.Data {
		actions = append([]string{e.Action}, actions...)
		if e.RequestID == "" || e.Address != "192.0.2.1" {
			t.Errorf("event %+v", e)
		}
	}
	if got, want := strings.Join(actions, " "), "session.refuse session.start key.create key.rotate member.put project.update key.delete session.end"; got != want {
		t.Errorf("the log has\n%s, want\n%s", got, want)
	}
	created := page.Data[5]
	if created.RequestID != "my-request" || created.Actor.Kind != "user" || created.Actor.Name != "owner@example.com" || created.ProjectID != "project-a" ||
		created.Object.ID != made["id"] || created.Object.Name != "app" || !strings.Contains(created.Detail, "scope ingest") {
		t.Errorf("key.create: %+v", created)
	}
	if refused := page.Data[7]; refused.Actor.Kind != "anonymous" || refused.Object.Name != "owner@example.com" {
		t.Errorf("session.refuse: %+v", refused)
	}
	if changed := page.Data[2]; changed.Actor.Kind != "api_key" || !strings.Contains(changed.Detail, "30 days") {
		t.Errorf("project.update: %+v", changed)
	}
	whole := f.send(t, request("GET", auditURL, organizationKey, nil)).body
	for _, secret := range []string{made["secretKey"].(string), rotated["secretKey"].(string), owner.token, "horse"} {
		if strings.Contains(whole, secret) {
			t.Errorf("the log tells a secret: %s", whole)
		}
	}
}

func TestAuditLogIsForOwners(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for id, role := range map[string]model.Role{"owner": model.Owner, "admin": model.Admin} {
		addPerson(t, f.tenants, id, "project-a", role)
	}
	addPerson(t, f.tenants, "stranger", "project-b", model.Owner)
	f.expects(t, 403, f.signIn(t, "admin", "project-a").asks("GET", auditURL, ""))
	if page := f.audit(t, f.signIn(t, "owner", "project-a").asks("GET", auditURL+"?action=session.&limit=1", "")); len(page.Data) != 1 || page.Meta.Cursor == "" {
		t.Errorf("the owner sees %+v", page)
	}
	if page := f.audit(t, f.signIn(t, "stranger", "project-b").asks("GET", auditURL, "")); len(page.Data) != 1 || page.Data[0].Actor.Name != "stranger@example.com" {
		t.Errorf("the owner of another organization sees %+v", page)
	}
	f.want(t, 400, "GET", auditURL+"?cursor=x", organizationKey, "")
	f.want(t, 400, "GET", auditURL+"?limit=101", organizationKey, "")
	f.want(t, 400, "GET", auditURL+"?actor=%00", organizationKey, "")
}

// Whether there is an account makes no difference to what is done, and what a stranger typed is kept nowhere.
func TestRefusedSignInsOfNobodyKeepNothingTyped(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.expects(t, 401, browser{}.asks("POST", sessionURL, `{"email":"my-password@example.com","password":"wrong horse"}`))
	events, err := f.tenants.AuditEvents(t.Context(), metastore.AuditQuery{All: true, Limit: 10})
	if err != nil || len(events) != 1 || events[0].OrganizationID != "" || events[0].ObjectName != "" || events[0].ObjectID != "" {
		t.Errorf("events %+v, %v", events, err)
	}
}
