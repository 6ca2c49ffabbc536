package api_test

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/api"
	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

var pathVariable = regexp.MustCompile(`\{\w+\}`)

// caller is somebody who asks every route.
type caller struct {
	header string
	access auth.Access // zero: nobody that we know
	scope  model.Scope
}

// callersOf gives project A and its organization keys of every kind.
func callersOf(t *testing.T, store metastore.Store) map[string]caller {
	t.Helper()
	add := func(public string, key model.Key) string {
		key.ID, key.PublicKey, key.CreatedAt = public, public, time.Now()
		key.Salt, key.SecretHash = auth.Hash("secret")
		if err := store.CreateKey(t.Context(), key); err != nil {
			t.Fatal(err)
		}
		return basic(public, "secret")
	}
	project, organization := projectNamed("project-a"), model.Project{Organization: projectNamed("project-a").Organization}
	callers := map[string]caller{
		"nobody":  {},
		"admin":   {header: asAdmin, access: auth.Instance},
		"foreign": {add("pk-foreign", model.Key{Project: projectNamed("project-b"), Scope: model.ScopeAll}), auth.Project, model.ScopeAll},
		"expired": {header: add("pk-expired", model.Key{Project: project, Scope: model.ScopeAll, ExpiresAt: time.Now().Add(-time.Second)})},
		"revoked": {header: add("pk-revoked", model.Key{Project: project, Scope: model.ScopeAll, RevokedAt: time.Now()})},

		"organization":                {add("pk-organization", model.Key{Project: organization, Scope: model.ScopeAll}), auth.Organization, model.ScopeAll},
		"organization that reads":     {add("pk-organization-read", model.Key{Project: organization, Scope: model.ScopeRead}), auth.Organization, model.ScopeRead},
		"public half of organization": {header: "Bearer pk-organization"},
	}
	for _, scope := range []model.Scope{model.ScopeAll, model.ScopeIngest, model.ScopeRead, model.ScopeScores} {
		header := add("pk-"+string(scope), model.Key{Project: project, Scope: scope})
		callers[string(scope)] = caller{header, auth.Project, scope}
		callers["public half of "+string(scope)] = caller{"Bearer pk-" + string(scope), auth.ScoresOnly, scope}
	}
	callers["wrong secret"] = caller{header: basic("pk-all", "Secret")}
	return callers
}

// covers says which needs a scope covers. It is written down again on purpose.
var covers = map[model.Scope][]model.Scope{
	model.ScopeAll:    {"", model.ScopeAll, model.ScopeIngest, model.ScopeRead, model.ScopeScores},
	model.ScopeIngest: {"", model.ScopeIngest, model.ScopeScores},
	model.ScopeRead:   {"", model.ScopeRead},
	model.ScopeScores: {"", model.ScopeScores},
}

// expected is the status with which a caller is refused, 0 when it is let in.
func (c caller) expected(route api.Route) int {
	if route.Access == auth.Person {
		return http.StatusUnauthorized // no key signs in
	}
	if route.Access == auth.Instance {
		if c.access == auth.Instance {
			return 0
		}
		return http.StatusUnauthorized
	}
	switch c.access {
	case auth.Project, auth.Organization:
		switch {
		case c.access != route.Access && route.Unknown:
			return http.StatusUnauthorized
		case c.access != route.Access || !slices.Contains(covers[c.scope], route.Scope):
			return http.StatusForbidden
		}
		return 0
	case auth.ScoresOnly:
		if route.Access == auth.Project && route.Scope == model.ScopeScores && slices.Contains(covers[c.scope], model.ScopeScores) {
			return 0
		}
		return http.StatusForbidden
	default:
		return http.StatusUnauthorized
	}
}

// TestEveryRouteAndEveryKey asks every route with every kind of key. What to expect comes from what the
// route declares, so a new route is in here without being told.
func TestEveryRouteAndEveryKey(t *testing.T) {
	t.Parallel()
	store := tenantsOf(t)
	f := newFixture(t, func(c *api.Config) { c.Auth = auth.New(store) })
	callers := callersOf(t, store)
	refused, admitted := map[string]int{}, map[string]int{}
	for _, route := range api.Routes() {
		if route.Open {
			continue
		}
		target := pathVariable.ReplaceAllString(route.Path, "nothing")
		for name, c := range callers {
			got := f.send(t, request(route.Method, target, c.header, strings.NewReader("{}"), "Content-Type", "application/json")).status
			was := 0
			if got == http.StatusUnauthorized || got == http.StatusForbidden {
				was = got
				refused[name]++
			} else {
				admitted[name]++
			}
			if want := c.expected(route); was != want {
				t.Errorf("%s %s as %s: status %d, want %d (0: let in)", route.Method, route.Path, name, got, want)
			}
		}
	}
	// Neither all nor nothing is let in, else the test would prove little.
	for name, c := range callers {
		if known := c.access != 0; refused[name] == 0 || known != (admitted[name] > 0) && name != "public half of read" {
			t.Errorf("%s is refused %d times and let in %d times", name, refused[name], admitted[name])
		}
	}
	for _, in := range f.ingest.got {
		if in.ProjectID != "project-a" && in.ProjectID != "project-b" {
			t.Errorf("spans went to %q", in.ProjectID)
		}
	}
}

// TestWhatRoutesNeed pins what differs from the rule: read to GET, everything for the rest.
func TestWhatRoutesNeed(t *testing.T) {
	t.Parallel()
	want := map[string]model.Scope{
		"GET /api/public/projects":          "",
		"POST /api/public/mcp":              "", // every call of a tool is asked again
		"POST /api/public/otel/v1/traces":   model.ScopeIngest,
		"POST /api/public/otel/v1/logs":     model.ScopeIngest,
		"POST /api/public/otel/v1/metrics":  model.ScopeIngest,
		"POST /api/public/media":            model.ScopeIngest,
		"PATCH /api/public/media/{mediaId}": model.ScopeIngest,
		"POST /api/public/ingestion":        model.ScopeScores,
		"POST /api/public/scores":           model.ScopeScores,
		"POST /api/public/sql":              model.ScopeRead,
		// They change nothing.
		"POST /api/public/compare":               model.ScopeRead,
		"DELETE /api/public/queries/{requestId}": model.ScopeRead,
	}
	got := map[string]model.Scope{}
	for _, route := range api.Routes() {
		rule := model.ScopeAll
		if route.Method == http.MethodGet {
			rule = model.ScopeRead
		}
		if !route.Open && route.Access != auth.Person && route.Scope != rule {
			got[route.Method+" "+route.Path] = route.Scope
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("routes that differ (-want +got):\n%s", diff)
	}
}

// TestDescriptionNamesTheKeys compares what the description says about credentials with what routes take.
func TestDescriptionNamesTheKeys(t *testing.T) {
	t.Parallel()
	document := loadDescription().Document
	for _, route := range api.Routes() {
		operation := document.Paths.Find(route.Path).GetOperation(route.Method)
		security := document.Security
		if operation.Security != nil {
			security = *operation.Security
		}
		schemes := map[string]bool{}
		for _, one := range security {
			for name := range one {
				schemes[name] = true
			}
		}
		want := map[string]bool{}
		switch {
		case route.Open: // a key that comes all the same changes nothing
			schemes = map[string]bool{}
			if len(security) > 0 && len(security[0]) > 0 {
				t.Errorf("%s %s is open and is described with %v", route.Method, route.Path, security)
			}
		case route.Access == auth.Person:
			want["sessionCookie"] = true
		case route.Access == auth.Organization:
			want["organizationKey"] = true
		case route.Access == auth.Instance:
			want["adminKey"] = true
		default:
			want["key"] = true
			if route.Scope == model.ScopeScores {
				want["publicKey"] = true
			}
			if route.Admin {
				want["adminKey"] = true
			}
		}
		if route.Role != "" {
			want["sessionCookie"] = true
		}
		if !maps.Equal(want, schemes) {
			t.Errorf("%s %s takes %v and is described with %v", route.Method, route.Path, want, schemes)
		}
	}
}

func TestKeyWithAScopeSendsOnlyScoresThroughIngestion(t *testing.T) {
	t.Parallel()
	store := tenantsOf(t)
	f := newFixture(t, func(c *api.Config) { c.Auth = auth.New(store) })
	callers := callersOf(t, store)
	const body = `{"batch":[{"id":"e","type":"span-create","timestamp":"2026-05-01T10:00:00Z","body":{"id":"s","traceId":"t","name":"n"}}]}`
	for name, accepted := range map[string]bool{"all": true, "ingest": true, "scores": false, "public half of all": false} {
		got := f.want(t, 207, "POST", ingestion, callers[name].header, body)
		if n := len(got["successes"].([]any)); (n == 1) != accepted {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestScopeIsNamedInTheRefusal(t *testing.T) {
	t.Parallel()
	store := tenantsOf(t)
	f := newFixture(t, func(c *api.Config) { c.Auth = auth.New(store) })
	got := f.want(t, 403, "GET", observations, callersOf(t, store)["ingest"].header, "")
	if want := "Access denied - insufficient permissions for this endpoint; the scope of the key is ingest, this needs read"; got["message"] != want {
		t.Errorf("message %q, want %q", got["message"], want)
	}
}
