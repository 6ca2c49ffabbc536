package writer_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/eventlog"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/partial"
	"github.com/sondehq/sonde/internal/tracestore"
)

// scoreKey is what makes two rows the same score row.
type scoreKey struct {
	project, id, trace string
	at                 time.Time
}

// InsertScores keeps the highest version of every row, as the port promises.
func (s *store) InsertScores(ctx context.Context, scores []*model.Score) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.away {
		return fault.Unavailablef("away")
	}
	for _, score := range scores {
		if s.refuses != "" && score.Name == s.refuses {
			return fmt.Errorf("%w: bad name", tracestore.ErrRefused)
		}
	}
	if s.scores == nil {
		s.scores = map[scoreKey]*model.Score{}
	}
	for _, score := range scores {
		key := scoreKey{score.ProjectID, score.ID, score.TraceID, score.Timestamp}
		if held := s.scores[key]; held == nil || held.Version < score.Version {
			s.scores[key] = score
		}
	}
	return s.Memory.InsertScores(ctx, scores)
}

// visible are the scores that a reader of a project sees, by id.
func (s *store) visible(project string) []*model.Score {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []*model.Score
	for key, score := range s.scores {
		if key.project == project && !score.Deleted {
			shown := *score
			shown.ProjectID = ""
			list = append(list, &shown)
		}
	}
	slices.SortFunc(list, func(a, b *model.Score) int { return strings.Compare(a.ID, b.ID) })
	return list
}

func (s *faultyStore) InsertScores(ctx context.Context, scores []*model.Score) error {
	return s.call(func() error { return s.store.InsertScores(ctx, scores) })
}

func (s *slowStore) InsertScores(ctx context.Context, scores []*model.Score) error {
	s.linger()
	return s.store.InsertScores(ctx, scores)
}

var scoredAt = time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)

// scoreEnvelopes are the records of a score that is created, changed under other times and traces,
// and deleted, created again and changed, in the order of acceptance.
func scoreEnvelopes(t testing.TB) []eventlog.Envelope {
	t.Helper()
	var list []eventlog.Envelope
	for i, body := range []string{
		`{"id":"sc","traceId":"t1","name":"a","value":1,"timestamp":"2026-05-01T09:00:00Z","metadata":{"k":{"x":1}},"environment":"one"}`,
		`{"id":"sc","traceId":"t2","name":"b","value":2,"timestamp":"2026-05-01T09:00:01Z","comment":"kept","environment":"two"}`,
		`{"id":"sc","traceId":"t1","observationId":"o","name":"c","value":3,"timestamp":"2026-05-01T09:00:00Z","metadata":{"k":{"y":2}}}`,
		"",
		`{"id":"sc","sessionId":"s","name":"d","value":"fine","timestamp":"2026-05-01T09:00:01Z","environment":"three"}`,
		`{"id":"sc","sessionId":"s","name":"e","value":"good","timestamp":"2026-05-01T09:00:02Z","comment":"new"}`,
	} {
		accepted := scoredAt.Add(time.Duration(i) * time.Second)
		e := deletion(t, "sc")
		if body != "" {
			e = scoreEvent(t, body)
		}
		e.ID = fmt.Sprint("e", i)
		list = append(list, eventEnvelope(t, accepted, e))
	}
	return list
}

func scoreEvent(t testing.TB, body string) partial.Event {
	t.Helper()
	batch, _, err := partial.ParseScores([]byte(body), scoredAt)
	if err != nil || len(batch.Events) != 1 {
		t.Fatalf("%+v, %v", batch.Problems, err)
	}
	return batch.Events[0]
}

func deletion(t testing.TB, id string) partial.Event {
	t.Helper()
	e, err := partial.NewScoreDelete(id, scoredAt)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// inOrder appends envelopes for one project, each in a batch of its own, and returns what is visible.
func inOrder(t *testing.T, envelopes ...eventlog.Envelope) (got []*model.Score) {
	t.Helper()
	run(t, func(f *fixture) {
		for _, e := range envelopes {
			f.append(e)
			wait(time.Second)
		}
		f.wantPending(0)
		got = f.store.visible("p")
	})
	return got
}

func TestScoresBecomeRows(t *testing.T) {
	t.Parallel()
	envelopes := scoreEnvelopes(t)
	for n, want := range map[int]*model.Score{
		1: {ID: "sc", TraceID: "t1", Name: "a", Number: 1, Environment: "one", Timestamp: scoredAt.Add(-time.Hour), CreatedAt: scoredAt},
		3: {ID: "sc", TraceID: "t1", ObservationID: "o", Name: "c", Number: 3, Comment: "kept", Environment: "one", Timestamp: scoredAt.Add(-time.Hour), CreatedAt: scoredAt},
		4: nil,
		6: {ID: "sc", SessionID: "s", Name: "e", Text: "good", Comment: "new", Environment: "three", Timestamp: scoredAt.Add(time.Second - time.Hour), CreatedAt: scoredAt.Add(4 * time.Second)},
	} {
		got := inOrder(t, envelopes[:n]...)
		if want == nil {
			if len(got) != 0 {
				t.Errorf("%d events: %+v", n, got[0])
			}
			continue
		}
		want.Source, want.Type = model.FromAPI, model.Numeric
		if want.Text != "" {
			want.Type = model.Categorical
		}
		if len(got) != 1 {
			t.Fatalf("%d events make %d rows", n, len(got))
		}
		if at := model.AcceptedAt(got[0].Version); !at.Equal(scoredAt.Add(time.Duration(n-1) * time.Second)) {
			t.Errorf("%d events: updated at %s", n, at)
		}
		got[0].Version, got[0].Metadata = 0, nil
		if diff := cmp.Diff(want, got[0]); diff != "" {
			t.Errorf("%d events:\n%s", n, diff)
		}
	}
}

func TestEveryOrderOfArrivalMakesTheSameScores(t *testing.T) {
	t.Parallel()
	for _, n := range []int{3, 4, 6} {
		envelopes := scoreEnvelopes(t)[:n]
		want := inOrder(t, envelopes...)
		var orders [][]int
		permutations(n, func(order []int) { orders = append(orders, slices.Clone(order)) })
		run(t, func(f *fixture) { // every order in a project of its own
			for step := range envelopes {
				for i, order := range orders {
					e := envelopes[order[step]]
					e.ProjectID = fmt.Sprint("p", i)
					f.append(e)
				}
				wait(time.Second)
			}
			f.wantPending(0)
			for i, order := range orders {
				if diff := cmp.Diff(want, f.store.visible(fmt.Sprint("p", i))); diff != "" {
					t.Fatalf("order %v:\n%s", order, diff)
				}
			}
		})
	}
}

func TestRedeliveredScoresChangeNothing(t *testing.T) {
	t.Parallel()
	envelopes := scoreEnvelopes(t)
	want := inOrder(t, envelopes...)
	again := slices.Concat(envelopes, envelopes[:3], envelopes[3:4], envelopes)
	if diff := cmp.Diff(want, inOrder(t, again...)); diff != "" {
		t.Error(diff)
	}
}

// The same score twice in one request: the second one counts, also where a request is long.
func TestScoresOfOneRequestCountInTheirOrder(t *testing.T) {
	t.Parallel()
	var events []partial.Event
	for i := range 2100 {
		events = append(events, scoreEvent(t, fmt.Sprintf(`{"id":"sc","traceId":"t","name":"n","value":%d,"timestamp":"2026-05-01T09:00:00Z"}`, i)))
		events[i].ID = strconv.Itoa(9999 - i)
	}
	got := inOrder(t, eventEnvelope(t, scoredAt, events...))
	if len(got) != 1 || got[0].Number != 2099 {
		t.Errorf("%+v", got)
	}
}

// A writer is stopped at every step in turn, and another one takes over.
func TestCrashBetweenStepsOfScores(t *testing.T) {
	t.Parallel()
	envelopes := scoreEnvelopes(t)[:3]
	want := inOrder(t, envelopes...)
	slices.Reverse(envelopes)
	for fail := 1; fail <= 9; fail++ { // three calls a batch
		for _, late := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				f := newFixture(t)
				broken := &faultyStore{store: f.store, fail: fail, late: late}
				stop := f.start(broken)
				for _, e := range envelopes {
					f.append(e)
					wait(500 * time.Millisecond)
				}
				if !broken.failed() {
					t.Fatalf("call %d does not come", fail)
				}
				stop()
				stop = f.start(f.store)
				wait(time.Minute)
				stop()
				if diff := cmp.Diff(want, f.store.visible("p")); diff != "" {
					t.Errorf("call %d (late %t):\n%s", fail, late, diff)
				}
				f.wantPending(0)
			})
		}
	}
}

// Two writers share the log and the store, and events of one score are in the hands of both.
func TestTwoWritersOfOneScore(t *testing.T) {
	t.Parallel()
	envelopes := scoreEnvelopes(t)
	want := inOrder(t, envelopes...)
	for seed := range 30 {
		synctest.Test(t, func(t *testing.T) {
			f := newFixture(t)
			stops := []func(){f.start(&slowStore{store: f.store, seed: seed}), f.start(&slowStore{store: f.store, seed: seed + 1000})}
			for i := range envelopes {
				f.append(envelopes[(i*5+seed)%len(envelopes)])
				wait(time.Duration(seed%4*60) * time.Millisecond)
			}
			wait(10 * time.Second)
			for _, stop := range stops {
				stop()
			}
			if diff := cmp.Diff(want, f.store.visible("p")); diff != "" {
				t.Errorf("seed %d:\n%s", seed, diff)
			}
			f.wantPending(0)
		})
	}
}

func TestRefusedScoreHarmsNoOther(t *testing.T) {
	t.Parallel()
	run(t, func(f *fixture) {
		f.store.set(func(s *store) { s.refuses = "poison" })
		var good []partial.Event
		for i := range 7 {
			good = append(good, scoreEvent(t, fmt.Sprintf(`{"id":"good%d","traceId":"t","name":"n","value":1}`, i)))
		}
		f.append(eventEnvelope(t, scoredAt, good[:3]...))
		f.append(eventEnvelope(t, scoredAt, good[3], scoreEvent(t, `{"id":"bad","traceId":"t","name":"poison","value":1}`), good[4]))
		f.append(eventEnvelope(t, scoredAt, good[5:]...))
		f.append(envelope(1, "span"))
		wait(time.Second)
		if n := len(f.store.visible("p")); n != 7 {
			t.Errorf("%d of 7 good scores are visible", n)
		}
		f.wantStored(1)
		f.wantPending(0)
		dead := f.wantDeadLetters(1)
		if !strings.Contains(dead[0].Reason, "score bad: ") || !strings.Contains(dead[0].Reason, "bad name") {
			t.Errorf("reason %q", dead[0].Reason)
		}
	})
}

func TestScoresWaitForTheStore(t *testing.T) {
	t.Parallel()
	run(t, func(f *fixture) {
		f.store.set(func(s *store) { s.away = true })
		f.append(scoreEnvelopes(t)[0])
		wait(time.Hour)
		f.wantPending(1)
		f.store.set(func(s *store) { s.away = false })
		wait(10 * time.Second)
		if n := len(f.store.visible("p")); n != 1 {
			t.Errorf("%d scores", n)
		}
		f.wantPending(0)
		f.wantDeadLetters(0)
	})
}

// Scores of two projects with the same id are two scores.
func TestScoresOfTwoProjects(t *testing.T) {
	t.Parallel()
	envelopes := scoreEnvelopes(t)
	other := envelopes[0]
	other.ProjectID = "other"
	run(t, func(f *fixture) {
		f.append(envelopes[0])
		f.append(other)
		f.append(envelopes[3]) // deletes that of p
		wait(time.Second)
		if mine, theirs := f.store.visible("p"), f.store.visible("other"); len(mine) != 0 || len(theirs) != 1 {
			t.Errorf("%d scores of p, %d of the other", len(mine), len(theirs))
		}
	})
}
