package importer

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// list is a read of rows of the source that go by time.
type list struct {
	path     string
	query    url.Values // what every request has
	from, to string     // the names of the bounds
	limit    int
	cursors  bool // pages are found by a cursor, otherwise by their number
}

// sink takes rows.
type sink interface {
	// begin forgets what was taken of a page that is read again.
	begin()
	row(ctx context.Context, raw json.RawMessage) error
	// end returns once everything of the page is safe.
	end(ctx context.Context) (Tally, error)
}

// The bounds of windows. A numbered page costs the source all rows before it, so windows of numbered pages hold few rows.
const (
	maxNumbered = 2000
	// manyRows makes the next window of a cursor shorter, fewRows any next window longer.
	manyRows = 20000
	fewRows  = 500

	firstWidth = 24 * time.Hour
	maxWidth   = 10 * 365 * 24 * time.Hour
	// maxCursor bounds windows whose rows nobody counts first: sources want bounded reads, and people want to see how far it is.
	maxCursor = 30 * 24 * time.Hour
	minWidth  = time.Millisecond
	maxTries  = 5
	// changed stands for the number of rows of a window that got more or fewer while it was read.
	changed = -1
	// shrink is how much shorter a window gets that is too much for the source.
	shrink = 8
)

// dawn is when the second window starts if nothing says when to begin: nobody traced LLM applications before, so that the
// first one is long and holds what has odd times.
var dawn = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

// walker reads a list window by window, from the oldest to the newest.
type walker struct {
	source *client
	list   list
	step   *Step
	since  time.Time
	until  time.Time
	to     sink
	// safe is called after each page with the step as it is then.
	safe func() error
	// whole says that rows cannot be taken back, so that no window is read twice.
	whole bool
}

// run goes on where the step is and returns at the end of the last window.
func (w *walker) run(ctx context.Context) error {
	s := w.step
	if s.Next.IsZero() {
		s.Next = w.since
		s.Width = firstWidth
	}
	for s.Next.Before(w.until) {
		if s.End.IsZero() {
			if err := w.open(ctx); err != nil {
				return err
			}
		}
		more, err := w.page(ctx)
		if !w.whole && refusedWith(err, http.StatusUnprocessableEntity, http.StatusRequestEntityTooLarge) && s.End.Sub(s.Next) > shrink*minWidth {
			w.restart(s.Next.Add((s.End.Sub(s.Next) / shrink).Truncate(minWidth)))
			continue
		}
		if err != nil {
			return err
		}
		if !more {
			if err := w.shut(ctx); err != nil {
				return err
			}
		}
		if err := w.safe(); err != nil {
			return err
		}
	}
	s.Done = true
	return w.safe()
}

// restart begins the window anew, with another end.
func (w *walker) restart(end time.Time) {
	s := w.step
	s.End, s.Width, s.At, s.Pending = end, end.Sub(s.Next), place{}, Tally{}
}

// open finds the end of the next window: the source counts what is in it, if its pages have numbers.
func (w *walker) open(ctx context.Context) error {
	s := w.step
	end := s.Next.Add(s.Width)
	if s.Next.Before(dawn) && end.Before(dawn) {
		end = dawn
	}
	if end.After(w.until) {
		end = w.until
	}
	s.Tries = 0
	w.restart(end)
	if w.list.cursors {
		return nil
	}
	for {
		count, err := w.count(ctx)
		if err != nil {
			return err
		}
		s.Expected = count
		width := s.End.Sub(s.Next)
		if count <= maxNumbered || width <= minWidth {
			return nil
		}
		width = max((width / time.Duration(2*count/maxNumbered)).Truncate(minWidth), minWidth)
		w.restart(s.Next.Add(width))
	}
}

// count is how many rows the source has in the window.
func (w *walker) count(ctx context.Context) (int, error) {
	query := w.bounded()
	query.Set("limit", "1")
	query.Set("page", "1")
	var answer struct{ Meta meta }
	err := w.source.get(ctx, w.list.path, query, &answer)
	return answer.Meta.TotalItems, err
}

func (w *walker) bounded() url.Values {
	query := url.Values{w.list.from: {stamp(w.step.Next)}, w.list.to: {stamp(w.step.End)}}
	maps.Copy(query, w.list.query)
	return query
}

// stamp is a time as requests have it.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// page reads the next page of the window and reports whether there are more.
func (w *walker) page(ctx context.Context) (more bool, err error) {
	s := w.step
	if !w.list.cursors && s.Expected == 0 {
		return false, nil
	}
	query := w.bounded()
	query.Set("limit", strconv.Itoa(w.list.limit))
	next := place{Page: s.At.Page + 1}
	if w.list.cursors {
		if s.At.Cursor != "" {
			query.Set("cursor", s.At.Cursor)
		}
	} else {
		query.Set("page", strconv.Itoa(next.Page))
	}
	rows, total := 0, 0
	err = w.source.stream(ctx, w.list.path, query, func(body io.Reader) error {
		w.to.begin()
		rows = 0
		m, err := readPage(body, func(raw json.RawMessage) error {
			rows++
			return w.to.row(ctx, raw)
		})
		next.Cursor, total = m.Cursor, m.TotalItems
		return err
	})
	if err != nil {
		return false, err
	}
	tally, err := w.to.end(ctx)
	if err != nil {
		return false, err
	}
	s.Pending.add(tally)
	s.At = next
	if w.list.cursors {
		return next.Cursor != "", nil
	}
	if total != s.Expected && s.Tries < maxTries {
		s.Expected = changed
		return false, nil
	}
	s.Expected = total // a window that never rests is read to its end as it is
	return rows > 0 && next.Page*w.list.limit < s.Expected, nil
}

// shut ends the window, or reads it again when it changed while it was read: numbered pages shift then.
func (w *walker) shut(ctx context.Context) error {
	s := w.step
	if !w.list.cursors && s.Pending.Rows != s.Expected && s.Tries < maxTries {
		count, err := w.count(ctx)
		if err != nil {
			return err
		}
		s.Expected = count
		s.Tries++
		w.restart(s.End)
		return nil
	}
	switch rows := s.Pending.Rows; {
	case rows > manyRows:
		s.Width = max(s.Width/2, minWidth)
	case rows < fewRows:
		s.Width = min(2*max(s.Width, minWidth), maxWidth)
	}
	if w.list.cursors {
		s.Width = min(s.Width, maxCursor)
	}
	s.Tally.add(s.Pending)
	s.Next, s.End, s.At, s.Pending = s.End, time.Time{}, place{}, Tally{}
	if s.Next.Equal(dawn) {
		s.Width = firstWidth
	}
	return nil
}

// errNoList is told when a server has none of the reads that an import needs.
var errNoList = errors.New("the source has none of the reads that an import needs; is it a Langfuse server of version 2 or later, and does the key belong to a project?")

// choose returns the first list that the source answers.
func choose(ctx context.Context, source *client, lists ...list) (list, error) {
	for _, l := range lists {
		query := url.Values{l.from: {stamp(dawn)}, l.to: {stamp(dawn.Add(time.Second))}, "limit": {"1"}}
		maps.Copy(query, l.query)
		var answer struct{ Data []json.RawMessage }
		err := source.get(ctx, l.path, query, &answer)
		if err == nil {
			return l, nil
		}
		if !refusedWith(err, http.StatusNotFound, http.StatusBadRequest, http.StatusMethodNotAllowed, http.StatusGone) {
			return list{}, err
		}
	}
	return list{}, errNoList
}
