//go:build scale

package e2e_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sondehq/sonde/e2e/cluster"
)

// pairShare is how much of a core a writer and a shard have together.
const pairShare = 0.4

// Two writers and two shards store more than one of each, every pair on the same share of a core: at least 1.6 times as
// much. It wants a quiet machine and some 100,000 spans: batches are large, and few of them tell nothing.
func TestTwoPairsCarryMoreThanOne(t *testing.T) {
	spans, err := strconv.Atoi(os.Getenv("SONDE_SCALE_SPANS"))
	if err != nil {
		t.Fatal(err)
	}
	const atLeast = 1.6
	one, two := carried(t, 1, spans), carried(t, 2, spans)
	t.Logf("one writer and one shard: %s", one)
	t.Logf("two writers and two shards: %s", two)
	ratio := two.perSecond / one.perSecond
	t.Logf("two pairs carry %.2f times as much as one, each on %.2f of a core", ratio, pairShare)
	if ratio < atLeast {
		t.Errorf("two pairs carry %.2f times as much as one, %.1f wanted", ratio, atLeast)
	}
}

// carry is what was stored, and what it took.
type carry struct {
	spans     int
	perSecond float64
	logBytes  float64                  // of one replica, while all spans are in it
	cpu       map[string]time.Duration // of all processes of a kind
}

func (c carry) String() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%d spans, %.0f a second; CPU for each span:", c.spans, c.perSecond)
	for _, kind := range []string{"write", "engine", "nats", "ingest"} {
		fmt.Fprintf(&text, " %s %.1f µs", kind, float64(c.cpu[kind].Microseconds())/float64(c.spans))
	}
	fmt.Fprintf(&text, "; %.0f bytes of log", c.logBytes/float64(c.spans))
	return text.String()
}

// carried fills the log of a cluster, then lets pairs of a writer and a shard store it. The rate is that of the middle of
// it: starting and ending do not count.
func carried(t *testing.T, pairs, spans int) carry {
	t.Helper()
	o, err := cluster.Built("..")
	if err != nil {
		t.Fatal(err)
	}
	o.Dir, o.OneShard = t.TempDir(), pairs == 1
	if err := os.Chmod(filepath.Dir(o.Dir), 0o755); err != nil { //nolint:gosec // PostgreSQL runs as somebody else
		t.Fatal(err)
	}
	s := &server{t: t}
	defer s.end()
	if s.cluster, err = cluster.Start(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	s.listen = strings.TrimPrefix(s.cluster.URL, "http://")
	writers := []string{"write1", "write2"}
	for _, name := range writers {
		if err := s.cluster.Sonde[name].Stop(20 * time.Second); err != nil {
			t.Fatal(err)
		}
	}
	before := s.cpuOf()
	s.fill(spans)
	out := carry{spans: spans, cpu: map[string]time.Duration{"ingest": s.cpuOf()["ingest"] - before["ingest"]}}
	if out.logBytes, err = s.metricAt(s.cluster.Metrics("ingest1"), "sonde_log_bytes"); err != nil {
		t.Fatal(err)
	}
	before = s.cpuOf()
	for i, name := range writers[:pairs] {
		if err := s.cluster.Sonde[name].Start(); err != nil {
			t.Fatal(err)
		}
		shard, err := s.shardPID(fmt.Sprintf("engine%d", i+1))
		if err != nil {
			t.Fatal(err)
		}
		hold(t, fmt.Sprintf("sonde-%d-pair-%d-of-%d", os.Getpid(), i+1, pairs), pairShare, s.cluster.Sonde[name].PID(), shard)
	}
	out.perSecond = s.storedPerSecond(writers[:pairs], spans)
	for kind, used := range s.cpuOf() {
		if kind != "ingest" {
			out.cpu[kind] = used - before[kind]
		}
	}
	return out
}

// fill has so many spans acknowledged: traces of 20 spans with a kilobyte of text each, in which no two are alike.
func (s *server) fill(spans int) {
	s.t.Helper()
	const inTrace, inExport = 20, 100
	var work sync.WaitGroup
	exports := make(chan struct{})
	for range 4 {
		work.Go(func() {
			for range exports {
				var list []span
				for range inExport / inTrace {
					trace := newSpans(inTrace)
					for i := range trace {
						trace[i].attributes = map[string]string{"langfuse.observation.input": drawnText(1000)}
					}
					list = append(list, trace...)
				}
				if a, err := s.client().export(inProtobuf(s.t, list...)); err != nil || a.status != http.StatusOK {
					s.t.Errorf("an export: %v %v", err, a.err())
				}
			}
		})
	}
	for range spans / inExport {
		exports <- struct{}{}
	}
	close(exports)
	work.Wait()
}

// drawnText is words of a vocabulary of a thousand, which compress about as prose does.
func drawnText(size int) string {
	var text strings.Builder
	for text.Len() < size {
		fmt.Fprintf(&text, "%x ", 1_000_003*(1+rand.IntN(1000))%0xffffff)
	}
	return text.String()
}

// storedPerSecond follows the writers until all is stored.
func (s *server) storedPerSecond(writers []string, spans int) float64 {
	s.t.Helper()
	var from, to time.Time
	var fromRows, toRows float64
	for deadline := time.Now().Add(20 * time.Minute); ; pause(100 * time.Millisecond) {
		rows := 0.0
		for _, name := range writers {
			if n, err := s.metricAt(s.cluster.Metrics(name), "sonde_writer_rows_inserted_total"); err == nil {
				rows += n // until it answers it has stored nothing
			}
		}
		now := time.Now()
		if from.IsZero() && rows >= 0.1*float64(spans) {
			from, fromRows = now, rows
		}
		if to.IsZero() && rows >= 0.9*float64(spans) {
			to, toRows = now, rows
		}
		if rows >= float64(spans) {
			return (toRows - fromRows) / to.Sub(from).Seconds()
		}
		if now.After(deadline) {
			s.t.Fatalf("%.0f of %d spans are stored", rows, spans)
		}
	}
}

// cpuOf is the CPU time so far of the processes of each kind.
func (s *server) cpuOf() map[string]time.Duration {
	s.t.Helper()
	used := map[string]time.Duration{}
	add := func(kind string, pid int) {
		if pid == 0 {
			return
		}
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			s.t.Fatal(err)
		}
		_, numbers, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(numbers)
		for _, field := range fields[11:13] { // in user code and in the kernel, in hundredths of a second
			ticks, err := strconv.Atoi(field)
			if err != nil {
				s.t.Fatal(err)
			}
			used[kind] += time.Duration(ticks) * time.Second / 100
		}
	}
	for name, p := range s.cluster.Sonde {
		add(strings.TrimRight(name, "12"), p.PID())
	}
	for _, p := range s.cluster.NATS {
		add("nats", p.PID())
	}
	for _, name := range []string{"engine1", "engine2"} {
		if pid, err := s.shardPID(name); err == nil {
			add("engine", pid)
		}
	}
	return used
}

// hold gives processes a share of a core together, by a control group of their own.
func hold(t *testing.T, name string, cores float64, pids ...int) {
	t.Helper()
	const period = 20_000 // microseconds
	quota := strconv.Itoa(int(cores * period))
	group := filepath.Join("/sys/fs/cgroup/cpu", name)
	settings := [][2]string{{"cpu.cfs_period_us", strconv.Itoa(period)}, {"cpu.cfs_quota_us", quota}}
	if _, err := os.Stat("/sys/fs/cgroup/cgroup.controllers"); err == nil { // the second version
		group = filepath.Join("/sys/fs/cgroup", name)
		settings = [][2]string{{"cpu.max", quota + " " + strconv.Itoa(period)}}
	}
	err := os.Mkdir(group, 0o755) //nolint:gosec // the kernel's own
	for _, setting := range settings {
		err = errors.Join(err, os.WriteFile(filepath.Join(group, setting[0]), []byte(setting[1]), 0o600))
	}
	for _, pid := range pids {
		err = errors.Join(err, os.WriteFile(filepath.Join(group, "cgroup.procs"), []byte(strconv.Itoa(pid)), 0o600))
	}
	if err != nil {
		t.Fatalf("this test gives processes shares of a core and must run as root, where control groups may be made: %v", err)
	}
	t.Cleanup(func() {
		if err := os.Remove(group); err != nil {
			t.Errorf("its processes must have ended: %v", err)
		}
	})
}
