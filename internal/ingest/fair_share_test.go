package ingest

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sondehq/sonde/internal/eventlog"
	"github.com/sondehq/sonde/internal/fault"
)

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// behindFor is the status of a log that is behind, at a floor.
func behindFor(age time.Duration, now time.Time, floors ...uint64) eventlog.Status {
	return eventlog.Status{Floors: floors, OldestPending: now.Add(-age), CapacityBytes: 1 << 30}
}

func TestShares(t *testing.T) {
	t.Parallel()
	s := newShares()
	if s.waiting() {
		t.Error("something waits that nobody appended")
	}
	s.appended("heavy", eventlog.Position{Sequence: 100}, 90<<20)
	if !s.waiting() {
		t.Error("what was appended does not wait")
	}
	s.appended("light", eventlog.Position{Sequence: 101}, 1<<20)
	refused := func(project string) bool { return fault.Is(s.check(project), fault.Unavailable) }

	s.observe(behindFor(time.Second, noon, 0), noon)
	if refused("heavy") || refused("light") {
		t.Error("refused while the store keeps up")
	}
	s.observe(behindFor(3*time.Second, noon, 1), noon)
	if !refused("heavy") || refused("light") || refused("new") {
		t.Errorf("behind: heavy refused %t, light %t, new %t", refused("heavy"), refused("light"), refused("new"))
	}
	// Nothing is stored for a while: the log takes what it has room for.
	now := noon.Add(time.Minute)
	s.observe(behindFor(time.Minute, now, 1), now)
	if refused("heavy") {
		t.Error("an outage of the store is refused to a project that has a tenth of the log")
	}
	s.appended("heavy", eventlog.Position{Sequence: 102}, 300<<20)
	if !refused("heavy") {
		t.Error("a project may fill the log alone")
	}
	// The store is back and has stored the heavy project's records.
	s.observe(behindFor(3*time.Second, now, 100), now)
	s.observe(behindFor(3*time.Second, now, 102), now)
	if refused("heavy") || s.waiting() || s.total != 0 || len(s.pending) != 0 {
		t.Errorf("%d bytes of %d projects are left", s.total, len(s.pending))
	}
}

func TestLoneProjectIsNeverRefused(t *testing.T) {
	t.Parallel()
	s := newShares()
	s.appended("only", eventlog.Position{Sequence: 1}, 1<<30)
	s.observe(behindFor(time.Hour, noon, 0), noon)
	if err := s.check("only"); err != nil {
		t.Error(err)
	}
}

// The accounts end at zero and stay bounded, whatever the order and however long the store is away.
func TestSharesSettle(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := newShares()
		var last [3]uint64
		steps := rapid.IntRange(1, 2000).Draw(t, "steps")
		seed := rapid.Uint64().Draw(t, "seed")
		for i := range steps {
			partition := int(seed>>(i%60)) % 3 & 3 % 3
			last[partition]++
			s.appended(string(rune('a'+i%5)), eventlog.Position{Partition: partition, Sequence: last[partition]}, 1+i%100)
			if i%2 == 0 {
				s.observe(behindFor(time.Second, noon, last[0]/2, last[1]/2, 0), noon)
			}
		}
		for _, p := range s.partitions {
			if len(p.stretches) > maxStretches+1 {
				t.Fatalf("%d stretches are remembered", len(p.stretches))
			}
		}
		s.observe(behindFor(0, noon, last[:]...), noon)
		if s.total != 0 || len(s.pending) != 0 {
			t.Fatalf("%d bytes of %d projects are left", s.total, len(s.pending))
		}
	})
}
