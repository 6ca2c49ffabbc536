// Package erase deletes for good: it hides at once and erases in the background.
//
// A delete writes tombstones, which hide from the next read on, and starts a job of the project. The job waits
// until everything accepted before the delete has left the log, erases it from the log, the dead letters, the
// trace store, blobs and metadata, and marks the tombstones. Whatever ends a job early leaves things hidden and
// unmarked: the next job of the project erases them.
package erase

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"github.com/sondehq/sonde/internal/eventlog"
	"github.com/sondehq/sonde/internal/jobs"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// Store is what erasing needs of the trace store.
type Store interface {
	tracestore.Tombstones
	tracestore.Eraser
	Observations(ctx context.Context, q tracestore.ObservationQuery) ([]*model.Observation, error)
}

// Log is what erasing needs of the ingest log.
type Log interface {
	eventlog.Eraser
	eventlog.DeadLetters
	Append(ctx context.Context, record []byte) (eventlog.Position, error)
}

// Media removes the bytes of a media that nothing uses.
type Media interface {
	Erase(ctx context.Context, m metastore.Media) error
}

// Blobs is what erasing needs of the blob store.
type Blobs interface {
	Get(ctx context.Context, key string) (io.ReadSeekCloser, error)
	Delete(ctx context.Context, key string) error
	List(ctx context.Context, dir string, each func(key string) error) error
}

// Projects is what the deletion of a project needs of metadata.
type Projects interface {
	// MarkProjectDeleted makes the project's keys be refused, on every node within a second. Marking twice is
	// marking once.
	MarkProjectDeleted(ctx context.Context, projectID string) error
	// ForgetProject removes everything that metadata knows of the project. Forgetting twice is forgetting once.
	ForgetProject(ctx context.Context, projectID string) error
}

// Jobs is what deletes need of the jobs.
type Jobs interface {
	List(ctx context.Context, projectID string, limit int) ([]jobs.Job, error)
	Create(ctx context.Context, projectID, kind string, parameters json.RawMessage) (jobs.Job, error)
}

// Service takes deletes.
//
// Promise: when Delete or Project returns nil, every read that begins afterwards, on every node, hides what was
// accepted before, whatever is still on its way through the log; and it will be erased. What is accepted later
// is new data.
type Service struct {
	store    Store
	media    metastore.Erasures
	projects Projects // nil: projects cannot be deleted
	jobs     Jobs
	logger   *slog.Logger
}

// New makes the service.
func New(store Store, media metastore.Erasures, projects Projects, list Jobs, logger *slog.Logger) *Service {
	return &Service{store, media, projects, list, logger}
}

// Traces deletes traces of a project, with their observations, scores and media that nothing else uses. Ids of
// traces that do not exist do no harm.
func (s *Service) Traces(ctx context.Context, projectID string, ids []string) error {
	_, err := s.Delete(ctx, projectID, ids, model.Requester{Kind: model.ActorNobody})
	return err
}

// Delete is Traces, and names the job that erases; empty when none could be started now: one will be later. Who asked is kept
// with what becomes of it.
func (s *Service) Delete(ctx context.Context, projectID string, ids []string, by model.Requester) (jobID string, err error) {
	now := time.Now()
	list := make([]tracestore.Tombstone, 0, len(ids))
	for _, id := range ids {
		list = append(list, tracestore.Tombstone{ProjectID: projectID, Kind: tracestore.TraceTombstone, ID: id, Version: versionAt(now)})
	}
	if err := s.store.InsertTombstones(ctx, list); err != nil {
		return "", fmt.Errorf("hide traces: %w", err)
	}
	if err := s.media.UnlinkTraces(ctx, projectID, ids, now); err != nil {
		return "", fmt.Errorf("hide media of traces: %w", err)
	}
	if err := s.note(ctx, model.Erasure{ProjectID: projectID, Kind: model.ErasureOfTraces, TraceIDs: ids, Version: versionAt(now), By: by}); err != nil {
		return "", err
	}
	return s.start(ctx, projectID), nil
}

// note keeps the request. It comes after the tombstones: a request that is kept will be erased, and one that is not fails and
// comes again.
func (s *Service) note(ctx context.Context, e model.Erasure) error {
	e.ID, e.AskedAt = uuid.Must(uuid.NewV7()).String(), time.Now().UTC()
	if err := s.media.AddErasure(ctx, e); err != nil {
		return fmt.Errorf("note who deleted: %w", err)
	}
	return nil
}

// versionAt is above the version of everything that was accepted until now.
func versionAt(now time.Time) uint64 { return model.RowVersion(now.Add(time.Microsecond), 0) }

// errNoProjects is for nodes whose metadata cannot forget a project.
var errNoProjects = errors.New("projects cannot be deleted here")

// Project deletes a project with everything in it and names the job that erases.
func (s *Service) Project(ctx context.Context, projectID string, by model.Requester) (jobID string, err error) {
	if s.projects == nil {
		return "", errNoProjects
	}
	// The mark first: what comes after the tombstone would be new data.
	if err := s.projects.MarkProjectDeleted(ctx, projectID); err != nil {
		return "", fmt.Errorf("mark the project as deleted: %w", err)
	}
	// Keys may be known to nodes for a second more, and what they let in must be hidden, too.
	tombstone := tracestore.Tombstone{ProjectID: projectID, Kind: tracestore.ProjectTombstone, ID: projectID, Version: versionAt(time.Now().Add(keysForgotten))}
	if err := s.store.InsertTombstones(ctx, []tracestore.Tombstone{tombstone}); err != nil {
		return "", fmt.Errorf("hide the project: %w", err)
	}
	if err := s.media.UnlinkProject(ctx, projectID); err != nil {
		return "", fmt.Errorf("hide media of the project: %w", err)
	}
	if err := s.note(ctx, model.Erasure{ProjectID: projectID, Kind: model.ErasureOfProject, Version: tombstone.Version, By: by}); err != nil {
		return "", err
	}
	return s.start(ctx, projectID), nil
}

// keysForgotten is more than the time for which nodes remember a key.
const keysForgotten = 5 * time.Second

// lookedAt is how many of a project's newest jobs are searched for one to join.
const lookedAt = 40

// start joins the job of the project that nobody has taken up yet, or makes one. Only such a job is certain to
// see the tombstones that were just written.
func (s *Service) start(ctx context.Context, projectID string) string {
	list, err := s.jobs.List(ctx, projectID, lookedAt)
	if err == nil {
		for _, job := range list {
			if job.Kind == Kind && job.State == jobs.Queued && job.Checkpoint == nil {
				return job.ID
			}
		}
		var job jobs.Job
		if job, err = s.jobs.Create(ctx, projectID, Kind, json.RawMessage(`{"kind":"`+Kind+`"}`)); err == nil {
			return job.ID
		}
	}
	s.logger.WarnContext(ctx, "no job to erase what was deleted; it is hidden, and a later one will", "project", projectID, "error", err)
	return ""
}

// projectsPerSweep bounds a sweep; the next one goes on.
const projectsPerSweep = 1000

// Sweep starts a job in every project that has something hidden and not erased, and none at work on it: jobs may
// have failed or been canceled.
func (s *Service) Sweep(ctx context.Context) error {
	projects, err := s.store.UnerasedProjects(ctx, projectsPerSweep)
	if err != nil {
		return fmt.Errorf("look for what is not erased: %w", err)
	}
	for _, project := range projects {
		list, err := s.jobs.List(ctx, project, lookedAt)
		if err != nil {
			return fmt.Errorf("look for jobs that erase: %w", err)
		}
		if !underWay(list) {
			s.start(ctx, project)
		}
	}
	return nil
}

func underWay(list []jobs.Job) bool {
	for _, job := range list {
		if job.Kind == Kind && !job.State.Final() {
			return true
		}
	}
	return false
}
