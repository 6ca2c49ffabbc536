package api_test

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/api"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/selfobs"
	"github.com/sondehq/sonde/internal/tenancy"
	"github.com/sondehq/sonde/internal/testkit"
)

func TestMethods(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	served := map[string][]string{}
	for _, r := range api.Routes() {
		served[r.Path] = append(served[r.Path], r.Method)
	}
	for path, methods := range served {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE", "get", "PURGE"} {
			a := f.send(t, request(method, path, keyA, nil))
			if allowed := slices.Contains(methods, method); (a.status == http.StatusMethodNotAllowed) == allowed {
				t.Errorf("%s %s: status %d", method, path, a.status)
			}
			if a.status == http.StatusMethodNotAllowed && !strings.Contains(a.header.Get("Allow"), methods[0]) {
				t.Errorf("%s %s: Allow %q", method, path, a.header.Get("Allow"))
			}
		}
	}
}

func TestUnknownPaths(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, path := range []string{
		"/", "/api", "/api/public", "/api/public/", "/api/public/projects/", "/api/public/projects/x/y", "/api/public/Projects",
		"//api/public/projects", "/api//public/projects", "/api/public/../public/projects", "/api/public/./projects",
		"/api/public/projects%2F", "/%00", "/api/public/v2/observations/abc",
	} {
		for _, method := range []string{"GET", "POST", "OPTIONS", "HEAD"} {
			r := request(method, "/", keyA, nil)
			var err error
			if r.URL, err = url.ParseRequestURI(path); err != nil {
				t.Fatal(err)
			}
			a := f.send(t, r)
			if a.status != http.StatusNotFound || !json.Valid([]byte(a.body)) {
				t.Errorf("%s %s: status %d, body %q", method, path, a.status, a.body)
			}
		}
	}
}

func TestCommonHeaders(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	want := map[string]string{
		"Content-Type": "application/json; charset=utf-8", "X-Content-Type-Options": "nosniff",
		"Referrer-Policy": "strict-origin-when-cross-origin", "X-Frame-Options": "SAMEORIGIN", "X-Robots-Tag": "noindex",
		"Vary": "Origin", "Access-Control-Allow-Origin": "https://app.example", "X-Request-Id": "my-id",
		"Access-Control-Allow-Credentials": "",
	}
	for _, target := range []string{"/api/public/projects", "/api/public/health", observations, observations + "?limit=x", "/nothing"} {
		a := f.send(t, request("GET", target, keyA, nil, "Origin", "https://app.example", "X-Request-Id", "my-id"))
		for name, value := range want {
			if got := a.header.Get(name); got != value {
				t.Errorf("%s: %s is %q, want %q", target, name, got, value)
			}
		}
	}
	if got := f.get(t, "/api/public/health").header.Get("Access-Control-Allow-Origin"); got != "" {
		t.Errorf("without Origin: Access-Control-Allow-Origin %q", got)
	}
}

func TestPreflight(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, r := range api.Routes() {
		a := f.send(t, request("OPTIONS", r.Path, "", nil, "Origin", "https://app.example",
			"Access-Control-Request-Method", r.Method, "Access-Control-Request-Headers", "authorization,x-langfuse-sdk-name"))
		if a.status != http.StatusNoContent || a.body != "" {
			t.Errorf("%s: status %d, body %q", r.Path, a.status, a.body)
		}
		for name, want := range map[string]string{
			"Access-Control-Allow-Origin": "https://app.example", "Access-Control-Allow-Methods": "GET,HEAD,PUT,PATCH,POST,DELETE",
			"Access-Control-Allow-Headers": "authorization,x-langfuse-sdk-name",
		} {
			if got := a.header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", r.Path, name, got, want)
			}
		}
		if vary := a.header.Values("Vary"); !slices.Contains(vary, "Origin") || !slices.Contains(vary, "Access-Control-Request-Headers") {
			t.Errorf("%s: Vary %q", r.Path, vary)
		}
	}
}

func TestRequestIDs(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	seen := map[string]bool{}
	for _, given := range []string{"", "has space", "tab\tbed", "ümlaut", strings.Repeat("x", 129), ""} {
		got := f.send(t, request("GET", "/api/public/health", "", nil, "X-Request-Id", given)).header.Get("X-Request-Id")
		if got == "" || got == given || seen[got] {
			t.Errorf("sent %q, got %q", given, got)
		}
		seen[got] = true
	}
}

func TestProjects(t *testing.T) {
	t.Parallel()
	a := newFixture(t).get(t, "/api/public/projects")
	want := `{"data":[{"id":"project-a","name":"name of project-a","organization":{"id":"org-project-a","name":"Acme"},"metadata":{}}]}` + "\n"
	if a.status != http.StatusOK || a.body != want {
		t.Errorf("status %d, body %s", a.status, a.body)
	}
}

func TestProbes(t *testing.T) {
	t.Parallel()
	down := errors.New("down")
	const flags = "?failIfDatabaseUnavailable=true&failIfNoRecentEvents=true"
	for _, c := range []struct {
		target string
		health fakeHealth
		status int
		text   string
	}{
		{"health", fakeHealth{}, 200, "OK"},
		{"health", fakeHealth{database: down, unready: down, draining: true}, 200, "OK"},
		{"health" + flags, fakeHealth{recent: true}, 200, "OK"},
		{"health" + flags, fakeHealth{recent: true, database: down}, 503, "Database not available"},
		{"health" + flags, fakeHealth{}, 503, "No observation within the last 3 minutes"},
		{"health" + flags, fakeHealth{recent: true, recentErr: down}, 503, "Recent events cannot be looked up"},
		{"health?failIfDatabaseUnavailable=1&failIfNoRecentEvents=TRUE", fakeHealth{database: down}, 200, "OK"},
		{"ready", fakeHealth{}, 200, "OK"},
		{"ready", fakeHealth{unready: down}, 503, "Not ready"},
		{"ready", fakeHealth{unready: fault.Unavailablef("the log is full").Because(down)}, 503, "Not ready: the log is full"},
		{"ready", fakeHealth{unready: down, draining: true}, 500, "Shutting down"},
	} {
		f := newFixture(t)
		*f.health = c.health
		a := f.send(t, request("GET", "/api/public/"+c.target, "", nil))
		status, reason, _ := strings.Cut(c.text, ": ")
		if reason != "" {
			reason = `,"reason":"` + reason + `"`
		}
		want := `{"status":"` + status + `","version":"4.60.0","sonde":"0.1.0-test"` + reason + "}\n"
		if a.status != c.status || a.body != want {
			t.Errorf("%s: status %d, body %s", c.target, a.status, a.body)
		}
		if since := f.health.since; !since.IsZero() && time.Since(since).Round(time.Second) != 3*time.Minute {
			t.Errorf("%s: recent since %v", c.target, since)
		}
	}
}

func TestBasePath(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"/sonde", "sonde/", "/sonde/"} {
		f := &fixture{Handler: api.New(api.Config{Auth: fakeAuth{}, Tenancy: tenancy.New(tenantsOf(t)), Health: &fakeHealth{}, BasePath: base})}
		described := testkit.LoadOpenAPI(t, []byte(f.get(t, "/sonde/api/openapi.yaml").body))
		if got := described.Document.Servers[0].URL; got != "/sonde" {
			t.Errorf("%s: described at %q", base, got)
		}
		f.Handler = described.Handler(t, f.Handler)
		for target, status := range map[string]int{
			"/sonde/api/public/health": 200, "/sonde/api/public/projects": 200, "/sonde/nothing": 404,
			"/api/public/health": 404, "/sonde": 404, "/sondeapi/public/health": 404,
		} {
			if a := f.get(t, target); a.status != status {
				t.Errorf("%s: %s: status %d, want %d", base, target, a.status, status)
			}
		}
		if n := described.Seen()["GET /api/public/projects 200"]; n != 1 {
			t.Errorf("%s: the answer was not checked", base)
		}
	}
}

// logged collects what is logged.
func logged(f func(*api.Config)) (func(*api.Config), *bytes.Buffer) {
	var out bytes.Buffer
	return func(c *api.Config) {
		c.Log = slog.New(slog.NewJSONHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))
		f(c)
	}, &out
}

func TestAccessLog(t *testing.T) {
	t.Parallel()
	edit, out := logged(func(*api.Config) {})
	f := newFixture(t, edit)
	f.send(t, request("GET", observations+"?userId=private", keyA, nil, "X-Request-Id", "id-1"))
	var line map[string]any
	if err := json.Unmarshal(out.Bytes(), &line); err != nil {
		t.Fatalf("not one line: %v\n%s", err, out)
	}
	delete(line, "time")
	if took, ok := line["took"].(float64); !ok || took <= 0 {
		t.Errorf("took %v", line["took"])
	}
	delete(line, "took")
	want := map[string]any{
		"level": "DEBUG", "msg": "request served", "request_id": "id-1", "method": "GET", "route": observations,
		"status": 200.0, "bytes": 22.0, "project": "project-a",
	}
	if diff := cmp.Diff(want, line); diff != "" {
		t.Errorf("line (-want +got):\n%s", diff)
	}
}

func TestPanicIsAnswered(t *testing.T) {
	t.Parallel()
	edit, out := logged(func(*api.Config) {})
	f := newFixture(t, edit)
	f.ingest.panics = "secret detail"
	a := f.send(t, request("POST", traces, keyA, strings.NewReader("{}"), "Content-Type", "application/json"))
	if a.status != http.StatusInternalServerError || a.body != "{\"message\":\"Internal Server Error\",\"error\":\"InternalServerError\"}\n" {
		t.Errorf("status %d, body %s", a.status, a.body)
	}
	if !strings.Contains(out.String(), "secret detail") || !strings.Contains(out.String(), "fixture_test.go") {
		t.Errorf("the log has no cause or no stack: %s", out)
	}
}

// failingWriter takes some bytes and then fails, as a connection does that the client closed.
type failingWriter struct {
	http.ResponseWriter
	left int
}

func (w *failingWriter) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, io.ErrClosedPipe
	}
	return w.ResponseWriter.Write(p)
}

// An answer that breaks off must not look complete.
func TestBrokenAnswerIsCut(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for i := range 5 {
		f.insert(t, row("project-a", "t", string(rune('a'+i)), i, func(o *model.Observation) { o.Input = strings.Repeat("x", 50_000) }))
	}
	handler := api.New(api.Config{Auth: fakeAuth{}, Query: f.query(), Health: f.health})
	defer func() {
		if cause := recover(); cause != http.ErrAbortHandler { //nolint:errorlint // a panic value
			t.Errorf("recovered %v, want the abort of net/http", cause)
		}
	}()
	w := &failingWriter{httptest.NewRecorder(), 60_000}
	handler.ServeHTTP(w, request("GET", observations+"?fields=io", keyA, nil))
	t.Error("the handler returned as if the answer were complete")
}

func TestRolesLeaveRoutesOut(t *testing.T) {
	t.Parallel()
	body := func() io.Reader { return strings.NewReader(`{"resourceSpans":[]}`) }
	for name, c := range map[string]struct {
		noIngest, noIntake, noReads     bool
		traces, metrics, score, observe int
	}{
		"all":     {false, false, false, 200, 200, 200, 200},
		"ingest":  {false, false, true, 200, 200, 200, 404},
		"read":    {true, false, false, 404, 404, 200, 200},
		"neither": {true, true, true, 404, 404, 404, 404},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, func(cfg *api.Config) { cfg.NoIngest, cfg.NoIntake, cfg.NoReads = c.noIngest, c.noIntake, c.noReads })
			got := []int{
				f.send(t, request("POST", traces, keyA, body(), "Content-Type", "application/json")).status,
				f.send(t, request("POST", "/api/public/otel/v1/metrics", keyA, body())).status,
				f.post(t, keyA, scoresPath, `{"traceId":"t","name":"n","value":1}`).status,
				f.get(t, observations).status,
			}
			if diff := cmp.Diff([]int{c.traces, c.metrics, c.score, c.observe}, got); diff != "" {
				t.Errorf("traces, metrics, a score, observations (-want +got):\n%s", diff)
			}
			if a := f.get(t, observations); a.status == http.StatusNotFound && !json.Valid([]byte(a.body)) {
				t.Errorf("the refusal is no JSON: %s", a.body)
			}
			for _, everywhere := range []string{"projects", "health", "ready"} {
				if a := f.get(t, "/api/public/"+everywhere); a.status != http.StatusOK {
					t.Errorf("%s: status %d", everywhere, a.status)
				}
			}
		})
	}
}

func TestObserveHearsOfEveryRequestOnce(t *testing.T) {
	t.Parallel()
	type seen struct {
		route  string
		status int
	}
	var got []seen
	handler := api.New(api.Config{
		Auth: fakeAuth{}, Tenancy: tenancy.New(tenantsOf(t)), Health: &fakeHealth{}, BasePath: "/sonde",
		Observe: func(r selfobs.Request) {
			if r.Took <= 0 || r.ID == "" || r.Began.IsZero() || r.Protocol != selfobs.HTTP || r.Acknowledged != 0 {
				t.Errorf("observed %+v", r)
			}
			got = append(got, seen{r.Route, r.Status})
		},
	})
	f := &fixture{Handler: handler}
	for _, target := range []string{
		"/sonde/api/public/projects", "/sonde/api/public/projects?secret=1", "/sonde/secret", "/secret//", "/", "/api/public/projects",
	} {
		f.get(t, target)
	}
	f.send(t, request("DELETE", "/sonde/api/public/projects", "", nil))
	f.send(t, request("SECRET", "/sonde/api/public/projects", "", nil))
	f.send(t, request("GET", "/sonde/api/public/projects", "", nil))
	want := []seen{
		{"/api/public/projects", 200},
		{"/api/public/projects", 200},
		{"other", 404},
		{"other", 404},
		{"other", 404},
		{"other", 404},
		{"/api/public/projects", 405},
		{"/api/public/projects", 405},
		{"/api/public/projects", 401},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(seen{})); diff != "" {
		t.Errorf("observed (-want +got):\n%s", diff)
	}
}

// Who came by TLS is told to come by nothing else; who came without is told nothing, or a server without TLS could not be reached.
func TestStrictTransport(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	plain, secured := request("GET", observations, keyA, nil), request("GET", observations, keyA, nil)
	secured.TLS = &tls.ConnectionState{}
	if got := f.send(t, plain).header.Get("Strict-Transport-Security"); got != "" {
		t.Errorf("without TLS: %q", got)
	}
	if got := f.send(t, secured).header.Get("Strict-Transport-Security"); got != "max-age=31536000" {
		t.Errorf("with TLS: %q", got)
	}
}
