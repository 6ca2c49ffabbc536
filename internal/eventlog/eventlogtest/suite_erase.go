package eventlogtest

import (
	"bytes"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/eventlog"
)

func eraser(t *testing.T, log eventlog.Log) eventlog.Eraser {
	t.Helper()
	e, ok := log.(eventlog.Eraser)
	if !ok {
		t.Fatal("the log cannot erase")
	}
	return e
}

func mustErase(t *testing.T, log eventlog.Log, e eventlog.Erasure) (eventlog.Erasure, bool) {
	t.Helper()
	next, done, err := eraser(t, log).Erase(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	return next, done
}

func mustBegin(t *testing.T, log eventlog.Log) eventlog.Erasure {
	t.Helper()
	e, err := eraser(t, log).BeginErasure(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// ackAll acknowledges everything that is due, padding too, and returns the rest.
func ackAll(t *testing.T, log eventlog.Log) (records [][]byte) {
	t.Helper()
	for partition := range log.Partitions() {
		for mustStatus(t, log).Pending > 0 {
			deliveries, err := log.Fetch(t.Context(), partition, 100, 64<<20)
			if err != nil {
				t.Fatal(err)
			}
			if len(deliveries) == 0 {
				break
			}
			for _, d := range deliveries {
				if _, kind := eventlog.Owner(d.Record()); kind != eventlog.KindPadding {
					records = append(records, bytes.Clone(d.Record()))
				}
				mustAck(t, d)
			}
		}
	}
	return records
}

// Acknowledged records go, others hold the erasure up, and what comes later stays.
func testErase(t *testing.T, open Open) {
	log := open(t, Options{Partitions: 1, ExtendWithin: held})
	for range 5 {
		mustAppend(t, log, random(100))
	}
	begun := mustBegin(t, log)
	later := random(100)
	mustAppend(t, log, later)
	deliveries := collect(t, log, 6)
	mustAck(t, deliveries[:4]...)
	eventually(t, log, "after 4 acks", func(s eventlog.Status) bool { return s.Pending == 2 })
	begun, done := mustErase(t, log, begun)
	if done || mustStatus(t, log).Pending != 2 {
		t.Fatalf("done %t with a record that is not acknowledged: %+v", done, mustStatus(t, log))
	}
	mustAck(t, deliveries[4])
	eventually(t, log, "after 5 acks", func(s eventlog.Status) bool { return s.Pending == 1 })
	for end := time.Now().Add(patience); !done; begun, done = mustErase(t, log, begun) {
		if time.Now().After(end) {
			t.Fatal("the erasure does not end")
		}
		if mustStatus(t, log).Pending > 1 { // padding behind the record that is held
			mustAck(t, deliveries[5])
			ackAll(t, log)
		}
		pass(10 * time.Millisecond)
	}
	if pos := mustAppend(t, log, []byte("next")); pos.Sequence < 7 {
		t.Errorf("the next record got sequence %d", pos.Sequence)
	}
	if got := ackAll(t, log); len(got) != 1 || string(got[0]) != "next" {
		t.Errorf("delivered afterwards: %q", got)
	}
}

// A log with nothing in it has nothing to erase.
func testEraseNothing(t *testing.T, open Open) {
	log := open(t, Options{Partitions: 2, ExtendWithin: held})
	if _, done := mustErase(t, log, mustBegin(t, log)); !done {
		t.Error("an erasure of nothing is not done")
	}
	mustAppend(t, log, random(10))
	mustAck(t, collect(t, log, 1)...)
	eventually(t, log, "after the ack", nothingPending)
	begun := mustBegin(t, log)
	for end := time.Now().Add(patience); ; pass(10 * time.Millisecond) {
		next, done := mustErase(t, log, begun)
		if begun = next; done {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the erasure does not end")
		}
		ackAll(t, log)
	}
	if s := mustStatus(t, log); s.Records != 0 {
		t.Errorf("%d records are left", s.Records)
	}
}
