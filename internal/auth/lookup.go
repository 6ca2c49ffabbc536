package auth

import (
	"context"
	"errors"
	"fmt"
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
	// grace is how long after the last answer a key that was good still is while the store does not answer: a database that
	// is started again, or fails over, must not stop what comes in.
	grace = time.Minute
	// capacity bounds the cache, of keys that are and of keys that are not, each: with keys and names of
	// the greatest length it takes some tens of megabytes.
	capacity = 10_000
	// strangersAtOnce is how many keys that were not seen lately the store is asked for at once: whoever tries
	// many does not keep the others from it.
	strangersAtOnce = 4
	// noteWithin bounds how long a request waits for its key's last use to be written, which is one
	// request a minute of each key.
	noteWithin = 250 * time.Millisecond
)

// answer is what the store said about a public key.
type answer struct {
	key   model.Key // of an unknown key: a decoy
	known bool
	said  time.Time // when the store was asked
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

	strangers chan struct{} // the places of questions about them

	mu sync.RWMutex
	// Keys that do not exist lie apart: however many are tried, they drive out none that does.
	known, unknown generations
}

// generations bound a cache without a list of ages: when the younger is full, the elder is dropped. A dropped key
// costs one question more.
type generations struct{ younger, elder map[string]answer }

func (g *generations) get(public string) (answer, bool) {
	found, ok := g.younger[public]
	if !ok {
		found, ok = g.elder[public]
	}
	return found, ok
}

func (g *generations) put(public string, found answer) {
	if g.younger == nil || len(g.younger) >= capacity/2 {
		g.younger, g.elder = make(map[string]answer), g.younger
	}
	g.younger[public] = found
}

func (g *generations) drop(public string) {
	delete(g.younger, public)
	delete(g.elder, public)
}

func newLookup(store metastore.Store) *lookup {
	salt, hash := Hash(randomSecret())
	return &lookup{
		store:     store,
		decoy:     model.Key{Salt: salt, SecretHash: hash},
		strangers: make(chan struct{}, strangersAtOnce),
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
	began := time.Now()
	until := began.Add(lifetime) // counts from before the reading: a revocation may follow it at once
	ctx, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	if !l.seen(public) {
		select {
		case l.strangers <- struct{}{}:
			defer func() { <-l.strangers }()
		case <-ctx.Done():
			return answer{}, fmt.Errorf("too many keys are tried that nobody knows: %w", ctx.Err())
		}
	}
	key, err := l.store.KeyByPublic(ctx, public)
	found := answer{key: key, known: true, said: began, until: until, noted: new(atomic.Bool)}
	if errors.Is(err, metastore.ErrNotFound) {
		found.key, found.known, err = l.decoy, false, nil
	}
	if err != nil {
		return l.outlive(public, err)
	}
	l.remember(public, found)
	return found, nil
}

// outlive answers for a store that does not, with what it said last, if that was not long ago. Nobody waits for it again
// within the next second.
func (l *lookup) outlive(public string, because error) (answer, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	last, ok := l.known.get(public)
	now := time.Now()
	if !ok || now.Sub(last.said) >= grace {
		return answer{}, because
	}
	last.until = now.Add(lifetime)
	l.known.put(public, last)
	return last, nil
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
	found, ok := l.known.get(public)
	if !ok {
		found, ok = l.unknown.get(public)
	}
	return found, ok && time.Now().Before(found.until)
}

// seen reports whether there was such a key when it was looked for last.
func (l *lookup) seen(public string) bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	_, ok := l.known.get(public)
	return ok
}

func (l *lookup) remember(public string, found answer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if found.known {
		l.known.put(public, found)
		return
	}
	l.known.drop(public)
	l.unknown.put(public, found)
}
