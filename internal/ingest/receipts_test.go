package ingest_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/eventlog"
	"github.com/sondehq/sonde/internal/eventlog/eventlogtest"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/ingest"
	"github.com/sondehq/sonde/internal/tracestore"
)

// reasons keeps rejections in memory.
type reasons struct {
	list []tracestore.Rejection
	err  error
}

func (r *reasons) InsertRejections(_ context.Context, list []tracestore.Rejection) error {
	r.list = append(r.list, list...)
	return nil
}

func (r *reasons) RejectionsOf(_ context.Context, projectID string, records []tracestore.LogPosition, since time.Time, limit int) ([]tracestore.Rejection, error) {
	var found []tracestore.Rejection
	for _, item := range r.list {
		at := tracestore.LogPosition{Partition: item.Partition, Sequence: item.Sequence}
		if item.ProjectID == projectID && slices.Contains(records, at) && !item.At.Before(since) {
			found = append(found, item)
		}
	}
	slices.SortFunc(found, func(a, b tracestore.Rejection) int { return cmp.Compare(a.Item, b.Item) })
	return found[:min(len(found), limit)], r.err
}

var secret = bytes.Repeat([]byte{9}, 32)

type receiptFixture struct {
	fixture
	*testing.T
	store    *reasons
	receipts *ingest.Receipts
}

func withReceipts(t *testing.T, options eventlogtest.Options) *receiptFixture {
	t.Helper()
	f := &receiptFixture{fixture: setup(options, open), T: t, store: &reasons{}}
	f.receipts = ingest.NewReceipts(secret, f.log, f.store)
	f.service.WithReceipts(f.receipts)
	return f
}

func (f *receiptFixture) accept(spans ...[]byte) string {
	f.Helper()
	out, err := f.service.Accept(f.Context(), ingest.Submission{ProjectID: "p", Body: body(spans...)})
	if err != nil || out.Receipt == "" {
		f.Fatalf("outcome %+v, %v", out, err)
	}
	return out.Receipt
}

func (f *receiptFixture) state(id string) ingest.ReceiptState {
	f.Helper()
	state, err := f.receipts.State(f.Context(), "p", id)
	if err != nil {
		f.Fatal(err)
	}
	return state
}

// store does what a writer does: spans whose name is refused are rejected.
func (f *receiptFixture) write(d eventlog.Delivery, refused ...int) {
	f.Helper()
	e, err := eventlog.DecodeEnvelope(d.Record())
	if err != nil {
		f.Fatal(err)
	}
	note := func(item int, trace, reason string) {
		f.store.list = append(f.store.list, tracestore.Rejection{
			ProjectID: e.ProjectID, Partition: d.Position().Partition, Sequence: d.Position().Sequence,
			Item: item, TraceID: trace, Reason: reason, At: e.AcceptedAt,
		})
	}
	if e.Kind == eventlog.KindRejections {
		r, err := eventlog.DecodeRejections(e.Payload)
		if err != nil {
			f.Fatal(err)
		}
		for _, item := range r.List {
			note(item.Item, item.TraceID, item.Reason)
		}
	} else {
		for _, item := range refused {
			note(item, "", "refused")
		}
	}
	if err := d.Ack(); err != nil {
		f.Fatal(err)
	}
}

func TestReceiptFollowsTheSpans(t *testing.T) {
	t.Parallel()
	f := withReceipts(t, eventlogtest.Options{Partitions: 2})
	id := f.accept(span(id(1), nil))
	if s := f.state(id); s.Status != ingest.ReceiptAccepted || s.Pending != 1 || s.Accepted != 1 || s.Rejected != 0 || time.Since(s.AcceptedAt) > time.Minute {
		t.Errorf("accepted: %+v", s)
	}
	f.store.err = errors.New("away") // what is in the log is known without the store
	f.state(id)
	f.store.err = nil
	for _, d := range f.log.Due() {
		f.write(d)
	}
	if s := f.state(id); s.Status != ingest.ReceiptStored || s.Pending != 0 || s.Rejected != 0 || len(s.Rejections) != 0 {
		t.Errorf("stored: %+v", s)
	}
	if err := f.log.Trim(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	// Another node, after the log forgot the record.
	again, err := ingest.NewReceipts(secret, f.log, f.store).State(t.Context(), "p", id)
	if err != nil || again.Status != ingest.ReceiptStored {
		t.Errorf("trimmed: %+v, %v", again, err)
	}
	f.store.err = errors.New("away")
	if _, err := f.receipts.State(t.Context(), "p", id); err == nil {
		t.Error("without the store's reasons the receipt says stored")
	}
}

func TestReceiptNamesReasons(t *testing.T) {
	t.Parallel()
	f := withReceipts(t, eventlogtest.Options{})
	// Items 1 and 4 are rejected at once; among the others, 0 2 3 5, the store refuses the third.
	id := f.accept(span(id(1), nil), span(nil, nil), span(id(2), nil), span(id(3), nil), span(nil, nil), span(id(4), nil))
	if s := f.state(id); s.Status != ingest.ReceiptAccepted || s.Pending != 2 || s.Accepted != 4 || s.Rejected != 2 || s.Omitted != 2 {
		t.Errorf("accepted: %+v", s)
	}
	for _, d := range f.log.Due() {
		f.write(d, 2)
	}
	s := f.state(id)
	got := []string{string(s.Status)}
	for _, r := range s.Rejections {
		got = append(got, fmt.Sprintf("%d %.4s %s", r.Item, r.TraceID, r.Reason))
	}
	want := []string{"partial", "1 0707 spanId:absent", "3  refused", "4 0707 spanId:absent"}
	if diff := gocmp.Diff(want, got); diff != "" || s.Accepted != 3 || s.Rejected != 3 || s.Omitted != 0 {
		t.Errorf("%+v (-want +got):\n%s", s, diff)
	}
}

func TestReceiptOfNothingGood(t *testing.T) {
	t.Parallel()
	f := withReceipts(t, eventlogtest.Options{})
	early := f.accept(span(nil, nil), span(nil, nil))
	late := f.accept(span(id(1), nil))
	if s := f.state(early); s.Status != ingest.ReceiptRejected || s.Pending != 1 {
		t.Errorf("before the reasons are stored: %+v", s)
	}
	for _, d := range f.log.Due() {
		f.write(d, 0)
	}
	for name, id := range map[string]string{"rejected at once": early, "refused by the store": late} {
		if s := f.state(id); s.Status != ingest.ReceiptRejected || s.Accepted != 0 || len(s.Rejections) != s.Rejected || s.Pending != 0 {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

func TestNothingHasNoReceipt(t *testing.T) {
	t.Parallel()
	f := withReceipts(t, eventlogtest.Options{})
	for _, b := range [][]byte{nil, body()} {
		if out, err := f.service.Accept(t.Context(), ingest.Submission{ProjectID: "p", Body: b}); err != nil || out.Receipt != "" {
			t.Errorf("outcome %+v, %v", out, err)
		}
	}
}

// More rejected spans than are named, and a log of small records.
func TestReasonsAreBounded(t *testing.T) {
	t.Parallel()
	f := withReceipts(t, eventlogtest.Options{MaxRecordBytes: 20 << 10})
	spans := make([][]byte, 3000)
	for i := range spans {
		spans[i] = field(nil, 1, randomText(16)) // a trace id and nothing else
	}
	id := f.accept(append(spans, span(id(1), nil))...)
	for _, d := range f.log.Due() {
		f.write(d)
	}
	s := f.state(id)
	if s.Status != ingest.ReceiptPartial || s.Rejected != 3000 || len(s.Rejections) < 100 || len(s.Rejections) > ingest.MaxListed || s.Omitted != 3000-len(s.Rejections) {
		t.Errorf("%s: %d rejected, %d listed, %d omitted", s.Status, s.Rejected, len(s.Rejections), s.Omitted)
	}
}

func TestReceiptOfManyRecords(t *testing.T) {
	t.Parallel()
	f := withReceipts(t, eventlogtest.Options{MaxRecordBytes: 18 << 10, Partitions: 3})
	var spans [][]byte
	for i := range 300 {
		spans = append(spans, span(id(i+1), randomText(1500)))
	}
	id := f.accept(append(spans, span(nil, nil))...)
	if len(id) > 200 {
		t.Errorf("a receipt of %d bytes", len(id))
	}
	deliveries := f.log.Due()
	if len(deliveries) < 260 {
		t.Fatalf("only %d records", len(deliveries))
	}
	for i, d := range deliveries {
		if s := f.state(id); s.Status != ingest.ReceiptAccepted {
			t.Fatalf("with %d of %d records written: %+v", i, len(deliveries), s)
		}
		f.write(d)
	}
	if s := f.state(id); s.Status != ingest.ReceiptPartial || len(s.Rejections) != 1 {
		t.Errorf("stored: %+v", s)
	}
}

func TestForeignReceiptsAreNotFound(t *testing.T) {
	t.Parallel()
	f := withReceipts(t, eventlogtest.Options{})
	good := f.accept(span(id(1), nil))
	f.state(good)
	other := ingest.NewReceipts(bytes.Repeat([]byte{8}, 32), f.log, f.store)
	made, _, _ := strings.Cut(good, ".")
	for name, look := range map[string]func() error{
		"another project": func() error { _, err := f.receipts.State(t.Context(), "q", good); return err },
		"another secret":  func() error { _, err := other.State(t.Context(), "p", good); return err },
		"changed":         func() error { _, err := f.receipts.State(t.Context(), "p", "B"+good[1:]); return err },
		"no seal":         func() error { _, err := f.receipts.State(t.Context(), "p", made); return err },
		"made up":         func() error { _, err := f.receipts.State(t.Context(), "p", "abc"); return err },
		"empty":           func() error { _, err := f.receipts.State(t.Context(), "p", ""); return err },
	} {
		if err := look(); !fault.Is(err, fault.NotFound) || err.Error() != "Receipt not found" {
			t.Errorf("%s: %v", name, err)
		}
	}
}
