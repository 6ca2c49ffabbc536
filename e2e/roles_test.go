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

// One process takes spans, one stores them, one reads them; they share a log, a store and metadata.
func TestRolesApart(t *testing.T) {
	shared := []string{"--eventlog-address=" + startNATS(t), "--metadata-url=" + testkit.Postgres(t), "--encryption-key=" + strings.Repeat("5a", 32)}
	store := "--engine-address=" + testkit.Engine(t)
	ingest := newServer(t, append([]string{"--role=ingest"}, shared...)...)
	write := newServer(t, append([]string{"--role=write", store}, shared...)...)
	read := newServer(t, append([]string{"--role=read", store}, shared...)...)
	for _, s := range []*server{ingest, write, read} {
		s.launch()
	}
	for _, s := range []*server{ingest, write, read} {
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
		server       *server
		takes, reads int
	}{
		"ingest": {ingest, http.StatusOK, http.StatusNotFound},
		"write":  {write, http.StatusNotFound, http.StatusNotFound},
		"read":   {read, http.StatusNotFound, http.StatusOK},
	} {
		client := c.server.client()
		taken, err := client.export(inJSON(t))
		if err != nil || taken.status != c.takes {
			t.Errorf("%s: an export is answered by %d: %s %v", name, taken.status, taken.body, err)
		}
		seen, err := client.do(http.MethodGet, observationsPath, nil)
		if err != nil || seen.status != c.reads {
			t.Errorf("%s: a read is answered by %d: %s %v", name, seen.status, seen.body, err)
		}
		if status, _, body := c.server.page("/"); status != c.reads {
			t.Errorf("%s: a page is answered by %d: %s", name, status, body)
		}
		if key, err := client.do(http.MethodGet, "/api/public/projects", nil); err != nil || key.err() != nil {
			t.Errorf("%s: %v %v", name, err, key.err())
		}
	}

	// Who neither stores nor reads needs no engine, and who only reads no log.
	for _, s := range []*server{ingest, write, read} {
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
	s := newServer(t, "--role=ingest", "--engine-library=/no/such/library")
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
