package chstore_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/testkit"
	"github.com/sondehq/sonde/internal/tracestore"
	"github.com/sondehq/sonde/internal/tracestore/chstore"
)

// TestScoreStatements pins the SQL, with conditions of every kind, a cursor and tombstones.
func TestScoreStatements(t *testing.T) {
	t.Parallel()
	store := open(t, chstore.Config{Nodes: []string{testkit.Engine(t)}})
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	score := &model.Score{
		ProjectID: "p", ID: "s", TraceID: "t", Timestamp: at, Name: "it's", Type: model.Numeric, Number: 0.1, Version: 7,
	}
	if err := store.InsertScores(t.Context(), []*model.Score{score}); err != nil {
		t.Fatal(err)
	}
	name := filter.OneOf{Column: filter.Name, Values: []string{"it's", "b"}}
	graves := []tracestore.Tombstone{
		{ProjectID: "p", Kind: tracestore.TraceTombstone, ID: "other", Version: 9}, {ProjectID: "p", Kind: tracestore.ScoreTombstone, ID: "gone", Version: 9},
	}
	for _, c := range []struct {
		plan  string
		query tracestore.ScoreQuery
		bury  []tracestore.Tombstone
	}{
		{plan: "cursor", query: tracestore.ScoreQuery{Where: []filter.Condition{
			filter.OneOf{Column: filter.TraceID, Values: []string{"t"}}, filter.Time{Column: filter.Timestamp, Op: filter.AtLeast, At: at},
		}, After: &filter.Position{StartTime: at.Add(time.Second), ID: "i", TraceID: "t"}}},
		{plan: "conditions", query: tracestore.ScoreQuery{Metadata: true, Where: []filter.Condition{
			name, filter.Number{Column: filter.Value, Op: filter.AtMost, Value: 0.1}, filter.NumberOneOf{Column: filter.Value, Values: []float64{0.1, 2}},
		}}},
		{plan: "tombstones", query: tracestore.ScoreQuery{Where: []filter.Condition{name}}, bury: graves},
	} {
		if err := store.InsertTombstones(t.Context(), c.bury); err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		ctx := chstore.OnStatement(t.Context(), func(s chstore.Statement) {
			fmt.Fprintln(&text, s.SQL)
			for _, p := range s.Parameters {
				fmt.Fprintf(&text, "-- %s = %s\n", p.Key, p.Value)
			}
			fmt.Fprintln(&text)
		})
		c.query.ProjectID, c.query.Limit = "p", 50
		got, err := store.Scores(ctx, c.query)
		if err != nil || len(got) != 1 || got[0].ID != "s" {
			t.Errorf("%s: %d scores (%v), want the one", c.plan, len(got), err)
		}
		testkit.Golden(t, filepath.Join("testdata", "scores_"+c.plan+".sql"), []byte(text.String()))
	}
}
