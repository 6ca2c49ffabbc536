package ingest

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/sondehq/sonde/internal/fault"
)

// budget bounds the bytes that request bodies hold together.
//
// Promise: what was given out never exceeds the total, and one project never holds more than its
// part of it. Bytes that come back go first to the waiting project that holds the fewest.
type budget struct {
	mu      sync.Mutex
	free    int64
	most    int64 // one project
	held    map[string]int64
	waiting []*claim // in the order they came
}

type claim struct {
	project string
	bytes   int64
	granted chan struct{} // closed when the bytes are given
	given   bool          // says the same, under the lock
}

func newBudget(total, most int64) *budget {
	return &budget{free: total, most: most, held: map[string]int64{}}
}

// take waits until bytes more are given to a project, at most within the given time.
func (b *budget) take(ctx context.Context, project string, bytes int64, within time.Duration) error {
	c := b.claim(project, bytes)
	if c == nil {
		return nil
	}
	timer := time.NewTimer(within)
	defer timer.Stop()
	var err error
	select {
	case <-c.granted:
		return nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-timer.C:
		err = fault.Unavailablef("there is no memory left for this request").Hint(retryHint)
	}
	b.giveUp(c)
	return err
}

// claim takes bytes at once and returns nil, or gets in line.
func (b *budget) claim(project string, bytes int64) *claim {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := &claim{project: project, bytes: bytes, granted: make(chan struct{})}
	if len(b.waiting) == 0 && bytes <= b.free && b.allows(c) {
		b.grant(c)
		return nil
	}
	b.waiting = append(b.waiting, c)
	b.share() // those who wait may be held up by their own part only
	return c
}

// allows reports whether a claim stays within its project's part. Who holds nothing may always
// have one body.
func (b *budget) allows(c *claim) bool {
	held := b.held[c.project]
	return held == 0 || held+c.bytes <= b.most
}

func (b *budget) grant(c *claim) {
	b.free -= c.bytes
	b.held[c.project] += c.bytes
	c.given = true
	close(c.granted)
}

// give returns bytes and serves who waits for them.
func (b *budget) give(project string, bytes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.free += bytes
	if b.held[project] -= bytes; b.held[project] <= 0 {
		delete(b.held, project)
	}
	b.share()
}

// share serves waiting claims until the next one does not fit.
func (b *budget) share() {
	for {
		next := -1
		for i, c := range b.waiting {
			if b.allows(c) && (next < 0 || b.held[c.project] < b.held[b.waiting[next].project]) {
				next = i
			}
		}
		if next < 0 || b.waiting[next].bytes > b.free {
			return
		}
		b.grant(b.waiting[next])
		b.waiting = slices.Delete(b.waiting, next, next+1)
	}
}

func (b *budget) giveUp(c *claim) {
	b.mu.Lock()
	given := c.given
	if !given {
		at := slices.Index(b.waiting, c)
		b.waiting = slices.Delete(b.waiting, at, at+1)
		b.share() // it may have been the one that did not fit
	}
	b.mu.Unlock()
	if given {
		b.give(c.project, c.bytes)
	}
}
