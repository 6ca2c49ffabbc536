//go:build upgrade

package e2e_test

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sondehq/sonde/e2e/cluster"
)

// previous is the binary of the last release; tools/upgrade.sh builds it from its commit.
func previous(t *testing.T) string {
	t.Helper()
	path := os.Getenv("SONDE_PREVIOUS")
	if path == "" {
		t.Fatal("SONDE_PREVIOUS names no binary of the last release: run make upgrade")
	}
	return path
}

// stay is how long a state of the cluster lasts.
func stay(t *testing.T) time.Duration {
	t.Helper()
	seconds, err := strconv.Atoi(os.Getenv("SONDE_UPGRADE_STAY"))
	if err != nil {
		seconds = 5
	}
	return time.Duration(seconds) * time.Second
}

// A cluster goes from the last release to this one, back, and forward again, one process of each role after the other, under
// load: everything acknowledged is there once.
func TestUpgradeOfACluster(t *testing.T) {
	run := openChaos(t, func(_ *chaos, o *cluster.Options) { o.Previous, o.OnPrevious = previous(t), cluster.Names() })
	sent := run.startTraffic()
	halves := [][]string{{"ingest1", "write1", "read1"}, {"ingest2", "write2", "read2"}}
	for _, step := range []struct {
		name string
		old  bool
		half int
	}{
		{"all are old, one of each becomes new", false, 0},
		{"the others become new", false, 1},
		{"one of each goes back", true, 1},
		{"all go back", true, 0},
		{"one of each becomes new again", false, 0},
		{"all become new again", false, 1},
	} {
		pause(stay(t))
		before, refused := sent.acked.Load(), sent.tries.Load()
		sent.mark()
		if err := run.server.cluster.Use(t.Context(), step.old, halves[step.half]...); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		t.Logf("%s: %d spans acknowledged meanwhile, %d exports refused and sent again, at most %d ms without an acknowledgement",
			step.name, sent.acked.Load()-before, sent.tries.Load()-refused, sent.withoutAck().Milliseconds())
	}
	pause(stay(t))
	sent.end()
	run.check()
	if sent.acked.Load() < 500 {
		t.Errorf("only %d spans were acknowledged: that is no load", sent.acked.Load())
	}
	t.Logf("%d spans acknowledged, 0 lost, 0 twice; %d exports were refused and sent again, %d given up", sent.acked.Load(), sent.tries.Load(), sent.unanswered)
}

// One node goes from the last release to this one, back and forward again on the same directory, each time under load.
func TestUpgradeOfOneNode(t *testing.T) {
	s := newNode(t)
	var acknowledged []span
	on := func(binary string) {
		t.Helper()
		s.binary = binary
		s.start()
		l := startLoad(t, s.client(), 2)
		pause(stay(t))
		if _, code := s.stop(); code != 0 { // in the middle of the load
			t.Fatalf("%s ended with %d:\n%s", binary, code, s.said())
		}
		l.end()
		acknowledged = append(acknowledged, l.acknowledged()...)
	}
	plan := func(want string) {
		t.Helper()
		for range 2 { // looking changes nothing
			if r := run(t, environment(t), "migrate", "plan", "--data-dir", s.dir); r.code != 0 || !strings.Contains(r.stdout, want) {
				t.Errorf("plan: %+v", r)
			}
		}
	}
	on(previous(t))
	plan("and can be put back")
	on("")
	plan("nothing is pending")
	on(previous(t))
	on("")
	s.start()
	s.drained(time.Minute)
	rows, err := s.client().walk(nil, 1000)
	if err == nil {
		err = holds(rows, acknowledged)
	}
	if err != nil || len(acknowledged) < 500 {
		t.Errorf("of %d acknowledged spans: %v", len(acknowledged), err)
	}
	seen := map[string]bool{}
	for _, r := range rows {
		if seen[r.key()] {
			t.Errorf("%s is there twice", r.key())
		}
		seen[r.key()] = true
	}
	t.Logf("%d spans acknowledged, 0 lost, 0 twice", len(acknowledged))
}
