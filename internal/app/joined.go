package app

import (
	"context"
	"sync"

	"github.com/sondehq/sonde/internal/eventlog"
	"github.com/sondehq/sonde/internal/eventlog/natslog"
	"github.com/sondehq/sonde/internal/ingest"
	"github.com/sondehq/sonde/internal/jobs"
)

// joinedLog is the log of other nodes, for one that serves reads: it takes single scores and flags, starts jobs and shows
// dead letters. It is opened when it is first asked for: such a node must start, and read, while the log is away.
type joinedLog struct {
	options natslog.Config

	mu   sync.Mutex
	log  *natslog.Log
	jobs *natslog.Jobs
}

var _ jobs.Store = joinedJobs{}

// sharedLog is what every node that sees the log does with it.
type sharedLog interface {
	ingest.Log
	ingest.LogState
	eventlog.DeadLetters
}

// anyLog is the log that this node has, or joins; nil where there is none.
func (n *node) anyLog() sharedLog {
	switch {
	case n.log != nil:
		return n.log
	case n.joined != nil:
		return n.joined
	}
	return nil
}

// joinPart opens nothing yet.
func (n *node) joinPart() part {
	return part{
		name: "log of other nodes",
		start: func(context.Context) error {
			n.joined = &joinedLog{options: n.logOptions()}
			n.jobs = joinedJobs{n.joined}
			return nil
		},
		stop: func(ctx context.Context) error { return n.joined.close(ctx) },
	}
}

func (j *joinedLog) open(ctx context.Context) (*natslog.Log, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.opened(ctx)
}

// opened is to be called with the lock.
func (j *joinedLog) opened(ctx context.Context) (*natslog.Log, error) {
	if j.log != nil {
		return j.log, nil
	}
	options := j.options
	options.Join = true
	log, err := natslog.OpenRemote(ctx, options)
	if err != nil {
		return nil, err
	}
	j.log = log
	return log, nil
}

func (j *joinedLog) openJobs(ctx context.Context) (*natslog.Jobs, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.jobs != nil {
		return j.jobs, nil
	}
	log, err := j.opened(ctx)
	if err != nil {
		return nil, err
	}
	j.jobs, err = log.Jobs(ctx)
	return j.jobs, err
}

func (j *joinedLog) close(ctx context.Context) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.log == nil {
		return nil
	}
	return j.log.Close(ctx)
}

// Status implements ingest.LogState.
func (j *joinedLog) Status(ctx context.Context) (eventlog.Status, error) {
	log, err := j.open(ctx)
	if err != nil {
		return eventlog.Status{}, err
	}
	return log.Status(ctx)
}

// Append implements ingest.Log.
func (j *joinedLog) Append(ctx context.Context, record []byte) (eventlog.Position, error) {
	log, err := j.open(ctx)
	if err != nil {
		return eventlog.Position{}, err
	}
	return log.Append(ctx, record)
}

// unknownRecordBytes is less than any server of ours takes, while it was not asked yet.
const unknownRecordBytes = 512 << 10

// MaxRecordBytes implements ingest.Log.
func (j *joinedLog) MaxRecordBytes() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.log == nil {
		return unknownRecordBytes
	}
	return j.log.MaxRecordBytes()
}

// DeadLetters implements eventlog.DeadLetters.
func (j *joinedLog) DeadLetters(ctx context.Context, q eventlog.DeadLetterQuery) ([]eventlog.DeadLetter, error) {
	log, err := j.open(ctx)
	if err != nil {
		return nil, err
	}
	return log.DeadLetters(ctx, q)
}

// DeadLetter implements eventlog.DeadLetters.
func (j *joinedLog) DeadLetter(ctx context.Context, id uint64) (eventlog.DeadLetter, []byte, error) {
	log, err := j.open(ctx)
	if err != nil {
		return eventlog.DeadLetter{}, nil, err
	}
	return log.DeadLetter(ctx, id)
}

// Redrive implements eventlog.DeadLetters.
func (j *joinedLog) Redrive(ctx context.Context, id uint64) (eventlog.Position, error) {
	log, err := j.open(ctx)
	if err != nil {
		return eventlog.Position{}, err
	}
	return log.Redrive(ctx, id)
}

// DeleteDeadLetter implements eventlog.DeadLetters.
func (j *joinedLog) DeleteDeadLetter(ctx context.Context, id uint64) error {
	log, err := j.open(ctx)
	if err != nil {
		return err
	}
	return log.DeleteDeadLetter(ctx, id)
}

// joinedJobs are the jobs beside it.
type joinedJobs struct{ log *joinedLog }

// Create implements jobs.Store.
func (j joinedJobs) Create(ctx context.Context, job jobs.Job) error {
	store, err := j.log.openJobs(ctx)
	if err != nil {
		return err
	}
	return store.Create(ctx, job)
}

// Get implements jobs.Store.
func (j joinedJobs) Get(ctx context.Context, projectID, id string) (jobs.Job, error) {
	store, err := j.log.openJobs(ctx)
	if err != nil {
		return jobs.Job{}, err
	}
	return store.Get(ctx, projectID, id)
}

// List implements jobs.Store.
func (j joinedJobs) List(ctx context.Context, projectID string, limit int) ([]jobs.Job, error) {
	store, err := j.log.openJobs(ctx)
	if err != nil {
		return nil, err
	}
	return store.List(ctx, projectID, limit)
}

// Update implements jobs.Store.
func (j joinedJobs) Update(ctx context.Context, job jobs.Job) (jobs.Job, error) {
	store, err := j.log.openJobs(ctx)
	if err != nil {
		return jobs.Job{}, err
	}
	return store.Update(ctx, job)
}

// Open implements jobs.Store.
func (j joinedJobs) Open(ctx context.Context, visit func(jobs.Job) bool) error {
	store, err := j.log.openJobs(ctx)
	if err != nil {
		return err
	}
	return store.Open(ctx, visit)
}
