package ingest

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/sondehq/sonde/internal/fault"
)

// Ten thousand requests of one project wait; one of another is served after at most the work in
// hand and one turn of the heavy project.
func TestLightProjectWaitsForTheWorkInHand(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const turns, worked = 3, 10 * time.Millisecond
		ts := newTurnstile(turns)
		var all sync.WaitGroup
		for range 10_000 {
			all.Go(func() {
				if err := ts.enter(t.Context(), "heavy", time.Hour); err != nil {
					t.Error(err)
					return
				}
				time.Sleep(worked)
				ts.leave()
			})
		}
		synctest.Wait()
		for range 20 {
			began := time.Now()
			if err := ts.enter(t.Context(), "light", time.Hour); err != nil {
				t.Fatal(err)
			}
			if waited := time.Since(began); waited > 2*worked {
				t.Errorf("waited %s, one request takes %s", waited, worked)
			}
			ts.leave()
		}
		all.Wait()
		if ts.free != turns || len(ts.lines) != 0 || len(ts.round) != 0 {
			t.Errorf("%d of %d turns are free, %d lines, %d in the round", ts.free, turns, len(ts.lines), len(ts.round))
		}
	})
}

func TestProjectsTakeTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ts := newTurnstile(1)
		if err := ts.enter(t.Context(), "first", time.Hour); err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		var served []string
		var all sync.WaitGroup
		for _, name := range []string{"a1", "a2", "a3", "b1", "c1", "b2"} {
			all.Go(func() {
				if err := ts.enter(t.Context(), name[:1], time.Hour); err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				served = append(served, name)
				mu.Unlock()
				ts.leave()
			})
			synctest.Wait()
		}
		ts.leave()
		all.Wait()
		if want := []string{"a1", "b1", "c1", "a2", "b2", "a3"}; !slices.Equal(served, want) {
			t.Errorf("served %v, want %v", served, want)
		}
	})
}

func TestWaitIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ts := newTurnstile(1)
		if err := ts.enter(t.Context(), "a", time.Second); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if err := ts.enter(t.Context(), "a", time.Second); !fault.Is(err, fault.Unavailable) || time.Since(began) != time.Second {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := ts.enter(ctx, "b", time.Second); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		ts.leave()
		if ts.free != 1 || len(ts.lines) != 0 || len(ts.round) != 0 {
			t.Errorf("%d free, %d lines, %d in the round", ts.free, len(ts.lines), len(ts.round))
		}
	})
}

// Whatever comes and goes, canceled or not, never more work at once than there are turns, and in
// the end every turn is free again.
func TestTurnsAreNeitherLostNorMultiplied(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		turns := rapid.IntRange(1, 4).Draw(rt, "turns")
		type request struct {
			project       string
			after, cancel int // in milliseconds; 0: never canceled
			work          int
		}
		requests := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) request {
			return request{
				project: strconv.Itoa(rapid.IntRange(0, 3).Draw(rt, "project")), after: rapid.IntRange(0, 20).Draw(rt, "after"),
				cancel: rapid.IntRange(0, 20).Draw(rt, "cancel"), work: rapid.IntRange(0, 10).Draw(rt, "work"),
			}
		}), 1, 40).Draw(rt, "requests")
		synctest.Test(t, func(t *testing.T) {
			ts := newTurnstile(turns)
			var working, served, gaveUp atomic.Int64
			var all sync.WaitGroup
			for _, r := range requests {
				all.Go(func() {
					time.Sleep(time.Duration(r.after) * time.Millisecond)
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					if r.cancel > 0 {
						time.AfterFunc(time.Duration(r.cancel)*time.Millisecond, cancel)
					}
					if ts.enter(ctx, r.project, 15*time.Millisecond) != nil {
						gaveUp.Add(1)
						return
					}
					if n := working.Add(1); n > int64(turns) {
						t.Errorf("%d at work with %d turns", n, turns)
					}
					time.Sleep(time.Duration(r.work) * time.Millisecond)
					working.Add(-1)
					ts.leave()
					served.Add(1)
				})
			}
			all.Wait()
			if ts.free != turns || len(ts.lines) != 0 || len(ts.round) != 0 {
				t.Errorf("%d of %d turns free, %d lines, %d in the round", ts.free, turns, len(ts.lines), len(ts.round))
			}
			if int(served.Load()+gaveUp.Load()) != len(requests) {
				t.Errorf("%d served and %d gave up of %d", served.Load(), gaveUp.Load(), len(requests))
			}
		})
	})
}
