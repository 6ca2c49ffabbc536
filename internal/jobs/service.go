package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/sondehq/sonde/internal/fault"
)

// MaxListed is the longest list of jobs.
const MaxListed = 100

// cancelTries is how often Cancel competes with the beats of a runner, which come twice a second.
const cancelTries = 20

// Service is what clients do with the jobs of their project.
type Service struct {
	store Store
	kinds map[string]Handler
}

// NewService offers the kinds of jobs in the map.
func NewService(store Store, kinds map[string]Handler) *Service { return &Service{store, kinds} }

// NewID makes the id of a job: unique, and sorting by time.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }

// Create checks the parameters and queues a job.
func (s *Service) Create(ctx context.Context, projectID, kind string, parameters json.RawMessage) (Job, error) {
	handler, ok := s.kinds[kind]
	if !ok {
		return Job{}, fault.Invalidf("kind", "must be one of %s", s.names())
	}
	checked, err := handler.Check(parameters)
	if err != nil {
		return Job{}, err
	}
	now := time.Now().UTC().Truncate(time.Millisecond)
	job := Job{
		ID: NewID(), Kind: kind, ProjectID: projectID, Parameters: checked,
		State: Queued, CreatedAt: now, UpdatedAt: now,
	}
	switch err := s.store.Create(ctx, job); {
	case errors.Is(err, ErrTooLarge):
		return Job{}, fault.New(fault.TooLarge, "the parameters are larger than %d bytes", MaxBytes).Because(err)
	case err != nil:
		return Job{}, fmt.Errorf("create job: %w", err)
	}
	return job, nil
}

func (s *Service) names() string {
	if len(s.kinds) == 0 {
		return "none: this server has no kinds of jobs"
	}
	return strings.Join(slices.Sorted(maps.Keys(s.kinds)), ", ")
}

// Get returns one job of the project.
func (s *Service) Get(ctx context.Context, projectID, id string) (Job, error) {
	return s.store.Get(ctx, projectID, id)
}

// List returns the newest jobs of the project, newest first.
func (s *Service) List(ctx context.Context, projectID string, limit int) ([]Job, error) {
	return s.store.List(ctx, projectID, min(limit, MaxListed))
}

// Cancel ends a job. Its runner learns of it with its next beat, and writes nothing after that.
// Canceling twice is canceling once; a job that ended otherwise is a fault of kind Conflict.
func (s *Service) Cancel(ctx context.Context, projectID, id string) (Job, error) {
	for range cancelTries {
		job, err := s.store.Get(ctx, projectID, id)
		if err != nil || job.State == Canceled {
			return job, err
		}
		if job.State.Final() {
			return Job{}, fault.New(fault.Conflict, "the job is %s already", job.State)
		}
		end(&job, Canceled)
		job, err = s.store.Update(ctx, job)
		if errors.Is(err, ErrChanged) {
			continue
		}
		if err != nil {
			return Job{}, fmt.Errorf("cancel job: %w", err)
		}
		return job, nil
	}
	return Job{}, fault.Unavailablef("the job changes too fast to be canceled").Hint("try again")
}

// end moves a job to a final state.
func end(job *Job, state State) {
	job.State, job.EndedAt = state, time.Now().UTC().Truncate(time.Millisecond)
	job.UpdatedAt = job.EndedAt
	job.Holder, job.Checkpoint, job.NotBefore = "", nil, time.Time{}
}
