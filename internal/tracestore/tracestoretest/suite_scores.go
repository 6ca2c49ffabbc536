package tracestoretest

import (
	"fmt"
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

var scoreTests = map[string]func(*testing.T, Stores){
	"every field":                          scoreFields,
	"the highest version counts":           scoreVersions,
	"a tombstone hides what is below it":   scoreTombstones,
	"a deleted trace takes its scores":     scoresOfDeletedTrace,
	"order and limits":                     scoreOrder,
	"each condition":                       scoreConditions,
	"numbers are exact":                    scoreNumbers,
	"a walk while scores come":             scoreWalk,
	"two projects with the same ids":       scoreTenants,
	"hostile ids":                          scoreHostileIDs,
	"a canceled read ends":                 scoreCanceled,
	"pages equal those of a plain program": scoreProperty,
}

// newScore makes a numeric score of trace "t", given at the millisecond after noon.
func newScore(project, id string, millis int, edits ...func(*model.Score)) *model.Score {
	s := &model.Score{
		ProjectID: project, ID: id, TraceID: "t", Timestamp: noon.Add(time.Duration(millis) * time.Millisecond), Name: "n",
		Type: model.Numeric, Source: model.FromAPI, Environment: model.DefaultEnvironment, CreatedAt: noon.Add(time.Hour),
	}
	scoreVersion(0)(s)
	for _, edit := range edits {
		edit(s)
	}
	return s
}

func scoreVersion(n int) func(*model.Score) {
	return func(s *model.Score) {
		s.Version = model.RowVersion(noon.Add(time.Hour+time.Duration(n)*time.Millisecond), 0)
	}
}

func scoreNamed(name string) func(*model.Score) { return func(s *model.Score) { s.Name = name } }

func deletedScore(s *model.Score) { s.Deleted = true }

func insertScores(t *testing.T, store tracestore.Scores, scores ...*model.Score) {
	t.Helper()
	if err := store.InsertScores(t.Context(), scores); err != nil {
		t.Fatalf("insert %d scores: %v", len(scores), err)
	}
}

func readScores(t *testing.T, store tracestore.Scores, q tracestore.ScoreQuery) []*model.Score {
	t.Helper()
	scores, err := store.Scores(t.Context(), q)
	if err != nil {
		t.Fatalf("read %+v: %v", q, err)
	}
	return scores
}

func allScores(t *testing.T, store tracestore.Scores, project string, where ...filter.Condition) []*model.Score {
	t.Helper()
	return readScores(t, store, tracestore.ScoreQuery{ProjectID: project, Where: where, Limit: everything, Metadata: true})
}

func walkScores(t *testing.T, store tracestore.Scores, q tracestore.ScoreQuery, between func()) []*model.Score {
	t.Helper()
	var all []*model.Score
	for range everything {
		page := readScores(t, store, q)
		all = append(all, page...)
		if len(page) < q.Limit {
			return all
		}
		last := scorePosition(page[len(page)-1])
		q.After = &last
		between()
	}
	t.Fatal("the walk does not end")
	return nil
}

func requireScores(t *testing.T, scores []*model.Score, want ...string) {
	t.Helper()
	var ids []string
	for _, s := range scores {
		ids = append(ids, s.ID)
	}
	if diff := cmp.Diff(want, ids, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("ids (-want +got):\n%s", diff)
	}
}

func scoreFields(t *testing.T, store Stores) {
	project := newProject()
	full := newScore(project, "full", 0, func(s *model.Score) {
		s.Name, s.Type, s.Source, s.Number, s.Text = "é\x00'", model.Categorical, model.FromAnnotation, 0.1, "good \\ bad"
		s.ObservationID, s.SessionID, s.ExperimentID, s.Environment = "o", "s", "x", "prod"
		s.Comment, s.ConfigID, s.QueueID, s.AuthorUserID, s.ExecutionTraceID = "c", "conf", "q", "a", "e"
		s.Metadata = []model.MetadataEntry{{Name: "k", Value: "v", Type: model.MetadataString}, {Name: "n", Value: "1.5", Type: model.MetadataNumber}}
	})
	bare := newScore(project, "bare", -1)
	insertScores(t, store, full, bare)
	if diff := cmp.Diff([]*model.Score{full, bare}, allScores(t, store, project), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("scores (-want +got):\n%s", diff)
	}
	for _, s := range readScores(t, store, tracestore.ScoreQuery{ProjectID: project, Limit: 5}) {
		if len(s.Metadata) > 0 {
			t.Errorf("score %s comes with metadata that nobody asked for", s.ID)
		}
	}
}

func scoreVersions(t *testing.T, store Stores) {
	project := newProject()
	insertScores(t, store, newScore(project, "s", 0, scoreVersion(2), scoreNamed("two")))
	insertScores(t, store, newScore(project, "s", 0, scoreVersion(1), scoreNamed("one"))) // comes late
	insertScores(t, store, newScore(project, "s", 0, scoreVersion(2), scoreNamed("two"))) // comes again
	for _, where := range [][]filter.Condition{nil, {oneOf(filter.ID, "s")}, {oneOf(filter.Name, "one", "two")}, {oneOf(filter.Environment, "default")}} {
		if got := allScores(t, store, project, where...); len(got) != 1 || got[0].Name != "two" {
			t.Errorf("by %+v: %d scores, want the second version only", where, len(got))
		}
	}
	requireScores(t, allScores(t, store, project, oneOf(filter.Name, "one")))
}

func scoreTombstones(t *testing.T, store Stores) {
	project := newProject()
	var scores, gone []*model.Score
	for i := range 200 {
		id := fmt.Sprintf("s%03d", i)
		scores = append(scores, newScore(project, id, -i, scoreVersion(1)))
		if i%50 != 49 {
			gone = append(gone, newScore(project, id, -i, scoreVersion(2), deletedScore))
		}
	}
	insertScores(t, store, gone...)
	insertScores(t, store, scores...)
	for _, where := range [][]filter.Condition{nil, {oneOf(filter.TraceID, "t")}, {oneOf(filter.Name, "n")}} {
		q := tracestore.ScoreQuery{ProjectID: project, Where: where, Limit: 2}
		requireScores(t, walkScores(t, store, q, func() {}), "s049", "s099", "s149", "s199")
	}
	insertScores(t, store, newScore(project, "s000", 0, scoreVersion(3), scoreNamed("again")))
	requireScores(t, allScores(t, store, project, oneOf(filter.Name, "again")), "s000")
}

func scoresOfDeletedTrace(t *testing.T, store Stores) {
	project, other := newProject(), newProject()
	at := func(n int) uint64 { return newScore(project, "", 0, scoreVersion(n)).Version }
	ofTrace := func(id string) func(*model.Score) { return func(s *model.Score) { s.TraceID = id } }
	insertScores(t, store,
		newScore(project, "before", 0, scoreVersion(1)), newScore(project, "updated", 0, scoreVersion(1)), newScore(project, "elsewhere", 0, ofTrace("u")),
		newScore(project, "by id", 0, ofTrace("u"), scoreVersion(1)), newScore(project, "of none", 0, ofTrace("")), newScore(other, "foreign", 0))
	err := store.InsertTombstones(t.Context(), []tracestore.Tombstone{
		{ProjectID: project, Kind: tracestore.TraceTombstone, ID: "t", Version: at(5)},
		{ProjectID: project, Kind: tracestore.ScoreTombstone, ID: "by id", Version: at(5)},
	})
	if err != nil {
		t.Fatal(err)
	}
	insertScores(t, store, newScore(project, "late", 0, scoreVersion(4)), newScore(project, "after", 0, scoreVersion(5)), newScore(project, "updated", 0, scoreVersion(6)))
	for _, where := range [][]filter.Condition{nil, {oneOf(filter.Name, "n")}} {
		requireScores(t, allScores(t, store, project, where...), "updated", "of none", "elsewhere", "after")
		requireScores(t, allScores(t, store, other, where...), "foreign")
	}
	requireScores(t, allScores(t, store, project, oneOf(filter.TraceID, "t")), "updated", "after")
}

func scoreOrder(t *testing.T, store Stores) {
	project := newProject()
	other := func(s *model.Score) { s.TraceID = "u" }
	insertScores(t, store, newScore(project, "a", 0), newScore(project, "c", 0), newScore(project, "b", 0, other), newScore(project, "b", 0),
		newScore(project, "z", -1), newScore(project, "0", 1))
	requireScores(t, allScores(t, store, project), "0", "c", "b", "b", "a", "z")
	if got := allScores(t, store, project, oneOf(filter.ID, "b")); len(got) != 2 || got[0].TraceID != "u" {
		t.Errorf("%d scores with id b, want that of trace u first", len(got))
	}
	for limit, want := range map[int][]string{0: nil, 1: {"0"}, 3: {"0", "c", "b"}, 101: {"0", "c", "b", "b", "a", "z"}} {
		requireScores(t, readScores(t, store, tracestore.ScoreQuery{ProjectID: project, Limit: limit}), want...)
	}
	nowhere := filter.Position{StartTime: noon, TraceID: "elsewhere", ID: "bb"}
	requireScores(t, readScores(t, store, tracestore.ScoreQuery{ProjectID: project, Limit: 2, After: &nowhere}), "b", "b")
}

func scoreConditions(t *testing.T, store Stores) {
	project := newProject()
	hit := newScore(project, "hit", 5, func(s *model.Score) {
		s.Name, s.Type, s.Source, s.Number, s.Text, s.TraceID, s.ObservationID = "name", model.Boolean, model.FromEvaluation, 1, "True", "trace", "obs"
		s.SessionID, s.ExperimentID, s.Environment, s.ConfigID, s.QueueID, s.AuthorUserID = "session", "exp", "env", "conf", "queue", "author"
	})
	insertScores(t, store, hit, newScore(project, "miss", 0))
	at := func(op filter.Order) filter.Condition {
		return filter.Time{Column: filter.Timestamp, Op: op, At: hit.Timestamp}
	}
	for _, where := range [][]filter.Condition{
		{oneOf(filter.ID, "x", "hit")},
		{oneOf(filter.Name, "name")},
		{oneOf(filter.Source, "EVAL")},
		{oneOf(filter.DataType, "BOOLEAN", "TEXT")},
		{oneOf(filter.Environment, "env")},
		{oneOf(filter.ConfigID, "conf")},
		{oneOf(filter.QueueID, "queue")},
		{oneOf(filter.AuthorUserID, "author")},
		{oneOf(filter.TraceID, "trace"), oneOf(filter.ObservationID, "obs")},
		{oneOf(filter.SessionID, "session")},
		{oneOf(filter.ExperimentID, "exp")},
		{oneOf(filter.StringValue, "True")},
		{filter.Number{Column: filter.Value, Op: filter.AtLeast, Value: 1}},
		{filter.Number{Column: filter.Value, Op: filter.AtMost, Value: 1}, oneOf(filter.TraceID, "trace")},
		{filter.NumberOneOf{Column: filter.Value, Values: []float64{7, 1}}},
		{at(filter.AtLeast)},
	} {
		requireScores(t, allScores(t, store, project, where...), "hit")
	}
	requireScores(t, allScores(t, store, project, at(filter.Below)), "miss")
	requireScores(t, allScores(t, store, project, oneOf(filter.Name, "name"), oneOf(filter.Source, "API")))
	if _, err := store.Scores(t.Context(), tracestore.ScoreQuery{ProjectID: project, Limit: 1, Where: []filter.Condition{oneOf(filter.Release, "x")}}); err == nil {
		t.Error("a column that scores do not have is asked for without an error")
	}
}

// scoreNumbers are numbers that a reader of decimals may miss by their last bit.
func scoreNumbers(t *testing.T, store Stores) {
	project := newProject()
	numbers := []float64{0.1, 0.30000000000000004, 1.0 / 3, 5e-324, math.MaxFloat64, -2.2250738585072014e-308, 9007199254740993, 1e23, 123456.7890123}
	for i, n := range numbers {
		insertScores(t, store, newScore(project, strconv.Itoa(i), 0, func(s *model.Score) { s.Number = n }))
	}
	for i, n := range numbers {
		id := strconv.Itoa(i)
		requireScores(t, allScores(t, store, project, filter.NumberOneOf{Column: filter.Value, Values: []float64{n}}), id)
		requireScores(t, allScores(t, store, project, filter.Number{Column: filter.Value, Op: filter.AtLeast, Value: n},
			filter.Number{Column: filter.Value, Op: filter.AtMost, Value: n}), id)
	}
}

func scoreWalk(t *testing.T, store Stores) {
	project := newProject()
	var original []*model.Score
	for i := range 60 {
		original = append(original, newScore(project, fmt.Sprintf("s%02d", i), -i/4))
	}
	insertScores(t, store, original...)
	for _, where := range [][]filter.Condition{nil, {oneOf(filter.Name, "n")}} {
		round := 0
		got := walkScores(t, store, tracestore.ScoreQuery{ProjectID: project, Where: where, Limit: 7}, func() {
			round++
			again := *original[(round*11)%60]
			again.Version += uint64(round)
			insertScores(t, store, &again, newScore(project, fmt.Sprintf("new%d", round), 1000+round), newScore(project, fmt.Sprintf("old%d", round), -1000-round))
		})
		seen := map[string]int{}
		for _, s := range got {
			seen[s.ID]++
		}
		for _, s := range original {
			if seen[s.ID] != 1 {
				t.Errorf("score %s appears %d times", s.ID, seen[s.ID])
			}
		}
	}
}

func scoreTenants(t *testing.T, store Stores) {
	mine, theirs := newProject(), newProject()
	insertScores(t, store, newScore(mine, "s", 0, scoreNamed("mine")), newScore(theirs, "s", 0, scoreNamed("theirs"), scoreVersion(2)),
		newScore(theirs, "other", 1, scoreNamed("theirs")))
	insertScores(t, store, newScore(theirs, "s", 0, scoreVersion(3), deletedScore))
	for _, where := range [][]filter.Condition{nil, {oneOf(filter.TraceID, "t")}, {oneOf(filter.Name, "mine", "theirs")}} {
		if got := allScores(t, store, mine, where...); len(got) != 1 || got[0].Name != "mine" || got[0].ProjectID != mine {
			t.Errorf("by %+v: %+v, want the own score", where, got)
		}
	}
	requireScores(t, allScores(t, store, newProject()))
}

func scoreHostileIDs(t *testing.T, store Stores) {
	base := newProject()
	var scores []*model.Score
	for _, text := range hostileTexts {
		scores = append(scores, newScore(base+text, text, 0, func(s *model.Score) { s.TraceID, s.SessionID, s.Name = text, text, text }), newScore(base+text, "below", -1))
	}
	insertScores(t, store, scores...)
	for _, text := range hostileTexts {
		requireScores(t, allScores(t, store, base+text, oneOf(filter.TraceID, text, "' OR ''='"), oneOf(filter.ID, text)), text)
		requireScores(t, allScores(t, store, base+text, oneOf(filter.SessionID, text), oneOf(filter.Name, text)), text)
		after := filter.Position{StartTime: noon, TraceID: text, ID: text}
		requireScores(t, readScores(t, store, tracestore.ScoreQuery{ProjectID: base + text, Limit: 5, After: &after}), "below")
	}
}

func scoreCanceled(t *testing.T, store Stores) {
	if _, err := store.Scores(canceled(), tracestore.ScoreQuery{ProjectID: newProject(), Limit: 1}); err == nil {
		t.Error("a read with a canceled context reports success")
	}
}
