package engine

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/fault"
)

func TestStartServesItsUserOnLoopback(t *testing.T) {
	t.Parallel()
	e := startEngine(t, testConfig(t))
	if got := scan[string](t, connect(t, e), "SELECT currentUser()"); got != User {
		t.Errorf("user is %q, want %q", got, User)
	}
	if !e.Ready() || e.Restarts() != 0 {
		t.Errorf("ready %v, restarts %d", e.Ready(), e.Restarts())
	}
	for _, addr := range listening(t, e.Pid()) {
		if addr != e.Addr() {
			t.Errorf("also listens on %s", addr)
		}
	}
}

func TestKilledEngineComesBackWithItsData(t *testing.T) {
	t.Parallel()
	e := startEngine(t, testConfig(t))
	conn := connect(t, e)
	run(t, conn,
		"CREATE DATABASE d",
		"CREATE TABLE d.t (n UInt64) ENGINE = MergeTree ORDER BY n SETTINGS fsync_after_insert = 1",
		"INSERT INTO d.t SELECT number FROM numbers(1000)")
	addr, password, pid := e.Addr(), e.Password(), e.Pid()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, 20*time.Second, "restarted", func() bool { return e.Ready() && e.Pid() != pid })
	if e.Addr() != addr || e.Password() != password || e.Restarts() == 0 {
		t.Errorf("address %s (was %s), restarts %d", e.Addr(), addr, e.Restarts())
	}
	if got := scan[uint64](t, connect(t, e), "SELECT count() FROM d.t"); got != 1000 {
		t.Errorf("%d rows after the restart, want 1000", got)
	}
}

func TestStopEndsInGoodOrder(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	e, err := Start(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	conn := connect(t, e)
	run(t, conn, "CREATE DATABASE d", "CREATE TABLE d.t (n UInt64) ENGINE = MergeTree ORDER BY n", "INSERT INTO d.t VALUES (7)")
	if err := conn.Close(); err != nil {
		t.Error(err)
	}
	stopEngine(t, e)
	stopEngine(t, e) // a second stop is harmless
	if e.child.err != nil || e.Ready() || isRunning(e.Pid()) {
		t.Errorf("ended with %v, ready %v", e.child.err, e.Ready())
	}
	again := startEngine(t, cfg)
	if again.Addr() != e.Addr() || again.Password() != e.Password() {
		t.Errorf("address %s and password change with a restart; was %s", again.Addr(), e.Addr())
	}
	if got := scan[uint64](t, connect(t, again), "SELECT n FROM d.t"); got != 7 {
		t.Errorf("got %d, want 7", got)
	}
}

func TestStopUnderLoad(t *testing.T) {
	t.Parallel()
	e, err := Start(t.Context(), testConfig(t))
	if err != nil {
		t.Fatal(err)
	}
	ended := startLongQuery(t, e)
	stopEngine(t, e)
	if err := <-ended; err == nil {
		t.Error("the query outlived the engine")
	}
}

func TestStopKillsAtTheDeadline(t *testing.T) {
	t.Parallel()
	e, err := Start(t.Context(), testConfig(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(e.Pid(), syscall.SIGSTOP); err != nil { // a frozen process cannot obey
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if err := e.Stop(ctx); err == nil {
		t.Error("no error although it was killed")
	}
	if isRunning(e.Pid()) {
		t.Error("still there")
	}
}

func TestSignalsMeantForTheParentDoNotEndIt(t *testing.T) {
	t.Parallel()
	e := startEngine(t, testConfig(t))
	pid := e.Pid()
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if err := syscall.Kill(pid, sig); err != nil {
			t.Fatal(err)
		}
	}
	if got := scan[uint8](t, connect(t, e), "SELECT 1"); got != 1 || e.Pid() != pid {
		t.Errorf("pid %d, was %d", e.Pid(), pid)
	}
}

func TestDiesWithItsParent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	parent := exec.Command(os.Args[0], "parent", dir)
	stdin, err := parent.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	parent.Stderr = os.Stderr
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	var pid, port int
	if _, err := fmt.Fscan(out, &pid, &port); err != nil {
		t.Fatalf("parent did not start an engine: %v", err)
	}
	_ = parent.Process.Kill()
	_ = parent.Wait()
	killed := time.Now()

	// A successor starts while the orphan may still hold the data, and gets the same port.
	e := startEngine(t, Config{Dir: dir, Library: libraryPath()})
	if e.port != port {
		t.Errorf("port %d, was %d", e.port, port)
	}
	eventually(t, 5*time.Second-time.Since(killed), "orphan ends", func() bool { return !isRunning(pid) })
}

func TestOrphanIsGoneInTime(t *testing.T) {
	t.Parallel()
	e := startEngine(t, testConfig(t))
	pid := e.Pid()
	ended := startLongQuery(t, e) // keeps the engine from a quick end in good order
	e.child.leash.Close()         // what the kernel does when the parent is killed
	eventually(t, 5*time.Second, "orphan ends", func() bool { return !isRunning(pid) })
	if err := <-ended; err == nil {
		t.Error("the query outlived the engine")
	}
}

// startLongQuery returns when the query is running; the channel gets its outcome.
func startLongQuery(t *testing.T, e *Engine) <-chan error {
	t.Helper()
	conn, other := connect(t, e), connect(t, e)
	ended := make(chan error, 1)
	go func() {
		ended <- conn.Exec(context.Background(), "SELECT sum(sleepEachRow(1)) FROM numbers(60) "+
			"SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 100000000")
	}()
	eventually(t, 10*time.Second, "query runs", func() bool {
		return scan[uint64](t, other, "SELECT count() FROM system.processes WHERE query LIKE '%sleepEachRow%'") == 2
	})
	return ended
}

func TestDirectoryInUse(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	startEngine(t, cfg)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := Start(ctx, cfg); !fault.Is(err, fault.Conflict) {
		t.Errorf("second start on the same directory: %v", err)
	}
}

func TestNothingElseIsInherited(t *testing.T) {
	// Not parallel: the open descriptor must not leak into the children of other tests.
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	defer writer.Close()
	leaked, err := syscall.Dup(int(writer.Fd())) // a duplicate passes through exec
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Close(leaked) }()
	pipe, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", leaked))
	if err != nil {
		t.Fatal(err)
	}
	e := startEngine(t, testConfig(t))
	for _, target := range descriptors(t, e.Pid()) {
		if target == pipe {
			t.Errorf("engine holds %s", pipe)
		}
	}
}

func TestRunsAClickHouseServerWhenThereIsOne(t *testing.T) {
	t.Parallel()
	cfg, err := Config{Dir: t.TempDir(), Binary: os.Args[0], Executable: os.Args[0]}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := prepare(cfg); err != nil {
		t.Fatal(err)
	}
	started := cfg.Dir + "/server.started"
	for _, killed := range []bool{false, true} {
		_ = os.Remove(started)
		c, err := startChild(cfg, Source{Binary: os.Args[0]}, 12345)
		if err != nil {
			t.Fatal(err)
		}
		var note string
		eventually(t, 10*time.Second, "server starts", func() bool {
			text, err := os.ReadFile(started)
			note = string(text)
			return err == nil && strings.HasSuffix(note, "\n")
		})
		if want := fmt.Sprintf("[server --config-file=%s/config.xml -- --tcp_port=12345]\n", cfg.Dir); !strings.HasSuffix(note, want) {
			t.Errorf("arguments %q, want %q", note, want)
		}
		var pid int
		if _, err := fmt.Sscan(note, &pid); err != nil {
			t.Fatal(err)
		}
		if killed { // only the process in between: the kernel takes the server with it
			_ = syscall.Kill(c.pid(), syscall.SIGKILL)
			<-c.done
		} else if err := c.end(t.Context().Done()); err != nil || c.err != nil {
			t.Errorf("end: %v, %v, %s", err, c.err, c.tail.last(5))
		}
		eventually(t, 5*time.Second, "server ends", func() bool { return !isRunning(pid) })
		if _, err := os.Stat(cfg.Dir + "/server.stopped"); err != nil {
			t.Errorf("server was not asked to stop: %v", err)
		}
	}
}
