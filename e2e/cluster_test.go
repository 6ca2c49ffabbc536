package e2e_test

import (
	"net/http"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/sondehq/sonde/e2e/cluster"
)

// startTestCluster is a cluster whatever the shape of other tests is.
func startTestCluster(t *testing.T) *server {
	t.Helper()
	s := &server{t: t}
	t.Cleanup(s.end)
	s.start()
	return s
}

// flow sends a few spans again and again, the way an SDK does: what is refused with 429 or 5xx, or not answered, is sent
// again for a while; everything else is an error of the application.
type flow struct {
	client *client
	stop   chan struct{}
	done   sync.WaitGroup

	mu     sync.Mutex
	acked  []span
	worst  time.Duration // the longest that one export took with all of its tries
	failed atomic.Int64  // given up
	tries  atomic.Int64
}

func (s *server) startFlow(workers int, between time.Duration) *flow {
	s.t.Helper()
	f := &flow{client: s.client(), stop: make(chan struct{})}
	for range workers {
		f.done.Go(func() {
			for {
				select {
				case <-f.stop:
					return
				case <-time.After(between):
				}
				f.export(newSpans(5))
			}
		})
	}
	return f
}

const giveUpAfter = 30 * time.Second

func (f *flow) export(spans []span) {
	began := time.Now()
	for {
		f.tries.Add(1)
		a, err := f.client.export(inProtobuf(f.client.t, spans...))
		if err == nil && a.status == http.StatusOK {
			break
		}
		if err == nil && a.status < 500 && a.status != http.StatusTooManyRequests || time.Since(began) > giveUpAfter {
			f.failed.Add(1)
			return
		}
		pause(100 * time.Millisecond)
	}
	took := time.Since(began)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.worst = max(f.worst, took)
	f.acked = append(f.acked, spans...)
}

// end stops the flow and returns what was acknowledged.
func (f *flow) end() []span {
	close(f.stop)
	f.done.Wait()
	return f.acked
}

// A writer that dies with records in hand is followed by the other within ten seconds, without anybody deciding it.
func TestWriterIsTakenOver(t *testing.T) {
	s := startTestCluster(t)
	c := s.client()
	f := s.startFlow(2, 20*time.Millisecond)
	pause(3 * time.Second)
	if err := s.cluster.Sonde["write1"].Kill(); err != nil {
		t.Fatal(err)
	}
	killed := time.Now()
	pause(500 * time.Millisecond)
	spans := f.end()
	if n := f.failed.Load(); n > 0 {
		t.Errorf("%d exports were given up", n)
	}
	c.showsWithin(30*time.Second, spans)
	if took := time.Since(killed); took > 10*time.Second {
		t.Errorf("what the dead writer held was readable after %s", took)
	} else {
		t.Logf("%d spans, readable %s after the writer's death", len(spans), took)
	}
}

// Every process is restarted in good order, one after the other, while spans come and are read: nobody notices.
func TestRollingRestart(t *testing.T) {
	s := startTestCluster(t)
	f := s.startFlow(2, 20*time.Millisecond)
	reader := s.client()
	reading, readers := make(chan struct{}), sync.WaitGroup{}
	var reads, refused atomic.Int64
	readers.Go(func() {
		for {
			select {
			case <-reading:
				return
			case <-time.After(50 * time.Millisecond):
			}
			reads.Add(1)
			if a, err := reader.do(http.MethodGet, observationsPath+"?limit=5", nil); err != nil || a.err() != nil {
				refused.Add(1)
				t.Logf("a read: %v %v", err, a.err())
			}
		}
	})
	for _, name := range cluster.Names() {
		p := s.cluster.Sonde[name]
		if err := p.Stop(40 * time.Second); err != nil {
			t.Fatal(err)
		}
		if err := p.Start(); err != nil {
			t.Fatal(err)
		}
		if err := s.cluster.AwaitReady(t.Context()); err != nil {
			t.Fatal(err)
		}
		pause(1500 * time.Millisecond) // until the router knows
	}
	close(reading)
	readers.Wait()
	spans := f.end()
	exports := len(spans) / 5
	t.Logf("%d exports with %d tries, the longest took %s; %d reads", exports, f.tries.Load(), f.worst.Round(time.Millisecond), reads.Load())
	if f.failed.Load() > 0 || refused.Load() > 0 {
		t.Errorf("%d exports and %d of %d reads failed", f.failed.Load(), refused.Load(), reads.Load())
	}
	s.client().showsWithin(60*time.Second, spans)
}

// A NATS server, a process that hangs, one that is cut off: the rest goes on, and nothing that was acknowledged is lost.
func TestOneOfEachIsLost(t *testing.T) {
	s := startTestCluster(t)
	f := s.startFlow(2, 20*time.Millisecond)
	for name, fault := range map[string]struct{ do, undo func() error }{
		"nats1 is killed":   {s.cluster.NATS[0].Kill, s.cluster.NATS[0].Start},
		"ingest1 hangs":     {func() error { return s.cluster.Sonde["ingest1"].Signal(syscall.SIGSTOP) }, func() error { return s.cluster.Sonde["ingest1"].Signal(syscall.SIGCONT) }},
		"write2 is cut off": {func() error { s.cluster.Network.Cut("write2"); return nil }, func() error { s.cluster.Network.Mend("write2"); return nil }},
	} {
		if err := fault.do(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		pause(4 * time.Second)
		if err := fault.undo(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		pause(2 * time.Second)
	}
	spans := f.end()
	t.Logf("%d exports with %d tries, the longest took %s", len(spans)/5, f.tries.Load(), f.worst.Round(time.Millisecond))
	if f.failed.Load() > 0 {
		t.Errorf("%d exports were given up", f.failed.Load())
	}
	if f.worst > 10*time.Second {
		t.Errorf("an export waited for %s", f.worst)
	}
	s.client().showsWithin(60*time.Second, spans)
	if len(spans) == 0 {
		t.Error("nothing was sent")
	}
}
