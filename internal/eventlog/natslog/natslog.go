// Package natslog keeps the ingest log in NATS JetStream: embedded in this process, or in a
// NATS cluster. Only the constructors differ.
//
// Every partition is one stream that refuses when full (Discard New) and has neither an age
// limit nor a duplicate window that could drop a record. One durable pull consumer per
// partition remembers what is acknowledged; any number of nodes may share it. Stream names,
// subjects and consumer names are made of our own words and numbers: no client text ever
// reaches a subject.
package natslog

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/sondehq/sonde/internal/eventlog"
	"github.com/sondehq/sonde/internal/fault"
)

// Config says where the log lies and how large it may grow.
type Config struct {
	// Dir holds the embedded log. One process at a time may open it.
	Dir string
	// URL names the servers of a NATS cluster, separated by commas. Run them with
	// "sync_interval: always": this package cannot make a remote server sync.
	URL string
	// CredentialsFile is a NATS .creds file for URL; empty when the URL says it all.
	CredentialsFile string
	// Join makes OpenRemote take the log as it is: it creates and changes nothing, and fails while
	// there is no log.
	Join bool
	// Replicas is how many servers of the cluster hold each record.
	Replicas int
	// Partitions is how many partitions to have at least. A log that has more keeps them:
	// a partition left alone would never be read again.
	Partitions int
	// CapacityBytes bounds the whole log, acknowledged records included; 0 leaves it unbounded.
	CapacityBytes uint64
	// DeadLetterBytes bounds the dead letters, which lie beside the log.
	DeadLetterBytes uint64
	// MaxRecordBytes is the largest record. A remote server may lower it.
	MaxRecordBytes int
	// RedeliverAfter is when a delivery that is neither acknowledged nor extended comes again.
	RedeliverAfter time.Duration
	// MinFreeBytes is how much of the disk the embedded log leaves free: it refuses with
	// eventlog.ErrFull before the disk is full, because a failed write stops a stream.
	MinFreeBytes uint64
	Logger       *slog.Logger
}

const (
	defaultPartitions      = 4
	defaultMaxRecordBytes  = 1 << 20
	defaultMinFreeBytes    = 256 << 20
	defaultDeadLetterBytes = 256 << 20

	// redeliverMargin forgives a consumer that extends late because the machine is busy.
	redeliverMargin = 2 * time.Second
)

func (c Config) withDefaults() Config {
	if c.Partitions <= 0 {
		c.Partitions = defaultPartitions
	}
	if c.Replicas <= 0 {
		c.Replicas = 1
	}
	if c.MaxRecordBytes <= 0 {
		c.MaxRecordBytes = defaultMaxRecordBytes
	}
	if c.DeadLetterBytes == 0 {
		c.DeadLetterBytes = defaultDeadLetterBytes
	}
	if c.RedeliverAfter <= 0 {
		c.RedeliverAfter = eventlog.ExtendWithin + redeliverMargin
	}
	if c.MinFreeBytes == 0 {
		c.MinFreeBytes = defaultMinFreeBytes
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}

// Log is the ingest log on JetStream. Its methods may be called concurrently.
type Log struct {
	cfg        Config
	nc         *nats.Conn
	js         jetstream.JetStream
	partitions []*partition
	dead       jetstream.Stream
	maxRecord  int
	next       atomic.Uint64 // where the round of the next Append starts
	embedded   *embedded     // nil on a remote log
	connection atomic.Pointer[connection]
	closed     sync.Once
	closeErr   error
}

var (
	_ eventlog.Log         = (*Log)(nil)
	_ eventlog.DeadLetters = (*Log)(nil)
)

// A server that hangs is left for another one after four seconds: it keeps its connections, and by the client's own
// defaults nobody would notice for minutes.
const (
	pingEvery   = time.Second
	pingsMissed = 3
)

// OpenRemote opens the log in a NATS cluster, creating its streams where they do not exist.
func OpenRemote(ctx context.Context, cfg Config) (*Log, error) {
	cfg = cfg.withDefaults()
	opts := append(connOptions(cfg), nats.PingInterval(pingEvery), nats.MaxPingsOutstanding(pingsMissed))
	if cfg.CredentialsFile != "" {
		opts = append(opts, nats.UserCredentials(cfg.CredentialsFile))
	}
	nc, err := nats.Connect(cfg.URL, opts...)
	if err != nil {
		return nil, fault.Unavailablef("the log's servers do not answer").Because(fmt.Errorf("connect to log: %w", err))
	}
	l, err := open(ctx, nc, cfg)
	if err != nil {
		nc.Close()
		return nil, err
	}
	return l, nil
}

// open is where both kinds of log become one: all below it knows only a connection.
func open(ctx context.Context, nc *nats.Conn, cfg Config) (*Log, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	l := &Log{cfg: cfg, nc: nc, js: js, maxRecord: cfg.MaxRecordBytes}
	life := context.WithoutCancel(ctx)
	l.connection.Store(newConnection(life))
	nc.SetReconnectHandler(func(*nats.Conn) {
		cfg.Logger.Info("log connection restored")
		l.connection.Swap(newConnection(life)).end()
	})
	// A record must also fit as a dead letter, with its headers.
	if room := int(nc.MaxPayload()) - deadLetterHeaderBytes; room < l.maxRecord {
		l.maxRecord = room
	}
	if err := l.waitForLeaders(ctx, func() error { return l.createStreams(ctx) }); err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	return l, nil
}

// connOptions never gives up a connection and never buffers while it is down: a caller
// learns at once that the log is away.
func connOptions(cfg Config) []nats.Option {
	return []nats.Option{
		nats.Name("sonde"),
		nats.MaxReconnects(-1),
		nats.ReconnectWait(200 * time.Millisecond),
		nats.ReconnectBufSize(-1),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				cfg.Logger.Warn("log connection lost", "error", err)
			}
		}),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			cfg.Logger.Warn("log connection error", "error", err)
		}),
	}
}

// connection ends when another one takes its place: a server does not remember what it was asked
// over an earlier one.
type connection struct {
	over context.Context //nolint:containedctx // the life of the connection
	end  context.CancelFunc
}

func newConnection(life context.Context) *connection {
	over, end := context.WithCancel(life)
	return &connection{over, end}
}

// MaxRecordBytes is the largest record Append takes.
func (l *Log) MaxRecordBytes() int { return l.maxRecord }

// Partitions is how many partitions there are.
func (l *Log) Partitions() int { return len(l.partitions) }

// Close waits until the server has every acknowledgement and ends the connection; an embedded
// server is shut down in good order. It waits at most until ctx ends.
func (l *Log) Close(ctx context.Context) error {
	l.closed.Do(func() {
		ctx, cancel := context.WithTimeout(ctx, closeWithin)
		defer cancel()
		settling, done := context.WithTimeout(ctx, answerWithin)
		l.settle(settling)
		done()
		l.nc.Close()
		if l.embedded != nil {
			l.closeErr = l.embedded.stop(ctx)
		}
	})
	return l.closeErr
}

// closeWithin bounds Close for callers without a deadline of their own.
const closeWithin = 30 * time.Second

func unavailable(err error, doing string, args ...any) error {
	doing = fmt.Sprintf(doing, args...)
	return fault.Unavailablef("the log does not answer").Because(fmt.Errorf("%s: %w", doing, err))
}
