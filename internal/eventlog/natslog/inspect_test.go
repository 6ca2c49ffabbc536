package natslog_test

import (
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/sondehq/sonde/internal/eventlog/natslog"
	"github.com/sondehq/sonde/internal/fault"
)

// A look changes nothing, and tells of servers and copies that are away.
func TestInspect(t *testing.T) {
	t.Parallel()
	servers := startCluster(t, clusterOptions(freePorts(t, 3), t.TempDir))
	var urls []string
	for _, s := range servers {
		urls = append(urls, s.ClientURL())
	}
	cfg := natslog.Config{URL: strings.Join(urls, ","), Partitions: 2, Replicas: 3, Logger: testLogger(t)}
	if c, err := natslog.Inspect(t.Context(), cfg); err != nil || c.Servers != 3 || len(c.Partitions) != 0 || !c.Clock.IsZero() {
		t.Errorf("before there is a log: %+v, %v", c, err)
	}
	log := openRemote(t, cfg)
	look := func(want string) natslog.Cluster {
		t.Helper()
		for deadline := time.Now().Add(30 * time.Second); ; {
			c, err := natslog.Inspect(t.Context(), cfg)
			got := strings.Join(c.Partitions, "; ")
			if err == nil && (got == "") == (want == "") && strings.Contains(got, want) {
				return c
			}
			if time.Now().After(deadline) {
				t.Fatalf("got %q, %v, want %q", got, err, want)
			}
			<-time.After(50 * time.Millisecond)
		}
	}
	if c := look(""); time.Since(c.Clock).Abs() > time.Minute {
		t.Errorf("the clock is %s", c.Clock)
	}
	servers[2].Shutdown()
	servers[2].WaitForShutdown()
	look("misses 1 of 3 copies")
	status, err := log.Status(t.Context())
	if err != nil || status.Parts[0].ReplicasMissing != 1 || status.Parts[0].At.IsZero() {
		t.Errorf("status %+v, %v", status.Parts, err)
	}
	servers[1].Shutdown()
	servers[1].WaitForShutdown()
	for deadline := time.Now().Add(30 * time.Second); ; {
		_, err := natslog.Inspect(t.Context(), cfg)
		if fault.Is(err, fault.Unavailable) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("one of three servers: %v", err)
		}
		<-time.After(50 * time.Millisecond)
	}
}

func TestInspectOfServersThatCannotDoIt(t *testing.T) {
	t.Parallel()
	if _, err := natslog.Inspect(t.Context(), natslog.Config{URL: "nats://127.0.0.1:1"}); !fault.Is(err, fault.Unavailable) {
		t.Errorf("nobody is there: %v", err)
	}
	s := startServer(t, &server.Options{StoreDir: t.TempDir()})
	if c, err := natslog.Inspect(t.Context(), natslog.Config{URL: s.ClientURL(), Replicas: 3}); err != nil || c.Servers != 1 {
		t.Errorf("one server: %+v, %v", c, err)
	}
}
