package e2e_test

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sondehq/sonde/e2e/cluster"
)

// The project that a first start creates, unless a test says otherwise.
const (
	projectID = "first"
	publicKey = "pk-lf-first"
	secretKey = "sk-lf-first"
)

// server is one data directory and the process that serves it, again and again if a test wants.
type server struct {
	t       *testing.T
	dir     string // data directory
	listen  string
	grpc    string
	metrics string
	flags   []string // further ones
	env     []string // further ones
	wrap    []string // a command that runs the program's, such as strace
	binary  string   // another one than that under test

	cluster *cluster.Cluster // nil: it is one process

	cmd    *exec.Cmd
	exited chan struct{} // closed when cmd has ended
	output string        // file of everything it said
}

// newNode chooses a directory and addresses for one process. Whatever was started is ended with the test.
func newNode(t *testing.T, flags ...string) *server {
	t.Helper()
	if inCluster() {
		t.Skip("this is about single processes")
	}
	dir := t.TempDir()
	s := &server{
		t: t, dir: filepath.Join(dir, "data"), output: filepath.Join(dir, "output"),
		listen: freeAddress(t), grpc: freeAddress(t), metrics: freeAddress(t), flags: flags,
		env: []string{"SONDE_INIT_PROJECT_ID=" + projectID, "SONDE_INIT_PROJECT_PUBLIC_KEY=" + publicKey, "SONDE_INIT_PROJECT_SECRET_KEY=" + secretKey},
	}
	t.Cleanup(s.end)
	return s
}

// startServer is a server that is ready.
func startServer(t *testing.T, flags ...string) *server {
	t.Helper()
	s := newServer(t, flags...)
	s.start()
	return s
}

// startNode is the same for one process, for tests of it, its files or its engine.
func startNode(t *testing.T, flags ...string) *server {
	t.Helper()
	s := newNode(t, flags...)
	s.start()
	return s
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// start runs the program and waits until it is ready.
func (s *server) start() {
	s.t.Helper()
	if s.dir == "" {
		s.startCluster()
		return
	}
	s.launch()
	s.awaitReady()
}

func (s *server) awaitReady() {
	s.t.Helper()
	eventually(s.t, 60*time.Second, "the server gets ready", func() error {
		select {
		case <-s.exited:
			s.t.Fatalf("the server ended before it was ready:\n%s", s.said())
		default:
		}
		_, err := s.look("http://" + s.listen + "/api/public/ready")
		return err
	})
}

// probe keeps no connections: those to a server that is gone must not linger.
var probe = &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}

// look reads a page that needs no key.
func (s *server) look(address string) (string, error) {
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, address, nil)
	if err != nil {
		return "", err
	}
	answer, err := probe.Do(request)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %d: %s", answer.StatusCode, text)
	}
	return string(text), err
}

// launch runs the program without waiting for anything.
func (s *server) launch() {
	s.t.Helper()
	command := append(append([]string{}, s.wrap...), cmp.Or(s.binary, program(s.t)), "serve", "--data-dir", s.dir, "--listen", s.listen, "--grpc-listen", s.grpc, "--metrics-listen", s.metrics)
	command = append(command, s.flags...)
	output, err := os.OpenFile(s.output, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		s.t.Fatal(err)
	}
	defer output.Close()
	s.cmd = exec.Command(command[0], command[1:]...)
	s.cmd.Stdout, s.cmd.Stderr = output, output
	s.cmd.Env = environment(s.t, s.env...)
	if err := s.cmd.Start(); err != nil {
		s.t.Fatalf("start %s: %v", command[0], err)
	}
	s.exited = make(chan struct{})
	go func(cmd *exec.Cmd, exited chan struct{}) {
		_ = cmd.Wait() // its ProcessState says it all
		close(exited)
	}(s.cmd, s.exited)
}

// said is the end of what the server printed.
func (s *server) said() string {
	text, err := os.ReadFile(s.output)
	if err != nil {
		return ""
	}
	return string(text[max(0, len(text)-6000):])
}

// pid is the server's own process, also below a wrapping command.
func (s *server) pid() int {
	s.t.Helper()
	if len(s.wrap) == 0 {
		return s.cmd.Process.Pid
	}
	children := childrenOf(s.cmd.Process.Pid)
	if len(children) != 1 {
		s.t.Fatalf("%s has the processes %v, one was expected", s.wrap[0], children)
	}
	return children[0]
}

// engine is the process that serves ClickHouse's protocol, 0 while there is none.
func (s *server) engine() int {
	s.t.Helper()
	for _, pid := range childrenOf(s.pid()) {
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if err == nil && bytes.Contains(line, []byte("\x00engine\x00")) {
			return pid
		}
	}
	return 0
}

// childrenOf reads /proc, because children belong to the thread that started them.
func childrenOf(parent int) (children []int) {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", parent)) // the pattern is sound
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // a thread that ended
		}
		for word := range strings.FieldsSeq(string(text)) {
			if pid, err := strconv.Atoi(word); err == nil {
				children = append(children, pid)
			}
		}
	}
	return children
}

func running(pid int) bool {
	state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	after := state[bytes.LastIndexByte(state, ')')+1:]
	return !bytes.HasPrefix(bytes.TrimSpace(after), []byte("Z"))
}

func (s *server) signal(pid int, signal syscall.Signal) {
	s.t.Helper()
	if err := syscall.Kill(pid, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
		s.t.Fatalf("signal %v to process %d: %v", signal, pid, err)
	}
}

// stop asks for an orderly end and returns how long it took and the exit code.
func (s *server) stop() (time.Duration, int) {
	s.t.Helper()
	began := time.Now()
	s.signal(s.pid(), syscall.SIGTERM)
	code := s.waitExit(40 * time.Second)
	return time.Since(began), code
}

func (s *server) waitExit(within time.Duration) int {
	s.t.Helper()
	select {
	case <-s.exited:
		return s.cmd.ProcessState.ExitCode()
	case <-time.After(within):
		s.t.Fatalf("the server did not end within %s:\n%s", within, s.said())
		return 0
	}
}

// restart is an orderly stop and a new start.
func (s *server) restart() {
	s.t.Helper()
	if s.cluster != nil {
		s.restartCluster()
		return
	}
	if _, code := s.stop(); code != 0 {
		s.t.Errorf("the server ended with code %d:\n%s", code, s.said())
	}
	s.start()
}

// end is the last thing a test does with a server.
func (s *server) end() {
	if s.cluster != nil {
		if err := s.cluster.Close(s.t.Context()); err != nil {
			s.t.Error(err)
		}
		return
	}
	if s.t.Failed() {
		s.t.Logf("the end of what the server said:\n%s", s.said())
	}
	if s.cmd == nil {
		return
	}
	select {
	case <-s.exited:
		return
	default:
	}
	pid, engine := s.pid(), s.engine()
	s.signal(pid, syscall.SIGTERM)
	select {
	case <-s.exited:
		return
	case <-time.After(30 * time.Second):
	}
	s.t.Errorf("the server had to be killed:\n%s", s.said())
	s.signal(pid, syscall.SIGKILL)
	if engine != 0 {
		s.signal(engine, syscall.SIGKILL)
	}
	<-s.exited
}

// metric reads one number of the server's own metrics, of a cluster the sum of all processes that have it; labels belong
// to the name.
func (s *server) metric(name string) (sum float64, err error) {
	if s.cluster == nil {
		return s.metricAt(s.metrics, name)
	}
	found := false
	for _, process := range cluster.Names() {
		one, err := s.metricAt(s.cluster.Metrics(process), name)
		if errors.Is(err, errNoMetric) {
			continue
		}
		if err != nil {
			return 0, err
		}
		found, sum = true, sum+one
	}
	if !found {
		return 0, fmt.Errorf("%w %s", errNoMetric, name)
	}
	return sum, nil
}

var errNoMetric = errors.New("there is no metric")

func (s *server) metricAt(address, name string) (float64, error) {
	text, err := s.look("http://" + address + "/metrics")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			return strconv.ParseFloat(strings.TrimSpace(value), 64)
		}
	}
	return 0, fmt.Errorf("%w %s", errNoMetric, name)
}

func (s *server) scrape() (string, error) { return s.look("http://" + s.metrics + "/metrics") }

// drained waits until everything that was acknowledged is stored.
func (s *server) drained(within time.Duration) {
	s.t.Helper()
	eventually(s.t, within, "the log is drained", func() error {
		pending, err := s.metric("sonde_log_pending_envelopes")
		if err == nil && pending > 0 {
			err = fmt.Errorf("%.0f envelopes are pending", pending)
		}
		return err
	})
}

func basicAuth(public, secret string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(public+":"+secret))
}
