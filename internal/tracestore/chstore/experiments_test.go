package chstore_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/testkit"
	"github.com/sondehq/sonde/internal/tracestore"
	"github.com/sondehq/sonde/internal/tracestore/chstore"
)

// What reads of experiments send to the engine is a reviewed file; values never stand in it.
func TestExperimentStatements(t *testing.T) {
	t.Parallel()
	store := open(t, chstore.Config{Nodes: []string{testkit.Engine(t)}})
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	o := row("p", "task")
	o.StartTime, o.Input = at.Add(time.Minute), "in"
	o.Experiment = &model.Experiment{ID: "x", Name: "it's", ItemID: "i", ItemRootID: "task"}
	if err := store.Insert(t.Context(), []*model.Observation{o}); err != nil {
		t.Fatal(err)
	}
	window := tracestore.Window{From: at, To: at.Add(time.Hour)}
	where := func(columns ...filter.Column) (list []filter.Condition) {
		for _, column := range columns {
			list = append(list, filter.OneOf{Column: column, Values: []string{"none"}, Not: true})
		}
		return append(list, filter.Text{Column: columns[0], Op: filter.NotContains, Value: "secret"}, filter.IsSet{Column: columns[1], Want: true})
	}
	after := &filter.Position{StartTime: at.Add(2 * time.Minute), TraceID: "t", ID: "y"}
	var text strings.Builder
	ctx := chstore.OnStatement(t.Context(), func(s chstore.Statement) {
		text.WriteString(s.SQL + ";\n")
		for _, p := range s.Parameters {
			fmt.Fprintf(&text, "--   %s = %s\n", p.Key, p.Value)
		}
	})
	further := tracestore.ExperimentQuery{ProjectID: "p", Window: window, Where: where(filter.ID, filter.Name), After: after, Limit: 51, Metadata: true}
	items := tracestore.ExperimentItemQuery{
		ProjectID: "p", Window: window, Where: where(filter.ExperimentID, filter.ExperimentName), After: after, Limit: 51, IO: true, Metadata: true,
	}
	text.WriteString("-- experiments from a time on\n")
	_, first := store.Experiments(ctx, tracestore.ExperimentQuery{ProjectID: "p", Window: tracestore.Window{From: at}, Limit: 51})
	text.WriteString("\n-- a further page by id and name, with metadata\n")
	_, second := store.Experiments(ctx, further)
	text.WriteString("\n-- a further page of items by experiment, with texts and metadata\n")
	_, third := store.ExperimentItems(ctx, items)
	text.WriteString("\n-- scores\n")
	_, fourth := store.NewestScores(ctx, "p", []tracestore.ScoreSubject{{ExperimentID: "x"}, {TraceID: "t", ObservationID: "o"}}, 50)
	compared := tracestore.Compared{ProjectID: "p", Window: window, IDs: []string{"x", "it's"}}
	text.WriteString("\n-- figures of experiments beside a baseline\n")
	_, fifth := store.CompareExperiments(ctx, compared)
	text.WriteString("\n-- items beside a baseline, the worst regressions of a score first\n")
	_, sixth := store.ComparedItems(ctx, tracestore.ComparedItemQuery{
		Compared: compared, InBaseline: true, Regressed: true, WorstFirst: true, Score: "accuracy", LowerIsBetter: []string{"toxicity"}, Search: "In", ItemID: "i", Limit: 50, Characters: 1000,
	})
	text.WriteString("\n-- all items beside a baseline\n")
	_, seventh := store.ComparedItems(ctx, tracestore.ComparedItemQuery{Compared: compared, Limit: 50, Characters: 1000})
	if err := errors.Join(first, second, third, fourth, fifth, sixth, seventh); err != nil {
		t.Fatal(err)
	}
	testkit.Golden(t, "testdata/experiments.sql", []byte(text.String()))
}
