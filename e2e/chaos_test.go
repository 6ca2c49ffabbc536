package e2e_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sondehq/sonde/e2e/cluster"
)

// chaosProjects send side by side; none may see anything of another.
const chaosProjects = 3

// TestChaos injects faults into a cluster under load, one after the other: SONDE_CHAOS_FAULTS of them, drawn from
// SONDE_CHAOS_SEED. In the end everything that was acknowledged is there, once, and of the right project. With SONDE_CHAOS_DIR
// the cluster's data, the list of what was acknowledged and the log of faults are kept there, and the next run goes on with them.
//
// A real Prometheus watches with the rules that we ship. The first fault of each kind lasts until its alert fires, which must be
// within a minute; with SONDE_CHAOS_ALERTS=each the first of each kind against each kind of server does, with all every fault.
func TestChaos(t *testing.T) {
	if inCluster() {
		t.Skip("it has a cluster of its own")
	}
	faults := 3
	if text := os.Getenv("SONDE_CHAOS_FAULTS"); text != "" {
		var err error
		if faults, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	seed, _ := strconv.ParseUint(os.Getenv("SONDE_CHAOS_SEED"), 10, 64) // none is 0
	run := openChaos(t, onOwnDisks)
	run.watch()
	random := rand.New(rand.NewPCG(seed, uint64(len(run.done))))
	kinds := run.kinds()
	sent := run.startTraffic()
	for n := len(run.done); n < faults; n++ {
		kind := kinds[n%len(kinds)] // each in its turn, against a target of chance
		run.inject(kind, kind.targets[random.IntN(len(kind.targets))], sent)
	}
	sent.end()
	run.check()
	var worst, slowest faultLine
	alerts := 0
	for _, line := range run.done {
		if line.Kind != allLogServersDie && line.WithoutAckMs > worst.WithoutAckMs {
			worst = line
		}
		if line.AlertMs > slowest.AlertMs {
			slowest = line
		}
		if line.Alert != "" {
			alerts++
		}
	}
	t.Logf("%d faults, %d spans acknowledged; the longest time without an acknowledgement was %d ms (%s, %s); %d alerts, the last of them after %d ms (%s, %s)",
		len(run.done), sent.acked.Load(), worst.WithoutAckMs, worst.Kind, worst.Target, alerts, slowest.AlertMs, slowest.Kind, slowest.Alert)
	if worst.WithoutAckMs > 10_000 {
		t.Errorf("writes were away for %d ms after one node's fault: %s, %s", worst.WithoutAckMs, worst.Kind, worst.Target)
	}
}

// chaos is one run, or what goes on with an earlier one.
type chaos struct {
	t       *testing.T
	dir     string
	server  *server
	clients [chaosProjects]*client
	acked   *os.File // project trace time, a line for each acknowledged export
	faults  *os.File // faultLine
	done    []faultLine
	earlier [chaosProjects]map[string]bool // traces that were acknowledged in earlier runs
	sent    *traffic                       // when it has ended
	alarm   *prometheus
}

// faultLine is a line of the log of faults.
type faultLine struct {
	At           time.Time
	Kind, Target string
	// WithoutAckMs is the longest time between two acknowledgements from the fault on until half a minute after it, at most.
	WithoutAckMs int64
	RecoveredMs  int64 // until every process was ready again
	// Alert is what fired, after so long; empty when nobody waited for it.
	Alert   string
	AlertMs int64
}

// onOwnDisks gives some servers disks that can be filled, which are small.
func onOwnDisks(c *chaos, o *cluster.Options) {
	o.Flags = []string{"--eventlog-capacity=256MiB", "--eventlog-dead-letters=64MiB"}
	for _, name := range ownDisks {
		c.ownDisk(filepath.Join(o.Dir, name))
	}
}

// openChaos starts a cluster in which choose has a say.
func openChaos(t *testing.T, choose func(*chaos, *cluster.Options)) *chaos {
	t.Helper()
	run := &chaos{t: t, dir: os.Getenv("SONDE_CHAOS_DIR")}
	open := []string{run.dir} // to PostgreSQL, which runs as somebody else
	if run.dir == "" {
		run.dir = t.TempDir()
		open = []string{run.dir, filepath.Dir(run.dir)}
	}
	for name, file := range map[string]**os.File{"acked.log": &run.acked, "faults.log": &run.faults} {
		var err error
		if *file, err = os.OpenFile(filepath.Join(run.dir, name), os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { (*file).Close() })
	}
	lines := json.NewDecoder(run.faults)
	for lines.More() {
		var line faultLine
		if err := lines.Decode(&line); err != nil {
			t.Fatal(err)
		}
		run.done = append(run.done, line)
	}
	o, err := cluster.Built("..")
	if err != nil {
		t.Fatal(err)
	}
	o.Dir = filepath.Join(run.dir, "cluster")
	if err := os.MkdirAll(o.Dir, 0o755); err != nil { //nolint:gosec // PostgreSQL runs as somebody else
		t.Fatal(err)
	}
	for _, dir := range open {
		if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // see above
			t.Fatal(err)
		}
	}
	choose(run, &o)
	run.server = &server{t: t}
	t.Cleanup(run.server.end)
	if run.server.cluster, err = cluster.Start(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	run.server.listen = strings.TrimPrefix(run.server.cluster.URL, "http://")
	run.openProjects()
	run.readAcked()
	return run
}

// openProjects makes the projects, or finds the keys that an earlier run made.
func (c *chaos) openProjects() {
	c.t.Helper()
	file := filepath.Join(c.dir, "keys.json")
	var keys []string
	if text, err := os.ReadFile(file); err == nil {
		if err := json.Unmarshal(text, &keys); err != nil {
			c.t.Fatal(err)
		}
		for i, key := range keys {
			c.clients[i] = c.server.clientWith(key)
		}
		return
	}
	for i := range c.clients {
		c.clients[i] = c.server.addProject(chaosProject(i))
		keys = append(keys, c.clients[i].key)
	}
	text, err := json.Marshal(keys)
	if err == nil {
		err = os.WriteFile(file, text, 0o600)
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

// readAcked knows what earlier runs got acknowledged.
func (c *chaos) readAcked() {
	c.t.Helper()
	for i := range c.earlier {
		c.earlier[i] = map[string]bool{}
	}
	lines := bufio.NewScanner(c.acked)
	for lines.Scan() {
		var project int
		var trace string
		if _, err := fmt.Sscan(lines.Text(), &project, &trace); err != nil {
			c.t.Fatalf("acked.log: %v", err)
		}
		c.earlier[project][trace] = true
	}
	if err := lines.Err(); err != nil {
		c.t.Fatal(err)
	}
}

func chaosProject(i int) string { return "chaos" + strconv.Itoa(i) }

// traffic is what the clients send.
type traffic struct {
	run   *chaos
	stop  chan struct{}
	done  sync.WaitGroup
	acked atomic.Int64
	tries atomic.Int64 // exports that were not taken and sent again

	mu         sync.Mutex
	lastAck    time.Time
	longest    time.Duration
	sent       [chaosProjects]map[string]bool // traces that were acknowledged, in earlier runs too
	unanswered int                            // exports of which nobody knows
}

// exportSpans is how many spans a trace of the load has.
const exportSpans = 5

func (c *chaos) startTraffic() *traffic {
	l := &traffic{run: c, stop: make(chan struct{}), lastAck: time.Now()}
	for i := range chaosProjects {
		l.sent[i] = maps.Clone(c.earlier[i])
		for range 2 {
			l.done.Go(func() { l.send(i) })
		}
	}
	return l
}

// send exports traces named after their project, and notes what was acknowledged before it counts.
func (l *traffic) send(project int) {
	for {
		select {
		case <-l.stop:
			return
		case <-time.After(150 * time.Millisecond):
		}
		spans := newSpans(exportSpans)
		for i := range spans {
			spans[i].name = chaosProject(project)
		}
		l.export(project, spans)
	}
}

func (l *traffic) export(project int, spans []span) {
	body := inProtobuf(l.run.t, spans...)
	for began := time.Now(); time.Since(began) < giveUpAfter; pause(100 * time.Millisecond) {
		a, err := l.run.clients[project].export(body)
		if err != nil || a.status != http.StatusOK {
			l.tries.Add(1)
			continue
		}
		if _, err := fmt.Fprintln(l.run.acked, project, spans[0].trace, time.Now().UTC().Format(time.RFC3339Nano)); err != nil {
			l.run.t.Error(err)
		}
		l.mu.Lock()
		now := time.Now()
		l.longest = max(l.longest, now.Sub(l.lastAck))
		l.lastAck, l.sent[project][spans[0].trace] = now, true
		l.mu.Unlock()
		l.acked.Add(int64(len(spans)))
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unanswered++
}

// mark forgets the longest time without an acknowledgement so far.
func (l *traffic) mark() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.longest, l.lastAck = 0, time.Now()
}

func (l *traffic) withoutAck() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return max(l.longest, time.Since(l.lastAck))
}

func (l *traffic) end() {
	close(l.stop)
	l.done.Wait()
	l.run.sent = l
}

// inject does one fault, waits until all is well again and writes it down.
func (c *chaos) inject(kind faultKind, target string, l *traffic) {
	c.t.Helper()
	of, each := os.Getenv("SONDE_CHAOS_ALERTS"), strings.TrimRight(target, "123")
	waits := of == "all" || !slices.ContainsFunc(c.done, func(line faultLine) bool {
		return line.Kind == kind.name && line.Alert != "" && (of != "each" || strings.TrimRight(line.Target, "123") == each)
	})
	alerts := kind.alerts(target)
	if waits {
		c.alarm.silent(alerts)
	}
	line := faultLine{At: time.Now().UTC(), Kind: kind.name, Target: target}
	l.mark()
	undo, err := kind.do(target)
	if err != nil {
		c.t.Fatalf("%s, %s: %v", kind.name, target, err)
	}
	if waits {
		line.Alert = c.alarm.tells(alerts)
		line.AlertMs = time.Since(line.At).Milliseconds()
	} else {
		pause(kind.lasts)
	}
	if err := undo(); err != nil {
		c.t.Fatalf("undo %s, %s: %v", kind.name, target, err)
	}
	undone := time.Now()
	if err := c.server.cluster.AwaitReady(c.t.Context()); err != nil {
		c.t.Fatalf("after %s, %s: %v", kind.name, target, err)
	}
	line.RecoveredMs = time.Since(undone).Milliseconds()
	pause(2 * time.Second)
	line.WithoutAckMs = l.withoutAck().Milliseconds()
	c.done = append(c.done, line)
	if err := json.NewEncoder(c.faults).Encode(line); err != nil {
		c.t.Fatal(err)
	}
	c.t.Logf("%3d. %s, %s: %d ms without an acknowledgement, ready after %d ms; %s after %d ms",
		len(c.done), kind.name, target, line.WithoutAckMs, line.RecoveredMs, line.Alert, line.AlertMs)
}

// watch starts Prometheus on all processes.
func (c *chaos) watch() {
	c.t.Helper()
	var targets []string
	for _, name := range append(cluster.Names(), "router") {
		targets = append(targets, c.server.cluster.Metrics(name))
	}
	c.alarm = startPrometheus(c.t, strings.Join(targets, `","`))
}

// silent waits until none of the alerts fires any more, or is about to: that of an earlier fault tells nothing about the next.
func (p *prometheus) silent(alerts []string) {
	p.t.Helper()
	eventually(p.t, 3*time.Minute, "silence before the next fault", func() error {
		names, err := p.alerts("pending|firing")
		if err == nil && slices.ContainsFunc(names, func(name string) bool { return slices.Contains(alerts, name) }) {
			err = fmt.Errorf("there are %v", names)
		}
		return err
	})
}

// tells waits until one of the alerts fires.
func (p *prometheus) tells(alerts []string) (fired string) {
	p.t.Helper()
	eventually(p.t, time.Minute, fmt.Sprintf("one of %v fires", alerts), func() error {
		names, err := p.firing()
		if err != nil {
			return err
		}
		for _, name := range names {
			if slices.Contains(alerts, name) {
				fired = name
				return nil
			}
		}
		return fmt.Errorf("what fires is %v", names)
	})
	return fired
}

// check reads everything back and compares it with what was acknowledged.
func (c *chaos) check() {
	c.t.Helper()
	eventually(c.t, 2*time.Minute, "everything that was acknowledged is readable, once", func() error {
		var errs []error
		for project := range c.clients {
			errs = append(errs, c.checkProject(project))
		}
		return errors.Join(errs...)
	})
}

func (c *chaos) checkProject(project int) error {
	rows, err := c.clients[project].walk(map[string][]string{"fields": {"core,basic"}}, 1000)
	if err != nil {
		return err
	}
	seen, traces := map[string]bool{}, map[string]int{}
	var lost, twice, foreign int
	for _, r := range rows {
		if seen[r.key()] {
			twice++
		}
		seen[r.key()] = true
		traces[r.TraceID]++
		if r.Name != chaosProject(project) {
			foreign++
		}
	}
	var missed []string // acked.log has when each of them was acknowledged, faults.log what happened then
	for trace := range c.sent.sent[project] {
		if traces[trace] < exportSpans {
			missed = append(missed, trace)
			lost += exportSpans - traces[trace]
		}
	}
	if lost+twice+foreign > 0 {
		return fmt.Errorf("project %d: %d spans lost, %d there twice, %d of another project; of traces %q", project, lost, twice, foreign, missed)
	}
	return nil
}
