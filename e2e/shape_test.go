package e2e_test

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"github.com/sondehq/sonde/e2e/cluster"
	"github.com/sondehq/sonde/internal/engine"
	"github.com/sondehq/sonde/internal/metastore/sqlstore"
	"github.com/sondehq/sonde/internal/testkit"
)

// inCluster reports whether servers of these tests are whole clusters: make cluster-test. What a test sends and expects is
// the same.
func inCluster() bool { return os.Getenv("SONDE_E2E_SHAPE") == "cluster" }

// newServer chooses a directory and addresses for one process, or for all of a cluster. Whatever was started is ended with
// the test.
func newServer(t *testing.T, flags ...string) *server {
	t.Helper()
	if !inCluster() {
		return newNode(t, flags...)
	}
	s := &server{t: t, flags: flags}
	t.Cleanup(s.end)
	return s
}

// startCluster is what start does for a cluster.
func (s *server) startCluster() {
	s.t.Helper()
	o, err := cluster.Built("..")
	if err != nil {
		s.t.Fatal(err)
	}
	shards, err := sharedShards()
	if err != nil {
		s.t.Fatal(err)
	}
	o.Dir, o.Flags, o.Env = s.t.TempDir(), s.flags, s.env
	if err := os.Chmod(filepath.Dir(o.Dir), 0o755); err != nil { //nolint:gosec // PostgreSQL runs as somebody else
		s.t.Fatal(err)
	}
	database := "t" + strings.ReplaceAll(uuid.NewString(), "-", "")
	for _, e := range shards {
		u := url.URL{Scheme: "clickhouse", User: url.UserPassword(e.User(), e.Password()), Host: e.Addr(), Path: "/" + database}
		o.Engines = append(o.Engines, u.String())
	}
	o.Postgres, o.Bucket = testkit.Postgres(s.t), testkit.S3(s.t)
	c, err := cluster.Start(s.t.Context(), o)
	if err != nil {
		s.t.Fatal(err)
	}
	s.cluster, s.listen, s.grpc = c, strings.TrimPrefix(c.URL, "http://"), c.GRPC
}

// restartCluster stops every process of Sonde and starts it again.
func (s *server) restartCluster() {
	s.t.Helper()
	if err := s.cluster.Restart(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
}

// metadata opens the metadata past the running server.
func (s *server) metadata() *sqlstore.Store {
	s.t.Helper()
	open := func() (*sqlstore.Store, error) { return sqlstore.OpenSQLite(s.t.Context(), s.dir+"/metadata.sqlite") }
	if s.cluster != nil {
		open = func() (*sqlstore.Store, error) {
			return sqlstore.OpenPostgres(s.t.Context(), s.cluster.Options.Postgres)
		}
	}
	store, err := open()
	if err != nil {
		s.t.Fatal(err)
	}
	return store
}

// metadataFlag tells commands where the metadata is.
func (s *server) metadataFlag() string {
	if s.cluster != nil {
		return "--metadata-url=" + s.cluster.Options.Postgres
	}
	return "--data-dir=" + s.dir
}

// sharedShards are two engines for all tests of the process: each cluster has a database of its own there.
var sharedShards = sync.OnceValues(func() ([]*engine.Engine, error) {
	o, err := cluster.Built("..")
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "sonde-shards-")
	if err != nil {
		return nil, err
	}
	shards.dir = dir
	shards.engines, err = testkit.StartShards(context.Background(), engine.Config{Library: o.Library, Executable: o.Binary},
		filepath.Join(dir, "1"), filepath.Join(dir, "2"))
	return shards.engines, err
})

var shards struct {
	dir     string
	engines []*engine.Engine
}

func stopShards() {
	for _, e := range shards.engines {
		_ = e.Stop(context.Background()) // the tests are over
	}
	if shards.dir != "" {
		_ = os.RemoveAll(shards.dir)
	}
}

// shardPID is the process of a shard that the cluster has started: engine1 or engine2.
func (s *server) shardPID(name string) (int, error) {
	for _, pid := range childrenOf(os.Getpid()) {
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if err == nil && strings.Contains(string(line), filepath.Join(s.cluster.Dir, name)) {
			return pid, nil
		}
	}
	return 0, fmt.Errorf("%s does not run", name)
}
