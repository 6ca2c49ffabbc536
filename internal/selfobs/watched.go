package selfobs

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// LogState is how far the writers are behind.
type LogState struct {
	Pending       uint64
	Lag           time.Duration
	Bytes         uint64
	CapacityBytes uint64
	DeadLetters   uint64
	Partitions    []PartitionState
}

// PartitionState is one partition of it.
type PartitionState struct {
	Pending         uint64
	Lag             time.Duration
	Redelivered     uint64
	ReplicasMissing int
}

// WatchLog reads the log's state whenever the metrics are asked for. While it cannot be read there
// is none: an old number, or a zero, would say that all is well.
func (m *Metrics) WatchLog(read func() (LogState, error)) {
	m.registry.MustRegister(&logWatch{
		read:            read,
		pending:         m.described("log_pending_envelopes", "Envelopes not yet stored."),
		lag:             m.described("log_lag_seconds", "Age of the oldest envelope not yet stored."),
		bytes:           m.described("log_bytes", "Size of the log, kept envelopes included."),
		capacity:        m.described("log_capacity_bytes", "Largest size of the log; 0: without a bound."),
		letters:         m.described("log_dead_letters", "Dead letters kept."),
		partPending:     m.described("log_partition_pending_envelopes", "Envelopes not yet stored, by partition.", "partition"),
		partLag:         m.described("log_partition_lag_seconds", "Age of the oldest envelope not yet stored, by partition.", "partition"),
		partRedelivered: m.described("log_partition_redelivered_envelopes", "Pending envelopes that were taken over from a writer that did not answer, by partition.", "partition"),
		partMissing:     m.described("log_partition_replicas_missing", "Copies that are away or behind, by partition; only on a NATS cluster.", "partition"),
	})
}

type logWatch struct {
	read                                               func() (LogState, error)
	pending, lag, bytes, capacity, letters             *prometheus.Desc
	partPending, partLag, partRedelivered, partMissing *prometheus.Desc
}

// Describe implements prometheus.Collector.
func (w *logWatch) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{w.pending, w.lag, w.bytes, w.capacity, w.letters, w.partPending, w.partLag, w.partRedelivered, w.partMissing} {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (w *logWatch) Collect(to chan<- prometheus.Metric) {
	s, err := w.read()
	if err != nil {
		return
	}
	gauge := func(of *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(of, prometheus.GaugeValue, value, labels...)
	}
	gauge(w.pending, float64(s.Pending))
	gauge(w.lag, s.Lag.Seconds())
	gauge(w.bytes, float64(s.Bytes))
	gauge(w.capacity, float64(s.CapacityBytes))
	gauge(w.letters, float64(s.DeadLetters))
	for i, p := range s.Partitions {
		number := strconv.Itoa(i)
		gauge(w.partPending, float64(p.Pending), number)
		gauge(w.partLag, p.Lag.Seconds(), number)
		gauge(w.partRedelivered, float64(p.Redelivered), number)
		gauge(w.partMissing, float64(p.ReplicasMissing), number)
	}
}

// WatchCertificate shows when the certificate in use expires.
func (m *Metrics) WatchCertificate(expires func() time.Time) {
	const name, help = "tls_certificate_expiry_timestamp_seconds", "When the certificate in use expires, in Unix time."
	m.note(name, "gauge", help, nil)
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: "sonde", Name: name, Help: help},
		func() float64 { return float64(expires().Unix()) }))
}
