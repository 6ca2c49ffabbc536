package writer

import (
	"context"
	"errors"
	"slices"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/partial"
	"github.com/sondehq/sonde/internal/tracestore"
)

// entitiesAtOnce bounds how many entities are rebuilt from one read.
const entitiesAtOnce = 1000

func entityOf(p *tracestore.Partial) tracestore.Entity {
	return tracestore.Entity{ProjectID: p.ProjectID, TraceID: p.TraceID, EntityID: p.EntityID}
}

// storePartials stores the batch's partial events, then makes the rows of all entities they tell
// about from everything that is known of these.
func (w *Writer) storePartials(ctx context.Context, b batch, r refused) error {
	var all []tracestore.Partial
	observations, scores := map[tracestore.Entity]bool{}, map[tracestore.Entity]bool{}
	for i := range b.units {
		for j := range b.units[i].partials {
			p := &b.units[i].partials[j]
			all = append(all, *p)
			switch kind := partial.Kind(p.Kind); {
			case kind.Makes():
				observations[entityOf(p)] = true
			case kind.OfScore():
				scores[entityOf(p)] = true
			}
		}
	}
	if err := w.insertPartials(ctx, all, r.entities); err != nil {
		return err
	}
	for some := range slices.Chunk(sortedEntities(observations), entitiesAtOnce) {
		if err := w.rebuild(ctx, some, r); err != nil {
			return err
		}
	}
	for some := range slices.Chunk(sortedEntities(scores), entitiesAtOnce) {
		if err := w.rebuildScores(ctx, some, r); err != nil {
			return err
		}
	}
	return nil
}

// insertPartials stores partials, waiting for the store as long as ctx lasts. What it refuses is
// found by halving.
func (w *Writer) insertPartials(ctx context.Context, list []tracestore.Partial, refused map[tracestore.Entity]error) error {
	if len(list) == 0 {
		return nil
	}
	err := w.patiently(ctx, func() error { return w.store.InsertPartials(ctx, list) })
	switch {
	case err == nil || !errors.Is(err, tracestore.ErrRefused):
		return err
	case len(list) == 1:
		refused[entityOf(&list[0])] = err
		return nil
	}
	half := len(list) / 2
	if err := w.insertPartials(ctx, list[:half], refused); err != nil {
		return err
	}
	return w.insertPartials(ctx, list[half:], refused)
}

// rebuild makes rows of entities from all their partials and stores them.
func (w *Writer) rebuild(ctx context.Context, entities []tracestore.Entity, r refused) error {
	known, err := w.settledEvents(ctx, entities, r.entities)
	if err != nil {
		return err
	}
	var rows, tombstones []*model.Observation
	of := map[*model.Observation]tracestore.Entity{}
	for _, e := range entities {
		row := partial.Merge(e.ProjectID, e.TraceID, e.EntityID, known[e])
		if row == nil {
			continue
		}
		rows = append(rows, row)
		of[row] = e
		for _, at := range partial.PlacesOf(known[e]).Old {
			tombstone := &model.Observation{
				ProjectID: row.ProjectID, TraceID: row.TraceID, ID: row.ID, StartTime: at,
				Type: row.Type, Level: row.Level, Environment: row.Environment, Version: row.Version, Deleted: true,
			}
			tombstones = append(tombstones, tombstone)
			of[tombstone] = e
		}
	}
	if err := w.patiently(ctx, func() error { return w.complete(ctx, rows) }); err != nil {
		return err
	}
	if err := w.insert(ctx, append(rows, tombstones...), r.rows); err != nil {
		return err
	}
	for row, e := range of {
		if err := r.rows[row]; err != nil {
			r.entities[e] = err
		}
	}
	return nil
}

// settledEvents reads all events of the entities. Where nothing but updates without a start time
// is known, the row's place is noted first and the events are read again: whoever brings an event
// that moves the row either finds the note or is found by the second reading.
func (w *Writer) settledEvents(ctx context.Context, entities []tracestore.Entity, refused map[tracestore.Entity]error) (map[tracestore.Entity][]partial.Event, error) {
	known := map[tracestore.Entity][]partial.Event{}
	for len(entities) > 0 {
		if err := w.readEvents(ctx, entities, known, refused); err != nil {
			return nil, err
		}
		var marks []tracestore.Partial
		var again []tracestore.Entity
		for _, e := range entities {
			places := partial.PlacesOf(known[e])
			if !places.Unmarked {
				continue
			}
			mark := partial.Mark(places.Here, known[e][0].Version)
			p, err := storedPartial(e, &mark)
			if err != nil {
				return nil, err
			}
			marks, again = append(marks, p), append(again, e)
		}
		if err := w.insertPartials(ctx, marks, refused); err != nil {
			return nil, err
		}
		entities = slices.DeleteFunc(again, func(e tracestore.Entity) bool { return refused[e] != nil })
	}
	return known, nil
}

// readEvents reads the events of entities into known. An entity with more events than the store
// can return is refused; it is found by halving.
func (w *Writer) readEvents(ctx context.Context, entities []tracestore.Entity, known map[tracestore.Entity][]partial.Event, refused map[tracestore.Entity]error) error {
	var list []tracestore.Partial
	err := w.patiently(ctx, func() (err error) {
		list, err = w.store.PartialsOf(ctx, entities)
		return err
	})
	if errors.Is(err, tracestore.ErrTooExpensive) {
		if len(entities) == 1 {
			refused[entities[0]] = err
			delete(known, entities[0])
			return nil
		}
		half := len(entities) / 2
		if err := w.readEvents(ctx, entities[:half], known, refused); err != nil {
			return err
		}
		return w.readEvents(ctx, entities[half:], known, refused)
	}
	if err != nil {
		return err
	}
	for _, e := range entities {
		delete(known, e)
	}
	for i := range list {
		p := &list[i]
		event, err := partial.Restore(partial.Event{
			ID: p.EventID, Time: p.EventTime, Kind: partial.Kind(p.Kind), Version: p.Version,
		}, p.Body)
		if err != nil {
			// It was readable when it was stored. The others still make a row.
			w.logger.ErrorContext(ctx, "partial event cannot be read", "kind", p.Kind, "error", err)
			continue
		}
		known[entityOf(p)] = append(known[entityOf(p)], event)
	}
	return nil
}
