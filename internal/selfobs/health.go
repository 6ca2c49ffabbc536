package selfobs

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// The parts that a server depends on, as labels name them.
const (
	Metadata = "metadata"
	Log      = "log"
	Engine   = "engine"
	Blobs    = "blobs"
)

// health is what the server finds when it looks around.
type health struct {
	up, clock        *prometheus.GaugeVec
	free, size       *prometheus.GaugeVec
	reserve, budget  *prometheus.GaugeVec
	ready, stalled   prometheus.Gauge
	engineRestarts   prometheus.Gauge
	jobs, jobsOldest *prometheus.GaugeVec
}

// The clock of this machine shows how far those of nodes are apart: beside the time of the scrape, they have to agree.
const (
	clockName = "clock_timestamp_seconds"
	clockHelp = "The time by the clock of this machine, in Unix time: compare it with that of the scrape."
)

func (h *health) register(b *book) {
	h.up = b.gauges("dependency_up", "Whether a part that this server needs answered when it was last asked, at most 5 s ago: metadata, log, engine, blobs.", "dependency")
	h.clock = b.gauges("dependency_clock_offset_seconds", "How far the clock of a server outside is ahead of ours, half the time of the question off at most.", "dependency")
	h.free = b.gauges("disk_free_bytes", "Room left on the disk of the log, the engine and the blobs, where it can be seen from here.", "place")
	h.size = b.gauges("disk_size_bytes", "Size of these disks.", "place")
	h.reserve = b.gauges("disk_reserve_bytes", "Free disk below which new data is refused.")
	h.budget = b.gauges("read_budget", "Bounds of a read: seconds, rows, bytes of memory.", "bound")
	h.ready = b.gauge("ready", "Whether the server answers that it is ready: 1 or 0, see /api/public/ready.")
	h.stalled = b.gauge("writer_stalled_seconds", "For how long nothing was stored although envelopes wait; 0 while all is well.")
	h.engineRestarts = b.gauge("engine_restarts", "How often the embedded engine was started again.")
	b.note(clockName, "gauge", clockHelp, nil)
	b.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: "sonde", Name: clockName, Help: clockHelp},
		func() float64 { return float64(time.Now().UnixMicro()) / 1e6 }))
	h.jobs = b.gauges("jobs_open", "Unfinished jobs of all projects, by kind and state: queued, waiting (for a store) or running.", "kind", "state")
	h.jobsOldest = b.gauges("jobs_idle_seconds", "Longest time that an unfinished job of a kind showed no sign of life although its time has come.", "kind")
}

// Up notes whether a dependency answers.
func (m *Metrics) Up(dependency string, up bool) {
	m.health.up.WithLabelValues(dependency).Set(number(up))
}

// ClockOffset notes how far the clock of a dependency is ahead of ours.
func (m *Metrics) ClockOffset(dependency string, offset time.Duration) {
	m.health.clock.WithLabelValues(dependency).Set(offset.Seconds())
}

// Disk notes the room at a place.
func (m *Metrics) Disk(place string, free, size uint64) {
	m.health.free.WithLabelValues(place).Set(float64(free))
	m.health.size.WithLabelValues(place).Set(float64(size))
}

// Bounds notes what does not change while the server runs.
func (m *Metrics) Bounds(diskReserve uint64, readWithin time.Duration, readRows, readMemory uint64) {
	m.health.reserve.WithLabelValues().Set(float64(diskReserve))
	m.health.budget.WithLabelValues("time").Set(readWithin.Seconds())
	m.health.budget.WithLabelValues("rows").Set(float64(readRows))
	m.health.budget.WithLabelValues("memory").Set(float64(readMemory))
}

// Ready notes what the probe of readiness would be answered.
func (m *Metrics) Ready(ready bool) { m.health.ready.Set(number(ready)) }

// Stalled notes for how long nothing was stored although something waits.
func (m *Metrics) Stalled(since time.Duration) { m.health.stalled.Set(since.Seconds()) }

// EngineRestarts notes how often the engine was started again.
func (m *Metrics) EngineRestarts(n int) { m.health.engineRestarts.Set(float64(n)) }

// OpenJobs are the unfinished jobs of one kind.
type OpenJobs struct {
	Queued, Waiting, Running int
	Idle                     time.Duration // of the one that showed no sign of life for the longest time
}

// Jobs notes the unfinished jobs of every kind.
func (m *Metrics) Jobs(kinds map[string]OpenJobs) {
	for kind, open := range kinds {
		m.health.jobs.WithLabelValues(kind, "queued").Set(float64(open.Queued))
		m.health.jobs.WithLabelValues(kind, "waiting").Set(float64(open.Waiting))
		m.health.jobs.WithLabelValues(kind, "running").Set(float64(open.Running))
		m.health.jobsOldest.WithLabelValues(kind).Set(open.Idle.Seconds())
	}
}

func number(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
