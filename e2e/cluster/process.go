package cluster

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// Process is one program of the cluster, started again and again if need be. It is ended by its own process id only.
type Process struct {
	Name string
	make func() *exec.Cmd
	log  string // file of all that it said

	mu     sync.Mutex
	cmd    *exec.Cmd
	exited chan struct{}
}

func newProcess(dir, name string, command func() *exec.Cmd) *Process {
	return &Process{Name: name, make: command, log: filepath.Join(dir, name+".log")}
}

// Start runs the program without waiting until it is ready.
func (p *Process) Start() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd != nil {
		select {
		case <-p.exited:
		default:
			return fmt.Errorf("%s runs already", p.Name)
		}
	}
	output, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer output.Close()
	cmd := p.make()
	cmd.Stdout, cmd.Stderr = output, output
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true // an interrupt at the terminal is for us, who end the others in their order
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", p.Name, err)
	}
	p.cmd, p.exited = cmd, make(chan struct{})
	go func(cmd *exec.Cmd, exited chan struct{}) {
		_ = cmd.Wait() // how it ended is in its log
		close(exited)
	}(cmd, p.exited)
	return nil
}

// PID is the process's, 0 while it does not run.
func (p *Process) PID() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		return 0
	}
	select {
	case <-p.exited:
		return 0
	default:
		return p.cmd.Process.Pid
	}
}

// Signal sends a signal to the process if it runs.
func (p *Process) Signal(signal syscall.Signal) error {
	pid := p.PID()
	if pid == 0 {
		return nil
	}
	if err := syscall.Kill(pid, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("signal %v to %s: %w", signal, p.Name, err)
	}
	return nil
}

// Stop ends the process in good order, and by force when that takes longer than within.
func (p *Process) Stop(within time.Duration) error {
	if p.PID() == 0 {
		return nil
	}
	if err := p.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case <-p.exited:
		return nil
	case <-time.After(within):
	}
	return errors.Join(fmt.Errorf("%s did not end within %s:\n%s", p.Name, within, p.Said()), p.Kill())
}

// Kill ends the process at once and waits until it is gone.
func (p *Process) Kill() error {
	if p.PID() == 0 {
		return nil
	}
	err := p.Signal(syscall.SIGKILL)
	<-p.exited
	return err
}

// Said is the end of what the process printed.
func (p *Process) Said() string {
	text, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-4000):])
}
