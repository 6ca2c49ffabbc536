package tracestore

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/model"
)

// The bounds of comparisons with a baseline.
const (
	// MaxComparedRuns is how many runs of items are compared, of all experiments together.
	MaxComparedRuns = 100_000
	// MaxFigures is how many figures are summed up; the first by kind, name and type.
	MaxFigures = 100
	// MaxFigureValues is how many values of a categorical figure are counted.
	MaxFigureValues = 10
)

// SameWithin is how far apart two numbers may be that count as the same: means and sums of the same values differ by less.
const SameWithin = 1e-9

// FigureKind says where a figure comes from.
type FigureKind string

// The kinds of figures.
const (
	CostFigure    FigureKind = "cost"    // in US dollars
	LatencyFigure FigureKind = "latency" // in seconds
	ScoreFigure   FigureKind = "score"
)

// Figure is something that runs of items are compared by.
type Figure struct {
	Kind FigureKind
	Name string          // of the score; that of the kind for others
	Type model.ScoreType // NUMERIC, BOOLEAN or CATEGORICAL; NUMERIC for others
}

// Ordered reports whether values of the figure are more or less than others.
func (f Figure) Ordered() bool { return f.Type != model.Categorical }

// FigureValue is the value of a figure in one run.
type FigureValue struct {
	Figure
	Number float64 // 0 of CATEGORICAL
	Text   string  // of CATEGORICAL
}

// Change tells how far v is above base, and whether that counts as more (1), less (-1) or the same (0). Of categories
// it is 0 when they are equal, else 1.
func (v FigureValue) Change(base FigureValue) (delta float64, sign int) {
	if !v.Ordered() {
		if v.Text == base.Text {
			return 0, 0
		}
		return 0, 1
	}
	delta = v.Number - base.Number
	switch {
	case math.Abs(delta) <= SameWithin:
		return delta, 0
	case delta < 0:
		return delta, -1
	}
	return delta, 1
}

// Compared names experiments that are compared with the first of them, the baseline.
type Compared struct {
	ProjectID string
	Window    Window
	IDs       []string // the baseline first, each once
}

// FigureSummary is what the runs of one experiment say of a figure.
type FigureSummary struct {
	Figure
	ExperimentID string
	Count        uint64  // runs that have it
	Mean         float64 // of BOOLEAN the share that is true; 0 of CATEGORICAL
	// Values are those of CATEGORICAL, the most frequent first, then by value; at most MaxFigureValues.
	Values []ValueCount

	// The rest is about items that have the figure in the baseline, too.
	Paired             uint64
	Rose, Fell, Stayed uint64 // of CATEGORICAL: Rose have another value
	// Delta is the mean difference to the baseline, Deviation the standard deviation of the sample of differences. Zero
	// for fewer pairs than they need, and of CATEGORICAL.
	Delta, Deviation float64
}

// ValueCount is how often a value occurs.
type ValueCount struct {
	Value string
	Count uint64
}

// ComparedItemQuery asks for one page of items with their runs side by side.
type ComparedItemQuery struct {
	Compared
	// InBaseline leaves out items that the baseline did not run.
	InBaseline bool
	// Regressed keeps items for which an ordered score is worse than in the baseline in at least one experiment.
	Regressed bool
	// Score is the name of the only score that Regressed and WorstFirst look at; empty: all.
	Score string
	// LowerIsBetter are the names of scores of which less is better.
	LowerIsBetter []string
	// WorstFirst orders by the change for the worse, the largest first; items without a pair come last. What is equal, and
	// everything without it, is ordered by the start of the baseline's run, items that it did not run last, by their first
	// run, then by item.
	WorstFirst bool
	// Search is a text that the item's id, or input, output or expected output of a run must have; case of ASCII letters
	// does not matter.
	Search string
	ItemID string // empty: all
	Offset int
	Limit  int
	// Characters is how many of every text are loaded; 0: none.
	Characters int
}

// Worse reports whether v is worse than base.
func (q ComparedItemQuery) Worse(v, base FigureValue) bool {
	_, sign := v.Change(base)
	return v.Ordered() && sign != 0 && (sign > 0) == q.Lower(v.Figure)
}

// Lower reports whether less of a figure is better.
func (q ComparedItemQuery) Lower(f Figure) bool {
	return f.Kind != ScoreFigure || slices.Contains(q.LowerIsBetter, f.Name)
}

// ItemRun is how an item ran in one experiment.
type ItemRun struct {
	ExperimentID       string
	TraceID, ID        string // of the observation that stands for it
	StartTime, EndTime time.Time
	Level              model.Level
	// Cost is that of all observations of the run's trace that carry its experiment and item, if any has one.
	Cost                    decimal.NullDecimal
	Figures                 []FigureValue // by kind, name and type
	Input, Output, Expected string        // the first characters
	Cut                     bool          // there is more of a text
}

// ComparedItem is an item with its runs in the order of the query; experiments that did not run it have none.
type ComparedItem struct {
	ItemID string
	Runs   []ItemRun
}

// ComparedItems is a page of them; Total is how many there are.
type ComparedItems struct {
	Total uint64
	List  []ComparedItem
}

// Baselines compares experiments with one of them, item by item.
//
// Promises:
//   - An item of an experiment counts by its newest run, in the order of observation pages; a score by its newest of a
//     name and type, by timestamp, then id, then trace, among those of the observation that stands for the run and those of
//     its trace. Scores of type TEXT and CORRECTION do not count.
//   - What holds for Experiments holds here: newest versions, nothing deleted, one project only.
//   - Missing runs and values are no pairs; nothing is ever taken for zero.
//   - Reads wrap ErrTooExpensive when they run into their bound, or when there are more than MaxComparedRuns.
type Baselines interface {
	// CompareExperiments sums up by kind, name and type, then in the order of the query.
	CompareExperiments(ctx context.Context, q Compared) ([]FigureSummary, error)
	ComparedItems(ctx context.Context, q ComparedItemQuery) (ComparedItems, error)
}
