package selfobs

import (
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics counts what passes each stage of the data's way. No label carries a project or any
// other client text, so the number of series is fixed.
type Metrics struct {
	registry *prometheus.Registry

	accepted, rejected, refused    prometheus.Counter
	logsKept, logsDropped          prometheus.Counter
	events, eventsRejected, notes  prometheus.Counter
	appended, appendedBytes        prometheus.Counter
	appendSeconds                  prometheus.Histogram
	inserted, insertFailures, dead prometheus.Counter
	insertSeconds                  prometheus.Histogram
	requestSeconds                 *prometheus.HistogramVec
	requests                       *prometheus.CounterVec
	engineRestarts                 prometheus.Gauge
}

// NewMetrics registers everything, with Go and process metrics beside it.
func NewMetrics() *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry()}
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.accepted = m.counter("ingest_spans_accepted_total", "Spans acknowledged to clients.")
	m.rejected = m.counter("ingest_spans_rejected_total", "Spans refused one by one inside an accepted request.")
	m.refused = m.counter("ingest_requests_refused_total", "Requests answered 503 because the log could not take them.")
	m.logsKept = m.counter("ingest_log_records_kept_total", "Log records that carry messages of a span.")
	m.logsDropped = m.counter("ingest_log_records_dropped_total", "Other log records: they are answered and not kept.")
	m.events = m.counter("ingest_events_accepted_total", "Events of older clients acknowledged.")
	m.eventsRejected = m.counter("ingest_events_rejected_total", "Events of older clients refused one by one.")
	m.notes = m.counter("ingest_sdk_logs_total", "Events in which older clients tell about themselves; they are only counted.")
	m.appended = m.counter("log_envelopes_appended_total", "Envelopes the log has on disk.")
	m.appendedBytes = m.counter("log_bytes_appended_total", "Bytes of appended envelopes.")
	m.appendSeconds = m.histogram("log_append_seconds", "Time from append to durable.")
	m.inserted = m.counter("writer_rows_inserted_total", "Rows the trace store acknowledged.")
	m.insertFailures = m.counter("writer_insert_failures_total", "Inserts that failed and were tried again.")
	m.dead = m.counter("writer_dead_letters_total", "Envelopes moved to the dead letters.")
	m.insertSeconds = m.histogram("writer_insert_seconds", "Time of one batch in the trace store.")
	m.engineRestarts = m.gauge("engine_restarts", "How often the embedded engine was started again.")
	m.requestSeconds = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Namespace: "sonde", Name: "http_request_seconds", Help: "Time from the request to the end of its answer, by route.", Buckets: seconds,
	}, []string{"route"})
	m.requests = prometheus.NewCounterVec(prometheus.CounterOpts{
		Namespace: "sonde", Name: "http_requests_total", Help: "Requests by route and status.",
	}, []string{"route", "status"})
	m.registry.MustRegister(m.requestSeconds, m.requests)
	return m
}

// seconds are the bounds of every duration histogram.
var seconds = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}

func (m *Metrics) counter(name, help string) prometheus.Counter {
	c := prometheus.NewCounter(prometheus.CounterOpts{Namespace: "sonde", Name: name, Help: help})
	m.registry.MustRegister(c)
	return c
}

func (m *Metrics) gauge(name, help string) prometheus.Gauge {
	g := prometheus.NewGauge(prometheus.GaugeOpts{Namespace: "sonde", Name: name, Help: help})
	m.registry.MustRegister(g)
	return g
}

func (m *Metrics) histogram(name, help string) prometheus.Histogram {
	h := prometheus.NewHistogram(prometheus.HistogramOpts{Namespace: "sonde", Name: name, Help: help, Buckets: seconds})
	m.registry.MustRegister(h)
	return h
}

// Handler serves the metrics in Prometheus' text format.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// Accepted notes spans taken and refused in one acknowledged request.
func (m *Metrics) Accepted(spans, rejected int) {
	m.accepted.Add(float64(spans))
	m.rejected.Add(float64(rejected))
}

// Events notes events of an older client taken and refused in one answered request, and what it
// told about itself.
func (m *Metrics) Events(accepted, rejected, notes int) {
	m.events.Add(float64(accepted))
	m.eventsRejected.Add(float64(rejected))
	m.notes.Add(float64(notes))
}

// Refused notes a request that was answered with "try again".
func (m *Metrics) Refused() { m.refused.Inc() }

// Logs notes the log records of one acknowledged request.
func (m *Metrics) Logs(kept, dropped int) {
	m.logsKept.Add(float64(kept))
	m.logsDropped.Add(float64(dropped))
}

// Appended notes an envelope that the log has on disk.
func (m *Metrics) Appended(bytes int, took time.Duration) {
	m.appended.Inc()
	m.appendedBytes.Add(float64(bytes))
	m.appendSeconds.Observe(took.Seconds())
}

// LogState is how far the writer is behind.
type LogState struct {
	Pending     uint64
	Lag         time.Duration
	Bytes       uint64
	DeadLetters uint64
}

// WatchLog reads the log's state whenever the metrics are asked for.
func (m *Metrics) WatchLog(read func() LogState) {
	var mu sync.Mutex
	var last LogState
	var readAt time.Time
	gauge := func(name, help string, of func(LogState) float64) {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: "sonde", Name: name, Help: help}, func() float64 {
			mu.Lock()
			defer mu.Unlock()
			if time.Since(readAt) > 10*time.Millisecond { // one reading serves all gauges of a scrape
				last, readAt = read(), time.Now()
			}
			return of(last)
		}))
	}
	gauge("log_pending_envelopes", "Envelopes not yet stored.", func(s LogState) float64 { return float64(s.Pending) })
	gauge("log_lag_seconds", "Age of the oldest envelope not yet stored.", func(s LogState) float64 { return s.Lag.Seconds() })
	gauge("log_bytes", "Size of the log, kept envelopes included.", func(s LogState) float64 { return float64(s.Bytes) })
	gauge("log_dead_letters", "Dead letters kept.", func(s LogState) float64 { return float64(s.DeadLetters) })
}

// WatchCertificate shows when the certificate in use expires.
func (m *Metrics) WatchCertificate(expires func() time.Time) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Namespace: "sonde", Name: "tls_certificate_expiry_timestamp_seconds", Help: "When the certificate in use expires, in Unix time.",
	}, func() float64 { return float64(expires().Unix()) }))
}

// Inserted notes a batch that the store acknowledged.
func (m *Metrics) Inserted(rows int, took time.Duration) {
	m.inserted.Add(float64(rows))
	m.insertSeconds.Observe(took.Seconds())
}

// InsertFailed notes an insert that will be tried again.
func (m *Metrics) InsertFailed() { m.insertFailures.Inc() }

// Buried notes an envelope that became a dead letter.
func (m *Metrics) Buried() { m.dead.Inc() }

// EngineRestarts notes how often the engine was started again.
func (m *Metrics) EngineRestarts(n int) { m.engineRestarts.Set(float64(n)) }

// Request notes an answered request.
func (m *Metrics) Request(route string, status int, took time.Duration) {
	m.requests.WithLabelValues(route, strconv.Itoa(status)).Inc()
	m.requestSeconds.WithLabelValues(route).Observe(took.Seconds())
}
