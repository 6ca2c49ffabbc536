package metastoretest

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

var cellsTests = map[string]func(*testing.T, metastore.Store){
	"move a project":            testMove,
	"steps of a move in order":  testMoveSteps,
	"switch at once":            testSwitchAtOnce,
	"work of projects in cells": testWorkOfCells,
}

func wantPlacement(t *testing.T, store metastore.Store, project string, want model.Placement) {
	t.Helper()
	got, err := store.Placement(t.Context(), project)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("placement: %v (-want +got):\n%s", err, diff)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func testMove(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	wantPlacement(t, store, project, model.Placement{})
	must(t, store.BeginMove(t.Context(), project, "", "b"))
	must(t, store.BeginMove(t.Context(), project, "", "b")) // who was killed begins again
	wantPlacement(t, store, project, model.Placement{Phase: model.Copying, Other: "b"})
	now := time.Now().UTC().Truncate(time.Microsecond)
	must(t, store.HoldProject(t.Context(), project, now.Add(time.Minute)))
	must(t, store.KeepHolding(t.Context(), project, now, now.Add(2*time.Minute)))
	wantPlacement(t, store, project, model.Placement{Phase: model.Copying, Other: "b", HeldUntil: now.Add(2 * time.Minute)})
	must(t, store.SwitchCell(t.Context(), project, "", "b", now, now.Add(2*time.Minute)))
	wantPlacement(t, store, project, model.Placement{Cell: "b", Phase: model.Switched, HeldUntil: now})
	must(t, store.EndMove(t.Context(), project, model.Switched))
	wantPlacement(t, store, project, model.Placement{Cell: "b"})
	if p, err := store.Project(t.Context(), project); err != nil || p.Cell != "b" {
		t.Errorf("the project is in %q, %v", p.Cell, err)
	}
	must(t, store.BeginMove(t.Context(), project, "b", "")) // and back
	must(t, store.HoldProject(t.Context(), project, now.Add(time.Minute)))
	must(t, store.EndMove(t.Context(), project, model.Copying)) // given up: nothing is held any more
	wantPlacement(t, store, project, model.Placement{Cell: "b"})
	if _, err := store.Placement(t.Context(), "none"); !errors.Is(err, metastore.ErrNotFound) {
		t.Errorf("the placement of no project: %v", err)
	}
}

func testMoveSteps(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	ctx, now := t.Context(), time.Now()
	refused := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, metastore.ErrInUse) {
			t.Errorf("%s: %v, want ErrInUse", what, err)
		}
	}
	refused("hold what stays", store.HoldProject(ctx, project, now.Add(time.Minute)))
	refused("switch what stays", store.SwitchCell(ctx, project, "", "b", now, now))
	refused("end no move", store.EndMove(ctx, project, model.Switched))
	refused("move from elsewhere", store.BeginMove(ctx, project, "a", "b"))
	refused("move to where it is", store.BeginMove(ctx, project, "", ""))
	refused("move no project", store.BeginMove(ctx, "none", "", "b"))
	if err := store.BeginMove(ctx, project, "", "No Cell"); !fault.Is(err, fault.Invalid) {
		t.Errorf("a cell with such a name: %v", err)
	}
	must(t, store.BeginMove(ctx, project, "", "b"))
	refused("another target", store.BeginMove(ctx, project, "", "c"))
	refused("switch what is not held", store.SwitchCell(ctx, project, "", "b", now, now))
	refused("keep what is not held", store.KeepHolding(ctx, project, now, now.Add(time.Minute)))
	must(t, store.HoldProject(ctx, project, now.Add(time.Second)))
	refused("hold for less", store.HoldProject(ctx, project, now))
	refused("keep what was let go", store.KeepHolding(ctx, project, now.Add(2*time.Second), now.Add(time.Minute)))
	refused("switch what is not held for long enough", store.SwitchCell(ctx, project, "", "b", now, now.Add(2*time.Second)))
	refused("switch to another target", store.SwitchCell(ctx, project, "", "c", now, now))
	must(t, store.SwitchCell(ctx, project, "", "b", now, now))
	refused("switch twice", store.SwitchCell(ctx, project, "", "b", now, now))
	refused("move on before the end", store.BeginMove(ctx, project, "b", "c"))
	refused("give up what switched", store.EndMove(ctx, project, model.Copying))
	must(t, store.EndMove(ctx, project, model.Switched))
	must(t, store.MarkProjectDeleted(ctx, project))
	refused("move what is being erased", store.BeginMove(ctx, project, "b", "c"))
}

func testSwitchAtOnce(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	must(t, store.BeginMove(t.Context(), project, "", "b"))
	must(t, store.HoldProject(t.Context(), project, time.Now().Add(time.Minute)))
	var switched atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if store.SwitchCell(t.Context(), project, "", "b", time.Now(), time.Now()) == nil {
				switched.Add(1)
			}
		})
	}
	all.Wait()
	if n := switched.Load(); n != 1 {
		t.Errorf("%d switched", n)
	}
}

// What is due is listed for projects of the store's cell alone, and not while they are held.
func testWorkOfCells(t *testing.T, store metastore.Store) {
	project := mustPlant(t, store, Seed("seed")).Project.ID
	must(t, store.CreateAlert(t.Context(), model.Alert{ProjectID: project, ID: "a", Settings: model.AlertSettings{Enabled: true}, NextAt: time.Unix(1, 0)}))
	due := func(when string, want int) {
		t.Helper()
		if list, err := store.DueAlerts(t.Context(), time.Now(), 10); len(list) != want || err != nil {
			t.Errorf("%s: %d alerts are due, %v, want %d", when, len(list), err, want)
		}
	}
	due("while it stays", 1)
	must(t, store.BeginMove(t.Context(), project, "", "b"))
	due("while it is copied", 1)
	must(t, store.HoldProject(t.Context(), project, time.Now().Add(-time.Second)))
	due("when nobody holds it any more", 1)
	must(t, store.HoldProject(t.Context(), project, time.Now().Add(time.Minute)))
	due("while it is held", 0)
	must(t, store.SwitchCell(t.Context(), project, "", "b", time.Now(), time.Now()))
	due("in another cell", 0)
}
