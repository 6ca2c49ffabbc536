package api_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/sondehq/sonde/internal/api"
)

// What is outside of the API's paths is a page; below them nothing changes.
func TestPages(t *testing.T) {
	t.Parallel()
	pages := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "page "+r.URL.Path) }) //nolint:gosec // nobody looks at it in a browser
	for name, tt := range map[string]struct {
		base, method, target string
		want                 string // the answer; empty: the API's own 404
	}{
		"root":                    {"", "GET", "/", "page /"},
		"deep":                    {"", "GET", "/project/p/traces/t", "page /project/p/traces/t"},
		"head":                    {"", "HEAD", "/", "page /"},
		"like the API":            {"", "GET", "/apis", "page /apis"},
		"with an escape":          {"", "GET", "/project/p/users/a%2Fb", "page /project/p/users/a/b"},
		"write":                   {"", "POST", "/", ""},
		"unknown route":           {"", "GET", "/api/public/nothing", ""},
		"root of the API":         {"", "GET", "/api", ""},
		"generated":               {"", "GET", "/generated/api/other.yml", ""},
		"well-known":              {"", "GET", "/.well-known/other", ""},
		"unclean":                 {"", "GET", "//setup", ""},
		"below the base":          {"/sonde", "GET", "/sonde/setup", "page /setup"},
		"the base itself":         {"/sonde", "GET", "/sonde", "page "},
		"the base with a slash":   {"/sonde", "GET", "/sonde/", "page /"},
		"outside the base":        {"/sonde", "GET", "/setup", ""},
		"beside the base":         {"/sonde", "GET", "/sondex", ""},
		"unknown below the base":  {"/sonde", "GET", "/sonde/api/public/nothing", ""},
		"the API without a base":  {"/sonde", "GET", "/api/public/health", ""},
		"unknown write in a base": {"/sonde", "DELETE", "/sonde/setup", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := httptest.NewRecorder()
			api.New(api.Config{Pages: pages, BasePath: tt.base}).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), tt.method, tt.target, nil))
			switch body := w.Body.String(); {
			case tt.want != "" && (w.Code != http.StatusOK || body != tt.want):
				t.Errorf("got %d %q, want %q", w.Code, body, tt.want)
			case tt.want == "" && (w.Code != http.StatusNotFound || !strings.Contains(body, "LangfuseNotFoundError")):
				t.Errorf("got %d %q, want the API's 404", w.Code, body)
			}
		})
	}
}
