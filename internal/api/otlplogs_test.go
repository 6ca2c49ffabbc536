package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/sondehq/sonde/internal/api"
	"github.com/sondehq/sonde/internal/ingest"
)

const logs = "/api/public/otel/v1/logs"

func TestLogs(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for contentType, want := range map[string]string{"application/json": "{}\n", "application/x-protobuf": ""} {
		a := f.send(t, request("POST", logs, keyA, strings.NewReader(gzipped(t, "records")), "Content-Type", contentType, "Content-Encoding", "gzip"))
		if a.status != http.StatusOK || a.body != want {
			t.Errorf("%s: status %d, body %q", contentType, a.status, a.body)
		}
	}
	if len(f.ingest.got) != 2 || string(f.ingest.got[0].Body) != "records" || f.ingest.got[0].ProjectID != "project-a" {
		t.Errorf("submissions %+v", f.ingest.got)
	}
	f.ingest.answer = ingest.Outcome{Rejected: 3, Reason: "too many"}
	a := f.send(t, request("POST", logs, keyA, strings.NewReader("{}"), "Content-Type", "application/json"))
	if want := `{"partialSuccess":{"rejectedLogRecords":"3","errorMessage":"too many"}}` + "\n"; a.body != want {
		t.Errorf("body %s", a.body)
	}
}

func TestNoLogs(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *api.Config) { c.Logs = nil })
	if a := f.send(t, request("POST", logs, keyA, nil)); a.status != http.StatusNotFound {
		t.Errorf("status %d", a.status)
	}
}
