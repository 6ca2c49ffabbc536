package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/prompts"
)

const promptsRoute = "/api/public/v2/prompts"

func newPrompts(t testing.TB) *prompts.Service {
	t.Helper()
	s := prompts.New(metadataOf(t))
	t.Cleanup(s.Close)
	return s
}

// addPromptValues adds what B asks the routes of prompts with.
func (f *fixture) addPromptValues(t *testing.T, v *foreignValues) {
	t.Helper()
	const one, name = promptsRoute + "/{promptName}", "foreign-prompt"
	f.call(t, "POST", promptsRoute, keyA, `{"name":"`+name+`","prompt":"zqxsecret","labels":["production","foreign-label"],"tags":["foreign-tag"],"config":{"zqxsecret":777}}`)
	f.call(t, "POST", promptsRoute, keyA, `{"name":"zqxsecret","prompt":"@@@langfusePrompt:name=`+name+`|label=foreign-label@@@"}`)
	columns := func(conditions ...string) (filters []string) {
		for _, c := range conditions {
			filters = append(filters, "[{"+c+"}]")
		}
		return filters
	}
	maps.Copy(v.parameters, map[string][]string{
		"promptName": {name, "foreign-prompt/x"}, "label": {"production", "foreign-label", "latest"}, "tag": {"foreign-tag"}, "resolve": {"true", "false"},
		"fromUpdatedAt": {"2020-01-01T00:00:00Z"}, "toUpdatedAt": {"2100-01-01T00:00:00Z"},
		"GET " + promptsRoute + " name": {name}, "GET /api/public/prompts name": {name}, "PATCH " + one + "/versions/{version} version": {"1"},
		"GET " + one + " version": {"1"}, "DELETE " + one + " version": {"1"}, "GET /api/public/prompts version": {"1"}, "GET " + promptsRoute + " version": {"1"},
		"GET " + promptsRoute + " filter": columns(`"type":"string","column":"name","operator":"contains","value":"%"`, `"type":"stringObject","column":"config","key":"zqxsecret","operator":"is set"`,
			`"type":"arrayOptions","column":"labels","operator":"any of","value":["foreign-label"]`, `"type":"arrayOptions","column":"tags","operator":"none of","value":["x"]`,
			`"type":"number","column":"version","operator":">","value":0`, `"type":"datetime","column":"createdAt","operator":">","value":"2020-01-01"`),
	})
	v.always["GET /api/public/prompts"] = "name=" + name
	v.bodies["POST "+promptsRoute] = []string{`{"name":"mine","prompt":"mine"}`, `{"name":"mine","prompt":"@@@langfusePrompt:name=foreign-prompt|label=production@@@"}`}
	v.bodies["PATCH "+one+"/versions/{version}"] = []string{`{"newLabels":["mine"]}`}
	v.bodies["POST /api/public/prompts"] = []string{`{"name":"mine","prompt":"mine","isActive":true}`}
}

// prompt sends a request and returns the status and what was decoded of the answer.
func (f *fixture) prompt(t testing.TB, method, target, body string) (int, map[string]any) {
	t.Helper()
	a := f.send(t, request(method, target, keyA, strings.NewReader(body), "Content-Type", "application/json"))
	var decoded map[string]any
	if err := json.Unmarshal([]byte(a.body), &decoded); err != nil && a.body != "" {
		t.Fatalf("%s %s: %v in %s", method, target, err, a.body)
	}
	return a.status, decoded
}

// exactly is prompt with numbers as they were written.
func (f *fixture) exactly(t testing.TB, method, target, body string) (status int, decoded map[string]any) {
	t.Helper()
	a := f.send(t, request(method, target, keyA, strings.NewReader(body)))
	decoder := json.NewDecoder(strings.NewReader(a.body))
	decoder.UseNumber()
	if err := decoder.Decode(&decoded); err != nil {
		t.Fatalf("%s %s: %v in %s", method, target, err, a.body)
	}
	return a.status, decoded
}

func TestPromptLifecycle(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	status, made := f.prompt(t, "POST", promptsRoute, `{"name":"folder/a b","type":"chat","prompt":[{"role":"system","content":"<b>&{{x}}","type":"chatmessage"},{"type":"placeholder","name":"history"}],`+
		`"config":{"a": 1.50},"labels":["production"],"tags":["t"],"commitMessage":"why","isActive":true}`)
	delete(made, "id")
	delete(made, "createdAt")
	delete(made, "updatedAt")
	want := map[string]any{
		"projectId": "project-a", "createdBy": "API", "name": "folder/a b", "version": 1.0, "type": "chat",
		"prompt": []any{map[string]any{"role": "system", "content": "<b>&{{x}}"}, map[string]any{"type": "placeholder", "name": "history"}},
		"config": map[string]any{"a": 1.5}, "labels": []any{"production", "latest"}, "tags": []any{"t"}, "commitMessage": "why",
	}
	if diff := cmp.Diff(want, made); status != 201 || diff != "" {
		t.Errorf("status %d (-want +got):\n%s", status, diff)
	}
	status, _ = f.prompt(t, "POST", promptsRoute, `{"name":"folder/a b","type":"chat","prompt":[],"config":null,"labels":null,"tags":null,"commitMessage":null}`)
	if status != 201 {
		t.Errorf("nulls: status %d", status)
	}
	for target, version := range map[string]float64{
		"folder%2Fa%20b": 1, "folder/a%20b": 1, "folder%2Fa%20b?label=latest": 2, "folder/a%20b?version=2": 2, "folder%2Fa%20b?version=&label=": 1, "folder%2Fa+b": 0,
		"folder%2Fa%20b?label=other": 0, "folder%2Fa%20b?version=3": 0, "folder": 0,
	} {
		status, got := f.prompt(t, "GET", promptsRoute+"/"+target, "")
		if version == 0 {
			if status != 404 || got["error"] != "LangfuseNotFoundError" {
				t.Errorf("%s: status %d, %v", target, status, got)
			}
			continue
		}
		if status != 200 || got["version"] != version || got["isActive"] != (version == 1) || got["resolutionGraph"] != nil {
			t.Errorf("%s: status %d, %v", target, status, got)
		}
	}
	status, got := f.prompt(t, "PATCH", promptsRoute+"/folder/a%20b/versions/2", `{"newLabels":["production","x"],"name":"ignored"}`)
	if diff := cmp.Diff([]any{"latest", "production", "x"}, got["labels"]); status != 200 || diff != "" {
		t.Errorf("PATCH: status %d (-want +got):\n%s", status, diff)
	}
	if _, got := f.prompt(t, "GET", promptsRoute+"/folder%2Fa%20b", ""); got["version"] != 2.0 {
		t.Errorf("after PATCH: %v", got)
	}
	f.want(t, 204, "DELETE", promptsRoute+"/folder/a%20b?version=2", keyA, "")
	if _, got := f.prompt(t, "GET", promptsRoute+"/folder%2Fa%20b?label=latest", ""); got["version"] != 1.0 {
		t.Errorf("after DELETE: %v", got)
	}
	f.want(t, 204, "DELETE", promptsRoute+"/folder%2Fa%20b", keyA, "")
	f.want(t, 404, "DELETE", promptsRoute+"/folder%2Fa%20b", keyA, "")
}

func TestPromptComposition(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	_, child := f.prompt(t, "POST", promptsRoute, `{"name":"style","prompt":"kindly","labels":["production"]}`)
	_, parent := f.prompt(t, "POST", promptsRoute, `{"name":"p","prompt":"Answer @@@langfusePrompt:name=style|label=production@@@.","labels":["production"]}`)
	status, got := f.prompt(t, "GET", promptsRoute+"/p", "")
	node := func(p map[string]any) map[string]any {
		return map[string]any{"id": p["id"], "name": p["name"], "version": p["version"]}
	}
	graph := map[string]any{"root": node(parent), "dependencies": map[string]any{parent["id"].(string): []any{node(child)}}}
	if diff := cmp.Diff(graph, got["resolutionGraph"]); status != 200 || diff != "" || got["prompt"] != "Answer kindly." {
		t.Errorf("status %d, %v (-want +got):\n%s", status, got["prompt"], diff)
	}
	if _, got := f.prompt(t, "GET", promptsRoute+"/p?resolve=false", ""); got["prompt"] != "Answer @@@langfusePrompt:name=style|label=production@@@." || got["resolutionGraph"] != nil {
		t.Errorf("resolve=false: %v", got)
	}
	if status, got := f.prompt(t, "DELETE", promptsRoute+"/style", ""); status != 400 || got["error"] != "InvalidRequestError" {
		t.Errorf("DELETE of an included prompt: %d, %v", status, got)
	}
	if status, got := f.prompt(t, "POST", promptsRoute, `{"name":"style","prompt":"@@@langfusePrompt:name=p|version=1@@@"}`); status != 400 || got["error"] != "InvalidRequestError" {
		t.Errorf("POST of a cycle: %d, %v", status, got)
	}
	// The label moves to a version that closes the circle by another way than POST.
	f.prompt(t, "POST", promptsRoute, `{"name":"q","prompt":"@@@langfusePrompt:name=style|version=1@@@"}`)
	f.prompt(t, "POST", promptsRoute, `{"name":"r","prompt":"@@@langfusePrompt:name=q|label=latest@@@"}`)
	f.prompt(t, "POST", promptsRoute, `{"name":"q","prompt":"plain"}`)
	if status, got := f.prompt(t, "POST", promptsRoute, `{"name":"q","prompt":"@@@langfusePrompt:name=r|version=1@@@"}`); status != 400 {
		t.Errorf("POST of a cycle: %d, %v", status, got)
	}
	f.prompt(t, "POST", promptsRoute, `{"name":"s","prompt":"x","labels":["one"]}`)
	f.prompt(t, "POST", promptsRoute, `{"name":"t","prompt":"@@@langfusePrompt:name=s|label=one@@@"}`)
	f.prompt(t, "POST", promptsRoute, `{"name":"s","prompt":"@@@langfusePrompt:name=u|version=1@@@"}`) // refused: u is not there
	f.prompt(t, "POST", promptsRoute, `{"name":"u","prompt":"@@@langfusePrompt:name=t|version=1@@@"}`)
	f.prompt(t, "POST", promptsRoute, `{"name":"s","prompt":"y"}`)
	if status, _ := f.prompt(t, "GET", promptsRoute+"/u?version=1", ""); status != 200 {
		t.Errorf("GET: status %d", status)
	}
}

func TestPromptList(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for i := range 12 {
		f.prompt(t, "POST", promptsRoute, fmt.Sprintf(`{"name":"p%02d","prompt":"x","config":{"n":%d},"tags":["t%d"]}`, i, i, i%2))
	}
	f.prompt(t, "POST", promptsRoute, `{"name":"p03","prompt":"y","labels":["production"]}`)
	names := func(body map[string]any) (list []string) {
		for _, row := range body["data"].([]any) {
			list = append(list, row.(map[string]any)["name"].(string))
		}
		return list
	}
	status, page := f.prompt(t, "GET", promptsRoute, "")
	meta := map[string]any{"page": 1.0, "limit": 10.0, "totalItems": 12.0, "totalPages": 2.0}
	if diff := cmp.Diff([]any{meta, meta}, []any{page["meta"], page["pagination"]}); status != 200 || diff != "" || len(names(page)) != 10 {
		t.Errorf("status %d, %v (-want +got):\n%s", status, names(page), diff)
	}
	for query, want := range map[string]string{
		"page=2": "p10 p11", "page=3": "", "limit=100&tag=t1": "p01 p03 p05 p07 p09 p11", "name=p03": "p03", "label=production": "p03", "version=2": "p03", "version=9": "",
		"fromUpdatedAt=2100-01-01T00:00:00Z": "", "toUpdatedAt=2000-01-01T00:00:00Z": "", "page=99999999999": "", "name=": "p00 p01 p02 p03 p04 p05 p06 p07 p08 p09", "limit=&page=&name=p01": "p01",
		"name=p01&filter=": "p01", "name=p01&limit=2&filter=%5B%5D": "p00 p01",
		"filter=" + url.QueryEscape(`[{"type":"stringObject","column":"config","key":"n","operator":"=","value":"7"}]`):                                                      "p07",
		"filter=" + url.QueryEscape(`[{"type":"string","column":"name","operator":"ends with","value":"1_"},{"type":"number","column":"version","operator":"=","value":1}]`): "p10 p11",
	} {
		status, page := f.prompt(t, "GET", promptsRoute+"?"+query, "")
		if status != 200 {
			t.Errorf("%s: status %d, %v", query, status, page)
			continue
		}
		if got := strings.Join(names(page), " "); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	for _, query := range []string{
		"page=0", "limit=0", "limit=101", "limit=x", "version=0", "version=x", "version=1.5", "version=99999999999999999999", "fromUpdatedAt=2026", "toUpdatedAt=", "name=a&name=b", "filter=x", "filter=%5B1%5D", "name=%00", "label=%00", "tag=%00",
	} {
		if status, got := f.prompt(t, "GET", promptsRoute+"?"+query, ""); status != 400 {
			t.Errorf("%s: status %d, %v", query, status, got)
		}
	}
}

func TestRefusedPrompts(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.prompt(t, "POST", promptsRoute, `{"name":"p","prompt":"x","labels":["production"]}`)
	for _, c := range []struct{ method, target, body string }{
		{"POST", "", ``},
		{"POST", "", `[]`},
		{"POST", "", `null`},
		{"POST", "", `{}`},
		{"POST", "", `{"name":"q"}`},
		{"POST", "", `{"name":"q","prompt":null}`},
		{"POST", "", `{"name":"q","prompt":1}`},
		{"POST", "", `{"name":"q","prompt":{}}`},
		{"POST", "", `{"name":"q","prompt":[],"type":"text"}`},
		{"POST", "", `{"name":"q","prompt":"x","type":"chat"}`},
		{"POST", "", `{"name":"q","prompt":"x","type":"other"}`},
		{"POST", "", `{"name":"q","prompt":[1],"type":"chat"}`},
		{"POST", "", `{"name":"q","prompt":[{"role":"user"}],"type":"chat"}`},
		{"POST", "", `{"name":"q","prompt":[{"role":"user","content":[]}],"type":"chat"}`},
		{"POST", "", `{"name":"q","prompt":[{"type":"placeholder"}],"type":"chat"}`},
		{"POST", "", `{"name":"q","prompt":[{"type":"placeholder","name":"1"}],"type":"chat"}`},
		{"POST", "", `{"name":"q","prompt":[null],"type":"chat"}`},
		{"POST", "", `{"name":"","prompt":"x"}`},
		{"POST", "", `{"name":"a\u0000","prompt":"x"}`},
		{"POST", "", `{"name":"` + strings.Repeat("x", 1025) + `","prompt":"x"}`},
		{"POST", "", `{"name":"q","prompt":"x","labels":["Ä"]}`},
		{"POST", "", `{"name":"q","prompt":"x","labels":[null]}`},
		{"POST", "", `{"name":"q","prompt":"x","labels":"a"}`},
		{"POST", "", `{"name":"q","prompt":"x","tags":[""]}`},
		{"POST", "", "{\"name\":\"q\",\"prompt\":\"x\",\"config\":\"\xff\"}"},
		{"POST", "", `{"name":"p","prompt":[],"type":"chat"}`},
		{"POST", "", `{"name":"q","prompt":"x","commitMessage":"` + strings.Repeat("x", 501) + `"}`},
		{"GET", "/p?version=1&label=production", ""},
		{"GET", "/p?version=0", ""},
		{"GET", "/p?version=x", ""},
		{"GET", "/p?resolve=1", ""},
		{"GET", "/p?label=a&label=b", ""},
		{"GET", "/a%00", ""},
		{"GET", "/p?label=%00", ""},
		{"GET", "/%ff", ""},
		{"DELETE", "/p?version=0", ""},
		{"DELETE", "/p?label=%00", ""},
		{"DELETE", "/" + strings.Repeat("x", 1025), ""},
		{"PATCH", "/p/versions/1", `{}`},
		{"PATCH", "/p/versions/1", `{"newLabels":null}`},
		{"PATCH", "/p/versions/1", `{"newLabels":["latest"]}`},
		{"PATCH", "/p/versions/1", `{"newLabels":["A"]}`},
		{"PATCH", "/p/versions/0", `{"newLabels":[]}`},
		{"PATCH", "/p/versions/x", `{"newLabels":[]}`},
		{"PATCH", "/p/versions/1", `x`},
		{"PATCH", "/a%00/versions/1", `{"newLabels":[]}`},
	} {
		if status, got := f.prompt(t, c.method, promptsRoute+c.target, c.body); status != 400 {
			t.Errorf("%s %s %.80s: status %d, %v", c.method, c.target, c.body, status, got)
		}
	}
	for _, c := range []struct{ method, target, body string }{{"PATCH", "/p/versions/2", `{"newLabels":["x"]}`}, {"PATCH", "/q/versions/1", `{"newLabels":["x"]}`}, {"PATCH", "/p/versions/9223372036854775807", `{"newLabels":[]}`}, {"DELETE", "/p?version=7", ""}} {
		if status, got := f.prompt(t, c.method, promptsRoute+c.target, c.body); status != 404 {
			t.Errorf("%s %s: status %d, %v", c.method, c.target, status, got)
		}
	}
	if status, _ := f.prompt(t, "POST", promptsRoute, `{"name":"q","prompt":"`+strings.Repeat("x", 1<<20)+`"}`); status != http.StatusRequestEntityTooLarge {
		t.Errorf("a large body: status %d", status)
	}
	if status, _ := f.prompt(t, "PATCH", promptsRoute+"/p/versions/1", `{"newLabels":[]}`); status != 200 {
		t.Errorf("no new labels: status %d", status)
	}
}

// Errors of authentication have a name on these routes, but for PATCH.
func TestPromptCredentials(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for key, want := range map[string]struct {
		status int
		name   string
	}{"": {401, "UnauthorizedError"}, basic("pk-a", "wrong"): {401, "UnauthorizedError"}, scoresOnly: {403, "ForbiddenError"}, organizationKey: {403, "ForbiddenError"}} {
		for _, route := range []string{"GET " + promptsRoute, "POST " + promptsRoute, "GET " + promptsRoute + "/p", "DELETE " + promptsRoute + "/p", "GET /api/public/prompts", "PATCH " + promptsRoute + "/p/versions/1"} {
			method, target, _ := strings.Cut(route, " ")
			a := f.send(t, request(method, target, key, strings.NewReader("")))
			named := strings.Contains(a.body, `"error":"`+want.name+`"`)
			if a.status != want.status || named != (method != "PATCH") {
				t.Errorf("%s with %q: %d %s", route, key, a.status, a.body)
			}
		}
	}
}

func TestOldPrompts(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const route = "/api/public/prompts"
	status, made := f.prompt(t, "POST", route, `{"name":"a b/c","prompt":"Hi {{x}}","isActive":true,"config":{"a":1}}`)
	if status != 201 || made["version"] != 1.0 || made["isActive"] != true || made["prompt"] != "Hi {{x}}" {
		t.Errorf("POST: %d, %v", status, made)
	}
	if status, made = f.prompt(t, "POST", route, `{"name":"a b/c","prompt":"2","isActive":false}`); status != 201 || made["version"] != 2.0 {
		t.Errorf("POST: %d, %v", status, made)
	}
	for query, version := range map[string]float64{"?name=a+b/c": 1, "?name=a%20b/c&version=2": 2, "?name=a%20b/c&version=": 1} {
		if status, got := f.prompt(t, "GET", route+query, ""); status != 200 || got["version"] != version {
			t.Errorf("GET %s: %d, %v", query, status, got)
		}
	}
	if status, _ := f.prompt(t, "GET", route+"?name=none", ""); status != 404 {
		t.Errorf("GET of nothing: %d", status)
	}
	for _, query := range []string{"", "?name=", "?name=a&version=x"} {
		if status, _ := f.prompt(t, "GET", route+query, ""); status != 400 {
			t.Errorf("GET %s: %d", query, status)
		}
	}
	for _, body := range []string{``, `{}`, `{"name":"a","prompt":[],"isActive":true}`, `{"name":"a","prompt":"x"}`, `{"name":"","prompt":"x","isActive":true}`, `{"name":"a","isActive":true}`} {
		if status, _ := f.prompt(t, "POST", route, body); status != 400 {
			t.Errorf("POST %s: %d", body, status)
		}
	}
}

// TestPromptLink: rows that name a version of a prompt show its id, in their own project.
func TestPromptLink(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	_, made := f.prompt(t, "POST", promptsRoute, `{"name":"folder/p","prompt":"x"}`)
	for i, name := range []string{"folder/p", "folder/p", "none", ""} {
		for _, project := range []string{"project-a", "project-b"} {
			f.insert(t, row(project, "t", fmt.Sprint("s", i), i, func(o *model.Observation) { o.PromptName, o.PromptVersion = name, uint32(i) }))
		}
	}
	f.insert(t, row("project-a", "t", "own", 9, func(o *model.Observation) { o.PromptID, o.PromptName, o.PromptVersion = "own", "folder/p", 1 }))
	for key, want := range map[string]map[string]any{
		keyA: {"s0": nil, "s1": made["id"], "s2": nil, "s3": nil, "own": "own"}, keyB: {"s0": nil, "s1": nil, "s2": nil, "s3": nil},
	} {
		got := map[string]any{}
		for _, row := range decodePage(t, f.send(t, request("GET", observations+"?fields=core,prompt", key, nil))).Data {
			got[row["id"].(string)] = row["promptId"]
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("prompt ids (-want +got):\n%s", diff)
		}
	}
}

// FuzzPromptBody: whatever is sent, the answer is a version that can be read, or a 400.
func FuzzPromptBody(f *testing.F) {
	for _, seed := range []string{
		`{"name":"p","prompt":"x"}`, `{"name":"a/b","prompt":[{"role":"user","content":"{{x}}"}],"type":"chat"}`, `{"name":"p","prompt":"x","config":1e400}`, `{"name":"p","prompt":"\ud800"}`,
		`{"name":"p","prompt":"@@@langfusePrompt:name=p|version=1@@@"}`, `{"name":"p","prompt":"x","config":{"\u0000":"\u0000"}}`, `{`, `{"name":"%2e%2e","prompt":""}`, `{"NAME":"p","prompt":"x","labels":["latest"]}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		fx := newFixture(t)
		status, made := fx.exactly(t, "POST", promptsRoute, body)
		if status == 400 {
			return
		}
		if status != 201 {
			t.Fatalf("status %d for %q", status, body)
		}
		name := made["name"].(string)
		status, got := fx.exactly(t, "GET", promptsRoute+"/"+strings.ReplaceAll(url.PathEscape(name), ".", "%2E")+"?label=latest", "")
		delete(got, "isActive")
		delete(got, "resolutionGraph")
		if diff := cmp.Diff(made, got); status != 200 || diff != "" {
			t.Errorf("%q: status %d (-made +got):\n%s", body, status, diff)
		}
	})
}

// FuzzPromptPath: whatever name is asked for, the answer is a version, 404 or 400.
func FuzzPromptPath(f *testing.F) {
	for _, seed := range []string{"p", "a/b", "a%2Fb", "p/versions/1", "..", "%00", "%zz", "a//b", "p?label=x&version=1", "/", "%F0%9F", "a/versions/b/versions/1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, target string) {
		address, err := url.Parse("http://host" + promptsRoute + "/" + target)
		if err != nil || !strings.HasPrefix(address.Path, promptsRoute+"/") {
			return
		}
		fx := newFixture(t)
		r := request("GET", promptsRoute, keyA, nil)
		r.URL = address
		if status := fx.sendBare(r); status != 200 && status != 400 && status != 404 && status != 405 {
			t.Errorf("%q: status %d", target, status)
		}
	})
}

// sendBare answers a request whose path the description may not know.
func (f *fixture) sendBare(r *http.Request) int {
	recorder := httptest.NewRecorder()
	f.bare.ServeHTTP(recorder, r)
	return recorder.Code
}
