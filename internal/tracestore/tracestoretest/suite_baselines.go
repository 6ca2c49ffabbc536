package tracestoretest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

var baselineTests = map[string]func(*testing.T, Stores){
	"figures are paired by item":             baselineFigures,
	"categories are counted":                 baselineCategories,
	"the newest run and score of an item":    baselineNewest,
	"cost is that of the run, latency too":   baselineCost,
	"regressions, in either direction":       baselineRegressions,
	"items in the order asked for, by pages": baselineOrder,
	"items by what they say":                 baselineSearch,
	"texts as long as asked for":             baselineTexts,
	"one project does not see another's":     baselineTenants,
	"canceled":                               baselineCanceled,
	"answers equal the oracle":               baselineProperty,
}

// ran makes a run of an item in a trace of its own.
func ran(project, experiment, item string, millis int, edits ...func(*model.Observation)) *model.Observation {
	edits = append([]func(*model.Observation){tagged(experiment, func(x *model.Experiment) { x.ItemID = item })}, edits...)
	return newRow(project, experiment+"/"+item, "task", millis, edits...)
}

// judged makes a score of a run that ran made.
func judged(project, experiment, item, name string, number float64, edits ...func(*model.Score)) *model.Score {
	trace := experiment + "/" + item
	return newScore(project, trace+"/"+name, 0, append([]func(*model.Score){about(tracestore.ScoreSubject{TraceID: trace, ObservationID: "task"}), func(s *model.Score) {
		s.Name, s.Number = name, number
	}}, edits...)...)
}

func categorized(text string) func(*model.Score) {
	return func(s *model.Score) { s.Type, s.Text = model.Categorical, text }
}

func truth(s *model.Score) { s.Type = model.Boolean }

func compared(project string, ids ...string) tracestore.Compared {
	return tracestore.Compared{ProjectID: project, Window: always, IDs: ids}
}

var roughly = cmp.Options{cmpopts.EquateApprox(1e-9, 1e-12), cmpopts.EquateEmpty()}

func requireSummaries(t *testing.T, store Stores, q tracestore.Compared, want ...tracestore.FigureSummary) {
	t.Helper()
	got, err := store.CompareExperiments(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, roughly); diff != "" {
		t.Fatalf("summaries (-want +got):\n%s", diff)
	}
}

func comparedItems(t *testing.T, store Stores, q tracestore.ComparedItemQuery) tracestore.ComparedItems {
	t.Helper()
	if q.Limit == 0 {
		q.Limit = everything
	}
	page, err := store.ComparedItems(t.Context(), q)
	if err != nil {
		t.Fatalf("read %+v: %v", q, err)
	}
	return page
}

// requireComparedItems compares items by their ids.
func requireComparedItems(t *testing.T, store Stores, q tracestore.ComparedItemQuery, total uint64, want ...string) {
	t.Helper()
	page := comparedItems(t, store, q)
	got := []string{}
	for _, item := range page.List {
		got = append(got, item.ItemID)
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" || page.Total != total {
		t.Errorf("%+v: %d in all, want %d; items (-want +got):\n%s", q, page.Total, total, diff)
	}
}

func baselineFigures(t *testing.T, store Stores) {
	project := newProject()
	numeric := tracestore.Figure{Kind: tracestore.ScoreFigure, Name: "accuracy", Type: model.Numeric}
	for i, pair := range [][2]float64{{0.5, 0.25}, {0.5, 0.5}, {0.1, 0.4}, {0.9, 0.8}} {
		item := fmt.Sprint("i", i)
		insert(t, store, ran(project, "a", item, i), ran(project, "b", item, 10+i))
		insertScores(t, store, judged(project, "a", item, "accuracy", pair[0]), judged(project, "b", item, "accuracy", pair[1]))
	}
	// Gaps on both sides, and another name, are no pairs.
	insert(t, store, ran(project, "a", "only a", 20), ran(project, "b", "only b", 21), ran(project, "a", "no score", 22), ran(project, "b", "no score", 23))
	insertScores(t, store,
		judged(project, "a", "only a", "accuracy", 1), judged(project, "b", "only b", "accuracy", 0), judged(project, "b", "i0", "other", 3),
		newScore(project, "of the run", 0, about(tracestore.ScoreSubject{ExperimentID: "b"})),
		newScore(project, "of a child", 0, about(tracestore.ScoreSubject{TraceID: "b/i0", ObservationID: "child"}), func(s *model.Score) { s.Name = "accuracy" }),
		newScore(project, "a text", 0, about(tracestore.ScoreSubject{TraceID: "b/i0"}), func(s *model.Score) { s.Type, s.Text = model.TextScore, "fine" }),
		newScore(project, "a correction", 0, about(tracestore.ScoreSubject{TraceID: "b/i0"}), func(s *model.Score) { s.Type = model.Correction }),
	)
	other := tracestore.Figure{Kind: tracestore.ScoreFigure, Name: "other", Type: model.Numeric}
	requireSummaries(t, store, compared(project, "a", "b", "nothing"),
		tracestore.FigureSummary{Figure: numeric, ExperimentID: "a", Count: 5, Mean: 0.6, Paired: 5, Stayed: 5},
		tracestore.FigureSummary{Figure: numeric, ExperimentID: "b", Count: 5, Mean: 0.39, Paired: 4, Rose: 1, Fell: 2, Stayed: 1, Delta: -0.0125, Deviation: 0.23228933107943394},
		tracestore.FigureSummary{Figure: other, ExperimentID: "b", Count: 1, Mean: 3},
	)
	requireSummaries(t, store, compared(project, "nothing", "other"))
}

func baselineCategories(t *testing.T, store Stores) {
	project := newProject()
	for i := range 14 {
		item := fmt.Sprintf("i%02d", i)
		insert(t, store, ran(project, "a", item, i), ran(project, "b", item, 20+i))
		insertScores(t, store,
			judged(project, "a", item, "tone", 1, categorized("calm")), judged(project, "b", item, "tone", 2, categorized([]string{"calm", "calm", "tone " + item}[i%3])),
			judged(project, "a", item, "correct", float64(i%2), truth), judged(project, "b", item, "correct", 1, truth),
		)
	}
	correct := tracestore.Figure{Kind: tracestore.ScoreFigure, Name: "correct", Type: model.Boolean}
	tone := tracestore.Figure{Kind: tracestore.ScoreFigure, Name: "tone", Type: model.Categorical}
	requireSummaries(t, store, compared(project, "a", "b"),
		tracestore.FigureSummary{Figure: correct, ExperimentID: "a", Count: 14, Mean: 0.5, Paired: 14, Stayed: 14},
		tracestore.FigureSummary{Figure: correct, ExperimentID: "b", Count: 14, Mean: 1, Paired: 14, Rose: 7, Stayed: 7, Delta: 0.5, Deviation: 0.518874521663},
		tracestore.FigureSummary{Figure: tone, ExperimentID: "a", Count: 14, Paired: 14, Stayed: 14, Values: []tracestore.ValueCount{{Value: "calm", Count: 14}}},
		tracestore.FigureSummary{Figure: tone, ExperimentID: "b", Count: 14, Paired: 14, Rose: 4, Stayed: 10, Values: []tracestore.ValueCount{
			{Value: "calm", Count: 10}, {Value: "tone i02", Count: 1}, {Value: "tone i05", Count: 1}, {Value: "tone i08", Count: 1}, {Value: "tone i11", Count: 1},
		}},
	)
}

func baselineNewest(t *testing.T, store Stores) {
	project := newProject()
	again := func(o *model.Observation) { o.TraceID = "again" }
	insert(t, store, ran(project, "a", "i", 1), ran(project, "b", "i", 2), ran(project, "b", "i", 3, again), ran(project, "b", "gone", 4))
	insert(t, store, ran(project, "b", "gone", 4, version(1), func(o *model.Observation) { o.Deleted = true }))
	of := func(trace, observation string) func(*model.Score) {
		return about(tracestore.ScoreSubject{TraceID: trace, ObservationID: observation})
	}
	number := func(n float64) func(*model.Score) { return func(s *model.Score) { s.Number = n } }
	insertScores(t, store,
		newScore(project, "1", 1, of("a/i", "task"), number(1)), newScore(project, "2", 2, of("a/i", ""), number(2)), newScore(project, "3", 3, of("a/i", "child"), number(3)),
		newScore(project, "4", 9, of("b/i", "task"), number(4)), newScore(project, "5", 1, of("again", "task"), number(5)),
		newScore(project, "6", 5, of("again", "task"), number(6)), newScore(project, "6", 5, of("again", "task"), number(7), scoreVersion(1)),
	)
	figure := tracestore.Figure{Kind: tracestore.ScoreFigure, Name: "n", Type: model.Numeric}
	requireSummaries(t, store, compared(project, "a", "b"),
		tracestore.FigureSummary{Figure: figure, ExperimentID: "a", Count: 1, Mean: 2, Paired: 1, Stayed: 1},
		tracestore.FigureSummary{Figure: figure, ExperimentID: "b", Count: 1, Mean: 7, Paired: 1, Rose: 1, Delta: 5},
	)
	page := comparedItems(t, store, tracestore.ComparedItemQuery{Compared: compared(project, "a", "b")})
	want := []tracestore.ComparedItem{{ItemID: "i", Runs: []tracestore.ItemRun{
		{ExperimentID: "a", TraceID: "a/i", ID: "task", StartTime: at(1), Level: model.Default, Figures: []tracestore.FigureValue{{Figure: figure, Number: 2}}},
		{ExperimentID: "b", TraceID: "again", ID: "task", StartTime: at(3), Level: model.Default, Figures: []tracestore.FigureValue{{Figure: figure, Number: 7}}},
	}}}
	if diff := cmp.Diff(want, page.List, roughly); diff != "" || page.Total != 1 {
		t.Errorf("%d in all; items (-want +got):\n%s", page.Total, diff)
	}
}

func baselineCost(t *testing.T, store Stores) {
	project := newProject()
	costs := func(amount string) func(*model.Observation) {
		return func(o *model.Observation) {
			o.CostDetails = map[string]decimal.Decimal{model.TotalKey: decimal.RequireFromString(amount)}
		}
	}
	child := func(o *model.Observation) { o.ID, o.Experiment.ItemRootID = "call", "task" }
	elsewhere := func(o *model.Observation) { o.TraceID = "older" }
	insert(t, store,
		ran(project, "a", "i", 1, endsAt(1501), costs("0.000000000001")), ran(project, "a", "i", 2, child, costs("0.2")), ran(project, "a", "i", 0, elsewhere, costs("100")),
		ran(project, "b", "i", 5, endsAt(505)), ran(project, "b", "j", 6),
	)
	cost := tracestore.Figure{Kind: tracestore.CostFigure, Name: "cost", Type: model.Numeric}
	latency := tracestore.Figure{Kind: tracestore.LatencyFigure, Name: "latency", Type: model.Numeric}
	requireSummaries(t, store, compared(project, "a", "b"),
		tracestore.FigureSummary{Figure: cost, ExperimentID: "a", Count: 1, Mean: 0.200000000001, Paired: 1, Stayed: 1},
		tracestore.FigureSummary{Figure: latency, ExperimentID: "a", Count: 1, Mean: 1.5, Paired: 1, Stayed: 1},
		tracestore.FigureSummary{Figure: latency, ExperimentID: "b", Count: 1, Mean: 0.5, Paired: 1, Fell: 1, Delta: -1},
	)
	run := comparedItems(t, store, tracestore.ComparedItemQuery{Compared: compared(project, "a")}).List[0].Runs[0]
	if run.Cost.Decimal.String() != "0.200000000001" || !run.EndTime.Equal(at(1501)) {
		t.Errorf("a run cost %v and ended %v", run.Cost, run.EndTime)
	}
}

func baselineRegressions(t *testing.T, store Stores) {
	project := newProject()
	for i, item := range []string{"worse", "better", "same", "mixed", "toxic", "gap"} {
		insert(t, store, ran(project, "a", item, i), ran(project, "b", item, 10+i), ran(project, "c", item, 20+i))
		for _, experiment := range []string{"a", "b", "c"} {
			insertScores(t, store, judged(project, experiment, item, "tone", 0, categorized(experiment)))
		}
	}
	score := func(item, name string, a, b, c float64) {
		insertScores(t, store, judged(project, "a", item, name, a), judged(project, "b", item, name, b), judged(project, "c", item, name, c))
	}
	score("worse", "accuracy", 0.9, 0.8, 0.9)
	score("better", "accuracy", 0.5, 0.8, 0.9)
	score("same", "accuracy", 0.3, 0.1+0.2, 0.3) // 0.1+0.2 is a little more
	score("mixed", "accuracy", 0.5, 0.9, 0.1)
	score("toxic", "accuracy", 0.5, 0.9, 0.6)
	score("toxic", "toxicity", 0, 0, 1)
	score("better", "toxicity", 1, 0, 1)
	insertScores(t, store, judged(project, "b", "gap", "accuracy", 0), judged(project, "a", "gap", "toxicity", 0))
	q := tracestore.ComparedItemQuery{Compared: compared(project, "a", "b", "c"), Regressed: true}
	requireComparedItems(t, store, q, 3, "worse", "better", "mixed")
	q.LowerIsBetter = []string{"toxicity"}
	requireComparedItems(t, store, q, 3, "worse", "mixed", "toxic")
	q.WorstFirst = true
	requireComparedItems(t, store, q, 3, "toxic", "mixed", "worse")
	q.Score = "accuracy"
	requireComparedItems(t, store, q, 2, "mixed", "worse")
	q.IDs = []string{"a", "b"}
	requireComparedItems(t, store, q, 1, "worse")
	q.Regressed = false
	requireComparedItems(t, store, q, 6, "worse", "same", "better", "mixed", "toxic", "gap")
}

func baselineOrder(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store,
		ran(project, "a", "second", 5), ran(project, "a", "first", 4), ran(project, "b", "first", 9), ran(project, "b", "second", 1),
		ran(project, "b", "z extra", 2), ran(project, "c", "extra", 3), ran(project, "b", "extra", 8),
	)
	q := tracestore.ComparedItemQuery{Compared: compared(project, "a", "b", "c")}
	requireComparedItems(t, store, q, 4, "first", "second", "z extra", "extra")
	q.InBaseline = true
	requireComparedItems(t, store, q, 2, "first", "second")
	q.InBaseline, q.Limit, q.Offset = false, 2, 1
	requireComparedItems(t, store, q, 4, "second", "z extra")
	q.Offset = 4
	requireComparedItems(t, store, q, 4)
	q.Offset, q.ItemID = 0, "extra"
	requireComparedItems(t, store, q, 1, "extra")
	q.ItemID, q.Window = "", tracestore.Window{From: at(4)}
	requireComparedItems(t, store, q, 3, "first", "second")
}

func baselineSearch(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store,
		ran(project, "a", "Needle in id", 1), ran(project, "a", "2", 2, func(o *model.Observation) { o.Input = "a NEEDLE" }),
		ran(project, "a", "3", 3), ran(project, "b", "3", 4, func(o *model.Observation) { o.Output = "needles" }),
		ran(project, "b", "4", 5, func(o *model.Observation) { o.Experiment.ItemExpectedOutput = "{needle}" }),
		ran(project, "a", "5", 6, func(o *model.Observation) { o.Input = "needle" }), ran(project, "a", "6", 7, func(o *model.Observation) { o.Input = "n'e\\e" }),
	)
	insert(t, store, ran(project, "a", "5", 6, version(1), func(o *model.Observation) { o.Input = "straw" }))
	q := tracestore.ComparedItemQuery{Compared: compared(project, "a", "b"), Search: "nEEdle"}
	requireComparedItems(t, store, q, 4, "Needle in id", "2", "3", "4")
	q.Search = `'e\`
	requireComparedItems(t, store, q, 1, "6")
	q.Search = "none has this"
	requireComparedItems(t, store, q, 0)
}

func baselineTexts(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store, ran(project, "a", "i", 1, func(o *model.Observation) {
		o.Input, o.Output, o.Experiment.ItemExpectedOutput = strings.Repeat("é", 5), "12345", "123456"
	}))
	for characters, want := range map[int]tracestore.ItemRun{
		0: {}, 3: {Input: "ééé", Output: "123", Expected: "123", Cut: true}, 5: {Input: "ééééé", Output: "12345", Expected: "12345", Cut: true},
		6: {Input: "ééééé", Output: "12345", Expected: "123456"},
	} {
		want.ExperimentID, want.TraceID, want.ID, want.StartTime, want.Level = "a", "a/i", "task", at(1), model.Default
		page := comparedItems(t, store, tracestore.ComparedItemQuery{Compared: compared(project, "a"), Characters: characters})
		if diff := cmp.Diff([]tracestore.ComparedItem{{ItemID: "i", Runs: []tracestore.ItemRun{want}}}, page.List, roughly); diff != "" {
			t.Errorf("%d characters (-want +got):\n%s", characters, diff)
		}
	}
}

func baselineTenants(t *testing.T, store Stores) {
	mine, theirs := newProject(), newProject()
	insert(t, store, ran(mine, "a", "i", 1), ran(theirs, "a", "theirs", 1), ran(theirs, "b", "i", 2))
	insertScores(t, store, judged(theirs, "a", "i", "accuracy", 1), judged(theirs, "b", "i", "accuracy", 1))
	requireSummaries(t, store, compared(mine, "a", "b"))
	requireComparedItems(t, store, tracestore.ComparedItemQuery{Compared: compared(mine, "a", "b")}, 1, "i")
}

func baselineCanceled(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store, ran(project, "a", "i", 1))
	if _, err := store.CompareExperiments(canceled(), compared(project, "a")); err == nil {
		t.Error("compares although nobody waits")
	}
	if _, err := store.ComparedItems(canceled(), tracestore.ComparedItemQuery{Compared: compared(project, "a"), Limit: 1}); err == nil {
		t.Error("reads items although nobody waits")
	}
}
