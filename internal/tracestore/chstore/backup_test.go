package chstore_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/engine"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/testkit"
	"github.com/sondehq/sonde/internal/tracestore"
	"github.com/sondehq/sonde/internal/tracestore/chstore"
)

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}

func all(t *testing.T, store *chstore.Store, project string) []*model.Observation {
	t.Helper()
	rows, err := store.Observations(t.Context(), tracestore.ObservationQuery{ProjectID: project, Limit: 1000, IO: true, Metadata: true})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// nothing is what somebody has who makes a first copy.
func nothing(string, string) bool { return false }

func TestCopyComesBack(t *testing.T) {
	t.Parallel()
	address, stage := testkit.EngineWithBackups(t)
	store := open(t, chstore.Config{Nodes: []string{address}})
	version := model.RowVersion(time.Now(), 0)
	var rows []*model.Observation
	for i := range 60 { // of 60 days, and so of many partitions
		o := row("p", fmt.Sprint("span", i))
		o.TraceID, o.Input, o.Output = fmt.Sprint("trace", i%7), strings.Repeat("in ", 100), fmt.Sprint("out", i)
		o.StartTime, o.Version = o.StartTime.AddDate(0, 0, -i), version+uint64(i)
		rows = append(rows, o)
	}
	if err := store.Insert(t.Context(), rows); err != nil {
		t.Fatal(err)
	}
	if err := store.InsertTombstones(t.Context(), []tracestore.Tombstone{{ProjectID: "p", Kind: tracestore.TraceTombstone, ID: "trace3", Version: version + 1000}}); err != nil {
		t.Fatal(err)
	}
	want := all(t, store, "p")
	if len(want) == 0 || len(want) == len(rows) {
		t.Fatalf("%d of %d rows are to be seen", len(want), len(rows))
	}

	kept := t.TempDir()
	var names []string
	err := store.CopyTo(t.Context(), stage, nothing, func(a tracestore.Archive) error {
		names = append(names, a.Name)
		copyFile(t, a.File, filepath.Join(kept, strings.ReplaceAll(a.Name, "/", "-")))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(stage); err != nil || len(left) > 0 {
		t.Errorf("left in the stage: %v, %v", left, err)
	}
	if spine, texts := slices.Index(names, "observations/structure.tar"), slices.Index(names, "payloads/structure.tar"); spine > texts || names[len(names)-1] != "tombstones/all.tar" {
		t.Errorf("rows must come before texts and tombstones last: %v", names)
	}

	address, stage = testkit.EngineWithBackups(t)
	restored, err := chstore.Open(chstore.Config{Nodes: []string{address}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(restored.Close)
	for _, name := range names {
		err := restored.RestoreFrom(t.Context(), stage, name, func(file string) error {
			copyFile(t, filepath.Join(kept, strings.ReplaceAll(name, "/", "-")), file)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := restored.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, all(t, restored, "p")); diff != "" {
		t.Error(diff)
	}
	// The same rows again, as a replay of the log brings them, change nothing.
	if err := restored.Insert(t.Context(), rows); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, all(t, restored, "p")); diff != "" {
		t.Error(diff)
	}
}

func TestRestoreRefusesForeignNames(t *testing.T) {
	t.Parallel()
	store, err := chstore.Open(chstore.Config{Nodes: []string{"clickhouse://" + engine.User + ":x@127.0.0.1:1"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	for _, name := range []string{"", "observations", "a b/x.tar", "observations; DROP TABLE x/y.tar", "../x.tar", "x/../y.tar", "x/y.tar\n"} {
		if err := store.RestoreFrom(t.Context(), t.TempDir(), name, nil); err == nil || !strings.Contains(err.Error(), "not a name") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// An archive is written again when anything in its partition changed, and only then.
func TestCopyOfWhatChanged(t *testing.T) {
	t.Parallel()
	address, stage := testkit.EngineWithBackups(t)
	store := open(t, chstore.Config{Nodes: []string{address}})
	at := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	insert := func(id string, start time.Time) {
		t.Helper()
		o := row("p", id)
		o.TraceID, o.Input, o.StartTime, o.Version = "trace "+id, "in", start, model.RowVersion(time.Now(), 0)
		if err := store.Insert(t.Context(), []*model.Observation{o}); err != nil {
			t.Fatal(err)
		}
	}
	states := map[string]string{}
	written := func() (names []string) {
		t.Helper()
		err := store.CopyTo(t.Context(), stage, func(name, state string) bool { return state != "" && states[name] == state }, func(a tracestore.Archive) error {
			if a.File != "" {
				names = append(names, a.Name)
			}
			states[a.Name] = a.State
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	insert("a", at)
	insert("b", at.AddDate(0, -2, 0))
	if names := written(); !slices.Contains(names, "payloads/20260504.tar") || !slices.Contains(names, "payloads/20260304.tar") {
		t.Fatalf("the first copy has %v", names)
	}
	quiet := func() {
		t.Helper()
		for end := time.Now().Add(time.Minute); ; { // small parts may be merged for a while, which is a change
			names := written()
			if len(names) == 0 {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("nothing changed, and written were %v", names)
			}
		}
	}
	quiet()
	insert("c", at)
	names := written()
	if !slices.Contains(names, "payloads/20260504.tar") || slices.Contains(names, "payloads/20260304.tar") || slices.Contains(names, "observations/structure.tar") {
		t.Errorf("after a row of one day, written were %v", names)
	}
	gone := tracestore.Tombstone{ProjectID: "p", Kind: tracestore.TraceTombstone, ID: "trace b", Version: model.RowVersion(time.Now().Add(time.Second), 0)}
	if err := store.InsertTombstones(t.Context(), []tracestore.Tombstone{gone}); err != nil {
		t.Fatal(err)
	}
	quiet()
	if err := store.Erase(t.Context(), "p", []tracestore.Tombstone{gone}); err != nil {
		t.Fatal(err)
	}
	// The erased day is no more, and what a copy of it held is not what it holds when it comes again.
	quiet()
	insert("b", at.AddDate(0, -2, 0))
	if names := written(); !slices.Contains(names, "payloads/20260304.tar") {
		t.Errorf("after an erased row came again, written were %v", names)
	}
}
