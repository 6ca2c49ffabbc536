package jobs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/google/uuid"

	"github.com/sondehq/sonde/internal/fault"
)

// Options are the times of a runner. Zero values become the defaults, which are right outside tests.
type Options struct {
	Poll  time.Duration // between two looks for work
	Beat  time.Duration // between two signs of life; a canceled job ends within it
	Lease time.Duration // a running job that shows no life for so long is taken over
	Wait  time.Duration // first wait for a store that is away; it doubles up to maxWait
	// Settled, when set, hears how each run of a job ended.
	Settled func(Run)
}

// Run is one taking-up of a job that has ended.
type Run struct {
	Job     string
	Kind    string
	Attempt int
	Outcome string // one of Outcomes
	Began   time.Time
	Took    time.Duration
}

const (
	maxWait = time.Minute
	// maxOrphaned ends a job that takes its runner down with it, again and again.
	maxOrphaned = 5
	// stopWithin bounds handing a job back when the process stops.
	stopWithin = 2 * time.Second
)

// Outcomes are how a run may end.
var Outcomes = []string{done, FailedRun, putOff, givenBack}

// FailedRun is the outcome of a run that ended its job without a result.
const FailedRun = "failed"

const (
	done      = "done"
	putOff    = "put off"
	givenBack = "given back"
)

// Runner works on jobs, one at a time. Any number of nodes may run one.
type Runner struct {
	store  Store
	kinds  map[string]Handler
	logger *slog.Logger
	opts   Options
	// seen remembers since when a running job has shown the same revision, by our own clock: the
	// clocks of nodes need not agree.
	seen map[string]sighting
}

type sighting struct {
	revision uint64
	since    time.Time
}

// NewRunner makes a runner for the kinds in the map; jobs of other kinds wait for other nodes.
func NewRunner(store Store, kinds map[string]Handler, logger *slog.Logger, opts Options) *Runner {
	opts.Poll = cmp.Or(opts.Poll, time.Second)
	opts.Beat = cmp.Or(opts.Beat, 500*time.Millisecond)
	opts.Lease = cmp.Or(opts.Lease, 10*time.Second)
	opts.Wait = cmp.Or(opts.Wait, time.Second)
	if opts.Settled == nil {
		opts.Settled = func(Run) {}
	}
	return &Runner{store: store, kinds: kinds, logger: logger, opts: opts, seen: map[string]sighting{}}
}

// Run works until ctx ends. A job in hand is then given back for another runner to go on with.
func (r *Runner) Run(ctx context.Context) {
	for ctx.Err() == nil {
		job, found, err := r.next(ctx)
		if err != nil && ctx.Err() == nil && !fault.Is(err, fault.Unavailable) {
			r.logger.ErrorContext(ctx, "jobs cannot be looked up", "error", err)
		}
		if found {
			r.work(ctx, job)
			continue
		}
		select {
		case <-ctx.Done():
		case <-time.After(r.opts.Poll):
		}
	}
}

// next takes up the oldest job that nobody works on.
func (r *Runner) next(ctx context.Context) (taken Job, found bool, err error) {
	seen := map[string]sighting{}
	visited := r.store.Open(ctx, func(job Job) bool {
		if r.kinds[job.Kind] == nil || !r.due(job, seen) {
			return true
		}
		taken, err = r.take(ctx, job)
		found = err == nil && !taken.State.Final()
		if errors.Is(err, ErrChanged) {
			err = nil // another runner was faster, or a client canceled it
		}
		return err == nil && !found
	})
	r.seen = seen
	return taken, found, errors.Join(err, visited)
}

func (r *Runner) due(job Job, seen map[string]sighting) bool {
	if job.State == Queued {
		return !job.NotBefore.After(time.Now())
	}
	s, known := r.seen[job.ID]
	if !known || s.revision != job.Revision {
		s = sighting{job.Revision, time.Now()}
	}
	seen[job.ID] = s
	return time.Since(s.since) > r.opts.Lease
}

// take makes the job ours, or ends it when it has outlived too many runners.
func (r *Runner) take(ctx context.Context, job Job) (Job, error) {
	now := time.Now().UTC().Truncate(time.Millisecond)
	if job.State == Running {
		job.Orphaned++
	}
	if job.Orphaned > maxOrphaned {
		end(&job, Failed)
		job.Reason = fmt.Sprintf("the server died %d times while it worked on this job; its log may say why", maxOrphaned)
		return r.store.Update(ctx, job)
	}
	job.State, job.Holder, job.Reason = Running, uuid.NewString(), ""
	job.NotBefore, job.UpdatedAt = time.Time{}, now
	job.Attempts++
	if job.StartedAt.IsZero() {
		job.StartedAt = now
	}
	return r.store.Update(ctx, job)
}

// work runs the job's handler beside its beats, and settles how it ended.
func (r *Runner) work(ctx context.Context, job Job) {
	logger := r.logger.With("job", job.ID, "kind", job.Kind, "project", job.ProjectID)
	logger.InfoContext(ctx, "job taken up", "attempt", job.Attempts)
	began, h := time.Now(), newHold(r.store, job)
	working, stop := context.WithCancelCause(ctx)
	beating := make(chan struct{})
	go func() {
		defer close(beating)
		h.beat(working, r.opts.Beat, r.opts.Lease, stop)
	}()
	result, err := safely(working, r.kinds[job.Kind], h)
	lost := context.Cause(working)
	stop(nil)
	<-beating
	settle := func(outcome string, change func(*Job)) {
		outcome = r.settle(ctx, logger, h, outcome, change)
		r.opts.Settled(Run{Job: job.ID, Kind: job.Kind, Attempt: job.Attempts, Outcome: outcome, Began: began, Took: time.Since(began)})
	}
	switch {
	case err == nil:
		settle(done, func(job *Job) {
			end(job, Done)
			job.Result = result
		})
	case ctx.Err() != nil:
		settle(givenBack, func(job *Job) { job.State, job.Holder = Queued, "" })
	case lost != nil:
		logger.InfoContext(ctx, "job is not ours any more", "reason", lost)
	case errors.Is(err, ErrChanged):
		logger.InfoContext(ctx, "job is not ours any more", "reason", err)
	case fault.Is(err, fault.Unavailable):
		logger.WarnContext(ctx, "job waits", "error", err)
		settle(putOff, r.putOff(err))
	default:
		logger.ErrorContext(ctx, "job fails", "error", err)
		settle(FailedRun, fail(reason(err)))
	}
}

// safely turns a panic of a handler into the end of its job: no job may harm the process.
func safely(ctx context.Context, handler Handler, task Task) (result json.RawMessage, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
		}
	}()
	return handler.Run(ctx, task)
}

func fail(reason string) func(*Job) {
	return func(job *Job) {
		end(job, Failed)
		job.Reason = reason
	}
}

func (r *Runner) putOff(err error) func(*Job) {
	return func(job *Job) {
		wait := min(r.opts.Wait<<min(job.Waits, 10), maxWait)
		job.State, job.Holder, job.Reason = Queued, "", reason(err)
		job.NotBefore = time.Now().Add(wait).UTC()
		job.Waits++
	}
}

// reason is what people may read of an error.
func reason(err error) string {
	var f *fault.Fault
	if errors.As(err, &f) && f.Kind != fault.Internal {
		return f.Public()
	}
	if errors.Is(err, ErrTooLarge) {
		return "what the job has to remember is too large; start it for a smaller part of the data"
	}
	return "an internal error; the server's log has the cause under the id of this job"
}

// settle writes the end of a taking-up, and says what it was in the end. What cannot be written now is left: the lease ends, and
// the next runner goes on from the last checkpoint to the same end.
func (r *Runner) settle(ctx context.Context, logger *slog.Logger, h *hold, outcome string, change func(*Job)) string {
	within := r.opts.Lease / 2
	if ctx.Err() != nil {
		within = stopWithin
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), within)
	defer cancel()
	for {
		err := h.write(ctx, change)
		switch {
		case err == nil:
			logger.InfoContext(ctx, "job settled", "outcome", outcome)
			return outcome
		case errors.Is(err, ErrTooLarge):
			outcome, change = FailedRun, fail("the result is too large to keep; start the job for a smaller part of the data")
		case !fault.Is(err, fault.Unavailable):
			logger.InfoContext(ctx, "job is not ours any more", "reason", err)
			return outcome
		}
		select {
		case <-ctx.Done():
			logger.WarnContext(ctx, "the job's end was not kept; it will be taken up again", "error", err)
			return outcome
		case <-time.After(awayPause):
		}
	}
}
