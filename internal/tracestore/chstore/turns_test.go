package chstore

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/sondehq/sonde/internal/fault"
)

func mustTake(t *testing.T, turns *turns, project string) (leave func()) {
	t.Helper()
	leave, err := turns.take(t.Context(), project)
	if err != nil {
		t.Fatalf("project %s finds no place: %v", project, err)
	}
	return leave
}

// However much one project reads, another finds a place at once.
func TestAProjectLeavesRoom(t *testing.T) {
	t.Parallel()
	turns := newTurns(4, 2, time.Minute)
	held := []func(){mustTake(t, turns, "greedy"), mustTake(t, turns, "greedy")}
	ctx, stop := context.WithCancel(t.Context())
	var waiting errgroup.Group
	for range 50 {
		waiting.Go(func() error {
			leave, err := turns.take(ctx, "greedy")
			if err == nil {
				leave()
			}
			return nil
		})
	}
	for range 2 {
		held = append(held, mustTake(t, turns, "other"))
	}
	impatient, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := turns.take(impatient, "third"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a fifth statement: %v, want the caller's deadline", err)
	}
	stop()
	for _, leave := range held {
		leave()
	}
	if err := waiting.Wait(); err != nil {
		t.Fatal(err)
	}
	if len(turns.projects) != 0 || len(turns.all) != 0 {
		t.Errorf("%d projects and %d places are kept for nobody", len(turns.projects), len(turns.all))
	}
}

func TestWaitingForATurnEnds(t *testing.T) {
	t.Parallel()
	for name, greedy := range map[string]string{"of its own project": "p", "of others": "q"} {
		turns := newTurns(1, 1, 10*time.Millisecond)
		leave := mustTake(t, turns, greedy)
		if _, err := turns.take(t.Context(), "p"); !fault.Is(err, fault.Unavailable) {
			t.Errorf("behind reads %s: %v, want Unavailable", name, err)
		}
		leave()
		mustTake(t, turns, "p")()
		if len(turns.projects) != 0 {
			t.Errorf("%d projects are kept for nobody", len(turns.projects))
		}
	}
}

// Bounds hold under load and every place comes back.
func TestTurnsUnderLoad(t *testing.T) {
	t.Parallel()
	const atOnce, perProject = 5, 2
	turns := newTurns(atOnce, perProject, time.Minute)
	var all atomic.Int32
	var each [4]atomic.Int32
	var load errgroup.Group
	for i := range 400 {
		load.Go(func() error {
			n := i % len(each)
			leave, err := turns.take(t.Context(), strconv.Itoa(n))
			if err != nil {
				return err
			}
			defer leave()
			defer all.Add(-1)
			defer each[n].Add(-1)
			if a, b := all.Add(1), each[n].Add(1); a > atOnce || b > perProject {
				return fmt.Errorf("%d statements at once, %d of one project", a, b)
			}
			return nil
		})
	}
	if err := load.Wait(); err != nil {
		t.Error(err)
	}
	if len(turns.projects) != 0 || len(turns.all) != 0 {
		t.Errorf("%d projects and %d places are kept for nobody", len(turns.projects), len(turns.all))
	}
}
