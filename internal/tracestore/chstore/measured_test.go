package chstore_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/testkit"
	"github.com/sondehq/sonde/internal/tracestore"
	"github.com/sondehq/sonde/internal/tracestore/chstore"
)

// The operator sees which bound ended a read, and what reads use of their bounds.
func TestReadsTellWhatTheyUsed(t *testing.T) {
	t.Parallel()
	address := testkit.Engine(t)
	type told struct {
		outcome string
		used    map[string]float64
	}
	for want, c := range map[string]struct {
		config    chstore.Config
		statement string
		leave     time.Duration // 0: never
	}{
		"ok":          {statement: "SELECT toFloat64(sum(number)) AS n FROM numbers(1000000)"},
		"over_rows":   {chstore.Config{ReadRows: 1_000_000}, endless("told"), 0},
		"over_time":   {chstore.Config{ReadWithin: time.Second, ReadRows: 1 << 62}, endless("told"), 0},
		"over_memory": {chstore.Config{ReadMemoryBytes: 20 << 20}, "SELECT toFloat64(length(groupArray(number))) AS n FROM numbers(50000000)", 0},
		"canceled":    {chstore.Config{ReadRows: 1 << 62}, endless("told"), 300 * time.Millisecond},
		"failed":      {statement: "SELECT toFloat64(nothing) AS n"},
	} {
		var got []told
		c.config.Nodes, c.config.ReadAddress = []string{address}, asReader(t, address)
		c.config.ObserveRead = func(outcome string, took time.Duration, used map[string]float64) {
			if took <= 0 {
				t.Errorf("%s took %s", want, took)
			}
			got = append(got, told{outcome, used})
		}
		store := open(t, c.config)
		got = nil // what opening reads is the server's own
		ctx, cancel := context.WithCancel(tracestore.ForProject(t.Context(), "p"))
		if c.leave > 0 {
			time.AfterFunc(c.leave, cancel)
		}
		_, _ = store.Number(ctx, c.statement) // how it ends is told
		cancel()
		if len(got) != 1 || got[0].outcome != want {
			t.Errorf("%s: told %+v", want, got)
			continue
		}
		used := got[0].used
		switch want {
		case "ok":
			if used["rows"] != 1_000_000./500_000_000 || used["memory"] <= 0 || used["memory"] > 1 || used["time"] <= 0 || used["time"] > 1 {
				t.Errorf("ok used %v", used)
			}
		case "over_rows":
			if used["rows"] <= 1 {
				t.Errorf("rows used %v", used)
			}
		case "over_time":
			if used["time"] < 1 {
				t.Errorf("time used %v", used)
			}
		}
	}
}

// Who finds no turn is told apart from who failed.
func TestReadsWithoutATurnAreBusy(t *testing.T) {
	t.Parallel()
	address := testkit.Engine(t)
	outcomes := make(chan string, 2)
	store := open(t, chstore.Config{
		Nodes: []string{address}, ReadAddress: asReader(t, address), Reads: 1, ReadsPerProject: 1, ReadWait: 50 * time.Millisecond, ReadRows: 1 << 62,
		ObserveRead: func(outcome string, _ time.Duration, _ map[string]float64) { outcomes <- outcome },
	})
	ctx, cancel := context.WithCancel(tracestore.ForProject(t.Context(), "p"))
	go func() { _, _ = store.Number(ctx, endless("busy")) }()
	eventually(t, "the statement runs", func() bool { return running(t, store, "busy") })
	_, err := store.Number(ctx, "SELECT toFloat64(1) AS n")
	cancel()
	got := []string{<-outcomes, <-outcomes}
	if err == nil || !slices.Equal(got, []string{"busy", "canceled"}) {
		t.Errorf("%v, %v", got, err)
	}
}

func TestAServerTellsAboutItself(t *testing.T) {
	t.Parallel()
	address := testkit.Engine(t)
	for name, ask := range map[string]func() (chstore.Server, error){
		"from outside": func() (chstore.Server, error) { return chstore.Inspect(t.Context(), address, "nowhere") },
		"of a store": func() (chstore.Server, error) {
			return open(t, chstore.Config{Nodes: []string{address}}).Server(t.Context())
		},
	} {
		s, err := ask()
		if err != nil || s.Version == "" || time.Since(s.Clock).Abs() > time.Minute || s.DiskFree == 0 || s.DiskSize < s.DiskFree || s.ClusterNodes != 0 {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
}

func TestVersionsThatAreTooOld(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]bool{"26.7.2.1": false, "26.7": false, "26.10.1": false, "27.1": false, "26.6.9": true, "25.12": true, "9.9": true, "": true, "x": true} {
		if got := chstore.TooOld(version); got != want {
			t.Errorf("%q is too old: %t", version, got)
		}
	}
}
