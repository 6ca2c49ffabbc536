package e2e_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/testkit"
)

// One process takes spans, one stores them, one reads them, one works on them, one shows pages; they share a log, a store
// and metadata.
func TestRolesApart(t *testing.T) {
	shared := []string{"--eventlog-address=" + startNATS(t), "--metadata-url=" + testkit.Postgres(t), "--encryption-key=" + strings.Repeat("5a", 32)}
	store := "--engine-address=" + testkit.Engine(t)
	ingest := newNode(t, append([]string{"--role=ingest"}, shared...)...)
	write := newNode(t, append([]string{"--role=write", store}, shared...)...)
	read := newNode(t, append([]string{"--role=read", store}, shared...)...)
	work := newNode(t, append([]string{"--role=jobs", store}, shared...)...)
	pages := newNode(t, append([]string{"--role=ui"}, shared...)...)
	all := []*server{ingest, write, read, work, pages}
	for _, s := range all {
		s.launch()
	}
	for _, s := range all {
		s.awaitReady()
	}
	spans := newSpans(50)
	ingest.client().send(inProtobuf(t, spans...))
	read.client().showsWithin(20*time.Second, spans)

	// Who has the store says what became of them, whoever took them.
	taken, err := ingest.client().export(inJSON(t, newSpans(1)...))
	if err != nil || taken.err() != nil {
		t.Fatalf("%v %v", err, taken.err())
	}
	for _, s := range []*server{write, read} {
		s.client().awaitReceipt(taken, "stored")
	}

	// Each answers for its own role only, and all of them say whose key it is.
	for name, c := range map[string]struct {
		server                     *server
		takes, scores, reads, page int
	}{
		"ingest": {ingest, http.StatusOK, http.StatusOK, http.StatusNotFound, http.StatusNotFound},
		"write":  {write, http.StatusNotFound, http.StatusNotFound, http.StatusNotFound, http.StatusNotFound},
		"read":   {read, http.StatusNotFound, http.StatusOK, http.StatusOK, http.StatusNotFound},
		"jobs":   {work, http.StatusNotFound, http.StatusNotFound, http.StatusNotFound, http.StatusNotFound},
		"ui":     {pages, http.StatusNotFound, http.StatusNotFound, http.StatusNotFound, http.StatusOK},
	} {
		c.server.answersBy(name, c.takes, c.scores, c.reads, c.page)
	}

	// What is asked for where things are read is done where jobs are.
	reading := read.client()
	deleted, err := reading.do(http.MethodDelete, "/api/public/traces/"+spans[0].trace, nil)
	if err != nil || deleted.err() != nil {
		t.Fatalf("delete: %v %v", err, deleted.err())
	}
	reading.hides(spans[0].trace)
	reading.awaitJob(deleted.header.Get("X-Sonde-Job"), time.Minute, "the job is done", func(j job) bool { return j.State == "done" })

	// Who neither stores nor reads needs no engine, and who only reads no log.
	for _, s := range all {
		if pid := s.engine(); pid != 0 {
			t.Errorf("%v started an engine of its own", s.flags)
		}
	}
	if _, err := os.Stat(filepath.Join(read.dir, "log")); err == nil {
		t.Error("the reading node has a log of its own")
	}
}

// A node that only takes spans starts where no engine can.
func TestIngestNeedsNoEngine(t *testing.T) {
	s := newNode(t, "--role=ingest", "--engine-library=/no/such/library")
	s.start()
	s.client().send(inProtobuf(t, newSpans(3)...))
	if s.engine() != 0 {
		t.Error("it started an engine")
	}
	recent, err := s.client().do(http.MethodGet, "/api/public/health?failIfNoRecentEvents=true", nil)
	if err != nil || recent.status != http.StatusServiceUnavailable {
		t.Errorf("recent events without a store: status %d, %v", recent.status, err)
	}
}

// A node that serves reads starts, and reads, while the log is away; what needs the log says so.
func TestReadsNeedNoLog(t *testing.T) {
	away := freeAddress(t)
	s := newNode(t, "--role=read", "--role=ui", "--eventlog-address=nats://"+away, "--engine-address="+testkit.Engine(t))
	s.start()
	c := s.client()
	if seen, err := c.do(http.MethodGet, observationsPath, nil); err != nil || seen.err() != nil {
		t.Errorf("a read: %v %v", err, seen.err())
	}
	score, err := c.do(http.MethodPost, "/api/public/scores", []byte(`{"traceId":"t","name":"n","value":1}`), "Content-Type", "application/json")
	if err != nil || score.status != http.StatusServiceUnavailable {
		t.Errorf("a score without a log: status %d, %v", score.status, err)
	}
}

// answersBy looks at the status of an export, a score, a read and a page; everybody says whose key it is.
func (s *server) answersBy(name string, takes, scores, reads, page int) {
	s.t.Helper()
	client := s.client()
	taken, err := client.export(inJSON(s.t))
	if err != nil || taken.status != takes {
		s.t.Errorf("%s: an export is answered by %d: %s %v", name, taken.status, taken.body, err)
	}
	seen, err := client.do(http.MethodGet, observationsPath, nil)
	if err != nil || seen.status != reads {
		s.t.Errorf("%s: a read is answered by %d: %s %v", name, seen.status, seen.body, err)
	}
	score, err := client.do(http.MethodPost, "/api/public/scores", []byte(`{"traceId":"t","name":"n","value":1}`), "Content-Type", "application/json")
	if err != nil || score.status != scores {
		s.t.Errorf("%s: a score is answered by %d: %s %v", name, score.status, score.body, err)
	}
	if status, _, body := s.page("/"); status != page {
		s.t.Errorf("%s: a page is answered by %d: %s", name, status, body)
	}
	if key, err := client.do(http.MethodGet, "/api/public/projects", nil); err != nil || key.err() != nil {
		s.t.Errorf("%s: %v %v", name, err, key.err())
	}
}
