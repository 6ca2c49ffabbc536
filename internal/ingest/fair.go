package ingest

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/sondehq/sonde/internal/fault"
)

// turnstile lets a fixed number of requests work at once. Those that wait are served round robin
// by project and, within a project, in the order they came.
//
// Promise: a request waits for the work in hand and for one request of each other project that
// waits, however many requests those projects have waiting. A turn is never lost: a waiter that
// leaves passes on a turn that reached it meanwhile.
type turnstile struct {
	mu    sync.Mutex
	free  int
	lines map[string]*line
	round []*line // the lines with waiters, the next one to be served first
}

// line is where the requests of one project wait.
type line struct {
	project string
	waiters []*waiter
}

type waiter struct {
	turn  chan struct{} // closed when the turn has come
	taken bool          // says the same, under the lock
}

func newTurnstile(turns int) *turnstile {
	return &turnstile{free: turns, lines: map[string]*line{}}
}

// enter waits for a turn, at most within the given time. Who got one must call leave.
func (t *turnstile) enter(ctx context.Context, project string, within time.Duration) error {
	w := t.join(project)
	if w == nil {
		return nil
	}
	timer := time.NewTimer(within)
	defer timer.Stop()
	var err error
	select {
	case <-w.turn:
		return nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-timer.C:
		err = fault.Unavailablef("too many requests are waiting").Hint(retryHint)
	}
	t.giveUp(project, w)
	return err
}

// retryHint tells clients that a refusal has no consequence but time.
const retryHint = "send again; nothing of this request was lost or has to be changed"

// join takes a free turn and returns nil, or gets in line.
func (t *turnstile) join(project string) *waiter {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.free > 0 {
		t.free--
		return nil
	}
	l := t.lines[project]
	if l == nil {
		l = &line{project: project}
		t.lines[project] = l
		t.round = append(t.round, l)
	}
	w := &waiter{turn: make(chan struct{})}
	l.waiters = append(l.waiters, w)
	return w
}

// leave ends a turn: the next project in the round gets it.
func (t *turnstile) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pass()
}

// pass hands a turn to the next waiter, or keeps it free.
func (t *turnstile) pass() {
	if len(t.round) == 0 {
		t.free++
		return
	}
	l := t.round[0]
	w := l.waiters[0]
	l.waiters = l.waiters[1:]
	t.round = t.round[1:]
	if len(l.waiters) > 0 {
		t.round = append(t.round, l)
	} else {
		delete(t.lines, l.project)
	}
	w.taken = true
	close(w.turn)
}

// giveUp takes a waiter out of its line.
func (t *turnstile) giveUp(project string, w *waiter) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if w.taken {
		t.pass()
		return
	}
	l := t.lines[project]
	at := slices.Index(l.waiters, w)
	l.waiters = slices.Delete(l.waiters, at, at+1)
	if len(l.waiters) == 0 {
		delete(t.lines, project)
		at := slices.Index(t.round, l)
		t.round = slices.Delete(t.round, at, at+1)
	}
}
