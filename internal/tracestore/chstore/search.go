package chstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ClickHouse/ch-go"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// A search is a page with conditions on texts, which lie in payloads, apart from the spine. It walks
// down the order of pages in steps of two kinds. A step by text asks payloads, through the text index
// where it helps, for the next keys that meet the conditions on texts, and the spine for the rows under
// them. A step by spine asks the spine for the next rows that meet the other conditions, and payloads
// whether their texts do. Either sees everything down to where it ends, so they can take turns: whichever
// is the right one for the words and conditions at hand, the walk costs at most about twice as much.
//
// A stale version never matches: the spine is folded before its conditions are tested, and a payload
// counts only when no newer one exists for its key.
type search struct {
	*Store
	q     tracestore.ObservationQuery
	texts []filter.Condition
	rest  []filter.Condition // conditions on the spine
	same  []filter.Condition // those of rest that hold for all versions of a row, and in payloads too

	dead graves

	at     cut
	window int  // of steps by text
	sifted bool // a step by text has looked at what the sieve lets through
	end    bool // nothing is left below
	rows   []*model.Observation
}

// cut is how far a walk has come: what is left lies strictly below.
type cut struct {
	after  *filter.Position
	before time.Time // zero: no bound
}

func (c cut) sql(p *params) string {
	clause := after(p, c.after)
	if !c.before.IsZero() {
		clause += " AND start_time < " + p.micros(c.before.UnixMicro())
	}
	return clause
}

// The first step asks for little more than the page holds. Those that follow grow: a walk that finds
// little reads more at once.
const (
	stepSpare  = 8
	stepGrowth = 4
	maxStep    = 8192
)

// searchRows reads a page with conditions on texts.
func (s *Store) searchRows(ctx context.Context, q tracestore.ObservationQuery, texts, rest []filter.Condition, dead graves) ([]*model.Observation, error) {
	w := &search{Store: s, q: q, texts: texts, rest: rest, dead: dead, at: cut{after: q.After}}
	for _, c := range rest {
		if onlyIdentity([]filter.Condition{c}) {
			w.same = append(w.same, c)
		}
	}
	turns, err := w.turns()
	if err != nil {
		return nil, err
	}
	size := q.Limit + q.Limit/stepSpare + 1
	for round := 1; !w.end && len(w.rows) < q.Limit; round++ {
		if err := turns[(round-1)%len(turns)](ctx, size); err != nil {
			return nil, searchError(ctx, err)
		}
		if round%len(turns) == 0 {
			size = max(size, min(size*stepGrowth, maxStep))
		}
	}
	return w.rows[:min(len(w.rows), q.Limit)], nil
}

// turns says which kinds of steps the walk takes, over and over. With other conditions both kinds
// alternate, the more promising first. Without, what the index cannot find at once is looked for in the
// newest rows, where it will be if it is common, and then in all texts, window by window.
func (w *search) turns() ([]func(context.Context, int) error, error) {
	var p params
	t, err := newTextTest(&p, w.texts)
	bySpine, byText := w.stepBySpine, w.stepByText
	switch others := len(w.rest) > len(w.same); {
	case err != nil:
		return nil, err
	case selective(w.rest), others && t.sieve == "":
		return []func(context.Context, int) error{bySpine, byText}, nil
	case others:
		return []func(context.Context, int) error{byText, bySpine}, nil
	case t.sieve == "":
		return []func(context.Context, int) error{bySpine, byText, byText, byText, byText}, nil
	}
	return []func(context.Context, int) error{byText}, nil
}

// selective reports whether the conditions name something that has few rows, most likely.
func selective(conditions []filter.Condition) bool {
	for _, c := range conditions {
		if c, ok := c.(filter.OneOf); ok && !c.Not {
			switch c.Column {
			case filter.TraceID, filter.ID, filter.ParentObservationID, filter.UserID, filter.SessionID:
				return true
			default:
			}
		}
	}
	return false
}

// cannotCompile is the engine's answer to a regular expression that it does not take.
const cannotCompile = 427

// searchError tells a walk that took too long from one whose caller went away, and lets a client know of
// the rare expression that Go's RE2 takes and the engine's does not.
func searchError(ctx context.Context, err error) error {
	switch {
	case ch.IsErr(err, cannotCompile):
		return fault.Invalidf("search", "is a regular expression that the trace store cannot run").Because(err)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("search: %w: %w", tracestore.ErrTooExpensive, err)
	}
	return err
}

// stepBySpine looks at the next rows that meet the other conditions.
func (w *search) stepBySpine(ctx context.Context, size int) error {
	q := w.q
	q.Where, q.After, q.Limit = slices.Clone(w.rest), w.at.after, size
	if !w.at.before.IsZero() {
		q.Where = append(q.Where, filter.Time{Column: filter.StartTime, Op: filter.Below, At: w.at.before})
	}
	rows, err := w.page(ctx, q, w.dead)
	if err != nil {
		return err
	}
	w.end = len(rows) < size
	if len(rows) == 0 {
		return nil
	}
	last := rows[len(rows)-1]
	w.at = cut{after: &filter.Position{StartTime: last.StartTime, TraceID: last.TraceID, ID: last.ID}, before: w.at.before}
	met, err := w.meeting(ctx, keysOf(rows))
	if err != nil {
		return err
	}
	return w.keep(ctx, rows, met.versions)
}

// stepByText looks at the next keys whose texts meet the conditions. The first time it takes what the
// sieve lets through and reads the texts of that alone; if that was not enough, the engine reads every
// text that the sieve lets through.
func (w *search) stepByText(ctx context.Context, size int) error {
	floor, err := w.floor(ctx)
	if err != nil || w.end {
		return err
	}
	var p params
	test, err := newTextTest(&p, w.texts)
	if err != nil {
		return err
	}
	clause := test.sieve
	if clause == "" || w.sifted {
		clause = test.exact
	}
	w.sifted = true
	met, err := w.candidates(ctx, p, clause, floor, size)
	if err != nil {
		return err
	}
	switch {
	case len(met.keys) == size:
		last := met.keys[size-1]
		w.at = cut{after: &filter.Position{StartTime: time.UnixMicro(last.start).UTC(), TraceID: last.trace, ID: last.span}}
	case floor.IsZero():
		w.end = true
	default:
		w.at = cut{before: floor}
		w.window++
	}
	if clause != test.exact {
		if met, err = w.meeting(ctx, met.keys); err != nil {
			return err
		}
	}
	rows, err := w.rowsUnder(ctx, met.keys)
	if err != nil {
		return err
	}
	return w.keep(ctx, rows, met.versions)
}

// reaches are how many days back from where a walk is the windows of steps by text reach, besides the
// day itself. Tables are partitioned by day, so what is common is found without a look at older days,
// and what is rare with few statements.
var reaches = []int{0, 63}

const oneDay = 24 * time.Hour

// floor is where the window of the next step by text starts; zero: it is the last one. A project
// without rows ends the walk.
func (w *search) floor(ctx context.Context) (time.Time, error) {
	if w.window >= len(reaches) {
		return time.Time{}, nil
	}
	top := w.at.before
	if w.at.after != nil && (top.IsZero() || w.at.after.StartTime.Before(top)) {
		top = w.at.after.StartTime
	}
	if top.IsZero() {
		newest, err := w.newest(ctx)
		if err != nil || newest.IsZero() {
			w.end = err == nil
			return time.Time{}, err
		}
		top = newest
	}
	floor := top.Truncate(oneDay).AddDate(0, 0, -reaches[w.window])
	if !floor.After(lowestStart(w.rest)) {
		return time.Time{}, nil
	}
	return floor, nil
}

// lowestStart is where the conditions let rows begin, zero if anywhere.
func lowestStart(conditions []filter.Condition) (lowest time.Time) {
	for _, c := range conditions {
		c, ok := c.(filter.Time)
		if ok && c.Column == filter.StartTime && (c.Op == filter.Above || c.Op == filter.AtLeast) && c.At.After(lowest) {
			lowest = c.At
		}
	}
	return lowest
}
