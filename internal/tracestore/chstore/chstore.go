// Package chstore keeps observations in ClickHouse, over its native protocol.
//
// It is the only package that knows tables and SQL. Inserts are column blocks built from rows
// once; reads are two steps, a bound and then the rows (see observations.go).
package chstore

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/tracestore"
)

// Config says where the store is and how much of it one read may take.
type Config struct {
	// Nodes are the addresses of all servers, clickhouse://user:password@host:port/database.
	// Statements go to the first; migrations run on each.
	Nodes []string
	// Cluster is the name of the cluster in the servers' remote_servers; empty: one node.
	Cluster string
	// Replicated renders Replicated… engines; it needs servers with a Keeper.
	Replicated bool
	// NoTextIndex has no index of the words in input and output: merges cost less, searches more.
	NoTextIndex bool
	// Inserts and Reads bound how many statements of each sort run at once. Reads are those for projects,
	// ReadsPerProject of them for one; who finds no room within ReadWait is told to come again.
	Inserts, Reads, ReadsPerProject int
	ReadWait                        time.Duration
	// ReadAddress is where reads for projects go, under a user of their own; empty: the first node as given.
	// The engine bounds the memory of all statements of a user, and so of these without the writer's.
	ReadAddress string
	// SQLAddress is where what people write is asked, under a user that sees nothing but views in the database of the address; a user of
	// the same name with _rows behind it must be there, in whose name they read. Empty: no SQL is answered. See docs/operate/sql.md.
	SQLAddress string
	// ReadWithin bounds the time of a read, ReadMemoryBytes, ReadRows and ReadResultBytes each statement of it.
	ReadWithin      time.Duration
	ReadMemoryBytes uint64
	ReadRows        uint64
	ReadResultBytes uint64
	// ObserveRead, when set, hears of every statement that was read for a project: how it ended (see
	// selfobs.ReadOutcomes), how long it took, and what it used of its bounds on time, rows and memory.
	ObserveRead func(outcome string, took time.Duration, used map[string]float64)
}

// withDefaults fills what the caller left open with figures for one small node.
func (c Config) withDefaults() Config {
	c.Inserts = cmp.Or(c.Inserts, 4)
	c.Reads = cmp.Or(c.Reads, 8)
	c.ReadsPerProject = cmp.Or(c.ReadsPerProject, max(1, c.Reads/2))
	c.ReadWithin = cmp.Or(c.ReadWithin, 30*time.Second)
	c.ReadWait = cmp.Or(c.ReadWait, min(10*time.Second, c.ReadWithin))
	c.ReadMemoryBytes = cmp.Or(c.ReadMemoryBytes, 450<<20)
	c.ReadRows = cmp.Or(c.ReadRows, 500_000_000)
	c.ReadResultBytes = cmp.Or(c.ReadResultBytes, 512<<20)
	return c
}

// Store is a tracestore.Store on ClickHouse.
type Store struct {
	config  Config
	inserts *pool
	reads   *readers
	people  *people // nil: people ask no SQL
	blocks  blockPool
}

var (
	_ tracestore.Store      = (*Store)(nil)
	_ tracestore.Amender    = (*Store)(nil)
	_ tracestore.Partials   = (*Store)(nil)
	_ tracestore.Rejections = (*Store)(nil)
	_ tracestore.Tombstones = (*Store)(nil)
	_ tracestore.Eraser     = (*Store)(nil)
	_ tracestore.SQL        = (*Store)(nil)
)

// Open connects lazily: it fails only for an address that cannot be read. Call Migrate before use.
func Open(config Config) (*Store, error) {
	config = config.withDefaults()
	if len(config.Nodes) == 0 {
		return nil, errors.New("no address of a trace store given")
	}
	options, err := parseAddress(config.Nodes[0])
	if err != nil {
		return nil, err
	}
	reads, err := parseAddress(cmp.Or(config.ReadAddress, config.Nodes[0]))
	if err != nil {
		return nil, err
	}
	people, err := newPeople(config)
	if err != nil {
		return nil, err
	}
	return &Store{
		people:  people,
		config:  config,
		inserts: newPool(withSettings(options, config.insertSettings()), config.Inserts),
		reads:   newReaders(config, options, reads),
		blocks:  make(blockPool, keptBlocks),
	}, nil
}

// keptBlocks is how many blocks wait for the next insert: as many as a writer fills at once.
const keptBlocks = 2

// Close ends all idle connections. Nothing can be lost with them.
func (s *Store) Close() {
	s.inserts.close()
	s.reads.close()
	if s.people != nil {
		s.people.close()
	}
}

// Ping fails when the engine, or one of its shards, does not answer a statement.
func (s *Store) Ping(ctx context.Context) error {
	question := "SELECT 1 WHERE 0"
	if s.config.Cluster != "" {
		question = "SELECT 1 FROM cluster('" + s.config.Cluster + "', system.one) WHERE dummy = 1" // no rows, of every shard
	}
	return s.reads.do(ctx, ch.Query{Body: question})
}

// Ping checks an address from outside the store: whether a server with that user answers there.
func Ping(ctx context.Context, address string) error {
	options, err := parseAddress(address)
	if err != nil {
		return err
	}
	options.Database = "system" // ours may not be there yet
	p := newPool(options, 1)
	defer p.close()
	return p.do(ctx, ch.Query{Body: "SELECT 1 WHERE 0"})
}

func (c Config) insertSettings() []ch.Setting {
	return []ch.Setting{
		setting("async_insert", 0),                  // batches are ours; the default would add its own delay
		setting("distributed_foreground_insert", 1), // acknowledged means stored on the shard
		setting("max_partitions_per_insert_block", 0),
		setting("optimize_on_insert", 0), // folding is for merges and reads
		setting("min_insert_block_size_rows", 0),
		setting("min_insert_block_size_bytes", 0),
		{Key: "exclude_materialize_skip_indexes_on_insert", Value: textIndexes, Important: true}, // built by merges
	}
}

func (c Config) readSettings() []ch.Setting {
	return []ch.Setting{
		setting("max_execution_time", uint64(max(1, c.ReadWithin/time.Second))),
		{Key: "timeout_overflow_mode", Value: "throw", Important: true},
		setting("max_memory_usage", c.ReadMemoryBytes),
		setting("max_result_bytes", c.ReadResultBytes),
		{Key: "result_overflow_mode", Value: "throw", Important: true},
		{Key: "distributed_product_mode", Value: "local", Important: true}, // all tables are sharded by trace
		setting("max_threads", 2),
		setting("use_query_condition_cache", 0),
		setting("precise_float_parsing", 1), // numbers in texts are compared as Go reads them
	}
}

func setting(key string, value uint64) ch.Setting {
	return ch.Setting{Key: key, Value: strconv.FormatUint(value, 10), Important: true}
}

func withSettings(options ch.Options, settings []ch.Setting) ch.Options {
	options.Settings = settings
	return options
}

// DefaultDatabase is where tables are made when an address names no database. It is not the
// engine's own "default": in the embedded engine that one takes unknown tables for files.
const DefaultDatabase = "sonde"

// parseAddress reads clickhouse://user:password@host:port/database; clickhouses:// means TLS.
func parseAddress(address string) (ch.Options, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || !strings.HasPrefix(u.Scheme, "clickhouse") {
		return ch.Options{}, fault.Invalidf("clickhouse address", "must look like clickhouse://user:password@host:9000/database")
	}
	password, _ := u.User.Password()
	options := ch.Options{
		Address: u.Host, Database: cmp.Or(strings.Trim(u.Path, "/"), DefaultDatabase), User: u.User.Username(), Password: password,
		ClientName: "sonde", ReadTimeout: readTimeout, DialTimeout: 5 * time.Second, HandshakeTimeout: 10 * time.Second,
	}
	if u.Scheme == "clickhouses" {
		options.TLS = &tls.Config{MinVersion: tls.VersionTLS12, ServerName: u.Hostname()}
	}
	return options, nil
}

// readError turns the bounds of a read into ErrTooExpensive. Memory that is short because of others' reads
// is none of its own bounds: it may be tried again.
func readError(doing string, err error) error {
	exception, ok := ch.AsException(err)
	switch {
	case errors.Is(err, context.DeadlineExceeded),
		ok && exception.IsCode(proto.ErrTooManyRows, proto.ErrTimeoutExceeded, proto.ErrTooSlow, proto.ErrTooManyBytes, proto.ErrTooManyRowsOrBytes),
		ok && exception.IsCode(proto.ErrMemoryLimitExceeded) && strings.Contains(exception.Message, ownMemory):
		return fmt.Errorf("%s: %w: %w", doing, tracestore.ErrTooExpensive, err)
	case ok && exception.IsCode(proto.ErrMemoryLimitExceeded, proto.ErrTooManySimultaneousQueries):
		return fmt.Errorf("%s: %w", doing, fault.Unavailablef("The trace store has no room for this read now").Hint("try again in a moment").Because(err))
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// ownMemory is how the engine says that a statement ran into its own bound, not into one that it shares.
const ownMemory = "Query memory limit exceeded"
