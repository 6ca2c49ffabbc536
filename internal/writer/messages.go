package writer

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/partial"
	"github.com/sondehq/sonde/internal/tracestore"
)

// spansAtOnce bounds how many rows with input and output are read at once.
const spansAtOnce = 100

// joinMessages gives spans the messages that log records tell of them. Whichever comes second, the
// span or the record, does it: both are stored before either is looked for.
func (w *Writer) joinMessages(ctx context.Context, b batch) error {
	spans, err := w.spansWithLogs(ctx, b)
	if err != nil {
		return err
	}
	for some := range slices.Chunk(spans, spansAtOnce) {
		if err := w.join(ctx, some); err != nil {
			return err
		}
	}
	return nil
}

// spansWithLogs lists the spans that the batch's log records tell about, and those of its rows that
// lack messages and have log records already.
func (w *Writer) spansWithLogs(ctx context.Context, b batch) ([]tracestore.Entity, error) {
	found := map[tracestore.Entity]bool{}
	wanting := map[tracestore.Entity]bool{}
	for i := range b.units {
		for j := range b.units[i].partials {
			if p := &b.units[i].partials[j]; p.Kind == string(partial.Log) {
				found[entityOf(p)] = true
			}
		}
		for _, o := range b.units[i].rows {
			if partial.Wants(o) {
				wanting[tracestore.Entity{ProjectID: o.ProjectID, TraceID: o.TraceID, EntityID: o.ID}] = true
			}
		}
	}
	for some := range slices.Chunk(sortedEntities(wanting), entitiesAtOnce) {
		known, err := w.eventsOf(ctx, some)
		if err != nil {
			return nil, err
		}
		for of, events := range known {
			if slices.ContainsFunc(events, func(e partial.Event) bool { return e.Kind == partial.Log }) {
				found[of] = true
			}
		}
	}
	return sortedEntities(found), nil
}

// eventsOf reads events of entities; one with too many has none.
func (w *Writer) eventsOf(ctx context.Context, entities []tracestore.Entity) (map[tracestore.Entity][]partial.Event, error) {
	known := map[tracestore.Entity][]partial.Event{}
	err := w.readEvents(ctx, entities, known, map[tracestore.Entity]error{})
	return known, err
}

// join completes the stored rows of some spans. Rows are read before events: a row that somebody
// completed meanwhile comes with the note that was stored before it.
func (w *Writer) join(ctx context.Context, spans []tracestore.Entity) error {
	rows, err := w.storedRows(ctx, spans)
	if errors.Is(err, tracestore.ErrTooExpensive) {
		return w.joinLess(ctx, spans, err)
	}
	if err != nil {
		return err
	}
	known, err := w.eventsOf(ctx, spans)
	if err != nil {
		return err
	}
	var joined []*model.Observation
	var notes []tracestore.Partial
	for _, row := range rows {
		of := tracestore.Entity{ProjectID: row.ProjectID, TraceID: row.TraceID, EntityID: row.ID}
		completed, note := partial.Join(row, known[of])
		if completed == nil {
			continue
		}
		joined = append(joined, completed)
		if note != nil {
			p, err := storedPartial(of, note)
			if err != nil {
				return err
			}
			notes = append(notes, p)
		}
	}
	if len(joined) == 0 {
		return nil
	}
	given := map[tracestore.Entity]error{}
	if err := w.insertPartials(ctx, notes, given); err != nil {
		return err
	}
	if err := w.patiently(ctx, func() error { return w.complete(ctx, joined) }); err != nil {
		return err
	}
	refused := map[*model.Observation]error{}
	if err := w.insert(ctx, joined, refused); err != nil {
		return err
	}
	for row, err := range refused {
		// The row without messages stays, and the messages stay as partials.
		w.logger.ErrorContext(ctx, "messages of a span not stored with it", "trace", row.TraceID, "error", err)
	}
	return nil
}

// joinLess halves what could not be read at once. A span whose rows cannot be read alone stays as
// it is.
func (w *Writer) joinLess(ctx context.Context, spans []tracestore.Entity, reason error) error {
	if len(spans) == 1 {
		w.logger.ErrorContext(ctx, "messages of a span not stored with it", "trace", spans[0].TraceID, "error", reason)
		return nil
	}
	half := len(spans) / 2
	if err := w.join(ctx, spans[:half]); err != nil {
		return err
	}
	return w.join(ctx, spans[half:])
}

// storedRows reads the rows of spans as they are stored, with everything that is their own.
func (w *Writer) storedRows(ctx context.Context, spans []tracestore.Entity) ([]*model.Observation, error) {
	projects := map[string][]tracestore.Entity{}
	for _, s := range spans {
		projects[s.ProjectID] = append(projects[s.ProjectID], s)
	}
	var rows []*model.Observation
	for project, list := range projects {
		traces, ids := map[string]bool{}, map[string]bool{}
		for _, s := range list {
			traces[s.TraceID], ids[s.EntityID] = true, true
		}
		q := tracestore.ObservationQuery{
			ProjectID: project, IO: true, Metadata: true, OwnOnly: true, Limit: spansAtOnce,
			Where: []filter.Condition{
				filter.OneOf{Column: filter.TraceID, Values: slices.Sorted(maps.Keys(traces))},
				filter.OneOf{Column: filter.ID, Values: slices.Sorted(maps.Keys(ids))},
			},
		}
		for {
			var page []*model.Observation
			err := w.patiently(ctx, func() (err error) {
				page, err = w.store.Observations(ctx, q)
				return err
			})
			if err != nil {
				return nil, err
			}
			rows = append(rows, page...)
			if len(page) < q.Limit {
				break
			}
			last := page[len(page)-1]
			q.After = &filter.Position{StartTime: last.StartTime, TraceID: last.TraceID, ID: last.ID}
		}
	}
	return rows, nil
}

// sortedEntities makes the order of work the same at every try.
func sortedEntities(set map[tracestore.Entity]bool) []tracestore.Entity {
	return slices.SortedFunc(maps.Keys(set), func(a, b tracestore.Entity) int {
		return cmp.Or(cmp.Compare(a.ProjectID, b.ProjectID), cmp.Compare(a.TraceID, b.TraceID), cmp.Compare(a.EntityID, b.EntityID))
	})
}
