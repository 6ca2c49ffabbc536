package chstore

import (
	"context"
	"sync"
	"time"

	"github.com/sondehq/sonde/internal/fault"
)

// turns lets statements into the engine: a few at once, and of one project only some of them.
//
// Promise: while a project has as many as it may, others still find room. A statement waits first among
// those of its project, so however many a project sends, no more than its share stand in the way of others.
type turns struct {
	all        chan struct{}
	perProject int
	wait       time.Duration // how long a statement waits before it is told to come again

	mu       sync.Mutex
	projects map[string]*projectTurns
}

// projectTurns are the places of one project, kept while somebody holds or wants one.
type projectTurns struct {
	slots chan struct{}
	users int
}

func newTurns(atOnce, perProject int, wait time.Duration) *turns {
	return &turns{all: make(chan struct{}, atOnce), perProject: perProject, wait: wait, projects: map[string]*projectTurns{}}
}

// take waits for a place. The caller gives it back with leave.
func (t *turns) take(ctx context.Context, project string) (leave func(), err error) {
	mine := t.enter(project)
	patience := time.NewTimer(t.wait)
	defer patience.Stop()
	if err := place(ctx, mine.slots, patience.C); err != nil {
		t.exit(project)
		return nil, err
	}
	if err := place(ctx, t.all, patience.C); err != nil {
		<-mine.slots
		t.exit(project)
		return nil, err
	}
	return func() {
		<-t.all
		<-mine.slots
		t.exit(project)
	}, nil
}

func place(ctx context.Context, slots chan<- struct{}, patience <-chan time.Time) error {
	select {
	case slots <- struct{}{}:
		return nil
	default: // no place at once
	}
	select {
	case slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-patience:
		return fault.Unavailablef("Too many reads are running").Hint("try again in a moment; reads over shorter time ranges make room sooner")
	}
}

func (t *turns) enter(project string) *projectTurns {
	t.mu.Lock()
	defer t.mu.Unlock()
	mine := t.projects[project]
	if mine == nil {
		mine = &projectTurns{slots: make(chan struct{}, t.perProject)}
		t.projects[project] = mine
	}
	mine.users++
	return mine
}

func (t *turns) exit(project string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	mine := t.projects[project]
	if mine.users--; mine.users == 0 {
		delete(t.projects, project)
	}
}
