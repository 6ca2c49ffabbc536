package e2e_test

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/api"
	"github.com/sondehq/sonde/internal/testkit"
)

var sample = regexp.MustCompile(`^(sonde_\w+)(?:\{(.*)\})? `)

// Every stage of the data's way is measured, and nothing a client chose becomes a label: the number
// of series is fixed.
func TestMetrics(t *testing.T) {
	const secret = "s3cr3t"
	s := newNode(t)
	s.env = append(s.env, "SONDE_INIT_PROJECT_ID="+secret)
	s.start()
	client := s.client()
	spans := newSpans(4)
	for i := range spans {
		spans[i].name, spans[i].trace = secret, secret
		spans[i].attributes = map[string]string{"user.id": secret, secret: secret}
	}
	client.send(inJSON(t, spans...))
	client.showsWithin(20*time.Second, spans)
	for _, target := range []string{"/api/" + secret, "//" + secret, observationsPath + "?name=" + secret, observationsPath + "/" + secret, observationsPath + "?limit=" + secret} {
		for _, method := range []string{http.MethodGet, http.MethodDelete, strings.ToUpper(secret)} {
			if _, err := client.do(method, target, nil, "User-Agent", secret, "X-Request-Id", secret); err != nil {
				t.Fatal(err)
			}
		}
	}
	if status, _, _ := s.page("/" + secret); status != http.StatusOK {
		t.Errorf("a page answers %d", status)
	}
	text, err := s.scrape()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(strings.ToLower(text), secret) {
		t.Errorf("client text is in the metrics:\n%s", text)
	}
	testkit.Golden(t, "testdata/metrics.golden", []byte(names(t, text)))
	for name, want := range map[string]float64{
		"sonde_ingest_spans_accepted_total": 4, "sonde_log_envelopes_appended_total": 1, "sonde_log_append_seconds_count": 1,
		"sonde_writer_rows_inserted_total": 4, "sonde_writer_insert_seconds_count": 1, "sonde_log_pending_envelopes": 0,
		`sonde_http_requests_total{route="/api/public/otel/v1/traces",status="200"}`:  1,
		`sonde_http_request_seconds_count{route="/api/public/otel/v1/traces"}`:        1,
		`sonde_http_requests_total{route="other",status="404"}`:                       9,
		`sonde_http_requests_total{route="ui",status="200"}`:                          1,
		`sonde_http_requests_total{route="/api/public/v2/observations",status="405"}`: 4,
		`sonde_http_requests_total{route="/api/public/v2/observations",status="400"}`: 1,
	} {
		if got, err := s.metric(name); err != nil || got != want {
			t.Errorf("%s is %v, want %v: %v", name, got, want, err)
		}
	}
}

// names lists our metrics with their labels, and checks the routes that are values of one.
func names(t *testing.T, text string) string {
	t.Helper()
	routes := map[string]bool{"other": true, "ui": true}
	for _, r := range api.Routes() {
		routes[r.Path] = true
	}
	found := map[string]bool{}
	for line := range strings.Lines(text) {
		parts := sample.FindStringSubmatch(line)
		if parts == nil {
			continue
		}
		var labels []string
		for _, label := range regexp.MustCompile(`(\w+)="([^"]*)"`).FindAllStringSubmatch(parts[2], -1) {
			labels = append(labels, label[1])
			if label[1] == "route" && !routes[label[2]] {
				t.Errorf("%q is no route", label[2])
			}
		}
		found[strings.TrimSpace(fmt.Sprintf("%s %s", parts[1], strings.Join(labels, " ")))] = true
	}
	return strings.Join(slices.Sorted(maps.Keys(found)), "\n") + "\n"
}
