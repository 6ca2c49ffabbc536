package tracestoretest

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

var comparedIDs = []string{"x1", "x2", "x3", "x'4"}

// drawnItemRow is a version of a span of few traces, which run few items.
var drawnItemRow = shared(func(t *rapid.T) *model.Observation {
	o := drawnRun.Draw(t, "run")
	if o.Experiment == nil {
		return o
	}
	o.Experiment.ItemID = rapid.SampledFrom([]string{"i1", "i2", "i3", "i'4", ""}).Draw(t, "item")
	o.Output = rapid.SampledFrom(drawnTexts).Draw(t, "output")
	if rapid.Bool().Draw(t, "priced") {
		o.CostDetails = map[string]decimal.Decimal{model.TotalKey: decimal.New(rapid.Int64Range(0, 5).Draw(t, "cost"), -3)}
	}
	return o
})

// drawnItemScore is a score of such a span or its trace.
var drawnItemScore = shared(func(t *rapid.T) *model.Score {
	s := newScore("", rapid.SampledFrom(drawnScoreIDs).Draw(t, "id"), rapid.SampledFrom(drawnStarts).Draw(t, "timestamp"))
	s.TraceID = rapid.SampledFrom(drawnTraces).Draw(t, "trace")
	s.ObservationID = rapid.SampledFrom(append([]string{"", ""}, drawnIDs...)).Draw(t, "observation")
	s.Name = rapid.SampledFrom([]string{"accuracy", "toxicity"}).Draw(t, "name")
	s.Type = rapid.SampledFrom(model.ScoreTypes).Draw(t, "type")
	s.Number = rapid.SampledFrom([]float64{0, 1, 0.5, 0.25}).Draw(t, "number")
	s.Text = rapid.SampledFrom([]string{"calm", "loud"}).Draw(t, "text")
	s.Deleted = rapid.IntRange(0, 9).Draw(t, "deleted") == 0
	return s
})

// newComparedSet draws rows and scores from a seed, with tombstones of traces in between.
func newComparedSet(t *testing.T, store Stores, seed int) dataset {
	t.Helper()
	d := dataset{seed: seed, project: newProject(), memory: &Memory{}}
	rows := rapid.SliceOfN(drawnItemRow, 150, 150).Example(seed)
	scores := rapid.SliceOfN(drawnItemScore, 150, 150).Example(seed)
	for i, o := range rows {
		o.ProjectID = d.project
		setVersion(o, (i*37)%157)
		scores[i].ProjectID, scores[i].ID = d.project, fmt.Sprint(scores[i].ID, i%40)
		scoreVersion((i * 37) % 157)(scores[i])
	}
	for _, to := range []Stores{store, d.memory} {
		insert(t, to, rows...)
		insertScores(t, to, scores...)
	}
	d.bury(t, store, drawnTraces[seed%len(drawnTraces)], 40+seed, 0)
	return d
}

// baselineProperty compares summaries and pages with those of Memory. A failure names the seeds of its dataset and
// of its query.
func baselineProperty(t *testing.T, store Stores) {
	for seed := range fromEnv(t, scoreSetsEnv, 3) {
		d := newComparedSet(t, store, seed)
		for n := range 12 {
			t.Run(fmt.Sprintf("dataset %d query %d", seed, n), func(t *testing.T) {
				order := append(comparedIDs[n%4:len(comparedIDs):len(comparedIDs)], comparedIDs[:n%4]...)
				q := tracestore.ComparedItemQuery{
					Compared:   tracestore.Compared{ProjectID: d.project, Window: drawnWindow.Example(seed*100 + n), IDs: order[:2+n%3]},
					InBaseline: n%2 == 0, Regressed: n%3 == 0, WorstFirst: n%4 < 2, Offset: n % 3, Limit: 1 + n%5, Characters: n % 4,
				}
				if n%3 == 1 {
					q.Score = "accuracy"
				}
				if n%4 == 3 {
					q.LowerIsBetter = []string{"toxicity"}
				}
				if n%6 == 5 {
					q.Search = "u"
				}
				requireSameComparison(t, store, d, q)
			})
		}
	}
}

func requireSameComparison(t *testing.T, store Stores, d dataset, q tracestore.ComparedItemQuery) {
	t.Helper()
	want, err := d.memory.CompareExperiments(t.Context(), q.Compared)
	if err != nil {
		t.Fatal(err)
	}
	requireSummaries(t, store, q.Compared, want...)
	wanted := comparedItems(t, d.memory, q)
	if diff := cmp.Diff(wanted, comparedItems(t, store, q), roughly); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
}
