package engine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
)

func TestDistributedTableOverTwoEngines(t *testing.T) {
	t.Parallel()
	// The members must run before anybody can name them as shards; a third engine asks both.
	first, second := startEngine(t, testConfig(t)), startEngine(t, testConfig(t))
	for _, e := range []*Engine{first, second} {
		run(t, connect(t, e), "CREATE DATABASE d", "CREATE TABLE d.part (n UInt64) ENGINE = MergeTree ORDER BY n")
	}
	cfg := testConfig(t)
	for _, e := range []*Engine{first, second} {
		cfg.Shards = append(cfg.Shards, Shard{Host: loopback, Port: e.port, User: e.User(), Password: e.Password()})
	}
	conn := connect(t, startEngine(t, cfg))
	run(t, conn,
		"CREATE DATABASE d",
		"CREATE TABLE d.whole (n UInt64) ENGINE = Distributed("+Cluster+", d, part, n)",
		"INSERT INTO d.whole SELECT number FROM numbers(100) SETTINGS distributed_foreground_insert = 1")
	for name, e := range map[string]*Engine{"first": first, "second": second} {
		if got := scan[uint64](t, connect(t, e), "SELECT count() FROM d.part"); got != 50 {
			t.Errorf("%s shard has %d rows right after the insert, want 50", name, got)
		}
	}
	if got := scan[uint64](t, conn, "SELECT sum(n) FROM d.whole"); got != 4950 {
		t.Errorf("sum over both is %d, want 4950", got)
	}
}

func TestBackupStaysInItsFolder(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	conn := connect(t, startEngine(t, cfg))
	run(t, conn,
		"CREATE DATABASE d",
		"CREATE TABLE d.t (n UInt64) ENGINE = MergeTree ORDER BY n",
		"INSERT INTO d.t SELECT number FROM numbers(10)",
		"BACKUP DATABASE d TO File('monday')",
		"DROP DATABASE d SYNC",
		"RESTORE DATABASE d FROM File('monday')")
	if got := scan[uint64](t, conn, "SELECT count() FROM d.t"); got != 10 {
		t.Errorf("%d rows restored, want 10", got)
	}
	if _, err := os.Stat(filepath.Join(cfg.Dir, "backups", "monday")); err != nil {
		t.Errorf("backup lies elsewhere: %v", err)
	}
	outside := filepath.Join(t.TempDir(), "elsewhere")
	if err := conn.Exec(t.Context(), fmt.Sprintf("BACKUP DATABASE d TO File('%s')", outside)); err == nil {
		t.Error("a backup outside of its folder was made")
	}
}

func TestQueryBeyondTheMemoryBoundFailsAlone(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	cfg.MemoryBytes = 400 << 20
	e := startEngine(t, cfg)
	pid, conn := e.Pid(), connect(t, e)
	err := conn.Exec(t.Context(), "SELECT length(groupArray(number)) FROM numbers(1000000000) SETTINGS max_memory_usage = 0")
	if exception, ok := errors.AsType[*clickhouse.Exception](err); !ok || exception.Code != 241 {
		t.Errorf("got %v, want exception 241", err)
	}
	if got := scan[uint8](t, conn, "SELECT 1"); got != 1 || e.Pid() != pid {
		t.Errorf("pid %d, was %d", e.Pid(), pid)
	}
}

func TestSettingsInForce(t *testing.T) {
	t.Parallel()
	conn := connect(t, startEngine(t, testConfig(t)))
	for query, want := range map[string]string{
		"SELECT timezone()": "UTC",
		"SELECT value FROM system.settings WHERE name = 'async_insert'":                               "0",
		"SELECT value FROM system.settings WHERE name = 'query_profiler_cpu_time_period_ns'":          "0",
		"SELECT value FROM system.server_settings WHERE name = 'max_server_memory_usage'":             "1400000000",
		"SELECT value FROM system.server_settings WHERE name = 'mark_cache_size'":                     "70000000",
		"SELECT toString(count()) FROM system.tables WHERE database = 'system' AND name LIKE '%_log'": "0",
	} {
		if got := scan[string](t, conn, query); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}

func TestQueryLogIsBoundedAndInMemory(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	conn := connect(t, startEngine(t, cfg))
	for i := range 1200 {
		run(t, conn, fmt.Sprintf("SELECT %d", i))
		if i%400 == 0 {
			run(t, conn, "SYSTEM FLUSH LOGS")
		}
	}
	run(t, conn, "SELECT 'needle'", "SYSTEM FLUSH LOGS")
	if got := scan[uint64](t, conn, "SELECT countIf(query LIKE '%needle%') FROM system.query_log"); got != 1 {
		t.Errorf("the last query is logged %d times", got)
	}
	if got := scan[uint64](t, conn, "SELECT count() FROM system.query_log"); got < 500 || got > 1000+400 {
		t.Errorf("%d rows kept", got)
	}
	if _, err := os.Stat(filepath.Join(layout(cfg.Dir).data(), "data", "system")); err == nil {
		t.Error("system logs are on disk")
	}
}

func TestFailedQueriesLeaveNoTextBehind(t *testing.T) {
	t.Parallel()
	e := startEngine(t, testConfig(t))
	conn := connect(t, e)
	if err := conn.Exec(t.Context(), "SELECT throwIf(1, 'private words')"); err == nil {
		t.Fatal("no error")
	}
	run(t, conn, "SELECT 1")
	if text := e.child.tail.last(tailLines); strings.Contains(text, "private") {
		t.Errorf("kept: %s", text)
	}
}

func TestIdleEngineIsSmallAndQuiet(t *testing.T) {
	t.Parallel()
	e := startEngine(t, testConfig(t))
	const limit = 200 << 20 // 230 MB if the code of the start were kept
	eventually(t, 10*time.Second, "small", func() bool { return resident(t, e.Pid()) < limit })
	if text := e.child.tail.last(tailLines); text != "" {
		t.Errorf("says at start: %s", text)
	}
}
