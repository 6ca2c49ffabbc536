package datasets

import (
	"context"
	"sync"
)

// turns lets those who want the same go one after the other. Among writers of an item it saves tries, not
// correctness: the store refuses whoever comes second, on this node or another.
type turns struct {
	mu      sync.Mutex
	waiting map[string]*turn
}

type turn struct {
	free  chan struct{} // holds one token
	users int
}

// take waits for the turn of a key and returns how to give it back.
func (t *turns) take(ctx context.Context, key string) (done func(), err error) {
	t.mu.Lock()
	w := t.waiting[key]
	if w == nil {
		w = &turn{free: make(chan struct{}, 1)}
		w.free <- struct{}{}
		t.waiting[key] = w
	}
	w.users++
	t.mu.Unlock()
	leave := func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if w.users--; w.users == 0 {
			delete(t.waiting, key)
		}
	}
	select {
	case <-w.free:
		return func() { w.free <- struct{}{}; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, ctx.Err()
	}
}
