package metastoretest

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
)

var attemptsTests = map[string]func(*testing.T, metastore.Store){
	"attempts":         testAttempts,
	"attempts at once": testAttemptsAtOnce,
	"old attempts":     testAttemptsAreForgotten,
}

func tried(t *testing.T, store metastore.Store, at time.Time, limits ...metastore.AttemptLimit) time.Duration {
	t.Helper()
	wait, err := store.Attempt(t.Context(), at, limits)
	if err != nil {
		t.Fatalf("Attempt: %v", err)
	}
	return wait
}

func testAttempts(t *testing.T, store metastore.Store) {
	one := metastore.AttemptLimit{Subject: "one", Free: 3, Longest: 5 * time.Second}
	many := metastore.AttemptLimit{Subject: "many", Free: 100, Longest: time.Second}
	now := spring
	for i := range 3 {
		if wait := tried(t, store, now, one, many); wait != 0 {
			t.Errorf("attempt %d waits for %v", i, wait)
		}
	}
	for _, longer := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 5 * time.Second, 5 * time.Second} {
		if wait := tried(t, store, now, one, many); wait != longer {
			t.Errorf("the next attempt waits for %v, want %v", wait, longer)
		}
		if wait := tried(t, store, now.Add(longer-time.Microsecond), one, many); wait != time.Microsecond {
			t.Errorf("just before, it waits for %v", wait)
		}
		now = now.Add(longer)
		if wait := tried(t, store, now, one, many); wait != 0 {
			t.Errorf("after %v it waits for %v", longer, wait)
		}
	}
	// What had to wait was counted under no subject: 8 attempts were.
	for i := 8; i < 100; i++ {
		if wait := tried(t, store, now, many); wait != 0 {
			t.Fatalf("attempt %d under the other subject waits for %v", i, wait)
		}
	}
	if wait := tried(t, store, now, many); wait != time.Second {
		t.Errorf("attempt 101 under the other subject waits for %v", wait)
	}
	wantError(t, "LowerAttempts", store.LowerAttempts(t.Context(), "many"), nil)
	if wait := tried(t, store, now, many); wait != 0 {
		t.Errorf("after one was taken back: %v", wait)
	}
	wantError(t, "ForgetAttempts", store.ForgetAttempts(t.Context(), "one", "many", "none"), nil)
	if wait := tried(t, store, now, one, many); wait != 0 {
		t.Errorf("after all were forgotten: %v", wait)
	}
	if _, err := store.Attempt(t.Context(), now, []metastore.AttemptLimit{{Subject: "\xff"}}); !fault.Is(err, fault.Invalid) {
		t.Errorf("Attempt of what is no text = %v", err)
	}
}

func testAttemptsAtOnce(t *testing.T, store metastore.Store) {
	const free, guesses = 5, 24
	limits := []metastore.AttemptLimit{{Subject: "b", Free: free, Longest: time.Hour}, {Subject: "a", Free: 100, Longest: time.Hour}}
	var through atomic.Int32
	var all sync.WaitGroup
	for i := range guesses {
		all.Go(func() {
			order := limits
			if i%2 == 0 { // whoever locks in another order must not wait for ever
				order = []metastore.AttemptLimit{limits[1], limits[0]}
			}
			wait, err := store.Attempt(t.Context(), spring, order)
			if err != nil {
				t.Errorf("Attempt: %v", err)
			}
			if wait == 0 {
				through.Add(1)
			}
		})
	}
	all.Wait()
	if through.Load() != free {
		t.Errorf("%d of %d attempts at once got through, want %d", through.Load(), guesses, free)
	}
}

func testAttemptsAreForgotten(t *testing.T, store metastore.Store) {
	limit := metastore.AttemptLimit{Subject: "s", Free: 1, Longest: 48 * time.Hour}
	for range 12 {
		tried(t, store, spring, limit)
	}
	if wait := tried(t, store, spring, limit); wait != time.Second {
		t.Errorf("the second attempt waits for %v", wait)
	}
	later := spring.Add(metastore.AttemptsLast + time.Microsecond)
	if wait := tried(t, store, later, limit); wait != 0 {
		t.Errorf("a day later it waits for %v", wait)
	}
	wantError(t, "DeleteOldAttempts", store.DeleteOldAttempts(t.Context(), later), nil)
	if wait := tried(t, store, later, limit); wait != time.Second {
		t.Errorf("what is not old was forgotten: %v", wait)
	}
	wantError(t, "DeleteOldAttempts", store.DeleteOldAttempts(t.Context(), later.Add(time.Microsecond)), nil)
	if wait := tried(t, store, later, limit); wait != 0 {
		t.Errorf("what is old was kept: %v", wait)
	}
}
