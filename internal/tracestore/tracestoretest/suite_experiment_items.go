package tracestoretest

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

func readItems(t *testing.T, store Stores, q tracestore.ExperimentItemQuery) []*tracestore.ExperimentItem {
	t.Helper()
	if q.Window == (tracestore.Window{}) {
		q.Window = always
	}
	if q.Limit == 0 {
		q.Limit = everything
	}
	page, err := store.ExperimentItems(t.Context(), q)
	if err != nil {
		t.Fatalf("read %+v: %v", q, err)
	}
	return page
}

// requireItems compares items as trace/id.
func requireItems(t *testing.T, got []*tracestore.ExperimentItem, want ...string) {
	t.Helper()
	names := []string{}
	for _, item := range got {
		names = append(names, item.TraceID+"/"+item.ID)
	}
	if diff := cmp.Diff(want, names, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("items (-want +got):\n%s", diff)
	}
}

func itemRoots(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store,
		newRow(project, "t1", "run", 1, tagged("x", below)),
		newRow(project, "t1", "task", 2, tagged("x")),
		newRow(project, "t1", "generation", 3, tagged("x", below)),
		newRow(project, "t2", "task", 4, tagged("x", func(x *model.Experiment) { x.ItemID = "" })),
		newRow(project, "t3", "task", 5, tagged("")),
		newRow(project, "t4", "task", 6, tagged("y")),
		newRow(project, "t5", "task", 7),
	)
	requireItems(t, readItems(t, store, tracestore.ExperimentItemQuery{ProjectID: project}), "t4/task", "t1/task")
	requireItems(t, readItems(t, store, tracestore.ExperimentItemQuery{ProjectID: project, Limit: 1}), "t4/task")
	requireItems(t, readItems(t, store, tracestore.ExperimentItemQuery{ProjectID: project, Window: tracestore.Window{From: at(2), To: at(6)}}), "t1/task")
	requireItems(t, readItems(t, store, tracestore.ExperimentItemQuery{ProjectID: project, Window: tracestore.Window{From: at(6)}}), "t4/task")
	// A later version makes it a part of another item.
	insert(t, store, newRow(project, "t4", "task", 6, version(1), tagged("y", below)))
	requireItems(t, readItems(t, store, tracestore.ExperimentItemQuery{ProjectID: project}), "t1/task")
}

func itemFields(t *testing.T, store Stores) {
	project := newProject()
	long := strings.Repeat("é", 400)
	entry := func(name string) []model.MetadataEntry {
		return []model.MetadataEntry{{Name: name, Value: long, Type: model.MetadataString}, {Name: name + ".n", Value: "1", Type: model.MetadataNumber}}
	}
	full := newRow(project, "t", "task", 1, endsAt(9), func(o *model.Observation) {
		o.Level, o.Environment = model.Error, "sdk-experiment"
		o.Input, o.Output, o.Metadata = "in "+long, "out", entry("own")
		o.Experiment = &model.Experiment{
			ID: "x", Name: "run", Description: "about", DatasetID: "d", Metadata: entry("experiment"),
			ItemID: "item", ItemVersion: noon.Add(-time.Hour), ItemMetadata: entry("item"), ItemRootID: "task", ItemExpectedOutput: `{"want":1}`,
		}
	})
	insert(t, store, full, newRow(project, "t", "bare", 0, tagged("x")))
	want := &tracestore.ExperimentItem{
		ID: "task", TraceID: "t", StartTime: at(1), EndTime: at(9), Level: model.Error, Environment: "sdk-experiment",
		Experiment: *full.Experiment, Metadata: full.Metadata, Input: full.Input, Output: "out",
	}
	bare := &tracestore.ExperimentItem{
		ID: "bare", TraceID: "t", StartTime: at(0), Level: model.Default, Environment: model.DefaultEnvironment,
		Experiment: model.Experiment{ID: "x", ItemID: "item of t", ItemRootID: "bare"},
	}
	for _, q := range []tracestore.ExperimentItemQuery{{IO: true, Metadata: true}, {IO: true}, {Metadata: true}, {}} {
		q.ProjectID = project
		shown := *want
		if !q.IO {
			shown.Input, shown.Output, shown.Experiment.ItemExpectedOutput = "", "", ""
		}
		if !q.Metadata {
			shown.Metadata, shown.Experiment.Metadata, shown.Experiment.ItemMetadata = nil, nil, nil
		}
		if diff := cmp.Diff([]*tracestore.ExperimentItem{&shown, bare}, readItems(t, store, q), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", q, diff)
		}
	}
}

func itemConditions(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store,
		newRow(project, "t1", "a", 1, tagged("x1", titled("draft"), onDataset("d1"))),
		newRow(project, "t2", "b", 2, tagged("x1", titled("final"))),
		newRow(project, "t3", "c", 3, tagged("x2", titled("final"), onDataset("d2"))),
	)
	for _, c := range []struct {
		where filter.Condition
		want  []string
	}{
		{oneOf(filter.ExperimentID, "x1"), []string{"t2/b", "t1/a"}},
		{oneOf(filter.ExperimentName, "draft", "none"), []string{"t1/a"}},
		{filter.Text{Column: filter.ExperimentName, Op: filter.StartsWith, Value: "fin"}, []string{"t3/c", "t2/b"}},
		{oneOf(filter.ExperimentItemID, "item of t3", "item of t1"), []string{"t3/c", "t1/a"}},
		{filter.OneOf{Column: filter.ExperimentItemID, Values: []string{"item of t3"}, Not: true}, []string{"t2/b", "t1/a"}},
		{oneOf(filter.DatasetID, "d2"), []string{"t3/c"}},
		{filter.IsSet{Column: filter.DatasetID}, []string{"t2/b"}},
	} {
		q := tracestore.ExperimentItemQuery{ProjectID: project, Where: []filter.Condition{c.where}}
		t.Run("", func(t *testing.T) { requireItems(t, readItems(t, store, q), c.want...) })
	}
	q := tracestore.ExperimentItemQuery{ProjectID: project, Window: always, Limit: 1, Where: []filter.Condition{oneOf(filter.ID, "a")}}
	if _, err := store.ExperimentItems(t.Context(), q); err == nil {
		t.Error("a condition on a column that items do not have is taken")
	}
}

func about(subject tracestore.ScoreSubject) func(*model.Score) {
	return func(s *model.Score) {
		s.ExperimentID, s.TraceID, s.ObservationID = subject.ExperimentID, subject.TraceID, subject.ObservationID
	}
}

func newestScores(t *testing.T, store Stores, project string, limit int, subjects ...tracestore.ScoreSubject) []*model.Score {
	t.Helper()
	scores, err := store.NewestScores(t.Context(), project, subjects, limit)
	if err != nil {
		t.Fatalf("read scores: %v", err)
	}
	return scores
}

func experimentScores(t *testing.T, store Stores) {
	project := newProject()
	run, root, trace := tracestore.ScoreSubject{ExperimentID: "x"}, tracestore.ScoreSubject{TraceID: "t", ObservationID: "task"}, tracestore.ScoreSubject{TraceID: "t"}
	full := newScore(project, "run-2", 2, about(run), func(s *model.Score) {
		s.Type, s.Text, s.Number, s.Comment, s.ConfigID = model.Categorical, "good", 1, "why", "c"
	})
	insertScores(t, store,
		newScore(project, "run-1", 1, about(run)), full, newScore(project, "run-3", 3, about(run)),
		newScore(project, "root-4", 4, about(root)), newScore(project, "root-5", 5, about(root)),
		newScore(project, "trace-6", 6, about(trace)), newScore(project, "trace-7", 10_000_000, about(trace)))
	requireScores(t, newestScores(t, store, project, 2, run, root, trace), "trace-7", "trace-6", "root-5", "root-4", "run-3", "run-2")
	requireScores(t, newestScores(t, store, project, 1, run, root), "root-5", "run-3")
	requireScores(t, newestScores(t, store, project, 9, run), "run-3", "run-2", "run-1")
	requireScores(t, newestScores(t, store, project, 9))
	if diff := cmp.Diff(full, newestScores(t, store, project, 9, run)[1], cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("score (-want +got):\n%s", diff)
	}
}

func experimentForeignScores(t *testing.T, store Stores) {
	project := newProject()
	run, root := tracestore.ScoreSubject{ExperimentID: "x"}, tracestore.ScoreSubject{TraceID: "t", ObservationID: "task"}
	correction := func(s *model.Score) { s.Type = model.Correction }
	ofSession := func(s *model.Score) { s.TraceID, s.SessionID = "", "s" }
	insertScores(t, store,
		newScore(project, "correction", 1, about(run), correction),
		newScore(project, "of a session", 2, ofSession),
		newScore(project, "of another", 3, about(tracestore.ScoreSubject{ExperimentID: "y"})),
		newScore(project, "of another observation", 4, about(tracestore.ScoreSubject{TraceID: "t", ObservationID: "other"})),
		newScore(project, "of the span in another trace", 5, about(tracestore.ScoreSubject{TraceID: "u", ObservationID: "task"})),
		newScore(project, "deleted", 6, about(run)), newScore(project, "moved", 7, about(root)), newScore(project, "changed", 8, about(root)))
	insertScores(t, store,
		newScore(project, "deleted", 6, about(run), scoreVersion(1), deletedScore),
		newScore(project, "moved", 7, about(tracestore.ScoreSubject{TraceID: "t", ObservationID: "other"}), scoreVersion(1)),
		newScore(project, "changed", 8, about(root), scoreVersion(1), func(s *model.Score) { s.Number = 0.75 }))
	got := newestScores(t, store, project, 9, run, root)
	requireScores(t, got, "changed")
	if got[0].Number != 0.75 {
		t.Errorf("value %v, want that of the newest version", got[0].Number)
	}
}
