package tracestoretest

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

var skeletonTests = map[string]func(*testing.T, Stores){
	"a trace as columns":                   wholeSkeleton,
	"orphans, several roots and circles":   strangeTrees,
	"a chain of 1,400 rows":                deepSkeleton,
	"the row that stands for the trace":    traceRowSkeleton,
	"versions, tombstones and one project": foldedSkeleton,
	"every tree agrees with the oracle":    skeletonProperty,
}

// shownRow is a row with what it refers to.
type shownRow struct {
	tracestore.SkeletonRow
	NameText, ModelText string
}

func readSkeleton(t *testing.T, store tracestore.Skeletons, project, trace string) (*tracestore.Skeleton, []shownRow) {
	t.Helper()
	s, err := store.Skeleton(t.Context(), project, trace)
	if err != nil {
		t.Fatalf("read the skeleton of %q: %v", trace, err)
	}
	if s == nil {
		return nil, nil
	}
	var rows []shownRow
	for row := range s.Rows {
		if row.Parent >= len(rows) {
			t.Fatalf("row %d has the parent %d", len(rows), row.Parent)
		}
		shown := shownRow{SkeletonRow: row, NameText: s.Names[row.Name]}
		if row.Model != tracestore.NoRow {
			shown.ModelText = s.Models[row.Model]
		}
		shown.Name, shown.Model = 0, 0 // how texts are numbered is up to the store
		rows = append(rows, shown)
	}
	if len(rows) != s.Count {
		t.Fatalf("%d rows, counted %d", len(rows), s.Count)
	}
	return s, rows
}

// wantTree compares a trace with lines such as "child < parent"; the synthetic root is *.
func wantTree(t *testing.T, store tracestore.Skeletons, project, trace string, want ...string) *tracestore.Skeleton {
	t.Helper()
	s, rows := readSkeleton(t, store, project, trace)
	name := func(i int) string {
		if i == s.SyntheticRoot {
			return "*"
		}
		return rows[i].ID
	}
	var got []string
	for i, row := range rows {
		line := name(i)
		if row.Parent != tracestore.NoRow {
			line += " < " + name(row.Parent)
		}
		got = append(got, line)
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("tree (-want +got):\n%s", diff)
	}
	return s
}

func under(parent string) func(*model.Observation) {
	return func(o *model.Observation) { o.ParentID = parent }
}

func wholeSkeleton(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store,
		newRow(project, "a", "root", 0, asRoot, func(o *model.Observation) {
			o.Name, o.EndTime, o.UserID, o.SessionID, o.Release, o.Tags = "answer", o.StartTime.Add(3*time.Second), "ada", "s", "r", []string{"x"}
			o.Environment, o.CodeVersion, o.Public, o.Bookmarked, o.AppRoot = "prod", "v1", true, true, true
		}),
		newRow(project, "a", "chat", 500, under("root"), func(o *model.Observation) {
			o.Name, o.Type, o.Model = "chat", model.Generation, "gpt"
			o.CompletionStartTime, o.EndTime = o.StartTime.Add(40*time.Millisecond), o.StartTime.Add(time.Second)
			o.UsageDetails = map[string]uint64{"input": 3, "output": 4, "total": 7}
			o.CostDetails = map[string]decimal.Decimal{"total": dollars("999999.000000000001")}
		}),
		newRow(project, "a", "tool", 400, under("root"), func(o *model.Observation) {
			o.Name, o.Type, o.Level, o.StatusMessage = "chat", model.Tool, model.Error, "no such file"
			o.CostDetails = map[string]decimal.Decimal{"total": dollars("999999.000000000002")}
		}),
		newRow(project, "a", "event", 450, under("tool"), func(o *model.Observation) { o.Type, o.Level = model.Event, model.Warning }),
	)
	s, rows := readSkeleton(t, store, project, "a")
	want := []shownRow{
		{tracestore.SkeletonRow{ID: "root", Parent: -1, Type: model.Span, Level: model.Default, Duration: 3 * time.Second, FirstToken: -1, AppRoot: true}, "answer", ""},
		{tracestore.SkeletonRow{
			ID: "tool", Parent: 0, Type: model.Tool, Level: model.Error, Start: 400 * time.Millisecond, Duration: -1, FirstToken: -1,
			Cost: decimal.NewNullDecimal(dollars("999999.000000000002")), HasStatusMessage: true,
		}, "chat", ""},
		{tracestore.SkeletonRow{ID: "event", Parent: 1, Type: model.Event, Level: model.Warning, Start: 450 * time.Millisecond, Duration: -1, FirstToken: -1}, "", ""},
		{tracestore.SkeletonRow{
			ID: "chat", Parent: 0, Type: model.Generation, Level: model.Default, Start: 500 * time.Millisecond, Duration: time.Second, FirstToken: 40 * time.Millisecond,
			Tokens: model.Tokens{Input: 3, Output: 4, Total: 7, HasTotal: true}, Cost: decimal.NewNullDecimal(dollars("999999.000000000001")),
		}, "chat", "gpt"},
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	wantFacts := &tracestore.Skeleton{
		TraceID: "a", Start: noon, End: noon.Add(3 * time.Second), Name: "answer", UserID: "ada", SessionID: "s", Release: "r", Tags: []string{"x"},
		Environment: "prod", CodeVersion: "v1", Public: true, Bookmarked: true, Count: 4, Roots: 1, SyntheticRoot: -1, Depth: 3,
		Errors: 1, Warnings: 1, Unfinished: 1, Tokens: model.Tokens{Input: 3, Output: 4, Total: 7, HasTotal: true},
		TotalCost: decimal.NewNullDecimal(dollars("1999998.000000000003")),
	}
	requireSkeleton(t, wantFacts, s)
}

func requireSkeleton(t *testing.T, want, got *tracestore.Skeleton) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(tracestore.Skeleton{}, "Rows", "Names", "Models"), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("facts (-want +got):\n%s", diff)
	}
}

func strangeTrees(t *testing.T, store Stores) {
	project := newProject()
	late := func(o *model.Observation) { o.EndTime = o.StartTime.Add(time.Minute) }
	insert(t, store,
		newRow(project, "roots", "b", 10, asRoot),
		newRow(project, "roots", "a", 10, asRoot),
		newRow(project, "roots", "first", 5, asRoot),
		newRow(project, "roots", "a1", 0, under("a")),
		newRow(project, "roots", "upstream", 7, under("elsewhere"), func(o *model.Observation) { o.AppRoot = true }),
		newRow(project, "roots", "inner", 20, under("b"), func(o *model.Observation) { o.AppRoot = true }),

		newRow(project, "orphans", "root", 100, asRoot),
		newRow(project, "orphans", "lost", 50, under("nobody")),
		newRow(project, "orphans", "child", 60, under("lost"), late),
		newRow(project, "orphans", "earlier", 40, under("somebody")),

		newRow(project, "no root", "one", 1, under("nobody")),
		newRow(project, "no root", "two", 2, under("nobody")),

		newRow(project, "circles", "self", 5, under("self")),
		newRow(project, "circles", "x", 3, under("z")),
		newRow(project, "circles", "y", 2, under("x")),
		newRow(project, "circles", "z", 4, under("y")),
		newRow(project, "circles", "leaf", 1, under("z")),

		newRow(project, "twice", "id", 10, asRoot),
		newRow(project, "twice", "id", 20, under("id")),
		newRow(project, "twice", "child", 30, under("id")),
	)
	s := wantTree(t, store, project, "roots", "first", "upstream", "a", "a1 < a", "b", "inner < b")
	if s.Roots != 4 || s.Detached != 0 || s.Depth != 2 {
		t.Errorf("%d roots, %d detached, depth %d", s.Roots, s.Detached, s.Depth)
	}
	s = wantTree(t, store, project, "orphans", "root", "*", "earlier < *", "lost < *", "child < lost")
	for row := range s.Rows {
		if row.ID == "" && (row.Start != 0 || row.Duration != time.Minute+20*time.Millisecond || row.Type != model.Span || row.Parent != -1) {
			t.Errorf("the synthetic root is %+v", row)
		}
	}
	if s.Roots != 1 || s.Detached != 2 || s.SyntheticRoot != 1 || s.Depth != 3 || s.Unfinished != 3 {
		t.Errorf("%d roots, %d detached, synthetic root %d, depth %d, %d unfinished", s.Roots, s.Detached, s.SyntheticRoot, s.Depth, s.Unfinished)
	}
	wantTree(t, store, project, "no root", "*", "one < *", "two < *")
	wantTree(t, store, project, "circles", "*", "y < *", "z < y", "leaf < z", "x < z", "self < *")
	wantTree(t, store, project, "twice", "id", "id < id", "child < id")
}

func deepSkeleton(t *testing.T, store Stores) {
	project := newProject()
	const levels = 1400
	rows, want := []*model.Observation{newRow(project, "deep", "0", 0, asRoot)}, []string{"0"}
	for i := 1; i < levels; i++ {
		rows = append(rows, newRow(project, "deep", strconv.Itoa(i), i%7, under(strconv.Itoa(i-1))))
		want = append(want, fmt.Sprintf("%d < %d", i, i-1))
	}
	slices.Reverse(rows)
	insert(t, store, rows...)
	if s := wantTree(t, store, project, "deep", want...); s.Depth != levels {
		t.Errorf("depth %d", s.Depth)
	}
}

func traceRowSkeleton(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store,
		newRow(project, "old", model.TraceRowID("old"), 0, asRoot, func(o *model.Observation) { o.Name, o.Environment, o.CodeVersion = "told", "prod", "v2" }),
		newRow(project, "old", "a", 10, under(model.TraceRowID("old"))),
		newRow(project, "old", "b", 20, under("a")),
		newRow(project, "without", "a", 10, under(model.TraceRowID("without"))),
		newRow(project, "alone", model.TraceRowID("alone"), 30, asRoot),
	)
	s := wantTree(t, store, project, "old", "a", "b < a")
	if s.Name != "told" || s.Environment != "prod" || s.CodeVersion != "v2" || !s.Start.Equal(noon.Add(10*time.Millisecond)) {
		t.Errorf("name %q, environment %q, version %q, start %v", s.Name, s.Environment, s.CodeVersion, s.Start)
	}
	wantTree(t, store, project, "without", "a")
	if s := wantTree(t, store, project, "alone"); !s.Start.Equal(noon.Add(30 * time.Millisecond)) {
		t.Errorf("start %v", s.Start)
	}
}

func foldedSkeleton(t *testing.T, store Stores) {
	project, other := newProject(), newProject()
	insert(t, store, newRow(project, "a", "root", 0, asRoot, version(1)), newRow(project, "a", "gone", 10, under("root"), version(1)),
		newRow(project, "a", "late", 20, under("gone"), version(3)), newRow(other, "a", "foreign", 0, asRoot), newRow(other, "only there", "x", 0))
	insert(t, store, newRow(project, "a", "gone", 10, version(2), func(o *model.Observation) { o.Deleted = true }),
		newRow(project, "a", "late", 20, under("root"), version(2)), newRow(project, "a", "root", 0, asRoot, version(4), func(o *model.Observation) { o.Name = "newest" }))
	s := wantTree(t, store, project, "a", "root", "*", "late < *")
	if got := s.Names; !slices.Contains(got, "newest") {
		t.Errorf("names %q", got)
	}
	if s, _ := readSkeleton(t, store, project, "only there"); s != nil {
		t.Errorf("a trace of another project: %+v", s)
	}
	buried := tracestore.Tombstone{ProjectID: project, Kind: tracestore.TraceTombstone, ID: "a", Version: newRow(project, "", "", 0, version(9)).Version}
	if err := store.InsertTombstones(t.Context(), []tracestore.Tombstone{buried}); err != nil {
		t.Fatal(err)
	}
	if s, _ := readSkeleton(t, store, project, "a"); s != nil {
		t.Errorf("a deleted trace: %+v", s)
	}
	insert(t, store, newRow(project, "a", "back", 30, version(10), under("root")))
	wantTree(t, store, project, "a", "*", "back < *")
}
