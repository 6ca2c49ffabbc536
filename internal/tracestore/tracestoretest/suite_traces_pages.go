package tracestoretest

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// manyTraces has more than a walk looks at, several with one start, and one trace with rows among all others.
func manyTraces(t *testing.T, store Stores) {
	const traces = 1400
	project := newProject()
	var rows []*model.Observation
	var want []string
	for i := range traces {
		id := fmt.Sprintf("t%04d", i)
		want = append(want, id)
		rows = append(rows, newRow(project, id, "root", i/3, asRoot), newRow(project, id, "child", i+5), newRow(project, "long", strconv.Itoa(i), i))
	}
	want = append(want, "long")
	slices.SortFunc(want, func(a, b string) int {
		start := func(id string) (at int) {
			if _, err := fmt.Sscanf(id, "t%d", &at); err != nil {
				return 0
			}
			return at / 3
		}
		if start(a) != start(b) {
			return start(b) - start(a)
		}
		return -cmpText(a, b)
	})
	insert(t, store, rows...)
	var walked []string
	for offset := 0; offset <= len(want); offset += 467 {
		walked = append(walked, traceNames(readTraces(t, store, tracestore.TraceQuery{ProjectID: project, Offset: offset, Limit: 467}))...)
	}
	if diff := cmp.Diff(want, walked); diff != "" {
		t.Errorf("pages (-want +got):\n%s", diff)
	}
	if n, err := store.CountTraces(t.Context(), project, nil); err != nil || int(n) != len(want) {
		t.Errorf("counted %d, %v; want %d", n, err, len(want))
	}
	rare := filter.Number{Column: filter.Latency, Op: filter.Above, Value: 1.3}
	wantTraces(t, store, tracestore.TraceQuery{ProjectID: project, Where: []filter.Condition{rare}, Limit: 3}, "long")
}

func cmpText(a, b string) int {
	if a < b {
		return -1
	}
	return 1
}

func sessionsOfTraces(t *testing.T, store Stores) {
	project := newProject()
	in := func(session, environment string) func(*model.Observation) {
		return func(o *model.Observation) { o.SessionID, o.Environment = session, environment }
	}
	insert(t, store,
		newRow(project, "a1", "s", 10, asRoot, in("a", "late")), newRow(project, "a2", "s", 5, asRoot, in("a", "early")),
		newRow(project, "b1", "s", 7, asRoot, in("b", "prod")), newRow(project, "b1", "other", 1, in("", "x")),
		newRow(project, "none", "s", 8, asRoot),
		newRow(project, "c1", "s", 20, asRoot, in("c", "prod")), newRow(project, "c1", "s2", 21, in("own of a row", "x")),
	)
	at := func(millis int) time.Time { return noon.Add(time.Duration(millis) * time.Millisecond) }
	want := []*tracestore.Session{
		{ProjectID: project, ID: "c", Start: at(20), Environment: "prod", Traces: 1},
		{ProjectID: project, ID: "a", Start: at(5), Environment: "early", Traces: 2},
		{ProjectID: project, ID: "b", Start: at(1), Environment: "prod", Traces: 1},
	}
	for name, c := range map[string]struct {
		where []filter.Condition
		want  []*tracestore.Session
	}{
		"all":            {nil, want},
		"by id":          {[]filter.Condition{filter.OneOf{Column: filter.SessionID, Values: []string{"a", "nobody's"}}}, want[1:2]},
		"by environment": {[]filter.Condition{filter.OneOf{Column: filter.Environment, Values: []string{"late", "early"}}}, want[1:2]},
		"by time": {[]filter.Condition{
			filter.Time{Column: filter.StartTime, Op: filter.AtLeast, At: at(5)}, filter.Time{Column: filter.StartTime, Op: filter.Below, At: at(20)},
		}, want[1:2]},
	} {
		got, err := store.Sessions(t.Context(), tracestore.SessionQuery{ProjectID: project, Where: c.where, Limit: everything})
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
		if n, err := store.CountSessions(t.Context(), project, c.where); err != nil || int(n) != len(c.want) {
			t.Errorf("%s: counted %d, %v; want %d", name, n, err, len(c.want))
		}
	}
	got, err := store.Sessions(t.Context(), tracestore.SessionQuery{ProjectID: project, Offset: 1, Limit: 1})
	if diff := cmp.Diff(want[1:2], got); err != nil || diff != "" {
		t.Errorf("the second page: %v (-want +got):\n%s", err, diff)
	}
}

func hostileTraces(t *testing.T, store Stores) {
	project := newProject()
	for i, text := range []string{"it's", `back\slash`, "tab\tnew\nline", "nul\x00", "{p0:String}", "é🙂", "%_", "') OR 1=1 --"} {
		o := newRow(project, "trace "+text, text, i, asRoot)
		o.Name, o.UserID, o.SessionID, o.Release, o.Tags, o.Environment, o.CodeVersion = text, text, text, text, []string{text}, text, text
		o.Metadata, o.Input = []model.MetadataEntry{{Name: text, Value: text, Type: model.MetadataString}}, text
		insert(t, store, o)
		for _, c := range []filter.Condition{
			filter.OneOf{Column: filter.TraceID, Values: []string{"trace " + text}},
			filter.OneOf{Column: filter.TraceName, Values: []string{text}},
			filter.OneOf{Column: filter.UserID, Values: []string{text}},
			filter.OneOf{Column: filter.SessionID, Values: []string{text}},
			filter.Text{Column: filter.Release, Op: filter.StartsWith, Value: text},
			filter.List{Column: filter.Tags, Op: filter.AllOf, Values: []string{text}},
			filter.OneOf{Column: filter.Environment, Values: []string{text}},
			filter.Text{Column: filter.CodeVersion, Op: filter.EndsWith, Value: text},
			filter.MetadataText{Key: text, Op: filter.Equal, Value: text},
		} {
			wantTraces(t, store, allOfTraces(project, c), "trace "+text)
		}
		if got := readTraces(t, store, allOfTraces(project)); got[0].Input != text || got[0].UserID != text || got[0].Metadata[0].Name != text {
			t.Errorf("%q comes back as %+v", text, got[0])
		}
		where := []filter.Condition{filter.OneOf{Column: filter.SessionID, Values: []string{text}}}
		if n, err := store.CountSessions(t.Context(), project, where); err != nil || n != 1 {
			t.Errorf("%q: %d sessions, %v", text, n, err)
		}
	}
}

func places(t *testing.T, store Stores) {
	project := newProject()
	var rows []*model.Observation
	var scores []*model.Score
	for i := range 9 {
		o := newRow(project, "t", strconv.Itoa(i), i/2)
		o.Name = []string{"even", "odd"}[i%2]
		s := newScore(project, strconv.Itoa(i), i/2)
		s.TraceID, s.Name = "t", o.Name
		rows, scores = append(rows, o), append(scores, s)
	}
	rows = append(rows, newRow(project, "t", model.TraceRowID("t"), 99))
	insert(t, store, rows...)
	insert(t, store, rows[:3]...)
	insertScores(t, store, scores...)
	for _, where := range [][]filter.Condition{
		nil, {filter.OneOf{Column: filter.Name, Values: []string{"odd"}}},
	} {
		ofRows := append(slices.Clone(where), filter.IsTrue{Column: filter.StandsForTrace, Want: false})
		walk := read(t, store, tracestore.ObservationQuery{ProjectID: project, Where: ofRows, Limit: everything})
		given := readScores(t, store, tracestore.ScoreQuery{ProjectID: project, Where: where, Limit: everything})
		if n, err := store.CountScores(t.Context(), project, where); err != nil || int(n) != len(given) || len(walk) != len(given) {
			t.Fatalf("counted %d scores, %v; read %d, and %d rows", n, err, len(given), len(walk))
		}
		for n := range len(walk) + 2 {
			if n == 0 {
				continue
			}
			var wantRow, wantScore *filter.Position
			if n <= len(walk) {
				at, of := positionOf(walk[n-1]), scorePosition(given[n-1])
				wantRow, wantScore = &at, &of
			}
			gotRow, err := store.ObservationPlace(t.Context(), project, ofRows, n)
			if diff := cmp.Diff(wantRow, gotRow); err != nil || diff != "" {
				t.Errorf("row %d: %v (-want +got):\n%s", n, err, diff)
			}
			gotScore, err := store.ScorePlace(t.Context(), project, where, n)
			if diff := cmp.Diff(wantScore, gotScore, cmpopts.EquateEmpty()); err != nil || diff != "" {
				t.Errorf("score %d: %v (-want +got):\n%s", n, err, diff)
			}
		}
	}
}
