package chstore_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/engine"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/testkit"
	"github.com/sondehq/sonde/internal/tracestore"
	"github.com/sondehq/sonde/internal/tracestore/chstore"
)

// asReader is an address under the engine's user for reads.
func asReader(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	password, _ := u.User.Password()
	u.User = url.UserPassword(engine.Reader, password)
	return u.String()
}

// boundedReads are the reads that clients ask for, by plans of every kind.
var boundedReads = map[string]func(ctx context.Context, store *chstore.Store) error{
	"observations": func(ctx context.Context, store *chstore.Store) error {
		_, err := store.Observations(ctx, tracestore.ObservationQuery{ProjectID: "p", Limit: 50, Metadata: true})
		return err
	},
	"observations by name": func(ctx context.Context, store *chstore.Store) error {
		where := []filter.Condition{filter.OneOf{Column: filter.Name, Values: []string{"x"}, Not: true}}
		_, err := store.Observations(ctx, tracestore.ObservationQuery{ProjectID: "p", Limit: 50, Metadata: true, Where: where})
		return err
	},
	"count": func(ctx context.Context, store *chstore.Store) error {
		_, err := store.CountObservations(ctx, "p", []filter.Condition{filter.MetadataText{Key: "k", Op: filter.Contains, Value: "y"}})
		return err
	},
	"comparison": func(ctx context.Context, store *chstore.Store) error {
		_, err := store.Compare(ctx, tracestore.CompareQuery{
			ProjectID: "p", Fields: []filter.Column{tracestore.MetadataKeys, tracestore.MetadataField("k")}, Keys: 5, Values: 5, MaxRows: 1000,
			Selection: []filter.Condition{filter.MetadataText{Key: "k", Op: filter.Contains, Value: "y"}},
		})
		return err
	},
	"effects": func(ctx context.Context, store *chstore.Store) error {
		_, err := store.Effects(ctx, tracestore.EffectQuery{
			ProjectID: "p", Each: []filter.Condition{filter.MetadataText{Key: "k", Op: filter.Contains, Value: "y"}}, MaxRows: 1000,
		})
		return err
	},
	"scores": func(ctx context.Context, store *chstore.Store) error {
		_, err := store.Scores(ctx, tracestore.ScoreQuery{ProjectID: "p", Limit: 50, Metadata: true})
		return err
	},
	"scores by name": func(ctx context.Context, store *chstore.Store) error {
		where := []filter.Condition{filter.OneOf{Column: filter.Name, Values: []string{"n"}}}
		_, err := store.Scores(ctx, tracestore.ScoreQuery{ProjectID: "p", Limit: 50, Metadata: true, Where: where})
		return err
	},
}

// A read that runs into any of its bounds says so, whichever read it is, and leaves the store usable.
func TestEveryReadIsBounded(t *testing.T) {
	t.Parallel()
	address := testkit.Engine(t)
	store := open(t, chstore.Config{Nodes: []string{address}})
	var rows []*model.Observation
	var scores []*model.Score
	large := []model.MetadataEntry{{Name: "k", Value: strings.Repeat("x", 500_000), Type: model.MetadataString}}
	for i := range 40 {
		o := row("p", fmt.Sprintf("s%d", i))
		o.Metadata = large
		rows = append(rows, o)
		scores = append(scores, &model.Score{ProjectID: "p", ID: strconv.Itoa(i), Timestamp: time.Now(), Name: "n", Type: model.Numeric, Version: 1, Metadata: large})
	}
	if err := store.Insert(t.Context(), rows); err != nil {
		t.Fatal(err)
	}
	if err := store.InsertScores(t.Context(), scores); err != nil {
		t.Fatal(err)
	}
	ctx := tracestore.ForProject(t.Context(), "p")
	for bound, config := range map[string]chstore.Config{
		"time": {ReadWithin: time.Nanosecond, ReadWait: time.Minute}, "memory": {ReadMemoryBytes: 6 << 20}, "rows": {ReadRows: 10}, "none": {},
	} {
		config.Nodes, config.ReadAddress = []string{address}, asReader(t, address)
		store, err := chstore.Open(config)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(store.Close)
		for name, read := range boundedReads {
			if err := read(ctx, store); errors.Is(err, tracestore.ErrTooExpensive) != (bound != "none") || bound == "none" && err != nil {
				t.Errorf("%s with a tiny bound on %s: %v", name, bound, err)
			}
		}
	}
}

// endless is a statement that would run for hours; the name finds it among the engine's statements.
func endless(name string) string {
	return "SELECT toFloat64(count()) AS n FROM numbers(1000000000000) WHERE sipHash64(number) = 1 /* " + name + " */"
}

func running(t *testing.T, store *chstore.Store, name string) bool {
	t.Helper()
	n, err := store.Number(t.Context(), "SELECT toFloat64(count()) AS n FROM system.processes WHERE query LIKE '%numbers(1000000000000)%"+name+"%' AND query NOT LIKE '%system.processes%'")
	if err != nil {
		t.Fatal(err)
	}
	return n > 0
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.After(20 * time.Second)
	for !ok() {
		select {
		case <-deadline:
			t.Fatalf("not within 20 s: %s", what)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// When the caller goes, the engine stops working for it.
func TestACanceledReadStopsInTheEngine(t *testing.T) {
	t.Parallel()
	address := testkit.Engine(t)
	store := open(t, chstore.Config{Nodes: []string{address}, ReadAddress: asReader(t, address), ReadRows: 1 << 62})
	for name, ctx := range map[string]context.Context{"own": t.Context(), "project": tracestore.ForProject(t.Context(), "p")} {
		ctx, cancel := context.WithCancel(ctx)
		ended := make(chan error, 1)
		go func() {
			_, err := store.Number(ctx, endless(name))
			ended <- err
		}()
		eventually(t, "the statement runs", func() bool { return running(t, store, name) })
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the read ended with %v, want Canceled", err)
		}
		eventually(t, "the engine stopped it", func() bool { return !running(t, store, name) })
	}
}

// The row bound ends a statement in the middle.
func TestRowsAreCountedAsTheyAreRead(t *testing.T) {
	t.Parallel()
	store := open(t, chstore.Config{Nodes: []string{testkit.Engine(t)}, ReadRows: 1_000_000})
	if _, err := store.Number(t.Context(), endless("rows")); !errors.Is(err, tracestore.ErrTooExpensive) {
		t.Errorf("got %v, want ErrTooExpensive", err)
	}
	eventually(t, "the engine stopped it", func() bool { return !running(t, store, "rows") })
}

// All reads for projects together have half of the engine's memory, whatever each of them may use; what the
// server does itself is not counted with them.
func TestReadersShareHalfOfTheMemory(t *testing.T) {
	t.Parallel()
	address := testkit.Engine(t) // with 1.4 GB
	store := open(t, chstore.Config{Nodes: []string{address}, ReadAddress: asReader(t, address), ReadMemoryBytes: 1 << 40})
	const hungry = "SELECT toFloat64(length(arrayWithConstant(100000000, toUInt64(1)))) AS n" // 800 MB
	_, err := store.Number(tracestore.ForProject(t.Context(), "p"), hungry)
	if err == nil || !strings.Contains(err.Error(), "User memory limit exceeded") {
		t.Errorf("a read for a project ended with %v, want the bound of all reads", err)
	}
	if _, err := store.Number(t.Context(), hungry); err != nil {
		t.Errorf("a read of the server itself: %v", err)
	}
}

// Who may read may do nothing else, and not lift the bound either.
func TestTheReaderOnlyReads(t *testing.T) {
	t.Parallel()
	address := testkit.Engine(t)
	open(t, chstore.Config{Nodes: []string{address}})
	reader, err := chstore.Open(chstore.Config{Nodes: []string{asReader(t, address)}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(reader.Close)
	for _, statement := range []string{
		"INSERT INTO tombstones VALUES ('p', 'trace', 't', 1)", "DROP TABLE scores", "ALTER TABLE scores DELETE WHERE 1", "TRUNCATE TABLE scores", "CREATE TABLE x (a Int8) ENGINE = Memory",
		"SELECT 1 WHERE 0 SETTINGS max_memory_usage_for_user = 0",
	} {
		if err := reader.Exec(t.Context(), statement); err == nil {
			t.Errorf("the user for reads may %s", statement)
		}
	}
}
