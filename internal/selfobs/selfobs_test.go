package selfobs_test

import (
	"bytes"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/selfobs"
)

func TestMetricsOfEveryStage(t *testing.T) {
	t.Parallel()
	m := selfobs.NewMetrics()
	m.Accepted(7, 1)
	m.Refused()
	m.Appended(100, time.Millisecond)
	m.Inserted(7, time.Millisecond)
	m.InsertFailed()
	m.Buried()
	m.EngineRestarts(2)
	m.Request("/api/public/projects", 200, time.Millisecond)
	m.WatchLog(func() selfobs.LogState {
		return selfobs.LogState{Pending: 3, Lag: 2 * time.Second, Bytes: 9, DeadLetters: 1}
	})
	answer := httptest.NewRecorder()
	m.Handler().ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil))
	for _, line := range []string{
		"sonde_ingest_spans_accepted_total 7", "sonde_ingest_spans_rejected_total 1", "sonde_ingest_requests_refused_total 1",
		"sonde_log_envelopes_appended_total 1", "sonde_log_bytes_appended_total 100", "sonde_log_pending_envelopes 3",
		"sonde_log_lag_seconds 2", "sonde_log_bytes 9", "sonde_log_dead_letters 1", "sonde_writer_rows_inserted_total 7",
		"sonde_writer_insert_failures_total 1", "sonde_writer_dead_letters_total 1", "sonde_engine_restarts 2",
		`sonde_http_requests_total{route="/api/public/projects",status="200"} 1`, "sonde_log_append_seconds_count 1",
		"sonde_writer_insert_seconds_count 1", `sonde_http_request_seconds_count{route="/api/public/projects"} 1`,
	} {
		if !strings.Contains(answer.Body.String(), line+"\n") {
			t.Errorf("there is no line %q", line)
		}
	}
}

func TestLogger(t *testing.T) {
	t.Parallel()
	var text bytes.Buffer
	logger, err := selfobs.NewLogger(&text, "json", "warn")
	if err != nil {
		t.Fatal(err)
	}
	logger.Info("quiet")
	logger.Warn("loud")
	if got := text.String(); strings.Contains(got, "quiet") || !strings.Contains(got, `"msg":"loud"`) {
		t.Errorf("logged %s", got)
	}
	if _, err := selfobs.NewLogger(&text, "xml", "info"); err == nil {
		t.Error("format xml is accepted")
	}
	if _, err := selfobs.NewLogger(&text, "text", "loud"); err == nil {
		t.Error("level loud is accepted")
	}
}
