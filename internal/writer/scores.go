package writer

import (
	"context"
	"errors"
	"time"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/partial"
	"github.com/sondehq/sonde/internal/tracestore"
)

// rebuildScores makes the rows of scores from all their events and stores them, with tombstones
// where they no longer lie. An event names its place itself, so no place need be noted before.
func (w *Writer) rebuildScores(ctx context.Context, entities []tracestore.Entity, r refused) error {
	known := map[tracestore.Entity][]partial.Event{}
	if err := w.readEvents(ctx, entities, known, r.entities); err != nil {
		return err
	}
	var rows []*model.Score
	of := map[*model.Score]tracestore.Entity{}
	for _, e := range entities {
		row, made := partial.MergeScore(e.ProjectID, e.EntityID, known[e])
		if row != nil {
			made = append(made, row)
		}
		for _, s := range made {
			of[s] = e
		}
		rows = append(rows, made...)
	}
	return w.insertScores(ctx, rows, func(s *model.Score, err error) { r.entities[of[s]] = err })
}

// insertScores stores rows, waiting for the store as long as ctx lasts. What it refuses is found
// by halving.
func (w *Writer) insertScores(ctx context.Context, rows []*model.Score, refuse func(*model.Score, error)) error {
	if len(rows) == 0 {
		return nil
	}
	began := time.Now()
	err := w.patiently(ctx, func() error {
		began = time.Now()
		return w.store.InsertScores(ctx, rows)
	})
	switch {
	case err == nil:
		w.metrics.Inserted(len(rows), time.Since(began))
		w.tellScores(rows)
		return nil
	case !errors.Is(err, tracestore.ErrRefused):
		return err
	case len(rows) == 1:
		refuse(rows[0], err)
		return nil
	}
	half := len(rows) / 2
	if err := w.insertScores(ctx, rows[:half], refuse); err != nil {
		return err
	}
	return w.insertScores(ctx, rows[half:], refuse)
}
