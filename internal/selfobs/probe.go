package selfobs

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// ProbeMetrics is what a probe shows of the server it writes to and reads from.
type ProbeMetrics struct {
	book

	rounds                *prometheus.CounterVec
	success, last         prometheus.Gauge
	acknowledge, readable prometheus.Observer
}

// NewProbeMetrics registers everything a probe shows.
func NewProbeMetrics() *ProbeMetrics {
	m := &ProbeMetrics{book: newBook()}
	m.rounds = m.counters("probe_rounds_total", "Rounds of the probe by outcome: ok, refused (not acknowledged), missing (not readable within the bound), different (read back with other content).", "outcome")
	m.success = m.gauge("probe_success", "Whether the last round of the probe succeeded.")
	m.last = m.gauge("probe_last_success_timestamp_seconds", "When a round last succeeded, in Unix time.")
	m.acknowledge = m.histogram("probe_acknowledge_seconds", "Time from sending a trace to its acknowledgement.", seconds)
	m.readable = m.histogram("probe_readable_seconds", "Time from the acknowledgement of a trace and its score to both being read back.", seconds)
	preset(m.rounds, "ok", "refused", "missing", "different")
	return m
}

// Handler serves the metrics in Prometheus' text format.
func (m *ProbeMetrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// Round notes how a round ended; times that were not reached are zero.
func (m *ProbeMetrics) Round(outcome string, acknowledged, readable time.Duration) {
	m.rounds.WithLabelValues(outcome).Inc()
	m.success.Set(number(outcome == "ok"))
	if acknowledged > 0 {
		m.acknowledge.Observe(acknowledged.Seconds())
	}
	if readable > 0 {
		m.readable.Observe(readable.Seconds())
	}
	if outcome == "ok" {
		m.last.SetToCurrentTime()
	}
}
