// Package jobs is the port to durable background jobs, with the runner that works on them and the
// service that clients reach them by.
//
// A job kind is a Handler under a name. The runner gives it what every long job needs: one runner at
// a time, checkpoints, an end on request, and patience while a store is away.
package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// State is where a job stands.
type State string

// The states. Their texts are stored and shown: never change one.
const (
	Queued   State = "queued"
	Running  State = "running"
	Done     State = "done"
	Failed   State = "failed"
	Canceled State = "canceled"
)

// Final reports whether nothing happens to a job of this state any more.
func (s State) Final() bool { return s == Done || s == Failed || s == Canceled }

// Progress is how far a job got, for people.
type Progress struct {
	Done  uint64 `json:"done"`
	Total uint64 `json:"total"` // 0: not known
	Text  string `json:"text,omitempty"`
}

// Job is one piece of background work of one project.
type Job struct {
	ID         string          `json:"id"` // see NewID: ids sort by time of creation
	Kind       string          `json:"kind"`
	ProjectID  string          `json:"project"`
	Parameters json.RawMessage `json:"parameters,omitempty"`
	State      State           `json:"state"`
	Progress   Progress        `json:"progress"`
	Result     json.RawMessage `json:"result,omitempty"`
	// Reason says why the job failed, or what it waits for.
	Reason    string    `json:"reason,omitempty"`
	CreatedAt time.Time `json:"created"`
	StartedAt time.Time `json:"started,omitzero"`
	UpdatedAt time.Time `json:"updated"`
	EndedAt   time.Time `json:"ended,omitzero"`
	Attempts  int       `json:"attempts,omitempty"` // how often a runner took it up

	// Checkpoint is the handler's own: where to go on.
	Checkpoint json.RawMessage `json:"checkpoint,omitempty"`
	// Holder names the one taking-up of the job that may change it while it runs.
	Holder string `json:"holder,omitempty"`
	// NotBefore keeps runners away while the job waits for a store.
	NotBefore time.Time `json:"not_before,omitzero"`
	// Waits and Orphaned count, since the last checkpoint, how often the job waited for a store
	// and how often it was left behind by a runner that died.
	Waits    int `json:"waits,omitempty"`
	Orphaned int `json:"orphaned,omitempty"`

	// Revision changes with every change of the job. It belongs to the store.
	Revision uint64 `json:"-"`
}

// Limits of a store.
const (
	// MaxOpen is how many unfinished jobs a project may have.
	MaxOpen = 20
	// MaxKept is how many jobs of a project are remembered; the oldest finished ones go first.
	MaxKept = 200
	// MaxBytes bounds a job with all its texts, as JSON.
	MaxBytes = 256 << 10
)

var (
	// ErrChanged is returned by Update when the job is not any more as the caller read it.
	ErrChanged = errors.New("the job changed meanwhile")
	// ErrTooLarge is returned by Create and Update for a job above MaxBytes.
	ErrTooLarge = errors.New("the job is larger than its store takes")
)

// Store keeps jobs.
//
// Promises:
//   - When Create or Update returns nil the job is on disk and the next read on any node sees it.
//   - Of two Updates of the same revision one gets ErrChanged, whichever nodes they come from.
//     After any other error the change may have happened or not: read again.
//   - Get and List see jobs of their project only.
//   - A job that is not finished is never forgotten.
type Store interface {
	// Create keeps a new job. A project with MaxOpen unfinished ones gets a fault of kind Limited.
	Create(ctx context.Context, job Job) error
	// Get returns a job; one that is not there is a fault of kind NotFound.
	Get(ctx context.Context, projectID, id string) (Job, error)
	// List returns the newest jobs of a project, at most limit, newest first.
	List(ctx context.Context, projectID string, limit int) ([]Job, error)
	// Update replaces the job if it still has job.Revision, and returns it with its new revision.
	Update(ctx context.Context, job Job) (Job, error)
	// Open shows visit the unfinished jobs of all projects, oldest first, until it returns false.
	// visit may call the store.
	Open(ctx context.Context, visit func(Job) bool) error
}

// Handler does the work of one kind of job.
type Handler interface {
	// Check reads the parameters of a new job and returns them as they are to be kept. What a
	// client must mend is a fault of kind Invalid.
	Check(parameters json.RawMessage) (json.RawMessage, error)
	// Run does the work and returns the result. The same job may be run again after a crash, from
	// its last checkpoint: what happened since must not show twice. Run returns soon after ctx ends.
	//
	// A fault of kind Unavailable puts the job off until later, however often; every other error
	// ends it, and a fault's public text is the reason that people read.
	Run(ctx context.Context, task Task) (json.RawMessage, error)
}

// Task is a job in the hands of its handler.
type Task interface {
	// Job is the job as it was taken up, with the checkpoint to go on from.
	Job() Job
	// Progress tells how far the work is. It is shown soon, and costs nothing.
	Progress(p Progress)
	// Checkpoint keeps where to go on, durably and together with the progress. After an error the
	// handler must return it: the job may be somebody else's by now.
	Checkpoint(ctx context.Context, checkpoint json.RawMessage) error
}
