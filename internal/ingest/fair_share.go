package ingest

import (
	"sync"
	"time"

	"github.com/sondehq/sonde/internal/eventlog"
	"github.com/sondehq/sonde/internal/fault"
)

const (
	// behindAfter is how old the oldest record that is not stored may get before shares count: late
	// enough for a busy store that keeps up, and soon enough for others to read within two seconds.
	behindAfter = time.Second
	// stalledAfter is how long nothing is stored until the log is a buffer for an outage, and not
	// a queue in front of a busy store.
	stalledAfter = 5 * time.Second
	// slackBytes may wait for any project, whatever its share is.
	slackBytes = 1 << 20
	// maxStretches bounds what is remembered of a partition, however long the store is away.
	maxStretches = 128
)

// shares knows which projects the records belong to that are in the log and not stored yet. It
// counts what this node appended since it started.
//
// Promise: while the store is behind, a project with more than its share of what waits is refused
// and the others are taken, so that their records do not queue behind its records. A project that
// sends alone is never refused.
type shares struct {
	mu         sync.Mutex
	partitions map[int]*partitionShares
	pending    map[string]int64
	total      int64

	behind  bool
	allowed int64 // while the store stands still: any project may have so many bytes waiting
	floors  []uint64
	moved   time.Time // when the floors were last seen to move
}

// partitionShares are the records of a partition above its floor, in stretches of sequences.
type partitionShares struct{ stretches []*stretch }

type stretch struct {
	last  uint64 // sequence
	bytes map[string]int64
}

func newShares() *shares {
	return &shares{partitions: map[int]*partitionShares{}, pending: map[string]int64{}, moved: time.Now()}
}

// appended notes a record of a project.
func (s *shares) appended(project string, at eventlog.Position, bytes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.partitions[at.Partition]
	if p == nil {
		p = &partitionShares{}
		s.partitions[at.Partition] = p
	}
	if len(p.stretches) == 0 {
		p.stretches = append(p.stretches, &stretch{bytes: map[string]int64{}})
	}
	current := p.stretches[len(p.stretches)-1]
	current.last = max(current.last, at.Sequence)
	current.bytes[project] += int64(bytes)
	s.pending[project] += int64(bytes)
	s.total += int64(bytes)
}

func (s *shares) waiting() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.total > 0
}

// observe takes what is stored off the accounts.
func (s *shares) observe(status eventlog.Status, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for partition, floor := range status.Floors {
		if partition >= len(s.floors) || s.floors[partition] != floor {
			s.moved = now
		}
		if p := s.partitions[partition]; p != nil {
			s.settle(p, floor)
		}
	}
	s.floors = status.Floors
	s.behind = !status.OldestPending.IsZero() && now.Sub(status.OldestPending) > behindAfter
	s.allowed = 0
	if now.Sub(s.moved) > stalledAfter {
		s.allowed = int64(status.CapacityBytes / 4)
	}
}

// settle forgets stretches up to the floor and begins a new one, so that the accounts are as fine
// as the observations are frequent.
func (s *shares) settle(p *partitionShares, floor uint64) {
	for len(p.stretches) > 0 && p.stretches[0].last <= floor {
		for project, bytes := range p.stretches[0].bytes {
			s.total -= bytes
			if s.pending[project] -= bytes; s.pending[project] <= 0 {
				delete(s.pending, project)
			}
		}
		p.stretches = p.stretches[1:]
	}
	if len(p.stretches) > maxStretches {
		p.halve()
	}
	if n := len(p.stretches); n > 0 && len(p.stretches[n-1].bytes) > 0 {
		p.stretches = append(p.stretches, &stretch{bytes: map[string]int64{}})
	}
}

// halve joins every two neighbors: what is old is known more coarsely.
func (p *partitionShares) halve() {
	var joined []*stretch
	for i := 0; i < len(p.stretches); i += 2 {
		into := p.stretches[i]
		if i+1 < len(p.stretches) {
			next := p.stretches[i+1]
			into.last = max(into.last, next.last)
			for project, bytes := range next.bytes {
				into.bytes[project] += bytes
			}
		}
		joined = append(joined, into)
	}
	p.stretches = joined
}

// check refuses a project that has more than its share of what waits.
func (s *shares) check(project string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.behind || len(s.pending) < 2 {
		return nil
	}
	share := s.total / int64(len(s.pending))
	if held := s.pending[project]; held > share+share/4 && held > slackBytes && held > s.allowed {
		return fault.Unavailablef("the store is behind, and much of what waits for it is of this project").Hint(retryHint)
	}
	return nil
}
