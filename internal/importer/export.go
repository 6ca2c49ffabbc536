package importer

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"time"
)

const kindExperiments = "experiments"

// Exports are the kinds of rows that can be written to a file: those of scheduled exports.
var Exports = []string{kindObservations, kindScores, kindExperiments}

// ExportConfig says what to write where.
type ExportConfig struct {
	From         Server
	Kind         string    // of Exports
	Since, Until time.Time // zero: everything; until now
	// Output is a file, which is there once it is whole; "": rows go to standard output, and cannot be resumed.
	Output string
}

// exportList is the read of a kind.
func exportList(kind string) list {
	switch kind {
	case kindScores:
		return newerScores
	case kindExperiments:
		return list{
			path: "/api/public/experiment-items", from: "fromStartTime", to: "toStartTime", limit: maxPage, cursors: true,
			query: url.Values{"fields": {"core,dataset,io,metadata,itemMetadata,experimentMetadata"}},
		}
	}
	l := newerObservations
	l.query = url.Values{"fields": {l.query.Get("fields") + ",metrics"}}
	return l
}

// Export writes a project's rows as lines of JSON, window by window from the oldest, and returns how many. Rows are as the API
// shows them, with the whole of their metadata. An export to a file that ended in any way goes on where it was, and has each
// row once.
func Export(ctx context.Context, c ExportConfig, stdout io.Writer, progress func(Progress)) (rows int, err error) {
	source := newClient(c.From, func(reason string, wait time.Duration) { progress(Progress{Waiting: reason, Wait: wait}) })
	project, err := source.project(ctx)
	if err != nil {
		return 0, err
	}
	f, err := openExport(c, project, stdout)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.close()) }()
	l, s := exportList(c.Kind), &f.state.Step
	w := walker{
		source: source, list: l, step: s, since: f.state.Since, until: f.state.Until, whole: true,
		to: &lineWriter{source: source, list: l, file: f},
		safe: func() error {
			progress(Progress{What: c.Kind, Rows: s.Tally.Rows + s.Pending.Rows, At: s.Next})
			return f.keep()
		},
	}
	if err := w.run(ctx); err != nil {
		return s.Tally.Rows, err
	}
	return s.Tally.Rows, f.finish()
}

// exportFile is the file in the making, with how far it is beside it.
type exportFile struct {
	output string
	out    io.Writer
	part   *os.File // nil: standard output
	page   *os.File // the page under way: an answer may break off
	state  exportState
}

// exportState is how far a file is.
type exportState struct {
	From  string    `json:"from"`
	Kind  string    `json:"kind"`
	Since time.Time `json:"since"`
	Until time.Time `json:"until"`
	Size  int64     `json:"size"` // of what is confirmed
	Step  Step      `json:"step"`
}

func (f *exportFile) partName() string  { return f.output + ".part" }
func (f *exportFile) stateName() string { return f.output + ".state" }

// openExport begins a file, or goes on with one.
func openExport(c ExportConfig, project string, stdout io.Writer) (_ *exportFile, err error) {
	f := &exportFile{output: c.Output, out: stdout}
	f.state = exportState{From: project, Kind: c.Kind, Since: time.Unix(0, 0).UTC(), Until: time.Now().UTC().Truncate(time.Millisecond)}
	if !c.Since.IsZero() {
		f.state.Since = c.Since.UTC().Truncate(time.Millisecond)
	}
	if !c.Until.IsZero() {
		f.state.Until = c.Until.UTC().Truncate(time.Millisecond)
	}
	if !f.state.Since.Before(f.state.Until) {
		return nil, errors.New("--since must be before --until")
	}
	if f.page, err = os.CreateTemp("", "sonde-export-"); err != nil {
		return nil, fmt.Errorf("make a file for a page: %w", err)
	}
	if err := os.Remove(f.page.Name()); err != nil { // it goes with the process
		return nil, errors.Join(err, f.page.Close())
	}
	if c.Output == "" {
		return f, nil
	}
	if err := f.resume(c); err != nil {
		return nil, errors.Join(err, f.close())
	}
	return f, nil
}

// resume opens the part that is there and cuts it to what is confirmed.
func (f *exportFile) resume(c ExportConfig) error {
	text, err := os.ReadFile(f.stateName())
	if err == nil {
		var kept exportState
		if err := json.Unmarshal(text, &kept); err != nil {
			return fmt.Errorf("%s is no state of an export; remove it to begin anew: %w", f.stateName(), err)
		}
		sinceChanged := !c.Since.IsZero() && !kept.Since.Equal(f.state.Since)
		if kept.From != f.state.From || kept.Kind != f.state.Kind || sinceChanged || !c.Until.IsZero() && !kept.Until.Equal(f.state.Until) {
			return fmt.Errorf("%s belongs to another export, of %s of %s from %s until %s; remove it to begin anew", f.stateName(), kept.Kind, kept.From, stamp(kept.Since), stamp(kept.Until))
		}
		f.state = kept
	} else if !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("read the state of the export: %w", err)
	}
	if f.part, err = os.OpenFile(f.partName(), os.O_CREATE|os.O_WRONLY, 0o600); err != nil {
		return fmt.Errorf("open the file: %w", err)
	}
	f.out = f.part
	if err := f.part.Truncate(f.state.Size); err != nil {
		return fmt.Errorf("open the file: %w", err)
	}
	_, err = f.part.Seek(0, io.SeekEnd)
	return err
}

// keep makes what is written safe and notes it.
func (f *exportFile) keep() error {
	if f.part == nil {
		return nil
	}
	if err := f.part.Sync(); err != nil {
		return fmt.Errorf("write the file: %w", err)
	}
	if err := replaceFile(f.stateName(), f.state); err != nil {
		return fmt.Errorf("write the state of the export: %w", err)
	}
	return nil
}

// finish gives the file its name.
func (f *exportFile) finish() error {
	if f.part == nil {
		return nil
	}
	return errors.Join(os.Rename(f.partName(), f.output), os.Remove(f.stateName()))
}

func (f *exportFile) close() error {
	if f.part != nil {
		return errors.Join(f.page.Close(), f.part.Close())
	}
	return f.page.Close()
}

// lineWriter writes rows of a page to the side, and appends them once the page is whole.
type lineWriter struct {
	source *client
	list   list
	file   *exportFile
	lines  *bufio.Writer
	tally  Tally
	failed error // of the file for the page
	cut    cutMetadata
	raw    map[string]json.RawMessage // of rows whose metadata is asked for
}

func (w *lineWriter) begin() {
	w.failed = w.file.page.Truncate(0)
	if w.failed == nil {
		_, w.failed = w.file.page.Seek(0, io.SeekStart)
	}
	w.lines, w.tally = bufio.NewWriter(w.file.page), Tally{}
	w.cut.begin()
	w.raw = map[string]json.RawMessage{}
}

func (w *lineWriter) row(ctx context.Context, raw json.RawMessage) error {
	if w.failed != nil {
		return w.failed
	}
	w.tally.Rows++
	if w.list.path != newerObservations.path {
		return w.write(raw)
	}
	var o observation
	if err := json.Unmarshal(raw, &o); err != nil {
		return fmt.Errorf("the server answers with an observation that cannot be read: %w", err)
	}
	if !w.cut.isCut(&o) {
		return w.write(raw)
	}
	w.raw[o.TraceID+"/"+o.ID] = raw
	return w.cut.keep(o, func(held []observation) error { return w.whole(ctx, held) })
}

// whole writes rows with the metadata that the list shows cut.
func (w *lineWriter) whole(ctx context.Context, held []observation) error {
	if err := w.cut.fill(ctx, w.source, held); err != nil {
		return err
	}
	for _, o := range held {
		key := o.TraceID + "/" + o.ID
		var members map[string]json.RawMessage
		if err := json.Unmarshal(w.raw[key], &members); err != nil {
			return err
		}
		delete(w.raw, key)
		members["metadata"] = o.Metadata
		text, err := encode(members)
		if err != nil {
			return err
		}
		if err := w.write(text); err != nil {
			return err
		}
	}
	return nil
}

func (w *lineWriter) write(row []byte) error {
	if _, err := w.lines.Write(row); err != nil {
		return fmt.Errorf("write a row: %w", err)
	}
	return w.lines.WriteByte('\n')
}

func (w *lineWriter) end(ctx context.Context) (Tally, error) {
	if held := w.cut.held; len(held) > 0 {
		w.cut.begin()
		if err := w.whole(ctx, held); err != nil {
			return w.tally, err
		}
	}
	if err := w.lines.Flush(); err != nil {
		return w.tally, fmt.Errorf("write a page: %w", err)
	}
	if _, err := w.file.page.Seek(0, io.SeekStart); err != nil {
		return w.tally, fmt.Errorf("read a page: %w", err)
	}
	n, err := io.Copy(w.file.out, w.file.page)
	w.file.state.Size += n
	if err != nil {
		return w.tally, fmt.Errorf("write rows: %w", err)
	}
	return w.tally, nil
}
