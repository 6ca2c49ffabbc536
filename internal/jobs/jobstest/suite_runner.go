package jobstest

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/jobs"
)

// quick are times that let a test see a lease end.
var quick = jobs.Options{Poll: 10 * time.Millisecond, Beat: 30 * time.Millisecond, Lease: 400 * time.Millisecond, Wait: 10 * time.Millisecond}

// counter counts from its checkpoint to "to", and does each number in the world outside.
type counter struct {
	world *world
	// before, when set, is asked before each number is done.
	before func(ctx context.Context, n int) error
}

// world is what jobs change: each number may be done again, but only with the same effect.
type world struct {
	mu   sync.Mutex
	did  []int
	busy atomic.Int32 // handlers at work
}

func (w *world) do(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.did = append(w.did, n)
}

func (w *world) all() []int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.did)
}

func (c counter) Check(parameters json.RawMessage) (json.RawMessage, error) { return parameters, nil }

func (c counter) Run(ctx context.Context, task jobs.Task) (json.RawMessage, error) {
	c.world.busy.Add(1)
	defer c.world.busy.Add(-1)
	var parameters struct{ To int }
	if err := json.Unmarshal(task.Job().Parameters, &parameters); err != nil {
		return nil, err
	}
	next := 0
	if text := task.Job().Checkpoint; text != nil {
		if err := json.Unmarshal(text, &next); err != nil {
			return nil, err
		}
	}
	for ; next < parameters.To; next++ {
		if c.before != nil {
			if err := c.before(ctx, next); err != nil {
				return nil, err
			}
		}
		c.world.do(next)
		task.Progress(jobs.Progress{Done: uint64(next + 1), Total: uint64(parameters.To)})
		text, err := json.Marshal(next + 1)
		if err != nil {
			return nil, err
		}
		if err := task.Checkpoint(ctx, text); err != nil {
			return nil, err
		}
	}
	return json.Marshal(next)
}

// start runs a runner until the returned function is called.
func start(t *testing.T, store jobs.Store, handler jobs.Handler) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	runner := jobs.NewRunner(store, map[string]jobs.Handler{"count": handler}, slog.New(slog.DiscardHandler), quick)
	done := make(chan struct{})
	go func() {
		defer close(done)
		runner.Run(ctx)
	}()
	stop = sync.OnceFunc(func() { cancel(); <-done })
	t.Cleanup(stop)
	return stop
}

// becomes waits until the job is in the state.
func becomes(t *testing.T, store jobs.Store, job jobs.Job, state jobs.State) jobs.Job {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; <-time.After(5 * time.Millisecond) {
		got := get(t, store, job)
		if got.State == state {
			return got
		}
		if got.State.Final() || time.Now().After(deadline) {
			t.Fatalf("the job is %s (%s), want %s", got.State, got.Reason, state)
		}
	}
}

// mortal is the store as a process sees it that can be killed: nothing gets through afterwards.
type mortal struct {
	jobs.Store
	dead atomic.Bool
	// loses makes updates happen without an answer.
	loses atomic.Int32
}

var errDead = fault.Unavailablef("dead")

func (m *mortal) Update(ctx context.Context, job jobs.Job) (jobs.Job, error) {
	if m.dead.Load() {
		return jobs.Job{}, errDead
	}
	saved, err := m.Store.Update(ctx, job)
	if err == nil && m.loses.Add(-1) >= 0 {
		return jobs.Job{}, fault.Unavailablef("no answer")
	}
	return saved, err
}

func (m *mortal) Get(ctx context.Context, projectID, id string) (jobs.Job, error) {
	if m.dead.Load() {
		return jobs.Job{}, errDead
	}
	return m.Store.Get(ctx, projectID, id)
}

func (m *mortal) Open(ctx context.Context, visit func(jobs.Job) bool) error {
	if m.dead.Load() {
		return errDead
	}
	return m.Store.Open(ctx, visit)
}

// killedRunner lets a runner die in the middle, without a word to the store. Another goes on from
// the checkpoint: at most the step that was not kept is done again.
func killedRunner(t *testing.T, store jobs.Store) {
	job := newJob("a")
	job.Parameters = json.RawMessage(`{"to":10}`)
	create(t, store, job)
	w, reached := &world{}, make(chan struct{})
	victim := &mortal{Store: store}
	stop := start(t, victim, counter{w, func(ctx context.Context, n int) error {
		if n == 5 {
			victim.dead.Store(true)
			close(reached)
			<-ctx.Done()
			return ctx.Err()
		}
		return nil
	}})
	<-reached
	stop()
	left := get(t, store, job)
	if left.State != jobs.Running || string(left.Checkpoint) != "5" {
		t.Fatalf("left behind: %s at %s", left.State, left.Checkpoint)
	}
	start(t, store, counter{world: w})
	done := becomes(t, store, job, jobs.Done)
	if did := w.all(); !slices.Equal(did, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}) {
		t.Errorf("done: %v", did)
	}
	if string(done.Result) != "10" || done.Attempts != 2 || done.Progress.Done != 10 || done.EndedAt.IsZero() || done.Holder != "" {
		t.Errorf("ended as %+v", done)
	}
}

func cancelRunning(t *testing.T, store jobs.Store) {
	job := create(t, store, newJob("a"))
	w, reached := &world{}, make(chan struct{})
	var first sync.Once
	start(t, store, counter{w, func(ctx context.Context, n int) (err error) {
		if n == 1 {
			first.Do(func() {
				close(reached)
				<-ctx.Done()
				err = ctx.Err()
			})
		}
		return err
	}})
	<-reached
	service := jobs.NewService(store, nil)
	asked := time.Now()
	if got, err := service.Cancel(t.Context(), "a", job.ID); err != nil || got.State != jobs.Canceled {
		t.Fatalf("cancel: %+v, %v", got, err)
	}
	for w.busy.Load() > 0 {
		if time.Since(asked) > 5*time.Second {
			t.Fatal("the handler goes on")
		}
		<-time.After(time.Millisecond)
	}
	if got := get(t, store, job); got.State != jobs.Canceled || got.EndedAt.IsZero() || len(w.all()) != 1 {
		t.Errorf("%+v, done %v", got, w.all())
	}
	if _, err := service.Cancel(t.Context(), "a", job.ID); err != nil {
		t.Errorf("cancel again: %v", err)
	}
	done := create(t, store, newJob("a"))
	becomes(t, store, done, jobs.Done)
	if _, err := service.Cancel(t.Context(), "a", done.ID); !fault.Is(err, fault.Conflict) {
		t.Errorf("cancel what is done: %v", err)
	}
	if _, err := service.Cancel(t.Context(), "b", job.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("cancel by another project: %v", err)
	}
}

func twoRunners(t *testing.T, store jobs.Store) {
	var made []jobs.Job
	for range 6 {
		made = append(made, create(t, store, newJob("a")))
	}
	w := &world{}
	for range 3 {
		start(t, store, counter{world: w})
	}
	for _, job := range made {
		if got := becomes(t, store, job, jobs.Done); got.Attempts != 1 {
			t.Errorf("taken up %d times", got.Attempts)
		}
	}
	if n := len(w.all()); n != 18 {
		t.Errorf("%d steps, want 18", n)
	}
}

func stoppedRunner(t *testing.T, store jobs.Store) {
	job := create(t, store, newJob("a"))
	w, reached := &world{}, make(chan struct{})
	stop := start(t, store, counter{w, func(ctx context.Context, n int) error {
		if n == 2 {
			close(reached)
			<-ctx.Done()
			return ctx.Err()
		}
		return nil
	}})
	<-reached
	stop()
	if got := get(t, store, job); got.State != jobs.Queued || string(got.Checkpoint) != "2" || got.Holder != "" {
		t.Fatalf("given back as %+v", got)
	}
	start(t, store, counter{world: w})
	becomes(t, store, job, jobs.Done)
	if did := w.all(); !slices.Equal(did, []int{0, 1, 2}) {
		t.Errorf("done: %v", did)
	}
}

func storeAway(t *testing.T, store jobs.Store) {
	job := create(t, store, newJob("a"))
	w := &world{}
	var failures atomic.Int32
	start(t, store, counter{w, func(_ context.Context, n int) error {
		if n == 1 && failures.Add(1) <= 4 {
			return fault.Unavailablef("the trace store does not answer").Because(errors.New("10.0.0.7 refused"))
		}
		return nil
	}})
	done := becomes(t, store, job, jobs.Done)
	if done.Attempts != 5 || done.Reason != "" {
		t.Errorf("ended as %+v", done)
	}
	if did := w.all(); !slices.Equal(did, []int{0, 1, 2}) {
		t.Errorf("done: %v", did)
	}
}

func fails(t *testing.T, store jobs.Store) {
	for _, c := range []struct {
		fail func() error
		want string
	}{
		{func() error { return fault.New(fault.Exhausted, "too many rows").Hint("take a shorter range") }, "too many rows; take a shorter range"},
		{func() error { return errors.New("secret") }, "an internal error; the server's log has the cause under the id of this job"},
		{func() error { panic("secret") }, "an internal error; the server's log has the cause under the id of this job"},
	} {
		job := create(t, store, newJob("a"))
		stop := start(t, store, counter{&world{}, func(context.Context, int) error { return c.fail() }})
		if got := becomes(t, store, job, jobs.Failed); got.Reason != c.want || got.EndedAt.IsZero() {
			t.Errorf("ended as %+v, want %q", got, c.want)
		}
		stop()
	}
}

func unknownKind(t *testing.T, store jobs.Store) {
	odd := newJob("a")
	odd.Kind = "of a later version"
	odd = create(t, store, odd)
	job := create(t, store, newJob("a"))
	start(t, store, counter{world: &world{}})
	becomes(t, store, job, jobs.Done)
	if got := get(t, store, odd); got.Revision != odd.Revision {
		t.Errorf("the other became %+v", got)
	}
}

func lostAnswer(t *testing.T, store jobs.Store) {
	job := create(t, store, newJob("a"))
	w, careless := &world{}, &mortal{Store: store}
	start(t, careless, counter{w, func(context.Context, int) error {
		careless.loses.Store(1)
		return nil
	}})
	if got := becomes(t, store, job, jobs.Done); got.Attempts != 1 {
		t.Errorf("taken up %d times", got.Attempts)
	}
	if did := w.all(); !slices.Equal(did, []int{0, 1, 2}) {
		t.Errorf("done: %v", did)
	}
}
