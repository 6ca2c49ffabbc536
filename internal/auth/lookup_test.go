package auth

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// guarded is a store that counts the questions and can be in trouble.
type guarded struct {
	metastore.Store
	questions atomic.Int64
	trouble   func(ctx context.Context) error // nil while all is well
}

func (g *guarded) KeyByPublic(ctx context.Context, publicKey string) (model.Key, error) {
	g.questions.Add(1)
	if g.trouble != nil {
		if err := g.trouble(ctx); err != nil {
			return model.Key{}, err
		}
	}
	return g.Store.KeyByPublic(ctx, publicKey)
}

func TestRevokedKeyIsRefusedWithinASecond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store, seed := planted(t)
		keys := New(store)
		for _, header := range []string{basic("pk:s:ky"), "Bearer pk"} {
			if _, err := keys.Authenticate(t.Context(), header); err != nil {
				t.Fatalf("before the revocation: %v", err)
			}
		}
		if err := store.RevokeKey(t.Context(), seed.Key.ID, time.Now()); err != nil {
			t.Fatal(err)
		}
		for range 100 { // traffic must not keep the key alive
			_, _ = keys.Authenticate(t.Context(), basic("pk:s:ky"))
			time.Sleep(10 * time.Millisecond)
		}
		for _, header := range []string{basic("pk:s:ky"), "Bearer pk"} {
			got, err := keys.Authenticate(t.Context(), header)
			wantRefusal(t, got, err, fault.Unauthenticated, badKey)
		}
	})
}

func TestRevocationDuringASlowAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		memory, seed := planted(t)
		store := &guarded{Store: slow{memory}}
		keys := New(store)
		done := make(chan struct{})
		go func() {
			defer close(done)
			if _, err := keys.Authenticate(t.Context(), basic("pk:s:ky")); err != nil {
				t.Errorf("Authenticate: %v", err)
			}
		}()
		synctest.Wait() // the key is read, the answer on its way
		if err := memory.RevokeKey(t.Context(), seed.Key.ID, time.Now()); err != nil {
			t.Fatal(err)
		}
		<-done
		time.Sleep(lifetime - slowness)
		got, err := keys.Authenticate(t.Context(), basic("pk:s:ky"))
		wantRefusal(t, got, err, fault.Unauthenticated, badKey)
	})
}

const slowness = 900 * time.Millisecond

// slow answers what was true some time ago.
type slow struct{ metastore.Store }

func (s slow) KeyByPublic(ctx context.Context, publicKey string) (model.Key, error) {
	key, err := s.Store.KeyByPublic(ctx, publicKey)
	<-time.After(slowness)
	return key, err
}

func TestHotKeysAskOncePerSecond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		memory, _ := planted(t)
		store := &guarded{Store: memory}
		keys := New(store)
		const seconds = 3
		for range seconds * 100 {
			_, _ = keys.Authenticate(t.Context(), basic("pk:s:ky"))
			_, _ = keys.Authenticate(t.Context(), basic("nobody:s:ky"))
			time.Sleep(10 * time.Millisecond)
		}
		if got := store.questions.Load(); got != 2*seconds {
			t.Errorf("%d questions in %d seconds for two keys", got, seconds)
		}
	})
}

func TestMissesAtOnceAreOneQuestion(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		memory, _ := planted(t)
		release := make(chan struct{})
		store := &guarded{Store: memory, trouble: func(context.Context) error { <-release; return nil }}
		keys := New(store)

		ctx, leave := context.WithCancel(t.Context())
		var group sync.WaitGroup
		group.Go(func() { // the one who asks does not wait for the answer
			got, err := keys.Authenticate(ctx, basic("pk:s:ky"))
			wantRefusal(t, got, err, fault.Unavailable, unavailable)
		})
		synctest.Wait()
		for range 50 {
			group.Go(func() {
				if _, err := keys.Authenticate(t.Context(), basic("pk:s:ky")); err != nil {
					t.Errorf("Authenticate: %v", err)
				}
			})
		}
		synctest.Wait()
		leave()
		synctest.Wait()
		close(release)
		group.Wait()
		if got := store.questions.Load(); got != 1 {
			t.Errorf("%d questions, want 1", got)
		}
	})
}

func TestStoreInTrouble(t *testing.T) {
	t.Parallel()
	down := errors.New("connection refused by 10.0.0.1")
	for name, trouble := range map[string]func(context.Context) error{
		"down":  func(context.Context) error { return fault.Unavailablef("database").Because(down) },
		"bug":   func(context.Context) error { return down },
		"hangs": func(ctx context.Context) error { <-ctx.Done(); return errors.Join(down, ctx.Err()) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				memory, _ := planted(t)
				store := &guarded{Store: memory, trouble: trouble}
				keys := New(store)
				for _, header := range []string{basic("pk:s:ky"), basic("nobody:x"), "Bearer pk"} {
					began := time.Now()
					got, err := keys.Authenticate(t.Context(), header)
					wantRefusal(t, got, err, fault.Unavailable, unavailable)
					if !errors.Is(err, down) {
						t.Errorf("the cause is lost: %v", err)
					}
					if waited := time.Since(began); waited > lifetime {
						t.Errorf("waited %v", waited)
					}
				}
				store.trouble = nil
				if _, err := keys.Authenticate(t.Context(), basic("pk:s:ky")); err != nil {
					t.Errorf("trouble was remembered: %v", err)
				}
			})
		})
	}
}

// A database that is away for less than a minute stops nobody whose key it knew; what it does not know stays unknown.
func TestKeysOutliveTheStore(t *testing.T) {
	t.Parallel()
	for name, trouble := range map[string]func(context.Context) error{
		"down":  func(context.Context) error { return fault.Unavailablef("database") },
		"hangs": func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				memory, seed := planted(t)
				store := &guarded{Store: memory}
				keys := New(store)
				for _, header := range []string{basic("pk:s:ky"), basic("nobody:x")} {
					_, _ = keys.Authenticate(t.Context(), header)
				}
				good := time.Now()
				store.trouble = trouble
				for time.Since(good) < grace-2*lifetime {
					began := time.Now()
					if _, err := keys.Authenticate(t.Context(), basic("pk:s:ky")); err != nil {
						t.Fatalf("after %s: %v", time.Since(good), err)
					}
					if waited := time.Since(began); waited > lifetime {
						t.Errorf("waited %v", waited)
					}
					time.Sleep(100 * time.Millisecond)
				}
				got, err := keys.Authenticate(t.Context(), basic("pk:wrong"))
				wantRefusal(t, got, err, fault.Unauthenticated, badKey)
				got, err = keys.Authenticate(t.Context(), basic("nobody:x"))
				wantRefusal(t, got, err, fault.Unavailable, unavailable)
				time.Sleep(4 * lifetime)
				got, err = keys.Authenticate(t.Context(), basic("pk:s:ky"))
				wantRefusal(t, got, err, fault.Unavailable, unavailable)

				store.trouble = nil
				if err := memory.RevokeKey(t.Context(), seed.Key.ID, time.Now()); err != nil {
					t.Fatal(err)
				}
				got, err = keys.Authenticate(t.Context(), basic("pk:s:ky"))
				wantRefusal(t, got, err, fault.Unauthenticated, badKey)
			})
		})
	}
}

func TestCacheIsBounded(t *testing.T) {
	t.Parallel()
	memory, _ := planted(t)
	store := &guarded{Store: memory}
	keys := New(store)
	most := 0
	for i := range 3 * capacity {
		_, _ = keys.Authenticate(t.Context(), fmt.Sprintf("Bearer stranger-%d", i))
		most = max(most, len(keys.lookup.unknown.younger)+len(keys.lookup.unknown.elder))
	}
	if most > capacity || most < capacity/2 {
		t.Errorf("the cache grew to %d, want at most %d", most, capacity)
	}
	if _, err := keys.Authenticate(t.Context(), basic("pk:s:ky")); err != nil {
		t.Errorf("a valid key after a flood: %v", err)
	}
}

// crowded answers questions about keys that nobody has only when it is let go, as a database does that has much to do.
type crowded struct {
	metastore.Store
	letGo  chan struct{}
	asking atomic.Int32
	most   atomic.Int32
}

func (c *crowded) KeyByPublic(ctx context.Context, publicKey string) (model.Key, error) {
	if publicKey == "pk" {
		return c.Store.KeyByPublic(ctx, publicKey)
	}
	c.most.Store(max(c.most.Load(), c.asking.Add(1)))
	defer c.asking.Add(-1)
	select {
	case <-c.letGo:
		return model.Key{}, metastore.ErrNotFound
	case <-ctx.Done():
		return model.Key{}, ctx.Err()
	}
}

// Whoever tries thousands of keys has a few questions to the store at a time, and drives out no key that is in use.
func TestGuessesAtKeysDoNotKeepOthersFromTheStore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		memory, _ := planted(t)
		store := &crowded{Store: memory, letGo: make(chan struct{})}
		keys := New(store)
		if _, err := keys.Authenticate(t.Context(), basic("pk:s:ky")); err != nil {
			t.Fatal(err)
		}
		var guesses sync.WaitGroup
		for i := range 500 {
			guesses.Go(func() {
				if _, err := keys.Authenticate(t.Context(), basic("guess"+strconv.Itoa(i)+":s:ky")); err == nil {
					t.Error("a guess was let in")
				}
			})
		}
		for range 3 {
			time.Sleep(lifetime + time.Millisecond) // it must be looked up again
			if _, err := keys.Authenticate(t.Context(), basic("pk:s:ky")); err != nil {
				t.Errorf("a key in use while others are guessed: %v", err)
			}
		}
		if most := store.most.Load(); most > strangersAtOnce {
			t.Errorf("%d questions about strangers at once", most)
		}
		close(store.letGo)
		guesses.Wait()
	})
}
