package bench

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sondehq/sonde/internal/tracestore/chstore"
)

// SeedResult is what a seeded directory holds and what it took to fill it.
type SeedResult struct {
	Rows        int     `json:"rows"`
	Seconds     float64 `json:"seconds"` // of all runs that it took, merges included
	BytesOnDisk int64   `json:"bytes_on_disk"`

	Dir           string  `json:"dir"`
	Traces        int     `json:"traces"`
	DenseRows     int     `json:"dense_minute_rows"`
	RowsPerSecond float64 `json:"rows_per_s"` // of this run, from the first request until all could be read
	TableBytes    int64   `json:"table_bytes"`
	Parts         int     `json:"parts"`
	Already       bool    `json:"already_there"` // an earlier run had done it
}

// SeedOptions say what to make, and where.
type SeedOptions struct {
	Dir   string // empty: SeedDir
	Rows  int
	Seed  uint64
	Dense bool // a sixteenth of the rows starts in the newest minute
}

// SeedDir is the directory of a seed that is given none.
func SeedDir(rows int) string { return fmt.Sprintf("bench-data-%d", rows) }

// seedConnections is how many requests are made and sent side by side.
const seedConnections = 8

// Seed fills a data directory through a server of this build: requests go over loopback to the log, the
// writer and the store, as clients' do. A run that was interrupted goes on where it was; rows that
// were sent twice fold. A directory with another seed is left alone.
func Seed(ctx context.Context, o SeedOptions, p *Progress) (result SeedResult, err error) {
	plan, err := newSeedPlan(o.Rows, o.Seed, o.Dense)
	if err != nil {
		return result, err
	}
	if o.Dir == "" {
		o.Dir = SeedDir(o.Rows)
	}
	state, err := openSeed(o.Dir, plan)
	if err != nil {
		return result, err
	}
	if state.Result != nil {
		result = *state.Result
		result.Already = true
		p.say("%s has these %d rows already", o.Dir, result.Rows)
		return result, nil
	}
	// What is stored need not stay in the log: nobody will replay it.
	s, err := newServerIn(state.ownDir(), o.Dir, "--eventlog-keep", "1s")
	if err != nil {
		return result, err
	}
	defer func() {
		_, stopped := s.stop()
		err = errors.Join(err, stopped)
	}()
	if _, err := s.start(ctx); err != nil {
		return result, err
	}
	run := &seedRun{server: s, state: state, seeder: newSeeder(plan.layout()), progress: p}
	if err := run.sendAll(ctx); err != nil {
		return result, err
	}
	return run.finish(ctx)
}

// seedRun is a seed on its way.
type seedRun struct {
	*seeder
	server   *server
	state    *seedState
	progress *Progress
	began    time.Time
	sentRows atomic.Int64 // in this run
}

// sendAll makes and sends every request that no earlier run has sent.
func (r *seedRun) sendAll(ctx context.Context) error {
	bodies := r.bodies()
	r.began = time.Now()
	first := r.state.Sent
	if first > 0 {
		r.progress.say("going on after %d of %d requests", first, len(bodies)-1)
	}
	r.progress.say("sending %d rows in %d traces", r.Rows-int(r.seedLayout.first[bodies[first]]), r.traces()-bodies[first])
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	floor := newFloor(first)
	var next atomic.Int64
	next.Store(int64(first))
	var senders sync.WaitGroup
	for range seedConnections {
		senders.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1) - 1)
				if i >= len(bodies)-1 {
					return
				}
				if err := r.send(ctx, bodies[i], bodies[i+1]); err != nil {
					cancel(fmt.Errorf("send request %d: %w", i, err))
					return
				}
				floor.done(i)
			}
		})
	}
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		r.watch(ctx, floor, len(bodies)-1)
	}()
	senders.Wait()
	failed := context.Cause(ctx)
	cancel(nil)
	<-watched
	r.state.Sent = floor.reached()
	r.state.Seconds += time.Since(r.began).Seconds()
	return errors.Join(failed, r.state.save())
}

// send makes the traces of one request and sends it until it is taken: a server that is behind says so.
func (r *seedRun) send(ctx context.Context, from, to int) error {
	var spans []span
	for trace := from; trace < to; trace++ {
		spans = append(spans, r.trace(trace)...)
	}
	b := body{plain: encodeRequest(spans)}
	for {
		_, err := r.server.send(ctx, &b, publicKey, secretKey)
		var refused *refusedError
		switch {
		case err == nil:
			r.sentRows.Add(int64(len(spans)))
			return nil
		case !errors.As(err, &refused) || refused.status != http.StatusServiceUnavailable:
			return err
		}
		if err := sleep(ctx, time.Second); err != nil {
			return err
		}
	}
}

// watch shows progress and keeps the state on disk up to date.
func (r *seedRun) watch(ctx context.Context, floor *floor, all int) {
	for sleep(ctx, 5*time.Second) == nil && floor.reached() < all {
		rows, took := r.sentRows.Load(), time.Since(r.began).Seconds()
		r.progress.say("%5.0f s: request %d of %d, %.0f rows/s", took, floor.reached(), all, float64(rows)/took)
		r.state.Sent = floor.reached()
		if err := r.state.save(); err != nil {
			r.progress.say("%v", err) // the next one may work; without it an interrupted run sends more again
		}
	}
}

// finish waits until all can be read and the engine has merged, and counts.
func (r *seedRun) finish(ctx context.Context) (SeedResult, error) {
	result := SeedResult{Rows: r.Rows, Dir: r.server.data, Traces: r.traces(), DenseRows: r.denseRows()}
	began := time.Now()
	r.progress.say("waiting until all is stored and merged")
	if err := r.server.waitDrained(ctx); err != nil {
		return result, err
	}
	if sent := r.sentRows.Load(); sent > 0 {
		result.RowsPerSecond = round(float64(sent)/time.Since(r.began).Seconds(), 0)
	}
	store, err := r.server.openStore(chstore.DefaultDatabase, 1)
	if err != nil {
		return result, err
	}
	defer store.Close()
	if err := waitQuiet(ctx, store, r.progress); err != nil {
		return result, err
	}
	r.progress.say("settling: one part for each partition, as the server has it after a day")
	if err := store.Settle(ctx); err != nil {
		return result, err
	}
	stored, err := store.CountObservations(ctx, projectID, nil)
	if err != nil {
		return result, err
	}
	if int(stored) != r.Rows {
		return result, fmt.Errorf("%d rows are stored, %d were sent", stored, r.Rows)
	}
	if err := result.measure(ctx, store); err != nil {
		return result, err
	}
	r.state.Seconds += time.Since(began).Seconds()
	result.Seconds = round(r.state.Seconds, 1)
	r.state.Result = &result
	return result, r.state.save()
}

func (r *SeedResult) measure(ctx context.Context, store *chstore.Store) error {
	tables, err := store.DiskBytes(ctx)
	if err != nil {
		return err
	}
	parts, err := store.ActiveParts(ctx)
	if err != nil {
		return err
	}
	r.TableBytes, r.Parts = int64(tables), int(parts)
	r.BytesOnDisk, err = dirBytes(r.Dir)
	return err
}

// dirBytes sums the files below a directory. Files may come and go meanwhile.
func dirBytes(dir string) (int64, error) {
	var sum int64
	err := filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		}
		sum += info.Size()
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("measure %s: %w", dir, err)
	}
	return sum, nil
}

// waitDrained returns when the writer has stored everything that the log holds.
func (s *server) waitDrained(ctx context.Context) error {
	for {
		pending, err := s.metric(ctx, "sonde_log_pending_envelopes")
		if err != nil || pending == 0 {
			return err
		}
		if err := sleep(ctx, 100*time.Millisecond); err != nil {
			return err
		}
	}
}

// Merges come in waves: it is quiet when none ran for quietFor.
const (
	quietFor    = 5 * time.Second
	quietWithin = 20 * time.Minute
)

// waitQuiet returns when the engine has nothing left to merge.
func waitQuiet(ctx context.Context, store *chstore.Store, p *Progress) error {
	began := time.Now()
	quietSince, said := began, began
	for time.Since(quietSince) < quietFor {
		merges, err := store.Merges(ctx)
		if err != nil {
			return err
		}
		if merges > 0 {
			quietSince = time.Now()
		}
		if time.Since(said) > 30*time.Second {
			said = time.Now()
			p.say("%.0f merges run", merges)
		}
		if time.Since(began) > quietWithin {
			return fmt.Errorf("the engine still merges after %s", quietWithin)
		}
		if err := sleep(ctx, 200*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// exists reports whether there is something at a path.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
