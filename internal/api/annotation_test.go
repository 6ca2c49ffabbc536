package api_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/annotation"
	"github.com/sondehq/sonde/internal/api"
	"github.com/sondehq/sonde/internal/connections"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/scoring"
	"github.com/sondehq/sonde/internal/seal"
)

const (
	comments = "/api/public/comments"
	queues   = "/api/public/annotation-queues"
)

// people know one user of every organization and one prompt of project A.
type people struct{}

func (people) IsMember(_ context.Context, organizationID, userID string) (bool, error) {
	return userID == "user of "+organizationID, nil
}

func (people) PromptExists(_ context.Context, projectID, id string) (bool, error) {
	return projectID == "project-a" && id == "prompt-1", nil
}

// annotate gives the API what keeps annotations, connections and score configs, in one store.
func annotate(t testing.TB, f *fixture, cfg *api.Config) {
	t.Helper()
	f.metadata = metadataOf(t)
	box, err := seal.NewBox(seal.NewKey())
	if err != nil {
		t.Fatal(err)
	}
	cfg.Scoring = scoring.New(f.metadata)
	cfg.Annotation = annotation.New(f.metadata, f.store, people{}, people{})
	cfg.Connections = connections.New(f.metadata, box)
	cfg.Playground = newPlayground(t, cfg.Connections, connectionAllowed, nil)
}

func (f *fixture) scoreConfig(t testing.TB, key string) string {
	t.Helper()
	_, made := f.call(t, "POST", "/api/public/score-configs", key, `{"name":"n","dataType":"NUMERIC"}`)
	return fmt.Sprint(made["id"])
}

func (f *fixture) queue(t testing.TB, key, name string) string {
	t.Helper()
	a, made := f.call(t, "POST", queues, key, fmt.Sprintf(`{"name":%q,"scoreConfigIds":[%q]}`, name, f.scoreConfig(t, key)))
	if a.status != http.StatusOK {
		t.Fatal(a.status, a.body)
	}
	return fmt.Sprint(made["id"])
}

// asking is a request with the status it gets.
type asking struct {
	method, path, body string
	want               int
}

func (f *fixture) ask400(t *testing.T, all map[string]asking) {
	t.Helper()
	for name, c := range all {
		if a := f.send(t, request(c.method, c.path, keyA, strings.NewReader(c.body), "Content-Type", "application/json")); a.status != c.want {
			t.Errorf("%s: status %d, want %d: %s", name, a.status, c.want, a.body)
		}
	}
}

func TestComments(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.insert(t, row("project-a", "t1", "o1", 0, func(o *model.Observation) { o.SessionID = "s1" }), row("project-b", "t2", "o2", 0))
	a, made := f.call(t, "POST", comments, keyA, `{"projectId":"elsewhere","objectType":"TRACE","objectId":"t1","content":"  so\nso ","authorUserId":"user of org-project-a"}`)
	if a.status != http.StatusOK || len(made) != 1 {
		t.Fatal(a.status, a.body)
	}
	_, got := f.call(t, "GET", comments+"/"+fmt.Sprint(made["id"]), keyA, "")
	want := map[string]any{
		"id": made["id"], "projectId": "project-a", "objectType": "TRACE", "objectId": "t1", "content": "so\nso",
		"authorUserId": "user of org-project-a", "createdAt": got["createdAt"], "updatedAt": got["createdAt"],
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("comment (-want +got):\n%s", diff)
	}
	for _, object := range []string{`"OBSERVATION","objectId":"o1"`, `"SESSION","objectId":"s1"`, `"PROMPT","objectId":"prompt-1"`} {
		if a, _ := f.call(t, "POST", comments, keyA, `{"content":"x","authorUserId":null,"objectType":`+object+`}`); a.status != http.StatusOK {
			t.Errorf("%s: %d %s", object, a.status, a.body)
		}
	}
	for query, want := range map[string]string{
		"":                                    "PROMPT SESSION OBSERVATION TRACE",
		"?limit=1&page=2":                     "SESSION",
		"?page=1000000000":                    "",
		"?objectType=TRACE":                   "TRACE",
		"?objectType=SESSION&objectId=s1":     "SESSION",
		"?objectType=SESSION&objectId=t1":     "",
		"?authorUserId=user+of+org-project-a": "TRACE",
	} {
		_, page := f.call(t, "GET", comments+query, keyA, "")
		var types []string
		for _, c := range page["data"].([]any) {
			types = append(types, fmt.Sprint(c.(map[string]any)["objectType"]))
		}
		if got := strings.Join(types, " "); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	if a, page := f.call(t, "GET", comments+"?limit=3", keyA, ""); fmt.Sprint(page["meta"]) != "map[limit:3 page:1 totalItems:4 totalPages:2]" {
		t.Error(a.body)
	}
}

func TestCommentsAreStrict(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.insert(t, row("project-a", "t1", "o1", 0), row("project-b", "t2", "o2", 0))
	long := strings.Repeat("ü", 5000)
	post := func(body string, want int) asking { return asking{"POST", comments, body, want} }
	get := func(query string, want int) asking { return asking{"GET", comments + query, "", want} }
	f.ask400(t, map[string]asking{
		"longest":            post(`{"objectType":"TRACE","objectId":"t1","content":" `+long+` "}`, 200),
		"too long":           post(`{"objectType":"TRACE","objectId":"t1","content":"`+long+`x"}`, 400),
		"blank":              post(`{"objectType":"TRACE","objectId":"t1","content":" \n "}`, 400),
		"NUL":                post(`{"objectType":"TRACE","objectId":"t1","content":"a\u0000b"}`, 400),
		"NUL in the id":      post(`{"objectType":"TRACE","objectId":"t1\u0000","content":"a"}`, 400),
		"no content":         post(`{"objectType":"TRACE","objectId":"t1"}`, 400),
		"no object":          post(`{"objectType":"TRACE","content":"x"}`, 400),
		"other type":         post(`{"objectType":"trace","objectId":"t1","content":"x"}`, 400),
		"number":             post(`{"objectType":"TRACE","objectId":1,"content":"x"}`, 400),
		"further member":     post(`{"objectType":"TRACE","objectId":"t1","content":"x","more":1}`, 400),
		"other letters":      post(`{"objectType":"TRACE","objectId":"t1","CONTENT":"x"}`, 400),
		"null":               post(`null`, 400),
		"list":               post(`[]`, 400),
		"no JSON":            post(`{`, 400),
		"nothing":            post(``, 400),
		"huge":               post(`{"content":"`+strings.Repeat("x", 1<<17)+`"}`, 413),
		"missing trace":      post(`{"objectType":"TRACE","objectId":"nothing","content":"x"}`, 404),
		"foreign trace":      post(`{"objectType":"TRACE","objectId":"t2","content":"x"}`, 404),
		"foreign row":        post(`{"objectType":"OBSERVATION","objectId":"o2","content":"x"}`, 404),
		"missing session":    post(`{"objectType":"SESSION","objectId":"s","content":"x"}`, 404),
		"missing prompt":     post(`{"objectType":"PROMPT","objectId":"prompt-2","content":"x"}`, 404),
		"stranger":           post(`{"objectType":"TRACE","objectId":"t1","content":"x","authorUserId":"user of org-project-b"}`, 400),
		"further parameter":  get("?more=1", 400),
		"id without type":    get("?objectId=t1", 400),
		"type of old":        get("?objectType=trace", 400),
		"NUL in a parameter": get("?authorUserId=%00", 400),
		"twice":              get("?objectType=TRACE&objectType=TRACE", 400),
		"page 0":             get("?page=0", 400),
		"many":               get("?limit=101", 400),
		"none":               get("/nothing", 404),
		"NUL in the path":    get("/%00", 400),
		"delete":             {"DELETE", comments, "", 405},
	})
}

func TestQueues(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	config := f.scoreConfig(t, keyA)
	a, made := f.call(t, "POST", queues, keyA, `{"name":"Tone","description":"how it sounds","scoreConfigIds":["`+config+`"]}`)
	id := fmt.Sprint(made["id"])
	want := map[string]any{
		"id": id, "name": "Tone", "description": "how it sounds", "scoreConfigIds": []any{config}, "createdAt": made["createdAt"], "updatedAt": made["createdAt"],
	}
	if diff := cmp.Diff(want, made); a.status != http.StatusOK || diff != "" {
		t.Fatalf("%d (-want +got):\n%s", a.status, diff)
	}
	if _, got := f.call(t, "GET", queues+"/"+id, keyA, ""); !cmp.Equal(want, got) {
		t.Errorf("queue: %v", got)
	}
	second := f.queue(t, keyA, "second")
	_, page := f.call(t, "GET", queues+"?limit=1", keyA, "")
	if first := page["data"].([]any)[0].(map[string]any)["id"]; first != second || fmt.Sprint(page["meta"]) != "map[limit:1 page:1 totalItems:2 totalPages:2]" {
		t.Errorf("page: %v", page)
	}
	foreign := f.scoreConfig(t, keyB)
	post := func(body string, want int) asking { return asking{"POST", queues, body, want} }
	f.ask400(t, map[string]asking{
		"taken name":      post(`{"name":"Tone","scoreConfigIds":["`+config+`"]}`, 400),
		"no configs":      post(`{"name":"x","scoreConfigIds":[]}`, 400),
		"configs missing": post(`{"name":"x"}`, 400),
		"unknown config":  post(`{"name":"x","scoreConfigIds":["`+config+`","nothing"]}`, 400),
		"foreign config":  post(`{"name":"x","scoreConfigIds":["`+foreign+`"]}`, 400),
		"NUL config":      post(`{"name":"x","scoreConfigIds":["\u0000"]}`, 400),
		"null config":     post(`{"name":"x","scoreConfigIds":[null]}`, 400),
		"blank name":      post(`{"name":" ","scoreConfigIds":["`+config+`"]}`, 400),
		"long name":       post(`{"name":"`+strings.Repeat("x", 2000)+`","scoreConfigIds":["`+config+`"]}`, 400),
		"further member":  post(`{"name":"x","scoreConfigIds":["`+config+`"],"more":1}`, 400),
		"further param":   {"GET", queues + "?name=Tone", "", 400},
		"missing":         {"GET", queues + "/nothing", "", 404},
	})
}

func TestQueueItems(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	items := queues + "/" + f.queue(t, keyA, "q") + "/items"
	other := queues + "/" + f.queue(t, keyA, "other") + "/items"
	a, item := f.call(t, "POST", items, keyA, `{"objectId":"t1","objectType":"TRACE","status":null}`)
	id := fmt.Sprint(item["id"])
	if a.status != http.StatusOK || item["status"] != "PENDING" || item["completedAt"] != nil {
		t.Fatal(a.status, a.body)
	}
	_, done := f.call(t, "POST", items, keyA, `{"objectId":"s1","objectType":"SESSION","status":"COMPLETED"}`)
	if done["completedAt"] != done["createdAt"] {
		t.Errorf("made completed: %v", done)
	}
	_, changed := f.call(t, "PATCH", items+"/"+id, keyA, `{"status":"COMPLETED"}`)
	want := maps.Clone(item)
	want["status"], want["completedAt"], want["updatedAt"] = "COMPLETED", changed["updatedAt"], changed["updatedAt"]
	if diff := cmp.Diff(want, changed); diff != "" {
		t.Errorf("completed (-want +got):\n%s", diff)
	}
	for _, nothing := range []string{`{}`, `{"status":null}`, `{"status":"COMPLETED"}`} {
		if _, same := f.call(t, "PATCH", items+"/"+id, keyA, nothing); !cmp.Equal(changed, same) {
			t.Errorf("%s changes %v", nothing, same)
		}
	}
	for query, want := range map[string]string{"": "2", "?status=COMPLETED": "2", "?status=PENDING": "0"} {
		if _, page := f.call(t, "GET", items+query, keyA, ""); fmt.Sprint(page["meta"].(map[string]any)["totalItems"]) != want {
			t.Errorf("%s: %v", query, page)
		}
	}
	if _, back := f.call(t, "PATCH", items+"/"+id, keyA, `{"status":"PENDING"}`); back["completedAt"] != nil || back["status"] != "PENDING" {
		t.Errorf("pending again: %v", back)
	}
	f.ask400(t, map[string]asking{
		"prompt":            {"POST", items, `{"objectId":"p","objectType":"PROMPT"}`, 400},
		"no object":         {"POST", items, `{"objectType":"TRACE"}`, 400},
		"other status":      {"POST", items, `{"objectId":"t","objectType":"TRACE","status":"DONE"}`, 400},
		"further member":    {"POST", items, `{"objectId":"t","objectType":"TRACE","x":1}`, 400},
		"no queue":          {"POST", queues + "/nothing/items", `{"objectId":"t","objectType":"TRACE"}`, 404},
		"NUL queue":         {"POST", queues + "/%00/items", `{"objectId":"t","objectType":"TRACE"}`, 400},
		"list of no queue":  {"GET", queues + "/nothing/items", "", 404},
		"status of a list":  {"GET", items + "?status=DONE", "", 400},
		"further parameter": {"GET", items + "?objectId=t", "", 400},
		"of another queue":  {"GET", other + "/" + id, "", 404},
		"change elsewhere":  {"PATCH", other + "/" + id, `{"status":"COMPLETED"}`, 404},
		"change, strict":    {"PATCH", items + "/" + id, `{"objectId":"x"}`, 400},
		"change, null":      {"PATCH", items + "/" + id, `null`, 400},
		"delete elsewhere":  {"DELETE", other + "/" + id, "", 404},
	})
	if a := f.send(t, request("DELETE", items+"/"+id, keyA, nil)); a.status != 200 || a.body != `{"success":true,"message":"Annotation queue item deleted"}`+"\n" {
		t.Error(a.status, a.body)
	}
	if a := f.get(t, items+"/"+id); a.status != http.StatusNotFound {
		t.Error(a.status, a.body)
	}
}

func TestAssignments(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id := f.queue(t, keyA, "q")
	path := queues + "/" + id + "/assignments"
	const member = `{"userId":"user of org-project-a"}`
	for range 2 {
		a, got := f.call(t, "POST", path, keyA, member)
		if want := map[string]any{"userId": "user of org-project-a", "queueId": id, "projectId": "project-a"}; a.status != 200 || !cmp.Equal(want, got) {
			t.Error(a.status, a.body)
		}
	}
	for range 2 {
		if a, _ := f.call(t, "DELETE", path, keyA, member); a.status != 200 || a.body != `{"success":true}`+"\n" {
			t.Error(a.status, a.body)
		}
	}
	f.ask400(t, map[string]asking{
		"stranger":       {"POST", path, `{"userId":"user of org-project-b"}`, 404},
		"nobody":         {"POST", path, `{}`, 400},
		"NUL":            {"DELETE", path, `{"userId":"\u0000"}`, 400},
		"further member": {"POST", path, `{"userId":"user of org-project-a","x":1}`, 400},
		"no queue":       {"POST", queues + "/nothing/assignments", member, 404},
		"back, no queue": {"DELETE", queues + "/nothing/assignments", member, 404},
		"back, no body":  {"DELETE", path, ``, 400},
	})
}

func TestFeedback(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const path = "/api/public/feedback"
	a, made := f.call(t, "POST", path, keyA, `{"targetType":"docs","target":"a page","feedback":"good","goal":null,"referenceUrl":"https://x.example","more":1}`)
	kept, err := f.metadata.Feedback(t.Context(), "project-a")
	if a.status != http.StatusCreated || err != nil || len(kept) != 1 || kept[0].ID != made["id"] || kept[0].Text != "good" {
		t.Fatal(a.status, a.body, kept, err)
	}
	post := func(body string, want int) asking { return asking{"POST", path, body, want} }
	f.ask400(t, map[string]asking{
		"longest":      post(`{"targetType":"cli","target":"`+strings.Repeat("ü", 200)+`","feedback":"`+strings.Repeat("ü", 3000)+`"}`, 201),
		"long target":  post(`{"targetType":"cli","target":"`+strings.Repeat("ü", 201)+`","feedback":"x"}`, 400),
		"long text":    post(`{"targetType":"cli","target":"x","feedback":"`+strings.Repeat("ü", 3001)+`"}`, 400),
		"other target": post(`{"targetType":"ui","target":"x","feedback":"x"}`, 400),
		"no target":    post(`{"targetType":"cli","feedback":"x"}`, 400),
		"no text":      post(`{"targetType":"cli","target":"x","feedback":""}`, 400),
		"NUL":          post(`{"targetType":"cli","target":"x","feedback":"\u0000"}`, 400),
		"null":         post(`null`, 400),
	})
}

// FuzzAnnotationBodies: whatever is sent, the answer is one that is described, and never a fault of ours.
func FuzzAnnotationBodies(f *testing.F) {
	for i, seed := range []string{
		`{"objectType":"TRACE","objectId":"t1","content":"x"}`, `{"name":"q","scoreConfigIds":["c"]}`, `{"objectId":"t","objectType":"TRACE","status":"PENDING"}`,
		`{"status":null}`, `{"userId":"u"}`, `{"targetType":"docs","target":"t","feedback":"f"}`,
		`{"provider":"p","adapter":"bedrock","secretKey":"k","config":{"region":"r"},"extraHeaders":{"a":"b"},"customModels":["m"],"baseURL":"http://x"}`,
		`null`, `[]`, `{`, "{\"content\":\"\xff\x00\"}", `{"a":1e999}`, `{"content":{"a":[]}}`,
	} {
		f.Add(uint8(i), seed)
	}
	f.Fuzz(func(t *testing.T, which uint8, body string) {
		fx := newFixture(t)
		fx.insert(t, row("project-a", "t1", "o1", 0))
		queue := queues + "/" + fx.queue(t, keyA, "mine")
		routes := [][2]string{
			{"POST", comments},
			{"POST", queues},
			{"POST", queue + "/items"},
			{"PATCH", queue + "/items/x"},
			{"POST", queue + "/assignments"},
			{"POST", "/api/public/feedback"},
			{"PUT", llmConnections},
			{"DELETE", queue + "/assignments"},
		}
		route := routes[int(which)%len(routes)]
		if a := fx.send(t, request(route[0], route[1], keyA, strings.NewReader(body), "Content-Type", "application/json")); a.status >= 500 {
			t.Errorf("%v %q: %d %s", route, body, a.status, a.body)
		}
	})
}

// addAnnotationValues adds what B asks the routes of annotations and connections with.
func (f *fixture) addAnnotationValues(t *testing.T, v *foreignValues) {
	t.Helper()
	config := f.scoreConfig(t, keyA)
	_, comment := f.call(t, "POST", comments, keyA, `{"objectType":"TRACE","objectId":"foreign-traceId","content":"zqxsecret"}`)
	_, queue := f.call(t, "POST", queues, keyA, `{"name":"zqxsecret","scoreConfigIds":["`+config+`"]}`)
	queueID := fmt.Sprint(queue["id"])
	_, item := f.call(t, "POST", queues+"/"+queueID+"/items", keyA, `{"objectId":"zqxsecret","objectType":"TRACE"}`)
	f.call(t, "POST", queues+"/"+queueID+"/assignments", keyA, `{"userId":"user of org-project-a"}`)
	const connection = `{"provider":"mine","adapter":"openai","secretKey":"mine-mine-mine-mine"}`
	_, made := f.call(t, "PUT", llmConnections, keyA, strings.ReplaceAll(connection, "mine", "zqxsecret"))
	for _, path := range []string{"GET " + queues + "/{queueId}", "GET " + queues + "/{queueId}/items", "POST " + queues + "/{queueId}/items"} {
		v.parameters[path+" queueId"] = []string{queueID}
	}
	for _, method := range []string{"GET", "PATCH", "DELETE"} {
		v.parameters[method+" "+queues+"/{queueId}/items/{itemId} queueId"] = []string{queueID}
	}
	for _, path := range []string{
		"PUT " + queues + "/{queueId}", "GET " + queues + "/{queueId}/progress", "POST " + queues + "/{queueId}/next", "GET " + queues + "/{queueId}/items/{itemId}/review",
		"PUT " + queues + "/{queueId}/items/{itemId}/lock", "DELETE " + queues + "/{queueId}/items/{itemId}/lock", "PUT " + queues + "/{queueId}/items/{itemId}/draft",
		"POST " + queues + "/{queueId}/items/{itemId}/completion", "DELETE " + queues + "/{queueId}/items/{itemId}/completion",
	} {
		v.parameters[path+" queueId"] = []string{queueID}
	}
	v.bodies["PUT "+queues+"/{queueId}"] = []string{`{"name":"mine","scoreConfigIds":["` + config + `"]}`}
	v.bodies["POST "+queues+"/{queueId}/next"] = []string{`{}`, `{"fromItemId":"` + fmt.Sprint(item["id"]) + `"}`}
	v.bodies["PUT "+queues+"/{queueId}/items/{itemId}/draft"] = []string{`{"draft":{}}`}
	for _, method := range []string{"POST", "DELETE"} {
		v.parameters[method+" "+queues+"/{queueId}/assignments queueId"] = []string{queueID}
		v.bodies[method+" "+queues+"/{queueId}/assignments"] = []string{`{"userId":"user of org-project-a"}`}
	}
	maps.Copy(v.parameters, map[string][]string{
		"commentId": {fmt.Sprint(comment["id"])}, "itemId": {fmt.Sprint(item["id"])}, "objectType": {"TRACE"}, "objectId": {"foreign-traceId"},
		"status": {"PENDING"}, "DELETE " + llmConnections + "/{id} id": {fmt.Sprint(made["id"])},
	})
	maps.Copy(v.bodies, map[string][]string{
		"POST " + comments:                              {`{"projectId":"project-a","objectType":"TRACE","objectId":"foreign-traceId","content":"mine"}`},
		"POST " + queues:                                {`{"name":"mine","scoreConfigIds":["` + config + `"]}`},
		"POST " + queues + "/{queueId}/items":           {`{"objectId":"foreign-traceId","objectType":"TRACE"}`},
		"PATCH " + queues + "/{queueId}/items/{itemId}": {`{"status":"COMPLETED"}`},
		"POST /api/public/feedback":                     {`{"targetType":"docs","target":"mine","feedback":"mine"}`},
		"PUT " + llmConnections:                         {connection},
	})
}
