package retention

import (
	"context"
	"errors"
	"fmt"
	"path"
	"time"

	"github.com/sondehq/sonde/internal/eventlog"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

const (
	tracesAtOnce  = 500
	rowsAtOnce    = 1000
	mediaAtOnce   = 100
	lettersAtOnce = 100
	// largeSpansKept is how long a span that was larger than a record stays where it waited for the writer.
	largeSpansKept = 48 * time.Hour
	// logPatience is how long a job waits for the writer before others have their turn.
	logPatience = 20 * time.Second
	logPoll     = 100 * time.Millisecond
)

// expireMedia takes media from traces that have no row with texts left, and forgets those that nothing else uses.
func (h *Handler) expireMedia(ctx context.Context, e tracestore.Expiry) (forgotten int, err error) {
	if e.TextsBefore.IsZero() {
		return 0, nil
	}
	for after := ""; ; {
		ids, err := h.Metadata.TracesWithMedia(ctx, e.ProjectID, e.TextsBefore, after, tracesAtOnce)
		if err != nil {
			return 0, fmt.Errorf("list traces with media: %w", err)
		}
		if len(ids) == 0 {
			break
		}
		after = ids[len(ids)-1]
		if err := h.unlink(ctx, e, ids); err != nil {
			return 0, err
		}
	}
	for {
		list, err := h.Metadata.UnusedMedia(ctx, e.ProjectID, mediaAtOnce)
		if err != nil {
			return forgotten, fmt.Errorf("list unused media: %w", err)
		}
		for _, m := range list {
			if err := h.Media.Erase(ctx, m); err != nil {
				return forgotten, err
			}
			if err := h.Metadata.DeleteUnusedMedia(ctx, e.ProjectID, m.ID); err != nil {
				return forgotten, fmt.Errorf("forget media: %w", err)
			}
			forgotten++
		}
		if len(list) < mediaAtOnce {
			return forgotten, nil
		}
	}
}

// unlink takes media from those of the traces that have no row with texts.
func (h *Handler) unlink(ctx context.Context, e tracestore.Expiry, ids []string) error {
	alive := map[string]bool{}
	q := tracestore.ObservationQuery{
		ProjectID: e.ProjectID, Brief: true, OwnOnly: true, Limit: rowsAtOnce,
		Where: []filter.Condition{
			filter.OneOf{Column: filter.TraceID, Values: ids},
			filter.Time{Column: filter.StartTime, Op: filter.AtLeast, At: e.TextsBefore},
		},
	}
	for {
		rows, err := h.Store.Observations(ctx, q)
		if err != nil {
			return fmt.Errorf("look for traces with media: %w", err)
		}
		for _, o := range rows {
			alive[o.TraceID] = true
		}
		if len(rows) < rowsAtOnce {
			break
		}
		last := rows[len(rows)-1]
		q.After = &filter.Position{StartTime: last.StartTime, TraceID: last.TraceID, ID: last.ID}
	}
	var gone []string
	for _, id := range ids {
		if !alive[id] {
			gone = append(gone, id)
		}
	}
	if err := h.Metadata.UnlinkTraces(ctx, e.ProjectID, gone, e.TextsBefore); err != nil {
		return fmt.Errorf("take media from traces: %w", err)
	}
	return nil
}

// clearLargeSpans removes spans that were larger than a record, but for those of other cells' projects, once they are stored. A dead
// letter keeps the one that it refers to. Letters are read twice, and everything that the log held at the first
// time must be stored by the second: a record is then stored, or was a letter at one of both times.
func (h *Handler) clearLargeSpans(ctx context.Context, others []model.Project) (cleared int, err error) {
	old, err := h.oldLargeSpans(ctx, h.Now().Add(-largeSpansKept), others)
	if err != nil || len(old) == 0 {
		return 0, err
	}
	needed, err := h.neededByLetters(ctx, map[string]bool{})
	if err != nil {
		return 0, err
	}
	if err := h.awaitStored(ctx, time.Now()); err != nil {
		return 0, err
	}
	if needed, err = h.neededByLetters(ctx, needed); err != nil {
		return 0, err
	}
	for _, key := range old {
		if needed[key] {
			continue
		}
		if err := h.Blobs.Delete(ctx, key); err != nil {
			return cleared, fmt.Errorf("delete a large span: %w", err)
		}
		cleared++
	}
	return cleared, nil
}

// awaitStored waits until everything that the log took before a time is stored or a dead letter.
func (h *Handler) awaitStored(ctx context.Context, before time.Time) error {
	for end := time.Now().Add(logPatience); ; {
		status, err := h.Log.Status(ctx)
		if err != nil {
			return fmt.Errorf("look at the log: %w", err)
		}
		if status.OldestPending.IsZero() || !status.OldestPending.Before(before) {
			return nil
		}
		if time.Now().After(end) {
			return fault.Unavailablef("the store has not caught up with the log").Hint("the job goes on by itself")
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(logPoll):
		}
	}
}

// maxLargeSpans bounds what one job clears; the rest goes with the next.
const maxLargeSpans = 100_000

var errEnough = errors.New("enough")

func (h *Handler) oldLargeSpans(ctx context.Context, before time.Time, others []model.Project) (keys []string, err error) {
	foreign := map[string]bool{}
	for _, p := range others {
		foreign[eventlog.ProjectBlobDir(p.ID)] = true
	}
	err = h.Blobs.List(ctx, eventlog.BlobDir, func(key string) error {
		made, _, ok := eventlog.BlobMade(key, "")
		if ok && made.Before(before) && !foreign[path.Dir(key)] {
			keys = append(keys, key)
		}
		if len(keys) >= maxLargeSpans {
			return errEnough
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return nil, fmt.Errorf("list large spans: %w", err)
	}
	return keys, nil
}

// neededByLetters adds what dead letters refer to.
func (h *Handler) neededByLetters(ctx context.Context, needed map[string]bool) (map[string]bool, error) {
	for before := uint64(0); ; {
		page, err := h.Log.DeadLetters(ctx, eventlog.DeadLetterQuery{All: true, Before: before, Limit: lettersAtOnce})
		if err != nil {
			return nil, fmt.Errorf("read dead letters: %w", err)
		}
		for _, letter := range page {
			before = letter.ID
			_, record, err := h.Log.DeadLetter(ctx, letter.ID)
			if errors.Is(err, eventlog.ErrNoDeadLetter) {
				continue
			}
			if err != nil {
				return nil, fmt.Errorf("read a dead letter: %w", err)
			}
			if envelope, err := eventlog.DecodeEnvelope(record); err == nil && envelope.BlobKey != "" {
				needed[envelope.BlobKey] = true
			}
		}
		if len(page) < lettersAtOnce {
			return needed, nil
		}
	}
}
