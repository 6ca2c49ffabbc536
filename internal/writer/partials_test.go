package writer_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sondehq/sonde/internal/eventlog"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/partial"
	"github.com/sondehq/sonde/internal/tracestore"
)

// sixEvents are a trace with creates and updates of a span and a generation; the updates carry no
// start time, and the trace is created twice.
func sixEvents(t testing.TB) []partial.Event {
	t.Helper()
	body := `{"batch":[
		{"id":"1","type":"trace-create","timestamp":"2026-05-01T10:00:00.000Z","body":{"id":"tr","name":"chat","tags":["b"],"metadata":{"a":{"x":1}}}},
		{"id":"2","type":"span-create","timestamp":"2026-05-01T10:00:00.100Z","body":{"id":"s","traceId":"tr","name":"retrieve","startTime":"2026-05-01T09:59:00Z","input":"q"}},
		{"id":"3","type":"generation-create","timestamp":"2026-05-01T10:00:00.200Z","body":{"id":"g","traceId":"tr","parentObservationId":"s","startTime":"2026-05-01T09:59:01Z","model":"m"}},
		{"id":"4","type":"generation-update","timestamp":"2026-05-01T10:00:01.000Z","body":{"id":"g","traceId":"tr","output":"hi","usage":{"input":3,"output":4},"endTime":"2026-05-01T10:00:01Z"}},
		{"id":"5","type":"span-update","timestamp":"2026-05-01T10:00:02.000Z","body":{"id":"s","traceId":"tr","output":{"docs":[1]},"level":"WARNING"}},
		{"id":"6","type":"trace-create","timestamp":"2026-05-01T10:00:03.000Z","body":{"id":"tr","output":"bye","tags":["a"],"metadata":{"a":{"y":2}}}}
	]}`
	batch, err := partial.Parse([]byte(body), partial.Policy{})
	if err != nil || len(batch.Events) != 6 {
		t.Fatalf("%d events, %v, %v", len(batch.Events), batch.Problems, err)
	}
	return batch.Events
}

func eventEnvelope(t testing.TB, accepted time.Time, events ...partial.Event) eventlog.Envelope {
	t.Helper()
	var payload []byte
	for i := range events {
		var err error
		if payload, err = partial.AppendLine(payload, &events[i]); err != nil {
			t.Fatal(err)
		}
	}
	return eventlog.Envelope{Kind: eventlog.KindPartials, ProjectID: "p", AcceptedAt: accepted, SDKName: "python", Payload: payload}
}

// rows are all rows of the project, by id, without what depends on the time of arrival.
func (f *fixture) rows() []*model.Observation {
	f.Helper()
	return rowsOf(f.T, f.store, "p")
}

func rowsOf(t testing.TB, store tracestore.Store, project string) []*model.Observation {
	t.Helper()
	rows, err := store.Observations(t.Context(), tracestore.ObservationQuery{ProjectID: project, Limit: 1000, IO: true, Metadata: true, OwnOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(rows, func(a, b *model.Observation) int { return strings.Compare(a.ID, b.ID) })
	for _, o := range rows {
		o.Version, o.CreatedAt = 0, time.Time{}
	}
	return rows
}

var sameRows = cmp.Options{cmpopts.EquateEmpty()}

func permutations(n int, visit func([]int)) {
	order := make([]int, 0, n)
	var extend func()
	extend = func() {
		if len(order) == n {
			visit(order)
			return
		}
		for i := range n {
			if !slices.Contains(order, i) {
				order = append(order, i)
				extend()
				order = order[:len(order)-1]
			}
		}
	}
	extend()
}

func TestEveryOrderOfArrivalMakesTheSameRows(t *testing.T) {
	t.Parallel()
	events := sixEvents(t)
	var want []*model.Observation
	run(t, func(f *fixture) {
		f.append(eventEnvelope(t, time.Now(), events...))
		wait(time.Second)
		want = f.rows()
		f.wantPending(0)
	})
	if len(want) != 3 || want[1].Output != `{"docs":[1]}` || want[2].ParentID != "" || !slices.Equal(want[2].Tags, []string{"a", "b"}) {
		t.Fatalf("rows %+v", want)
	}
	var orders [][]int
	permutations(len(events), func(order []int) { orders = append(orders, slices.Clone(order)) })
	if len(orders) != 720 {
		t.Fatalf("%d orders, want 720", len(orders))
	}
	run(t, func(f *fixture) { // every order in a project of its own
		for step := range events {
			for i, order := range orders {
				e := eventEnvelope(t, time.Now(), events[order[step]])
				e.ProjectID = fmt.Sprint("p", i)
				f.append(e)
			}
			wait(time.Second) // the next event comes in another batch
		}
		f.wantPending(0)
		for i, order := range orders {
			project := fmt.Sprint("p", i)
			for _, o := range want {
				o.ProjectID = project
			}
			if diff := cmp.Diff(want, rowsOf(t, f.store, project), sameRows); diff != "" {
				t.Fatalf("order %v:\n%s", order, diff) // also when a row is left at an old start time
			}
		}
	})
}

func TestUpdateADayLate(t *testing.T) {
	t.Parallel()
	events := sixEvents(t)
	run(t, func(f *fixture) {
		f.append(eventEnvelope(t, time.Now(), slices.Concat(events[:3], events[4:])...))
		wait(time.Second)
		f.stop()
		wait(24 * time.Hour)
		f.stop = f.start(f.store)
		f.append(eventEnvelope(t, time.Now(), events[3]))
		wait(time.Second)
		g := f.rows()[0]
		if g.ID != "g" || g.Output != "hi" || g.UsageDetails["total"] != 7 || g.Model != "m" {
			t.Errorf("the generation is %+v", g)
		}
		f.wantStored(3)
		f.stop()
	})
}

func TestRedeliveryMakesTheSameRows(t *testing.T) {
	t.Parallel()
	events := sixEvents(t)
	slices.Reverse(events)
	run(t, func(f *fixture) {
		var sent []eventlog.Envelope
		for _, e := range events {
			sent = append(sent, eventEnvelope(t, time.Now(), e))
			f.append(sent[len(sent)-1])
			wait(time.Second)
		}
		versions := func() (list []uint64) {
			rows, err := f.store.Observations(t.Context(), tracestore.ObservationQuery{ProjectID: "p", Limit: 10})
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range rows {
				list = append(list, o.Version)
			}
			return list
		}
		want, before := f.rows(), versions()
		for _, again := range sent {
			f.append(again)
			wait(time.Second)
			if diff := cmp.Diff(want, f.rows(), sameRows); diff != "" {
				t.Fatal(diff)
			}
		}
		if !slices.Equal(before, versions()) {
			t.Errorf("versions %v after redelivery, %v before", versions(), before)
		}
		f.wantStored(3)
	})
}

// faultyStore is the store as a writer sees it that dies: from one call on nothing works any more.
type faultyStore struct {
	*store
	mu    sync.Mutex
	calls int
	fail  int  // the first call that fails
	late  bool // it has its effect all the same
}

func (s *faultyStore) call(do func() error) error {
	s.mu.Lock()
	s.calls++
	failing := s.calls >= s.fail
	effect := !failing || s.late && s.calls == s.fail
	s.mu.Unlock()
	if !effect {
		return errBroken
	}
	if err := do(); err != nil {
		return err
	}
	if failing {
		return errBroken
	}
	return nil
}

func (s *faultyStore) Insert(ctx context.Context, rows []*model.Observation) error {
	return s.call(func() error { return s.store.Insert(ctx, rows) })
}

func (s *faultyStore) InsertPartials(ctx context.Context, list []tracestore.Partial) error {
	return s.call(func() error { return s.store.InsertPartials(ctx, list) })
}

func (s *faultyStore) PartialsOf(ctx context.Context, entities []tracestore.Entity) (list []tracestore.Partial, err error) {
	err = s.call(func() (err error) {
		list, err = s.store.PartialsOf(ctx, entities)
		return err
	})
	return list, err
}

// A writer is stopped at every step in turn, and another one takes over with other batches.
func TestCrashBetweenAnyTwoSteps(t *testing.T) {
	t.Parallel()
	events := sixEvents(t)
	order := []int{3, 4, 5, 1, 2, 0} // updates first
	var want []*model.Observation
	run(t, func(f *fixture) {
		f.append(eventEnvelope(t, time.Now(), events...))
		wait(time.Second)
		want = f.rows()
	})
	for fail := 1; fail <= 24; fail++ {
		for _, late := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				f := newFixture(t)
				broken := &faultyStore{store: f.store, fail: fail, late: late}
				stop := f.start(broken)
				for i, at := range order {
					f.append(eventEnvelope(t, time.Now(), events[at]))
					wait(10 * time.Millisecond)
					if broken.failed() || i == len(order)-1 {
						wait(210 * time.Millisecond)
						stop()
						stop = f.start(f.store)
					}
					wait(250 * time.Millisecond)
				}
				wait(time.Minute)
				stop()
				if diff := cmp.Diff(want, f.rows(), sameRows); diff != "" {
					t.Errorf("call %d (late %t):\n%s", fail, late, diff)
				}
				f.wantStored(3)
				f.wantPending(0)
			})
		}
	}
}

func (s *faultyStore) failed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls >= s.fail
}

// slowStore lets other goroutines go first, at points that differ from run to run.
type slowStore struct {
	*store
	seed int
	mu   sync.Mutex
	n    int
}

func (s *slowStore) linger() {
	s.mu.Lock()
	s.n++
	d := time.Duration((s.n*7919+s.seed*104729)%97) * time.Millisecond
	s.mu.Unlock()
	time.Sleep(d)
}

func (s *slowStore) Insert(ctx context.Context, rows []*model.Observation) error {
	s.linger()
	return s.store.Insert(ctx, rows)
}

func (s *slowStore) InsertPartials(ctx context.Context, list []tracestore.Partial) error {
	s.linger()
	return s.store.InsertPartials(ctx, list)
}

func (s *slowStore) PartialsOf(ctx context.Context, entities []tracestore.Entity) ([]tracestore.Partial, error) {
	s.linger()
	list, err := s.store.PartialsOf(ctx, entities)
	s.linger()
	return list, err
}

func (s *slowStore) Observations(ctx context.Context, q tracestore.ObservationQuery) ([]*model.Observation, error) {
	s.linger()
	rows, err := s.store.Observations(ctx, q)
	s.linger()
	return rows, err
}

// Two writers share the log and the store, and events of one entity are in the hands of both.
func TestTwoWritersOfOneEntity(t *testing.T) {
	t.Parallel()
	events := sixEvents(t)
	var want []*model.Observation
	run(t, func(f *fixture) {
		f.append(eventEnvelope(t, time.Now(), events...))
		wait(time.Second)
		want = f.rows()
	})
	for seed := range 60 {
		synctest.Test(t, func(t *testing.T) {
			f := newFixture(t)
			stops := []func(){f.start(&slowStore{store: f.store, seed: seed}), f.start(&slowStore{store: f.store, seed: seed + 1000})}
			for i := range events {
				at := (i*5 + seed) % len(events)
				f.append(eventEnvelope(t, time.Now(), events[at]))
				wait(time.Duration(seed%4*60) * time.Millisecond)
			}
			wait(10 * time.Second)
			for _, stop := range stops {
				stop()
			}
			if diff := cmp.Diff(want, f.rows(), sameRows); diff != "" {
				t.Errorf("seed %d:\n%s", seed, diff)
			}
			f.wantStored(3)
			f.wantPending(0)
		})
	}
}

func TestManySmallRequestsMakeFewInserts(t *testing.T) {
	t.Parallel()
	run(t, func(f *fixture) {
		for i := range 200 { // two seconds, a request every 10 ms
			e := partial.Event{ID: strconv.Itoa(i), Time: time.Now(), Kind: "span-create", Body: json.RawMessage(fmt.Sprintf(`{"id":"%d","traceId":"tr"}`, i))}
			f.append(eventEnvelope(t, time.Now(), e))
			wait(10 * time.Millisecond)
		}
		wait(time.Second)
		f.wantStored(200)
		if n := f.store.inserts(); n > 12 {
			t.Errorf("%d inserts in two seconds", n)
		}
	})
}

func TestRefusedRowOfEventsHarmsNoOther(t *testing.T) {
	t.Parallel()
	run(t, func(f *fixture) {
		f.store.set(func(s *store) { s.refuses = "retrieve" })
		for _, e := range sixEvents(t) {
			f.append(eventEnvelope(t, time.Now(), e))
		}
		wait(time.Second)
		f.wantStored(2)
		f.wantPending(0)
		dead := f.wantDeadLetters(2) // create and update of the refused span
		if !strings.Contains(dead[0].Reason, "bad name") {
			t.Errorf("reason %q", dead[0].Reason)
		}
		at := dead[0].Position
		noted, err := f.store.RejectionsOf(t.Context(), "p", []tracestore.LogPosition{{Partition: at.Partition, Sequence: at.Sequence}}, time.Time{}, 10)
		if err != nil || len(noted) != 1 || noted[0].ObservationID != "s" || noted[0].TraceID != "tr" {
			t.Errorf("rejections %+v (%v)", noted, err)
		}
	})
}
