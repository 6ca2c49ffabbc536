package eventlogtest

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/eventlog"
)

func testAppendFetchAck(t *testing.T, open Open) {
	log := open(t, Options{Partitions: 3, ExtendWithin: held})
	before := time.Now()
	want := map[eventlog.Position][]byte{}
	for i := range 30 {
		record := fmt.Appendf(nil, "record %d", i)
		want[mustAppend(t, log, record)] = record
	}
	if len(want) != 30 {
		t.Fatalf("30 appends gave %d positions", len(want))
	}
	got := collect(t, log, 30)
	sameRecords(t, want, got)
	used := map[int]bool{}
	for _, d := range got {
		if at := d.AppendedAt(); at.Before(before.Add(-time.Second)) || at.After(time.Now().Add(time.Second)) {
			t.Errorf("record %v was appended at %v, it says", d.Position(), at)
		}
		if d.Position().Sequence == 0 {
			t.Errorf("sequences start at 1: %v", d.Position())
		}
		used[d.Position().Partition] = true
	}
	if len(used) != log.Partitions() {
		t.Errorf("30 appends used %d of %d partitions", len(used), log.Partitions())
	}
	mustAck(t, got...)
	eventually(t, log, "after all acks", nothingPending)
	mustBeQuiet(t, log, 100*time.Millisecond)
}

func testIdenticalRecords(t *testing.T, open Open) {
	log := open(t, Options{Partitions: 1, ExtendWithin: held})
	record := []byte("the same bytes")
	first, second := mustAppend(t, log, record), mustAppend(t, log, record)
	if first == second {
		t.Fatalf("both appends got position %v", first)
	}
	sameRecords(t, map[eventlog.Position][]byte{first: record, second: record}, collect(t, log, 2))
}

func testAnyBytes(t *testing.T, open Open) {
	log := open(t, Options{Partitions: 2, ExtendWithin: held})
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	want := map[eventlog.Position][]byte{}
	for _, record := range [][]byte{
		{},
		{0},
		every, []byte("\r\n"), []byte("NATS/1.0 404\r\n\r\n"), []byte("+ACK"),
		[]byte("PUB a 1\r\nx\r\n"), []byte("*.>"), bytes.Repeat([]byte{0xff}, 70_000), random(300_000),
	} {
		want[mustAppend(t, log, record)] = record
	}
	sameRecords(t, want, collect(t, log, len(want)))
}

func testTooLarge(t *testing.T, open Open) {
	log := open(t, Options{Partitions: 1, MaxRecordBytes: 100_000, ExtendWithin: held})
	if log.MaxRecordBytes() > 100_000 {
		t.Errorf("takes %d bytes, asked for at most 100000", log.MaxRecordBytes())
	}
	if _, err := log.Append(t.Context(), make([]byte, log.MaxRecordBytes()+1)); !errors.Is(err, eventlog.ErrTooLarge) {
		t.Fatalf("a record one byte too large: %v", err)
	}
	record := random(log.MaxRecordBytes())
	pos := mustAppend(t, log, record)
	sameRecords(t, map[eventlog.Position][]byte{pos: record}, collect(t, log, 1))
}

func testConcurrentAppends(t *testing.T, open Open) {
	log := open(t, Options{Partitions: 4, ExtendWithin: held})
	const appenders, each = 8, 50
	var mu sync.Mutex
	want := map[eventlog.Position][]byte{}
	var wg sync.WaitGroup
	for a := range appenders {
		wg.Go(func() {
			for i := range each {
				record := fmt.Appendf(nil, "record %d of appender %d", i, a)
				pos, err := log.Append(t.Context(), record)
				if err != nil {
					t.Errorf("append: %v", err)
					return
				}
				mu.Lock()
				want[pos] = record
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if len(want) != appenders*each {
		t.Fatalf("%d appends gave %d positions", appenders*each, len(want))
	}
	sameRecords(t, want, collect(t, log, len(want)))
}

// fill appends records of size bytes until the log refuses, and returns them.
func fill(t *testing.T, log eventlog.Log, size int) map[eventlog.Position][]byte {
	t.Helper()
	stored := map[eventlog.Position][]byte{}
	for range 10_000 {
		record := random(size)
		pos, err := log.Append(t.Context(), record)
		if errors.Is(err, eventlog.ErrFull) {
			return stored
		}
		if err != nil {
			t.Fatalf("append: %v", err)
		}
		stored[pos] = record
	}
	t.Fatal("the log never filled")
	return nil
}

func testFull(t *testing.T, open Open) {
	log := open(t, Options{Partitions: 1, CapacityBytes: 256 << 10, ExtendWithin: held})
	stored := fill(t, log, 8<<10)
	if len(stored) < 24 || len(stored) > 32 {
		t.Errorf("256 KiB took %d records of 8 KiB", len(stored))
	}
	got := collect(t, log, len(stored))
	sameRecords(t, stored, got)
	mustTrim(t, log, 0)
	if _, err := log.Append(t.Context(), random(8<<10)); !errors.Is(err, eventlog.ErrFull) {
		t.Fatalf("nothing is acknowledged, yet an append returns %v", err)
	}
	mustAck(t, got...)
	eventually(t, log, "after all acks", nothingPending)
	mustTrim(t, log, 0)
	record := random(8 << 10)
	pos := mustAppend(t, log, record)
	sameRecords(t, map[eventlog.Position][]byte{pos: record}, collect(t, log, 1))
}

func testFullEverywhere(t *testing.T, open Open) {
	log := open(t, Options{Partitions: 3, CapacityBytes: 384 << 10, ExtendWithin: held})
	stored := fill(t, log, 8<<10)
	perPartition := map[int]int{}
	for pos := range stored {
		perPartition[pos.Partition]++
	}
	for p := range 3 {
		if n := perPartition[p]; n < 12 || n > 16 {
			t.Errorf("partition %d of 128 KiB took %d records of 8 KiB", p, n)
		}
	}
	got := collect(t, log, len(stored))
	sameRecords(t, stored, got)
	for _, d := range got {
		if d.Position().Partition == 1 {
			mustAck(t, d)
		}
	}
	eventually(t, log, "after the acks of partition 1", func(s eventlog.Status) bool {
		return s.Pending == uint64(len(stored)-perPartition[1])
	})
	mustTrim(t, log, 0)
	if pos := mustAppend(t, log, random(8<<10)); pos.Partition != 1 {
		t.Errorf("only partition 1 has room, the record went to %d", pos.Partition)
	}
}
