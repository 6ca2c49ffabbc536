package ingest

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/sondehq/sonde/internal/eventlog"
)

var compareReceipts = cmp.Options{cmp.AllowUnexported(receipt{}, run{}), cmpopts.EquateEmpty()}

func drawPosition(t *rapid.T) eventlog.Position {
	return eventlog.Position{Partition: rapid.IntRange(0, 15).Draw(t, "partition"), Sequence: rapid.Uint64Range(1, 500).Draw(t, "sequence")}
}

func TestReceiptRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		records := rapid.SliceOfNDistinct(rapid.Custom(drawPosition), 0, 2*maxExactRecords, rapid.ID).Draw(t, "records")
		var reasons eventlog.Position
		if rapid.Bool().Draw(t, "rejected") {
			reasons = drawPosition(t)
		}
		at := time.UnixMicro(rapid.Int64Range(0, 1<<52).Draw(t, "at")).UTC()
		want := newReceipt(at, rapid.IntRange(0, 1<<30).Draw(t, "accepted"), rapid.IntRange(0, 1<<30).Draw(t, "rejected"), records, reasons)
		got, err := decodeReceipt(want.encode())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, compareReceipts); diff != "" {
			t.Fatal(diff)
		}
		checkPending(t, got, records, reasons)
	})
}

// checkPending compares with counting record by record.
func checkPending(t *rapid.T, r receipt, records []eventlog.Position, reasons eventlog.Position) {
	if r.loose != (len(records) > maxExactRecords) || !r.loose && len(r.records()) != len(records) {
		t.Fatalf("%d records are named as %d, loose %v", len(records), len(r.records()), r.loose)
	}
	floors := rapid.SliceOfN(rapid.Uint64Range(0, 500), 0, 16).Draw(t, "floors")
	want, partitions := 0, map[int]bool{}
	for _, at := range records {
		if !r.loose && !slices.Contains(r.records(), at) {
			t.Fatalf("record %v is not named", at)
		}
		if at.Sequence > floorOf(floors, at.Partition) {
			want++
			partitions[at.Partition] = true
		}
	}
	if r.loose {
		want = len(partitions)
	}
	if reasons.Sequence > floorOf(floors, reasons.Partition) {
		want++
	}
	if got := r.pending(floors); got != want {
		t.Fatalf("%d pending, want %d", got, want)
	}
}

// A receipt is a header: proxies take 4 KiB of one without complaint.
func TestReceiptsAreSmall(t *testing.T) {
	t.Parallel()
	spread := func(count, partitions int) []eventlog.Position {
		var list []eventlog.Position
		for i := range count {
			list = append(list, eventlog.Position{Partition: i % partitions, Sequence: 1<<35 + uint64(i)*1000})
		}
		return list
	}
	at := time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		records []eventlog.Position
		most    int
	}{
		"one record":               {spread(1, 1), 64},
		"as many as are exact":     {spread(maxExactRecords, 256), 3 << 10},
		"ranges in 256 partitions": {spread(100_000, 256), 4 << 10},
	} {
		r := newReceipt(at, 1<<30, 1<<30, c.records, eventlog.Position{Partition: 255, Sequence: 1 << 40})
		if name == "one record" {
			r = newReceipt(at, 100, 0, c.records, eventlog.Position{})
		}
		text := sealer(make([]byte, 32), "p").Seal(r.encode())
		if len(text) > c.most {
			t.Errorf("%s: %d bytes, want at most %d", name, len(text), c.most)
		}
	}
}

// FuzzDecodeReceipt checks that no bytes cost more than they should, and that what is read is
// written the same. A seal keeps such bytes out; this is for a seal that got lost.
func FuzzDecodeReceipt(f *testing.F) {
	at := eventlog.Position{Partition: 1, Sequence: 7}
	f.Add(newReceipt(time.UnixMicro(1), 2, 3, []eventlog.Position{at}, at).encode())
	f.Add(newReceipt(time.UnixMicro(1), 2, 0, nil, eventlog.Position{}).encode())
	f.Add([]byte{1, 1, 0, 0, 0, 1, 0, 1, 0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Fuzz(func(t *testing.T, content []byte) {
		r, err := decodeReceipt(content)
		if err != nil {
			return
		}
		if n := len(r.records()); n > maxExactRecords*maxExactRecords {
			t.Fatalf("%d records", n)
		}
		if r.pending(nil) < 0 {
			t.Fatal("less than nothing is pending")
		}
		again, err := decodeReceipt(r.encode())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(r, again, compareReceipts); diff != "" {
			t.Fatal(diff)
		}
	})
}
