package tracestoretest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

var listTests = map[string]func(*testing.T, Stores){
	"any timeline, compared":       timelineProperty,
	"any filter, one set of rows":  agreementProperty,
	"any effects, compared":        effectsProperty,
	"any comparison, compared":     comparisonProperty,
	"any activities, compared":     activitiesProperty,
	"edges of buckets are stable":  timelineEdges,
	"roots alone":                  listsOfRoots,
	"what differs comes first":     comparisonRanks,
	"scores of rows and of traces": scoreNameFacets,
	"long values of metadata":      longMetadataFacets,
	"of one project":               listTenants,
	"of the newest rows":           listsSampled,
	"a page beyond the end":        activitiesBeyond,
	"deleted":                      listsDeleted,
	"canceled":                     listsCanceled,
	"conditions on texts":          listsOfTexts,
}

// activity asks for users or sessions of all times.
func activity(project string, by filter.Column, where ...filter.Condition) tracestore.ActivityQuery {
	return tracestore.ActivityQuery{ProjectID: project, By: by, Where: where, Order: tracestore.ByLastSeen, Limit: 10, MaxRows: everything}
}

// ask returns what a read finds.
func ask[Q, A any](t *testing.T, read func(context.Context, Q) (A, error), q Q) A {
	t.Helper()
	answer, err := read(t.Context(), q)
	if err != nil {
		t.Fatalf("%+v: %v", q, err)
	}
	return answer
}

func same(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// A bucket begins at a multiple of its width, whatever range is asked for, before 1970 too.
func timelineEdges(t *testing.T, store Stores) {
	project := newProject()
	failed := func(o *model.Observation) { o.Level = model.Error }
	insert(t, store, newRow(project, "t", "a", 0), newRow(project, "t", "b", 59_999, failed), newRow(project, "t", "c", 60_000),
		newRow(project, "t", "old", 0, func(o *model.Observation) { o.StartTime = time.Date(1969, 12, 31, 23, 59, 30, 0, time.UTC) }))
	got := ask(t, store.Timeline, tracestore.TimelineQuery{ProjectID: project, Width: time.Minute, MaxRows: everything})
	same(t, "cells", []tracestore.TimelineCell{
		{Start: time.Date(1969, 12, 31, 23, 59, 0, 0, time.UTC), Level: "DEFAULT", Count: 1},
		{Start: noon, Level: "DEFAULT", Count: 1},
		{Start: noon, Level: "ERROR", Count: 1},
		{Start: noon.Add(time.Minute), Level: "DEFAULT", Count: 1},
	}, got.Cells)
}

// The list of traces asks for roots only.
func listsOfRoots(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store, newRow(project, "t", "root", 0, asRoot, with(facts{User: "ada", Session: "s"})), newRow(project, "t", "child", 10),
		newRow(project, "t", "marked", 20, func(o *model.Observation) { o.AppRoot, o.Level = true, model.Error }))
	roots := []filter.Condition{filter.IsTrue{Column: filter.IsRootObservation, Want: true}}
	if got := ask(t, store.Timeline, tracestore.TimelineQuery{ProjectID: project, Where: roots, Width: time.Second, MaxRows: everything}); got.Rows != 2 {
		t.Errorf("%d roots in the timeline, want 2", got.Rows)
	}
	errs := []filter.Condition{oneOf(filter.Level, "ERROR")}
	same(t, "effects", tracestore.Effects{Reach: tracestore.Reach{Rows: 1}, Without: []uint64{1, 2}},
		ask(t, store.Effects, tracestore.EffectQuery{ProjectID: project, Each: append(roots, errs...), MaxRows: everything}))
	compared := ask(t, store.Compare, tracestore.CompareQuery{ProjectID: project, Where: roots, Selection: errs, Fields: []filter.Column{filter.UserID}, Values: 5, MaxRows: everything})
	if compared.Rows != 2 || compared.Selected != 1 || len(compared.Fields[0].Values) != 1 || compared.Fields[0].Values[0].Value != "ada" {
		t.Errorf("compared %+v, want two rows of ada", compared)
	}
	users := ask(t, store.Activities, activity(project, filter.UserID, roots...))
	if users.Total != 1 || users.List[0].Observations != 2 || users.List[0].Errors != 1 || users.List[0].SessionCount != 1 {
		t.Errorf("users %+v, want ada with two rows", users)
	}
}

// The value whose shares differ most leads its field, with its counts; the values of metadata are fields.
func comparisonRanks(t *testing.T, store Stores) {
	project := newProject()
	var rows []*model.Observation
	for i := range 20 {
		rows = append(rows, newRow(project, "t", "s"+string(rune('a'+i)), i, func(o *model.Observation) {
			o.Name, o.Model = []string{"plan", "act"}[i%2], "small"
			o.Metadata = []model.MetadataEntry{{Name: "region", Value: "us", Type: model.MetadataString}}
			if i < 5 {
				o.Level, o.Model = model.Error, "large"
				o.Metadata[0].Value = "eu"
			}
			if i == 0 {
				o.Metadata = append(o.Metadata, model.MetadataEntry{Name: "rare", Value: "x", Type: model.MetadataString})
			}
		}))
	}
	insert(t, store, rows...)
	got := ask(t, store.Compare, tracestore.CompareQuery{
		ProjectID: project, Selection: []filter.Condition{oneOf(filter.Level, "ERROR")}, Fields: []filter.Column{filter.Name, filter.Model, tracestore.MetadataKeys},
		Keys: 5, Values: 2, MaxRows: everything,
	})
	same(t, "comparison", tracestore.Comparison{
		Reach: tracestore.Reach{Rows: 20}, Selected: 5,
		Fields: []tracestore.ComparedField{
			{Field: filter.Name, Values: []tracestore.ComparedValue{{Value: "act", Selected: 2, Rest: 8}, {Value: "plan", Selected: 3, Rest: 7}}},
			{Field: filter.Model, Values: []tracestore.ComparedValue{{Value: "small", Selected: 0, Rest: 15}, {Value: "large", Selected: 5, Rest: 0}}},
			{Field: tracestore.MetadataKeys, Values: []tracestore.ComparedValue{{Value: "rare", Selected: 1}, {Value: "region", Selected: 5, Rest: 15}}},
			{Field: "metadata.rare", Values: []tracestore.ComparedValue{{Selected: 4, Rest: 15}, {Value: "x", Selected: 1}}},
			{Field: "metadata.region", Values: []tracestore.ComparedValue{{Value: "us", Rest: 15}, {Value: "eu", Selected: 5}}},
		},
	}, got)
}

func scoreNameFacets(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store, newRow(project, "t", "root", 0, asRoot), newRow(project, "t", "child", 10), newRow(project, "other", "child", 20))
	about := func(id, name, observation string, millis int) *model.Score {
		s := newScore(project, id, millis)
		s.Name, s.TraceID, s.ObservationID = name, "t", observation
		return s
	}
	insertScores(t, store, about("a", "of the child", "child", 0), about("b", "of the child", "child", 1), about("c", "of the trace", "", 2))
	q := tracestore.FacetQuery{ProjectID: project, Fields: []filter.Column{tracestore.ScoreNames}, Limit: 10, MaxRows: everything}
	same(t, "names", []tracestore.FacetValue{{Count: 1}, {Value: "of the child", Count: 1}, {Value: "of the trace", Count: 1}}, ask(t, store.Facets, q).Values[0])
	later := ask(t, store.Scores, tracestore.ScoreQuery{ProjectID: project, Limit: 1})[0].Timestamp.Add(time.Second)
	insert(t, store, newRow(project, "t", "late", 0, func(o *model.Observation) { o.StartTime, o.ParentID = later, "" }))
	q.Where = []filter.Condition{filter.Time{Column: filter.StartTime, Op: filter.AtLeast, At: later}}
	same(t, "scores before the range", []tracestore.FacetValue{{Count: 1}}, ask(t, store.Facets, q).Values[0])
}

// Values that are equal as far as they are looked at count together.
func longMetadataFacets(t *testing.T, store Stores) {
	project, long := newProject(), strings.Repeat("x", tracestore.MaxMetadataValue)
	for i, end := range []string{"", "a", "b"} {
		insert(t, store, newRow(project, "t", "s"+end, i, func(o *model.Observation) {
			o.Metadata = []model.MetadataEntry{{Name: "k", Value: long + end, Type: model.MetadataString}}
		}))
	}
	got := ask(t, store.Facets, tracestore.FacetQuery{ProjectID: project, Fields: []filter.Column{tracestore.MetadataField("k")}, Limit: 10, MaxRows: everything})
	same(t, "values", []tracestore.FacetValue{{Value: long, Count: 3}}, got.Values[0])
}

func listTenants(t *testing.T, store Stores) {
	mine, theirs := newProject(), newProject()
	insert(t, store, newRow(mine, "t", "a", 0), newRow(theirs, "t", "a", 0, asRoot, with(facts{User: "theirs", Session: "theirs"})), newRow(theirs, "t", "b", 0))
	score := newScore(theirs, "s", 0)
	score.TraceID, score.ObservationID = "t", "a"
	insertScores(t, store, score)
	timeline := ask(t, store.Timeline, tracestore.TimelineQuery{ProjectID: mine, Width: time.Second, MaxRows: everything})
	effects := ask(t, store.Effects, tracestore.EffectQuery{ProjectID: mine, Each: []filter.Condition{oneOf(filter.UserID, "theirs")}, MaxRows: everything})
	if timeline.Rows != 1 || effects.Rows != 0 || effects.Without[0] != 1 {
		t.Errorf("timeline of %d rows, effects %+v, want one row of mine", timeline.Rows, effects)
	}
	compared := ask(t, store.Compare, tracestore.CompareQuery{
		ProjectID: mine, Fields: []filter.Column{filter.UserID, tracestore.ScoreNames}, Values: 5, MaxRows: everything,
	})
	nothing := []tracestore.ComparedValue{{Selected: 1}}
	same(t, "compared", []tracestore.ComparedField{{Field: filter.UserID, Values: nothing}, {Field: tracestore.ScoreNames, Values: nothing}}, compared.Fields)
	for _, by := range []filter.Column{filter.UserID, filter.SessionID} {
		if got := ask(t, store.Activities, activity(mine, by)); got.Total != 0 {
			t.Errorf("%s of another project: %+v", by, got)
		}
	}
}

// Above the bound the newest rows are read, and the answer says from when on.
func listsSampled(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store, newRow(project, "t", "a", 0), newRow(project, "t", "b", 1000), newRow(project, "t", "c", 2000))
	insert(t, store, newRow(project, "t", "d", 3000, with(facts{User: "u"})))
	for name, reach := range map[string]tracestore.Reach{
		"timeline":   ask(t, store.Timeline, tracestore.TimelineQuery{ProjectID: project, Width: time.Second, MaxRows: 1}).Reach,
		"effects":    ask(t, store.Effects, tracestore.EffectQuery{ProjectID: project, MaxRows: 1}).Reach,
		"compare":    ask(t, store.Compare, tracestore.CompareQuery{ProjectID: project, Fields: []filter.Column{filter.Type}, Values: 1, MaxRows: 1}).Reach,
		"activities": ask(t, store.Activities, tracestore.ActivityQuery{ProjectID: project, By: filter.UserID, Order: tracestore.ByLastSeen, Limit: 1, MaxRows: 1}).Reach,
	} {
		if !reach.Sampled || reach.Rows < 1 || reach.Rows > 2 || reach.Since.Before(noon.Add(2*time.Second)) {
			t.Errorf("%s reached %+v, want the newest one or two rows", name, reach)
		}
	}
	if got := ask(t, store.Timeline, tracestore.TimelineQuery{ProjectID: project, Width: time.Second, MaxRows: 4}); got.Sampled || got.Rows != 4 {
		t.Errorf("within the bound: %+v", got.Reach)
	}
}

func activitiesBeyond(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store, newRow(project, "t", "a", 0, with(facts{User: "u"})), newRow(project, "t2", "a", 0, with(facts{User: "v"})))
	q := activity(project, filter.UserID)
	q.Offset = 7
	if got := ask(t, store.Activities, q); got.Total != 2 || len(got.List) != 0 {
		t.Errorf("got %+v, want no user of two", got)
	}
}

func listsDeleted(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store, newRow(project, "t", "a", 0, with(facts{User: "u"})), newRow(project, "kept", "a", 0, with(facts{User: "v"})))
	if err := store.InsertTombstones(t.Context(), []tracestore.Tombstone{
		{ProjectID: project, Kind: tracestore.TraceTombstone, ID: "t", Version: model.RowVersion(noon.Add(2*time.Hour), 0)},
	}); err != nil {
		t.Fatal(err)
	}
	if got := ask(t, store.Timeline, tracestore.TimelineQuery{ProjectID: project, Width: time.Second, MaxRows: everything}); got.Rows != 1 {
		t.Errorf("timeline of %d rows, want 1", got.Rows)
	}
	if got := ask(t, store.Activities, activity(project, filter.UserID)); got.Total != 1 || got.List[0].ID != "v" {
		t.Errorf("users %+v, want v alone", got)
	}
}

func listsCanceled(t *testing.T, store Stores) {
	ctx, project := canceled(), newProject()
	_, timeline := store.Timeline(ctx, tracestore.TimelineQuery{ProjectID: project, Width: time.Second, MaxRows: 1})
	_, effects := store.Effects(ctx, tracestore.EffectQuery{ProjectID: project, MaxRows: 1})
	_, compare := store.Compare(ctx, tracestore.CompareQuery{ProjectID: project, MaxRows: 1})
	_, users := store.Activities(ctx, activity(project, filter.UserID))
	for _, err := range []error{timeline, effects, compare, users} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want canceled", err)
		}
	}
}

// What needs texts is refused, never left out.
func listsOfTexts(t *testing.T, store Stores) {
	if _, isOracle := store.(*Memory); isOracle {
		return // it has all texts at hand
	}
	project := newProject()
	insert(t, store, newRow(project, "t", "a", 0))
	text := []filter.Condition{filter.Text{Column: filter.Input, Op: filter.Matches, Value: "x"}}
	_, timeline := store.Timeline(t.Context(), tracestore.TimelineQuery{ProjectID: project, Where: text, Width: time.Second, MaxRows: 1})
	_, effects := store.Effects(t.Context(), tracestore.EffectQuery{ProjectID: project, Each: text, MaxRows: 1})
	_, compare := store.Compare(t.Context(), tracestore.CompareQuery{ProjectID: project, Selection: text, Fields: []filter.Column{filter.Type}, MaxRows: 1})
	_, users := store.Activities(t.Context(), activity(project, filter.UserID, text...))
	for name, err := range map[string]error{"timeline": timeline, "effects": effects, "compare": compare, "activities": users} {
		if err == nil {
			t.Errorf("%s left out a condition on input", name)
		}
	}
}
