package tracestoretest

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// counted returns the scores that meet conditions and have a finite number, the newest first.
func (m *Memory) counted(ctx context.Context, projectID string, where []filter.Condition) ([]*model.Score, error) {
	scores, err := m.Scores(ctx, tracestore.ScoreQuery{ProjectID: projectID, Where: where, Limit: math.MaxInt})
	return slices.DeleteFunc(scores, func(s *model.Score) bool { return math.IsNaN(s.Number) || math.IsInf(s.Number, 0) }), err
}

// ScoreKinds implements tracestore.ScoreAnalytics.
func (m *Memory) ScoreKinds(ctx context.Context, projectID string, where []filter.Condition, limit int) ([]tracestore.ScoreKind, error) {
	scores, err := m.counted(ctx, projectID, where)
	counts := map[tracestore.ScoreKind]uint64{}
	for _, s := range scores {
		counts[tracestore.ScoreKind{Name: s.Name, Type: s.Type, Source: s.Source, AuthorUserID: s.AuthorUserID}]++
	}
	var kinds []tracestore.ScoreKind
	for kind, count := range counts {
		kind.Count = count
		kinds = append(kinds, kind)
	}
	slices.SortFunc(kinds, func(a, b tracestore.ScoreKind) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Type, b.Type), cmp.Compare(a.Source, b.Source), cmp.Compare(a.AuthorUserID, b.AuthorUserID))
	})
	return kinds[:min(limit, len(kinds))], err
}

// ScoreSums implements tracestore.ScoreAnalytics.
func (m *Memory) ScoreSums(ctx context.Context, projectID string, where []filter.Condition) ([]tracestore.ScoreSum, error) {
	scores, err := m.counted(ctx, projectID, where)
	numbers := map[model.ScoreType][]float64{}
	for _, s := range scores {
		numbers[s.Type] = append(numbers[s.Type], s.Number)
	}
	var sums []tracestore.ScoreSum
	for kind, list := range numbers {
		slices.Sort(list)
		middle := len(list) / 2
		median := list[middle]
		if len(list)%2 == 0 {
			median = list[middle-1] + (list[middle]-list[middle-1])/2
		}
		sums = append(sums, tracestore.ScoreSum{Type: kind, Count: uint64(len(list)), Min: list[0], Max: list[len(list)-1], Mean: mean(list), Median: median})
	}
	slices.SortFunc(sums, func(a, b tracestore.ScoreSum) int { return cmp.Compare(a.Type, b.Type) })
	return sums, err
}

func mean(list []float64) float64 {
	sum := 0.0
	for _, x := range list {
		sum += x
	}
	return sum / float64(len(list))
}

// placed is where a score counts.
func placed(b tracestore.ScoreBands, s *model.Score) (band int, text string) {
	switch {
	case b.Type == model.Numeric:
		return b.BandOf(s.Number), ""
	case b.Type == model.Boolean && s.Number == 1:
		return 0, "True"
	case b.Type == model.Boolean:
		return 0, "False"
	default:
		return 0, s.Text
	}
}

// ScoreCells implements tracestore.ScoreAnalytics.
func (m *Memory) ScoreCells(ctx context.Context, q tracestore.ScoreCellQuery) ([]tracestore.ScoreCell, error) {
	scores, err := m.counted(ctx, q.ProjectID, q.Where)
	cells := map[tracestore.ScoreCell]tracestore.ScoreCell{}
	for _, s := range scores {
		millis, width := s.Timestamp.UnixMilli(), q.Width.Milliseconds()
		key := tracestore.ScoreCell{Start: time.UnixMilli(millis - ((millis%width)+width)%width).UTC()}
		key.Band, key.Text = placed(q.Bands, s)
		cell := cells[key]
		cell.Start, cell.Band, cell.Text, cell.Count, cell.Sum = key.Start, key.Band, key.Text, cell.Count+1, cell.Sum+s.Number
		cells[key] = cell
	}
	var list []tracestore.ScoreCell
	for _, cell := range cells {
		list = append(list, cell)
	}
	if len(list) > tracestore.MaxScoreCells {
		return nil, fmt.Errorf("%d cells: %w", len(list), tracestore.ErrTooExpensive)
	}
	slices.SortFunc(list, func(a, b tracestore.ScoreCell) int {
		return cmp.Or(a.Start.Compare(b.Start), cmp.Compare(a.Band, b.Band), cmp.Compare(a.Text, b.Text))
	})
	return list, err
}

// ScorePairs implements tracestore.ScoreAnalytics.
func (m *Memory) ScorePairs(ctx context.Context, q tracestore.ScorePairQuery) (pairs tracestore.ScorePairs, err error) {
	type subject struct{ trace, observation, session, experiment string }
	var sides [2]map[subject]*model.Score
	for i, where := range [][]filter.Condition{q.A, q.B} {
		scores, err := m.counted(ctx, q.ProjectID, where)
		if err != nil {
			return pairs, err
		}
		sides[i] = map[subject]*model.Score{}
		for _, s := range slices.Backward(scores) { // the newest comes last
			sides[i][subject{s.TraceID, s.ObservationID, s.SessionID, s.ExperimentID}] = s
		}
	}
	var a, b []float64
	cells := map[tracestore.PairCell]tracestore.PairCell{}
	add := func(x, y *model.Score) {
		var key tracestore.PairCell
		if key.HasA = x != nil; key.HasA {
			key.A.Band, key.A.Text = placed(q.BandsA, x)
		}
		if key.HasB = y != nil; key.HasB {
			key.B.Band, key.B.Text = placed(q.BandsB, y)
		}
		cell, known := cells[key]
		if !known {
			cell = key
			cell.A.Number, cell.B.Number = math.Inf(-1), math.Inf(-1)
		}
		cell.Count++
		cell.A.Number, cell.B.Number = max(cell.A.Number, scoredNumber(x)), max(cell.B.Number, scoredNumber(y))
		cells[key] = cell
	}
	for at, x := range sides[0] {
		y := sides[1][at]
		if add(x, y); y != nil {
			a, b = append(a, x.Number), append(b, y.Number)
		}
	}
	for at, y := range sides[1] {
		if sides[0][at] == nil {
			add(nil, y)
		}
	}
	for _, cell := range cells {
		pairs.Cells = append(pairs.Cells, cell)
	}
	slices.SortFunc(pairs.Cells, pairOrder)
	pairs.Pearson, pairs.Spearman, pairs.MeanAbsoluteError = math.NaN(), math.NaN(), math.NaN()
	if q.BandsA.Type != model.Categorical && q.BandsB.Type != model.Categorical {
		pairs.Pearson, pairs.Spearman, pairs.MeanAbsoluteError = pearson(a, b), pearson(ranks(a), ranks(b)), apart(a, b)
	}
	return pairs, nil
}

func scoredNumber(s *model.Score) float64 {
	if s == nil {
		return 0
	}
	return s.Number
}

func pairOrder(x, y tracestore.PairCell) int {
	last := func(missing bool) int {
		if missing {
			return 1
		}
		return 0
	}
	return cmp.Or(
		cmp.Compare(last(!x.HasA)+last(!x.HasB), last(!y.HasA)+last(!y.HasB)), cmp.Compare(last(!x.HasA), last(!y.HasA)),
		cmp.Compare(x.A.Band, y.A.Band), cmp.Compare(x.A.Text, y.A.Text), cmp.Compare(x.B.Band, y.B.Band), cmp.Compare(x.B.Text, y.B.Text),
	)
}

// pearson is NaN for fewer than two pairs and for a constant.
func pearson(a, b []float64) float64 {
	if len(a) == 0 || slices.Min(a) == slices.Max(a) || slices.Min(b) == slices.Max(b) {
		return math.NaN()
	}
	meanA, meanB := mean(a), mean(b)
	var both, ofA, ofB float64
	for i := range a {
		both += (a[i] - meanA) * (b[i] - meanB)
		ofA += (a[i] - meanA) * (a[i] - meanA)
		ofB += (b[i] - meanB) * (b[i] - meanB)
	}
	return both / math.Sqrt(ofA*ofB)
}

// ranks has the mean of the ranks of values that are alike.
func ranks(list []float64) []float64 {
	got := make([]float64, len(list))
	for i, x := range list {
		below, same := 0, 0
		for _, y := range list {
			if y < x {
				below++
			} else if y == x {
				same++
			}
		}
		got[i] = float64(below) + float64(same+1)/2
	}
	return got
}

func apart(a, b []float64) float64 {
	list := make([]float64, len(a))
	for i := range a {
		list[i] = math.Abs(a[i] - b[i])
	}
	return mean(list)
}
