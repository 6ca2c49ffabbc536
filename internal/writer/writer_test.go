package writer_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/sondehq/sonde/internal/blob/blobtest"
	"github.com/sondehq/sonde/internal/eventlog"
	"github.com/sondehq/sonde/internal/eventlog/eventlogtest"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/selfobs"
	"github.com/sondehq/sonde/internal/tracestore"
	"github.com/sondehq/sonde/internal/tracestore/tracestoretest"
	"github.com/sondehq/sonde/internal/writer"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// store is the fake with a switch for every trouble.
type store struct {
	tracestoretest.Memory
	mu      sync.Mutex
	away    bool
	refuses string // the name of an observation that is refused
	batches [][]*model.Observation
	scores  map[scoreKey]*model.Score
}

func (s *store) Insert(ctx context.Context, rows []*model.Observation) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.away {
		return fault.Unavailablef("away")
	}
	for _, o := range rows {
		if s.refuses != "" && o.Name == s.refuses {
			return fmt.Errorf("%w: bad name", tracestore.ErrRefused)
		}
	}
	s.batches = append(s.batches, rows)
	return s.Memory.Insert(ctx, rows)
}

func (s *store) set(change func(*store)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s)
}

func (s *store) inserts() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.batches)
}

// fixture is a writer that runs in a synctest bubble.
type fixture struct {
	*testing.T
	log   *eventlogtest.Memory
	store *store
	blobs *blobtest.Memory
	news  writer.News
	stop  func()
}

func run(t *testing.T, test func(f *fixture)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.stop = f.start(f.store)
		defer f.stop()
		test(f)
	})
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	return &fixture{T: t, log: eventlogtest.NewMemory(eventlogtest.Options{}), store: &store{}, blobs: &blobtest.Memory{}}
}

// start runs a writer on the fixture's log and returns what stops it.
func (f *fixture) start(store writer.Store) (stop func()) {
	w := writer.New(writer.Default(), f.log, store, f.blobs, slog.New(slog.DiscardHandler), selfobs.NewMetrics())
	if f.news != nil {
		w.WithNews(f.news)
	}
	ctx, cancel := context.WithCancel(f.Context())
	var running sync.WaitGroup
	running.Go(func() { w.Run(ctx, 5*time.Second) })
	return func() { cancel(); running.Wait() }
}

// envelope holds spans with the given names.
func envelope(trace byte, names ...string) eventlog.Envelope {
	var scope []byte
	for i, name := range names {
		var span []byte
		span = field(span, 1, bytes.Repeat([]byte{trace}, 16))
		span = field(span, 2, bytes.Repeat([]byte{byte(i + 1)}, 8))
		span = field(span, 5, []byte(name))
		span = protowire.AppendFixed64(protowire.AppendTag(span, 7, protowire.Fixed64Type), uint64(time.Now().UnixNano()))
		scope = field(scope, 2, span)
	}
	payload := field(nil, 1, field(nil, 2, scope))
	return eventlog.Envelope{Kind: eventlog.KindOTLPTraces, ProjectID: "p", AcceptedAt: time.Now(), Payload: payload}
}

func field(out []byte, number protowire.Number, value []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(out, number, protowire.BytesType), value)
}

func (f *fixture) append(e eventlog.Envelope) {
	f.Helper()
	record, err := e.Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.appendRecord(record)
}

func (f *fixture) appendRecord(record []byte) {
	f.Helper()
	if _, err := f.log.Append(f.Context(), record); err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) wantStored(want int) {
	f.Helper()
	got, err := f.store.CountObservations(f.Context(), "p", nil)
	if err != nil || int(got) != want {
		f.Fatalf("stored %d rows (%v), want %d", got, err, want)
	}
}

func (f *fixture) wantPending(want int) {
	f.Helper()
	status, err := f.log.Status(f.Context())
	if err != nil || int(status.Pending) != want {
		f.Fatalf("%d records pending (%v), want %d", status.Pending, err, want)
	}
}

// wait lets time pass for everything in the bubble.
func wait(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func TestStoresAndAcknowledges(t *testing.T) {
	t.Parallel()
	run(t, func(f *fixture) {
		f.append(envelope(1, "a", "b"))
		f.append(envelope(2, "c"))
		wait(time.Second)
		f.wantStored(3)
		f.wantPending(0)
	})
}

func TestLowLoadMakesFewBatches(t *testing.T) {
	t.Parallel()
	run(t, func(f *fixture) {
		for i := range 200 { // two seconds, a record every 10 ms
			f.append(envelope(byte(i+1), "x"))
			wait(10 * time.Millisecond)
		}
		wait(time.Second)
		f.wantStored(200)
		if n := f.store.inserts(); n > 10 {
			t.Errorf("%d batches in two seconds, want about four a second", n)
		}
	})
}

func TestStoreAwayIsWaitedFor(t *testing.T) {
	t.Parallel()
	run(t, func(f *fixture) {
		f.store.set(func(s *store) { s.away = true })
		f.append(envelope(1, "a"))
		wait(time.Hour)
		f.wantStored(0)
		f.wantPending(1)
		f.store.set(func(s *store) { s.away = false })
		wait(10 * time.Second)
		f.wantStored(1)
		f.wantPending(0)
		f.wantDeadLetters(0)
	})
}

func (f *fixture) wantDeadLetters(want int) []eventlog.DeadLetter {
	f.Helper()
	dead, err := f.log.DeadLetters(f.Context(), eventlog.DeadLetterQuery{All: true, Limit: 100})
	if err != nil || len(dead) != want {
		f.Fatalf("%d dead letters (%v), want %d", len(dead), err, want)
	}
	return dead
}

func TestRefusedRowHarmsNoOther(t *testing.T) {
	t.Parallel()
	run(t, func(f *fixture) {
		f.store.set(func(s *store) { s.refuses = "poison" })
		f.append(envelope(1, "a", "poison", "b"))
		f.append(envelope(2, "c"))
		wait(time.Second)
		f.wantStored(3)
		f.wantPending(0)
		dead := f.wantDeadLetters(1)
		if !strings.Contains(dead[0].Reason, "bad name") || !strings.Contains(dead[0].Reason, "0202020202020202") {
			t.Errorf("the reason %q names neither cause nor observation", dead[0].Reason)
		}
	})
}

func TestUnreadableRecordsBecomeDeadLetters(t *testing.T) {
	t.Parallel()
	run(t, func(f *fixture) {
		gone := envelope(3, "x")
		gone.BlobKey, gone.Payload = "oversize/gone", nil
		odd := envelope(4, "x")
		odd.Kind = "from-the-future"
		broken := envelope(5, "x")
		broken.Payload = []byte{0x0a, 0xff}
		f.appendRecord([]byte("no envelope"))
		f.append(gone)
		f.append(odd)
		f.append(broken)
		f.append(envelope(1, "good"))
		wait(time.Second)
		f.wantStored(1)
		f.wantPending(0)
		f.wantDeadLetters(4)
	})
}

func TestPayloadFromBlob(t *testing.T) {
	t.Parallel()
	run(t, func(f *fixture) {
		e := envelope(1, "large")
		if err := f.blobs.Put(f.Context(), "oversize/1", bytes.NewReader(e.Payload)); err != nil {
			t.Fatal(err)
		}
		e.BlobKey, e.Payload = "oversize/1", nil
		f.append(e)
		wait(time.Second)
		f.wantStored(1)
		f.wantPending(0)
	})
}

func TestStopStoresWhatItHolds(t *testing.T) {
	t.Parallel()
	run(t, func(f *fixture) {
		f.append(envelope(1, "a"))
		wait(50 * time.Millisecond) // fetched, batch still open
		f.stop()
		f.wantStored(1)
		f.wantPending(0)
	})
}

func TestStopWithoutStoreKeepsRecords(t *testing.T) {
	t.Parallel()
	run(t, func(f *fixture) {
		f.store.set(func(s *store) { s.away = true })
		f.append(envelope(1, "a"))
		wait(time.Second)
		began := time.Now()
		f.stop()
		if took := time.Since(began); took > 6*time.Second {
			t.Errorf("stop took %s", took)
		}
		f.wantPending(1)
		f.wantDeadLetters(0)
	})
}

var errBroken = errors.New("broken")

// brokenLog cannot bury.
type brokenLog struct{ *eventlogtest.Memory }

func (brokenLog) Bury(context.Context, eventlog.Delivery, string) error { return errBroken }

func TestRecordStaysWhenItCannotBeBuried(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		memory := eventlogtest.NewMemory(eventlogtest.Options{})
		w := writer.New(writer.Default(), brokenLog{memory}, &store{}, &blobtest.Memory{}, slog.New(slog.DiscardHandler), selfobs.NewMetrics())
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { w.Run(ctx, time.Second) })
		if _, err := memory.Append(ctx, []byte("no envelope")); err != nil {
			t.Fatal(err)
		}
		wait(30 * time.Second)
		cancel()
		running.Wait()
		status, err := memory.Status(t.Context())
		if err != nil || status.Pending != 1 {
			t.Errorf("%d records pending (%v), want the one that cannot be buried", status.Pending, err)
		}
	})
}
