package e2e_test

import (
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Whatever was acknowledged before an orderly stop is there after the next start.
func TestStopUnderLoad(t *testing.T) {
	s := startNode(t)
	l := startLoad(t, s.client(), 4)
	awaitMore(t, "spans are taken", l, 500)
	engine := s.engine()
	took, code := s.stop()
	l.end()
	if code != 0 || took > 20*time.Second {
		t.Errorf("the server ended after %s with code %d", took, code)
	}
	if running(engine) {
		t.Errorf("the engine, process %d, still runs", engine)
	}
	for _, a := range l.refused() {
		if a.status < 500 {
			t.Errorf("while stopping: status %d: %s", a.status, a.body)
		}
	}
	s.start()
	s.client().showsWithin(30*time.Second, l.acknowledged(), l.unanswered...)
	t.Logf("stopped within %s, %d spans taken, %d requests unanswered", took.Round(time.Millisecond), len(l.taken), l.broken+len(l.refusals))
}

// A stop waits for the engine; who sends the signal again does not want to.
func TestSecondSignalCutsTheStopShort(t *testing.T) {
	s := startNode(t)
	engine := s.engine()
	s.signal(engine, syscall.SIGSTOP) // the writer now waits for its rows
	spans := newSpans(10)
	s.client().send(inProtobuf(t, spans...))
	s.signal(s.pid(), syscall.SIGTERM)
	eventually(t, 10*time.Second, "the server begins to stop", func() error {
		if !strings.Contains(s.said(), "stopping") {
			return fmt.Errorf("it said: %s", s.said())
		}
		return nil
	})
	pause(300 * time.Millisecond)
	if !running(s.pid()) {
		t.Fatal("the stop did not wait for the engine")
	}
	began := time.Now()
	s.signal(s.pid(), syscall.SIGTERM)
	s.waitExit(10 * time.Second)
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("the second signal took %s", took)
	}
	if running(engine) {
		t.Errorf("the engine, process %d, still runs", engine)
	}
	s.start()
	s.client().showsWithin(30*time.Second, spans)
}

// The engine does not outlive a server that was killed.
func TestKilledServerTakesItsEngineAlong(t *testing.T) {
	s := startNode(t)
	l := startLoad(t, s.client(), 2)
	awaitMore(t, "spans are taken", l, 100)
	engine := s.engine()
	if engine == 0 {
		t.Fatal("there is no engine")
	}
	s.signal(s.pid(), syscall.SIGKILL)
	s.waitExit(5 * time.Second)
	took := eventually(t, 5*time.Second, "the engine ends", func() error {
		if running(engine) {
			return fmt.Errorf("process %d runs", engine)
		}
		return nil
	})
	t.Logf("the engine was gone %s after its server", took.Round(time.Millisecond))
	l.end()
	s.start()
	s.client().showsWithin(30*time.Second, l.acknowledged(), l.unanswered...)
}

func TestOneServerPerDataDirectory(t *testing.T) {
	s := startNode(t)
	second := exec.CommandContext(t.Context(), program(t), "serve", "--data-dir", s.dir, "--listen", freeAddress(t), "--grpc-listen", "", "--metrics-listen", "")
	second.Env = environment(t)
	output, err := second.CombinedOutput()
	if code := second.ProcessState.ExitCode(); code != 1 || !strings.Contains(string(output), "another sonde works in "+s.dir) {
		t.Errorf("code %d, %v: %s", code, err, output)
	}
	spans := newSpans(3)
	s.client().send(inProtobuf(t, spans...))
	s.client().showsWithin(20*time.Second, spans)
}
