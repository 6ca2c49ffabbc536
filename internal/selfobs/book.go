package selfobs

import (
	"cmp"
	"slices"

	"github.com/prometheus/client_golang/prometheus"
)

// Metric describes one metric: what docs/reference/metrics.md says of it.
type Metric struct {
	Name, Type, Help string
	Labels           []string
}

// book is a registry that remembers what it was given, so that pages, rules and boards can be held
// against it.
type book struct {
	registry *prometheus.Registry
	list     []Metric
}

func newBook() book { return book{registry: prometheus.NewRegistry()} }

// Catalog is every metric of ours that a server or a probe shows, by name.
func Catalog() []Metric {
	m := NewMetrics()
	m.WatchLog(nil)
	m.WatchCertificate(nil)
	list := slices.Concat(m.list, NewProbeMetrics().list)
	slices.SortFunc(list, func(a, b Metric) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// note adds to the list, and returns the name within its namespace.
func (b *book) note(name, kind, help string, labels []string) {
	b.list = append(b.list, Metric{Name: "sonde_" + name, Type: kind, Help: help, Labels: labels})
}

func (b *book) counter(name, help string) prometheus.Counter {
	return b.counters(name, help).WithLabelValues()
}

func (b *book) counters(name, help string, labels ...string) *prometheus.CounterVec {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "sonde", Name: name, Help: help}, labels)
	b.registry.MustRegister(c)
	b.note(name, "counter", help, labels)
	return c
}

func (b *book) gauge(name, help string) prometheus.Gauge {
	return b.gauges(name, help).WithLabelValues()
}

func (b *book) gauges(name, help string, labels ...string) *prometheus.GaugeVec {
	g := prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: "sonde", Name: name, Help: help}, labels)
	b.registry.MustRegister(g)
	b.note(name, "gauge", help, labels)
	return g
}

func (b *book) histogram(name, help string, buckets []float64) prometheus.Observer {
	return b.histograms(name, help, buckets).WithLabelValues()
}

func (b *book) histograms(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	h := prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: "sonde", Name: name, Help: help, Buckets: buckets}, labels)
	b.registry.MustRegister(h)
	b.note(name, "histogram", help, labels)
	return h
}

// described makes the description of a metric that is read when it is asked for.
func (b *book) described(name, help string, labels ...string) *prometheus.Desc {
	b.note(name, "gauge", help, labels)
	return prometheus.NewDesc("sonde_"+name, help, labels, nil)
}
