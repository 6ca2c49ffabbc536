package api_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/api"
	"github.com/sondehq/sonde/internal/auth"
)

// What only the foreign project has. A foreign id may come back to whoever sent it, the rest never.
var (
	foreignSecret = regexp.MustCompile(`zqxsecret\w*|project-a\b|:777\b`)
	foreignID     = regexp.MustCompile(`foreign-\w+`)
)

// asked is one request that B could send.
type asked struct {
	route, method, target, body string
	stranger, owner             string // their keys
}

// askings lists the requests of one described operation: bare, and with every value of every
// parameter. It fails for a parameter or a body without values.
func (v foreignValues) askings(t *testing.T, method, path string, item *openapi3.PathItem, operation *openapi3.Operation) []asked {
	t.Helper()
	route := method + " " + path
	targets, queries, always := []string{path}, []string{""}, v.always[route]
	for _, ref := range slices.Concat(item.Parameters, operation.Parameters) {
		name, in := ref.Value.Name, ref.Value.In
		if in == "header" || strings.Contains("&"+always, "&"+name+"=") {
			continue
		}
		values := v.of(route, name)
		if len(values) == 0 {
			t.Errorf("%s: parameter %s has no foreign values; add some to plantForeign", route, name)
		}
		if in == "path" {
			targets = filled(targets, name, values)
			continue
		}
		for _, value := range values {
			queries = append(queries, name+"="+url.QueryEscape(value))
		}
	}
	bodies := []string{""}
	if operation.RequestBody != nil {
		if bodies = v.bodies[route]; len(bodies) == 0 {
			t.Errorf("%s: no foreign bodies; add some to plantForeign", route)
		}
	}
	var list []asked
	for _, target := range targets {
		for _, query := range queries {
			for _, body := range bodies {
				list = append(list, asked{route: route, method: method, target: target + "?" + always + "&" + query, body: body})
			}
		}
	}
	return list
}

// filled puts every value in the place of a variable of the path.
func filled(targets []string, name string, values []string) []string {
	var list []string
	for _, target := range targets {
		for _, value := range values {
			list = append(list, strings.ReplaceAll(target, "{"+name+"}", url.PathEscape(value)))
		}
	}
	return list
}

func (f *fixture) ask(t *testing.T, a asked, key string) answer {
	t.Helper()
	if person, ok := strings.CutPrefix(key, signedInAs); ok { // anew each time: they may just have signed out
		return f.send(t, f.signIn(t, person, map[string]string{"stranger": "project-b", "owner": foreignProject}[person]).asks(a.method, a.target, a.body))
	}
	return f.send(t, request(a.method, a.target, key, strings.NewReader(a.body), "Content-Type", "application/json",
		"x-langfuse-project-id", "project-a", "x-langfuse-public-key", "pk-a"))
}

// leaks are the parts of an answer that B should not have.
func (a asked) leaks(got string) []string {
	sent, err := url.QueryUnescape(a.target)
	if err != nil {
		sent = a.target
	}
	found := foreignSecret.FindAllString(got, -1)
	for _, id := range foreignID.FindAllString(got, -1) {
		if !strings.Contains(sent+a.body, id) {
			found = append(found, id)
		}
	}
	return found
}

// askedByPeople is how much of each route people ask, too: below the question who they are it is the same.
const askedByPeople = 20

// signedInAs begins the key of somebody who has none, but has signed in.
const signedInAs = "signed in as "

// keysFor are who asks for what another has, and who has it. To the operator nothing is foreign; so
// another organization asks.
func keysFor(access auth.Access) (stranger, owner string) {
	switch access {
	case auth.Organization:
		return organizationKeyB, organizationKey
	case auth.Instance:
		return organizationKeyB, asAdmin
	case auth.Person:
		return signedInAs + "stranger", signedInAs + "owner"
	default:
		return keyB, keyA
	}
}

// TestNoRouteShowsForeignData asks every route that knows projects, with every parameter that is described
// and every column and operator of the filter, for what belongs to another project. A new route fails here
// until it is asked with something foreign, and until its owner can see what was planted. What B sends
// changes nothing that A sees.
func TestNoRouteShowsForeignData(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	values := plantForeign(t, f)
	for i := range 3 {
		f.insert(t, row("project-b", "shared", fmt.Sprintf("s%d", i), i))
	}
	var all []asked
	for _, route := range api.Routes() {
		item := loadDescription().Document.Paths.Find(route.Path)
		operation := item.GetOperation(route.Method)
		if security := operation.Security; security != nil && len(*security) == 0 {
			continue
		}
		for i, a := range values.askings(t, route.Method, route.Path, item, operation) {
			a.stranger, a.owner = keysFor(route.Access)
			all = append(all, a)
			if route.Role != "" && i < askedByPeople {
				a.stranger = signedInAs + "stranger"
				all = append(all, a)
			}
		}
	}
	before := f.ownersSee(t, all)
	for _, a := range all {
		got := f.ask(t, a, a.stranger)
		if leaks := a.leaks(got.body); len(leaks) > 0 {
			t.Errorf("%s %s %s shows %q of another project: %s", a.method, a.target, a.body, leaks, got.body)
		}
		if got.status >= http.StatusInternalServerError {
			t.Errorf("%s %s: status %d", a.method, a.target, got.status)
		}
	}
	for _, in := range f.ingest.got {
		if in.ProjectID != "project-b" {
			t.Errorf("spans of B went to %s", in.ProjectID)
		}
	}
	for _, in := range f.ingest.events {
		if in.ProjectID != "project-b" {
			t.Errorf("events of B went to %s", in.ProjectID)
		}
	}
	if slices.Contains(f.eraser.erased, foreignProject) {
		t.Error("B had a project of A erased")
	}
	after := f.ownersSee(t, all)
	delete(before, "GET "+adminURL) // the operator sees what B made for itself
	delete(after, "GET "+adminURL)
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("what B sent changed what others see (-before +after):\n%s", diff)
	}
}

// Answers that show nothing of anybody, one that needs a ticket, three that are numbers alone, see
// TestListsOfOneProject (the estimate asks for a rule of the project first), and two that are times alone, see
// TestDatasetHistoryOfOneProject.
var showNothing = []string{
	"GET " + mediaRoute + "/{mediaId}/content", "GET /api/public/histogram", "GET /api/public/filter-counts",
	"GET " + summariesRoute + "/{datasetId}/versions", "GET " + itemsRoute + "/{datasetItemId}/versions",
	"GET " + rulesPath + "/{evaluationRuleId}/estimate",
	"GET /api/public/scim/ServiceProviderConfig", "GET /api/public/scim/ResourceTypes", "GET /api/public/scim/Schemas",
}

// expiring is what is different in every answer.
var expiring = regexp.MustCompile(`"url(Expiry)?":"[^"]*"|(?m)^id: .*$|^data: {"at":"[^"]*"`)

// ownersSee makes sure that there was something to see, and returns it by route.
func (f *fixture) ownersSee(t *testing.T, all []asked) map[string]string {
	t.Helper()
	seen := map[string]string{}
	for _, a := range all {
		if a.method != http.MethodGet || seen[a.route] != "" || slices.Contains(showNothing, a.route) {
			continue
		}
		seen[a.route] = ""
		if got := f.ask(t, a, a.owner); got.status == http.StatusOK && len(a.leaks(got.body)) > 0 {
			seen[a.route] = expiring.ReplaceAllString(got.body, "")
		}
	}
	for route, body := range seen {
		if body == "" {
			t.Errorf("%s shows its owner nothing that was planted; plant something in plantForeign", route)
		}
	}
	return seen
}
