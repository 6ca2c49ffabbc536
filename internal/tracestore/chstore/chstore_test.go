package chstore_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/sondehq/sonde/internal/engine"
	"github.com/sondehq/sonde/internal/testkit"
	"github.com/sondehq/sonde/internal/tracestore"
	"github.com/sondehq/sonde/internal/tracestore/chstore"
	"github.com/sondehq/sonde/internal/tracestore/tracestoretest"
)

func TestMain(m *testing.M) {
	testkit.EngineMain()
	goleak.VerifyTestMain(m)
}

func open(t testing.TB, config chstore.Config) *chstore.Store {
	t.Helper()
	store, err := chstore.Open(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return store
}

func TestContractOnEngine(t *testing.T) {
	t.Parallel()
	store := open(t, chstore.Config{Nodes: []string{testkit.Engine(t) + "/default"}})
	tracestoretest.Run(t, func(*testing.T) tracestore.Store { return store })
}

func TestContractOnShards(t *testing.T) {
	t.Parallel()
	var nodes []string
	for _, address := range testkit.ShardedEngines(t) {
		nodes = append(nodes, address+"/default")
	}
	store := open(t, chstore.Config{Nodes: nodes, Cluster: engine.Cluster})
	tracestoretest.Run(t, func(*testing.T) tracestore.Store { return store })
}

// A real server, where one is given, must hold the same contract.
func TestContractOnServer(t *testing.T) {
	t.Parallel()
	address := os.Getenv("SONDE_TEST_CLICKHOUSE")
	if address == "" {
		return
	}
	store := open(t, chstore.Config{Nodes: []string{address}})
	tracestoretest.Run(t, func(*testing.T) tracestore.Store { return store })
}
