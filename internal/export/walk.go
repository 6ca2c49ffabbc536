package export

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/blob"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/jobs"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// bounds keep files and reads small. A file that was not finished is written again from its start, so it
// must not take long.
type bounds struct {
	pageRows  int   // read at once at first; more where rows are small, fewer where they are large
	maxRows   int   // read at once at most
	fileRows  int   // about
	fileBytes int64 // about, as written
	turn      time.Duration
}

var defaultBounds = bounds{pageRows: 100, maxRows: 2000, fileRows: 200_000, fileBytes: 256 << 20, turn: turn}

const (
	// minPageRows is where a page that is too expensive to read is not made smaller any more.
	minPageRows = 5
	// A page below smallPage makes the next one larger, one above largePage smaller.
	smallPage = 4 << 20
	largePage = 16 << 20
)

// walk is one run of a job.
type walk struct {
	*Handler
	task   jobs.Task
	export model.Export
	place  blob.Store
	dir    string // below the project's, for exports that are not of the schedule
	keep   func(ctx context.Context, text []byte) error
	began  time.Time
	rows   int // of the next page
	at     progress
	result Result
}

// run writes the files of the window, from where it stands.
func (w *walk) run(ctx context.Context) error {
	done, err := w.open()
	if err != nil {
		return err
	}
	defer done()
	again := w.at.Started
	if !again {
		w.at.Started = true
		if err := w.checkpoint(ctx); err != nil {
			return err
		}
	}
	for first := true; w.at.Kind != ""; first = false {
		if !first && time.Since(w.began) > w.bounds.turn {
			return fault.Unavailablef("other jobs have their turn; this one goes on in a moment")
		}
		if err := w.file(ctx, again && first); err != nil {
			return err
		}
		if err := w.checkpoint(ctx); err != nil {
			return err
		}
	}
	w.result = Result{From: &w.at.From, To: &w.at.To, Files: w.at.Files, Rows: w.at.Rows}
	return nil
}

func (w *walk) checkpoint(ctx context.Context) error {
	text, err := json.Marshal(w.at)
	if err != nil {
		return fmt.Errorf("write progress: %w", err)
	}
	w.task.Progress(jobs.Progress{
		Done: uint64(w.at.Rows),
		Text: fmt.Sprintf("%d files of rows accepted from %s to %s", w.at.Files, stamp(w.at.From), stamp(w.at.To)),
	})
	return w.keep(ctx, text)
}

// file writes the next file and moves on. Without rows there is none, except where one may have been
// written before: it is replaced by an empty one.
func (w *walk) file(ctx context.Context, replace bool) error {
	rows, err := w.read(ctx, w.at.After)
	if err != nil {
		return err
	}
	if len(rows) > 0 || replace {
		last, n, err := w.put(ctx, rows)
		if err != nil {
			return err
		}
		w.at.Files, w.at.Rows = w.at.Files+1, w.at.Rows+n
		if last != nil {
			w.at.Part, w.at.After = w.at.Part+1, last
			return nil
		}
	}
	next := slices.Index(kinds, w.at.Kind) + 1
	w.at.Part, w.at.After, w.at.Kind = 1, nil, ""
	if next < len(kinds) {
		w.at.Kind = kinds[next]
	}
	return nil
}

// put streams a file to its place: rows are read while those before them are sent. It returns where
// the next file begins, nil when there is none.
func (w *walk) put(ctx context.Context, rows []record) (last *filter.Position, n int, err error) {
	key := w.key()
	if err := blob.CheckKey(key); err != nil {
		return nil, 0, fmt.Errorf("name a file: %w", err)
	}
	in, out := io.Pipe()
	produced := make(chan error, 1)
	go func() {
		var err error
		last, n, err = w.produce(ctx, out, rows)
		_ = out.CloseWithError(err) // a nil error ends the file
		produced <- err
	}()
	err = w.place.Put(ctx, key, in)
	_ = in.CloseWithError(errNotTaken)
	if source := <-produced; source != nil && !errors.Is(source, errNotTaken) {
		return nil, 0, source
	}
	if err == nil || ctx.Err() != nil {
		return last, n, err
	}
	return nil, 0, fault.New(fault.Exhausted, "the file %s cannot be written: %.300s", key, innermost(err)).
		Hint("check bucket, endpoint and credentials; it is tried again").Because(err)
}

// errNotTaken is what writing sees when the place gave up.
var errNotTaken = errors.New("the place takes no more")

// innermost is the text of the cause, which says most.
func innermost(err error) string {
	for next := err; next != nil; next = errors.Unwrap(next) {
		err = next
	}
	return err.Error()
}

func (w *walk) produce(ctx context.Context, out io.Writer, rows []record) (last *filter.Position, n int, err error) {
	s := w.export.Settings
	fields := fieldsOf(w.at.Kind, s.FieldGroups)
	counted := &counter{out: out}
	file, err := newWriter(counted, s.FileType, s.Compressed, fields)
	if err != nil {
		return nil, 0, err
	}
	values := make([]any, len(fields))
	for len(rows) > 0 {
		for _, r := range rows {
			for i, f := range fields {
				values[i] = f.of(r)
			}
			if err := file.write(values); err != nil {
				return nil, 0, err
			}
		}
		n += len(rows)
		last = rows[len(rows)-1].position()
		if n >= w.bounds.fileRows || counted.n >= w.bounds.fileBytes {
			return last, n, file.close()
		}
		if rows, err = w.read(ctx, last); err != nil {
			return nil, 0, err
		}
	}
	return nil, n, file.close()
}

type counter struct {
	out io.Writer
	n   int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.out.Write(p)
	c.n += int64(n)
	return n, err
}

// key names the file that is next: by project, kind, window and number.
func (w *walk) key() string {
	const layout = "20060102-150405"
	parts := []string{segment(w.export.ProjectID)}
	if w.dir != "" {
		parts = append(parts, w.dir)
	}
	name := fmt.Sprintf("%s_%s_%04d%s", w.at.From.UTC().Format(layout), w.at.To.UTC().Format(layout), w.at.Part,
		extension(w.export.Settings.FileType, w.export.Settings.Compressed))
	return strings.Join(append(parts, w.at.Kind, name), "/")
}

// segment is a project id as a part of a key; one with other characters is written in hex.
func segment(id string) string {
	if blob.CheckKey(id) == nil && !strings.Contains(id, "/") && !strings.HasPrefix(id, "hex-") {
		return id
	}
	return "hex-" + hex.EncodeToString([]byte(id))
}

// read returns the next rows of the window, as many as are worth a statement and fit in memory.
func (w *walk) read(ctx context.Context, after *filter.Position) ([]record, error) {
	for {
		rows, err := w.page(ctx, after)
		timeout := errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil // the read's own
		switch {
		case err == nil:
			w.resize(rows)
			return rows, nil
		case !timeout && !errors.Is(err, tracestore.ErrTooExpensive):
			return nil, fmt.Errorf("read rows: %w", err)
		case w.rows <= minPageRows && timeout:
			return nil, fault.Unavailablef("the trace store is too slow now").Because(err)
		case w.rows <= minPageRows:
			return nil, fault.New(fault.Exhausted, "the store cannot read these rows within its bounds").
				Hint("the operator may raise --reads-memory and --reads-rows").Because(err)
		}
		w.rows = max(w.rows/4, minPageRows)
	}
}

// resize chooses the size of the next page by the bytes of this one.
func (w *walk) resize(rows []record) {
	size := 0
	for _, r := range rows {
		if o := r.observation; o != nil {
			size += len(o.Input) + len(o.Output)
		}
	}
	switch {
	case size > largePage:
		w.rows = max(w.rows/2, minPageRows)
	case size < smallPage && len(rows) == w.rows:
		w.rows = min(2*w.rows, w.bounds.maxRows)
	}
}

func (w *walk) page(ctx context.Context, after *filter.Position) ([]record, error) {
	project := w.export.ProjectID
	where := []filter.Condition{
		filter.Time{Column: filter.AcceptedAt, Op: filter.AtLeast, At: w.at.From},
		filter.Time{Column: filter.AcceptedAt, Op: filter.Below, At: w.at.To},
	}
	var list []record
	if w.at.Kind == scores {
		rows, err := w.store.Scores(ctx, tracestore.ScoreQuery{ProjectID: project, Where: where, After: after, Limit: w.rows, Metadata: true})
		for _, s := range rows {
			list = append(list, record{score: s})
		}
		return list, err
	}
	q := tracestore.ObservationQuery{ProjectID: project, Where: where, After: after, Limit: w.rows}
	has := func(group string) bool {
		groups := w.export.Settings.FieldGroups
		return w.at.Kind == experiments || len(groups) == 0 || slices.Contains(groups, group)
	}
	q.IO, q.Metadata = has("io") || has("tools"), has("metadata")
	if w.at.Kind == experiments {
		q.Where = append(q.Where, filter.IsTrue{Column: filter.IsExperimentItemRootSpan, Want: true}, filter.IsSet{Column: filter.ExperimentID, Want: true})
	}
	rows, err := w.store.Observations(ctx, q)
	for _, o := range rows {
		list = append(list, record{observation: o})
	}
	return list, err
}
