package export

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/jobs"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/seal"
)

// turn is how long a job works until it lets other jobs work.
const turn = time.Minute

// Parameters of a job. Without any, it exports the window that is due by the schedule. With a range of times of
// acceptance it exports that, to files below a directory of its own, and leaves the schedule alone.
type Parameters struct {
	From *time.Time `json:"from,omitempty"`
	To   *time.Time `json:"to,omitempty"`
}

// Result is what a job did.
type Result struct {
	From  *time.Time `json:"from,omitempty"`
	To    *time.Time `json:"to,omitempty"`
	Files int        `json:"files"`
	Rows  int        `json:"rows"`
}

// Handler does jobs of this kind; see the promises of the package.
type Handler struct {
	store   Store
	exports metastore.Exports
	horizon Horizon
	targets Targets
	box     *seal.Box
	bounds  bounds
}

var _ jobs.Handler = (*Handler)(nil)

// NewHandler makes the handler. On a node that only takes jobs in, all may be nil.
func NewHandler(store Store, exports metastore.Exports, horizon Horizon, targets Targets, box *seal.Box) *Handler {
	return &Handler{store, exports, horizon, targets, box, defaultBounds}
}

// Check reads the parameters of a new job.
func (h *Handler) Check(parameters json.RawMessage) (json.RawMessage, error) {
	var p struct {
		Kind string `json:"kind"` // whose parameters these are; the job has it
		Parameters
	}
	if len(parameters) > 0 {
		decoder := json.NewDecoder(bytes.NewReader(parameters))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&p); err != nil {
			return nil, fault.New(fault.Invalid, "an export job takes from and to, both times like 2026-05-01T00:00:00Z, or neither").Because(err)
		}
	}
	switch {
	case (p.From == nil) != (p.To == nil):
		return nil, fault.Invalidf("from", "goes with to: give both or neither")
	case p.From != nil && !p.From.Before(*p.To):
		return nil, fault.Invalidf("from", "must be before to")
	case p.From != nil && (p.From.Before(beginning) || p.To.Year() > 2200):
		return nil, fault.Invalidf("from", "and to must lie between 1970 and 2200")
	}
	return json.Marshal(p.Parameters)
}

// Run exports one window, or goes on with it.
func (h *Handler) Run(ctx context.Context, task jobs.Task) (json.RawMessage, error) {
	job := task.Job()
	var p Parameters
	if err := json.Unmarshal(job.Parameters, &p); err != nil {
		return nil, fmt.Errorf("read parameters: %w", err)
	}
	e, err := h.exports.Export(ctx, job.ProjectID)
	if errors.Is(err, metastore.ErrNotFound) {
		return nil, fault.New(fault.NotFound, "the project has no export").Hint("say where to with PUT /api/public/integrations/blob-storage")
	}
	if err != nil {
		return nil, fmt.Errorf("read the export: %w", err)
	}
	w := &walk{Handler: h, task: task, export: e, began: time.Now(), rows: h.bounds.pageRows}
	if p.From != nil {
		w.keep, w.dir = w.keepInJob, "jobs/"+job.ID
		err = w.once(ctx, p)
	} else {
		w.keep = w.keepInExport
		err = w.scheduled(ctx)
	}
	if err != nil {
		return nil, w.remember(ctx, err)
	}
	return json.Marshal(w.result)
}

// progress is where the export of a window stands. It is kept as JSON: fields are added, never renamed.
type progress struct {
	window
	Kind  string           `json:"kind"`
	Part  int              `json:"part"`            // of the file to write next, from 1
	After *filter.Position `json:"after,omitempty"` // behind the rows of the files before
	// Started says that the file may have been written before, by a run that did not live to tell.
	Started bool `json:"started,omitempty"`
	Files   int  `json:"files"`
	Rows    int  `json:"rows"`
	// Claimed is when a scheduler last took the window to start a job for it.
	Claimed time.Time `json:"claimed,omitzero"`
}

func begin(w window) progress { return progress{window: w, Kind: kinds[0], Part: 1} }

// scheduled exports the window that is due.
func (w *walk) scheduled(ctx context.Context) error {
	if w.export.Progress != "" {
		if err := json.Unmarshal([]byte(w.export.Progress), &w.at); err != nil {
			return fmt.Errorf("read progress: %w", err)
		}
	} else {
		horizon, err := w.horizon.Settled(ctx)
		if err != nil {
			return fmt.Errorf("ask how far the store is: %w", err)
		}
		next, ok := due(w.export, horizon)
		if !ok {
			return nil
		}
		w.at = begin(next)
	}
	if err := w.run(ctx); err != nil {
		return err
	}
	now := time.Now().UTC()
	w.export.Until, w.export.Progress = w.at.To, ""
	w.export.LastSyncAt, w.export.LastError, w.export.LastErrorAt = now, "", time.Time{}
	return w.save(ctx)
}

// once exports a range that a client asked for, as far as the store has it.
func (w *walk) once(ctx context.Context, p Parameters) error {
	if checkpoint := w.task.Job().Checkpoint; checkpoint != nil {
		if err := json.Unmarshal(checkpoint, &w.at); err != nil {
			return fmt.Errorf("read checkpoint: %w", err)
		}
		return w.run(ctx)
	}
	horizon, err := w.horizon.Settled(ctx)
	if err != nil {
		return fmt.Errorf("ask how far the store is: %w", err)
	}
	to := *p.To
	if to.After(horizon) {
		to = horizon
	}
	if !p.From.Before(to) {
		return nil
	}
	w.at = begin(window{p.From.UTC(), to.UTC()})
	return w.run(ctx)
}

// save writes the export as it is now. Where somebody else changed it, the run ends: the next one goes on with
// what is there then.
func (w *walk) save(ctx context.Context) error {
	revision, err := w.exports.SaveExport(ctx, w.export)
	if errors.Is(err, metastore.ErrExportChanged) || errors.Is(err, metastore.ErrNotFound) {
		return fault.New(fault.Conflict, "the settings of the export were changed while it ran; the next run goes on with the new ones").Because(err)
	}
	if err != nil {
		return fmt.Errorf("keep progress: %w", err)
	}
	w.export.Revision = revision
	return nil
}

func (w *walk) keepInExport(ctx context.Context, text []byte) error {
	w.export.Progress = string(text)
	if err := w.save(ctx); err != nil {
		return err
	}
	return w.keepInJob(ctx, text)
}

func (w *walk) keepInJob(ctx context.Context, text []byte) error { return w.task.Checkpoint(ctx, text) }

// remember keeps why a scheduled run failed, for the status of the export, and returns the error of the run.
func (w *walk) remember(ctx context.Context, err error) error {
	if fault.Is(err, fault.Unavailable) || fault.Is(err, fault.Conflict) || ctx.Err() != nil || w.dir != "" {
		return err
	}
	reason := "an internal error; the server's log has the cause under the id of the job"
	var f *fault.Fault
	if errors.As(err, &f) && f.Kind != fault.Internal {
		reason = f.Public()
	}
	w.export.LastError, w.export.LastErrorAt = reason, time.Now().UTC()
	return errors.Join(err, w.save(ctx))
}

// open opens the place of the export.
func (w *walk) open() (done func(), err error) {
	if err := w.targets.Check(w.export.Settings); err != nil {
		return nil, err
	}
	secret := ""
	if sealed := w.export.SealedSecret; len(sealed) > 0 {
		plain, err := w.box.Open(sealed, secretPlace(w.export.ProjectID))
		if err != nil {
			return nil, fmt.Errorf("open the secret of the export: %w", err)
		}
		secret = string(plain)
	}
	w.place, done, err = w.targets.Open(w.export.Settings, secret)
	if err != nil {
		return nil, fault.New(fault.Invalid, "the place of the export cannot be opened").Because(err)
	}
	return done, nil
}

func secretPlace(projectID string) []byte { return seal.Place("exports", projectID, "secret") }
