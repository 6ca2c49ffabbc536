package tracestoretest

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

var experimentTests = map[string]func(*testing.T, Stores){
	"an experiment sums up its observations":        experimentSums,
	"the newest observation names it":               experimentNewestNames,
	"the window clips it":                           experimentWindow,
	"an observation that moves counts where it is":  experimentMoves,
	"one that is deleted counts nowhere":            experimentDeleted,
	"those of a deleted trace count nowhere":        experimentTraceDeleted,
	"conditions look at what is shown":              experimentConditions,
	"one shown on a page does not come again":       experimentGains,
	"an item is the root that it names":             itemRoots,
	"an item shows texts and metadata when asked":   itemFields,
	"conditions look at the item's own observation": itemConditions,
	"the newest scores of each subject":             experimentScores,
	"scores of others stay out":                     experimentForeignScores,
	"one project does not see another's":            experimentTenants,
	"canceled":                                      experimentCanceled,
	"pages equal the oracle":                        experimentProperty,
}

// always is a window that holds every row of the suite.
var always = tracestore.Window{From: noon.Add(-24 * time.Hour), To: noon.Add(24 * time.Hour)}

// tagged makes a row one of an experiment.
func tagged(id string, edits ...func(*model.Experiment)) func(*model.Observation) {
	return func(o *model.Observation) {
		o.Experiment = &model.Experiment{ID: id, ItemID: "item of " + o.TraceID, ItemRootID: o.ID}
		for _, edit := range edits {
			edit(o.Experiment)
		}
	}
}

func titled(name string) func(*model.Experiment) {
	return func(x *model.Experiment) { x.Name = name }
}

func onDataset(id string) func(*model.Experiment) {
	return func(x *model.Experiment) { x.DatasetID = id }
}

// below makes the row a part of an item and not its root.
func below(x *model.Experiment) { x.ItemRootID = "another" }

func endsAt(millis int) func(*model.Observation) {
	return func(o *model.Observation) { o.EndTime = noon.Add(time.Duration(millis) * time.Millisecond) }
}

func at(millis int) time.Time { return noon.Add(time.Duration(millis) * time.Millisecond) }

func readExperiments(t *testing.T, store Stores, q tracestore.ExperimentQuery) []*tracestore.Experiment {
	t.Helper()
	if q.Window == (tracestore.Window{}) {
		q.Window = always
	}
	if q.Limit == 0 {
		q.Limit = everything
	}
	page, err := store.Experiments(t.Context(), q)
	if err != nil {
		t.Fatalf("read %+v: %v", q, err)
	}
	return page
}

func requireExperiments(t *testing.T, got []*tracestore.Experiment, want ...*tracestore.Experiment) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("experiments (-want +got):\n%s", diff)
	}
}

func requireExperimentIDs(t *testing.T, got []*tracestore.Experiment, want ...string) {
	t.Helper()
	ids := []string{}
	for _, x := range got {
		ids = append(ids, x.ID)
	}
	if diff := cmp.Diff(want, ids, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("experiments (-want +got):\n%s", diff)
	}
}

func experimentSums(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store,
		newRow(project, "t1", "root", 10, endsAt(40), tagged("x", titled("run"), onDataset("d"))),
		newRow(project, "t1", "child", 20, endsAt(90), tagged("x", below)),
		newRow(project, "t2", "root", 30, tagged("x")),
		newRow(project, "t2", "plain", 500),
		newRow(project, "t3", "nameless", 600, tagged("")),
		newRow(project, "t4", "no item", 15, tagged("y", func(x *model.Experiment) { x.ItemID = "" })),
	)
	requireExperiments(t, readExperiments(t, store, tracestore.ExperimentQuery{ProjectID: project}),
		&tracestore.Experiment{ID: "x", Name: "run", DatasetID: "d", Start: at(10), Latest: at(30), End: at(90), Items: 2},
		&tracestore.Experiment{ID: "y", Start: at(15), Latest: at(15), End: at(15)})
	// The same rows once more, and one of them with another start time: the same span is one item.
	insert(t, store, newRow(project, "t1", "root", 10, endsAt(40), tagged("x")), newRow(project, "t1", "root", 11, tagged("x")))
	if got := readExperiments(t, store, tracestore.ExperimentQuery{ProjectID: project})[0].Items; got != 2 {
		t.Errorf("%d items, want 2", got)
	}
}

func metadataOf(entries ...model.MetadataEntry) func(*model.Experiment) {
	return func(x *model.Experiment) { x.Metadata = entries }
}

func experimentNewestNames(t *testing.T, store Stores) {
	project := newProject()
	number := model.MetadataEntry{Name: "a.b", Value: "1.50", Type: model.MetadataNumber}
	text := model.MetadataEntry{Name: "é", Value: "it's", Type: model.MetadataString}
	insert(t, store,
		newRow(project, "t", "a", 1, tagged("x", titled("old"), onDataset("d1"), metadataOf(text), func(x *model.Experiment) { x.Description = "about" })),
		newRow(project, "t", "b", 2, tagged("x", onDataset("d2"), metadataOf(number, text))),
		newRow(project, "t", "c", 3, tagged("x", titled("c"))),
		newRow(project, "t", "d", 3, tagged("x", titled("d"), func(x *model.Experiment) {
			x.ItemMetadata = []model.MetadataEntry{text}
		})),
		newRow(project, "u", "a", 0, tagged("y", titled("other"))),
	)
	want := &tracestore.Experiment{
		ID: "x", Name: "d", Description: "about", DatasetID: "d2", Start: at(1), Latest: at(3), End: at(1), Items: 4,
		Metadata: []model.MetadataEntry{number, text},
	}
	other := &tracestore.Experiment{ID: "y", Name: "other", Start: at(0), Latest: at(0), End: at(0), Items: 1}
	requireExperiments(t, readExperiments(t, store, tracestore.ExperimentQuery{ProjectID: project, Metadata: true}), want, other)
	want.Metadata = nil
	requireExperiments(t, readExperiments(t, store, tracestore.ExperimentQuery{ProjectID: project}), want, other)
}

func experimentWindow(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store,
		newRow(project, "t", "a", 10, endsAt(1000), tagged("x", titled("first"))),
		newRow(project, "t", "b", 20, endsAt(25), tagged("x")),
		newRow(project, "t", "c", 30, endsAt(31), tagged("x", titled("last"))),
		newRow(project, "t", "d", 40, tagged("y")),
	)
	window := func(from, to int) tracestore.ExperimentQuery {
		return tracestore.ExperimentQuery{ProjectID: project, Window: tracestore.Window{From: at(from), To: at(to)}}
	}
	requireExperiments(t, readExperiments(t, store, window(20, 30)),
		&tracestore.Experiment{ID: "x", Start: at(20), Latest: at(20), End: at(25), Items: 1})
	requireExperiments(t, readExperiments(t, store, window(10, 21)),
		&tracestore.Experiment{ID: "x", Name: "first", Start: at(10), Latest: at(20), End: at(1000), Items: 2})
	requireExperiments(t, readExperiments(t, store, window(41, 50)))
	open := tracestore.ExperimentQuery{ProjectID: project, Window: tracestore.Window{From: at(30)}}
	requireExperimentIDs(t, readExperiments(t, store, open), "y", "x")
}

func experimentMoves(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store, newRow(project, "t", "a", 10, version(1), tagged("x", titled("x"))), newRow(project, "t", "b", 5, version(1), tagged("x", titled("x"))))
	insert(t, store, newRow(project, "t", "a", 10, version(2), tagged("y", titled("y"))))
	requireExperiments(t, readExperiments(t, store, tracestore.ExperimentQuery{ProjectID: project}),
		&tracestore.Experiment{ID: "y", Name: "y", Start: at(10), Latest: at(10), End: at(10), Items: 1},
		&tracestore.Experiment{ID: "x", Name: "x", Start: at(5), Latest: at(5), End: at(5), Items: 1})
	// It leaves experiments altogether; what is old does not bring it back.
	insert(t, store, newRow(project, "t", "a", 10, version(3)))
	insert(t, store, newRow(project, "t", "a", 10, version(1), tagged("x", titled("x"))))
	requireExperimentIDs(t, readExperiments(t, store, tracestore.ExperimentQuery{ProjectID: project}), "x")
	requireItems(t, readItems(t, store, tracestore.ExperimentItemQuery{ProjectID: project}), "t/b")
}

func experimentDeleted(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store, newRow(project, "t", "a", 10, version(1), tagged("x")), newRow(project, "t", "b", 5, version(1), tagged("y")))
	insert(t, store, newRow(project, "t", "a", 10, version(2), asDeleted))
	requireExperimentIDs(t, readExperiments(t, store, tracestore.ExperimentQuery{ProjectID: project}), "y")
	requireItems(t, readItems(t, store, tracestore.ExperimentItemQuery{ProjectID: project}), "t/b")
	insert(t, store, newRow(project, "t", "b", 5, version(2), asDeleted, tagged("y")))
	requireExperimentIDs(t, readExperiments(t, store, tracestore.ExperimentQuery{ProjectID: project}))
	insert(t, store, newRow(project, "t", "a", 10, version(3), tagged("z")))
	requireExperimentIDs(t, readExperiments(t, store, tracestore.ExperimentQuery{ProjectID: project}), "z")
}

func experimentTraceDeleted(t *testing.T, store Stores) {
	project := newProject()
	trace := tracestore.ScoreSubject{TraceID: "gone"}
	insert(t, store, newRow(project, "gone", "a", 10, version(1), tagged("x")), newRow(project, "gone", "b", 11, version(5), tagged("y")),
		newRow(project, "t", "a", 5, version(1), tagged("x")))
	insertScores(t, store, newScore(project, "old", 1, about(trace), scoreVersion(1)), newScore(project, "new", 2, about(trace), scoreVersion(3)))
	insertScores(t, store, newScore(project, "deleted", 3, about(trace), scoreVersion(4)))
	third, fifth := newRow(project, "", "", 0, version(3)).Version, newRow(project, "", "", 0, version(5)).Version
	err := store.InsertTombstones(t.Context(), []tracestore.Tombstone{
		{ProjectID: project, Kind: tracestore.TraceTombstone, ID: "gone", Version: third},
		{ProjectID: project, Kind: tracestore.ScoreTombstone, ID: "deleted", Version: fifth},
	})
	if err != nil {
		t.Fatal(err)
	}
	requireExperiments(t, readExperiments(t, store, tracestore.ExperimentQuery{ProjectID: project}),
		&tracestore.Experiment{ID: "y", Start: at(11), Latest: at(11), End: at(11), Items: 1},
		&tracestore.Experiment{ID: "x", Start: at(5), Latest: at(5), End: at(5), Items: 1})
	requireItems(t, readItems(t, store, tracestore.ExperimentItemQuery{ProjectID: project}), "gone/b", "t/a")
	requireScores(t, newestScores(t, store, project, 9, trace), "new")
}

func experimentConditions(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store,
		newRow(project, "t", "a", 1, tagged("x1", titled("draft"), onDataset("d1"))),
		newRow(project, "t", "b", 2, tagged("x1", titled("it's final"))),
		newRow(project, "t", "c", 3, tagged("x2", titled(`a\b`), onDataset("d2"))),
		newRow(project, "t", "d", 4, tagged("x3")),
	)
	text := func(column filter.Column, op filter.TextOp, value string) filter.Condition {
		return filter.Text{Column: column, Op: op, Value: value}
	}
	for _, c := range []struct {
		where []filter.Condition
		want  []string
	}{
		{[]filter.Condition{oneOf(filter.ID, "x1", "x3", "none")}, []string{"x3", "x1"}},
		{[]filter.Condition{filter.OneOf{Column: filter.ID, Values: []string{"x1"}, Not: true}}, []string{"x3", "x2"}},
		{[]filter.Condition{text(filter.ID, filter.StartsWith, "x")}, []string{"x3", "x2", "x1"}},
		{[]filter.Condition{text(filter.ID, filter.EndsWith, "2")}, []string{"x2"}},
		{[]filter.Condition{oneOf(filter.Name, "draft")}, nil},
		{[]filter.Condition{oneOf(filter.Name, "it's final")}, []string{"x1"}},
		{[]filter.Condition{oneOf(filter.Name, `a\b`)}, []string{"x2"}},
		{[]filter.Condition{oneOf(filter.Name, "")}, []string{"x3"}},
		{[]filter.Condition{text(filter.Name, filter.Equal, `a\b`)}, []string{"x2"}},
		{[]filter.Condition{text(filter.Name, filter.Contains, "'s")}, []string{"x1"}},
		{[]filter.Condition{text(filter.Name, filter.NotContains, "'s")}, []string{"x3", "x2"}},
		{[]filter.Condition{oneOf(filter.DatasetID, "d1", "d2")}, []string{"x2", "x1"}},
		{[]filter.Condition{filter.IsSet{Column: filter.DatasetID}}, []string{"x3"}},
		{[]filter.Condition{filter.IsSet{Column: filter.DatasetID, Want: true}, oneOf(filter.Name, `a\b`)}, []string{"x2"}},
		{[]filter.Condition{filter.OneOf{Column: filter.DatasetID, Values: []string{"d1"}, Not: true}}, []string{"x3", "x2"}},
	} {
		q := tracestore.ExperimentQuery{ProjectID: project, Where: c.where}
		t.Run("", func(t *testing.T) { requireExperimentIDs(t, readExperiments(t, store, q), c.want...) })
	}
	for _, c := range []filter.Condition{oneOf(filter.UserID, "u"), filter.Number{Column: filter.Name}, text(filter.Name, filter.Matches, "x")} {
		q := tracestore.ExperimentQuery{ProjectID: project, Window: always, Limit: 1, Where: []filter.Condition{c}}
		if _, err := store.Experiments(t.Context(), q); err == nil {
			t.Errorf("condition %#v is taken", c)
		}
	}
}

func experimentGains(t *testing.T, store Stores) {
	project := newProject()
	for i, id := range []string{"a", "b", "c", "d", "e", "f"} {
		insert(t, store, newRow(project, "t"+id, "root", i/2, tagged(id)))
	}
	n := 0
	walked := walkExperiments(t, store, tracestore.ExperimentQuery{ProjectID: project, Window: always, Limit: 2}, func(page []*tracestore.Experiment) {
		n++
		for _, x := range page {
			insert(t, store, newRow(project, "late"+x.ID, "root", 100*n, tagged(x.ID)), newRow(project, "early"+x.ID, "root", -100*n, tagged(x.ID)))
		}
	})
	requireExperimentIDs(t, walked, "f", "e", "d", "c", "b", "a")
}

// walkExperiments follows a query page by page to its end and calls between after every page.
func walkExperiments(t *testing.T, store Stores, q tracestore.ExperimentQuery, between func([]*tracestore.Experiment)) []*tracestore.Experiment {
	t.Helper()
	var all []*tracestore.Experiment
	for range everything {
		page := readExperiments(t, store, q)
		all = append(all, page...)
		if len(page) < q.Limit {
			return all
		}
		last := placeOf(page[len(page)-1])
		q.After = &last
		between(page)
	}
	t.Fatal("the walk does not end")
	return nil
}

func experimentTenants(t *testing.T, store Stores) {
	mine, theirs := newProject(), newProject()
	insert(t, store, newRow(mine, "t", "a", 1, tagged("x", titled("mine"))), newRow(theirs, "t", "a", 1, tagged("x", titled("theirs"))),
		newRow(theirs, "t", "b", 2, tagged("x", titled("theirs"))), newRow(theirs, "t", "c", 2, tagged("y")))
	insertScores(t, store, newScore(theirs, "s", 1, about(tracestore.ScoreSubject{ExperimentID: "x"})))
	requireExperiments(t, readExperiments(t, store, tracestore.ExperimentQuery{ProjectID: mine}),
		&tracestore.Experiment{ID: "x", Name: "mine", Start: at(1), Latest: at(1), End: at(1), Items: 1})
	requireItems(t, readItems(t, store, tracestore.ExperimentItemQuery{ProjectID: mine}), "t/a")
	requireScores(t, newestScores(t, store, mine, 5, tracestore.ScoreSubject{ExperimentID: "x"}))
	requireScores(t, newestScores(t, store, theirs, 5, tracestore.ScoreSubject{ExperimentID: "x"}), "s")
}

func experimentCanceled(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store, newRow(project, "t", "a", 1, tagged("x")))
	_, first := store.Experiments(canceled(), tracestore.ExperimentQuery{ProjectID: project, Window: always, Limit: 1})
	_, second := store.ExperimentItems(canceled(), tracestore.ExperimentItemQuery{ProjectID: project, Window: always, Limit: 1})
	_, third := store.NewestScores(canceled(), project, []tracestore.ScoreSubject{{TraceID: "t"}}, 1)
	if slices.Contains([]error{first, second, third}, nil) {
		t.Errorf("a canceled read reports success: %v, %v, %v", first, second, third)
	}
}
