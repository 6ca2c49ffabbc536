// Package retention deletes what is older than a project keeps it.
//
// A job goes over all projects once a day: it removes rows and texts from the trace store, media that only traces
// of that time used, and large spans that waited for the writer and were stored long ago.
package retention

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"github.com/sondehq/sonde/internal/eventlog"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/jobs"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// Kind is the name of the job.
const Kind = "retention"

// instance is the project of jobs that belong to none.
const instance = ""

// Parts is what retention looks after.
type Parts struct {
	Store interface {
		tracestore.Retainer
		Observations(ctx context.Context, q tracestore.ObservationQuery) ([]*model.Observation, error)
	}
	Metadata interface {
		Projects(ctx context.Context) ([]model.Project, error)
		metastore.Erasures
		metastore.MediaAges
	}
	Media interface {
		Erase(ctx context.Context, m metastore.Media) error
	}
	Log interface {
		Status(ctx context.Context) (eventlog.Status, error)
		eventlog.DeadLetters
	}
	Blobs interface {
		List(ctx context.Context, dir string, each func(key string) error) error
		Delete(ctx context.Context, key string) error
	}
	// Cell is the one that jobs run in: projects of others are left to them.
	Cell string
	// Default holds for projects without a retention of their own.
	Default model.Retention
	Logger  *slog.Logger
	Now     func() time.Time
}

// Handler does jobs of this kind.
//
// Promise: nothing goes before its time, and what a project keeps never depends on other projects. A job that was
// interrupted is done again from the start, to the same end.
type Handler struct{ Parts }

var _ jobs.Handler = (*Handler)(nil)

// New makes the handler. On a node that only takes jobs in, the parts may be nil.
func New(parts Parts) *Handler { return &Handler{parts} }

// Check lets nobody start one: a job is not of a project.
func (h *Handler) Check(json.RawMessage) (json.RawMessage, error) {
	return nil, fault.New(fault.Invalid, "retention runs by itself").Hint("set the retention of the project")
}

// Result is what a job did.
type Result struct {
	Projects   int    `json:"projects"` // that do not keep everything
	Parts      uint64 `json:"parts"`    // of the store that were dropped whole
	Rows       uint64 `json:"rows"`
	Media      int    `json:"media"`
	LargeSpans int    `json:"largeSpans"`
}

// Run removes what is due now.
func (h *Handler) Run(ctx context.Context, task jobs.Task) (json.RawMessage, error) {
	projects, err := h.Metadata.Projects(ctx)
	if err != nil {
		return nil, notNow(ctx, fmt.Errorf("list projects: %w", err))
	}
	ours, others := h.split(projects)
	due := Due(ours, h.Default, h.Now())
	result := Result{Projects: len(due)}
	task.Progress(jobs.Progress{Text: "removing rows"})
	expired, err := h.Store.Expire(ctx, due)
	if err != nil {
		return nil, notNow(ctx, err)
	}
	result.Parts, result.Rows = expired.Parts, expired.Rows
	for i, e := range due {
		task.Progress(jobs.Progress{Done: uint64(i), Total: uint64(len(due)), Text: "removing media"})
		n, err := h.expireMedia(ctx, e)
		if err != nil {
			return nil, notNow(ctx, err)
		}
		result.Media += n
	}
	task.Progress(jobs.Progress{Text: "removing large spans"})
	if result.LargeSpans, err = h.clearLargeSpans(ctx, others); err != nil {
		return nil, notNow(ctx, err)
	}
	h.Logger.InfoContext(ctx, "what is too old was removed", "projects", result.Projects, "parts", result.Parts, "rows", result.Rows,
		"media", result.Media, "large_spans", result.LargeSpans)
	return json.Marshal(result)
}

// split tells projects of this cell from those of others.
func (h *Handler) split(projects []model.Project) (ours, others []model.Project) {
	for _, p := range projects {
		if p.Cell == h.Cell {
			ours = append(ours, p)
		} else {
			others = append(others, p)
		}
	}
	return ours, others
}

// Due says what goes at a time: whole days before the present one. Projects that keep everything, or are being
// erased, are left out.
func Due(projects []model.Project, fallback model.Retention, now time.Time) (due []tracestore.Expiry) {
	today := now.UTC().Truncate(24 * time.Hour)
	ago := func(days int) time.Time {
		if days <= 0 {
			return time.Time{}
		}
		return today.AddDate(0, 0, -days)
	}
	for _, p := range projects {
		days, texts := Effective(p.Retention, fallback)
		if p.ErasingAt.IsZero() && (days > 0 || texts > 0) {
			due = append(due, tracestore.Expiry{ProjectID: p.ID, Before: ago(days), TextsBefore: ago(texts)})
		}
	}
	return due
}

// Effective is what holds for a project: its own retention, else that of the instance. Texts are kept no longer
// than rows. 0: for ever.
func Effective(own, fallback model.Retention) (days, texts int) {
	days, texts = own.Days, own.PayloadDays
	if days == 0 {
		days = fallback.Days
		if texts == 0 {
			texts = fallback.PayloadDays
		}
	}
	if texts == 0 || days > 0 && texts > days {
		texts = days
	}
	return days, texts
}

// Start makes a job unless one is under way or began less than every ago. Nodes that start one at the same time
// make two, of which the second finds nothing to do.
func Start(ctx context.Context, store jobs.Store, every time.Duration, now time.Time) error {
	list, err := store.List(ctx, instance, jobs.MaxListed)
	if err != nil {
		return fmt.Errorf("list jobs: %w", err)
	}
	for _, job := range list {
		if job.Kind == Kind && (!job.State.Final() || now.Sub(job.CreatedAt) < every) {
			return nil
		}
	}
	now = now.UTC().Truncate(time.Millisecond)
	job := jobs.Job{ID: jobs.NewID(), Kind: Kind, ProjectID: instance, State: jobs.Queued, CreatedAt: now, UpdatedAt: now}
	if err := store.Create(ctx, job); err != nil {
		return fmt.Errorf("create job: %w", err)
	}
	return nil
}

// notNow keeps a job from failing for good: it is tried again.
func notNow(ctx context.Context, err error) error {
	if ctx.Err() != nil || fault.KindOf(err) != fault.Internal {
		return err
	}
	return fault.Unavailablef("retention did not get on; it is tried again").Because(err)
}
