package writer_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/eventlog"
	"github.com/sondehq/sonde/internal/eventlog/eventlogtest"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/tracestore"
)

// reasons remembers what it was given; each insert is checked against the log.
type reasons struct {
	mu     sync.Mutex
	list   map[string]string // "project partition/sequence item" to "trace observation reason"
	away   bool
	reject bool
	tries  int
}

func (r *reasons) InsertRejections(_ context.Context, list []tracestore.Rejection) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tries++
	if r.away {
		return fault.Unavailablef("away")
	}
	if r.reject {
		return fmt.Errorf("%w: bad reason", tracestore.ErrRefused)
	}
	for _, item := range list {
		if item.At.IsZero() || len(item.Reason) > eventlog.MaxReasonBytes {
			return fmt.Errorf("%w: %+v", tracestore.ErrRefused, item)
		}
		key := fmt.Sprintf("%s %d/%d %d", item.ProjectID, item.Partition, item.Sequence, item.Item)
		r.list[key] = fmt.Sprintf("%.4s %.4s %s", item.TraceID, item.ObservationID, item.Reason)
	}
	return nil
}

func (r *reasons) RejectionsOf(context.Context, string, []tracestore.LogPosition, time.Time, int) ([]tracestore.Rejection, error) {
	return nil, nil
}

func (r *reasons) set(change func(*reasons)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(r)
}

func (r *reasons) texts() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var texts []string
	for key, text := range r.list {
		texts = append(texts, key+": "+text)
	}
	slices.Sort(texts)
	return texts
}

// runWithReasons is run with a log of one partition and a place for reasons.
func runWithReasons(t *testing.T, test func(f *fixture, kept *reasons)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.log = eventlogtest.NewMemory(eventlogtest.Options{Partitions: 1})
		kept := &reasons{list: map[string]string{}}
		f.stop = f.start(struct {
			*store
			*reasons
		}{f.store, kept})
		defer f.stop()
		test(f, kept)
	})
}

func rejectionsEnvelope(t *testing.T, list ...eventlog.Rejection) eventlog.Envelope {
	t.Helper()
	payload, err := eventlog.Rejections{List: list}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return eventlog.Envelope{Kind: eventlog.KindRejections, ProjectID: "p", AcceptedAt: time.Now(), Payload: payload}
}

func TestReasonsOfIngestAreStored(t *testing.T) {
	t.Parallel()
	runWithReasons(t, func(f *fixture, kept *reasons) {
		f.append(envelope(1, "a"))
		f.append(rejectionsEnvelope(t, eventlog.Rejection{Item: 1, TraceID: "t", Reason: "no id"}, eventlog.Rejection{Item: 7, Reason: "late"}))
		wait(time.Second)
		f.wantStored(1)
		f.wantPending(0)
		want := []string{"p 0/2 1: t  no id", "p 0/2 7:   late"}
		if diff := cmp.Diff(want, kept.texts()); diff != "" {
			t.Errorf("reasons (-want +got):\n%s", diff)
		}
	})
}

func TestReasonsAreStoredBeforeTheAcknowledgement(t *testing.T) {
	t.Parallel()
	runWithReasons(t, func(f *fixture, kept *reasons) {
		kept.set(func(r *reasons) { r.away = true })
		f.store.set(func(s *store) { s.refuses = "poison" })
		broken := envelope(5, "x")
		broken.Payload = []byte{0x0a, 0xff}
		f.append(rejectionsEnvelope(t, eventlog.Rejection{Reason: "no id"}))
		f.append(envelope(1, "poison"))
		f.append(broken)
		wait(20 * time.Second)
		f.wantPending(3)
		f.wantDeadLetters(0)
		kept.set(func(r *reasons) { r.away = false })
		wait(5 * time.Second)
		f.wantPending(0)
		f.wantDeadLetters(2)
		if texts := kept.texts(); len(texts) != 3 {
			t.Errorf("reasons %q", texts)
		}
	})
}

func TestReasonsOfBuriedRecords(t *testing.T) {
	t.Parallel()
	runWithReasons(t, func(f *fixture, kept *reasons) {
		f.store.set(func(s *store) { s.refuses = "poison" })
		second := envelope(1, "a", "poison", "b", "poison")
		second.First = 10
		broken := envelope(5, "x")
		broken.First, broken.Payload = 3, []byte{0x0a, 0xff}
		f.append(second)
		f.append(broken)
		f.appendRecord([]byte("no envelope"))
		wait(time.Second)
		f.wantStored(2)
		f.wantPending(0)
		f.wantDeadLetters(3)
		var keys []string
		for _, text := range kept.texts() {
			key, reason, _ := strings.Cut(text, ": ")
			keys = append(keys, key)
			if !strings.Contains(reason, "bad name") && !strings.Contains(reason, "unreadable") {
				t.Errorf("reason %q", reason)
			}
		}
		if diff := cmp.Diff([]string{"p 0/1 11", "p 0/1 13", "p 0/2 3"}, keys); diff != "" {
			t.Errorf("reasons (-want +got):\n%s", diff)
		}
	})
}

func TestRefusedReasonsHoldUpNobody(t *testing.T) {
	t.Parallel()
	runWithReasons(t, func(f *fixture, kept *reasons) {
		kept.set(func(r *reasons) { r.reject = true })
		f.append(rejectionsEnvelope(t, eventlog.Rejection{Reason: "x"}))
		f.append(envelope(1, "a"))
		wait(time.Second)
		f.wantStored(1)
		f.wantPending(0)
	})
}

func TestUnreadableReasonsAreBuried(t *testing.T) {
	t.Parallel()
	runWithReasons(t, func(f *fixture, _ *reasons) {
		odd := rejectionsEnvelope(t)
		odd.Payload = []byte("{")
		f.append(odd)
		wait(time.Second)
		f.wantPending(0)
		f.wantDeadLetters(1)
	})
}

// A crash between the append and the removal leaves letter and record; redriving again appends the
// record a second time. Its rows are the same rows.
func TestRedrivenTwiceIsOneRow(t *testing.T) {
	t.Parallel()
	runWithReasons(t, func(f *fixture, _ *reasons) {
		f.store.set(func(s *store) { s.refuses = "poison" })
		f.append(envelope(1, "a", "poison", "b"))
		wait(time.Second)
		f.wantStored(2)
		letter := f.wantDeadLetters(1)[0]
		if _, err := f.log.Redrive(t.Context(), letter.ID); err != nil { // too early: it fails again
			t.Fatal(err)
		}
		wait(time.Second)
		again := f.wantDeadLetters(1)[0]
		if again.Redriven != 1 || again.Origin != letter.Position {
			t.Errorf("the letter came back as %+v", again)
		}
		f.store.set(func(s *store) { s.refuses = "" })
		_, record, err := f.log.DeadLetter(t.Context(), again.ID)
		if err != nil {
			t.Fatal(err)
		}
		f.appendRecord(record) // what a crash leaves behind
		if _, err := f.log.Redrive(t.Context(), again.ID); err != nil {
			t.Fatal(err)
		}
		wait(time.Second)
		f.wantStored(3)
		f.wantPending(0)
		f.wantDeadLetters(0)
	})
}
