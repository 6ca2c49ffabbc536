package router_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/sondehq/sonde/internal/router"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	otlp     = "/api/public/otel/v1/traces"
	events   = "/api/public/ingestion"
	reads    = "/api/public/v2/observations"
	datasets = "/api/public/v2/datasets"
	prompts  = "/api/public/v2/prompts"
)

// process is one behind the router: it says its name and what it was sent.
type process struct {
	*httptest.Server
	name  string
	calls atomic.Int64 // but for those that ask whether it is ready
	busy  atomic.Bool  // answers 503
	stuck atomic.Pointer[chan struct{}]
	drop  atomic.Bool // takes the request in and hangs up
}

func start(t *testing.T, name string) *process {
	t.Helper()
	p := &process{name: name}
	p.Server = httptest.NewServer(http.HandlerFunc(p.serve))
	t.Cleanup(p.Close)
	return p
}

func (p *process) serve(w http.ResponseWriter, r *http.Request) {
	if wait := p.stuck.Load(); wait != nil {
		select {
		case <-*wait:
		case <-r.Context().Done():
		}
	}
	if r.URL.Path == "/api/public/ready" {
		return
	}
	p.calls.Add(1)
	body, _ := io.ReadAll(r.Body)
	switch {
	case p.drop.Load():
		conn, _, _ := w.(http.Hijacker).Hijack()
		conn.Close()
	case p.busy.Load():
		w.WriteHeader(http.StatusServiceUnavailable)
	default:
		fmt.Fprintf(w, "%s %s %d %x", p.name, r.Host, len(body), sum(body)) //nolint:gosec // for a test, not a page
	}
}

func sum(body []byte) uint32 { return crc32.ChecksumIEEE(body) }

// cluster is two of each kind and a router that looks often.
type cluster struct {
	t      *testing.T
	ingest [2]*process
	read   [2]*process
	front  *httptest.Server
	ready  atomic.Bool
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	c := &cluster{t: t}
	for i := range 2 {
		c.ingest[i], c.read[i] = start(t, fmt.Sprintf("ingest%d", i)), start(t, fmt.Sprintf("read%d", i))
	}
	ui := start(t, "ui")
	r, err := router.New(router.Config{
		Ingest: []string{c.ingest[0].URL, c.ingest[1].URL}, Read: []string{c.read[0].URL, c.read[1].URL}, UI: []string{ui.URL},
		LookEvery: 20 * time.Millisecond, Ready: c.ready.Store,
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var run sync.WaitGroup
	run.Go(func() { r.Run(ctx) })
	c.front = httptest.NewServer(r)
	t.Cleanup(func() { cancel(); c.front.Close(); run.Wait() })
	return c
}

// awaitReady waits until the router says that there is, or is not, somebody for every request.
func (c *cluster) awaitReady(want bool) {
	c.t.Helper()
	for deadline := time.Now().Add(10 * time.Second); c.ready.Load() != want; {
		if time.Now().After(deadline) {
			c.t.Fatalf("ready is %t still", !want)
		}
		<-time.After(5 * time.Millisecond)
	}
}

func (c *cluster) send(method, path string, body []byte) (status int, text string) {
	c.t.Helper()
	return c.sendAs("", method, path, body)
}

func (c *cluster) sendAs(who, method, path string, body []byte) (status int, text string) {
	c.t.Helper()
	request, err := http.NewRequestWithContext(c.t.Context(), method, c.front.URL+path, bytes.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	request.Header.Set("Authorization", who)
	answer, err := c.front.Client().Do(request)
	if err != nil {
		c.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer answer.Body.Close()
	got, err := io.ReadAll(answer.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return answer.StatusCode, string(got)
}

func TestEachRequestGoesWhereItIsServed(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	host := strings.TrimPrefix(c.front.URL, "http://")
	for path, want := range map[string]string{
		otlp: "ingest", "/api/public/otel/v1/logs": "ingest", events: "ingest",
		reads: "read", "/api/public/scores": "read", "/generated/api/openapi.yml": "read", "/api/auth/session": "read",
		"/": "ui", "/project/p/traces": "ui", "/project/api/traces": "ui", "/api": "ui",
	} {
		seen := map[string]bool{}
		for range 4 {
			_, text := c.send(http.MethodPost, path, []byte("hello"))
			name, rest, _ := strings.Cut(text, " ")
			seen[name] = true
			if !strings.HasPrefix(name, want) || !strings.HasPrefix(rest, host+" 5 ") {
				t.Errorf("%s: %s", path, text)
			}
		}
		if want != "ui" && len(seen) != 2 {
			t.Errorf("%s went to %v only", path, seen)
		}
	}
}

// A process learns late of a prompt that another one changed: who changes it must not meet one that has not.
func TestPromptsComeFromWhoTookThem(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	all := map[string]bool{}
	for i := range 16 {
		seen := map[string]bool{}
		for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodGet, http.MethodPatch, http.MethodGet} {
			_, text := c.sendAs(fmt.Sprintf("Basic key%d", i), method, prompts+"/greet", nil)
			name, _, _ := strings.Cut(text, " ")
			seen[name], all[name] = true, true
		}
		if len(seen) != 1 {
			t.Errorf("prompts of one key went to %v", seen)
		}
	}
	if len(all) != 2 {
		t.Errorf("prompts of all keys went to %v only", all)
	}
}

// A process that is gone is not noticed, whatever is sent.
func TestOneProcessIsGone(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	c.ingest[0].Close()
	c.read[0].Close()
	for i := range 40 {
		for _, path := range []string{otlp, events, reads, prompts} {
			if status, text := c.send(http.MethodPost, path, []byte("hello")); status != http.StatusOK {
				t.Fatalf("%s, the %d. time: %d %s", path, i, status, text)
			}
		}
	}
}

// One that hangs is left out as soon as it is found so, and what it was sent is sent to another.
func TestOneProcessHangs(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	open := make(chan struct{})
	t.Cleanup(func() { close(open) })
	c.ingest[0].stuck.Store(&open)
	began := time.Now()
	for range 20 {
		if status, text := c.send(http.MethodPost, otlp, []byte("hello")); status != http.StatusOK || !strings.HasPrefix(text, "ingest1 ") {
			t.Fatalf("%d %s", status, text)
		}
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
}

// The last process that is there may be slow to say that it is ready: what it was sent stays with it.
func TestTheLastProcessIsSlow(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	c.awaitReady(true)
	open := make(chan struct{})
	c.read[0].Close()
	c.read[1].stuck.Store(&open)
	answered := make(chan string)
	go func() {
		status, text := c.send(http.MethodGet, reads, nil)
		answered <- fmt.Sprint(status, " ", text)
	}()
	c.awaitReady(false)
	c.read[1].stuck.Store(nil)
	close(open)
	if got := <-answered; !strings.HasPrefix(got, "200 read1 ") {
		t.Error(got)
	}
}

// What may be sent again is: reads and spans. Everything else is seen by one process only.
func TestWhatIsSentAgain(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*process){
		"busy":    func(p *process) { p.busy.Store(true) },
		"hang up": func(p *process) { p.drop.Store(true) },
	} {
		for _, c := range []struct {
			method, path string
			again        bool
		}{
			{http.MethodPost, otlp, true},
			{http.MethodPost, events, true},
			{http.MethodGet, reads, true},
			{http.MethodPost, datasets, false},
			{http.MethodDelete, datasets + "/a", false},
		} {
			t.Run(name+" "+c.method+c.path, func(t *testing.T) {
				t.Parallel()
				all := newCluster(t)
				behind := all.read
				if c.method == http.MethodPost && c.path != datasets {
					behind = all.ingest
				}
				spoil(behind[0])
				refused := 0
				const sent = 10
				for range sent {
					if status, _ := all.send(c.method, c.path, []byte("hello")); status != http.StatusOK {
						refused++
					}
				}
				seen := int(behind[0].calls.Load() + behind[1].calls.Load())
				if c.again && refused > 0 {
					t.Errorf("%d of %d were refused", refused, sent)
				}
				if !c.again && (seen != sent || refused == 0) {
					t.Errorf("%d processes saw %d requests, %d were refused", seen, sent, refused)
				}
			})
		}
	}
}

// With nobody left, clients are told what makes them try again: older SDKs know no 503.
func TestNobodyIsLeft(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	c.awaitReady(true)
	for i := range 2 {
		c.ingest[i].Close()
		c.read[i].Close()
	}
	c.awaitReady(false)
	for path, want := range map[string]int{otlp: 503, events: 500, reads: 503} {
		status, text := c.send(http.MethodPost, path, nil)
		if status != want || !strings.Contains(text, "send it again") {
			t.Errorf("%s: %d %s", path, status, text)
		}
	}
}

// Bodies arrive as they were sent, whether they are held, too large for that, or of unknown length.
func TestBodies(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	for _, size := range []int{0, 1, 4<<20 - 1, 4 << 20, 4<<20 + 1, 9 << 20} {
		body := make([]byte, size)
		_, _ = rand.Read(body)
		for _, known := range []bool{true, false} {
			var reader io.Reader = bytes.NewReader(body)
			if !known {
				reader = io.MultiReader(reader)
			}
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.front.URL+otlp, reader)
			if err != nil {
				t.Fatal(err)
			}
			answer, err := c.front.Client().Do(request)
			if err != nil {
				t.Fatalf("%d bytes, known %v: %v", size, known, err)
			}
			text, _ := io.ReadAll(answer.Body)
			answer.Body.Close()
			if want := fmt.Sprintf(" %d %x", size, sum(body)); !strings.HasSuffix(string(text), want) {
				t.Errorf("%d bytes, known %v: %s", size, known, text)
			}
		}
	}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	for want, cfg := range map[string]router.Config{
		"role ingest":  {Read: []string{"http://a"}},
		"role read":    {Ingest: []string{"http://a"}},
		"10.0.0.5":     {Ingest: []string{"localhost:3000"}, Read: []string{"http://a"}},
		"an address l": {Ingest: []string{"http://a"}, Read: []string{"ftp://a"}},
	} {
		if _, err := router.New(cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", cfg, err, want)
		}
	}
}
