package erase

import (
	"context"
	"slices"
	"time"

	"github.com/sondehq/sonde/internal/eventlog"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

const (
	mediaAtOnce  = 100
	tracesAtOnce = 500
	// othersAge is how old a large span of another project must be before it is taken for left over: its record
	// left the log long ago.
	othersAge = time.Hour
)

// eraseMedia removes links that the writer made since the delete, then every media that nothing uses.
func (r *run) eraseMedia(ctx context.Context) error {
	var err error
	if r.whole() {
		err = r.Metadata.UnlinkProject(ctx, r.project)
	} else {
		err = r.unlink(ctx)
	}
	if err != nil {
		return err
	}
	for {
		list, err := r.Metadata.UnusedMedia(ctx, r.project, mediaAtOnce)
		if err != nil {
			return err
		}
		for _, m := range list {
			if err := r.Media.Erase(ctx, m); err != nil {
				return err
			}
			if err := r.Metadata.DeleteUnusedMedia(ctx, r.project, m.ID); err != nil {
				return err
			}
			r.at.Result.Media++
		}
		if len(list) < mediaAtOnce {
			return nil
		}
	}
}

// unlink removes the links of traces: of one that was born again only those from before its delete.
func (r *run) unlink(ctx context.Context) error {
	var ids []string
	versions := map[string]uint64{}
	for _, t := range r.list {
		if t.Kind == tracestore.TraceTombstone {
			ids = append(ids, t.ID)
			versions[t.ID] = t.Version
		}
	}
	for some := range slices.Chunk(ids, tracesAtOnce) {
		alive, err := r.bornAgain(ctx, some)
		if err != nil {
			return err
		}
		var gone []string
		for _, id := range some {
			if !alive[id] {
				gone = append(gone, id)
				continue
			}
			if err := r.Metadata.UnlinkTraces(ctx, r.project, []string{id}, model.AcceptedAt(versions[id])); err != nil {
				return err
			}
		}
		if err := r.Metadata.UnlinkTraces(ctx, r.project, gone, time.Now()); err != nil {
			return err
		}
	}
	return nil
}

// bornAgain finds the traces that have visible rows.
func (r *run) bornAgain(ctx context.Context, ids []string) (map[string]bool, error) {
	alive := map[string]bool{}
	q := tracestore.ObservationQuery{
		ProjectID: r.project, Brief: true, OwnOnly: true, Limit: 1000,
		Where: []filter.Condition{filter.OneOf{Column: filter.TraceID, Values: ids}},
	}
	for {
		rows, err := r.Store.Observations(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, o := range rows {
			alive[o.TraceID] = true
		}
		if len(rows) < q.Limit {
			return alive, nil
		}
		last := rows[len(rows)-1]
		q.After = &filter.Position{StartTime: last.StartTime, TraceID: last.TraceID, ID: last.ID}
	}
}

// eraseOversize removes spans that were larger than a record. Their records are gone from the log, so nothing but
// a dead letter can need them; those of other projects that were left over go, too, a while later.
func (r *run) eraseOversize(ctx context.Context) error {
	if err := r.noteMoreLetters(ctx); err != nil {
		return err
	}
	until := model.AcceptedAt(r.at.Until).Add(time.Millisecond) // keys and versions tell milliseconds
	var old []string
	err := r.Blobs.List(ctx, eventlog.BlobDir, func(key string) error {
		made, own, ok := eventlog.BlobMade(key, r.project)
		if !own {
			made = made.Add(othersAge)
		}
		if ok && made.Before(until) && !slices.Contains(r.at.Kept, key) {
			old = append(old, key)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, key := range old {
		if err := r.Blobs.Delete(ctx, key); err != nil {
			return err
		}
	}
	return nil
}

// noteMoreLetters adds the blobs of letters that were buried since the round began.
func (r *run) noteMoreLetters(ctx context.Context) error {
	before := r.at.Kept
	if err := r.noteLetters(ctx); err != nil {
		return err
	}
	r.at.Kept = append(r.at.Kept, before...)
	return nil
}

// eraseMetadata forgets a project, and takes off the disk what metadata deleted.
func (r *run) eraseMetadata(ctx context.Context) error {
	if r.whole() && r.Projects != nil {
		if err := r.Projects.ForgetProject(ctx, r.project); err != nil {
			return err
		}
	}
	return r.Metadata.Scrub(ctx)
}
