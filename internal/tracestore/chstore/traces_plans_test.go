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

// Every statement of each kind of read of traces stands in a reviewed file, as it went to the engine.
func TestTracePlans(t *testing.T) {
	t.Parallel()
	store := open(t, chstore.Config{Nodes: []string{testkit.Engine(t)}})
	may := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	var rows []*model.Observation
	for _, project := range []string{"p", "with a tombstone"} {
		o := row(project, "a")
		o.StartTime, o.SessionID = may, "session"
		rows = append(rows, o)
	}
	if err := store.Insert(t.Context(), rows); err != nil {
		t.Fatal(err)
	}
	buried := tracestore.Tombstone{ProjectID: "with a tombstone", Kind: tracestore.TraceTombstone, ID: "gone", Version: 1}
	if err := store.InsertTombstones(t.Context(), []tracestore.Tombstone{buried}); err != nil {
		t.Fatal(err)
	}
	since := filter.Time{Column: filter.StartTime, Op: filter.AtLeast, At: may}
	until := filter.Time{Column: filter.StartTime, Op: filter.Below, At: may.Add(time.Hour)}
	slow := filter.Number{Column: filter.Latency, Op: filter.AtLeast, Value: 0}
	ofUser := filter.OneOf{Column: filter.UserID, Values: []string{"it's"}}
	page := func(q tracestore.TraceQuery) func(context.Context) error {
		return func(ctx context.Context) error {
			q.Limit = 1
			_, err := store.Traces(ctx, q)
			return err
		}
	}
	for name, read := range map[string]func(context.Context) error{
		"traces_newest":     page(tracestore.TraceQuery{ProjectID: "p", IO: true, ObservationIDs: true, ScoreIDs: true}),
		"traces_window":     page(tracestore.TraceQuery{ProjectID: "p", Where: []filter.Condition{since, until, slow}, Order: tracestore.TraceOrder{Asc: true}}),
		"traces_by_user":    page(tracestore.TraceQuery{ProjectID: "p", Where: []filter.Condition{ofUser}, Order: tracestore.TraceOrder{By: filter.TraceName}}),
		"traces_by_id":      page(tracestore.TraceQuery{ProjectID: "p", Where: []filter.Condition{filter.OneOf{Column: filter.TraceID, Values: []string{"trace"}}}}),
		"traces_tombstones": page(tracestore.TraceQuery{ProjectID: "with a tombstone", Where: []filter.Condition{since}, ScoreIDs: true}),
		"traces_count": func(ctx context.Context) error {
			_, err := store.CountTraces(ctx, "p", []filter.Condition{since, until})
			return err
		},
		"sessions": func(ctx context.Context) error {
			_, err := store.Sessions(ctx, tracestore.SessionQuery{ProjectID: "p", Where: []filter.Condition{since}, Limit: 1})
			return err
		},
		"places": func(ctx context.Context) error {
			if _, err := store.ObservationPlace(ctx, "p", []filter.Condition{ofUser}, 3); err != nil {
				return err
			}
			_, err := store.ScorePlace(ctx, "p", []filter.Condition{ofUser}, 3)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			goldenStatements(t, name, read)
		})
	}
}
