package eventlogtest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/eventlog"
)

func testFetchLimits(t *testing.T, open Open) {
	log := open(t, Options{Partitions: 1, MaxRecordBytes: 64 << 10, ExtendWithin: held})
	for range 10 {
		mustAppend(t, log, random(32<<10))
	}
	get := func(maxRecords, maxBytes int) int {
		got, err := log.Fetch(t.Context(), 0, maxRecords, maxBytes)
		if err != nil {
			t.Fatalf("fetch: %v", err)
		}
		return len(got)
	}
	if n := get(3, 64<<20); n < 1 || n > 3 {
		t.Errorf("a fetch of at most 3 records returned %d", n)
	}
	if n := get(100, 1); n < 1 || n > 3 {
		t.Errorf("a fetch of about 1 byte returned %d records of 32 KiB", n)
	}
	if n := get(100, 64<<20); n < 1 {
		t.Error("nothing left for the last fetch")
	}
}

func testFetchReturnsAtOnce(t *testing.T, open Open) {
	log := open(t, Options{Partitions: 1, ExtendWithin: held})
	for i := range 5 {
		fetched := make(chan []eventlog.Delivery, 1)
		go func() {
			defer close(fetched)
			for range 100 {
				got, err := log.Fetch(t.Context(), 0, 1000, 64<<20)
				if err != nil {
					t.Errorf("fetch: %v", err)
					return
				}
				if len(got) > 0 {
					fetched <- got
					return
				}
			}
		}()
		if i%2 == 1 {
			pass(20 * time.Millisecond) // now the fetch waits, before it may not yet
		}
		appended := time.Now()
		mustAppend(t, log, []byte("one"))
		select {
		case got := <-fetched:
			if len(got) != 1 {
				t.Fatalf("fetched %d records, want 1", len(got))
			}
			if took := time.Since(appended); took > 2*time.Second {
				t.Errorf("a waiting fetch returned %v after the append", took)
			}
		case <-time.After(patience):
			t.Fatal("a waiting fetch does not return with the first record")
		}
	}
}

// testFetchCanceled ends fetches at every moment. A record that the log had already handed to
// a fetch that ended would stay away until it is due again, which here is never.
func testFetchCanceled(t *testing.T, open Open) {
	log := open(t, Options{Partitions: 1, ExtendWithin: held})
	const records = 300
	var appended sync.WaitGroup
	appended.Go(func() {
		for i := range records {
			if _, err := log.Append(t.Context(), fmt.Appendf(nil, "record %d", i)); err != nil {
				t.Errorf("append: %v", err)
				return
			}
		}
	})
	seen := map[eventlog.Position]bool{}
	for deadline := time.Now().Add(patience); len(seen) < records; {
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d records came", len(seen), records)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(len(seen)%20)*100*time.Microsecond)
		got, err := log.Fetch(ctx, 0, 5, 64<<20)
		cancel()
		if err != nil {
			t.Fatalf("fetch: %v", err)
		}
		for _, d := range got {
			if seen[d.Position()] {
				t.Errorf("record %v was delivered twice", d.Position())
			}
			seen[d.Position()] = true
		}
		if len(got) == 0 {
			got = fetch(t, log, 20*time.Millisecond)
			for _, d := range got {
				seen[d.Position()] = true
			}
		}
	}
	appended.Wait()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	start := time.Now()
	if got, err := log.Fetch(ctx, 0, 1, 1); err != nil || len(got) > 0 || time.Since(start) > 2*time.Second {
		t.Errorf("a fetch with an ended context returned %d, %v after %v", len(got), err, time.Since(start))
	}
}

func testFetchUnknown(t *testing.T, open Open) {
	log := open(t, Options{Partitions: 2})
	for _, p := range []int{-1, 2} {
		if _, err := log.Fetch(t.Context(), p, 1, 1); err == nil {
			t.Errorf("a fetch from partition %d of 2 succeeds", p)
		}
	}
}

func testRedelivery(t *testing.T, open Open) {
	const within = 500 * time.Millisecond
	log := open(t, Options{Partitions: 1, ExtendWithin: within})
	record := random(1000)
	pos := mustAppend(t, log, record)
	asked := time.Now()
	first := collect(t, log, 1)
	again := collect(t, log, 1)
	if took := time.Since(asked); took < within*9/10 {
		t.Errorf("the record came again after %v, while it was held for %v", took, within)
	}
	sameRecords(t, map[eventlog.Position][]byte{pos: record}, again)
	mustAck(t, first...) // the older delivery's ack counts as well
	eventually(t, log, "after the ack", nothingPending)
	mustBeQuiet(t, log, 2*within)
}

func testExtend(t *testing.T, open Open) {
	const within = time.Second
	log := open(t, Options{Partitions: 1, ExtendWithin: within})
	pos := mustAppend(t, log, []byte("slow"))
	d := collect(t, log, 1)[0]
	for range 10 {
		if err := d.Extend(); err != nil {
			t.Fatalf("extend: %v", err)
		}
		mustBeQuiet(t, log, within/4)
	}
	if again := collect(t, log, 1)[0]; again.Position() != pos {
		t.Errorf("record %v came again, want %v", again.Position(), pos)
	}
}

func testManyDeliveries(t *testing.T, open Open) {
	log := open(t, Options{Partitions: 1, ExtendWithin: 20 * time.Millisecond})
	record := []byte("stubborn")
	pos := mustAppend(t, log, record)
	var last []eventlog.Delivery
	for range 51 {
		last = collect(t, log, 1)
		sameRecords(t, map[eventlog.Position][]byte{pos: record}, last)
	}
	mustAck(t, last...)
	eventually(t, log, "after the ack", nothingPending)
	mustBeQuiet(t, log, 100*time.Millisecond)
}

func testTwoConsumers(t *testing.T, open Open) {
	log := open(t, Options{Partitions: 2, ExtendWithin: held})
	const records = 400
	var mu sync.Mutex
	times := map[eventlog.Position]int{}
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	var wg sync.WaitGroup
	for consumer := range 4 {
		wg.Go(func() {
			for ctx.Err() == nil {
				got, err := log.Fetch(ctx, consumer%2, 7, 64<<20)
				if err != nil && ctx.Err() == nil {
					t.Errorf("fetch: %v", err)
					return
				}
				mu.Lock()
				for _, d := range got {
					times[d.Position()]++
				}
				if len(times) == records {
					stop()
				}
				mu.Unlock()
			}
		})
	}
	for range records {
		mustAppend(t, log, []byte("shared"))
	}
	wg.Wait()
	if len(times) != records {
		t.Errorf("%d of %d records were delivered", len(times), records)
	}
	for pos, n := range times {
		if n > 1 {
			t.Errorf("record %v was delivered %d times while it was held", pos, n)
		}
	}
}

func testReopen(t *testing.T, open Open) {
	log := open(t, Options{Partitions: 2, ExtendWithin: 500 * time.Millisecond})
	durable, ok := log.(Reopener)
	if !ok {
		return // a log that ends with its process
	}
	want := map[eventlog.Position][]byte{}
	for range 20 {
		record := random(500)
		want[mustAppend(t, log, record)] = record
	}
	got := collect(t, log, 20)
	mustAck(t, got[0])
	delete(want, got[0].Position())
	if err := log.Bury(t.Context(), got[1], "bad"); err != nil {
		t.Fatalf("bury: %v", err)
	}
	delete(want, got[1].Position())
	eventually(t, log, "after two acks", func(s eventlog.Status) bool { return s.Pending == 18 })

	log = durable.Reopen(t)
	record := random(500)
	pos := mustAppend(t, log, record)
	if pos.Sequence <= 10 {
		t.Errorf("position %v was given twice", pos)
	}
	want[pos] = record
	seen := map[eventlog.Position]eventlog.Delivery{}
	for deadline := time.Now().Add(patience); len(seen) < len(want); {
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d records came again", len(seen), len(want))
		}
		for _, d := range fetch(t, log, 100*time.Millisecond) {
			if _, ok := want[d.Position()]; ok { // an ack above the floor may be forgotten
				seen[d.Position()] = d
			}
			mustAck(t, d)
		}
	}
	var all []eventlog.Delivery
	for _, d := range seen {
		all = append(all, d)
	}
	sameRecords(t, want, all)
	if s := mustStatus(t, log); s.DeadLetters != 1 || s.Records != 21 {
		t.Errorf("after reopening: %+v, want 21 records and 1 dead letter", s)
	}
}
