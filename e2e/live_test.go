package e2e_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/testkit"
)

const livePath = "/api/public/live"

// news is what a listener hears.
type news struct {
	t      *testing.T
	events chan newsEvent // closed when the stream ends
	leave  func()
}

type newsEvent struct {
	kind string
	data map[string]any
	at   time.Time
}

// listen opens a stream and waits until it works.
func (s *server) listenTo(target string) *news {
	s.t.Helper()
	ctx, cancel := context.WithCancel(s.t.Context())
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.listen+target, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Authorization", basicAuth(publicKey, secretKey))
	transport := &http.Transport{}
	response, err := transport.RoundTrip(request)
	if err != nil {
		s.t.Fatal(err)
	}
	if response.StatusCode != http.StatusOK {
		s.t.Fatalf("status %d", response.StatusCode)
	}
	n := &news{t: s.t, events: make(chan newsEvent, 1000)}
	var reading sync.WaitGroup
	reading.Go(func() {
		defer close(n.events)
		defer response.Body.Close()
		var e newsEvent
		for lines := bufio.NewScanner(response.Body); lines.Scan(); {
			switch name, value, _ := strings.Cut(lines.Text(), ": "); name {
			case "event":
				e.kind = value
			case "data":
				e.data, e.at = nil, time.Now()
				_ = json.Unmarshal([]byte(value), &e.data) // await looks at what is in it
				n.events <- e
			}
		}
	})
	n.leave = func() { cancel(); reading.Wait(); transport.CloseIdleConnections() }
	s.t.Cleanup(n.leave)
	n.await("ready", nil)
	return n
}

// await returns the first event of a kind whose members are as given.
func (n *news) await(kind string, with map[string]any) newsEvent {
	n.t.Helper()
	timeout := time.After(30 * time.Second)
	var seen []newsEvent
	for {
		select {
		case e, open := <-n.events:
			if !open {
				n.t.Fatalf("the stream ended without %s %v; it had %v", kind, with, seen)
			}
			seen = append(seen, e)
			matches := e.kind == kind
			for name, value := range with {
				matches = matches && e.data[name] == value
			}
			if matches {
				return e
			}
		case <-timeout:
			n.t.Fatalf("no %s %v; there were %v", kind, with, seen)
		}
	}
}

// Somebody waits for a first trace: every step on its way shows within two seconds, and every mistake
// with its reason.
func TestLiveNews(t *testing.T) {
	s := startServer(t)
	c := s.client()
	n := s.listenTo(livePath)
	spans := newSpans(3)
	ofTrace := s.listenTo(livePath + "?traceId=" + spans[0].trace)
	began := time.Now()
	c.send(inProtobuf(t, spans...))
	n.await("ingest.key_seen", map[string]any{"publicKey": publicKey, "path": tracesPath})
	n.await("ingest.accepted", map[string]any{"spans": 3.0, "requests": 1.0})
	stored := n.await("row.new", map[string]any{"rows": 3.0})
	if took := stored.at.Sub(began); took > 2*time.Second {
		t.Errorf("row.new came after %s", took)
	}
	t.Logf("row.new %s after the request began", stored.at.Sub(began).Round(time.Millisecond))
	ofTrace.await("trace.updated", nil)
	c.showsWithin(100*time.Millisecond+2*time.Second, spans)

	for _, mistake := range []struct {
		path, key, contentType, code string
	}{
		{tracesPath, c.key, "text/plain", "content_type"},
		{"/api/public/otel/v1/trace", c.key, "application/json", "wrong_path"},
		{tracesPath, basicAuth(publicKey, "sk-lf-wrong"), "application/json", "wrong_secret"},
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.base+mistake.path, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", mistake.key)
		request.Header.Set("Content-Type", mistake.contentType)
		response, err := http.DefaultTransport.RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		n.await("ingest.rejected", map[string]any{"code": mistake.code, "path": mistake.path})
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()

	remembered := struct {
		Data  []map[string]any
		Queue map[string]any
	}{}
	a, err := c.do(http.MethodGet, "/api/public/ingest-requests", nil)
	if err == nil {
		err = json.Unmarshal([]byte(a.body), &remembered)
	}
	if err != nil || len(remembered.Data) != 4 || remembered.Queue == nil {
		t.Errorf("ingest requests: %v %s", err, a.body)
	}

	// Streams do not hold up a stop.
	if took, code := s.stop(); code != 0 || took > 10*time.Second {
		t.Errorf("the server ended after %s with code %d", took, code)
	}
	for range n.events { //nolint:revive // until it is closed: the stream ended with the server
	}
}

// Who listens on a node that reads hears what others take and store.
func TestLiveNewsAcrossNodes(t *testing.T) {
	shared := []string{"--eventlog-address=" + startNATS(t), "--metadata-url=" + testkit.Postgres(t), "--encryption-key=" + strings.Repeat("5a", 32)}
	store := "--engine-address=" + testkit.Engine(t)
	ingest := newNode(t, append([]string{"--role=ingest"}, shared...)...)
	write := newNode(t, append([]string{"--role=write", store}, shared...)...)
	read := newNode(t, append([]string{"--role=read", store}, shared...)...)
	for _, s := range []*server{ingest, write, read} {
		s.launch()
	}
	for _, s := range []*server{ingest, write, read} {
		s.awaitReady()
	}
	n := read.listenTo(livePath)
	ingest.client().send(inProtobuf(t, newSpans(2)...))
	n.await("ingest.accepted", map[string]any{"spans": 2.0})
	n.await("row.new", map[string]any{"rows": 2.0})
	a, err := read.client().do(http.MethodGet, "/api/public/ingest-requests", nil)
	var got struct {
		Data  []map[string]any
		Nodes int
	}
	if err == nil {
		err = json.Unmarshal([]byte(a.body), &got)
	}
	if err != nil || len(got.Data) != 1 || got.Nodes != 3 {
		t.Errorf("ingest requests: %v %s", err, a.body)
	}
}
