package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
)

const dashboardsPath = "/api/public/dashboards"

const costTile = `{"id":"a","title":"Cost","kind":"line","x":0,"y":0,"w":6,"h":4,"query":{"view":"observations","metrics":[{"measure":"totalCost","aggregation":"sum"}]}}`

func TestDashboards(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	status, made := f.callStatus(t, "POST", dashboardsPath, keyA, `{"name":" Costs ","tiles":[`+costTile+`,{"id":"b","title":"","kind":"text","x":6,"y":0,"w":2,"h":1,"text":"hi"}]}`)
	if status != http.StatusCreated || made["name"] != "Costs" || made["builtIn"] != false || fmt.Sprint(made["revision"]) != "1" {
		t.Fatalf("%d %v", status, made)
	}
	one := dashboardsPath + "/" + fmt.Sprint(made["id"])
	_, got := f.callStatus(t, "GET", one, keyA, "")
	if tiles, _ := got["tiles"].([]any); len(tiles) != 2 {
		t.Fatalf("%v", got)
	}
	if status, got := f.callStatus(t, "PUT", one, keyA, `{"name":"Costs","tiles":[],"revision":1}`); status != http.StatusOK || fmt.Sprintf("%v %v", got["revision"], got["tileCount"]) != "2 0" {
		t.Errorf("%d %v", status, got)
	}
	if status, got := f.callStatus(t, "PUT", one, keyA, `{"name":"Old","tiles":[],"revision":1}`); status != http.StatusConflict {
		t.Errorf("a change of the past: %d %v", status, got)
	}
	for _, method := range []string{"GET", "DELETE"} {
		if status, _ := f.callStatus(t, method, one, keyB, ""); status != http.StatusNotFound {
			t.Errorf("%s of another project: %d", method, status)
		}
	}
	for _, want := range []int{http.StatusOK, http.StatusNotFound} {
		if status, _ := f.callStatus(t, "DELETE", one, keyA, ""); status != want {
			t.Errorf("delete: %d, want %d", status, want)
		}
	}
}

// TestBuiltInDashboards: every built-in one can be stored as it is, is the project's own then, and comes back.
func TestBuiltInDashboards(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	_, list := f.callStatus(t, "GET", dashboardsPath, keyA, "")
	heads, _ := list["data"].([]any)
	if len(heads) < 3 {
		t.Fatalf("%v", list)
	}
	for _, head := range heads {
		id := fmt.Sprint(head.(map[string]any)["id"])
		one := dashboardsPath + "/" + id
		_, d := f.callStatus(t, "GET", one, keyA, "")
		body, err := json.Marshal(map[string]any{"name": "mine", "description": "", "tiles": d["tiles"], "revision": d["revision"]})
		if err != nil {
			t.Fatal(err)
		}
		if status, got := f.callStatus(t, "DELETE", one, keyA, ""); status != http.StatusConflict {
			t.Errorf("%s: delete of what is not stored: %d %v", id, status, got)
		}
		if status, got := f.callStatus(t, "PUT", one, keyA, string(body)); status != http.StatusOK || got["name"] != "mine" || got["builtIn"] != true || fmt.Sprint(got["revision"]) != "1" {
			t.Errorf("%s: %d %v", id, status, got)
		}
		if _, foreign := f.callStatus(t, "GET", one, keyB, ""); foreign["name"] != d["name"] || fmt.Sprint(foreign["revision"]) != "0" {
			t.Errorf("%s of another project: %v", id, foreign)
		}
		_, after := f.callStatus(t, "GET", dashboardsPath, keyA, "")
		if now, _ := after["data"].([]any); len(now) != len(heads) {
			t.Errorf("%s: %d dashboards, want %d", id, len(now), len(heads))
		}
		f.callStatus(t, "DELETE", one, keyA, "")
		if _, again := f.callStatus(t, "GET", one, keyA, ""); again["name"] != d["name"] {
			t.Errorf("%s after its delete: %v", id, again)
		}
	}
}

func TestRefusedDashboards(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	with := func(before, after string) string {
		return `{"name":"x","tiles":[` + strings.Replace(costTile, before, after, 1) + `]}`
	}
	for _, body := range []string{
		`{}`, `{"name":" "}`, `{"name":"` + strings.Repeat("x", 201) + `"}`, `{"name":"x","owner":"me"}`, `{"name":"x","tiles":[1]}`,
		`{"name":"x","tiles":[` + costTile + `,` + costTile + `]}`, `{"name":"x","tiles":[` + strings.Repeat(costTile+",", 40) + costTile + `]}`,
		with(`"id":"a"`, `"id":""`), with(`"kind":"line"`, `"kind":"pie"`), with(`"w":6`, `"w":13`), with(`"x":0`, `"x":-1`), with(`"x":0`, `"x":7`),
		with(`"h":4`, `"h":21`), with(`"y":0`, `"y":1001`), with(`"y":0`, `"y":0.5`), with(`"w":6`, `"w":6,"color":"red"`),
		with(`"kind":"line"`, `"kind":"text"`), with(`"kind":"line"`, `"kind":"line","text":"x"`), with(`"kind":"line"`, `"kind":"histogram"`),
		with(`"kind":"line"`, `"kind":"table"`), with(`"aggregation":"sum"`, `"aggregation":"histogram"`), with(`"measure":"totalCost"`, `"measure":"love"`),
		with(`"query":{`, `"query":{"fromTimestamp":"2026-01-01T00:00:00Z",`), with(`"query":{`, `"query":{"dimensions":[{"field":"mood"}],`),
		with(`"query":{`, `"query":{"dimensions":[{"field":"userId"}],`), `{"name":"x","tiles":[{"id":"a","kind":"line","x":0,"y":0,"w":1,"h":1,"title":""}]}`,
	} {
		if status, got := f.callStatus(t, "POST", dashboardsPath, keyA, body); status != http.StatusBadRequest {
			t.Errorf("%.120s: %d %v", body, status, got)
		}
	}
	if status, got := f.callStatus(t, "PUT", dashboardsPath+"/usage", keyA, `{"name":"x","tiles":[]}`); status != http.StatusBadRequest {
		t.Errorf("no revision: %d %v", status, got)
	}
}

// addDashboardValues gives project A a dashboard.
func (f *fixture) addDashboardValues(t *testing.T, v *foreignValues) {
	t.Helper()
	_, made := f.call(t, "POST", dashboardsPath, keyA, `{"name":"zqxsecret","tiles":[`+costTile+`]}`)
	maps.Copy(v.parameters, map[string][]string{"dashboardId": {fmt.Sprint(made["id"])}})
	v.bodies["POST "+dashboardsPath] = []string{`{"name":"mine"}`}
	v.bodies["PUT "+dashboardsPath+"/{dashboardId}"] = []string{`{"name":"mine","revision":1}`, `{"name":"mine","revision":0}`}
}
