package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/datasets"
	"github.com/sondehq/sonde/internal/media"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

const (
	datasetsRoute = "/api/public/v2/datasets"
	olderDatasets = "/api/public/datasets"
	itemsRoute    = "/api/public/dataset-items"
	runItemsRoute = "/api/public/dataset-run-items"
)

func newDatasets(store metastore.Datasets, m *media.Service) *datasets.Service {
	return datasets.New(store, func(ctx context.Context, projectID, id string) error {
		_, err := m.Find(ctx, projectID, id)
		return err
	})
}

// words puts spaces between all values.
func words(values ...any) string { return strings.TrimSuffix(fmt.Sprintln(values...), "\n") }

// done calls as project A and wants a 200.
func (f *fixture) done(t testing.TB, method, target, body string) map[string]any {
	t.Helper()
	a, got := f.call(t, method, target, keyA, body)
	if a.status != http.StatusOK {
		t.Fatalf("%s %s %s: status %d: %s", method, target, body, a.status, a.body)
	}
	return got
}

// refused calls as project A and wants a status and a part of the answer.
func (f *fixture) refused(t testing.TB, status int, said, method, target, body string) {
	t.Helper()
	a, _ := f.call(t, method, target, keyA, body)
	if a.status != status || !strings.Contains(a.body, said) {
		t.Errorf("%s %s %.100s: status %d, want %d with %q: %s", method, target, body, a.status, status, said, a.body)
	}
}

func TestDatasetLife(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	made := f.done(t, "POST", datasetsRoute, `{"name":" capitals ","description":"d","metadata":{"big":12345678901234567890},"inputSchema":{"type":"string"}}`)
	again := f.done(t, "POST", datasetsRoute, `{"name":"capitals","description":null,"metadata":null,"extra":1}`)
	for _, key := range []string{"id", "name", "description", "metadata", "inputSchema", "projectId", "createdAt"} {
		if diff := cmp.Diff(made[key], again[key]); diff != "" {
			t.Errorf("%s after an empty change (-was +is): %s", key, diff)
		}
	}
	if made["name"] != "capitals" || fmt.Sprint(made["metadata"]) != "map[big:12345678901234567890]" || made["expectedOutputSchema"] != nil {
		t.Errorf("made %v", made)
	}
	cleared := f.done(t, "POST", datasetsRoute, `{"name":"capitals","inputSchema":null,"description":"e"}`)
	if cleared["inputSchema"] != nil || cleared["description"] != "e" {
		t.Errorf("cleared %v", cleared)
	}
	if got := f.done(t, "GET", datasetsRoute+"/capitals", ""); fmt.Sprint(got) != fmt.Sprint(cleared) {
		t.Errorf("got %v, want %v", got, cleared)
	}
	f.done(t, "POST", datasetsRoute, `{"name":"second"}`)
	page := f.done(t, "GET", datasetsRoute+"?limit=1&page=2", "")
	if got := fmt.Sprint(page["meta"]); !strings.Contains(fmt.Sprint(page["data"]), "capitals") || got != "map[limit:1 page:2 totalItems:2 totalPages:2]" {
		t.Errorf("page %v", page)
	}
	if far := f.done(t, "GET", datasetsRoute+"?page=9223372036854775807&limit=100", ""); len(far["data"].([]any)) != 0 {
		t.Errorf("a page far out: %v", far)
	}
}

func TestDatasetNames(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, name := range []string{
		"folder/deep/name", "a b", "100%", "a%2Fb", "%25", "ä", "..", ".", "a?b#c", "a+b", "runs", "x/runs/y", strings.Repeat("n", 1024), "\U0001F600", "a\\b", `"`,
	} {
		text, _ := json.Marshal(name)
		id := f.done(t, "POST", datasetsRoute, `{"name":`+string(text)+`}`)["id"]
		escaped := url.PathEscape(name)
		if name == "." || name == ".." {
			escaped = strings.ReplaceAll(name, ".", "%2E")
		}
		for _, route := range []string{datasetsRoute, olderDatasets} {
			if got := f.done(t, "GET", route+"/"+escaped, ""); got["id"] != id || got["name"] != name {
				t.Errorf("%s of %q: %v", route, name, got)
			}
		}
	}
	for name, said := range map[string]string{
		"": "empty", "  ": "empty", "<b>": "HTML", "a<script src=x>b": "HTML", "/a": "slash", "a/": "slash", "a//b": "slash",
		"a\x00b": "control", "a\nb": "control", strings.Repeat("n", 1025): "longer",
	} {
		text, _ := json.Marshal(name)
		f.refused(t, http.StatusBadRequest, said, "POST", datasetsRoute, `{"name":`+string(text)+`}`)
	}
	for _, name := range []string{"missing", "%00", "%ff", strings.Repeat("n", 1025)} {
		a, _ := f.call(t, "GET", datasetsRoute+"/"+name, keyA, "")
		if a.status != http.StatusNotFound && a.status != http.StatusBadRequest {
			t.Errorf("%.20q: status %d", name, a.status)
		}
	}
}

// Older clients leave slashes in names as they are.
func TestUnescapedDatasetNames(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.done(t, "POST", datasetsRoute, `{"name":"folder/deep name"}`)
	f.experimentRow(t, f.done(t, "GET", datasetsRoute+"/folder%2Fdeep%20name", "")["id"].(string), "run/one", "i")
	f.Handler = f.bare // the description has no such paths
	for _, target := range []string{
		datasetsRoute + "/folder/deep%20name", olderDatasets + "/folder/deep%20name",
		olderDatasets + "/folder/deep%20name/runs", olderDatasets + "/folder/deep%20name/runs/run/one", olderDatasets + "/folder%2Fdeep%20name/runs/run%2Fone",
	} {
		f.done(t, "GET", target, "")
	}
	f.refused(t, http.StatusNotFound, "Dataset not found", "GET", datasetsRoute+"/folder/deep%20name/x", "")
}

func TestDatasetSchemas(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, schema := range []string{`{"type":"banana"}`, `7`, `"x"`, `[]`, `{"$ref":"https://example.com/x.json"}`, `{"$ref":"file:///etc/passwd"}`, `{"$schema":"https://example.com/"}`, `{"minimum":1e999999999}`} {
		f.refused(t, http.StatusBadRequest, "inputSchema", "POST", datasetsRoute, `{"name":"bad","inputSchema":`+schema+`}`)
	}
	f.done(t, "POST", datasetsRoute, `{"name":"s"}`)
	for i := range 15 {
		f.done(t, "POST", itemsRoute, fmt.Sprintf(`{"datasetName":"s","id":"i%d","input":%d,"status":"ARCHIVED"}`, i, i))
	}
	f.refused(t, http.StatusBadRequest, "i14", "POST", datasetsRoute, `{"name":"s","inputSchema":{"type":"string"}}`)
	a, _ := f.call(t, "POST", datasetsRoute, keyA, `{"name":"s","inputSchema":{"type":"string"}}`)
	if got := strings.Count(a.body, `"code"`); got != 10 {
		t.Errorf("%d items named, want 10: %s", got, a.body)
	}
	f.done(t, "POST", datasetsRoute, `{"name":"s","inputSchema":{"type":"integer"},"expectedOutputSchema":{"enum":[null,"x"]}}`)
	f.done(t, "POST", itemsRoute, `{"datasetName":"s","id":"good","input":3}`)
	f.refused(t, http.StatusBadRequest, "want integer", "POST", itemsRoute, `{"datasetName":"s","input":"three"}`)
	f.refused(t, http.StatusBadRequest, "expectedOutput", "POST", itemsRoute, `{"datasetName":"s","id":"good","expectedOutput":"y"}`)
	f.refused(t, http.StatusBadRequest, "too long", "POST", itemsRoute, `{"datasetName":"s","input":1e-999999999}`)
	f.done(t, "POST", datasetsRoute, `{"name":"s","inputSchema":null}`)
	f.done(t, "POST", itemsRoute, `{"datasetName":"s","input":"three"}`)
}

func TestDatasetItems(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.done(t, "POST", datasetsRoute, `{"name":"my set"}`)
	f.done(t, "POST", datasetsRoute, `{"name":"other"}`)
	made := f.done(t, "POST", itemsRoute, `{"datasetName":"my set","id":"i","input":{"b":"x\u0000\u0007y\tz","a":1e400},"expectedOutput":false,"sourceTraceId":"t","sourceObservationId":"o"}`)
	if words(made["input"], made["expectedOutput"], made["metadata"], made["version"] == made["updatedAt"]) != "map[a:1e400 b:xy\tz] false <nil> true" {
		t.Errorf("made %v", made)
	}
	second := f.done(t, "POST", itemsRoute, `{"datasetName":"my set","id":"i","input":null,"metadata":[1],"sourceTraceId":null,"status":null}`)
	if words(second["input"], second["metadata"], second["sourceTraceId"], second["status"], second["createdAt"] == made["createdAt"]) != "map[a:1e400 b:xy\tz] [1] t ACTIVE true" {
		t.Errorf("second version %v", second)
	}
	if second["version"].(string) <= made["version"].(string) {
		t.Errorf("versions %v, then %v", made["version"], second["version"])
	}
	listed := func(query string) string {
		page := f.done(t, "GET", itemsRoute+"?"+query, "")
		var rows []string
		for _, row := range page["data"].([]any) {
			rows = append(rows, fmt.Sprint(row.(map[string]any)["id"], row.(map[string]any)["metadata"]))
		}
		return strings.Join(rows, " ") + fmt.Sprint(page["meta"].(map[string]any)["totalItems"])
	}
	for query, want := range map[string]string{
		"datasetName=my%20set": "i[1]1", "datasetName=my%2520set": "i[1]1", "sourceTraceId=t&sourceObservationId=o": "i[1]1", "sourceTraceId=x": "0",
		"datasetName=my+set&version=" + made["version"].(string): "i<nil>1", "datasetName=my+set&version=2020-01-01": "0", "page=7": "1", "": "i[1]1",
	} {
		if got := listed(query); got != want {
			t.Errorf("%q lists %q, want %q", query, got, want)
		}
	}
	f.refused(t, http.StatusConflict, "another dataset", "POST", itemsRoute, `{"datasetName":"other","id":"i"}`)
	f.done(t, "POST", itemsRoute, `{"datasetName":"my set","id":"i","status":"ARCHIVED"}`)
	if got := listed("datasetName=my+set"); got != "0" {
		t.Errorf("archived items are listed: %s", got)
	}
	if got := f.done(t, "GET", itemsRoute+"/i", ""); got["status"] != "ARCHIVED" || got["datasetName"] != "my set" {
		t.Errorf("archived item %v", got)
	}
	f.done(t, "DELETE", itemsRoute+"/i", "")
	f.refused(t, http.StatusNotFound, "Dataset item not found", "GET", itemsRoute+"/i", "")
	f.refused(t, http.StatusNotFound, "Dataset item not found", "DELETE", itemsRoute+"/i", "")
	if got := listed("datasetName=my+set&version=" + second["version"].(string)); got != "i[1]1" {
		t.Errorf("before it was deleted: %s", got)
	}
	if back := f.done(t, "POST", itemsRoute, `{"datasetName":"other","id":"i"}`); back["input"] != nil {
		t.Errorf("a new item has what the deleted one had: %v", back)
	}
}

func TestRefusedDatasetItems(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.done(t, "POST", datasetsRoute, `{"name":"s"}`)
	for _, c := range []struct {
		status     int
		said, body string
	}{
		{400, "datasetName", `{"id":"i"}`},
		{400, "datasetName", `{"datasetName":7}`},
		{400, "object", `[]`},
		{400, "object", `{`},
		{400, "object", ``},
		{404, "Dataset not found", `{"datasetName":"missing"}`},
		{400, "id", `{"datasetName":"s","id":""}`},
		{400, "id", `{"datasetName":"s","id":"` + strings.Repeat("ä", 256) + `"}`},
		{400, "NUL", `{"datasetName":"s","id":"\u0000"}`},
		{400, "status", `{"datasetName":"s","status":"GONE"}`},
		{400, "status", `{"datasetName":"s","status":1}`},
		{400, "sourceTraceId", `{"datasetName":"s","sourceTraceId":"` + strings.Repeat("x", 1025) + `"}`},
		{413, "larger", `{"datasetName":"s","input":"` + strings.Repeat("x", 4_718_592) + `"}`},
		{400, "not there", `{"datasetName":"s","input":{"a":["@@@langfuseMedia:type=image/png|id=nothing|source=bytes@@@"]}}`},
		{400, "at most 100", `{"datasetName":"s","input":"` + strings.Repeat("@@@langfuseMedia:type=a|id=b|source=c@@@", 101) + `"}`},
	} {
		f.refused(t, c.status, c.said, "POST", itemsRoute, c.body)
	}
	for _, query := range []string{"version=2026-05-01T10:00:00Z", "datasetName=s&version=soon", "limit=0", "limit=101", "page=0", "page=x", "datasetName=s&datasetName=s", "sourceTraceId=%00"} {
		f.refused(t, http.StatusBadRequest, "", "GET", itemsRoute+"?"+query, "")
	}
	f.refused(t, http.StatusNotFound, "Dataset not found", "GET", itemsRoute+"?datasetName=missing", "")
	largest := `{"datasetName":"s","id":"` + strings.Repeat("ä", 255) + `","input":"` + strings.Repeat("x", 4_000_000) + `"}`
	f.done(t, "POST", itemsRoute, largest)
}

func TestDatasetItemMedia(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id, _ := f.stored(t, "hello", "text/plain")
	f.done(t, "POST", datasetsRoute, `{"name":"s"}`)
	reference := "@@@langfuseMedia:type=text/plain|id=" + id + "|source=bytes@@@"
	made := f.done(t, "POST", itemsRoute, `{"datasetName":"s","id":"i","input":{"im'age":["x","see `+reference+`!"]},"metadata":"`+reference+`"}`)
	want := []any{
		map[string]any{"field": "input", "referenceString": reference, "jsonPath": "$['im'age'][1]"},
		map[string]any{"field": "metadata", "referenceString": reference, "jsonPath": "$"},
	}
	refs := made["mediaReferences"].([]any)
	for _, r := range refs {
		m := r.(map[string]any)["media"].(map[string]any)
		if m["mediaId"] != id || m["contentType"] != "text/plain" || fmt.Sprint(m["contentLength"]) != "5" {
			t.Errorf("media %v", m)
		}
		if a := f.send(t, request("GET", pathOf(t, m["url"].(string)), "", nil)); a.body != "hello" {
			t.Errorf("%v gives %d %s", m["url"], a.status, a.body)
		}
		delete(r.(map[string]any), "media")
	}
	if diff := cmp.Diff(want, refs); diff != "" {
		t.Errorf("references (-want +got):\n%s", diff)
	}
	f.call(t, "POST", datasetsRoute, keyB, `{"name":"s"}`)
	if a, _ := f.call(t, "POST", itemsRoute, keyB, `{"datasetName":"s","input":"`+reference+`"}`); a.status != http.StatusBadRequest {
		t.Errorf("another project refers to it: status %d", a.status)
	}
}

// TestItemVersionsAtOnce has 50 clients write one item: all succeed, and the versions follow each other.
func TestItemVersionsAtOnce(t *testing.T) {
	t.Parallel()
	const writers = 50
	f := newFixture(t)
	f.done(t, "POST", datasetsRoute, `{"name":"s"}`)
	versions := make([]string, writers)
	var group sync.WaitGroup
	for i := range writers {
		group.Go(func() {
			a, got := f.call(t, "POST", itemsRoute, keyA, fmt.Sprintf(`{"datasetName":"s","id":"i","input":%d}`, i))
			if a.status != http.StatusOK {
				t.Errorf("status %d: %s", a.status, a.body)
				return
			}
			versions[i] = got["version"].(string)
		})
	}
	group.Wait()
	for i, version := range versions {
		page := f.done(t, "GET", itemsRoute+"?datasetName=s&version="+version, "")["data"].([]any)
		if len(page) != 1 || fmt.Sprint(page[0].(map[string]any)["input"]) != strconv.Itoa(i) {
			t.Errorf("at %s: %v, want input %d", version, page, i)
		}
	}
}

// experimentRow stores the root of an item that its client put into an experiment.
func (f *fixture) experimentRow(t testing.TB, datasetID, run, item string) {
	t.Helper()
	id := model.ExperimentID("project-a", datasetID, run)
	f.insert(t, row("project-a", "trace-of-"+item, "span-of-"+item, 0, func(o *model.Observation) {
		o.Experiment = &model.Experiment{ID: id, Name: run, DatasetID: datasetID, ItemID: item, ItemRootID: o.ID}
	}))
}

func TestRunItems(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	dataset := f.done(t, "POST", datasetsRoute, `{"name":"s"}`)["id"].(string)
	item := f.done(t, "POST", itemsRoute, `{"datasetName":"s","id":"i","expectedOutput":"Paris","metadata":{"m":{"n":true}}}`)
	body := `{"runName":"run <é> & \u2028","runDescription":"rd","metadata":{"rm":1},"datasetItemId":"i","traceId":"t","observationId":null,"datasetVersion":null}`
	first, again := f.done(t, "POST", runItemsRoute, body), f.done(t, "POST", runItemsRoute, body)
	if first["id"] != again["id"] || first["datasetRunId"] != model.ExperimentID("project-a", dataset, "run <é> & \u2028") || first["observationId"] != nil || first["traceId"] != "t" {
		t.Errorf("answers %v and %v", first, again)
	}
	only := f.done(t, "POST", runItemsRoute, `{"runName":"r","datasetItemId":"i","observationId":"o","createdAt":"2020-01-01T00:00:00+01:00","datasetVersion":"`+item["version"].(string)+`"}`)
	if only["traceId"] != "" || only["observationId"] != "o" || only["createdAt"] != "2019-12-31T23:00:00.000Z" {
		t.Errorf("answer %v", only)
	}
	for _, c := range []struct {
		status     int
		said, body string
	}{
		{404, "item not found", `{"runName":"r","datasetItemId":"missing","traceId":"t"}`},
		{404, "item not found", `{"runName":"r","datasetItemId":"i","traceId":"t","datasetVersion":"2020-01-01"}`},
		{400, "traceId", `{"runName":"r","datasetItemId":"i"}`},
		{400, "runName", `{"runName":"","datasetItemId":"i","traceId":"t"}`},
		{400, "datasetItemId", `{"runName":"r","traceId":"t"}`},
		{400, `no member`, `{"runName":"r","datasetItemId":"i","traceId":"t","x":1}`},
		{400, "datasetVersion", `{"runName":"r","datasetItemId":"i","traceId":"t","datasetVersion":"soon"}`},
		{400, "createdAt", `{"runName":"r","datasetItemId":"i","traceId":"t","createdAt":"soon"}`},
		{400, "runName", `{"runName":1}`},
		{400, "object", `[]`},
		{400, "object", ``},
		{400, "NUL", `{"runName":"a\u0000","datasetItemId":"i","traceId":"t"}`},
	} {
		f.refused(t, c.status, c.said, "POST", runItemsRoute, c.body)
	}
}

// TestLinkedRuns: the run of a client that only says so by a run item is an experiment, and is shown as a
// run of the dataset.
func TestLinkedRuns(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	dataset := f.done(t, "POST", datasetsRoute, `{"name":"s/1"}`)["id"].(string)
	f.done(t, "POST", itemsRoute, `{"datasetName":"s/1","id":"i","expectedOutput":"Paris","metadata":{"m":{"n":true}}}`)
	run := f.done(t, "POST", runItemsRoute, `{"runName":"run 1","runDescription":"rd","metadata":{"rm":1},"datasetItemId":"i","traceId":"t","observationId":"o"}`)
	f.insert(t, row("project-a", "t", "o", 0, func(o *model.Observation) { o.Input = "question" }), row("project-b", "t", "o", 0))
	f.link(t)
	x := f.done(t, "GET", "/api/public/experiments?fromStartTime=2026-01-01T00:00:00Z&fields=metadata", "")["data"].([]any)[0].(map[string]any)
	if words(x["id"], x["name"], x["description"], x["datasetId"], x["itemCount"], x["metadata"]) != words(run["datasetRunId"], "run 1", "rd", dataset, 1, "map[rm:1]") {
		t.Errorf("experiment %v", x)
	}
	item := f.done(t, "GET", "/api/public/experiment-items?fromStartTime=2026-01-01T00:00:00Z&fields=io,itemMetadata", "")["data"].([]any)[0].(map[string]any)
	if words(item["id"], item["traceId"], item["experimentItemId"], item["expectedOutput"], item["input"], item["experimentItemMetadata"]) != "o t i Paris question map[m.n:true]" {
		t.Errorf("item %v", item)
	}
	wantRun := map[string]any{"id": run["datasetRunId"], "name": "run 1", "datasetName": "s/1", "datasetId": dataset}
	listed := f.done(t, "GET", olderDatasets+"/s%2F1/runs", "")["data"].([]any)[0].(map[string]any)
	one := f.done(t, "GET", olderDatasets+"/s%2F1/runs/run%201", "")
	for key, want := range wantRun {
		if listed[key] != want || one[key] != want {
			t.Errorf("%s of the run is %v and %v, want %v", key, listed[key], one[key], want)
		}
	}
	page := f.done(t, "GET", runItemsRoute+"?datasetId="+dataset+"&runName=run%201", "")["data"].([]any)
	for _, items := range [][]any{page, one["datasetRunItems"].([]any)} {
		if len(items) != 1 || items[0].(map[string]any)["id"] != run["id"] || items[0].(map[string]any)["traceId"] != "t" {
			t.Errorf("run items %v, want that of %v", items, run)
		}
	}
	whole := f.done(t, "GET", olderDatasets+"/s%2F1", "")
	if words(whole["runs"], whole["status"], len(whole["items"].([]any))) != "[run 1] ACTIVE 1" {
		t.Errorf("older dataset %v", whole)
	}
	if list := f.done(t, "GET", olderDatasets, "")["data"].([]any)[0].(map[string]any); words(list["runs"], list["items"]) != "[run 1] [i]" {
		t.Errorf("older list %v", list)
	}
	if made := f.done(t, "POST", olderDatasets, `{"name":"s/1"}`); words(made["runs"], made["items"], made["id"]) != "[] [] "+dataset {
		t.Errorf("older answer %v", made)
	}
	f.refused(t, http.StatusNotFound, "DELETE /api/public/traces", "DELETE", olderDatasets+"/s%2F1/runs/run%201", "")
	f.refused(t, http.StatusNotFound, "run not found", "GET", olderDatasets+"/s%2F1/runs/missing", "")
	f.refused(t, http.StatusNotFound, "Dataset not found", "GET", runItemsRoute+"?datasetId=x&runName=r", "")
	f.refused(t, http.StatusBadRequest, "runName", "GET", runItemsRoute+"?datasetId=x", "")
}

// link does what a node does in the background.
func (f *fixture) link(t testing.TB) {
	t.Helper()
	if _, err := datasets.NewLinker(f.datasets, f.store, slog.New(slog.DiscardHandler)).Once(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// addDatasetValues adds what B asks the routes of datasets with.
func (f *fixture) addDatasetValues(t *testing.T, v *foreignValues) {
	t.Helper()
	const dataset, item = `{"name":"foreign-dataset","description":"mine"}`, `{"datasetName":"foreign-dataset","id":"foreign-item","input":"mine"}`
	id := fmt.Sprint(f.done(t, "POST", datasetsRoute, strings.ReplaceAll(dataset, "mine", "zqxsecret"))["id"])
	version := fmt.Sprint(f.done(t, "POST", itemsRoute, strings.ReplaceAll(item, "mine", "zqxsecret"))["version"])
	f.done(t, "POST", itemsRoute, `{"datasetName":"foreign-dataset","id":"foreign-item","sourceTraceId":"foreign-traceId","sourceObservationId":"foreign-id1"}`)
	f.experimentRow(t, id, "foreign-run", "foreign-zqxsecret")
	maps.Copy(v.parameters, map[string][]string{
		"datasetName": {"foreign-dataset"}, "datasetItemId": {"foreign-item"}, "sourceTraceId": {"foreign-traceId"}, "sourceObservationId": {"foreign-id1"},
		"runName": {"foreign-run"}, "GET " + itemsRoute + " version": {version, time.Now().Format(time.RFC3339)}, "status": {"ACTIVE", "ALL"},
		"GET " + summariesRoute + "/{datasetId} datasetId": {id}, "GET " + summariesRoute + "/{datasetId}/items datasetId": {id},
		"GET " + summariesRoute + "/{datasetId}/versions datasetId": {id}, "GET " + summariesRoute + "/{datasetId}/items version": {version},
		"GET " + itemsRoute + "/{datasetItemId}/versions/{version} version": {version, time.Now().Format(time.RFC3339)},
	})
	v.always["GET "+runItemsRoute] = "datasetId=" + id + "&runName=foreign-run"
	// What B makes has names of its own: it may see those.
	v.bodies["POST "+datasetsRoute] = []string{`{"name":"mine"}`}
	v.bodies["POST "+olderDatasets] = []string{`{"name":"mine"}`}
	v.bodies["POST "+itemsRoute] = []string{item, `{"datasetName":"mine","id":"own-item","input":"mine"}`}
	v.bodies["POST "+batchesRoute] = []string{`{"datasetId":"` + id + `","items":[{"id":"foreign-item","input":"mine"}]}`, `{"datasetId":"` + id + `","dryRun":true,"items":[{"id":"foreign-item"}]}`}
	v.bodies["POST "+runItemsRoute] = []string{`{"runName":"foreign-run","datasetItemId":"foreign-item","traceId":"foreign-traceId"}`}
}

// FuzzDatasetBodies: whatever is sent, the answer is described and is no fault of ours.
func FuzzDatasetBodies(f *testing.F) {
	for _, seed := range []string{
		`{"name":"s","inputSchema":{"$ref":"#"},"metadata":{"a":[1,{"b":null}]}}`, `{"name":"s","inputSchema":{"allOf":[{"$ref":"#"},{"type":"string"}]}}`,
		`{"datasetName":"s","id":"i","input":"\ud800\u0000","status":"ARCHIVED"}`, `{"datasetName":"s","input":{"x":"@@@langfuseMedia:type=a|id=b|source=c@@@"}}`,
		`{"runName":"r","datasetItemId":"i","traceId":"t","metadata":null,"datasetVersion":"2026-05-01"}`, `{"runName":"r","datasetItemId":"i","traceId":"t","x":1}`,
		`{"datasetId":"x","dryRun":true,"items":[{"id":"i","input":"\ud800"},null,{}]}`, `{"datasetId":"x","items":[1]}`,
		"null", "[]", `""`, "{", `{"name":1e999}`, `{"name":null}`, "{\"name\":\"\xff\"}", `{"name":"s","expectedOutputSchema":{"pattern":"(a+)+$","const":1e400}}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		fx := newFixture(t)
		fx.done(t, "POST", datasetsRoute, `{"name":"s"}`)
		fx.done(t, "POST", itemsRoute, `{"datasetName":"s","id":"i","input":{"a":[1,"x"]}}`)
		for _, route := range []string{datasetsRoute, olderDatasets, itemsRoute, runItemsRoute, batchesRoute} {
			if a, _ := fx.call(t, "POST", route, keyA, body); a.status >= http.StatusInternalServerError {
				t.Errorf("%s: status %d: %s", route, a.status, a.body)
			}
		}
		fx.link(t)
		fx.done(t, "GET", itemsRoute, "")
	})
}

// FuzzDatasetNames: a name that is taken is found under its escaped form.
func FuzzDatasetNames(f *testing.F) {
	for _, seed := range []string{"a", "a/b", "100%", "a%2Fb", "..", "\x00", "\xff", "<b>", " x ", "ä/ö", "runs", "a/runs/b", "?#&=;"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		fx := newFixture(t)
		text, _ := json.Marshal(name)
		a, made := fx.call(t, "POST", datasetsRoute, keyA, `{"name":`+string(text)+`}`)
		if a.status == http.StatusBadRequest {
			return
		}
		escaped := strings.ReplaceAll(url.PathEscape(made["name"].(string)), ".", "%2E")
		if got := fx.done(t, "GET", datasetsRoute+"/"+escaped, ""); got["id"] != made["id"] {
			t.Errorf("%q made %v, found %v", name, made, got)
		}
	})
}
