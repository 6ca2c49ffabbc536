// Package engine runs ClickHouse as a supervised child process, so that one binary needs no database
// beside it.
//
// The child is a clickhouse server where that program exists, else this program's own hidden command
// (Main), which loads libchdb, the whole of ClickHouse as a shared library, and opens ClickHouse's
// native listener on loopback. Clients cannot tell the two apart. A crash of ClickHouse ends the child
// only; it is started again under the same address and password.
package engine

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strconv"
	"sync"
	"time"
)

const (
	firstDelay = 100 * time.Millisecond
	lastDelay  = 5 * time.Second
	// A child that served this long starts the next row of delays afresh.
	steady = 30 * time.Second
)

// Engine is a running engine. It lives from Start to Stop, whatever happens to its child processes.
type Engine struct {
	cfg      Config
	source   Source
	port     int
	password string

	cancel context.CancelFunc     // interrupts a restart
	stop   chan (<-chan struct{}) // carries the end of patience of the first Stop
	done   chan struct{}
	err    error // of the stop; read after done

	mu       sync.Mutex
	child    *child
	ready    bool
	restarts int
}

// Start prepares the data directory, starts the engine and returns once it answers. ctx bounds the
// start only. The caller must Stop what it got.
func Start(ctx context.Context, cfg Config) (*Engine, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("engine directory: %w", err)
	}
	source, err := Find(cfg)
	if err != nil {
		return nil, err
	}
	if cfg.Executable == "" {
		if cfg.Executable, err = os.Executable(); err != nil {
			return nil, fmt.Errorf("find own executable: %w", err)
		}
	}
	e := &Engine{cfg: cfg, source: source, stop: make(chan (<-chan struct{}), 1), done: make(chan struct{})}
	// First the lock: the files about to be written belong to whoever holds it, and so does the port.
	if err := awaitUnlocked(ctx, layout(cfg.Dir)); err != nil {
		return nil, err
	}
	if e.password, err = prepare(cfg); err != nil {
		return nil, err
	}
	first, err := e.launchFirst(ctx)
	if err != nil {
		return nil, err
	}
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	e.cancel = cancel
	go e.supervise(life, first)
	return e, nil
}

// launchFirst may still change the port: nobody has been told an address yet.
func (e *Engine) launchFirst(ctx context.Context) (*child, error) {
	for {
		port, err := pickPort(e.cfg.Dir)
		if err != nil {
			return nil, err
		}
		e.port = port
		c, err := e.launch(ctx)
		if err == nil {
			return c, nil
		}
		if ctx.Err() != nil || isFree(port) {
			return nil, err
		}
		// Somebody else took the port in between.
	}
}

// launch starts one child and returns it when it answers; a child that does not is gone on return.
func (e *Engine) launch(ctx context.Context) (*child, error) {
	ctx, cancel := context.WithTimeout(ctx, e.cfg.StartTimeout)
	defer cancel()
	if err := awaitUnlocked(ctx, layout(e.cfg.Dir)); err != nil {
		return nil, err
	}
	c, err := startChild(e.cfg, e.source, e.port)
	if err != nil {
		return nil, err
	}
	if err := c.answers(ctx, e.Addr(), e.password); err != nil {
		c.kill()
		return nil, err
	}
	e.mu.Lock()
	e.child, e.ready = c, true
	e.mu.Unlock()
	return c, nil
}

// supervise keeps one child running until Stop, which also ends life.
func (e *Engine) supervise(life context.Context, c *child) {
	defer close(e.done)
	delay := firstDelay
	for {
		since := time.Now()
		select {
		case over := <-e.stop:
			e.setReady(false)
			e.err = c.end(over)
			return
		case <-c.done:
		}
		e.setReady(false)
		e.cfg.Logger.Error("engine died", slog.Any("error", exitError(c.err)), slog.String("stderr", c.tail.last(8)))
		if time.Since(since) > steady {
			delay = firstDelay
		}
		if c, delay = e.restart(life, delay); c == nil {
			return
		}
	}
}

// restart tries until a child answers. It returns nil when Stop came first.
func (e *Engine) restart(life context.Context, delay time.Duration) (*child, time.Duration) {
	for {
		select {
		case <-life.Done():
			return nil, delay
		case <-time.After(delay):
		}
		delay = min(2*delay, lastDelay)
		e.mu.Lock()
		e.restarts++
		e.mu.Unlock()
		c, err := e.launch(life)
		if err == nil {
			e.cfg.Logger.Info("engine restarted", slog.Int("pid", c.pid()))
			return c, delay
		}
		if life.Err() == nil {
			e.cfg.Logger.Error("engine restart", slog.Any("error", err))
		}
	}
}

// Stop ends the engine in good order and waits for it; when ctx is over first, it kills it and says so.
// Further calls wait for the first.
func (e *Engine) Stop(ctx context.Context) error {
	select {
	case e.stop <- ctx.Done():
	default:
	}
	e.cancel()
	<-e.done
	return e.err
}

func (e *Engine) setReady(ready bool) {
	e.mu.Lock()
	e.ready = ready
	e.mu.Unlock()
}

// Addr is the host and port of the native protocol; it stays the same across restarts.
func (e *Engine) Addr() string { return net.JoinHostPort(loopback, strconv.Itoa(e.port)) }

// User is the name to log in with.
func (e *Engine) User() string { return User }

// Password belongs to the data directory and stays the same for its life.
func (e *Engine) Password() string { return e.password }

// Backups is the directory below which the engine writes and reads backups.
func (e *Engine) Backups() string { return layout(e.cfg.Dir).backups() }

// Pid is the process of the current child, or of the last one while none runs.
func (e *Engine) Pid() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.child.pid()
}

// Restarts counts the attempts to replace a child that died.
func (e *Engine) Restarts() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.restarts
}

// Ready reports whether a child that has answered is running.
func (e *Engine) Ready() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.ready
}
