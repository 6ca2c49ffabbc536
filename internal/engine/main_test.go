package engine

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"go.uber.org/goleak"
)

// The test binary plays every process of the tests: its first argument says which.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "engine":
			os.Exit(Main(os.Args[2:]))
		case "parent":
			os.Exit(parentMain(os.Args[2]))
		case "server":
			os.Exit(fakeServerMain())
		}
	}
	goleak.VerifyTestMain(m)
}

// parentMain runs an engine as a server would, says its process and port, and waits to be killed.
func parentMain(dir string) int {
	e, err := Start(context.Background(), Config{Dir: dir, Library: libraryPath()})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Fprintln(os.Stdout, e.Pid(), e.port)
	_, _ = io.Copy(io.Discard, os.Stdin)
	return 0
}

// fakeServerMain stands in for a clickhouse server: it leaves its process number and arguments, and
// ends in good order at SIGTERM only.
func fakeServerMain() int {
	term := make(chan os.Signal, 1)
	signal.Notify(term, syscall.SIGTERM)
	note := fmt.Sprintln(os.Getpid(), os.Args[1:])
	if err := os.WriteFile("server.started", []byte(note), 0o600); err != nil {
		return 1
	}
	<-term
	if err := os.WriteFile("server.stopped", nil, 0o600); err != nil {
		return 1
	}
	return 0
}

func libraryPath() string {
	if path := os.Getenv(LibraryVariable); path != "" {
		return path
	}
	return filepath.Join("..", "..", ".engine", "libchdb.so")
}

func testConfig(t *testing.T) Config {
	t.Helper()
	return Config{Dir: t.TempDir(), Library: libraryPath()}
}

func startEngine(t *testing.T, cfg Config) *Engine {
	t.Helper()
	e, err := Start(t.Context(), cfg)
	if err != nil {
		t.Fatalf("start: %v", err)
	}
	t.Cleanup(func() { stopEngine(t, e) })
	return e
}

func stopEngine(t *testing.T, e *Engine) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := e.Stop(ctx); err != nil {
		t.Errorf("stop: %v", err)
	}
}

func connect(t *testing.T, e *Engine) driver.Conn {
	t.Helper()
	return connectAs(t, e.Addr(), e.User(), e.Password())
}

func connectAs(t *testing.T, addr, user, password string) driver.Conn {
	t.Helper()
	conn, err := clickhouse.Open(&clickhouse.Options{
		Addr:        []string{addr},
		Auth:        clickhouse.Auth{Database: "default", Username: user, Password: password},
		DialTimeout: 10 * time.Second,
	})
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func run(t *testing.T, conn driver.Conn, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		if err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

func scan[T any](t *testing.T, conn driver.Conn, query string) T {
	t.Helper()
	var value T
	if err := conn.QueryRow(t.Context(), query).Scan(&value); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return value
}

// eventually polls until the condition holds, for at most the given time.
func eventually(t *testing.T, limit time.Duration, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(limit)
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s", limit, what)
		}
		<-time.After(10 * time.Millisecond)
	}
}
