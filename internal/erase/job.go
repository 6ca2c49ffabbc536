package erase

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/sondehq/sonde/internal/eventlog"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/jobs"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// Kind is the name of the job.
const Kind = "erase"

const (
	// perRound is how many tombstones are erased together: the store rewrites about as much for one as for many.
	perRound = 10_000
	// settled is how long after a delete everything that was accepted before it is in the log: a request takes
	// its time of acceptance first and appends then.
	settled = 10 * time.Second
	// logPatience is how long a run waits for the writer before the job is put off and others have their turn.
	logPatience = 20 * time.Second
	logPoll     = 200 * time.Millisecond
)

// Parts is where data of traces lies.
type Parts struct {
	Store    Store
	Log      Log
	Metadata metastore.Erasures
	Media    Media
	Blobs    Blobs
	Projects Projects // nil: projects cannot be deleted
}

// Handler does jobs of this kind.
//
// Promise: when a job is done, nothing that the tombstones it found hide is left in any file of log, dead
// letters, trace store, blobs or (SQLite) metadata. Interrupted anywhere, it ends the same. Copies that left
// these places before, such as backups and exports, are not looked for.
type Handler struct {
	Parts
	settled, patience, poll time.Duration
}

var _ jobs.Handler = (*Handler)(nil)

// NewHandler makes the handler. On a node that only takes jobs in, the parts may be nil.
func NewHandler(parts Parts) *Handler { return &Handler{parts, settled, logPatience, logPoll} }

// Check takes no parameters: a job erases whatever is to be erased in its project.
func (h *Handler) Check(raw json.RawMessage) (json.RawMessage, error) {
	var wire struct {
		Kind string `json:"kind"`
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&wire); err != nil {
		return nil, fault.New(fault.Invalid, "the body is not an erasing job").Hint(`send {"kind":"erase"}`).Because(err)
	}
	return json.RawMessage(`{}`), nil
}

// Result is what a job did.
type Result struct {
	Traces      int  `json:"traces"`
	Scores      int  `json:"scores"`
	Project     bool `json:"project"`
	DeadLetters int  `json:"deadLetters"` // removed or rewritten
	Media       int  `json:"media"`
	// UnreadableLetters are dead letters that nobody can read, and so nobody knows what they hold.
	UnreadableLetters int `json:"unreadableDeadLetters"`
}

// checkpoint is how far a round got.
type checkpoint struct {
	Until  uint64            `json:"until"` // newest version of the round's tombstones; 0: no round has begun
	Log    *eventlog.Erasure `json:"log,omitempty"`
	Kept   []string          `json:"kept,omitempty"` // blobs of dead letters that were there before
	Rows   map[string]uint64 `json:"rows,omitempty"` // hidden ones, counted before any was erased
	Result Result            `json:"result"`
}

// run is one run of a job.
type run struct {
	*Handler
	task    jobs.Task
	project string
	at      checkpoint
	list    []tracestore.Tombstone
}

// Run erases round by round until nothing is left that was hidden when a round began.
func (h *Handler) Run(ctx context.Context, task jobs.Task) (json.RawMessage, error) {
	job := task.Job()
	r := &run{Handler: h, task: task, project: job.ProjectID}
	if job.Checkpoint != nil {
		if err := json.Unmarshal(job.Checkpoint, &r.at); err != nil {
			return nil, fmt.Errorf("read checkpoint: %w", err)
		}
	}
	for {
		list, err := h.Store.Unerased(ctx, r.project, perRound)
		if err != nil {
			return nil, fmt.Errorf("list what is to be erased: %w", err)
		}
		full := len(list) == perRound
		if r.at.Until == 0 {
			for _, t := range list {
				r.at.Until = max(r.at.Until, t.Version)
			}
		}
		r.list = slices.DeleteFunc(list, func(t tracestore.Tombstone) bool { return t.Version > r.at.Until })
		if len(r.list) > 0 {
			if err := r.round(ctx); err != nil {
				return nil, err
			}
			if err := r.report(ctx, full); err != nil {
				return nil, notNow(ctx, err)
			}
		}
		r.at = checkpoint{Result: r.at.Result}
		if !full {
			return json.Marshal(r.at.Result)
		}
	}
}

// round erases a list of tombstones, in an order in which nothing that is erased can come back from a place that
// is not.
func (r *run) round(ctx context.Context) error {
	steps := []struct {
		text string
		do   func(context.Context) error
	}{
		{"waiting for what is on its way into the log", r.begin},
		{"waiting until the log is stored, and erasing it", r.eraseLog},
		{"erasing dead letters", r.eraseLetters},
		{"counting what is hidden", r.count},
		{"rewriting the trace store", func(ctx context.Context) error { return r.Store.Erase(ctx, r.project, r.list) }},
		{"looking whether anything is left", r.verify},
		{"erasing media", r.eraseMedia},
		{"erasing large spans", r.eraseOversize},
		{"erasing metadata", r.eraseMetadata},
		{"marking", func(ctx context.Context) error { return r.Store.MarkErased(ctx, r.list) }},
	}
	for i, step := range steps {
		r.task.Progress(jobs.Progress{Done: uint64(i), Total: uint64(len(steps)), Text: step.text})
		if err := step.do(ctx); err != nil {
			return notNow(ctx, fmt.Errorf("%s: %w", step.text, err))
		}
	}
	for _, t := range r.list {
		switch t.Kind {
		case tracestore.TraceTombstone:
			r.at.Result.Traces++
		case tracestore.ScoreTombstone:
			r.at.Result.Scores++
		case tracestore.ProjectTombstone:
			r.at.Result.Project = true
		}
	}
	return nil
}

// notNow keeps a job from failing for good: whatever a store says, what is hidden must be erased in the end.
func notNow(ctx context.Context, err error) error {
	if ctx.Err() != nil || fault.KindOf(err) != fault.Internal {
		return err
	}
	return fault.Unavailablef("erasing did not get on; it is tried again").Because(err)
}

// begin waits until everything that was accepted before is in the log, and notes what the log holds.
func (r *run) begin(ctx context.Context) error {
	if r.at.Log != nil {
		return nil
	}
	wait := time.Until(model.AcceptedAt(r.at.Until).Add(r.settled))
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(wait):
	}
	if err := r.noteLetters(ctx); err != nil {
		return err
	}
	e, err := r.Log.BeginErasure(ctx)
	if err != nil {
		return err
	}
	r.at.Log = &e
	return r.keep(ctx)
}

func (r *run) keep(ctx context.Context) error {
	text, err := json.Marshal(r.at)
	if err != nil {
		return fmt.Errorf("write checkpoint: %w", err)
	}
	return r.task.Checkpoint(ctx, text)
}

// eraseLog goes on until the log holds nothing of what it held when the round began. That is also when all of it
// is in the store.
func (r *run) eraseLog(ctx context.Context) error {
	for end := time.Now().Add(r.patience); ; {
		next, done, err := r.Log.Erase(ctx, *r.at.Log)
		if err != nil {
			return err
		}
		if fmt.Sprint(next) != fmt.Sprint(*r.at.Log) {
			r.at.Log = &next
			if err := r.keep(ctx); err != nil {
				return err
			}
		}
		switch {
		case done:
			return nil
		case time.Now().After(end):
			return fault.Unavailablef("the store has not caught up with the log").Hint("the job goes on by itself")
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(r.poll):
		}
	}
}

// buried says whether something of a trace that was accepted at a time is to be erased.
func (r *run) buried() func(traceID string, version uint64) bool {
	traces, whole := map[string]uint64{}, uint64(0)
	for _, t := range r.list {
		switch t.Kind {
		case tracestore.TraceTombstone:
			traces[t.ID] = t.Version
		case tracestore.ProjectTombstone:
			whole = max(whole, t.Version)
		case tracestore.ScoreTombstone: // not of a trace
		}
	}
	return func(traceID string, version uint64) bool { return version < max(traces[traceID], whole) }
}

// whole reports whether the project itself is to be erased.
func (r *run) whole() bool {
	return slices.ContainsFunc(r.list, func(t tracestore.Tombstone) bool { return t.Kind == tracestore.ProjectTombstone })
}
