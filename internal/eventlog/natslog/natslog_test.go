package natslog_test

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"go.uber.org/goleak"

	"github.com/sondehq/sonde/internal/eventlog"
	"github.com/sondehq/sonde/internal/eventlog/eventlogtest"
	"github.com/sondehq/sonde/internal/eventlog/natslog"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		runChild(dir)
		return
	}
	goleak.VerifyTestMain(m)
}

func TestContractEmbedded(t *testing.T) {
	t.Parallel()
	eventlogtest.Run(t, func(t *testing.T, opts eventlogtest.Options) eventlog.Log {
		cfg := configFor(t, opts)
		cfg.Dir = t.TempDir()
		return openEmbedded(t, cfg)
	})
}

func TestContractRemote(t *testing.T) {
	t.Parallel()
	eventlogtest.Run(t, func(t *testing.T, opts eventlogtest.Options) eventlog.Log {
		cfg := configFor(t, opts)
		cfg.URL = startServer(t, &server.Options{StoreDir: t.TempDir()}).ClientURL()
		return openRemote(t, cfg)
	})
}

// reopened is a log that a contract test can close and open again.
type reopened struct {
	*natslog.Log
	again func(t *testing.T) eventlog.Log
}

func (r reopened) Reopen(t *testing.T) eventlog.Log {
	t.Helper()
	closeLog(t, r.Log)
	return r.again(t)
}

func openEmbedded(t *testing.T, cfg natslog.Config) reopened {
	t.Helper()
	log, err := natslog.OpenEmbedded(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeLog(t, log) })
	return reopened{log, func(t *testing.T) eventlog.Log { return openEmbedded(t, cfg) }}
}

func openRemote(t *testing.T, cfg natslog.Config) reopened {
	t.Helper()
	log, err := natslog.OpenRemote(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeLog(t, log) })
	return reopened{log, func(t *testing.T) eventlog.Log { return openRemote(t, cfg) }}
}

func configFor(t *testing.T, opts eventlogtest.Options) natslog.Config {
	t.Helper()
	return natslog.Config{
		Partitions: opts.Partitions, CapacityBytes: opts.CapacityBytes, MaxRecordBytes: opts.MaxRecordBytes,
		RedeliverAfter: opts.ExtendWithin, DeadLetterBytes: opts.DeadLetterBytes, MinFreeBytes: 1, Logger: testLogger(t),
	}
}

func closeLog(t *testing.T, log *natslog.Log) {
	t.Helper()
	// The test's own context has ended when its cleanups run.
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := log.Close(ctx); err != nil {
		t.Error(err)
	}
}

// startServer runs a NATS server with JetStream on the loopback interface, on a free port
// unless opts names one.
func startServer(t *testing.T, opts *server.Options) *server.Server {
	t.Helper()
	s, err := server.NewServer(onLoopback(opts))
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	if !s.ReadyForConnections(10 * time.Second) {
		t.Fatal("the NATS server does not start")
	}
	return s
}

func onLoopback(opts *server.Options) *server.Options {
	opts.Host = "127.0.0.1"
	if opts.Port == 0 {
		opts.Port = server.RANDOM_PORT
	}
	opts.JetStream, opts.SyncAlways = true, true
	opts.NoSigs, opts.NoLog = true, true
	opts.JetStreamMaxStore, opts.JetStreamMaxMemory = 1<<40, 1<<20
	return opts
}

// testLogger shows the log's own warnings beside a failing test.
func testLogger(t *testing.T) *slog.Logger {
	t.Helper()
	return slog.New(slog.NewTextHandler(writer{t}, nil))
}

type writer struct{ t *testing.T }

func (w writer) Write(line []byte) (int, error) {
	if w.t.Context().Err() == nil {
		w.t.Logf("%s", bytes.TrimSpace(line))
	}
	return len(line), nil
}
