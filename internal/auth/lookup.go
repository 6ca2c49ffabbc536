package auth

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

const (
	// lifetime is how old an answer of the store may get. It also limits the asking: an
	// answer that takes longer would be too old for those who joined the question late.
	lifetime = time.Second
	// capacity bounds the cache, unknown keys included: with keys and names of the greatest
	// length it takes some tens of megabytes.
	capacity = 10_000
	// noteWithin bounds how long a request waits for its key's last use to be written, which is one
	// request a minute of each key.
	noteWithin = 250 * time.Millisecond
)

// answer is what the store said about a public key.
type answer struct {
	key   model.Key // of an unknown key: a decoy
	known bool
	until time.Time
	noted *atomic.Bool // that the key was used
}

func (a answer) valid(now time.Time) bool {
	return a.known && a.key.RevokedAt.IsZero() && a.key.Project.ErasingAt.IsZero() &&
		(a.key.ExpiresAt.IsZero() || now.Before(a.key.ExpiresAt))
}

// lookup finds keys by their public half and remembers what it found, and what it did not.
type lookup struct {
	store   metastore.Store
	decoy   model.Key // has a salt and a hash, but no secret fits
	flights singleflight.Group

	mu sync.RWMutex
	// Two generations bound the cache without a list of ages: when the younger is full, the
	// elder is dropped. A dropped key costs one question more.
	younger, elder map[string]answer
}

func newLookup(store metastore.Store) *lookup {
	salt, hash := Hash(randomSecret())
	return &lookup{
		store:   store,
		decoy:   model.Key{Salt: salt, SecretHash: hash},
		younger: make(map[string]answer),
	}
}

// find fails when the store does not answer or ctx ends. Callers that miss the same key at
// the same time share one question, which does not end with the context of any of them.
func (l *lookup) find(ctx context.Context, public string) (answer, error) {
	if found, ok := l.cached(public); ok {
		return found, nil
	}
	question := l.flights.DoChan(public, func() (any, error) {
		return l.ask(context.WithoutCancel(ctx), public)
	})
	select {
	case <-ctx.Done():
		return answer{}, ctx.Err()
	case result := <-question:
		if result.Err != nil {
			return answer{}, result.Err
		}
		return result.Val.(answer), nil
	}
}

func (l *lookup) ask(ctx context.Context, public string) (answer, error) {
	if found, ok := l.cached(public); ok { // answered between the miss and the question
		return found, nil
	}
	until := time.Now().Add(lifetime) // counts from before the reading: a revocation may follow it at once
	ctx, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	key, err := l.store.KeyByPublic(ctx, public)
	found := answer{key: key, known: true, until: until, noted: new(atomic.Bool)}
	if errors.Is(err, metastore.ErrNotFound) {
		found.key, found.known, err = l.decoy, false, nil
	}
	if err != nil {
		return answer{}, err
	}
	l.remember(public, found)
	return found, nil
}

// used notes the use of a valid key, unless the store knows of one in the last minute. It is for people
// who look for keys that nobody needs: one that cannot be noted now will be soon, and is no reason to
// refuse a request.
func (l *lookup) used(ctx context.Context, found answer) {
	now := time.Now()
	if now.Sub(found.key.LastUsedAt) < metastore.UsedWithin || !found.noted.CompareAndSwap(false, true) {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), noteWithin)
	defer cancel()
	_ = l.store.TouchKey(ctx, found.key.ID, now)
}

func (l *lookup) cached(public string) (answer, bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	found, ok := l.younger[public]
	if !ok {
		found, ok = l.elder[public]
	}
	return found, ok && time.Now().Before(found.until)
}

func (l *lookup) remember(public string, found answer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.younger) >= capacity/2 {
		l.younger, l.elder = make(map[string]answer), l.younger
	}
	l.younger[public] = found
}
