package engine

import (
	"log/slog"
	"path/filepath"
	"time"
)

// User is the login that holds every right.
const User = "sonde"

// Reader is the login, with the same password, that may only read. All its statements together have half of
// the engine's memory at most: the other half stays for inserts and merges.
const Reader = "sonde_reader"

// SQL is the login, with the same password, that asks what people write. It sees views in SQLDatabase only, and through them rows of the
// project that the id of its query names: sonde-sql-, the project's id in hex, a dash, anything.
const (
	SQL         = "sonde_sql"
	SQLDatabase = "sonde_sql"
)

// database has the tables whose rows that login sees through views.
const database = "sonde"

var sqlTables = []string{"observations", "payloads", "scores", "traces", "tombstones"}

// Cluster is the name under which the shards of Config are known to Distributed tables.
const Cluster = "sonde"

const (
	defaultMemory       = 1_400_000_000
	defaultStartTimeout = time.Minute
)

// Config says where the engine keeps its data, which program runs it and how much it may use.
type Config struct {
	// Dir holds everything the engine writes: tables, backups, generated configuration, password.
	// One process may use it at a time.
	Dir string
	// Library is a libchdb file and Binary a clickhouse program. Both may be empty: see Find.
	Library string
	Binary  string
	// Executable is the program whose "engine" command calls Main. Empty means the running one.
	Executable string
	// MemoryBytes bounds the engine as a whole; caches and merges get a share of it. 0 means 1.4 GB.
	MemoryBytes uint64
	// Shards, when given, become the cluster named Cluster.
	Shards []Shard
	// StartTimeout bounds one attempt to start, loading all tables included. 0 means a minute.
	StartTimeout time.Duration
	// Logger hears of deaths and restarts of the child. Nil discards.
	Logger *slog.Logger
}

// Shard is one member of the cluster, itself a ClickHouse server or another engine.
type Shard struct {
	Host     string
	Port     int
	User     string
	Password string
}

func (c Config) withDefaults() (Config, error) {
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return c, err
	}
	c.Dir = dir
	if c.MemoryBytes == 0 {
		c.MemoryBytes = defaultMemory
	}
	if c.StartTimeout == 0 {
		c.StartTimeout = defaultStartTimeout
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c, nil
}

// layout names the files below a data directory; parent and child both derive them from it.
type layout string

func (l layout) config() string   { return filepath.Join(string(l), "config.xml") }
func (l layout) users() string    { return filepath.Join(string(l), "users.xml") }
func (l layout) password() string { return filepath.Join(string(l), "password") }
func (l layout) data() string     { return filepath.Join(string(l), "data") }
func (l layout) backups() string  { return filepath.Join(string(l), "backups") }

// lock is the file that ClickHouse itself locks while it owns the data.
func (l layout) lock() string { return filepath.Join(l.data(), "status") }
