package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/sondehq/sonde/internal/api"
)

func TestSQLForms(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ask := func(body string) answer {
		return f.send(t, request("POST", "/api/public/sql", keyA, strings.NewReader(body), "Content-Type", "application/json"))
	}
	for body, want := range map[string]string{
		`{"query":"SELECT 1"}`:                  `{"data":[{"project":"project-a","n":0,"list":["a,b"],"none":null},{"project":"project-a","n":1,"list":["a,b"],"none":null}]}` + "\n",
		`{"query":"nothing"}`:                   `{"data":[]}` + "\n",
		`{"query":"SELECT 1","format":"jsonl"}`: `{"project":"project-a","n":0,"list":["a,b"],"none":null}` + "\n" + `{"project":"project-a","n":1,"list":["a,b"],"none":null}` + "\n",
		`{"query":"SELECT 1","format":"csv"}`:   "project,n,list,none\nproject-a,0,\"[\"\"a,b\"\"]\",\nproject-a,1,\"[\"\"a,b\"\"]\",\n",
		`{"query":"nothing","format":"csv"}`:    "",
	} {
		if got := ask(body); got.status != http.StatusOK || got.body != want || got.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d %q, want %q", body, got.status, got.body, want)
		}
	}
	for body, status := range map[string]int{
		`{"query":"broken"}`: 400, `{"query":"SELECT 1","format":"xml"}`: 400, `{}x`: 400, `{"query":1}`: 400, `{"query":"` + strings.Repeat("x", 200_000) + `"}`: 413,
	} {
		if got := ask(body); got.status != status {
			t.Errorf("%.40s: %d, want %d", body, got.status, status)
		}
	}
	none := newFixture(t, func(c *api.Config) { c.SQL = nil })
	if got := none.send(t, request("POST", "/api/public/sql", keyA, strings.NewReader(`{"query":"SELECT 1"}`))); got.status != http.StatusNotFound {
		t.Errorf("without SQL: %d", got.status)
	}
}
