package tracestoretest

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

var decisionTests = map[string]func(*testing.T, Stores){
	"a row without a decision is found":         undecidedRows,
	"by its newest version, in its window":      undecidedWindow,
	"samples are the same everywhere":           undecidedSamples,
	"decisions that may be made better":         undecidedAgain,
	"pages of undecided rows":                   undecidedPages,
	"decisions come back":                       decisionsComeBack,
	"a decision that is made again counts once": decisionsFold,
	"pages of decisions":                        decisionPages,
	"what a rule ran":                           decisionsSpent,
	"decisions of deleted traces":               decisionsBuried,
}

// decidedAt is recent: old decisions may be gone before they are read.
var decidedAt = time.Now().UTC().Truncate(time.Microsecond)

func newDecision(project, rule, trace, id string, seconds int, change ...func(*model.Decision)) model.Decision {
	d := model.Decision{
		ProjectID: project, RuleID: rule, RuleVersion: 1, TraceID: trace, ObservationID: id, StartTime: newRow(project, trace, id, seconds).StartTime,
		Outcome: model.Skipped, Reason: "filter", At: decidedAt,
	}
	for _, c := range change {
		c(&d)
	}
	return d
}

func evaluatedBy(evaluator, cost string) func(*model.Decision) {
	return func(d *model.Decision) {
		d.EvaluatorID, d.EvaluatorVersion, d.Outcome, d.Reason, d.Cost = evaluator, 3, model.Evaluated, "", cost
		d.ScoreIDs, d.Duration, d.Message = []string{"s'1", "s2"}, 1500*time.Microsecond, "it's \\ \x00 done"
	}
}

func decide(t *testing.T, store Stores, list ...model.Decision) {
	t.Helper()
	if err := store.InsertDecisions(t.Context(), list); err != nil {
		t.Fatalf("insert %d decisions: %v", len(list), err)
	}
}

// inHours asks for all rows of newRow by their time of acceptance.
func undecidedBy(project, rule string, change ...func(*tracestore.UndecidedQuery)) tracestore.UndecidedQuery {
	q := tracestore.UndecidedQuery{
		ProjectID: project, RuleID: rule, From: noon.Add(-24 * time.Hour), To: noon.Add(24 * time.Hour), Sampling: 1, Limit: everything,
	}
	for _, c := range change {
		c(&q)
	}
	return q
}

func requireUndecided(t *testing.T, store Stores, q tracestore.UndecidedQuery, want ...string) {
	t.Helper()
	list, err := store.Undecided(t.Context(), q)
	if err != nil {
		t.Fatalf("read undecided rows: %v", err)
	}
	var got []string
	var matching, sampled uint64
	for _, c := range list {
		text := c.ObservationID
		if c.Matches {
			text += " matches"
			matching++
		}
		if c.Sampled {
			text += " sampled"
		}
		if c.Matches && c.Sampled {
			sampled++
		}
		got = append(got, text)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("undecided rows (-want +got):\n%s", diff)
	}
	if q.Limit == everything {
		rows, m, s, err := store.CountCandidates(t.Context(), q)
		if err != nil || rows != uint64(len(list)) || m != matching || s != sampled {
			t.Fatalf("counted %d, %d matching, %d sampled, %v; want %d, %d, %d", rows, m, s, err, len(list), matching, sampled)
		}
	}
}

func undecidedRows(t *testing.T, store Stores) {
	project, other := newProject(), newProject()
	insert(t, store, newRow(project, "t", "a", 5), newRow(project, "t", "b", 4), newRow(project, "u", "c", 3), newRow(other, "t", "a", 5),
		newRow(project, "t", "gone", 2, func(o *model.Observation) { o.Deleted = true }))
	where := func(q *tracestore.UndecidedQuery) {
		q.Where = []filter.Condition{filter.OneOf{Column: filter.ID, Values: []string{"a", "c"}}}
	}
	requireUndecided(t, store, undecidedBy(project, "r", where), "a matches sampled", "b sampled", "c matches sampled")
	decide(t, store, newDecision(project, "r", "t", "a", 5), newDecision(project, "other rule", "t", "b", 4), newDecision(other, "r", "t", "b", 4))
	requireUndecided(t, store, undecidedBy(project, "r"), "b matches sampled", "c matches sampled")
	requireUndecided(t, store, undecidedBy(project, "r", func(q *tracestore.UndecidedQuery) { q.RuleVersion = 1 }), "b matches sampled", "c matches sampled")
	requireUndecided(t, store, undecidedBy(project, "r", func(q *tracestore.UndecidedQuery) { q.RuleVersion = 2 }), "a matches sampled", "b matches sampled", "c matches sampled")
	requireUndecided(t, store, undecidedBy(newProject(), "r"))
}

func undecidedWindow(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store, newRow(project, "t", "early", 5, version(0)), newRow(project, "t", "changed", 4, version(0)), newRow(project, "t", "late", 3, version(20)))
	insert(t, store, newRow(project, "t", "changed", 4, version(10)))
	window := func(from, to int) tracestore.UndecidedQuery {
		at := func(millis int) time.Time { return noon.Add(time.Hour + time.Duration(millis)*time.Millisecond) }
		return undecidedBy(project, "r", func(q *tracestore.UndecidedQuery) { q.From, q.To = at(from), at(to) })
	}
	requireUndecided(t, store, window(0, 10), "early matches sampled")
	requireUndecided(t, store, window(10, 20), "changed matches sampled")
	requireUndecided(t, store, window(20, 30), "late matches sampled")
	requireUndecided(t, store, window(30, 40))
	start := newRow(project, "t", "changed", 4).StartTime
	requireUndecided(t, store, undecidedBy(project, "r", func(q *tracestore.UndecidedQuery) {
		q.ByStart, q.From, q.To = true, start, start.Add(time.Millisecond)
	}), "changed matches sampled")
}

func undecidedSamples(t *testing.T, store Stores) {
	project := newProject()
	var rows []*model.Observation
	for i := range 200 {
		rows = append(rows, newRow(project, fmt.Sprint("trace ", i), fmt.Sprint("id ", i), 300-i))
	}
	insert(t, store, rows...)
	for _, fraction := range []float64{0, 0.001, 0.1, 0.5, 0.999, 1} {
		list, err := store.Undecided(t.Context(), undecidedBy(project, "r", func(q *tracestore.UndecidedQuery) { q.Sampling = fraction }))
		if err != nil || len(list) != len(rows) {
			t.Fatalf("found %d rows: %v", len(list), err)
		}
		for _, c := range list {
			if want := inSample("r", c.TraceID, c.ObservationID, fraction); c.Sampled != want || fraction == 0 && want || fraction == 1 && !want {
				t.Fatalf("a sample of %v has %s: %t, want %t", fraction, c.ObservationID, c.Sampled, want)
			}
		}
	}
}

func undecidedAgain(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store, newRow(project, "t", "done", 5), newRow(project, "t", "failed", 4), newRow(project, "t", "budget", 3), newRow(project, "t", "filter", 2), newRow(project, "t", "half", 1))
	failed := func(d *model.Decision) { d.Outcome, d.Reason, d.EvaluatorID = model.FailedEvaluation, "threw", "e" }
	decide(t, store, newDecision(project, "r", "t", "done", 5, evaluatedBy("e", "")), newDecision(project, "r", "t", "failed", 4, failed),
		newDecision(project, "r", "t", "budget", 3, func(d *model.Decision) { d.Reason = tracestore.BetterReasons[0] }), newDecision(project, "r", "t", "filter", 2),
		newDecision(project, "r", "t", "half", 1, failed), newDecision(project, "r", "t", "half", 1, evaluatedBy("f", "")))
	requireUndecided(t, store, undecidedBy(project, "r"))
	again := undecidedBy(project, "r", func(q *tracestore.UndecidedQuery) { q.Again, q.RuleVersion = true, 1 })
	requireUndecided(t, store, again, "failed matches sampled", "budget matches sampled", "half matches sampled")
	decide(t, store, newDecision(project, "r", "t", "failed", 4, evaluatedBy("e", ""), func(d *model.Decision) { d.At = decidedAt.Add(time.Second) }))
	requireUndecided(t, store, again, "budget matches sampled", "half matches sampled")
}

func undecidedPages(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store, newRow(project, "t", "a", 5), newRow(project, "t", "b", 4), newRow(project, "t", "c", 3))
	page := undecidedBy(project, "r", func(q *tracestore.UndecidedQuery) { q.Limit = 2 })
	requireUndecided(t, store, page, "a matches sampled", "b matches sampled")
	b := newRow(project, "t", "b", 4)
	page.After = &filter.Position{StartTime: b.StartTime, TraceID: "t", ID: "b"}
	requireUndecided(t, store, page, "c matches sampled")
}

func requireDecisions(t *testing.T, store Stores, q tracestore.DecisionQuery, want ...model.Decision) {
	t.Helper()
	if q.Limit == 0 {
		q.Limit = everything
	}
	got, err := store.Decisions(t.Context(), q)
	if err != nil {
		t.Fatalf("read decisions: %v", err)
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("decisions (-want +got):\n%s", diff)
	}
}

func decisionsComeBack(t *testing.T, store Stores) {
	project := newProject()
	full := newDecision(project, "r", "t", "a", 5, evaluatedBy("e", "0.000000000012"))
	full.JobID = "job"
	skipped, other := newDecision(project, "r", "u", "b", 4), newDecision(project, "r2", "t", "a", 5)
	decide(t, store, skipped, full, other, newDecision(newProject(), "r", "t", "a", 5))
	requireDecisions(t, store, tracestore.DecisionQuery{ProjectID: project, RuleID: "r"}, full, skipped)
	requireDecisions(t, store, tracestore.DecisionQuery{ProjectID: project, RuleID: "r2"}, other)
	requireDecisions(t, store, tracestore.DecisionQuery{ProjectID: project, RuleID: "r", Outcome: model.Skipped}, skipped)
	requireDecisions(t, store, tracestore.DecisionQuery{ProjectID: project, RuleID: "r", Reason: "filter"}, skipped)
	requireDecisions(t, store, tracestore.DecisionQuery{ProjectID: project, RuleID: "r", TraceID: "t"}, full)
	requireDecisions(t, store, tracestore.DecisionQuery{ProjectID: project, RuleID: "r", Evaluator: "e"}, full)
	requireDecisions(t, store, tracestore.DecisionQuery{ProjectID: project, RuleID: "none"})
}

func decisionsFold(t *testing.T, store Stores) {
	project := newProject()
	first := newDecision(project, "r", "t", "a", 5, evaluatedBy("e", "1"))
	later := newDecision(project, "r", "t", "a", 5, evaluatedBy("e", "2"), func(d *model.Decision) { d.At = decidedAt.Add(time.Second) })
	newer := newDecision(project, "r", "t", "a", 5, evaluatedBy("e", "3"), func(d *model.Decision) { d.RuleVersion = 2 })
	for range 3 {
		decide(t, store, later, newer)
		decide(t, store, first)
	}
	requireDecisions(t, store, tracestore.DecisionQuery{ProjectID: project, RuleID: "r"}, newer, later)
	counts, err := store.CountDecisions(t.Context(), project, "r", decidedAt.Add(-time.Hour))
	want := []tracestore.DecisionCount{{EvaluatorID: "e", Outcome: model.Evaluated, Count: 2, Cost: decimal.NewFromInt(5)}}
	if diff := cmp.Diff(want, counts); err != nil || diff != "" {
		t.Fatalf("counts: %v (-want +got):\n%s", err, diff)
	}
}

func decisionPages(t *testing.T, store Stores) {
	project := newProject()
	var all []model.Decision
	for i := range 4 {
		for _, evaluator := range []string{"y", "x"} {
			all = append(all, newDecision(project, "r", "t", fmt.Sprint("id ", i), 9-i/2, evaluatedBy(evaluator, "")))
		}
	}
	all[0], all[1], all[2], all[3] = all[2], all[3], all[0], all[1] // of one second the greater id comes first
	all[4], all[5], all[6], all[7] = all[6], all[7], all[4], all[5]
	decide(t, store, all...)
	var after *tracestore.DecisionPosition
	for i := 0; i < len(all); i += 3 {
		page := all[i:min(i+3, len(all))]
		requireDecisions(t, store, tracestore.DecisionQuery{ProjectID: project, RuleID: "r", After: after, Limit: 3}, page...)
		last := page[len(page)-1]
		after = &tracestore.DecisionPosition{
			StartTime: last.StartTime, TraceID: last.TraceID, ObservationID: last.ObservationID, EvaluatorID: last.EvaluatorID, RuleVersion: last.RuleVersion,
		}
	}
}

func decisionsSpent(t *testing.T, store Stores) {
	project := newProject()
	failed := func(d *model.Decision) { d.Outcome, d.Reason, d.Cost = model.FailedEvaluation, "threw", "0.5" }
	decide(t, store, newDecision(project, "r", "t", "a", 5, evaluatedBy("e", "1.25")), newDecision(project, "r", "t", "b", 4, evaluatedBy("e", ""), failed),
		newDecision(project, "r", "t", "c", 3), newDecision(project, "r", "t", "d", 2, evaluatedBy("e", "7"), func(d *model.Decision) { d.JobID = "job" }),
		newDecision(project, "r", "t", "e", 1, evaluatedBy("e", "9"), func(d *model.Decision) { d.At = decidedAt.Add(-time.Hour) }))
	for since, want := range map[time.Duration]tracestore.Spent{
		0: {Runs: 2, Cost: decimal.RequireFromString("1.75")}, -2 * time.Hour: {Runs: 3, Cost: decimal.RequireFromString("10.75")}, time.Hour: {},
	} {
		got, err := store.SpentSince(t.Context(), project, "r", decidedAt.Add(since))
		if err != nil || got.Runs != want.Runs || !got.Cost.Equal(want.Cost) {
			t.Errorf("spent since %s: %+v, %v; want %+v", since, got, err, want)
		}
	}
}

func decisionsBuried(t *testing.T, store Stores) {
	project := newProject()
	insert(t, store, newRow(project, "gone", "a", 5), newRow(project, "kept", "b", 4))
	decide(t, store, newDecision(project, "r", "gone", "a", 5), newDecision(project, "r", "kept", "b", 4))
	bury := tracestore.Tombstone{ProjectID: project, Kind: tracestore.TraceTombstone, ID: "gone", Version: model.RowVersion(decidedAt.Add(time.Hour), 0)}
	if err := store.InsertTombstones(t.Context(), []tracestore.Tombstone{bury}); err != nil {
		t.Fatal(err)
	}
	requireDecisions(t, store, tracestore.DecisionQuery{ProjectID: project, RuleID: "r"}, newDecision(project, "r", "kept", "b", 4))
	requireUndecided(t, store, undecidedBy(project, "another"), "b matches sampled")
}
