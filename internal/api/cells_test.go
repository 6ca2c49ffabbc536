package api_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/api"
	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/cells"
	"github.com/sondehq/sonde/internal/model"
)

// placed is where all projects are.
type placed model.Placement

func (p placed) Placement(context.Context, string) (model.Placement, error) {
	return model.Placement(p), nil
}

var parameter = regexp.MustCompile(`\{[^}]*\}`)

// Every route that takes the key of a project answers 421 in another cell, says which one it is, and does nothing. To who
// has no key it says nothing of that.
func TestRoutesOfOtherCells(t *testing.T) {
	t.Parallel()
	away := newFixture(t, func(c *api.Config) { c.Cells = cells.NewGuard("a", placed{Cell: "b"}) })
	held := newFixture(t, func(c *api.Config) {
		c.Cells = cells.NewGuard("a", placed{Cell: "a", HeldUntil: time.Now().Add(time.Hour)})
	})
	ask := func(f *fixture, route api.Route, key string) *httptest.ResponseRecorder {
		answer := httptest.NewRecorder()
		request := httptest.NewRequestWithContext(t.Context(), route.Method, parameter.ReplaceAllString(route.Path, "x"), strings.NewReader("{}"))
		request.Header.Set("Authorization", key)
		f.bare.ServeHTTP(answer, request)
		return answer
	}
	seen := 0
	for _, route := range api.Routes() {
		if route.Open || route.Access != auth.Project {
			continue
		}
		seen++
		got := ask(away, route, keyA)
		if got.Code != http.StatusMisdirectedRequest || got.Header().Get("X-Sonde-Cell") != "b" || !strings.Contains(got.Body.String(), "another cell, b") {
			t.Errorf("%s %s in another cell: %d %v %s", route.Method, route.Path, got.Code, got.Header(), got.Body)
		}
		if got := ask(away, route, "Basic nobody"); got.Code != http.StatusUnauthorized || got.Header().Get("X-Sonde-Cell") != "" {
			t.Errorf("%s %s without a key: %d %v", route.Method, route.Path, got.Code, got.Header())
		}
		if route.Method == http.MethodGet {
			continue
		}
		got = ask(held, route, keyA)
		refused := got.Code == http.StatusServiceUnavailable && (got.Header().Get("Retry-After") == "1" || route.Path == "/api/public/mcp") ||
			got.Code == http.StatusInternalServerError && route.Path == "/api/public/ingestion" // older SDKs know no 503
		if !refused || got.Header().Get("X-Sonde-Held") == "" {
			t.Errorf("%s %s while it is held: %d %v %s", route.Method, route.Path, got.Code, got.Header(), got.Body)
		}
	}
	if seen < 50 {
		t.Errorf("only %d routes were asked", seen)
	}
	if got := ask(held, api.Route{Method: http.MethodGet, Path: "/api/public/v2/observations"}, keyA); got.Code != http.StatusOK {
		t.Errorf("a read while it is held: %d %s", got.Code, got.Body)
	}
}

// Rows that a project left in its old cell are nobody's trace to strangers there, as if it had never been.
func TestSharedTracesOfOtherCells(t *testing.T) {
	t.Parallel()
	away := newFixture(t, func(c *api.Config) { c.Cells = cells.NewGuard("a", placed{Cell: "b"}) })
	here := newFixture(t, func(c *api.Config) { c.Cells = cells.NewGuard("b", placed{Cell: "b"}) })
	for _, f := range []*fixture{away, here} {
		f.insert(t, row("project-a", "t", "root", 0, root(public, says("answer", "root"))))
	}
	if a := here.stranger(t, "t/skeleton"); a.status != http.StatusOK {
		t.Errorf("in its cell: %d %s", a.status, a.body)
	}
	if a, nobody := away.stranger(t, "t/skeleton"), away.stranger(t, "nobody/skeleton"); a.status != http.StatusNotFound || a.body != nobody.body || a.header.Get("X-Sonde-Cell") != "" {
		t.Errorf("where it was: %d %s, not %s", a.status, a.body, nobody.body)
	}
}
