package prompts

import (
	"context"
	"sync"
	"time"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
)

// When to look for changes. A reader starts a look when the last one is older than lookEvery, and waits for
// it when that one is older than trust; so what it gets is at most as old as trust, and who reads often
// never waits.
const (
	lookEvery = 500 * time.Millisecond
	trust     = 900 * time.Millisecond // of the second that is promised
	// lookTimeout is when a look has failed: later its answer would be too old for those who wait for it.
	lookTimeout = trust
	// grace is how long after the last look what is known may be served if looks fail.
	grace = time.Minute
)

// watch keeps a cache true: it drops what other nodes changed. It asks only while somebody reads.
type watch struct {
	store metastore.Prompts
	cache *cache
	ctx   context.Context //nolint:containedctx // the life of looks, which no caller's context bounds; ends with close
	end   context.CancelFunc

	mu       sync.Mutex
	revision int64     // up to which changes are known
	looked   time.Time // when the last look that succeeded began
	tried    time.Time // when the last look began
	failing  bool      // the last look failed
	running  chan struct{}
}

func newWatch(store metastore.Prompts, known *cache) *watch {
	ctx, end := context.WithCancel(context.Background()) //nolint:forbidigo // the look outlives every caller; close ends it
	return &watch{store: store, cache: known, ctx: ctx, end: end}
}

func (w *watch) close() {
	w.end()
	w.mu.Lock()
	running := w.running
	w.mu.Unlock()
	if running != nil {
		<-running
	}
}

// current returns nil once what the cache holds may be served.
func (w *watch) current(ctx context.Context) error {
	good, running := w.state(time.Now()) //nolint:contextcheck // looks go on when this reader leaves
	if good {
		return nil
	}
	if running != nil {
		select {
		case <-running:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failing && time.Since(w.looked) >= grace {
		return fault.Unavailablef("the metadata database does not answer")
	}
	return nil
}

// state reports whether the cache may be served now, starts a look if it is time to, and returns the look
// that is under way.
func (w *watch) state(now time.Time) (good bool, running chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running == nil && now.Sub(w.tried) >= lookEvery {
		w.tried, w.running = now, make(chan struct{})
		go w.look(now, w.revision, w.running)
	}
	age := now.Sub(w.looked)
	return age < trust || w.failing && age < grace, w.running
}

// look asks which projects changed since the revision.
func (w *watch) look(began time.Time, since int64, done chan struct{}) {
	defer close(done)
	ctx, cancel := context.WithTimeout(w.ctx, lookTimeout)
	defer cancel()
	changes, err := w.store.PromptChanges(ctx, since)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running = nil
	if err != nil {
		w.failing = true
		return
	}
	// A database that was away may come back without its last changes, and count on from there.
	if w.failing || changes.Revision < since || len(changes.Projects) >= metastore.MaxPromptChanges {
		w.cache.clear()
	} else {
		w.cache.drop(changes.Projects...)
	}
	w.revision, w.looked, w.failing = changes.Revision, began, false
}
