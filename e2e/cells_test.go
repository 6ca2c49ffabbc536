package e2e_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/metastore/sqlstore"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/testkit"
	"github.com/sondehq/sonde/internal/tracestore/chstore"
)

// twoCells are two cells of one process each, on one metadata database and one directory of blobs.
type twoCells struct {
	t        *testing.T
	a, b     *server
	metadata string
	switched time.Time // when the mover said so
}

func startCells(t *testing.T) *twoCells {
	t.Helper()
	c := &twoCells{t: t, metadata: testkit.Postgres(t)}
	shared := []string{"--metadata-url=" + c.metadata, "--blob-dir=" + t.TempDir(), "--encryption-key=" + strings.Repeat("5a", 32), "--engine-memory=700MiB"}
	c.a = newNode(t, append([]string{"--cell=a"}, shared...)...)
	c.b = newNode(t, append([]string{"--cell=b"}, shared...)...)
	c.a.start() // the first to start plants the project, in its cell
	c.b.start()
	return c
}

// router starts another router in front of both, as a server to talk to.
func (c *twoCells) router() *server {
	c.t.Helper()
	s := &server{t: c.t, listen: freeAddress(c.t), output: filepath.Join(c.t.TempDir(), "output")}
	s.grpc = s.listen
	both := func(a, b string) string { return "a=" + a + ",b=" + b }
	processes := both("http://"+c.a.listen, "http://"+c.b.listen)
	output, err := os.Create(s.output)
	if err != nil {
		c.t.Fatal(err)
	}
	defer output.Close()
	s.cmd = exec.Command(program(c.t), "router", "--listen", s.listen, "--metrics-listen=", "--ingest", processes, "--read", processes, "--grpc", both(c.a.grpc, c.b.grpc))
	s.cmd.Stdout, s.cmd.Stderr, s.cmd.Env = output, output, bareEnvironment()
	if err := s.cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	s.exited = make(chan struct{})
	go func() {
		_ = s.cmd.Wait() // its ProcessState says it all
		close(s.exited)
	}()
	c.t.Cleanup(s.end)
	s.awaitReady()
	return s
}

// mover is the command that moves the project from a to b, with more flags.
func (c *twoCells) mover(more ...string) *exec.Cmd {
	c.t.Helper()
	args := []string{
		"project", "--metadata-url", c.metadata, "move", projectID, "--to", "b",
		"--from-server", "http://" + c.a.metrics, "--to-server", "http://" + c.b.metrics, "--from-engine", c.a.engineAddress(), "--to-engine", c.b.engineAddress(),
	}
	cmd := exec.Command(program(c.t), append(args, more...)...)
	cmd.Env = bareEnvironment()
	return cmd
}

func (s *server) engineAddress() string {
	s.t.Helper()
	address, err := os.ReadFile(filepath.Join(s.dir, "engine.url"))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(address)
}

// killedAt runs the mover until it says something, and kills it then. Empty: it runs to its end.
func (c *twoCells) killedAt(words string) {
	c.t.Helper()
	cmd := c.mover()
	output, err := cmd.StdoutPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	killed := false
	for lines := bufio.NewScanner(output); lines.Scan(); {
		c.t.Log(lines.Text())
		if strings.Contains(lines.Text(), "switched:") {
			c.switched = time.Now()
		}
		if words != "" && strings.Contains(lines.Text(), words) {
			pause(700 * time.Millisecond) // in the middle of it
			killed = true
			_ = cmd.Process.Kill() // it may just have ended
		}
	}
	if err := cmd.Wait(); err != nil && words == "" || !killed && words != "" {
		c.t.Fatalf("the mover that was to be killed at %q: %v %s", words, err, said.String())
	}
}

// rows counts what a cell's store has of the project.
func (s *server) rowsOf(project string) uint64 {
	s.t.Helper()
	store, err := chstore.Open(chstore.Config{Nodes: []string{s.engineAddress()}})
	if err != nil {
		s.t.Fatal(err)
	}
	defer store.Close()
	n, err := store.RowsOf(s.t.Context(), project)
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

// refusal asks a process past the router. Its answers to those who come the wrong way are no part of the API's description.
func (s *server) refusal(method, path string) (status int, cell, text string) {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), method, "http://"+s.listen+path, strings.NewReader("{}"))
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Authorization", basicAuth(publicKey, secretKey))
	request.Header.Set("Content-Type", "application/json")
	got, err := probe.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer got.Body.Close()
	body, _ := io.ReadAll(got.Body)
	return got.StatusCode, got.Header.Get("X-Sonde-Cell"), string(body)
}

// sums are figures of the project up to a time: how many rows, what they cost, how many scores.
func (c *client) sums(until time.Time) string {
	c.t.Helper()
	var all []string
	for _, q := range []string{
		`"view":"observations","metrics":[{"measure":"count","aggregation":"count"},{"measure":"totalCost","aggregation":"sum"}]`,
		`"view":"scores-numeric","metrics":[{"measure":"count","aggregation":"count"},{"measure":"value","aggregation":"sum"}]`,
	} {
		query := fmt.Sprintf(`{%s,"fromTimestamp":"2020-01-01T00:00:00Z","toTimestamp":"%s"}`, q, until.UTC().Format(time.RFC3339))
		a, err := c.do(http.MethodGet, "/api/public/v2/metrics?query="+url.QueryEscape(query), nil)
		if err != nil || a.err() != nil {
			c.t.Fatalf("sums: %v %v", err, a.err())
		}
		var answer struct {
			Data []map[string]any `json:"data"`
		}
		if err := json.Unmarshal([]byte(a.body), &answer); err != nil {
			c.t.Fatal(err)
		}
		for _, row := range answer.Data {
			for name, value := range row {
				if sum, ok := value.(float64); ok {
					row[name] = math.Round(sum*1e9) / 1e9 // the last digits of values that are floats depend on the order of rows
				}
			}
		}
		all = append(all, fmt.Sprint(answer.Data))
	}
	return strings.Join(all, " ")
}

// walks reads the same list by pages again and again until it is told to stop, each page after a pause. Every walk must show
// exactly the rows, and one at least must have begun before the switch and ended after it.
type walks struct {
	done  sync.WaitGroup
	stop  chan struct{}
	mu    sync.Mutex
	times [][2]time.Time
}

func (c *client) startWalks(want []string, until time.Time, limit int) *walks {
	w := &walks{stop: make(chan struct{})}
	w.done.Go(func() {
		for {
			began := time.Now()
			query := url.Values{"limit": {strconv.Itoa(limit)}, "fields": {"core"}, "toStartTime": {until.UTC().Format(time.RFC3339Nano)}}
			var got []string
			for {
				p, err := c.observations(query)
				if err != nil {
					c.t.Errorf("a page during the move: %v", err)
					return
				}
				for _, r := range p.Data {
					got = append(got, r.key())
				}
				if p.Meta.Cursor == "" {
					break
				}
				query.Set("cursor", p.Meta.Cursor)
				pause(50 * time.Millisecond)
			}
			if slices.Sort(got); !slices.Equal(got, want) {
				c.t.Errorf("a walk of %s showed %d rows, not the %d that were there, each once", time.Since(began), len(got), len(want))
			}
			w.mu.Lock()
			w.times = append(w.times, [2]time.Time{began, time.Now()})
			w.mu.Unlock()
			select {
			case <-w.stop:
				return
			default:
			}
		}
	})
	return w
}

// over counts the walks that began before a moment and ended after it.
func (w *walks) over(at time.Time) (n int) {
	close(w.stop)
	w.done.Wait()
	for _, t := range w.times {
		if t[0].Before(at) && t[1].After(at) {
			n++
		}
	}
	return n
}

// fillWithDemo sends data of every sort, and waits until all of it is stored and evaluated. Meanwhile a mover refuses.
func (c *twoCells) fillWithDemo(front *server) {
	c.t.Helper()
	demo := run(c.t, bareEnvironment(), "demo", "--url", "http://"+front.listen, "--public-key", publicKey, "--secret-key", secretKey, "--small", "--traces", "150")
	if demo.code != 0 {
		c.t.Fatalf("demo: %s %s", demo.stdout, demo.stderr)
	}
	if busy, err := c.mover().CombinedOutput(); err == nil || !strings.Contains(string(busy), "unfinished jobs: evaluate") {
		c.t.Errorf("a move during a job: %v %s", err, busy)
	}
	eventually(c.t, 2*time.Minute, "the jobs of the demo are done", func() error {
		text, err := c.a.look("http://" + c.a.metrics + "/cell?project=" + projectID)
		if err == nil && !strings.Contains(text, `"jobs":[]`) {
			err = errors.New(text)
		}
		return err
	})
	c.a.drained(time.Minute)
}

// answerForThemselves checks that a cell refuses what is for the other one, by every way in, and that the mover is not
// taken in by a wrong address.
func (c *twoCells) answerForThemselves() {
	c.t.Helper()
	if status, cell, text := c.b.refusal(http.MethodGet, observationsPath); status != http.StatusMisdirectedRequest || cell != "a" || !strings.Contains(text, "another cell, a") {
		c.t.Errorf("the other cell: %d %q %s", status, cell, text)
	}
	if status, cell, _ := c.b.refusal(http.MethodPost, "/api/public/scores"); status != http.StatusMisdirectedRequest || cell != "a" {
		c.t.Errorf("a write to the other cell: %d %q", status, cell)
	}
	if _, err := exportByGRPC(c.t, c.b, basicAuth(publicKey, secretKey), "astray"); err == nil || !strings.Contains(err.Error(), "another cell, a") {
		c.t.Errorf("gRPC to the other cell: %v", err)
	}
	if wrong, err := c.mover("--to-engine", c.a.engineAddress()).CombinedOutput(); err == nil || !strings.Contains(string(wrong), "--to-engine is not the store of the server") {
		c.t.Errorf("with the engine of the wrong cell: %v %s", err, wrong)
	}
}

// left checks that the project is in the new cell, and nothing of it in the old one.
func (c *twoCells) left(rows int) {
	c.t.Helper()
	meta, err := sqlstore.OpenPostgres(c.t.Context(), c.metadata)
	if err != nil {
		c.t.Fatal(err)
	}
	at, err := meta.Placement(c.t.Context(), projectID)
	if err := errors.Join(err, meta.Close()); err != nil || at != (model.Placement{Cell: "b"}) {
		c.t.Errorf("the project is at %+v, %v", at, err)
	}
	if status, cell, _ := c.a.refusal(http.MethodGet, observationsPath); status != http.StatusMisdirectedRequest || cell != "b" {
		c.t.Errorf("the old cell: %d %q", status, cell)
	}
	if n := c.a.rowsOf(projectID); n != 0 {
		c.t.Errorf("the old cell has %d rows of the project left", n)
	}
	if n := c.b.rowsOf(projectID); n < uint64(rows) {
		c.t.Errorf("the new cell has %d rows of the project", n)
	}
}

// A project moves from one cell to the other while it is written to and read from, by a mover that is killed three times: not
// one span is lost or there twice, cursors go on, sums stay, and nothing is left where it was.
func TestProjectMovesBetweenCells(t *testing.T) {
	c := startCells(t)
	front, idle := c.router(), c.router()
	through := front.client()
	c.fillWithDemo(front)
	c.answerForThemselves()
	idle.client().send(inProtobuf(t, span{trace: strings.Repeat("1", 32), id: strings.Repeat("1", 16), name: "known way", start: time.Now().Add(-time.Hour)}))
	c.a.drained(time.Minute)

	until := time.Now().Add(-2 * time.Minute).Truncate(time.Second) // before all that flows in from now on
	rows, err := through.walk(nil, 1000)
	if err != nil {
		t.Fatal(err)
	}
	var before []span
	var old []string
	for _, r := range rows {
		before = append(before, span{trace: r.TraceID, id: r.ID})
		if r.StartTime.Before(until) {
			old = append(old, r.key())
		}
	}
	slices.Sort(old)
	sums := through.sums(until)
	t.Logf("%d rows, %d of them old: %s", len(rows), len(old), sums)

	flow := front.startFlow(2, 30*time.Millisecond)
	walking := front.client().startWalks(old, until, max(20, len(old)/60))
	pause(time.Second)
	for _, words := range []string{"rows of observations", "holding the project", "waiting for what may come late", ""} {
		c.killedAt(words)
	}
	pause(time.Second)
	sent := flow.end()
	t.Logf("%d spans with %d tries during the move, the longest took %s", len(sent), flow.tries.Load(), flow.worst.Round(time.Millisecond))
	if n := flow.failed.Load(); n > 0 {
		t.Errorf("%d exports were given up", n)
	}
	if walking.over(c.switched) == 0 {
		t.Error("no walk was under way when the project switched")
	}

	byGRPC, err := exportByGRPC(t, front, basicAuth(publicKey, secretKey), "after", "the move")
	if err != nil {
		t.Error(err)
	}
	// A router that has heard of nothing since finds the way by itself.
	late := newSpans(3)
	idle.client().send(inProtobuf(t, late...))
	all := slices.Concat(before, sent, late, byGRPC)
	through.showsWithin(time.Minute, all)
	idle.client().shows(all, 500)
	if after := through.sums(until); after != sums {
		t.Errorf("sums before %s\nafter %s", sums, after)
	}
	c.left(len(all))
}
