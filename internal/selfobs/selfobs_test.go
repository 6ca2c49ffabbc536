package selfobs_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/selfobs"
	"github.com/sondehq/sonde/internal/testkit"
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
	m.Request(selfobs.Request{Route: "/api/public/projects", Status: 200, Took: time.Millisecond})
	m.Request(selfobs.Request{Protocol: selfobs.HTTP, Route: "/api/public/otel/v1/traces", Status: 200, Took: time.Second, Acknowledged: time.Millisecond})
	m.AppendFailed()
	m.Stored(3, time.Now().Add(time.Minute)) // another clock
	m.Read("over_rows", time.Second, map[string]float64{"rows": 1.1, "time": .2})
	m.Read("whatever", time.Second, nil)
	m.BlobFailed("put")
	m.JobSettled("erase", "failed")
	m.Delivery("failed")
	m.Up(selfobs.Engine, false)
	m.ClockOffset(selfobs.Log, -time.Second)
	m.Disk("log", 5, 10)
	m.Bounds(7, 30*time.Second, 8, 9)
	m.Ready(true)
	m.Stalled(4 * time.Second)
	m.Jobs(map[string]selfobs.OpenJobs{"erase": {Queued: 1, Waiting: 2, Running: 3, Idle: time.Minute}})
	m.WatchLog(func() (selfobs.LogState, error) {
		return selfobs.LogState{Pending: 3, Lag: 2 * time.Second, Bytes: 9, CapacityBytes: 10, DeadLetters: 1, Partitions: []selfobs.PartitionState{
			{}, {Pending: 3, Lag: 2 * time.Second, Redelivered: 1, ReplicasMissing: 2},
		}}, nil
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
		`sonde_ingest_acknowledge_seconds_count{protocol="http",route="/api/public/otel/v1/traces"} 1`, "sonde_log_append_failures_total 1",
		`sonde_writer_envelopes_stored_total{partition="3"} 1`, "sonde_writer_freshness_seconds_sum 0", `sonde_reads_total{outcome="over_rows"} 1`,
		`sonde_reads_total{outcome="failed"} 1`, `sonde_reads_total{outcome="busy"} 0`, `sonde_read_budget_used_ratio_bucket{bound="rows",le="1"} 0`,
		`sonde_blob_failures_total{operation="put"} 1`, `sonde_jobs_settled_total{kind="erase",outcome="failed"} 1`,
		`sonde_alert_deliveries_total{outcome="failed"} 1`, `sonde_dependency_up{dependency="engine"} 0`,
		`sonde_dependency_clock_offset_seconds{dependency="log"} -1`, `sonde_disk_free_bytes{place="log"} 5`, "sonde_disk_reserve_bytes 7",
		`sonde_read_budget{bound="rows"} 8`, "sonde_ready 1", "sonde_writer_stalled_seconds 4", `sonde_jobs_open{kind="erase",state="waiting"} 2`,
		`sonde_jobs_idle_seconds{kind="erase"} 60`, "sonde_log_capacity_bytes 10", `sonde_log_partition_pending_envelopes{partition="1"} 3`,
		`sonde_log_partition_lag_seconds{partition="1"} 2`, `sonde_log_partition_redelivered_envelopes{partition="1"} 1`,
		`sonde_log_partition_replicas_missing{partition="1"} 2`,
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

// A log that does not answer has no state: a zero would say that all is well.
func TestAStateThatCannotBeReadIsNotShown(t *testing.T) {
	t.Parallel()
	m := selfobs.NewMetrics()
	m.WatchLog(func() (selfobs.LogState, error) { return selfobs.LogState{}, errors.New("away") })
	answer := httptest.NewRecorder()
	m.Handler().ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil))
	if answer.Code != 200 || strings.Contains(answer.Body.String(), "sonde_log_lag_seconds") || !strings.Contains(answer.Body.String(), "sonde_build_info{") {
		t.Errorf("%d: %s", answer.Code, answer.Body)
	}
}

// The page of metrics is written from the code: nothing of it can be old.
func TestThePageOfMetrics(t *testing.T) {
	t.Parallel()
	var page strings.Builder
	page.WriteString(`# Metrics

Every metric of our own, on ` + "`--metrics-listen`" + ` (those of ` + "`sonde_probe_…`" + `: on the probe's ` + "`--listen`" + `), beside those of Go and of the process.
No label carries a project or any other text of a client, so the number of series is bounded. Written from the code by ` + "`make golden`" + `.
[Watching](../operate/watching.md) says which to look at, [the runbook](../operate/runbook.md) what to do.

| Metric | Type | Labels | Means |
|---|---|---|---|
`)
	names := map[string]bool{}
	for _, m := range selfobs.Catalog() {
		if names[m.Name] {
			t.Errorf("%s is there twice", m.Name)
		}
		names[m.Name] = true
		fmt.Fprintf(&page, "| `%s` | %s | %s | %s |\n", m.Name, m.Type, strings.Join(m.Labels, ", "), m.Help)
	}
	testkit.Golden(t, "../../docs/reference/metrics.md", []byte(page.String()))
}
