package query

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// Skeleton returns a whole trace without texts. fault.NotFound.
func (s *Service) Skeleton(ctx context.Context, projectID, traceID string) (*tracestore.Skeleton, error) {
	skeleton, err := s.store.Skeleton(ctx, projectID, traceID)
	switch {
	case err != nil:
		return nil, readFault(fmt.Errorf("read a trace of project %s: %w", projectID, err),
			"read its observations page by page with GET /api/public/v2/observations?traceId=...")
	case skeleton == nil:
		return nil, fault.New(fault.NotFound, "There is no trace with this id in the project")
	}
	return skeleton, nil
}

// MaxTraceHits is how many observations a search in a trace finds.
const MaxTraceHits = 10_000

// SearchTrace returns the ids of the observations of a trace that say text somewhere, and whether there are more.
func (s *Service) SearchTrace(ctx context.Context, projectID, traceID, text string) (ids []string, more bool, err error) {
	switch {
	case text == "":
		return nil, false, fault.Invalidf("q", "must not be empty")
	case len(text) > filter.MaxSearchBytes:
		return nil, false, fault.Invalidf("q", "must not be longer than %d bytes, got %d", filter.MaxSearchBytes, len(text))
	}
	ids, err = s.store.SearchTrace(ctx, tracestore.TraceSearch{ProjectID: projectID, TraceID: traceID, Value: text, Limit: MaxTraceHits + 1})
	if err != nil {
		return nil, false, readFault(fmt.Errorf("search a trace of project %s: %w", projectID, err),
			"search with GET /api/public/v2/observations?traceId=...&search=... and a shorter range of start times")
	}
	return ids[:min(len(ids), MaxTraceHits)], len(ids) > MaxTraceHits, nil
}

// Previews returns the beginnings of the texts of observations, newest first. Conditions beside ids are on TraceID and
// StartTime.
func (s *Service) Previews(ctx context.Context, projectID string, ids []string, where []filter.Condition) ([]tracestore.Preview, error) {
	if len(ids) == 0 || len(ids) > tracestore.MaxPreviews {
		return nil, fault.Invalidf("ids", "must be 1 to %d ids, separated by commas, got %d", tracestore.MaxPreviews, len(ids))
	}
	where = append(where, filter.OneOf{Column: filter.ID, Values: ids})
	previews, err := s.store.Previews(ctx, tracestore.PreviewQuery{ProjectID: projectID, Where: within(where)})
	if err != nil {
		return nil, readFault(fmt.Errorf("read previews of project %s: %w", projectID, err),
			"set fromStartTime and toStartTime to the range in which the observations started")
	}
	return previews, nil
}

// WithMetadata returns one observation with its metadata, the newest that meets the conditions. fault.NotFound.
func (s *Service) WithMetadata(ctx context.Context, projectID string, where []filter.Condition) (*model.Observation, error) {
	rows, err := s.store.Observations(ctx, tracestore.ObservationQuery{ProjectID: projectID, Where: where, Limit: 1, Metadata: true, OwnOnly: true})
	switch {
	case err != nil:
		return nil, readFault(fmt.Errorf("read an observation of project %s: %w", projectID, err), "name its trace with traceId")
	case len(rows) == 0:
		return nil, errNoObservation
	}
	return rows[0], nil
}

var errNoObservation = fault.New(fault.NotFound, "There is no observation with this id in the project")

// Text finds the input or output of one observation, the newest that meets the conditions. fault.NotFound.
func (s *Service) Text(ctx context.Context, projectID string, where []filter.Condition, column filter.Column) (*tracestore.Text, error) {
	text, err := s.store.Text(ctx, tracestore.TextQuery{ProjectID: projectID, Where: where, Column: column})
	switch {
	case err != nil:
		return nil, readFault(fmt.Errorf("find a text of project %s: %w", projectID, err), "name its trace with traceId")
	case text == nil:
		return nil, errNoObservation
	}
	return text, nil
}

// windowBytes is how much of a text is held at once.
const windowBytes = 4 << 20

// ReadText reads a text from the store as it is asked for, a window at a time. What it found of the text stands for
// all of it: a text that changes meanwhile ends the read with tracestore.ErrTextGone.
func (s *Service) ReadText(ctx context.Context, text *tracestore.Text) io.ReadSeeker {
	return io.NewSectionReader(&textWindow{ctx: ctx, store: s.store, text: text}, 0, text.Size)
}

// textWindow is the part of a text that is held.
type textWindow struct {
	ctx   context.Context //nolint:containedctx // io.ReaderAt has none, and this one lives as long as its request
	store tracestore.Texts
	text  *tracestore.Text
	from  int64
	held  []byte
}

// ReadAt moves the window where it must. Readers ask one after the other.
func (w *textWindow) ReadAt(p []byte, offset int64) (int, error) {
	if offset < w.from || offset >= w.from+int64(len(w.held)) {
		held, err := w.store.ReadText(w.ctx, w.text, offset, windowBytes)
		if err != nil {
			return 0, fmt.Errorf("read a text: %w", err)
		}
		if len(held) == 0 {
			return 0, io.EOF
		}
		w.from, w.held = offset, held
	}
	n := copy(p, w.held[offset-w.from:])
	if n < len(p) {
		more, err := w.ReadAt(p[n:], offset+int64(n))
		if errors.Is(err, io.EOF) && offset+int64(n+more) < w.text.Size {
			err = io.ErrUnexpectedEOF
		}
		return n + more, err
	}
	return n, nil
}
