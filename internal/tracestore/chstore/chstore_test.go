package chstore_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sync/errgroup"

	"github.com/sondehq/sonde/internal/engine"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/testkit"
	"github.com/sondehq/sonde/internal/tracestore"
	"github.com/sondehq/sonde/internal/tracestore/chstore"
	"github.com/sondehq/sonde/internal/tracestore/tracestoretest"
)

func TestMain(m *testing.M) {
	testkit.EngineMain()
	if cases := os.Getenv("SONDE_READ_CASES"); cases != "" { // for all that is drawn, not only for conditions
		if err := flag.Set("rapid.checks", cases); err != nil {
			panic(err)
		}
	}
	goleak.VerifyTestMain(m)
}

func open(t testing.TB, config chstore.Config) *chstore.Store {
	t.Helper()
	store, err := chstore.Open(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	if err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return store
}

// On the server that SONDE_TEST_CLICKHOUSE names, else on an engine of our own.
func TestContractOnEngine(t *testing.T) {
	t.Parallel()
	config := chstore.Config{Nodes: []string{os.Getenv("SONDE_TEST_CLICKHOUSE")}}
	if config.Nodes[0] == "" {
		config.Nodes[0] = testkit.Engine(t)
		config.ReadAddress = asReader(t, config.Nodes[0])
	}
	store := readForProjects{open(t, config)}
	tracestoretest.Run(t, func(*testing.T) tracestoretest.Stores { return store })
}

// readForProjects asks as requests do, on behalf of a project, and so as the user for reads.
type readForProjects struct{ *chstore.Store }

func (s readForProjects) Observations(ctx context.Context, q tracestore.ObservationQuery) ([]*model.Observation, error) {
	return s.Store.Observations(tracestore.ForProject(ctx, q.ProjectID), q)
}

func (s readForProjects) CountObservations(ctx context.Context, projectID string, where []filter.Condition) (uint64, error) {
	return s.Store.CountObservations(tracestore.ForProject(ctx, projectID), projectID, where)
}

func (s readForProjects) Scores(ctx context.Context, q tracestore.ScoreQuery) ([]*model.Score, error) {
	return s.Store.Scores(tracestore.ForProject(ctx, q.ProjectID), q)
}

func (s readForProjects) Traces(ctx context.Context, q tracestore.TraceQuery) ([]*tracestore.Trace, error) {
	return s.Store.Traces(tracestore.ForProject(ctx, q.ProjectID), q)
}

func (s readForProjects) CountTraces(ctx context.Context, projectID string, where []filter.Condition) (uint64, error) {
	return s.Store.CountTraces(tracestore.ForProject(ctx, projectID), projectID, where)
}

func TestContractOnShards(t *testing.T) {
	t.Parallel()
	store := open(t, chstore.Config{Nodes: testkit.ShardedEngines(t), Cluster: engine.Cluster})
	tracestoretest.Run(t, func(*testing.T) tracestoretest.Stores { return store })
}

// A store is there when all of its shards are: a read needs every one.
func TestPingAsksEveryShard(t *testing.T) {
	t.Parallel()
	nodes, stopLast := testkit.ShardsToStop(t)
	store := open(t, chstore.Config{Nodes: nodes, Cluster: engine.Cluster})
	if err := store.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	stopLast()
	if err := store.Ping(t.Context()); err == nil {
		t.Error("a shard is away, and nobody noticed")
	}
}

func TestErasureOnEngine(t *testing.T) {
	t.Parallel()
	store := open(t, chstore.Config{Nodes: []string{testkit.Engine(t)}})
	tracestoretest.RunErasure(t, func(*testing.T) tracestoretest.Stores { return store })
}

func TestErasureOnShards(t *testing.T) {
	t.Parallel()
	store := open(t, chstore.Config{Nodes: testkit.ShardedEngines(t), Cluster: engine.Cluster})
	tracestoretest.RunErasure(t, func(*testing.T) tracestoretest.Stores { return store })
}

func row(project, id string) *model.Observation {
	return &model.Observation{
		ProjectID: project, TraceID: "trace", ID: id, StartTime: time.Now().UTC().Truncate(time.Millisecond), Name: id,
		Type: model.Span, Level: model.Default, Environment: model.DefaultEnvironment, Version: model.RowVersion(time.Now(), 0),
	}
}

func count(t *testing.T, store *chstore.Store, project string) int {
	t.Helper()
	n, err := store.CountObservations(t.Context(), project, nil)
	if err != nil {
		t.Fatal(err)
	}
	return int(n)
}

// A row that the engine itself refuses is told apart from a store that is away.
func TestRefusedRows(t *testing.T) {
	t.Parallel()
	store := open(t, chstore.Config{Nodes: []string{testkit.Engine(t)}})
	if err := store.Exec(t.Context(), "ALTER TABLE observations ADD CONSTRAINT no_poison CHECK name != 'poison'"); err != nil {
		t.Fatal(err)
	}
	err := store.Insert(t.Context(), []*model.Observation{row("p", "good"), row("p", "poison")})
	if !errors.Is(err, tracestore.ErrRefused) {
		t.Fatalf("got %v, want ErrRefused", err)
	}
	if err := store.Insert(t.Context(), []*model.Observation{row("p", "good")}); err != nil {
		t.Fatal(err)
	}
	if n := count(t, store, "p"); n != 1 {
		t.Errorf("%d rows, want the good one", n)
	}
}

// An engine that dies may have noted that it saw a batch, and have lost the batch: what it no longer has is stored again.
func TestInsertsAreNotRemembered(t *testing.T) {
	t.Parallel()
	store := open(t, chstore.Config{Nodes: []string{testkit.Engine(t)}})
	rows := []*model.Observation{row("p", "a"), row("p", "b")}
	for range 2 {
		if err := store.Insert(t.Context(), rows); err != nil {
			t.Fatal(err)
		}
		if n := count(t, store, "p"); n != 2 {
			t.Errorf("%d rows, want 2", n)
		}
		for _, table := range []string{"observations", "payloads", "traces"} {
			if err := store.Exec(t.Context(), "ALTER TABLE "+table+" DELETE WHERE 1 SETTINGS mutations_sync = 1"); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestMigratingTwiceAndByTwo(t *testing.T) {
	t.Parallel()
	config := chstore.Config{Nodes: []string{testkit.Engine(t)}}
	store := open(t, config)
	var nodes errgroup.Group
	for range 4 {
		nodes.Go(func() error { return store.Migrate(t.Context()) })
	}
	if err := nodes.Wait(); err != nil {
		t.Fatal(err)
	}
	if err := store.Exec(t.Context(), "INSERT INTO sonde_migrations (name, checksum, applied_at) VALUES ('0001_observations', 'other', now() + 1)"); err != nil {
		t.Fatal(err)
	}
	if err := store.Migrate(t.Context()); err == nil {
		t.Error("a changed migration is not noticed")
	}
}

func TestStoreThatIsAwayIsUnavailable(t *testing.T) {
	t.Parallel()
	store, err := chstore.Open(chstore.Config{Nodes: []string{"clickhouse://u:p@127.0.0.1:1"}})
	if err != nil {
		t.Fatal(err)
	}
	err = store.Insert(t.Context(), []*model.Observation{row("p", "a")})
	if !fault.Is(err, fault.Unavailable) || errors.Is(err, tracestore.ErrRefused) {
		t.Errorf("got %v, want Unavailable", err)
	}
	for _, address := range []string{"", "http://x", "clickhouse://"} {
		if _, err := chstore.Open(chstore.Config{Nodes: []string{address}}); err == nil {
			t.Errorf("address %q is accepted", address)
		}
	}
}

func TestReadsAreBounded(t *testing.T) {
	t.Parallel()
	store := open(t, chstore.Config{Nodes: []string{testkit.Engine(t)}, ReadResultBytes: 1 << 20})
	big := row("p", "big")
	big.Input = strings.Repeat("x", 4<<20)
	if err := store.Insert(t.Context(), []*model.Observation{big}); err != nil {
		t.Fatal(err)
	}
	_, err := store.Observations(t.Context(), tracestore.ObservationQuery{ProjectID: "p", Limit: 1, IO: true})
	if !errors.Is(err, tracestore.ErrTooExpensive) {
		t.Errorf("got %v, want ErrTooExpensive", err)
	}
	if _, err := store.Observations(t.Context(), tracestore.ObservationQuery{ProjectID: "p", Limit: 1}); err != nil {
		t.Errorf("the page without its texts: %v", err)
	}
}

// A tombstone hides at once and erases with the next merge, also when its batch is sent twice.
func TestTombstoneErasesTexts(t *testing.T) {
	t.Parallel()
	store := open(t, chstore.Config{Nodes: []string{testkit.Engine(t)}})
	secret := row("p", "a")
	secret.Input, secret.Happenings = "secret", "secret"
	gone := *secret
	gone.Version, gone.Deleted = secret.Version+1, true
	for _, batch := range [][]*model.Observation{
		{secret, row("p", "b")},
		{&gone, row("p", "c")},
		{&gone, row("p", "c")},
	} {
		if err := store.Insert(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
	}
	if n := count(t, store, "p"); n != 2 {
		t.Errorf("%d rows, want 2", n)
	}
	if err := store.Compact(t.Context(), "payloads"); err != nil {
		t.Fatal(err)
	}
	left, err := store.Number(t.Context(), "SELECT toFloat64(sum(length(input) + length(texts))) AS n FROM payloads")
	if err != nil || left != 0 {
		t.Errorf("%v bytes and texts are left (%v), want none", left, err)
	}
}
