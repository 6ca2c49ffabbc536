package tracestoretest

import (
	"crypto/rand"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

var traceTests = map[string]func(*testing.T, Stores){
	"a trace is the fold of its rows":         foldedTrace,
	"a trace without a root takes its first":  tracesWithoutRoot,
	"deleted rows and traces are not there":   deletedTraces,
	"a moved start moves the trace":           movedTrace,
	"bounds look at the start of the trace":   traceBounds,
	"one tenant never sees another":           traceTenants,
	"projects that have a trace":              projectsOfTrace,
	"pages of many traces":                    manyTraces,
	"sessions are the groups of their traces": sessionsOfTraces,
	"hostile texts":                           hostileTraces,
	"numbered pages of rows and scores":       places,
	"every query agrees with the oracle":      traceProperty,
	"metrics of traces agree with the oracle": tracesMetricsProperty,
}

func readTraces(t *testing.T, store tracestore.Traces, q tracestore.TraceQuery) []*tracestore.Trace {
	t.Helper()
	traces, err := store.Traces(t.Context(), q)
	if err != nil {
		t.Fatalf("read %+v: %v", q, err)
	}
	return traces
}

// allOfTraces asks for everything that a trace has.
func allOfTraces(project string, where ...filter.Condition) tracestore.TraceQuery {
	return tracestore.TraceQuery{ProjectID: project, Where: where, Limit: everything, IO: true, ObservationIDs: true, ScoreIDs: true}
}

func traceNames(traces []*tracestore.Trace) []string {
	var ids []string
	for _, t := range traces {
		ids = append(ids, t.ID)
	}
	return ids
}

func wantTraces(t *testing.T, store tracestore.Traces, q tracestore.TraceQuery, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, traceNames(readTraces(t, store, q)), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%+v (-want +got):\n%s", q.Where, diff)
	}
	n, err := store.CountTraces(t.Context(), q.ProjectID, q.Where)
	if err != nil || int(n) != len(want) {
		t.Errorf("%+v: counted %d, %v; want %d", q.Where, n, err, len(want))
	}
}

func foldedTrace(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store,
		newRow(project, "a", "child", 100, version(3), func(o *model.Observation) {
			o.EndTime, o.UserID, o.Environment = o.StartTime.Add(5*time.Second), "other", "other"
			o.UsageDetails, o.CostDetails = map[string]uint64{"input": 3, "output": 4, "total": 7}, map[string]decimal.Decimal{"total": dollars("0.1")}
		}),
		newRow(project, "a", "root", 50, asRoot, version(1), func(o *model.Observation) {
			o.Name, o.UserID, o.SessionID, o.Release, o.Tags = "n", "u", "s", "r", []string{"x", "y"}
			o.Environment, o.CodeVersion, o.Public, o.Bookmarked = "prod", "v1", true, true
			o.Input, o.Output, o.Metadata = "in", "out", []model.MetadataEntry{{Name: "k", Value: "1", Type: model.MetadataNumber}}
			o.CostDetails = map[string]decimal.Decimal{"total": dollars("0.2")}
		}),
		newRow(project, "a", model.TraceRowID("a"), 60, asRoot, version(2)),
		newRow(project, "b", "only", 10),
	)
	about := newScore(project, "s1", 0)
	about.TraceID, about.ObservationID = "a", "child"
	correction := newScore(project, "s2", 0)
	correction.TraceID, correction.Type = "a", model.Correction
	insertScores(t, store, about, correction)
	got := readTraces(t, store, allOfTraces(project))
	want := []*tracestore.Trace{
		{
			ProjectID: project, ID: "a", Start: noon.Add(50 * time.Millisecond), End: noon.Add(5100 * time.Millisecond),
			Name: "n", UserID: "u", SessionID: "s", Release: "r", Tags: []string{"x", "y"},
			RootID: "root", RootStart: noon.Add(50 * time.Millisecond), Environment: "prod", CodeVersion: "v1", Public: true, Bookmarked: true,
			Metadata: []model.MetadataEntry{{Name: "k", Value: "1", Type: model.MetadataNumber}}, Input: "in", Output: "out",
			Observations: 2, InputTokens: 3, OutputTokens: 4, TotalTokens: 7, TotalCost: dollars("0.3"),
			CreatedAt: noon.Add(time.Hour + time.Millisecond), UpdatedAt: noon.Add(time.Hour + 3*time.Millisecond),
			ObservationIDs: []string{"child", "root"}, ScoreIDs: []string{"s1"},
		},
		{
			ProjectID: project, ID: "b", Start: noon.Add(10 * time.Millisecond), End: noon.Add(10 * time.Millisecond),
			RootID: "only", RootStart: noon.Add(10 * time.Millisecond), Environment: model.DefaultEnvironment,
			Observations: 1, CreatedAt: noon.Add(time.Hour), UpdatedAt: noon.Add(time.Hour), ObservationIDs: []string{"only"},
		},
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("traces (-want +got):\n%s", diff)
	}
	brief := readTraces(t, store, tracestore.TraceQuery{ProjectID: project, Limit: 1})
	want[0].Input, want[0].Output, want[0].Metadata, want[0].ObservationIDs, want[0].ScoreIDs = "", "", nil, nil, nil
	if diff := cmp.Diff(want[:1], brief, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("a page of one, without texts and ids (-want +got):\n%s", diff)
	}
}

func tracesWithoutRoot(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store,
		newRow(project, "a", "later", 2, func(o *model.Observation) { o.Environment = "later" }),
		newRow(project, "a", "z", 1, func(o *model.Observation) { o.Environment = "z" }),
		newRow(project, "a", "first", 1, func(o *model.Observation) { o.Environment = "first" }),
		newRow(project, "b", "early", 1),
		newRow(project, "b", "app root", 9, func(o *model.Observation) { o.AppRoot, o.Environment = true, "root" }),
	)
	for _, trace := range readTraces(t, store, allOfTraces(project)) {
		if want := map[string]string{"a": "first", "b": "root"}[trace.ID]; trace.Environment != want {
			t.Errorf("trace %s has the environment %q, want %q", trace.ID, trace.Environment, want)
		}
	}
}

func deletedTraces(t *testing.T, store Stores) {
	project := newProject()
	gone := func(o *model.Observation) { o.Deleted = true }
	insert(t, store,
		newRow(project, "stays", "s", 1), newRow(project, "stays", "gone", 0, version(1)),
		newRow(project, "gone", "s", 2, version(1)), newRow(project, "buried", "s", 3, version(1)),
		newRow(project, "partly buried", "s1", 4, version(1)), newRow(project, "partly buried", "s2", 5, version(9)),
	)
	insert(t, store, newRow(project, "stays", "gone", 0, version(2), gone), newRow(project, "gone", "s", 2, version(2), gone))
	for _, id := range []string{"buried", "partly buried"} {
		at := noon.Add(time.Hour + 5*time.Millisecond)
		tombstone := tracestore.Tombstone{ProjectID: project, Kind: tracestore.TraceTombstone, ID: id, Version: model.RowVersion(at, 0)}
		if err := store.InsertTombstones(t.Context(), []tracestore.Tombstone{tombstone}); err != nil {
			t.Fatal(err)
		}
	}
	wantTraces(t, store, allOfTraces(project), "partly buried", "stays")
	got := readTraces(t, store, allOfTraces(project))
	if len(got) != 2 || got[0].Observations != 1 || !got[0].Start.Equal(noon.Add(5*time.Millisecond)) || !got[1].Start.Equal(noon.Add(time.Millisecond)) {
		t.Errorf("what is deleted still counts: %+v", got)
	}
	// The bound lies between a row that is gone and those that are there: only the latter count.
	from := filter.Time{Column: filter.StartTime, Op: filter.AtLeast, At: noon.Add(time.Millisecond)}
	wantTraces(t, store, allOfTraces(project, from), "partly buried", "stays")
}

func movedTrace(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store, newRow(project, "moves", "s", 0, version(1)), newRow(project, "stays", "s", 5))
	insert(t, store, newRow(project, "moves", "s", 0, version(2), func(o *model.Observation) { o.Deleted = true }), newRow(project, "moves", "s", 9, version(3)))
	wantTraces(t, store, allOfTraces(project), "moves", "stays")
}

func traceBounds(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store,
		newRow(project, "before", "s1", 0), newRow(project, "before", "s2", 20),
		newRow(project, "at", "s1", 10), newRow(project, "at", "s2", 90),
		newRow(project, "within", "s1", 15, func(o *model.Observation) { o.EndTime = o.StartTime.Add(time.Second) }),
		newRow(project, "after", "s1", 30),
	)
	bound := func(op filter.Order, millis int) filter.Condition {
		return filter.Time{Column: filter.StartTime, Op: op, At: noon.Add(time.Duration(millis) * time.Millisecond)}
	}
	for _, c := range []struct {
		where []filter.Condition
		want  []string
	}{
		{[]filter.Condition{bound(filter.AtLeast, 10), bound(filter.Below, 30)}, []string{"within", "at"}},
		{[]filter.Condition{bound(filter.Above, 10)}, []string{"after", "within"}},
		{[]filter.Condition{bound(filter.AtMost, 10)}, []string{"at", "before"}},
		{[]filter.Condition{bound(filter.Above, 30)}, nil},
		{[]filter.Condition{bound(filter.AtLeast, 10), bound(filter.Below, 30), filter.Number{Column: filter.Latency, Op: filter.Above, Value: 0.5}}, []string{"within"}},
		{[]filter.Condition{bound(filter.Below, 12), filter.Number{Column: filter.Latency, Op: filter.Same, Value: 0.08}}, []string{"at"}},
	} {
		q := allOfTraces(project, c.where...)
		wantTraces(t, store, q, c.want...)
	}
}

func traceTenants(t *testing.T, store Stores) {
	ours, theirs := newProject(), newProject()
	insert(t, store,
		newRow(ours, "shared", "s", 5, asRoot, func(o *model.Observation) { o.Name = "ours" }),
		newRow(theirs, "shared", "s", 0, asRoot, func(o *model.Observation) { o.Name, o.SessionID, o.UserID = "theirs", "session", "user" }),
		newRow(theirs, "shared", "x", 9), newRow(theirs, "theirs", "x", 9),
	)
	score := newScore(theirs, "score", 0)
	score.TraceID = "shared"
	insertScores(t, store, score)
	got := readTraces(t, store, allOfTraces(ours))
	if len(got) != 1 || got[0].Name != "ours" || got[0].SessionID != "" || got[0].Observations != 1 || len(got[0].ScoreIDs) != 0 {
		t.Errorf("another project shows: %+v", got)
	}
	wantTraces(t, store, allOfTraces(ours, filter.OneOf{Column: filter.UserID, Values: []string{"user"}}))
	wantTraces(t, store, allOfTraces(ours, filter.OneOf{Column: filter.TraceID, Values: []string{"theirs", "shared"}}), "shared")
	if sessions, err := store.Sessions(t.Context(), tracestore.SessionQuery{ProjectID: ours, Limit: 9}); err != nil || len(sessions) != 0 {
		t.Errorf("sessions of another project: %+v, %v", sessions, err)
	}
}

func projectsOfTrace(t *testing.T, store Stores) {
	projects := []string{newProject(), newProject(), newProject()}
	slices.Sort(projects)
	everywhere, nowhere := "t-"+rand.Text(), "t-"+rand.Text()
	for _, project := range projects {
		insert(t, store, newRow(project, everywhere, "a", 0, asRoot), newRow(project, everywhere, "b", 1), newRow(project, "", "alone", 2))
	}
	for _, c := range []struct {
		trace string
		limit int
		want  []string
	}{
		{everywhere, 9, projects},
		{everywhere, 2, projects[:2]},
		{nowhere, 9, nil},
		{everywhere[:4], 9, nil},
		{"' OR ''='", 9, nil},
		{"", 9, nil},
	} {
		got, err := store.TraceProjects(t.Context(), c.trace, c.limit)
		if diff := cmp.Diff(c.want, got, cmpopts.EquateEmpty()); diff != "" || err != nil {
			t.Errorf("%d projects of %q: %v (-want +got):\n%s", c.limit, c.trace, err, diff)
		}
	}
}
