package natslog_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/sondehq/sonde/internal/eventlog/natslog"
)

// childServe is the first server of a cluster. It prints its process and its address.
func childServe(dir string) error {
	var ports []int
	if err := json.Unmarshal([]byte(os.Getenv(childPort)), &ports); err != nil {
		return err
	}
	s, err := server.NewServer(onLoopback(clusterOptions(ports, func() string { return dir })[0]))
	if err != nil {
		return err
	}
	s.Start()
	if !s.ReadyForConnections(10 * time.Second) {
		return errors.New("the server does not start")
	}
	fmt.Fprintln(os.Stdout, os.Getpid(), s.ClientURL())
	select {}
}

// A server that hangs keeps its connections: whoever waits until they end waits for minutes.
func TestHangingServerIsLeft(t *testing.T) {
	t.Parallel()
	ports := freePorts(t, 3)
	of, err := json.Marshal(ports)
	if err != nil {
		t.Fatal(err)
	}
	said := make(chan string, 1)
	kill, wait := startChild(t, t.TempDir(), "serve", func(line string) { said <- line }, childPort+"="+string(of))
	defer wait()
	defer kill()
	for _, options := range clusterOptions(ports, t.TempDir)[1:] {
		startServer(t, options)
	}
	var pid int
	var address string
	if _, err := fmt.Sscan(<-said, &pid, &address); err != nil {
		t.Fatal(err)
	}
	// Only its address is known, so it is what the log is connected to; it tells of the others.
	log := openRemote(t, natslog.Config{URL: address, Replicas: 3, Partitions: 2, Logger: testLogger(t)})
	mustAppend(t, log, "before")
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	mustAppend(t, log, "after")
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("nothing was appended for %s", took)
	}
	for missing := 0; missing == 0; { // others elect leaders, and count it as missing
		if time.Since(began) > 30*time.Second {
			t.Fatal("no replica is missing")
		}
		if status, err := log.Status(t.Context()); err == nil {
			missing = status.Parts[0].ReplicasMissing
		}
	}
	for range 10 {
		mustAppend(t, log, "pending")
		if _, err := log.Status(t.Context()); err != nil {
			t.Error(err)
		}
		if err := log.CopyTo(t.Context(), io.Discard); err != nil {
			t.Error(err)
		}
	}
}
