package tracestoretest

import (
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

var eraseTests = map[string]func(*testing.T, Stores){
	"tombstones are unerased until marked":     unerasedUntilMarked,
	"visible rows stay, hidden ones do not":    eraseKeepsTheVisible,
	"a trace that was born again lends anew":   erasedTraceLendsAnew,
	"partials before a delete complete no row": partialsBehindTombstone,
	"a project as a whole":                     eraseProject,
	"a canceled erasure is an error":           canceledErasure,
	"what is hidden is counted":                hiddenAreCounted,
}

// erase does what a job does with all that is unerased in a project.
func erase(t *testing.T, store Stores, project string) {
	t.Helper()
	list, err := store.Unerased(t.Context(), project, 100)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // a second time is the same as once
		if err := store.Erase(t.Context(), project, list); err != nil {
			t.Fatal(err)
		}
	}
	if rows, err := store.Hidden(t.Context(), project, list); err != nil || len(rows) > 0 {
		t.Errorf("hidden after the erasure: %v, %v", rows, err)
	}
	if err := store.MarkErased(t.Context(), list); err != nil {
		t.Fatal(err)
	}
	if left, err := store.Unerased(t.Context(), project, 100); err != nil || len(left) > 0 {
		t.Errorf("unerased after the mark: %+v, %v", left, err)
	}
}

// hiddenAreCounted: what the tombstones hide is counted until it is erased, and nothing else is.
func hiddenAreCounted(t *testing.T, store Stores) {
	project, other := newProject(), newProject()
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	var rows []*model.Observation
	for _, owner := range []string{project, other} {
		for i, trace := range []string{"gone", "gone", "stays"} {
			rows = append(rows, &model.Observation{ProjectID: owner, TraceID: trace, ID: trace + strconv.Itoa(i), StartTime: at, Type: model.Span, Version: 5})
		}
	}
	if err := store.Insert(t.Context(), rows); err != nil {
		t.Fatal(err)
	}
	bury(t, store, project, "gone", 9)
	list, err := store.Unerased(t.Context(), project, 10)
	if err != nil || len(list) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	if rows, err := store.Hidden(t.Context(), project, list); err != nil || rows["observations"] != 2 {
		t.Errorf("hidden: %v, %v", rows, err)
	}
	erase(t, store, project)
}

func unerasedUntilMarked(t *testing.T, store Stores) {
	project, other := newProject(), newProject()
	bury(t, store, project, "b", 2)
	bury(t, store, project, "a", 1)
	bury(t, store, other, "c", 1)
	first, err := store.Unerased(t.Context(), project, 1)
	if err != nil || len(first) != 1 || first[0].ID != "a" {
		t.Fatalf("the oldest unerased is %+v, %v", first, err)
	}
	if err := store.MarkErased(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	list, err := store.Unerased(t.Context(), project, 10)
	if err != nil || len(list) != 1 || list[0].ID != "b" {
		t.Errorf("unerased: %+v, %v", list, err)
	}
	bury(t, store, project, "a", 5) // deleted again
	if list, err = store.Unerased(t.Context(), project, 10); err != nil || len(list) != 2 || list[1].ID != "a" || list[1].Version <= first[0].Version {
		t.Errorf("unerased after another delete: %+v, %v", list, err)
	}
	projects, err := store.UnerasedProjects(t.Context(), 1_000_000)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, p := range projects {
		seen[p] = true
	}
	if !seen[project] || !seen[other] {
		t.Errorf("projects with something unerased: %v", projects)
	}
}

func eraseKeepsTheVisible(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store,
		newRow(project, "t", "a", 3, version(1), named("n")), newRow(project, "t", "b", 2, version(5), named("n")),
		newRow(project, "other", "c", 1, version(2), named("n")))
	insertRejection := tracestore.Rejection{ProjectID: project, Sequence: 7, TraceID: "t", Reason: "why", At: noon.AddDate(-1, 0, 0)}
	if err := store.InsertRejections(t.Context(), []tracestore.Rejection{insertRejection}); err != nil {
		t.Fatal(err)
	}
	before := walk(t, store, tracestore.ObservationQuery{ProjectID: project, Limit: 10, IO: true, Metadata: true, Where: []filter.Condition{oneOf(filter.ID, "b", "c")}}, func() {})
	bury(t, store, project, "t", 5)
	erase(t, store, project)
	requireEverywhere(t, store, project, "b", "c")
	after := walk(t, store, tracestore.ObservationQuery{ProjectID: project, Limit: 10, IO: true, Metadata: true}, func() {})
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("visible rows changed (-before +after):\n%s", diff)
	}
	list, err := store.RejectionsOf(t.Context(), project, []tracestore.LogPosition{{Sequence: 7}}, noon.AddDate(-2, 0, 0), 10)
	if err != nil || len(list) > 0 {
		t.Errorf("rejections of the trace: %+v, %v", list, err)
	}
}

func erasedTraceLendsAnew(t *testing.T, store Stores) {
	project := newProject()
	user := func(name string) func(*model.Observation) { return func(o *model.Observation) { o.UserID = name } }
	insert(t, store, newRow(project, "t", "a", 1, version(1), user("old")))
	bury(t, store, project, "t", 5)
	insert(t, store, newRow(project, "t", "b", 2, version(6), user("new")), newRow(project, "t", "c", 3, version(6), user("")))
	erase(t, store, project)
	rows := walk(t, store, tracestore.ObservationQuery{ProjectID: project, Limit: 10}, func() {})
	requireIDs(t, rows, "c", "b")
	for _, o := range rows {
		if o.UserID != "new" {
			t.Errorf("%s has the user %q", o.ID, o.UserID)
		}
	}
}

func partialsBehindTombstone(t *testing.T, store Stores) {
	project := newProject()
	var old, late model.Observation
	setVersion(&old, 1)
	setVersion(&late, 9)
	event := func(trace, id string, version uint64) tracestore.Partial {
		return tracestore.Partial{
			ProjectID: project, TraceID: trace, EntityID: "e", Kind: "k", EventTime: noon, EventID: id, Version: version, Body: []byte(id),
		}
	}
	list := []tracestore.Partial{
		event("t", "before", old.Version), event("t", "behind", late.Version), event("other", "elsewhere", old.Version), event("", "score", old.Version),
	}
	if err := store.InsertPartials(t.Context(), list); err != nil {
		t.Fatal(err)
	}
	score := &model.Score{ProjectID: project, ID: "e", TraceID: "t", Timestamp: noon, Name: "n", CreatedAt: noon, Version: old.Version}
	if err := store.InsertScores(t.Context(), []*model.Score{score}); err != nil {
		t.Fatal(err)
	}
	bury(t, store, project, "t", 5)
	want := func(ids ...string) {
		t.Helper()
		got, err := store.PartialsOf(t.Context(), []tracestore.Entity{{ProjectID: project, TraceID: "t", EntityID: "e"}, {ProjectID: project, TraceID: "other", EntityID: "e"}, {ProjectID: project, EntityID: "e"}})
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, p := range got {
			found = append(found, p.EventID)
		}
		if diff := cmp.Diff(ids, found); diff != "" {
			t.Errorf("partials (-want +got):\n%s", diff)
		}
	}
	want("behind", "elsewhere", "score")
	erase(t, store, project)
	want("behind", "elsewhere") // the score went with its trace
}

func eraseProject(t *testing.T, store Stores) {
	project, other := newProject(), newProject()
	var at model.Observation
	setVersion(&at, 5)
	insert(t, store, newRow(project, "t", "a", 3, version(1), named("n")), newRow(project, "u", "b", 2, version(2), named("n")))
	insert(t, store, newRow(other, "t", "c", 3, version(1), named("n")))
	score := &model.Score{ProjectID: project, ID: "s", TraceID: "t", Timestamp: noon, Name: "n", CreatedAt: noon, Version: at.Version - 1}
	if err := store.InsertScores(t.Context(), []*model.Score{score}); err != nil {
		t.Fatal(err)
	}
	bury(t, store, project, "t", 1)
	tombstone := tracestore.Tombstone{ProjectID: project, Kind: tracestore.ProjectTombstone, ID: project, Version: at.Version}
	if err := store.InsertTombstones(t.Context(), []tracestore.Tombstone{tombstone}); err != nil {
		t.Fatal(err)
	}
	hidden := func() {
		t.Helper()
		requireEverywhere(t, store, project)
		scores, err := store.Scores(t.Context(), tracestore.ScoreQuery{ProjectID: project, Limit: 10})
		if err != nil || len(scores) > 0 {
			t.Errorf("scores of a deleted project: %+v, %v", scores, err)
		}
	}
	hidden()
	erase(t, store, project)
	hidden()
	requireEverywhere(t, store, other, "c")
}

func canceledErasure(t *testing.T, store Stores) {
	project := newProject()
	list := []tracestore.Tombstone{{ProjectID: project, Kind: tracestore.TraceTombstone, ID: "t", Version: model.RowVersion(time.Now(), 0)}}
	if store.Erase(canceled(), project, list) == nil {
		t.Error("a canceled erasure is none")
	}
}
