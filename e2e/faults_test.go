package e2e_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/sondehq/sonde/e2e/cluster"
)

// faultKind is a way to hurt the cluster.
type faultKind struct {
	name    string
	targets []string
	lasts   time.Duration // unless somebody waits for its alert
	do      func(target string) (undo func() error, err error)
	alerts  func(target string) []string // any of which must tell of it
}

const allLogServersDie = "all NATS servers die"

// ownDisks are servers whose data is on a disk of its own, which can be filled.
var ownDisks = []string{"nats3", "engine2"}

func (c *chaos) kinds() []faultKind {
	sonde := cluster.Names()
	nats := []string{"nats1", "nats2", "nats3"}
	all := slices.Concat(sonde, nats, []string{"s3server", "postgres", "engine1", "engine2"})
	return []faultKind{
		{"kill -9", all, 2 * time.Second, c.kill, alertsOf},
		{"hangs", all, 5 * time.Second, c.hang, alertsOf},
		{"cut off", slices.Concat(sonde, nats), 5 * time.Second, c.cutOff, alertsOf},
		{"slow disk", nats, 10 * time.Second, c.slowDisk, func(string) []string { return []string{"SondeAcknowledgesSlowly"} }},
		{"full disk", ownDisks, 10 * time.Second, c.fullDisk, alertsOf},
		{"clock jumps", sonde, 10 * time.Second, c.clockJumps, func(string) []string { return []string{"SondeClockOffset"} }},
		{allLogServersDie, []string{"nats"}, time.Second, c.killNATS, func(string) []string { return []string{"SondeLogDown", "SondeNotAcknowledging"} }},
	}
}

// alertsOf are the alerts that tell that a server is away.
func alertsOf(target string) []string {
	switch strings.TrimRight(target, "123") {
	case "nats":
		return []string{"SondeLogReplicaMissing"}
	case "engine": // killed, it is back before anybody asks whether it is there
		return []string{"SondeEngineDown", "SondeInsertsFail", "SondeReadsFail"}
	case "postgres":
		return []string{"SondeMetadataDown"}
	case "s3server":
		return []string{"SondeBlobsDown"}
	}
	return []string{"SondeDown", "SondeNotReady"}
}

// pid is that of a process of the cluster.
func (c *chaos) pid(target string) (int, error) {
	if strings.HasPrefix(target, "engine") {
		return c.server.shardPID(target)
	}
	return c.process(target).PID(), nil
}

func (c *chaos) process(name string) *cluster.Process {
	all := c.server.cluster
	switch {
	case strings.HasPrefix(name, "nats"):
		return all.NATS[int(name[len(name)-1]-'1')]
	case name == "postgres":
		return all.Postgres
	case name == "s3server":
		return all.S3
	}
	return all.Sonde[name]
}

// kill ends a process. Engines are started again by themselves, others by whoever runs them: here by undo.
func (c *chaos) kill(target string) (func() error, error) {
	if strings.HasPrefix(target, "engine") {
		pid, err := c.server.shardPID(target)
		if err != nil {
			return nil, err
		}
		return func() error { return nil }, syscall.Kill(pid, syscall.SIGKILL)
	}
	p := c.process(target)
	return p.Start, p.Kill()
}

// hang stops a process, and those that it has started.
func (c *chaos) hang(target string) (func() error, error) {
	pid, err := c.pid(target)
	if err != nil {
		return nil, err
	}
	signal := func(signal syscall.Signal) error {
		errs := []error{syscall.Kill(pid, signal)}
		if target == "postgres" {
			for _, child := range childrenOf(pid) {
				if err := syscall.Kill(child, signal); !errors.Is(err, syscall.ESRCH) { // those of connections come and go
					errs = append(errs, err)
				}
			}
		}
		return errors.Join(errs...)
	}
	return func() error { return signal(syscall.SIGCONT) }, signal(syscall.SIGSTOP)
}

func (c *chaos) cutOff(target string) (func() error, error) {
	c.server.cluster.Network.Cut(target)
	return func() error { c.server.cluster.Network.Mend(target); return nil }, nil
}

func (c *chaos) killNATS(string) (func() error, error) {
	for _, p := range c.server.cluster.NATS {
		if err := p.Kill(); err != nil {
			return nil, err
		}
	}
	return func() error {
		for _, p := range c.server.cluster.NATS {
			if err := p.Start(); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

// syncTakes is how long a slow disk takes for what others do in a millisecond.
const syncTakes = 1500 * time.Millisecond

// slowDisk holds every sync of a server back.
func (c *chaos) slowDisk(target string) (func() error, error) {
	pid, err := c.pid(target)
	if err != nil {
		return nil, err
	}
	delay := fmt.Sprintf("inject=fsync,fdatasync:delay_enter=%d", syncTakes.Microseconds())
	cmd := exec.Command("strace", "--seccomp-bpf", "-f", "-e", "trace=fsync,fdatasync", "-e", delay, "-o", "/dev/null", "-p", strconv.Itoa(pid))
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("slow disks are made by strace: %w", err)
	}
	return func() error {
		err := cmd.Process.Signal(syscall.SIGINT) // it lets go of the process
		_ = cmd.Wait()                            // it tells of the signal
		return err
	}, nil
}

// ownDisk gives a server a file system of its own. It is a file, so that a later run finds what is on it.
func (c *chaos) ownDisk(dir string) {
	c.t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		c.t.Fatal(err)
	}
	image := dir + ".disk"
	if _, err := os.Stat(image); errors.Is(err, os.ErrNotExist) {
		c.command("truncate", "--size=4G", image)
		c.command("mkfs.ext4", "-q", "-F", image)
	}
	c.command("mount", "-o", "loop", image, dir)
	c.t.Cleanup(func() { c.command("umount", "--lazy", dir) })
	_ = os.Remove(filepath.Join(dir, "ballast")) // of a run that was cut off
}

func (c *chaos) command(name string, arguments ...string) {
	c.t.Helper()
	if said, err := exec.Command(name, arguments...).CombinedOutput(); err != nil {
		c.t.Fatalf("%s %v: %v: %s; this test makes disks of files and must run as root, where mounting is allowed", name, arguments, err, said)
	}
}

// fullDisk leaves nothing free. A log server that has seen it wants to be started again.
func (c *chaos) fullDisk(target string) (func() error, error) {
	empty, err := fillAtOnce(filepath.Join(c.server.cluster.Dir, target))
	if err != nil || !strings.HasPrefix(target, "nats") {
		return empty, err
	}
	p := c.process(target)
	return func() error { return errors.Join(empty(), p.Stop(20*time.Second), p.Start()) }, nil
}

// clockJumps sets one process's clock back, further than most settings forgive.
func (c *chaos) clockJumps(target string) (func() error, error) {
	pid, err := c.pid(target)
	if err != nil {
		return nil, err
	}
	return wrongClock(pid, -3*time.Minute)
}
