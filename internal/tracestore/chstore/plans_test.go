package chstore_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/testkit"
	"github.com/sondehq/sonde/internal/tracestore"
	"github.com/sondehq/sonde/internal/tracestore/chstore"
)

// Every statement of each kind of read stands in a reviewed file, as it went to the engine.
func TestPlans(t *testing.T) {
	t.Parallel()
	store := open(t, chstore.Config{Nodes: []string{testkit.Engine(t)}})
	may := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	var rows []*model.Observation
	for _, project := range []string{"p", "with a tombstone"} {
		for _, id := range []string{"a", "b", "c"} {
			o := row(project, id)
			o.StartTime = may
			rows = append(rows, o)
		}
	}
	if err := store.Insert(t.Context(), rows); err != nil {
		t.Fatal(err)
	}
	buried := tracestore.Tombstone{ProjectID: "with a tombstone", Kind: tracestore.TraceTombstone, ID: "gone", Version: 1}
	if err := store.InsertTombstones(t.Context(), []tracestore.Tombstone{buried}); err != nil {
		t.Fatal(err)
	}
	named := filter.OneOf{Column: filter.Name, Values: []string{"a", "b"}}
	of := filter.OneOf{Column: filter.UserID, Values: []string{""}}
	since := filter.Time{Column: filter.StartTime, Op: filter.AtLeast, At: may}
	page := func(q tracestore.ObservationQuery) func(context.Context) error {
		return func(ctx context.Context) error {
			q.Limit = 2
			_, err := store.Observations(ctx, q)
			return err
		}
	}
	for name, read := range map[string]func(context.Context) error{
		"page_adjacent": page(tracestore.ObservationQuery{ProjectID: "p", Where: []filter.Condition{since}, IO: true}),
		"page_trace":    page(tracestore.ObservationQuery{ProjectID: "p", Where: []filter.Condition{filter.OneOf{Column: filter.TraceID, Values: []string{"trace"}}}}),
		"page_verified": page(tracestore.ObservationQuery{ProjectID: "p", Where: []filter.Condition{named, since}, Metadata: true}),
		"page_inherited": page(tracestore.ObservationQuery{
			ProjectID: "p", Where: []filter.Condition{of, since}, After: &filter.Position{StartTime: may, TraceID: "trace", ID: "c"}, OwnOnly: true,
		}),
		"page_tombstones": page(tracestore.ObservationQuery{ProjectID: "with a tombstone", Where: []filter.Condition{of}}),
		"count": func(ctx context.Context) error {
			_, err := store.CountObservations(ctx, "p", []filter.Condition{named})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			goldenStatements(t, name, read)
		})
	}
}

// goldenStatements holds the statements of a read, with their parameters, against the reviewed file of that name.
func goldenStatements(t *testing.T, name string, read func(context.Context) error) {
	t.Helper()
	var text bytes.Buffer
	ctx := chstore.OnStatement(t.Context(), func(s chstore.Statement) {
		text.WriteString(s.SQL + "\n")
		for _, p := range s.Parameters {
			fmt.Fprintf(&text, "  %s = %s\n", p.Key, p.Value)
		}
	})
	if err := read(ctx); err != nil {
		t.Fatal(err)
	}
	testkit.Golden(t, "testdata/"+name+".sql", text.Bytes())
}
