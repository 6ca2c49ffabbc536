package natslog_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/sondehq/sonde/internal/eventlog/natslog"
	"github.com/sondehq/sonde/internal/live"
	"github.com/sondehq/sonde/internal/live/livetest"
)

func openLive(t testing.TB, log *natslog.Log) *natslog.Live {
	t.Helper()
	bus, err := log.Live()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(bus.Close)
	return bus
}

func TestLiveContractEmbedded(t *testing.T) {
	t.Parallel()
	livetest.Run(t, func(t *testing.T) live.Bus {
		return openLive(t, openEmbedded(t, natslog.Config{Dir: t.TempDir(), Partitions: 1, MinFreeBytes: 1, Logger: testLogger(t)}).Log)
	})
}

func TestLiveContractRemote(t *testing.T) {
	t.Parallel()
	node := func(t *testing.T, url string) live.Bus {
		return openLive(t, openRemote(t, natslog.Config{URL: url, Partitions: 1, Logger: testLogger(t)}).Log)
	}
	livetest.Run(t, func(t *testing.T) live.Bus {
		return node(t, startServer(t, &server.Options{StoreDir: t.TempDir()}).ClientURL())
	})
	livetest.RunNodes(t, func(t *testing.T) (a, b live.Bus) {
		url := startServer(t, &server.Options{StoreDir: t.TempDir()}).ClientURL()
		return node(t, url), node(t, url)
	})
}

// A server that went and came back must not end the listening: nobody would notice.
func TestListenersSurviveARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	old := startServer(t, &server.Options{StoreDir: dir})
	bus := openLive(t, openRemote(t, natslog.Config{URL: old.ClientURL(), Partitions: 1, Logger: testLogger(t)}).Log)
	var heard atomic.Int64
	stop, err := bus.Listen(t.Context(), "p", func([]byte) { heard.Add(1) })
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	old.Shutdown()
	old.WaitForShutdown()
	restartServer(t, old, dir)
	for end := time.Now().Add(20 * time.Second); heard.Load() == 0 && time.Now().Before(end); <-time.After(20 * time.Millisecond) {
		bus.Publish("p", []byte("x")) // what is said meanwhile is lost
	}
	if heard.Load() == 0 {
		t.Fatal("the listener hears nothing after the restart")
	}
}

// While nobody listens, news must cost the way of a span nothing.
func BenchmarkHeardByNobody(b *testing.B) {
	log, err := natslog.OpenEmbedded(b.Context(), natslog.Config{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = log.Close(context.Background()) })
	bus := openLive(b, log)
	reporter := live.NewReporter(bus)
	ids := []string{"0af7651916cd43dd8448eb211c80319c"}
	b.ReportAllocs()
	for b.Loop() {
		reporter.Stored("p", 100, 1, ids)
	}
}
