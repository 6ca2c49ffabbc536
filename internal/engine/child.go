package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// refusedListen is how the library's session says that its one statement failed; it then sits at
// its prompt, alive and useless.
const refusedListen = "Received exception"

// child is one run of the engine process.
//
// Two pipes tie it to this process, and the kernel closes both however this process ends. Closing
// stdin asks for an orderly end and leaves the pace to us; the end of the leash says that nobody is
// left to wait, and the child hurries. Linux's parent-death signal is not used: it fires when the
// thread that forked ends, and Go ends threads.
type child struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser
	leash *os.File
	tail  *tail
	done  chan struct{} // closed when the process is gone
	err   error         // how it ended; read after done
}

func startChild(cfg Config, src Source, port int) (*child, error) {
	args := []string{"engine", "--dir=" + cfg.Dir, "--port=" + strconv.Itoa(port)}
	if src.Binary != "" {
		args = append(args, "--binary="+src.Binary)
	} else {
		args = append(args, "--library="+src.Library)
	}
	far, near, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make leash: %w", err)
	}
	defer far.Close()
	c := &child{leash: near, tail: &tail{}, done: make(chan struct{})}
	c.cmd = exec.Command(cfg.Executable, args...)
	c.cmd.Dir = cfg.Dir
	c.cmd.Env = append(os.Environ(), "TZ=UTC", "GOTRACEBACK=none")
	c.cmd.Stderr = c.tail
	c.cmd.ExtraFiles = []*os.File{far}
	// A session of its own: no Ctrl-C reaches it, and it finds no terminal to draw on.
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	c.cmd.WaitDelay = time.Second
	if c.stdin, err = c.cmd.StdinPipe(); err != nil {
		return nil, errors.Join(fmt.Errorf("make stdin: %w", err), near.Close())
	}
	if err := c.cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("start engine: %w", err), near.Close())
	}
	go func() {
		c.err = c.cmd.Wait()
		c.leash.Close()
		close(c.done)
	}()
	return c, nil
}

func (c *child) pid() int { return c.cmd.Process.Pid }

// kill ends the process and all of its own at once, and waits until they are gone.
func (c *child) kill() {
	select {
	case <-c.done: // its number may already be another's
		return
	default:
	}
	_ = syscall.Kill(-c.pid(), syscall.SIGKILL)
	<-c.done
}

// end asks for an orderly end and kills when patience is over. There is no SIGTERM in between: the child
// ignores it, because service managers send it to all processes at once, and then the writer's last
// rows would find no engine.
func (c *child) end(over <-chan struct{}) error {
	c.stdin.Close()
	select {
	case <-c.done:
		return nil
	case <-over:
		c.kill()
		return errors.New("engine killed: it did not stop in time")
	}
}

// answers waits until the child serves. The error says why it never will.
func (c *child) answers(ctx context.Context, addr, password string) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := ping(ctx, addr, User, password)
		if err == nil {
			_, _ = io.WriteString(c.stdin, "\n") // tells the child so; if it is gone, done says it
			return nil
		}
		if strings.Contains(c.tail.last(tailLines), refusedListen) {
			return fmt.Errorf("engine cannot listen: %s", c.tail.last(tailLines))
		}
		select {
		case <-c.done:
			return fmt.Errorf("engine ended while starting (%w): %s", exitError(c.err), c.tail.last(tailLines))
		case <-ctx.Done():
			return fmt.Errorf("engine does not answer: %w: %w: %s", ctx.Err(), err, c.tail.last(tailLines))
		case <-tick.C:
		}
	}
}

// exitError makes an end without a complaint an error too.
func exitError(err error) error {
	if err == nil {
		return errors.New("exit status 0")
	}
	return err
}
