package export

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

const (
	// retryAfter is how long a failed export rests.
	retryAfter = 20 * time.Minute

	// claimHolds is how long a window belongs to the node that claimed it last: time to start its job. Later, a
	// window without a job is one whose node died, or whose job was canceled.
	claimHolds = time.Minute

	lookEvery = 15 * time.Second
	pageSize  = 100
)

// Scheduler starts a job for every export that is due. Any number of nodes may run one: of those that see
// the same window, the one that claims it starts the job. A second job, of a node that slept longer than its
// claim holds, would do no harm: every step of a run names the revision of the export that it was made from.
type Scheduler struct {
	exports metastore.Exports
	jobs    Jobs
	horizon Horizon
	logger  *slog.Logger
}

// NewScheduler makes a scheduler.
func NewScheduler(exports metastore.Exports, list Jobs, horizon Horizon, logger *slog.Logger) *Scheduler {
	return &Scheduler{exports, list, horizon, logger}
}

// Run looks for exports that are due until ctx ends.
func (s *Scheduler) Run(ctx context.Context) {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		if err := s.Look(ctx); err != nil && ctx.Err() == nil {
			s.logger.WarnContext(ctx, "exports cannot be scheduled now", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// Look starts what is due.
func (s *Scheduler) Look(ctx context.Context) error {
	horizon, err := s.horizon.Settled(ctx)
	if err != nil {
		return err
	}
	for after := ""; ; {
		page, err := s.exports.EnabledExports(ctx, after, pageSize)
		if err != nil {
			return err
		}
		for _, e := range page {
			after = e.ProjectID
			if err := s.start(ctx, e, horizon); err != nil {
				s.logger.WarnContext(ctx, "an export cannot be started now", "project", e.ProjectID, "error", err)
			}
		}
		if len(page) < pageSize {
			return nil
		}
	}
}

func (s *Scheduler) start(ctx context.Context, e model.Export, horizon time.Time) error {
	at, ok, err := next(e, horizon)
	if err != nil || !ok || time.Since(at.Claimed) < claimHolds || time.Since(e.LastErrorAt) < retryAfter {
		return err
	}
	if open, err := openJob(ctx, s.jobs, e.ProjectID); err != nil || open != "" {
		return err
	}
	at.Claimed = time.Now().UTC()
	text, err := json.Marshal(at)
	if err != nil {
		return err
	}
	e.Progress = string(text)
	switch _, err := s.exports.SaveExport(ctx, e); {
	case errors.Is(err, metastore.ErrExportChanged), errors.Is(err, metastore.ErrNotFound):
		return nil // somebody else claims it, or changes it
	case err != nil:
		return err
	}
	_, err = s.jobs.Create(ctx, e.ProjectID, Kind, nil)
	if fault.Is(err, fault.Limited) {
		return nil // the project has many jobs already; later
	}
	return err
}

// next is what a job would begin with: the window that was begun, or the one that is due.
func next(e model.Export, horizon time.Time) (at progress, ok bool, err error) {
	if e.Progress != "" {
		err := json.Unmarshal([]byte(e.Progress), &at)
		return at, true, err
	}
	window, ok := due(e, horizon)
	return begin(window), ok, nil
}
