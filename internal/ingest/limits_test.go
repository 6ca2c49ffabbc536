package ingest

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/sondehq/sonde/internal/fault"
)

func TestBudgetLeavesRoomForOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBudget(100, 50)
		must := func(project string, bytes int64) {
			t.Helper()
			if err := b.take(t.Context(), project, bytes, 0); err != nil {
				t.Errorf("%s, %d bytes: %v", project, bytes, err)
			}
		}
		must("heavy", 30)
		must("heavy", 20)
		if err := b.take(t.Context(), "heavy", 1, time.Second); !fault.Is(err, fault.Unavailable) {
			t.Errorf("beyond its part: %v", err)
		}
		must("light", 40)
		if err := b.take(t.Context(), "other", 11, time.Second); !fault.Is(err, fault.Unavailable) {
			t.Errorf("beyond the total: %v", err)
		}
		must("other", 10)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := b.take(ctx, "other", 1, time.Hour); !errors.Is(err, context.Canceled) {
			t.Errorf("canceled: %v", err)
		}
	})
}

// A project that holds little goes before one that holds much, though it came later.
func TestBudgetServesTheLeastFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBudget(100, 100)
		if err := b.take(t.Context(), "heavy", 100, 0); err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		var order []byte
		var all sync.WaitGroup
		for _, project := range []string{"heavy", "heavy", "light"} {
			all.Go(func() {
				if err := b.take(t.Context(), project, 10, time.Hour); err != nil {
					t.Error(err)
				}
				mu.Lock()
				order = append(order, project[0])
				mu.Unlock()
			})
			synctest.Wait()
		}
		for range 3 {
			b.give("heavy", 10)
			synctest.Wait()
		}
		all.Wait()
		if string(order) != "lhh" {
			t.Errorf("served %s, want the light one first", order)
		}
	})
}

// Whatever is taken, refused and given back, the sum holds, and in the end everything is free.
func TestBudgetNeverGivesMoreThanItHas(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		type step struct {
			project      string
			bytes        int64
			after, holds int
		}
		steps := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) step {
			return step{
				strconv.Itoa(rapid.IntRange(0, 3).Draw(rt, "project")), rapid.Int64Range(1, 50).Draw(rt, "bytes"),
				rapid.IntRange(0, 20).Draw(rt, "after"), rapid.IntRange(0, 20).Draw(rt, "holds"),
			}
		}), 1, 40).Draw(rt, "steps")
		synctest.Test(t, func(t *testing.T) {
			const total, most = 100, 60
			b := newBudget(total, most)
			var mu sync.Mutex
			var sum int64
			held := map[string]int64{}
			note := func(project string, bytes int64) {
				mu.Lock()
				defer mu.Unlock()
				sum += bytes
				held[project] += bytes
				if sum > total || held[project] > most {
					t.Errorf("%d bytes are out, %d of project %s", sum, held[project], project)
				}
			}
			var all sync.WaitGroup
			for _, s := range steps {
				all.Go(func() {
					time.Sleep(time.Duration(s.after) * time.Millisecond)
					if b.take(t.Context(), s.project, s.bytes, 10*time.Millisecond) != nil {
						return
					}
					note(s.project, s.bytes)
					time.Sleep(time.Duration(s.holds) * time.Millisecond)
					note(s.project, -s.bytes)
					b.give(s.project, s.bytes)
				})
			}
			all.Wait()
			if b.free != total || len(b.held) != 0 || len(b.waiting) != 0 {
				t.Errorf("%d free, held %v, %d waiting", b.free, b.held, len(b.waiting))
			}
		})
	})
}
