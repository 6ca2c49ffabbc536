package testkit

import (
	"context"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/engine"
)

// EngineMain must be called first by TestMain of a package that uses Engine: the engine child is
// the test binary itself, started again with the command "engine".
func EngineMain() {
	if len(os.Args) > 1 && os.Args[1] == "engine" {
		os.Exit(engine.Main(os.Args[2:]))
	}
}

// Engine starts an embedded engine for the test and returns its address, without a database.
func Engine(t testing.TB) string {
	t.Helper()
	e := startEngine(t, engine.Config{Dir: t.TempDir()})
	stopAtEnd(t, e)
	return address(e)
}

// EngineWithBackups is Engine with the directory in which it keeps backups.
func EngineWithBackups(t testing.TB) (at, backups string) {
	t.Helper()
	e := startEngine(t, engine.Config{Dir: t.TempDir()})
	stopAtEnd(t, e)
	return address(e), e.Backups()
}

// ShardedEngines starts two engines that know each other as the cluster engine.Cluster.
func ShardedEngines(t testing.TB) []string {
	t.Helper()
	addresses, _ := ShardsToStop(t)
	return addresses
}

// ShardsToStop is ShardedEngines with what stops the last of them.
func ShardsToStop(t testing.TB) (addresses []string, stopLast func()) {
	t.Helper()
	started, err := StartShards(t.Context(), engine.Config{Library: library(t)}, t.TempDir(), t.TempDir())
	for _, e := range started {
		stopAtEnd(t, e)
	}
	if err != nil {
		t.Fatalf("start shards: %v", err)
	}
	for _, e := range started {
		addresses = append(addresses, address(e))
	}
	return addresses, func() { stop(t, started[len(started)-1]) }
}

// StartShards starts an engine in each of the directories, which know each other as the cluster engine.Cluster. What was
// started is returned with an error, too: the caller stops it.
func StartShards(ctx context.Context, config engine.Config, dirs ...string) (started []*engine.Engine, err error) {
	var shards []engine.Shard
	for _, dir := range dirs {
		// A first start settles port and password, which all must know of each other.
		config.Dir = dir
		e, err := engine.Start(ctx, config)
		if err != nil {
			return nil, err
		}
		host, port, err := net.SplitHostPort(e.Addr())
		if err != nil {
			return nil, err
		}
		n, err := strconv.Atoi(port)
		if err != nil {
			return nil, err
		}
		shards = append(shards, engine.Shard{Host: host, Port: n, User: e.User(), Password: e.Password()})
		if err := e.Stop(ctx); err != nil {
			return nil, err
		}
	}
	config.Shards = shards
	for _, dir := range dirs {
		config.Dir = dir
		e, err := engine.Start(ctx, config)
		if err != nil {
			return started, err
		}
		started = append(started, e)
	}
	return started, nil
}

func startEngine(t testing.TB, config engine.Config) *engine.Engine {
	t.Helper()
	config.Library = library(t)
	e, err := engine.Start(t.Context(), config)
	if err != nil {
		t.Fatalf("start an engine: %v", err)
	}
	return e
}

// library is libchdb where `make engine` puts it.
func library(t testing.TB) string {
	t.Helper()
	if path := os.Getenv("SONDE_ENGINE_LIBRARY"); path != "" {
		return path
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		path := filepath.Join(dir, ".engine", "libchdb.so")
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	t.Fatal("there is no .engine/libchdb.so: run make engine")
	return ""
}

func stopAtEnd(t testing.TB, e *engine.Engine) {
	t.Helper()
	t.Cleanup(func() { stop(t, e) })
}

func stop(t testing.TB, e *engine.Engine) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := e.Stop(ctx); err != nil {
		t.Errorf("stop the engine: %v", err)
	}
}

func address(e *engine.Engine) string {
	u := url.URL{Scheme: "clickhouse", User: url.UserPassword(e.User(), e.Password()), Host: e.Addr()}
	return u.String()
}
