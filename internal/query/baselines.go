package query

import (
	"context"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/stats"
	"github.com/sondehq/sonde/internal/tracestore"
)

// The bounds of comparisons with a baseline.
const (
	MaxCompared = 9 // beside the baseline
	// MaxFigureExperiments is how many experiments are summed up at once.
	MaxFigureExperiments = 50
	// MaxLowerIsBetter is how many scores can be named as better when lower.
	MaxLowerIsBetter = 50
	// MaxItemPage is how many items a page has, MaxItemTextPage how many when it shows texts.
	MaxItemPage     = 1000
	MaxItemTextPage = 100
	// ItemCharacters is how many characters of every text a page shows.
	ItemCharacters = 2000
	// maxItemSearch is how long a text that is looked for may be, in bytes.
	maxItemSearch = 1000
)

// BaselineRequest names experiments that are compared with one of them.
type BaselineRequest struct {
	// Window is optional: zero times are open.
	Window        tracestore.Window
	Baseline      string
	Others        []string // up to MaxCompared
	LowerIsBetter []string // names of scores of which less is better; latency and cost always are
}

// compared checks a request.
func (r BaselineRequest) compared(projectID string) (tracestore.Compared, error) {
	q := tracestore.Compared{ProjectID: projectID, Window: r.Window, IDs: append([]string{r.Baseline}, r.Others...)}
	switch {
	case r.Baseline == "":
		return q, fault.Invalidf("baseline", "is required: the id of an experiment, as /api/public/experiments lists them")
	case len(r.Others) > MaxCompared:
		return q, fault.Invalidf("c", "must be given at most %d times, got %d", MaxCompared, len(r.Others))
	case slices.Contains(r.Others, ""):
		return q, fault.Invalidf("c", "must be the id of an experiment, not empty")
	case len(r.LowerIsBetter) > MaxLowerIsBetter:
		return q, fault.Invalidf("lowerIsBetter", "must be given at most %d times, got %d", MaxLowerIsBetter, len(r.LowerIsBetter))
	}
	for i, id := range q.IDs {
		if slices.Contains(q.IDs[:i], id) {
			return q, fault.Invalidf("c", "must name experiments that differ from each other and from the baseline; %q comes twice", id)
		}
	}
	q.Window = boundWindow(q.Window)
	return q, nil
}

// boundWindow brings a window to the precision and the range of stored times.
func boundWindow(w tracestore.Window) tracestore.Window {
	w.From = bound(w.From)
	if !w.To.IsZero() {
		w.To = bound(w.To)
	}
	return w
}

// ExperimentFigures sums up the figures of experiments, each for itself.
func (s *Service) ExperimentFigures(ctx context.Context, projectID string, ids []string, window tracestore.Window) ([]tracestore.FigureSummary, error) {
	if len(ids) < 1 || len(ids) > MaxFigureExperiments {
		return nil, fault.Invalidf("id", "must be given 1 to %d times, got %d", MaxFigureExperiments, len(ids))
	}
	ids = slices.Clone(ids)
	slices.Sort(ids)
	list, err := s.store.CompareExperiments(ctx, tracestore.Compared{ProjectID: projectID, Window: boundWindow(window), IDs: slices.Compact(ids)})
	if err != nil {
		return nil, readFault(fmt.Errorf("sum up experiments of project %s: %w", projectID, err), baselineAdvice)
	}
	return list, nil
}

const baselineAdvice = "compare fewer experiments at once, or set fromStartTime and toStartTime to the range in which they ran"

// BaselineComparison is how experiments differ from their baseline.
type BaselineComparison struct {
	Experiments []*tracestore.Experiment // the baseline first
	Figures     []ComparedFigure
}

// ComparedFigure is what experiments say of a figure: those that have it, in the order of the request.
type ComparedFigure struct {
	tracestore.Figure
	LowerIsBetter bool
	Experiments   []FigureChange
}

// FigureChange is what one experiment says of a figure, and how it differs from the baseline.
type FigureChange struct {
	tracestore.FigureSummary
	IsBaseline bool
	// Improved and Regressed are of the items that have the figure in both. Categories are neither.
	Improved, Regressed uint64
	// Interval and P are nil where nothing can be tested, see stats. Test names what P comes from.
	Interval *stats.Interval
	P        *float64
	Test     string
	// Summary says it in a sentence.
	Summary string
}

// The tests.
const (
	PairedTTest = "paired t-test"
	McNemarTest = "McNemar's exact test"
)

// CompareExperiments compares experiments with a baseline.
func (s *Service) CompareExperiments(ctx context.Context, projectID string, req BaselineRequest) (BaselineComparison, error) {
	q, err := req.compared(projectID)
	if err != nil {
		return BaselineComparison{}, err
	}
	var result BaselineComparison
	var summaries []tracestore.FigureSummary
	both, asked := errgroup.WithContext(ctx)
	both.Go(func() (err error) {
		result.Experiments, err = s.comparedExperiments(asked, q)
		return err
	})
	both.Go(func() (err error) {
		if summaries, err = s.store.CompareExperiments(asked, q); err != nil {
			return readFault(fmt.Errorf("compare experiments of project %s: %w", projectID, err), baselineAdvice)
		}
		return nil
	})
	if err := both.Wait(); err != nil {
		return BaselineComparison{}, err
	}
	items := tracestore.ComparedItemQuery{LowerIsBetter: req.LowerIsBetter}
	for _, summary := range summaries {
		last := len(result.Figures) - 1
		if last < 0 || result.Figures[last].Figure != summary.Figure {
			result.Figures = append(result.Figures, ComparedFigure{Figure: summary.Figure, LowerIsBetter: items.Lower(summary.Figure)})
			last++
		}
		figure := &result.Figures[last]
		change := changeOf(summary, figure.LowerIsBetter)
		change.IsBaseline = summary.ExperimentID == req.Baseline
		figure.Experiments = append(figure.Experiments, change)
	}
	return result, nil
}

// comparedExperiments reads what is known of the experiments; all must be there.
func (s *Service) comparedExperiments(ctx context.Context, q tracestore.Compared) ([]*tracestore.Experiment, error) {
	found, err := s.store.Experiments(ctx, tracestore.ExperimentQuery{
		ProjectID: q.ProjectID, Window: q.Window, Where: []filter.Condition{filter.OneOf{Column: filter.ID, Values: q.IDs}}, Limit: len(q.IDs),
	})
	if err != nil {
		return nil, readFault(fmt.Errorf("read experiments of project %s: %w", q.ProjectID, err), baselineAdvice)
	}
	list := make([]*tracestore.Experiment, len(q.IDs))
	for i, id := range q.IDs {
		at := slices.IndexFunc(found, func(x *tracestore.Experiment) bool { return x.ID == id })
		if at < 0 {
			return nil, fault.New(fault.NotFound, "There is no experiment %q", id).
				Hint("take an id that GET /api/public/experiments lists; without fromStartTime and toStartTime all times count")
		}
		list[i] = found[at]
	}
	return list, nil
}

func changeOf(summary tracestore.FigureSummary, lowerIsBetter bool) FigureChange {
	c := FigureChange{FigureSummary: summary}
	if summary.Type == model.Categorical {
		c.Summary = sentence(c)
		return c
	}
	c.Improved, c.Regressed = summary.Rose, summary.Fell
	if lowerIsBetter {
		c.Improved, c.Regressed = summary.Fell, summary.Rose
	}
	interval, p, ok := stats.Differences{Count: summary.Paired, Mean: summary.Delta, Deviation: summary.Deviation}.TTest()
	if ok {
		c.Interval, c.P, c.Test = &interval, &p, PairedTTest
	}
	if summary.Type == model.Boolean && summary.Paired > 0 {
		exact := stats.SignTest(summary.Rose, summary.Fell)
		c.P, c.Test = &exact, McNemarTest
	}
	c.Summary = sentence(c)
	return c
}

// ComparedItemRequest asks for a page of items with their runs side by side.
type ComparedItemRequest struct {
	BaselineRequest
	All         bool   // also items that the baseline did not run
	Regressions bool   // only items of which a score is worse than in the baseline
	Score       string // the only one that Regressions and WorstFirst look at
	WorstFirst  bool
	Search      string
	ItemID      string
	IO          bool // loads the beginnings of texts
	Number      PageNumber
}

// ComparedItems returns a page of items.
func (s *Service) ComparedItems(ctx context.Context, projectID string, req ComparedItemRequest) (tracestore.ComparedItems, error) {
	compared, err := req.compared(projectID)
	if err != nil {
		return tracestore.ComparedItems{}, err
	}
	q := tracestore.ComparedItemQuery{
		Compared: compared, InBaseline: !req.All, Regressed: req.Regressions, Score: req.Score, LowerIsBetter: req.LowerIsBetter,
		WorstFirst: req.WorstFirst, Search: req.Search, ItemID: req.ItemID, Limit: req.Number.Limit,
	}
	most := MaxItemPage
	if req.IO {
		q.Characters, most = ItemCharacters, MaxItemTextPage
	}
	switch {
	case q.Limit < 1 || q.Limit > most:
		return tracestore.ComparedItems{}, fault.Invalidf("limit", "must be between 1 and %d with these fields, got %d", most, q.Limit)
	case req.Number.Page < 1 || req.Number.Page > 1+tracestore.MaxComparedRuns/q.Limit:
		return tracestore.ComparedItems{}, fault.Invalidf("page", "must be at least 1 and not begin behind %d rows", tracestore.MaxComparedRuns)
	case len(q.Search) > maxItemSearch:
		return tracestore.ComparedItems{}, fault.Invalidf("q", "must not be longer than %d bytes", maxItemSearch)
	}
	q.Offset = (req.Number.Page - 1) * q.Limit
	page, err := s.store.ComparedItems(ctx, q)
	if err != nil {
		return page, readFault(fmt.Errorf("compare items of project %s: %w", projectID, err), baselineAdvice)
	}
	return page, nil
}
