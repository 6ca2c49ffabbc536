// Package writer moves envelopes from the log into the trace store.
//
// Promise: an envelope is acknowledged only after the store has all its rows on disk. A crash in
// between inserts a batch twice, and the rows' versions make that one row each. A row that the
// store refuses becomes a dead letter with its reason and takes no other row with it; a store
// that is away is waited for and makes no dead letters.
//
// Events that tell a part of a row are stored first and read afterwards, with all others of their
// entities, so that of any writers at work at once the last to read sees everything. What it makes
// of them has the highest version. No order of records and no owner of an entity is needed.
package writer

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/sondehq/sonde/internal/blob"
	"github.com/sondehq/sonde/internal/eventlog"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/selfobs"
	"github.com/sondehq/sonde/internal/tracestore"
)

// Config bounds a batch. Whatever bound is met first closes it.
type Config struct {
	MaxRows  int
	MaxBytes int           // of input and output text
	MaxWait  time.Duration // since the batch's first row
	Inserts  int           // batches in the store at once
}

// Default is what one node wants: at most five batches a second at low load, so that the store
// makes few parts, and at high load as many rows per batch as the store gains from.
func Default() Config {
	return Config{MaxRows: 20_000, MaxBytes: 64 << 20, MaxWait: 200 * time.Millisecond, Inserts: 2}
}

// Step completes mapped rows before they are stored: prices, media. It changes rows in place. An
// error means "not now": the records come again later.
type Step interface {
	Apply(ctx context.Context, rows []*model.Observation) error
}

// Store is where a writer puts everything.
type Store interface {
	tracestore.Store
	tracestore.Partials
	tracestore.Rejections
	// InsertScores is that of tracestore.Scores.
	InsertScores(ctx context.Context, scores []*model.Score) error
}

// Writer consumes all partitions of the log.
type Writer struct {
	config  Config
	log     eventlog.Log
	store   Store
	blobs   blob.Store
	steps   []Step
	logger  *slog.Logger
	metrics *selfobs.Metrics
	held    held
	news    News // nil: nobody is told
	// observe hears of every batch.
	observe func(selfobs.Batch)
}

// New makes a writer that takes every row through the steps, in order; Run starts it.
func New(config Config, log eventlog.Log, store Store, blobs blob.Store, logger *slog.Logger, metrics *selfobs.Metrics, steps ...Step) *Writer {
	return &Writer{
		config: config, log: log, store: store, blobs: blobs, steps: steps, logger: logger, metrics: metrics,
		held: held{list: map[eventlog.Position]eventlog.Delivery{}}, observe: func(selfobs.Batch) {},
	}
}

// Observed makes the writer tell of every batch that it is done with, and returns it.
func (w *Writer) Observed(observe func(selfobs.Batch)) *Writer {
	w.observe = observe
	return w
}

// unit is one delivery with what it holds.
type unit struct {
	delivery   eventlog.Delivery
	project    string
	acceptedAt time.Time
	own        bool // it holds traces of a server itself
	first      int  // position in the client's request of what comes first in it
	rows       []*model.Observation
	partials   []tracestore.Partial
	rejections []tracestore.Rejection
	bytes      int
}

// size is how many rows of the store the unit makes, about.
func (u *unit) size() int { return len(u.rows) + len(u.partials) + len(u.rejections) }

// batch is what goes into the store at once.
type batch struct {
	units []unit
	rows  int
	bytes int
}

// Run works until ctx ends, then stores and acknowledges what it holds for at most stopWithin.
// What it cannot store by then stays in the log.
func (w *Writer) Run(ctx context.Context, stopWithin time.Duration) {
	// Fetching stops with ctx; storing may go on until stopWithin later.
	storing, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	stopTimer := context.AfterFunc(ctx, func() { time.AfterFunc(stopWithin, cancel) })
	defer stopTimer()

	units := make(chan unit)
	due, full := make(chan batch), make(chan batch)
	var fetchers, stages sync.WaitGroup
	for partition := range w.log.Partitions() {
		fetchers.Go(func() { w.fetch(ctx, storing, partition, units) })
	}
	stages.Go(func() { w.collect(units, due, full) })
	stages.Go(func() { w.insertAll(storing, due, full) })
	for range w.config.Inserts - 1 {
		stages.Go(func() { w.insertAll(storing, nil, full) })
	}
	extended := make(chan struct{})
	go func() { w.held.extend(storing); close(extended) }()

	fetchers.Wait()
	close(units)
	stages.Wait()
	cancel()
	<-extended
}

// fetch brings one partition's records and maps them.
func (w *Writer) fetch(ctx, storing context.Context, partition int, out chan<- unit) {
	for ctx.Err() == nil {
		deliveries, err := w.log.Fetch(ctx, partition, fetchRecords, fetchBytes)
		if err != nil && ctx.Err() == nil {
			w.logger.WarnContext(ctx, "log does not deliver", "partition", partition, "error", err)
			pause(ctx, time.Second)
		}
		for _, d := range deliveries {
			w.held.add(d)
		}
		for _, d := range deliveries {
			u, err := w.open(storing, d)
			switch {
			case errors.Is(err, errUnreadable):
				w.buryUnreadable(storing, u, err)
			case err != nil:
				// Not the record's fault: let the log deliver it again.
				w.logger.WarnContext(ctx, "record cannot be opened now", "error", err)
				w.held.drop(d)
			default:
				out <- u
			}
		}
	}
}

// fetchRecords and fetchBytes bound what one partition holds beyond the batch being built.
const (
	fetchRecords = 32
	fetchBytes   = 4 << 20
)

// collect gathers units into batches. A batch whose time has come goes to the inserter that takes
// such ones, and grows while that is busy; one that is full, or has waited again as long, goes to
// any. So a store that keeps up gets one small batch at a time: what it must merge later costs more
// than the wait. And a batch that takes long delays no other.
func (w *Writer) collect(units <-chan unit, due, full chan<- batch) {
	defer close(full)
	defer close(due)
	var b batch
	timer := time.NewTimer(0)
	timer.Stop()
	waits := 0
	for {
		more, toDue, toFull := units, due, full
		switch {
		case b.rows >= w.config.MaxRows || b.bytes >= w.config.MaxBytes:
			more = nil
		case waits == 0:
			toDue, toFull = nil, nil
		case waits == 1:
			toFull = nil
		}
		select {
		case u, open := <-more:
			if !open {
				if len(b.units) > 0 {
					full <- b
				}
				return
			}
			if len(b.units) == 0 {
				timer.Reset(w.config.MaxWait)
			}
			b.units, b.rows, b.bytes = append(b.units, u), b.rows+u.size(), b.bytes+u.bytes
			continue
		case <-timer.C:
			waits++
			timer.Reset(w.config.MaxWait)
			continue
		case toDue <- b:
		case toFull <- b:
		}
		timer.Stop()
		b, waits = batch{}, 0
	}
}

// insertAll stores the batches of both channels until both are closed; nil counts as closed.
func (w *Writer) insertAll(ctx context.Context, due, full <-chan batch) {
	for due != nil || full != nil {
		select {
		case b, open := <-due:
			if !open {
				due = nil
				continue
			}
			w.flush(ctx, b)
		case b, open := <-full:
			if !open {
				full = nil
				continue
			}
			w.flush(ctx, b)
		}
	}
}

func (b batch) all() []*model.Observation {
	rows := make([]*model.Observation, 0, b.rows)
	for _, u := range b.units {
		rows = append(rows, u.rows...)
	}
	return rows
}

// pause waits, or returns early when ctx ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
