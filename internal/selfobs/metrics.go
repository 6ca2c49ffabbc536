package selfobs

import (
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics counts what passes each stage of the data's way. No label carries a project or any
// other client text, so the number of series is fixed.
type Metrics struct {
	book

	accepted, rejected, refused    prometheus.Counter
	logsKept, logsDropped          prometheus.Counter
	events, eventsRejected, notes  prometheus.Counter
	acknowledge                    *prometheus.HistogramVec
	appended, appendedBytes        prometheus.Counter
	appendFailures                 prometheus.Counter
	appendSeconds                  prometheus.Observer
	inserted, insertFailures, dead prometheus.Counter
	stored                         *prometheus.CounterVec
	insertSeconds, freshness       prometheus.Observer
	requestSeconds                 *prometheus.HistogramVec
	requests                       *prometheus.CounterVec
	reads                          *prometheus.CounterVec
	readSeconds                    prometheus.Observer
	readShare                      *prometheus.HistogramVec
	blobFailures                   *prometheus.CounterVec
	jobsSettled                    *prometheus.CounterVec
	deliveries                     *prometheus.CounterVec
	health                         health
}

// NewMetrics registers everything, with Go and process metrics beside it.
func NewMetrics() *Metrics {
	m := &Metrics{book: newBook()}
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.gauges("build_info", "Always 1; its labels name the build.", "version", "commit", "go").
		WithLabelValues(Version, Commit, runtime.Version()).Set(1)
	m.accepted = m.counter("ingest_spans_accepted_total", "Spans acknowledged to clients.")
	m.rejected = m.counter("ingest_spans_rejected_total", "Spans refused one by one inside an accepted request.")
	m.refused = m.counter("ingest_requests_refused_total", "Requests answered 503 because they could not be taken: no room, or the log does not answer.")
	m.logsKept = m.counter("ingest_log_records_kept_total", "Log records that carry messages of a span.")
	m.logsDropped = m.counter("ingest_log_records_dropped_total", "Other log records: they are answered and not kept.")
	m.events = m.counter("ingest_events_accepted_total", "Events of older clients acknowledged.")
	m.eventsRejected = m.counter("ingest_events_rejected_total", "Events of older clients refused one by one.")
	m.notes = m.counter("ingest_sdk_logs_total", "Events in which older clients tell about themselves; they are only counted.")
	m.acknowledge = m.histograms("ingest_acknowledge_seconds", "Time from a whole body to its acknowledgement, by protocol and route: what a client waits for after it has sent everything.", seconds, "protocol", "route")
	m.appended = m.counter("log_envelopes_appended_total", "Envelopes the log has on disk.")
	m.appendedBytes = m.counter("log_bytes_appended_total", "Bytes of appended envelopes.")
	m.appendFailures = m.counter("log_append_failures_total", "Envelopes the log did not take: it is full or does not answer.")
	m.appendSeconds = m.histogram("log_append_seconds", "Time from append to durable.", seconds)
	m.inserted = m.counter("writer_rows_inserted_total", "Rows the trace store acknowledged.")
	m.insertFailures = m.counter("writer_insert_failures_total", "Inserts that failed and were tried again.")
	m.dead = m.counter("writer_dead_letters_total", "Envelopes moved to the dead letters.")
	m.stored = m.counters("writer_envelopes_stored_total", "Envelopes stored and acknowledged by this writer, by partition: which writer works on which.", "partition")
	m.insertSeconds = m.histogram("writer_insert_seconds", "Time of one batch in the trace store.", seconds)
	m.freshness = m.histogram("writer_freshness_seconds", "Time from the acceptance of an envelope to its rows being readable.", seconds)
	m.requestSeconds = m.histograms("http_request_seconds", "Time from the request to the end of its answer, by route.", seconds, "route")
	m.requests = m.counters("http_requests_total", "Requests by route and status.", "route", "status")
	m.reads = m.counters("reads_total", "Statements read for projects, by outcome: ok; over a bound on time, rows, memory or result; busy: no turn within the wait; canceled by the client; failed.", "outcome")
	m.readSeconds = m.histogram("read_seconds", "Time of one statement read for a project, the wait for its turn included.", seconds)
	m.readShare = m.histograms("read_budget_used_ratio", "What a statement used of its bound on time, rows and memory; above 1: it was ended.", shares, "bound")
	m.blobFailures = m.counters("blob_failures_total", "Failed operations on media and large spans.", "operation")
	m.jobsSettled = m.counters("jobs_settled_total", "Ends of runs of jobs, by kind and outcome; put off: the run waits for a store.", "kind", "outcome")
	m.deliveries = m.counters("alert_deliveries_total", "Attempts to deliver a message of an alert: delivered, failed (tried again later) or abandoned.", "outcome")
	preset(m.reads, ReadOutcomes...)
	preset(m.blobFailures, "put", "get", "delete", "list")
	preset(m.deliveries, "delivered", "failed", "abandoned")
	m.health.register(&m.book)
	return m
}

// preset shows series at 0 before their first event: a series that begins at 1 has no increase.
func preset(of *prometheus.CounterVec, values ...string) {
	for _, value := range values {
		of.WithLabelValues(value)
	}
}

// Bounds of histograms: durations, and shares of a budget.
var (
	seconds = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}
	shares  = []float64{.01, .05, .1, .25, .5, .75, .9, 1}
)

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

// AppendFailed notes an envelope that the log did not take.
func (m *Metrics) AppendFailed() { m.appendFailures.Inc() }

// Inserted notes a batch that the store acknowledged.
func (m *Metrics) Inserted(rows int, took time.Duration) {
	m.inserted.Add(float64(rows))
	m.insertSeconds.Observe(took.Seconds())
}

// InsertFailed notes an insert that will be tried again.
func (m *Metrics) InsertFailed() { m.insertFailures.Inc() }

// Stored notes an envelope whose rows are readable, and when it was accepted.
func (m *Metrics) Stored(partition int, acceptedAt time.Time) {
	m.stored.WithLabelValues(strconv.Itoa(partition)).Inc()
	m.freshness.Observe(max(0, time.Since(acceptedAt).Seconds())) // clocks of nodes differ
}

// Buried notes an envelope that became a dead letter.
func (m *Metrics) Buried() { m.dead.Inc() }

// Request is one answered request.
type Request struct {
	ID       string
	Protocol string // HTTP or GRPC
	Route    string // free of anything the caller chose
	Status   int    // of HTTP, or that which means the same
	Began    time.Time
	Took     time.Duration
	// Acknowledged is how long the caller waited for an acknowledgement after it had sent everything;
	// 0: nothing was acknowledged.
	Acknowledged time.Duration
	SDK          string // what the caller says it is
}

// SelfSDK is the client's name under which a server sends traces of itself. What comes under it is not traced again.
const SelfSDK = "sonde-self-trace"

// Batch is what a writer did with one batch.
type Batch struct {
	Envelopes, Rows, Bytes int
	Began                  time.Time
	Took                   time.Duration
	Stages                 []Stage
	Failed                 bool // not stored; the log keeps it
	Own                    bool // it holds traces of this server only
}

// Stage is a part of the work on it.
type Stage struct {
	Name  string
	Began time.Time
	Took  time.Duration
}

// The protocols of requests.
const (
	HTTP = "http"
	GRPC = "grpc"
)

// Request notes an answered request.
func (m *Metrics) Request(r Request) {
	m.requests.WithLabelValues(r.Route, strconv.Itoa(r.Status)).Inc()
	m.requestSeconds.WithLabelValues(r.Route).Observe(r.Took.Seconds())
	if r.Acknowledged > 0 {
		m.acknowledge.WithLabelValues(r.Protocol, r.Route).Observe(r.Acknowledged.Seconds())
	}
}

// ReadOutcomes are how a read for a project may end.
var ReadOutcomes = []string{"ok", "over_time", "over_rows", "over_memory", "over_result", "busy", "canceled", "failed"}

// Read notes a statement read for a project, and what it used of its bounds ("time", "rows", "memory").
func (m *Metrics) Read(outcome string, took time.Duration, used map[string]float64) {
	if !slices.Contains(ReadOutcomes, outcome) {
		outcome = "failed"
	}
	m.reads.WithLabelValues(outcome).Inc()
	m.readSeconds.Observe(took.Seconds())
	for bound, share := range used {
		m.readShare.WithLabelValues(bound).Observe(share)
	}
}

// BlobFailed notes a failed operation on a blob.
func (m *Metrics) BlobFailed(operation string) { m.blobFailures.WithLabelValues(operation).Inc() }

// KnowJobs shows the kinds of jobs before the first of them ends.
func (m *Metrics) KnowJobs(kinds, outcomes []string) {
	for _, kind := range kinds {
		for _, outcome := range outcomes {
			m.jobsSettled.WithLabelValues(kind, outcome)
		}
	}
}

// JobSettled notes how a run of a job ended.
func (m *Metrics) JobSettled(kind, outcome string) {
	m.jobsSettled.WithLabelValues(kind, outcome).Inc()
}

// Delivery notes an attempt to deliver a message of an alert.
func (m *Metrics) Delivery(outcome string) { m.deliveries.WithLabelValues(outcome).Inc() }
