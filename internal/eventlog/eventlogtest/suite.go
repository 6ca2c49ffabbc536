// Package eventlogtest proves that an event log keeps the promises of eventlog.Log, and
// offers Memory, a fake that keeps them, for tests of what stands on the log.
package eventlogtest

import (
	"bytes"
	"context"
	"crypto/rand"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/eventlog"
)

// Options is what a test asks of the log it gets.
type Options struct {
	Partitions     int
	CapacityBytes  uint64
	MaxRecordBytes int
	// DeadLetterBytes bounds the dead letters; 0 means much.
	DeadLetterBytes uint64
	// ExtendWithin is after how long an unacknowledged delivery comes again.
	ExtendWithin time.Duration
}

// Open makes an empty log and closes it when the test ends.
type Open func(t *testing.T, opts Options) eventlog.Log

// Reopener is implemented by logs that outlive their process. Reopen ends the log as it is,
// deliveries unanswered, and opens it again on what it left behind.
type Reopener interface {
	Reopen(t *testing.T) eventlog.Log
}

// patience is how long a test waits for what must happen. Only a failing test waits that long.
const patience = 20 * time.Second

// held is longer than any test: a record delivered under it does not come again by itself.
const held = time.Minute

// Run proves the promises on logs made by open.
func Run(t *testing.T, open Open) {
	tests := []struct {
		name string
		run  func(*testing.T, Open)
	}{
		{"appended records are delivered until acknowledged", testAppendFetchAck},
		{"identical bytes are two records", testIdenticalRecords},
		{"a record may be any bytes", testAnyBytes},
		{"a record too large is refused", testTooLarge},
		{"concurrent appends are all there", testConcurrentAppends},
		{"a fetch keeps its limits", testFetchLimits},
		{"a fetch returns with the first record", testFetchReturnsAtOnce},
		{"a fetch that is canceled loses nothing", testFetchCanceled},
		{"a fetch of an unknown partition fails", testFetchUnknown},
		{"what is not acknowledged is redelivered", testRedelivery},
		{"extending postpones redelivery", testExtend},
		{"no number of deliveries ends a record", testManyDeliveries},
		{"two consumers share the records", testTwoConsumers},
		{"a full log refuses and keeps", testFull},
		{"a log is full when every partition is", testFullEverywhere},
		{"trimming stops at the floor", testTrimFloor},
		{"trimming honors keep", testTrimKeep},
		{"acknowledged records leave half of the log free", testTrimHalf},
		{"trimming makes room in a nearly full log", testTrimNearlyFull},
		{"erased records are gone, later ones are not", testErase},
		{"erasing nothing is done at once", testEraseNothing},
		{"a buried record is a dead letter", testBury},
		{"a dead letter carries any reason", testBuryReasons},
		{"dead letters are listed page by page", testLetterPages},
		{"a project sees its own dead letters", testLetterProjects},
		{"a redriven record comes again", testRedrive},
		{"a letter redriven twice is two records", testRedriveTwice},
		{"a full log keeps the letter", testRedriveFull},
		{"full dead letters keep the record in the log", testLettersFull},
		{"a deleted letter is gone", testDeleteLetter},
		{"a letter that is not there", testNoLetter},
		{"dead letters outlive the process", testLettersReopen},
		{"status counts", testStatus},
		{"a reopened log delivers what was not acknowledged", testReopen},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.run(t, open)
		})
	}
}

func mustAppend(t *testing.T, log eventlog.Log, record []byte) eventlog.Position {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	pos, err := log.Append(ctx, record)
	if err != nil {
		t.Fatalf("append: %v", err)
	}
	return pos
}

func mustAck(t *testing.T, deliveries ...eventlog.Delivery) {
	t.Helper()
	for _, d := range deliveries {
		if err := d.Ack(); err != nil {
			t.Fatalf("ack: %v", err)
		}
	}
}

func mustTrim(t *testing.T, log eventlog.Log, keep time.Duration) {
	t.Helper()
	if err := log.Trim(t.Context(), keep); err != nil {
		t.Fatalf("trim: %v", err)
	}
}

func mustStatus(t *testing.T, log eventlog.Log) eventlog.Status {
	t.Helper()
	s, err := log.Status(t.Context())
	if err != nil {
		t.Fatalf("status: %v", err)
	}
	return s
}

// fetch asks every partition once, waiting at most wait for each.
func fetch(t *testing.T, log eventlog.Log, wait time.Duration) []eventlog.Delivery {
	t.Helper()
	var all []eventlog.Delivery
	for p := range log.Partitions() {
		ctx, cancel := context.WithTimeout(t.Context(), wait)
		got, err := log.Fetch(ctx, p, 1000, 64<<20)
		cancel()
		if err != nil {
			t.Fatalf("fetch from partition %d: %v", p, err)
		}
		all = append(all, got...)
	}
	return all
}

// collect fetches until it has n deliveries.
func collect(t *testing.T, log eventlog.Log, n int) []eventlog.Delivery {
	t.Helper()
	var all []eventlog.Delivery
	for deadline := time.Now().Add(patience); len(all) < n; {
		if time.Now().After(deadline) {
			t.Fatalf("got %d of %d deliveries", len(all), n)
		}
		all = append(all, fetch(t, log, 100*time.Millisecond)...)
	}
	if len(all) > n {
		t.Fatalf("got %d deliveries, want %d", len(all), n)
	}
	return all
}

// mustBeQuiet checks that nothing is delivered for a while.
func mustBeQuiet(t *testing.T, log eventlog.Log, while time.Duration) {
	t.Helper()
	for end := time.Now().Add(while); time.Now().Before(end); {
		if got := fetch(t, log, time.Until(end)/time.Duration(log.Partitions())); len(got) > 0 {
			t.Fatalf("record %v was delivered", got[0].Position())
		}
	}
}

// eventually waits for a status: acknowledgements may take effect later.
func eventually(t *testing.T, log eventlog.Log, what string, ok func(eventlog.Status) bool) eventlog.Status {
	t.Helper()
	for deadline := time.Now().Add(patience); ; {
		s := mustStatus(t, log)
		if ok(s) {
			return s
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: status is still %+v", what, s)
		}
		pass(10 * time.Millisecond)
	}
}

func nothingPending(s eventlog.Status) bool { return s.Pending == 0 }

// pass lets time go by where time itself is what a test is about.
func pass(d time.Duration) { <-time.After(d) }

func random(size int) []byte {
	record := make([]byte, size)
	_, _ = rand.Read(record)
	return record
}

// sameRecords checks that the deliveries are exactly the appended records.
func sameRecords(t *testing.T, want map[eventlog.Position][]byte, got []eventlog.Delivery) {
	t.Helper()
	seen := map[eventlog.Position]bool{}
	for _, d := range got {
		record, ok := want[d.Position()]
		switch {
		case !ok:
			t.Errorf("record %v was never appended", d.Position())
		case seen[d.Position()]:
			t.Errorf("record %v was delivered twice", d.Position())
		case !bytes.Equal(record, d.Record()):
			t.Errorf("record %v: %d bytes differ from the %d appended", d.Position(), len(d.Record()), len(record))
		}
		seen[d.Position()] = true
	}
	if len(seen) != len(want) {
		t.Errorf("%d records were delivered, %d appended", len(seen), len(want))
	}
}
