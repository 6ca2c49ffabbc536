package eventlogtest

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/eventlog"
)

func testTrimFloor(t *testing.T, open Open) {
	log := open(t, Options{Partitions: 1, ExtendWithin: 300 * time.Millisecond})
	want := map[eventlog.Position][]byte{}
	for i := range 10 {
		record := fmt.Appendf(nil, "record %d", i)
		want[mustAppend(t, log, record)] = record
	}
	var open5 []byte
	for _, d := range collect(t, log, 10) {
		if d.Position().Sequence == 5 {
			open5 = want[d.Position()]
			continue
		}
		mustAck(t, d)
	}
	s := eventually(t, log, "after 9 acks", func(s eventlog.Status) bool { return s.Pending == 1 })
	if s.Floors[0] != 4 {
		t.Errorf("floor is %d, want 4", s.Floors[0])
	}
	mustTrim(t, log, 0)
	if s := mustStatus(t, log); s.Records != 6 || s.Pending != 1 {
		t.Errorf("after trimming below the floor: %+v, want 6 records, 1 pending", s)
	}
	again := collect(t, log, 1)
	sameRecords(t, map[eventlog.Position][]byte{{Sequence: 5}: open5}, again)
	mustAck(t, again...)
	eventually(t, log, "after the last ack", nothingPending)
	mustTrim(t, log, 0)
	if s := mustStatus(t, log); s.Records != 0 || s.Bytes != 0 || s.Floors[0] != 10 {
		t.Errorf("after trimming everything: %+v, want nothing, floor 10", s)
	}
	if pos := mustAppend(t, log, []byte("next")); pos.Sequence != 11 {
		t.Errorf("the next record got sequence %d, want 11", pos.Sequence)
	}
	mustAck(t, collect(t, log, 1)...)
}

func testTrimKeep(t *testing.T, open Open) {
	log := open(t, Options{Partitions: 1, ExtendWithin: held})
	for range 5 {
		mustAppend(t, log, random(100))
	}
	between := time.Now()
	pass(200 * time.Millisecond)
	for range 5 {
		mustAppend(t, log, random(100))
	}
	mustAck(t, collect(t, log, 10)...)
	eventually(t, log, "after all acks", nothingPending)
	mustTrim(t, log, time.Hour)
	if s := mustStatus(t, log); s.Records != 10 {
		t.Errorf("%d records are kept, all 10 are younger than an hour", s.Records)
	}
	mustTrim(t, log, time.Since(between)-100*time.Millisecond)
	if s := mustStatus(t, log); s.Records != 5 {
		t.Errorf("%d records are kept, want the 5 younger ones", s.Records)
	}
}

func testTrimHalf(t *testing.T, open Open) {
	const capacity, size = 512 << 10, 8 << 10
	log := open(t, Options{Partitions: 1, CapacityBytes: capacity, ExtendWithin: held})
	appendAll := func(n int) {
		for range n {
			mustAppend(t, log, random(size))
		}
		mustAck(t, collect(t, log, n)...)
		eventually(t, log, "after all acks", nothingPending)
		mustTrim(t, log, time.Hour)
	}
	appendAll(28)
	if s := mustStatus(t, log); s.Records != 28 {
		t.Errorf("%d records are kept, 28 fill less than half", s.Records)
	}
	appendAll(20)
	if s := mustStatus(t, log); s.Bytes > capacity/2 || s.Bytes < capacity/2-3*size {
		t.Errorf("%d of %d bytes are kept, want just less than half", s.Bytes, capacity)
	}
}

func testTrimNearlyFull(t *testing.T, open Open) {
	const capacity, size = 512 << 10, 8 << 10
	log := open(t, Options{Partitions: 1, CapacityBytes: capacity, ExtendWithin: held})
	for range 20 {
		mustAppend(t, log, random(size))
	}
	mustAck(t, collect(t, log, 20)...)
	eventually(t, log, "after all acks", nothingPending)
	pending := fill(t, log, size)
	mustTrim(t, log, time.Hour)
	s := mustStatus(t, log)
	if s.Bytes > capacity*7/8 || s.Bytes < capacity*7/8-3*size {
		t.Errorf("%d of %d bytes are kept, want just less than seven eighths", s.Bytes, capacity)
	}
	if s.Pending != uint64(len(pending)) {
		t.Errorf("%d records are pending, want %d", s.Pending, len(pending))
	}
	sameRecords(t, pending, collect(t, log, len(pending)))
}

func testStatus(t *testing.T, open Open) {
	const capacity = 64 << 20
	log := open(t, Options{Partitions: 2, CapacityBytes: capacity, ExtendWithin: held})
	wantStatus(t, log, eventlog.Status{CapacityBytes: capacity, Floors: []uint64{0, 0}})
	for range 10 {
		mustAppend(t, log, random(1000))
	}
	if s := mustStatus(t, log); s.Bytes < 10_000 || s.Bytes > 12_000 {
		t.Errorf("10 records of 1000 bytes are %d bytes", s.Bytes)
	}
	got := collect(t, log, 10)
	byTime := map[eventlog.Position]time.Time{}
	for _, d := range got {
		byTime[d.Position()] = d.AppendedAt()
	}
	oldest := 0
	if byTime[eventlog.Position{Partition: 1, Sequence: 1}].Before(byTime[eventlog.Position{Partition: 0, Sequence: 1}]) {
		oldest = 1
	}
	// What is held and not acknowledged is pending.
	wantStatus(t, log, eventlog.Status{
		Records: 10, CapacityBytes: capacity, Pending: 10, Floors: []uint64{0, 0},
		OldestPending: byTime[eventlog.Position{Partition: oldest, Sequence: 1}],
	})
	for _, d := range got {
		if d.Position().Sequence <= 2 {
			mustAck(t, d)
		}
	}
	eventually(t, log, "after 4 acks", func(s eventlog.Status) bool { return s.Pending == 6 })
	wantStatus(t, log, eventlog.Status{
		Records: 10, CapacityBytes: capacity, Pending: 6, Floors: []uint64{2, 2},
		OldestPending: byTime[eventlog.Position{Partition: oldest, Sequence: 3}],
	})
	mustAck(t, got...)
	eventually(t, log, "after all acks", nothingPending)
	wantStatus(t, log, eventlog.Status{Records: 10, CapacityBytes: capacity, Floors: []uint64{5, 5}})
}

// wantStatus compares all but the bytes, which a log may count with its own overhead.
func wantStatus(t *testing.T, log eventlog.Log, want eventlog.Status) {
	t.Helper()
	got := mustStatus(t, log)
	if want.Records == 0 {
		want.Bytes = 0
	} else {
		want.Bytes = got.Bytes
	}
	if len(got.Parts) != log.Partitions() {
		t.Errorf("the state of %d partitions is told, there are %d", len(got.Parts), log.Partitions())
	}
	var sum eventlog.Part
	for _, part := range got.Parts {
		sum.Pending += part.Pending
		if sum.OldestPending.IsZero() || !part.OldestPending.IsZero() && part.OldestPending.Before(sum.OldestPending) {
			sum.OldestPending = part.OldestPending
		}
	}
	if sum.Pending != want.Pending || !sum.OldestPending.Equal(want.OldestPending) {
		t.Errorf("partitions have %d pending since %s, want %d since %s", sum.Pending, sum.OldestPending, want.Pending, want.OldestPending)
	}
	want.Parts = got.Parts
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("status (-want +got):\n%s", diff)
	}
}
