package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

const (
	summariesRoute = "/api/public/dataset-summaries"
	batchesRoute   = "/api/public/dataset-item-batches"
)

func TestDatasetPages(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id := fmt.Sprint(f.done(t, "POST", datasetsRoute, `{"name":"folder/set","description":"d","inputSchema":{"type":"object"}}`)["id"])
	f.done(t, "POST", datasetsRoute, `{"name":"empty"}`)
	long := `{"text":"` + strings.Repeat("ü", 300) + `"}`
	written := f.done(t, "POST", batchesRoute, `{"datasetId":"`+id+`","items":[{"id":"a","input":{"q":"Needle"}},{"id":"b","input":`+long+`,"status":"ARCHIVED"},{"input":{}}]}`)
	if got := words(written["created"], written["changed"], written["unchanged"], len(written["ids"].([]any)), written["failures"]); got != "3 0 0 3 []" {
		t.Errorf("written: %s", got)
	}
	for _, d := range f.done(t, "GET", summariesRoute, "")["data"].([]any) {
		d := d.(map[string]any)
		want := map[string]string{"empty": "0 0 false false", "folder/set": "2 1 true true"}[fmt.Sprint(d["name"])]
		if got := words(d["activeItems"], d["archivedItems"], d["hasInputSchema"], d["itemsChangedAt"] != nil); got != want {
			t.Errorf("summary of %s: %s, want %s", d["name"], got, want)
		}
	}
	if got := f.done(t, "GET", summariesRoute+"/"+id, ""); words(got["name"], got["activeItems"], got["archivedItems"], got["inputSchema"]) != "folder/set 2 1 map[type:object]" {
		t.Errorf("dataset: %v", got)
	}
	rows := func(query string) string {
		t.Helper()
		page := f.done(t, "GET", summariesRoute+"/"+id+"/items?"+query, "")
		var ids strings.Builder
		for _, row := range page["data"].([]any) {
			fmt.Fprint(&ids, row.(map[string]any)["id"], " ")
		}
		return ids.String()
	}
	for query, want := range map[string]string{"status=ARCHIVED": "b ", "search=needle": "a ", "status=ALL&search=%C3%BC%C3%BC": "b ", "version=2026-01-01T00:00:00Z": "", "search=none": ""} {
		if got := rows(query); got != want {
			t.Errorf("items of %s: %q, want %q", query, got, want)
		}
	}
	row := f.done(t, "GET", summariesRoute+"/"+id+"/items?status=ARCHIVED", "")["data"].([]any)[0].(map[string]any)
	if got := []rune(fmt.Sprint(row["input"])); len(got) != 200 || row["inputMore"] != true || row["expectedOutput"] != nil || row["expectedOutputMore"] != false {
		t.Errorf("a long row: %v", row)
	}
	for query, said := range map[string]string{"status=GONE": "must be one of", "version=x": "must be a time", "search=%00": "NUL"} {
		f.refused(t, http.StatusBadRequest, said, "GET", summariesRoute+"/"+id+"/items?"+query, "")
	}
	for _, target := range []string{summariesRoute + "/none", summariesRoute + "/none/items", summariesRoute + "/none/versions", itemsRoute + "/none/versions", itemsRoute + "/a/versions/2020-01-01T00:00:00Z"} {
		f.refused(t, http.StatusNotFound, "LangfuseNotFoundError", "GET", target, "")
	}
	f.refused(t, http.StatusBadRequest, "must be a time", "GET", itemsRoute+"/a/versions/yesterday", "")
}

func TestDatasetItemHistory(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id := fmt.Sprint(f.done(t, "POST", datasetsRoute, `{"name":"d"}`)["id"])
	first := fmt.Sprint(f.done(t, "POST", itemsRoute, `{"datasetName":"d","id":"a","input":1}`)["version"])
	f.done(t, "POST", itemsRoute, `{"datasetName":"d","id":"a","input":2,"status":"ARCHIVED"}`)
	f.done(t, "DELETE", itemsRoute+"/a", "")
	page := f.done(t, "GET", itemsRoute+"/a/versions", "")
	list := page["data"].([]any)
	newest, oldest := list[0].(map[string]any), list[1].(map[string]any)
	if got := words(len(list), newest["status"], newest["until"] != nil, oldest["status"], oldest["version"] == first, oldest["until"] == newest["version"]); got != "2 ARCHIVED true ACTIVE true true" {
		t.Errorf("versions: %s: %v", got, page)
	}
	if got := f.done(t, "GET", itemsRoute+"/a/versions/"+first, ""); words(got["input"], got["version"]) != words(1, first) {
		t.Errorf("the first version: %v", got)
	}
	times := f.done(t, "GET", summariesRoute+"/"+id+"/versions", "")
	if got := times["data"].([]any); len(got) != 3 || words(got[0].(map[string]any)["deleted"], got[2].(map[string]any)["version"], times["more"]) != words(1, first, false) {
		t.Errorf("times: %v", times)
	}
}

func TestDatasetItemBatches(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id := fmt.Sprint(f.done(t, "POST", datasetsRoute, `{"name":"d","inputSchema":{"type":"object","properties":{"q":{"type":"string"}}}}`)["id"])
	batch := `{"datasetId":"` + id + `",%s"items":[{"id":"a","input":{"q":"x"}},{"id":"b","input":{"q":7}}]}`
	dry := f.done(t, "POST", batchesRoute, fmt.Sprintf(batch, `"dryRun":true,`))
	if got := fmt.Sprint(dry["failures"]); got != "[map[field:input id:b index:1 message:got number, want string path:/q]]" {
		t.Errorf("dry run: %v", dry)
	}
	f.refused(t, http.StatusBadRequest, `"path":["items",1,"input"]`, "POST", batchesRoute, fmt.Sprintf(batch, ""))
	if page := f.done(t, "GET", itemsRoute, ""); len(page["data"].([]any)) != 0 {
		t.Errorf("a refused batch wrote %v", page)
	}
	many := strings.Repeat(`{"input":{}},`, 101)
	for body, status := range map[string]int{
		`{"items":[{}]}`: http.StatusBadRequest, `{"datasetId":"` + id + `","items":[]}`: http.StatusBadRequest, `{"datasetId":"` + id + `","items":[` + many[:len(many)-1] + `]}`: http.StatusBadRequest,
		`{"datasetId":"none","items":[{}]}`: http.StatusNotFound, `{"datasetId":"` + id + `","items":[{"input":"` + strings.Repeat("x", 5<<20) + `"}]}`: http.StatusRequestEntityTooLarge,
	} {
		f.refused(t, status, "", "POST", batchesRoute, body)
	}
}

// TestDatasetHistoryOfOneProject: nobody learns when items of another project changed.
func TestDatasetHistoryOfOneProject(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id := fmt.Sprint(f.done(t, "POST", datasetsRoute, `{"name":"d"}`)["id"])
	f.done(t, "POST", itemsRoute, `{"datasetName":"d","id":"a","input":1}`)
	for _, target := range []string{summariesRoute + "/" + id + "/versions", itemsRoute + "/a/versions"} {
		if a, _ := f.call(t, "GET", target, keyA, ""); a.status != http.StatusOK || !strings.Contains(a.body, `"version":"`) {
			t.Errorf("%s of the owner: status %d: %s", target, a.status, a.body)
		}
		if a, _ := f.call(t, "GET", target, keyB, ""); a.status != http.StatusNotFound {
			t.Errorf("%s of another: status %d: %s", target, a.status, a.body)
		}
	}
}
