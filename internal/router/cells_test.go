package router_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/router"
)

// cellProcess serves the projects of one cell, by the rules of real ones: what is another's is refused with its name.
type cellProcess struct {
	*httptest.Server
	name  string
	cells *twoCells
	calls atomic.Int32
}

// twoCells are two cells with one process each, and one router in front.
type twoCells struct {
	a, b  *cellProcess
	front *httptest.Server
	at    atomic.Pointer[string] // the cell that serves everybody
	held  atomic.Bool
	trace atomic.Pointer[string] // the cell that has the shared trace
}

func newCells(t *testing.T) *twoCells {
	t.Helper()
	c := &twoCells{}
	c.move("a")
	c.trace.Store(new("b"))
	c.a, c.b = c.process(t, "a"), c.process(t, "b")
	front, err := router.New(router.Config{Ingest: []string{"a=" + c.a.URL, "b=" + c.b.URL}, Read: []string{"a=" + c.a.URL, "b=" + c.b.URL}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); front.Run(ctx) }()
	c.front = httptest.NewServer(front)
	t.Cleanup(func() {
		cancel()
		<-done
		c.front.Client().CloseIdleConnections()
		c.front.Close()
	})
	return c
}

func (c *twoCells) move(to string) { c.at.Store(&to) }

func (c *twoCells) process(t *testing.T, name string) *cellProcess {
	t.Helper()
	p := &cellProcess{name: name, cells: c}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

func (p *cellProcess) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/api/public/ready" {
		return
	}
	p.calls.Add(1)
	at := *p.cells.at.Load()
	switch {
	case strings.HasPrefix(r.URL.Path, "/api/public/shared-traces/"):
		if *p.cells.trace.Load() != p.name {
			http.NotFound(w, r)
			return
		}
	case at != p.name:
		w.Header().Set("X-Sonde-Cell", at)
		w.WriteHeader(http.StatusMisdirectedRequest)
		return
	case p.cells.held.Load() && r.Method != http.MethodGet:
		w.Header().Set("X-Sonde-Held", "1")
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	body, _ := io.ReadAll(r.Body)
	_, _ = w.Write(append([]byte(p.name+" "), body[:min(10, len(body))]...))
}

// send returns status and answer, and how many requests the processes saw for it.
func (c *twoCells) send(t *testing.T, method, path string, body []byte, headers ...string) (status int, text string, calls int) {
	t.Helper()
	before := c.a.calls.Load() + c.b.calls.Load()
	request, err := http.NewRequestWithContext(t.Context(), method, c.front.URL+path, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Basic a2V5OnNlY3JldA==")
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	answer, err := c.front.Client().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	got, _ := io.ReadAll(answer.Body)
	return answer.StatusCode, string(got), int(c.a.calls.Load() + c.b.calls.Load() - before)
}

// The router learns the way from the first refusal, and again from the next one when its map is stale; whatever the method,
// because who refused did nothing.
func TestWaysAreLearned(t *testing.T) {
	t.Parallel()
	c := newCells(t)
	for i, step := range []struct {
		at           string
		method, path string
		calls        int
	}{
		{"a", http.MethodPost, otlp, 1},      // the first cell is a good guess
		{"b", http.MethodPost, prompts, 2},   // moved: refused once, then sent on
		{"b", http.MethodPost, otlp, 1},      // known from now on
		{"b", http.MethodGet, reads, 1},      //
		{"b", http.MethodDelete, prompts, 1}, //
		{"a", http.MethodDelete, prompts, 2}, // and back
		{"a", http.MethodPost, events, 1},
	} {
		c.move(step.at)
		status, text, calls := c.send(t, step.method, step.path, []byte("hello"))
		if status != http.StatusOK || text != step.at+" hello" || calls != step.calls {
			t.Errorf("step %d: %d %q with %d requests, want %d", i, status, text, calls, step.calls)
		}
	}
}

// Who has signed in names the project, not a key: two projects of one session may be in two cells.
func TestWaysOfSessions(t *testing.T) {
	t.Parallel()
	c := newCells(t)
	c.move("b")
	for _, named := range [][]string{{"X-Sonde-Project", "one"}, {"X-Langfuse-Project-Id", "two"}} {
		for _, want := range []int{2, 1} {
			if _, _, calls := c.send(t, http.MethodGet, reads, nil, append(named, "Authorization", "")...); calls != want {
				t.Errorf("%v: %d requests, want %d", named, calls, want)
			}
		}
	}
	if _, _, calls := c.send(t, http.MethodGet, reads+"?project=one", nil, "Authorization", ""); calls != 2 {
		t.Errorf("another way of naming it took %d requests", calls)
	}
}

// A request for a project that is being moved waits in the router, and then goes where the project is.
func TestHeldProjectsAreWaitedFor(t *testing.T) {
	t.Parallel()
	c := newCells(t)
	c.held.Store(true)
	moved := time.AfterFunc(700*time.Millisecond, func() { c.move("b"); c.held.Store(false) })
	defer moved.Stop()
	if status, text, _ := c.send(t, http.MethodGet, reads, nil); status != http.StatusOK || text != "a " {
		t.Errorf("a read while it is held: %d %q", status, text)
	}
	for _, path := range []string{otlp, prompts} {
		if status, text, _ := c.send(t, http.MethodPost, path, []byte("hello")); status != http.StatusOK || text != "b hello" {
			t.Errorf("%s: %d %q", path, status, text)
		}
	}
}

// A body that is too large to keep is sent once. So the way is found out before; and when it is stale, the client hears that
// it may send the same again.
func TestWaysOfLargeBodies(t *testing.T) {
	t.Parallel()
	c := newCells(t)
	large := bytes.Repeat([]byte("x"), 5<<20)
	c.move("b")
	if status, text, calls := c.send(t, http.MethodPost, otlp, large); status != http.StatusOK || text != "b xxxxxxxxxx" || calls != 2 {
		t.Errorf("not known yet: %d %q with %d requests", status, text, calls)
	}
	if status, text, calls := c.send(t, http.MethodPost, otlp, large); status != http.StatusOK || text != "b xxxxxxxxxx" || calls != 1 {
		t.Errorf("known: %d %q with %d requests", status, text, calls)
	}
	c.move("a")
	if status, text, _ := c.send(t, http.MethodPost, otlp, large); status != http.StatusServiceUnavailable || !strings.Contains(text, "send it again") {
		t.Errorf("stale: %d %q", status, text)
	}
	if status, text, _ := c.send(t, http.MethodPost, otlp, large); status != http.StatusOK || text != "a xxxxxxxxxx" {
		t.Errorf("sent again: %d %q", status, text)
	}
}

func TestSharedTracesAreAskedForEverywhere(t *testing.T) {
	t.Parallel()
	c := newCells(t)
	for _, at := range []string{"b", "a"} {
		c.trace.Store(&at)
		if status, text, _ := c.send(t, http.MethodGet, "/api/public/shared-traces/t/skeleton", nil, "Authorization", ""); status != http.StatusOK || text != at+" " {
			t.Errorf("in %s: %d %q", at, status, text)
		}
	}
	c.trace.Store(new("nowhere"))
	if status, _, calls := c.send(t, http.MethodGet, "/api/public/shared-traces/t/skeleton", nil, "Authorization", ""); status != http.StatusNotFound || calls != 2 {
		t.Errorf("nowhere: %d with %d requests", status, calls)
	}
}

// A cell that the router was not told of is an error of its operator, and no reason for clients to lose what they send.
func TestUnknownCells(t *testing.T) {
	t.Parallel()
	c := newCells(t)
	c.move("c")
	if status, text, _ := c.send(t, http.MethodPost, otlp, []byte("hello")); status != http.StatusServiceUnavailable || !strings.Contains(text, "was not told of the cell") {
		t.Errorf("%d %q", status, text)
	}
}

func TestCellsNeedEveryRole(t *testing.T) {
	t.Parallel()
	for want, cfg := range map[string]router.Config{
		"cell b: name at least one process with the role read":   {Ingest: []string{"a=http://a", "b=http://b"}, Read: []string{"a=http://a"}},
		"cell b: name at least one process with the role ingest": {Ingest: []string{"http://a"}, Read: []string{"http://a", "b=http://b"}},
		"cell b: name at least one process with the role grpc":   {Ingest: []string{"a=http://a", "b=http://b"}, Read: []string{"a=http://a", "b=http://b"}, GRPC: []string{"a=a:1"}},
	} {
		if _, err := router.New(cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
