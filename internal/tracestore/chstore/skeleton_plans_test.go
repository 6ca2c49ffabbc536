package chstore_test

import (
	"context"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/testkit"
	"github.com/sondehq/sonde/internal/tracestore"
	"github.com/sondehq/sonde/internal/tracestore/chstore"
)

// Every statement of what a trace page reads stands in a reviewed file, as it went to the engine.
func TestTracePagePlans(t *testing.T) {
	t.Parallel()
	store := open(t, chstore.Config{Nodes: []string{testkit.Engine(t)}})
	o := row("p", "a")
	o.StartTime, o.Input = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC), "hi"
	o.Version = model.RowVersion(o.StartTime, 0)
	if err := store.Insert(t.Context(), []*model.Observation{o}); err != nil {
		t.Fatal(err)
	}
	where := []filter.Condition{
		filter.OneOf{Column: filter.ID, Values: []string{"a", "it's"}},
		filter.Time{Column: filter.StartTime, Op: filter.AtLeast, At: o.StartTime},
	}
	for name, read := range map[string]func(context.Context) error{
		"skeleton": func(ctx context.Context) error {
			_, err := store.Skeleton(ctx, "p", o.TraceID)
			return err
		},
		"text": func(ctx context.Context) error {
			text, err := store.Text(ctx, tracestore.TextQuery{ProjectID: "p", Where: where, Column: filter.Input})
			if err != nil {
				return err
			}
			_, err = store.ReadText(ctx, text, 1, 10)
			return err
		},
		"previews": func(ctx context.Context) error {
			_, err := store.Previews(ctx, tracestore.PreviewQuery{ProjectID: "p", Where: where})
			return err
		},
		"search_trace": func(ctx context.Context) error {
			_, err := store.SearchTrace(ctx, tracestore.TraceSearch{ProjectID: "p", TraceID: o.TraceID, Value: "It's", Limit: 3})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			goldenStatements(t, name, read)
		})
	}
}
