package e2e_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"
)

// scan looks for a marker in every file of the server's directory, decoded.
func (s *server) scan(marker string) (places map[string]int) {
	s.t.Helper()
	r := run(s.t, environment(s.t), "bench", "scan", "--json", "--dir", s.dir, "--marker", marker)
	var found struct{ Places map[string]int }
	if err := json.Unmarshal([]byte(r.stdout), &found); err != nil {
		s.t.Fatalf("scan: %v: %+v", err, r)
	}
	return found.Places
}

// Traces are deleted while some of them are still in the log. Engine and server are killed on the way; the job goes
// on and ends, and no file holds anything of them.
func TestErasureSurvivesKill(t *testing.T) {
	t.Parallel()
	s := startNode(t)
	c := s.client()
	marker := fmt.Sprintf("zq%016x%016x", rand.Uint64(), rand.Uint64())
	kept, gone := newSpans(20), newSpans(20)
	for i := range gone {
		gone[i].attributes = map[string]string{"langfuse.observation.input": "about " + marker, "langfuse.trace.tags": `["` + marker + `"]`}
	}
	c.send(inProtobuf(t, append(kept, gone[:15]...)...))
	c.has(gone[0].trace, 15)
	if places := s.scan(marker); places["engine"] == 0 || places["log"] == 0 {
		t.Fatalf("before the delete the marker is in %v", places)
	}
	c.send(inProtobuf(t, gone[15:]...))
	a, err := c.do(http.MethodDelete, "/api/public/traces", []byte(`{"traceIds":["`+gone[0].trace+`"]}`), "Content-Type", "application/json")
	if err != nil || a.status != http.StatusOK || strings.TrimSpace(a.body) != `{"message":"Traces deleted successfully"}` {
		t.Fatalf("delete: %v, %+v", err, a)
	}
	c.hides(gone[0].trace)
	id := a.header.Get("X-Sonde-Job")
	c.awaitJob(id, time.Minute, "the job waits for the log", func(j job) bool { return j.State == "running" })
	s.signal(s.engine(), syscall.SIGKILL)
	s.signal(s.pid(), syscall.SIGKILL)
	<-s.exited
	s.start()
	c.hides(gone[0].trace)
	c.awaitJob(id, time.Minute, "the job rewrites the store", func(j job) bool { return j.State == "done" || j.State == "running" && j.Progress.Done >= 3 })
	s.signal(s.engine(), syscall.SIGKILL)
	j := c.awaitJob(id, 3*time.Minute, "the job is done", func(j job) bool { return j.State == "done" })
	if j.Attempts < 2 {
		t.Errorf("the job ended as %+v", j)
	}
	if places := s.scan(marker); len(places) > 0 {
		t.Errorf("after the job the marker is in %v", places)
	}
	c.hides(gone[0].trace)
	c.has(kept[0].trace, len(kept))
	s.reportsErasure(c, id, gone[0].trace, len(gone))
}

// reportsErasure: the rows were counted before the first of them was erased, however often the job began again.
func (s *server) reportsErasure(c *client, job, trace string, rows int) {
	s.t.Helper()
	report, err := c.do(http.MethodGet, "/api/public/erasures", nil)
	for _, want := range []string{`"state":"ERASED"`, fmt.Sprintf(`"observations":%d`, rows), `"rowsLeft":0`, job, trace} {
		if err != nil || !strings.Contains(report.body, want) {
			s.t.Errorf("the report has no %s: %s, %v", want, report.body, err)
		}
	}
	if r := run(s.t, environment(s.t), "erasures", s.metadataFlag()); r.code != 0 || !strings.Contains(r.stdout, "1 traces") {
		s.t.Errorf("sonde erasures: %+v", r)
	}
}

// has waits until a trace has so many rows.
func (c *client) has(trace string, rows int) {
	c.t.Helper()
	eventually(c.t, 20*time.Second, "the rows are readable", func() error {
		p, err := c.observations(url.Values{"traceId": {trace}, "limit": {"100"}})
		if err == nil && len(p.Data) != rows {
			err = fmt.Errorf("%d rows of %d", len(p.Data), rows)
		}
		return err
	})
}

// hides asks once: a delete has been answered.
func (c *client) hides(trace string) {
	c.t.Helper()
	p, err := c.observations(url.Values{"traceId": {trace}})
	if err != nil || len(p.Data) > 0 {
		c.t.Errorf("rows of a deleted trace: %+v, %v", p.Data, err)
	}
}
