package natslog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

const (
	// startWithin bounds the start of the embedded server, which reads the log's index and,
	// after a crash, its newest blocks.
	startWithin = 5 * time.Minute

	// unbounded is the server's own limit of storage: far above any disk, because every
	// stream has its own limit and a full disk is caught by MinFreeBytes.
	unbounded = 1 << 60

	// maxOutstanding is how many bytes may be on their way to our one connection. Above the
	// server's default, which would cut off fetches of several partitions at once.
	maxOutstanding = 1 << 30

	dirMode  = 0o750
	lockName = "lock"
)

// OpenEmbedded opens the log in cfg.Dir with a server inside this process, which listens
// nowhere. Every append is synced to disk before it returns.
//
// This process is the log's only consumer, so whatever was delivered and not acknowledged
// when the last process ended is due again at once.
func OpenEmbedded(ctx context.Context, cfg Config) (*Log, error) {
	cfg = cfg.withDefaults()
	if cfg.Dir == "" {
		return nil, errors.New("open log: no directory")
	}
	cfg.Replicas = 1
	e, err := startEmbedded(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("open log in %s: %w", cfg.Dir, err)
	}
	l, err := e.connect(ctx)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open log in %s: %w", cfg.Dir, err), e.stop(ctx))
	}
	return l, nil
}

// embedded is a server in this process with its directory.
type embedded struct {
	cfg    Config
	lock   *os.File
	disk   diskGuard
	server atomic.Pointer[server.Server] // replaced by heal

	mu      sync.Mutex
	stopped bool
	healed  time.Time // when the server was last restarted
}

func startEmbedded(ctx context.Context, cfg Config) (*embedded, error) {
	if err := os.MkdirAll(cfg.Dir, dirMode); err != nil {
		return nil, err
	}
	lock, err := lockFile(filepath.Join(cfg.Dir, lockName))
	if err != nil {
		return nil, err
	}
	e := &embedded{cfg: cfg, lock: lock, disk: diskGuard{dir: cfg.Dir, min: cfg.MinFreeBytes, free: freeBytes}}
	if err := e.start(ctx); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return e, nil
}

func (e *embedded) start(ctx context.Context) error {
	s, err := server.NewServer(serverOptions(e.cfg))
	if err != nil {
		return err
	}
	s.SetLoggerV2(serverLogger{e.cfg.Logger}, false, false, false)
	s.Start()
	wait := startWithin
	if end, ok := ctx.Deadline(); ok {
		wait = min(wait, time.Until(end))
	}
	if !s.ReadyForConnections(wait) || !s.JetStreamEnabled() {
		s.Shutdown()
		s.WaitForShutdown()
		return errors.New("the log's server did not start")
	}
	e.server.Store(s)
	return nil
}

func serverOptions(cfg Config) *server.Options {
	return &server.Options{
		ServerName:             "sonde",
		DontListen:             true,
		NoSigs:                 true,
		NoLog:                  true,
		DisableJetStreamBanner: true,
		MaxPayload:             int32(cfg.MaxRecordBytes + deadLetterHeaderBytes),
		MaxPending:             maxOutstanding,
		JetStream:              true,
		JetStreamMaxStore:      unbounded,
		JetStreamMaxMemory:     1, // nothing is kept in memory
		StoreDir:               cfg.Dir,
		SyncAlways:             true,
	}
}

// InProcessConn connects to the server of the moment: after heal, the client's reconnect
// finds the new one.
func (e *embedded) InProcessConn() (net.Conn, error) { return e.server.Load().InProcessConn() }

func (e *embedded) connect(ctx context.Context) (*Log, error) {
	nc, err := nats.Connect("", append(connOptions(e.cfg), nats.InProcessServer(e))...)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	l, err := open(ctx, nc, e.cfg)
	if err == nil {
		l.embedded = e
		err = errors.Join(l.takeBack(ctx), syncDirs(e.cfg.Dir))
	}
	if err != nil {
		nc.Close()
		return nil, err
	}
	return l, nil
}

// takeBack makes everything above the acknowledged floors due at once. Acknowledgements above
// a floor are forgotten, which leads to redeliveries. The server replaces the consumer's state
// in one rename: whenever the process dies, the old or the new state is there, and both have
// the same floor.
func (l *Log) takeBack(ctx context.Context) error {
	for _, p := range l.partitions {
		if _, err := p.stream.ResetConsumer(ctx, consumerName); err != nil {
			return fmt.Errorf("reset consumer of %s: %w", p.name, err)
		}
	}
	return nil
}

// stop shuts the server down and waits for it, at most until ctx ends.
func (e *embedded) stop(ctx context.Context) error {
	done := make(chan struct{})
	go func() {
		defer close(done)
		e.mu.Lock()
		defer e.mu.Unlock()
		e.stopped = true
		s := e.server.Load()
		s.Shutdown()
		s.WaitForShutdown()
	}()
	select {
	case <-done:
		return e.lock.Close()
	case <-ctx.Done():
		// The lock stays: the server may still write.
		return fmt.Errorf("wait for the log's server: %w", ctx.Err())
	}
}

// syncDirs makes the directories themselves durable. The server syncs the files it writes,
// but not the directories it creates for a new stream.
func syncDirs(dir string) error {
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // the server removed it meanwhile
		}
		if err != nil || !entry.IsDir() {
			return err
		}
		d, err := os.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		return errors.Join(d.Sync(), d.Close())
	})
}

// ServerVersion is that of the server in the process, which writes the log's files.
func ServerVersion() string { return server.VERSION }
