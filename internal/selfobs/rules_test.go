package selfobs_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/sondehq/sonde/internal/selfobs"
)

const (
	rulesFile = "../../deploy/prometheus/alerts.yaml"
	boardFile = "../../deploy/grafana/sonde.json"
	runbook   = "../../docs/operate/runbook.md"
)

// alertRule is one rule of the file.
type alertRule struct {
	Alert       string
	Expr        string
	Labels      map[string]string
	Annotations map[string]string
}

func readRules(t *testing.T) []alertRule {
	t.Helper()
	text, err := os.ReadFile(rulesFile)
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Groups []struct{ Rules []alertRule } }
	if err := yaml.Unmarshal(text, &file); err != nil || len(file.Groups) != 1 {
		t.Fatalf("%d groups: %v", len(file.Groups), err)
	}
	return file.Groups[0].Rules
}

// fault is what Prometheus sees: a minute of health, then the fault, in scrapes of 15 s.
type fault struct {
	series map[string]string // name with labels: values, one per scrape, in Prometheus' notation
	labels string            // of the alert, beside those of its target
}

const (
	healthy = "0x4 "
	target  = `job="sonde",instance="a"`
)

// gauge is 0 for a minute, then something else.
func gauge(name, value string) fault {
	return fault{series: map[string]string{name: healthy + value + "x8"}}
}

// counter stands still for a minute, then grows with every scrape.
func counter(name string) fault { return fault{series: map[string]string{name: "7x4 9+2x8"}} }

func labeled(f fault, labels string) fault {
	f.labels = labels
	return f
}

// slow is a histogram whose observations move into its last bucket.
func slow(name, bound string) fault {
	return fault{series: map[string]string{
		name + `_bucket{le="0.1"}`: "0+9x4 36x8", name + `_bucket{le="` + bound + `"}`: "0+9x4 36+1x8", name + `_bucket{le="30"}`: "0+9x4 46+10x8", name + `_bucket{le="+Inf"}`: "0+9x4 46+10x8",
	}}
}

// down is a dependency that goes away.
func down(dependency string) fault {
	return labeled(fault{series: map[string]string{`sonde_dependency_up{dependency="` + dependency + `"}`: "1x4 0x8"}}, `dependency="`+dependency+`"`)
}

var faults = map[string]fault{
	"SondeDown":               {series: map[string]string{"up": "1x4 0x8"}},
	"SondeRestartLoop":        {series: map[string]string{"process_start_time_seconds": "1x4 2 3 4 5 6 7 8 9"}},
	"SondeNotReady":           {series: map[string]string{"sonde_ready": "1x4 0x8"}},
	"SondeIngestRefused":      counter("sonde_ingest_requests_refused_total"),
	"SondeNotAcknowledging":   counter("sonde_log_append_failures_total"),
	"SondeAcknowledgesSlowly": slow("sonde_ingest_acknowledge_seconds", "2.5"),
	"SondeWriterStalled":      {series: map[string]string{"sonde_writer_stalled_seconds": "0x4 0+15x8"}},
	"SondeLag":                {series: map[string]string{`sonde_log_partition_lag_seconds{partition="3"}`: "1x4 1+15x8", `sonde_log_partition_lag_seconds{partition="0"}`: "0x12"}},
	"SondeStale":              slow("sonde_writer_freshness_seconds", "10"),
	"SondePartitionTakenOver": gauge(`sonde_log_partition_redelivered_envelopes{partition="3"}`, "4"),
	"SondeInsertsFail":        counter("sonde_writer_insert_failures_total"),
	"SondeDeadLetters":        gauge("sonde_log_dead_letters", "1"),
	"SondeEngineDown":         down(selfobs.Engine),
	"SondeEngineRestartLoop":  {series: map[string]string{"sonde_engine_restarts": "1x4 2 3 4 5 6 7 8 9"}},
	"SondeLogDown":            down(selfobs.Log),
	"SondeLogReplicaMissing":  gauge(`sonde_log_partition_replicas_missing{partition="3"}`, "1"),
	"SondeMetadataDown":       down(selfobs.Metadata),
	"SondeBlobsDown":          {series: map[string]string{`sonde_dependency_up{dependency="blobs"}`: "1x12", `sonde_blob_failures_total{operation="put"}`: "7x4 9+2x8"}},
	"SondeDiskNearlyFull":     labeled(fault{series: map[string]string{`sonde_disk_free_bytes{place="log"}`: "90x4 19x8", `sonde_disk_size_bytes{place="log"}`: "100x12", "sonde_disk_reserve_bytes": "10x12"}}, `place="log"`),
	"SondeLogNearlyFull":      {series: map[string]string{"sonde_log_bytes": "50x4 90x8", "sonde_log_capacity_bytes": "100x12"}},
	"SondeReadsOverBudget":    labeled(counter(`sonde_reads_total{outcome="over_rows"}`), `outcome="over_rows"`),
	"SondeReadsFail":          counter(`sonde_reads_total{outcome="failed"}`),
	"SondeRequestsFail":       labeled(fault{series: map[string]string{`sonde_http_requests_total{route="/x",status="500"}`: "_x5 1x8"}}, `route="/x"`),
	"SondeClockOffset":        labeled(fault{series: map[string]string{`sonde_dependency_clock_offset_seconds{dependency="log"}`: "0.5x4 -3x8", "sonde_clock_timestamp_seconds": "0+15x12"}}, `dependency="log"`),
	"SondeCertificateExpires": {series: map[string]string{"sonde_tls_certificate_expiry_timestamp_seconds": "9000000x4 100x8"}},
	"SondeJobStuck":           labeled(fault{series: map[string]string{`sonde_jobs_idle_seconds{kind="erase"}`: "0x4 10+15x8"}}, `kind="erase"`),
	"SondeJobsFail":           labeled(counter(`sonde_jobs_settled_total{kind="erase",outcome="failed"}`), `kind="erase"`),
	"SondeAlertsNotDelivered": counter(`sonde_alert_deliveries_total{outcome="failed"}`),
	"SondeProbeFails":         {series: map[string]string{"sonde_probe_success": "1x4 0x8"}},
}

// Every alert fires within 45 s of a fault that the next scrape sees, which leaves 15 s of a minute for the server to
// find it; before, and on the faults of others, it is silent.
func TestEveryAlertFiresOnItsFaultAlone(t *testing.T) {
	t.Parallel()
	rules := readRules(t)
	dir := t.TempDir()
	absolute, err := filepath.Abs(rulesFile)
	if err != nil {
		t.Fatal(err)
	}
	var cases strings.Builder
	fmt.Fprintf(&cases, "rule_files: [%s]\nevaluation_interval: 5s\ntests:\n", absolute)
	for _, rule := range rules {
		f, ok := faults[rule.Alert]
		if !ok {
			t.Errorf("%s has no fault here", rule.Alert)
			continue
		}
		labels := `alertname="` + rule.Alert + `",alertstate="firing",` + target + `,severity="` + rule.Labels["severity"] + `"`
		if f.labels != "" {
			labels += "," + f.labels
		}
		fmt.Fprintf(&cases, "  - interval: 15s\n    name: %s\n    input_series:\n", rule.Alert)
		for _, name := range slices.Sorted(maps.Keys(f.series)) {
			fmt.Fprintf(&cases, "      - {series: '%s', values: '%s'}\n", withTarget(name), f.series[name])
		}
		fmt.Fprintf(&cases, `    promql_expr_test:
      - {expr: 'ALERTS{alertstate="firing"}', eval_time: 60s, exp_samples: []}
      - {expr: 'ALERTS{alertstate="firing",alertname="%s"}', eval_time: 105s, exp_samples: [{labels: 'ALERTS{%s}', value: 1}]}
      - {expr: 'ALERTS{alertstate="firing",alertname!="%s"}', eval_time: 105s, exp_samples: []}
`, rule.Alert, labels, rule.Alert)
	}
	if len(faults) != len(rules) {
		t.Errorf("there are %d faults and %d rules", len(faults), len(rules))
	}
	file := filepath.Join(dir, "test.yaml")
	if err := os.WriteFile(file, []byte(cases.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	promtool(t, "test", "rules", file)
}

func withTarget(series string) string {
	if name, labels, ok := strings.Cut(series, "{"); ok {
		return name + "{" + target + "," + labels
	}
	return series + "{" + target + "}"
}

func promtool(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), "promtool", args...).CombinedOutput(); err != nil {
		t.Errorf("promtool %s (Debian's package prometheus has it): %v\n%s", strings.Join(args, " "), err, out)
	}
}

func TestRulesAreReadByPrometheus(t *testing.T) {
	t.Parallel()
	promtool(t, "check", "rules", rulesFile)
	promtool(t, "check", "config", "../../deploy/prometheus/prometheus.yaml")
}

var metricName = regexp.MustCompile(`\b(sonde|process|go)_[a-z0-9_]+|\bup\b`)

// What rules and the board ask for is what the server shows, and every alert says what it is about and what to do.
func TestRulesAndBoardKnowOnlyOurMetrics(t *testing.T) {
	t.Parallel()
	known := map[string]bool{"up": true, "process_start_time_seconds": true, "process_resident_memory_bytes": true, "process_cpu_seconds_total": true, "process_open_fds": true}
	for _, m := range selfobs.Catalog() {
		known[m.Name] = true
		if m.Type == "histogram" {
			known[m.Name+"_bucket"], known[m.Name+"_count"], known[m.Name+"_sum"] = true, true, true
		}
	}
	pages, err := os.ReadFile(runbook)
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range readRules(t) {
		for _, name := range metricName.FindAllString(rule.Expr, -1) {
			if !known[name] {
				t.Errorf("%s asks for %s, which nothing shows", rule.Alert, name)
			}
		}
		if rule.Annotations["summary"] == "" || rule.Annotations["description"] == "" || !slices.Contains([]string{"page", "ticket"}, rule.Labels["severity"]) {
			t.Errorf("%s says too little: %v %v", rule.Alert, rule.Labels, rule.Annotations)
		}
		if !strings.HasSuffix(rule.Annotations["runbook_url"], "/docs/operate/runbook.md#"+strings.ToLower(rule.Alert)) || !strings.Contains(string(pages), "\n## "+rule.Alert+"\n") {
			t.Errorf("%s has no section in the runbook: %s", rule.Alert, rule.Annotations["runbook_url"])
		}
	}
	for expression := range boardExpressions(t) {
		names := metricName.FindAllString(expression, -1)
		if len(names) == 0 {
			t.Errorf("the board asks for nothing: %s", expression)
		}
		for _, name := range names {
			if !known[name] {
				t.Errorf("the board asks for %s, which nothing shows", name)
			}
		}
	}
}

// boardExpressions are all queries of the dashboard.
func boardExpressions(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(boardFile)
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Title, UID string
		Panels     []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(text, &board); err != nil || board.UID == "" || len(board.Panels) == 0 {
		t.Fatalf("%s: %+v, %v", boardFile, board, err)
	}
	found := map[string]bool{}
	for _, panel := range board.Panels {
		for _, target := range panel.Targets {
			found[target.Expr] = true
		}
	}
	return found
}
