package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sondehq/sonde/internal/fault"
)

// awayPause is the time between two tries while the store of jobs does not answer.
const awayPause = 200 * time.Millisecond

// maxProgressText keeps a talkative handler from filling the job.
const maxProgressText = 500

// hold is a job that this process works on. Every write goes through it, so that the revision is
// always the one of our last write: a write that is refused means that the job is ours no more.
type hold struct {
	store    Store
	progress atomic.Pointer[Progress]

	mu      sync.Mutex
	job     Job
	written time.Time
}

func newHold(store Store, job Job) *hold {
	h := &hold{store: store, job: job, written: time.Now()}
	h.progress.Store(&job.Progress)
	return h
}

// Job is the job as it is.
func (h *hold) Job() Job {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.job
}

// Progress goes out with the next write, a beat at the latest.
func (h *hold) Progress(p Progress) {
	if len(p.Text) > maxProgressText {
		p.Text = strings.ToValidUTF8(p.Text[:maxProgressText], "")
	}
	h.progress.Store(&p)
}

// Checkpoint keeps trying while the store of jobs is away, as long as ctx lasts: the runner ends
// it when the lease does.
func (h *hold) Checkpoint(ctx context.Context, checkpoint json.RawMessage) error {
	for {
		err := h.write(ctx, func(job *Job) { job.Checkpoint, job.Waits, job.Orphaned = checkpoint, 0, 0 })
		if !fault.Is(err, fault.Unavailable) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(awayPause):
		}
	}
}

// write changes the job if it is still held. An earlier write whose answer got lost has moved the
// revision; the holder's name tells it from a write of somebody else.
func (h *hold) write(ctx context.Context, change func(*Job)) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	next := h.job
	next.Progress, next.UpdatedAt = *h.progress.Load(), time.Now().UTC().Truncate(time.Millisecond)
	change(&next)
	saved, err := h.store.Update(ctx, next)
	if errors.Is(err, ErrChanged) {
		found, readErr := h.store.Get(ctx, next.ProjectID, next.ID)
		switch {
		case fault.Is(readErr, fault.Unavailable):
			return readErr
		case readErr == nil && found.State == Running && found.Holder == h.job.Holder:
			next.Revision = found.Revision
			saved, err = h.store.Update(ctx, next)
		}
	}
	if err != nil {
		return err
	}
	h.job, h.written = saved, time.Now()
	return nil
}

// silent is how long ago the last write was.
func (h *hold) silent() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	return time.Since(h.written)
}

// beat shows that the runner lives, until ctx ends. It calls stop when the job is lost to somebody
// else, or soon will be because no beat gets through.
func (h *hold) beat(ctx context.Context, every, lease time.Duration, stop context.CancelCauseFunc) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		err := h.write(ctx, func(*Job) {})
		switch {
		case err == nil, ctx.Err() != nil:
		case !fault.Is(err, fault.Unavailable):
			stop(err)
			return
		case h.silent() > lease*2/3:
			stop(err)
			return
		}
	}
}
