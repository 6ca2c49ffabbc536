package natslog_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats-server/v2/server"

	"github.com/sondehq/sonde/internal/eventlog"
	"github.com/sondehq/sonde/internal/eventlog/natslog"
	"github.com/sondehq/sonde/internal/fault"
)

func TestServerAwayIsUnavailable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := startServer(t, &server.Options{StoreDir: dir})
	cfg := natslog.Config{URL: s.ClientURL(), Partitions: 2, Logger: testLogger(t)}
	log := openRemote(t, cfg).Log
	pos := mustAppend(t, log, "before")
	s.Shutdown()
	s.WaitForShutdown()

	start := time.Now()
	_, err := log.Append(t.Context(), []byte("away"))
	if !fault.Is(err, fault.Unavailable) {
		t.Errorf("append without a server: %v", err)
	}
	if took := time.Since(start); took > 12*time.Second {
		t.Errorf("append without a server took %v", took)
	}
	if _, err := natslog.OpenRemote(t.Context(), cfg); !fault.Is(err, fault.Unavailable) {
		t.Errorf("open without a server: %v", err)
	}
	if _, err := log.Status(t.Context()); !fault.Is(err, fault.Unavailable) {
		t.Errorf("status without a server: %v", err)
	}

	restartServer(t, s, dir)
	mustAppend(t, log, "after")
	found := map[eventlog.Position]bool{}
	for _, d := range fetchAll(t, log) {
		found[d.Position()] = true
	}
	if !found[pos] || len(found) < 2 {
		t.Errorf("%d records after the server came back", len(found))
	}
	closeLog(t, log) // before the server that was started after it
}

// restartServer starts a new server on the old one's port and directory.
func restartServer(t *testing.T, old *server.Server, dir string) {
	t.Helper()
	address, err := url.Parse(old.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	var port int
	if _, err := fmt.Sscan(address.Port(), &port); err != nil {
		t.Fatal(err)
	}
	startServer(t, &server.Options{StoreDir: dir, Port: port})
}

// mustAppend appends, trying again while the log's servers are away.
func mustAppend(t *testing.T, log eventlog.Log, record string) eventlog.Position {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; {
		pos, err := log.Append(t.Context(), []byte(record))
		if err == nil {
			return pos
		}
		if !fault.Is(err, fault.Unavailable) || time.Now().After(deadline) {
			t.Fatalf("append: %v", err)
		}
		<-time.After(50 * time.Millisecond)
	}
}

func TestNodesShareARemoteLog(t *testing.T) {
	t.Parallel()
	cfg := natslog.Config{
		URL: startServer(t, &server.Options{StoreDir: t.TempDir()}).ClientURL(), Partitions: 2,
		RedeliverAfter: time.Minute, Logger: testLogger(t),
	}
	one, two := openRemote(t, cfg), openRemote(t, cfg)
	for i := range 50 {
		mustAppend(t, one, fmt.Sprint("one ", i))
		mustAppend(t, two, fmt.Sprint("two ", i))
	}
	seen := map[eventlog.Position]int{}
	byNode := [2]int{}
	for deadline := time.Now().Add(20 * time.Second); len(seen) < 100 && time.Now().Before(deadline); {
		for node, log := range []eventlog.Log{one, two} {
			for p := range log.Partitions() {
				ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
				got, err := log.Fetch(ctx, p, 5, 1<<20)
				cancel()
				if err != nil {
					t.Fatal(err)
				}
				for _, d := range got {
					seen[d.Position()]++
					byNode[node]++
				}
			}
		}
	}
	if len(seen) != 100 || byNode[0] == 0 || byNode[1] == 0 {
		t.Errorf("%d of 100 records came, %v by node", len(seen), byNode)
	}
	for pos, n := range seen {
		if n > 1 {
			t.Errorf("record %v was delivered %d times", pos, n)
		}
	}
}

// TestOpeningANodeTakesNothingBack guards the difference between the two kinds of log: other
// nodes may hold deliveries of a remote log.
func TestOpeningANodeTakesNothingBack(t *testing.T) {
	t.Parallel()
	cfg := natslog.Config{
		URL: startServer(t, &server.Options{StoreDir: t.TempDir()}).ClientURL(), Partitions: 1,
		RedeliverAfter: time.Minute, Logger: testLogger(t),
	}
	log := openRemote(t, cfg)
	mustAppend(t, log, "held")
	if got := fetchAll(t, log); len(got) != 1 {
		t.Fatalf("%d records come, want 1", len(got))
	}
	if got := fetchAll(t, openRemote(t, cfg)); len(got) != 0 {
		t.Error("a record that another node holds was delivered to a node that joined")
	}
}

// A remote server's limit counts for the whole message: the record and, should it be buried,
// the headers of a dead letter.
func TestRemoteLimitLeavesRoomForDeadLetters(t *testing.T) {
	t.Parallel()
	url := startServer(t, &server.Options{StoreDir: t.TempDir(), MaxPayload: 64 << 10}).ClientURL()
	log := openRemote(t, natslog.Config{URL: url, Partitions: 1, Logger: testLogger(t)})
	if n := log.MaxRecordBytes(); n > 64<<10 || n < 32<<10 {
		t.Fatalf("takes records of %d bytes from a server of 64 KiB", n)
	}
	mustAppend(t, log, strings.Repeat("x", log.MaxRecordBytes()))
	if err := log.Bury(t.Context(), fetchAll(t, log)[0], strings.Repeat("\x00", 10_000)); err != nil {
		t.Error(err)
	}
}

// A node that only looks must not bring the log to its own settings.
func TestJoinChangesNothing(t *testing.T) {
	t.Parallel()
	url := startServer(t, &server.Options{StoreDir: t.TempDir()}).ClientURL()
	join := natslog.Config{URL: url, Join: true, Partitions: 7, CapacityBytes: 1 << 20, DeadLetterBytes: 1 << 20, Logger: testLogger(t)}
	if log, err := natslog.OpenRemote(t.Context(), join); !fault.Is(err, fault.Unavailable) {
		t.Fatalf("joined a log that is not there: %v, %v", log, err)
	}
	log := openRemote(t, natslog.Config{URL: url, Partitions: 2, CapacityBytes: 64 << 20, Logger: testLogger(t)})
	at := mustAppend(t, log, "x")
	streams, consumers, err := natslog.PartitionConfigs(t.Context(), log.Log)
	if err != nil {
		t.Fatal(err)
	}
	joined := openRemote(t, join)
	again, consumersAgain, err := natslog.PartitionConfigs(t.Context(), log.Log)
	if diff := cmp.Diff(streams, again); err != nil || diff != "" {
		t.Errorf("joining changed the streams (%v):\n%s", err, diff)
	}
	if diff := cmp.Diff(consumers, consumersAgain); diff != "" {
		t.Errorf("joining changed the consumers:\n%s", diff)
	}
	for _, d := range fetchAll(t, log) {
		if err := d.Ack(); err != nil {
			t.Fatal(err)
		}
	}
	for deadline := time.Now().Add(20 * time.Second); ; {
		status, err := joined.Status(t.Context())
		if err == nil && len(status.Floors) == 2 && status.Floors[at.Partition] == at.Sequence {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("status %+v, %v", status, err)
		}
		<-time.After(10 * time.Millisecond)
	}
}

func TestClusterOfThree(t *testing.T) {
	t.Parallel()
	servers := startCluster(t, clusterOptions(freePorts(t, 3), t.TempDir))
	urls := make([]string, len(servers))
	for i, s := range servers {
		urls[i] = s.ClientURL()
	}
	cfg := natslog.Config{
		URL: strings.Join(urls, ","), Replicas: 3, Partitions: 2, RedeliverAfter: time.Minute, Logger: testLogger(t),
	}
	log := openRemote(t, cfg)
	want := map[eventlog.Position]string{}
	add := func(n int) {
		for range n {
			record := fmt.Sprint("record ", len(want))
			want[mustAppend(t, log, record)] = record
		}
	}
	add(50)
	servers[0].Shutdown()
	servers[0].WaitForShutdown()
	add(50)
	if len(want) != 100 {
		t.Fatalf("100 appends gave %d positions", len(want))
	}
	found := map[eventlog.Position]string{}
	for deadline := time.Now().Add(20 * time.Second); len(found) < 100 && time.Now().Before(deadline); {
		for p := range log.Partitions() {
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			got, err := log.Fetch(ctx, p, 100, 1<<20)
			cancel()
			if err != nil && !fault.Is(err, fault.Unavailable) {
				t.Fatal(err)
			}
			for _, d := range got {
				found[d.Position()] = string(d.Record())
				if err := d.Ack(); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	for pos, record := range want {
		if found[pos] != record {
			t.Errorf("record %v is %q, want %q", pos, found[pos], record)
		}
	}
}

// Nodes and log servers that are started together: whoever is first waits.
func TestOpenWaitsUntilTheClusterAgrees(t *testing.T) {
	t.Parallel()
	options := clusterOptions(freePorts(t, 3), t.TempDir)
	first := startServer(t, options[0])
	var log *natslog.Log
	opened := make(chan error)
	go func() {
		var err error
		log, err = natslog.OpenRemote(t.Context(), natslog.Config{URL: first.ClientURL(), Replicas: 3, Partitions: 2, Logger: testLogger(t)})
		opened <- err
	}()
	select {
	case err := <-opened:
		t.Fatalf("opened a log of three servers at one of them: %v", err)
	case <-time.After(6 * time.Second): // one question to a server without a leader is given up after five
	}
	startServer(t, options[1])
	startServer(t, options[2])
	if err := <-opened; err != nil {
		t.Fatal(err)
	}
	mustAppend(t, log, "x")
	closeLog(t, log) // before the servers that were started after it
}

func TestJobsWaitUntilTheClusterAgrees(t *testing.T) {
	t.Parallel()
	options := clusterOptions(freePorts(t, 3), t.TempDir)
	servers := startCluster(t, options)
	log := openRemote(t, natslog.Config{URL: servers[0].ClientURL(), Replicas: 3, Partitions: 1, Logger: testLogger(t)})
	for _, s := range servers[1:] {
		s.Shutdown()
		s.WaitForShutdown()
	}
	opened := make(chan error)
	go func() {
		_, err := log.Jobs(t.Context())
		opened <- err
	}()
	select {
	case err := <-opened:
		t.Fatalf("created a stream of three servers at one of them: %v", err)
	case <-time.After(6 * time.Second):
	}
	startServer(t, options[1])
	startServer(t, options[2])
	if err := <-opened; err != nil {
		t.Fatal(err)
	}
	closeLog(t, log.Log) // before the servers that were started after it
}

// startCluster runs three servers that replicate, on loopback.
func startCluster(t *testing.T, options []*server.Options) []*server.Server {
	t.Helper()
	var servers []*server.Server
	for _, one := range options {
		servers = append(servers, startServer(t, one))
	}
	for deadline := time.Now().Add(20 * time.Second); ; {
		for _, s := range servers {
			if s.JetStreamIsLeader() && len(s.JetStreamClusterPeers()) == len(servers) {
				return servers
			}
		}
		if time.Now().After(deadline) {
			t.Fatal("the cluster elects no leader")
		}
		<-time.After(20 * time.Millisecond)
	}
}

// clusterOptions are those of servers that reach each other at the ports.
func clusterOptions(ports []int, dir func() string) []*server.Options {
	var routes []*url.URL
	for _, port := range ports {
		routes = append(routes, &url.URL{Scheme: "nats", Host: fmt.Sprintf("127.0.0.1:%d", port)})
	}
	var options []*server.Options
	for i, port := range ports {
		options = append(options, &server.Options{
			ServerName: fmt.Sprintf("node%d", i), StoreDir: dir(), Routes: routes,
			Cluster: server.ClusterOpts{Name: "test", Host: "127.0.0.1", Port: port},
		})
	}
	return options
}

// freePorts finds ports in advance: every server must know the others' before it starts.
func freePorts(t *testing.T, n int) []int {
	t.Helper()
	var ports []int
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports
}

// A fetch that waits when the server goes away must not wait for an answer that nobody will give.
func TestFetchAsksAgainAfterARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := startServer(t, &server.Options{StoreDir: dir})
	log := openRemote(t, natslog.Config{URL: s.ClientURL(), Partitions: 1, Logger: testLogger(t)}).Log
	fetched := make(chan error)
	fetch := func() {
		for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); {
			// Errors are the outage.
			if got, err := log.Fetch(t.Context(), 0, 1, 1<<20); err == nil && len(got) > 0 {
				fetched <- got[0].Ack()
				return
			}
		}
		fetched <- errors.New("nothing came within 20 s")
	}
	go fetch()
	mustAppend(t, log, "the fetcher is at work")
	if err := <-fetched; err != nil {
		t.Fatal(err)
	}
	go fetch() // waits at the server that is about to go
	s.Shutdown()
	s.WaitForShutdown()
	restartServer(t, s, dir)
	mustAppend(t, log, "after")
	began := time.Now()
	if err := <-fetched; err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("the record came %v after it was appended", took)
	}
	closeLog(t, log) // before the server that was started after it
}
