package query

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// Agreement is how far two choices of scores go together. What is not defined, or has no meaning for their types, is nil.
type Agreement struct {
	Pairs, OnlyA, OnlyB uint64
	// Share of pairs that are equal, and the share that chance alone would give.
	Share, ExpectedShare *float64
	// Kappa is Cohen's; WeightedKappa weighs by the square of how far categories are apart.
	Kappa, WeightedKappa                 *float64
	Pearson, Spearman, MeanAbsoluteError *float64
	Matrix                               Matrix
}

// Matrix counts pairs by their values: Counts[i][j] have A[i] and B[j].
type Matrix struct {
	A, B   []string
	Counts [][]uint64
}

func agreementOf(pairs tracestore.ScorePairs, a, b tracestore.ScoreBands) Agreement {
	var both []tracestore.PairCell
	var answer Agreement
	for _, cell := range pairs.Cells {
		switch {
		case cell.HasA && cell.HasB:
			answer.Pairs += cell.Count
			both = append(both, cell)
		case cell.HasA:
			answer.OnlyA += cell.Count
		default:
			answer.OnlyB += cell.Count
		}
	}
	answer.Pearson, answer.Spearman, answer.MeanAbsoluteError = defined(pairs.Pearson), defined(pairs.Spearman), defined(pairs.MeanAbsoluteError)
	if a.Type != b.Type || a.Type == model.Numeric {
		answer.Matrix = matrixOf(both, axisOf(both, a, sideA), axisOf(both, b, sideB), a, b)
		return answer
	}
	labels, ordered := categories(both)
	answer.Matrix = matrixOf(both, labels, labels, a, b)
	share, expected := shares(answer.Matrix.Counts)
	answer.Share, answer.ExpectedShare, answer.Kappa = defined(share), defined(expected), defined(kappa(answer.Matrix.Counts, apartAtAll))
	if ordered && a.Type == model.Categorical && len(labels) > 2 {
		answer.WeightedKappa = defined(kappa(answer.Matrix.Counts, apartSquared))
	}
	return answer
}

func defined(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

func sideA(c tracestore.PairCell) tracestore.PairSide { return c.A }
func sideB(c tracestore.PairCell) tracestore.PairSide { return c.B }

// axisOf lists the values of one side: all bands of numbers, or the texts there are.
func axisOf(cells []tracestore.PairCell, bands tracestore.ScoreBands, side func(tracestore.PairCell) tracestore.PairSide) []string {
	var labels []string
	if bands.Type == model.Numeric {
		for i := range bands.Count {
			labels = append(labels, bandLabel(bands, i))
		}
		return labels
	}
	for _, cell := range cells {
		labels = append(labels, side(cell).Text)
	}
	slices.Sort(labels)
	return slices.Compact(labels)
}

// categories lists the texts of both sides, by their numbers when no two have the same and each always has one, which
// are those of a config then. Otherwise they are in the order of texts.
func categories(cells []tracestore.PairCell) (labels []string, ordered bool) {
	numbers, byNumber := map[string]float64{}, map[float64]string{}
	ordered = true
	for _, cell := range cells {
		for _, side := range []tracestore.PairSide{cell.A, cell.B} {
			number, known := numbers[side.Text]
			other, taken := byNumber[side.Number]
			if known && number != side.Number || taken && other != side.Text {
				ordered = false
			}
			numbers[side.Text], byNumber[side.Number] = side.Number, side.Text
		}
	}
	labels = slices.Sorted(maps.Keys(numbers))
	if ordered {
		slices.SortFunc(labels, func(a, b string) int { return cmp.Compare(numbers[a], numbers[b]) })
	}
	return labels, ordered
}

func matrixOf(cells []tracestore.PairCell, a, b []string, bandsA, bandsB tracestore.ScoreBands) Matrix {
	m := Matrix{A: a, B: b, Counts: make([][]uint64, len(a))}
	for i := range m.Counts {
		m.Counts[i] = make([]uint64, len(b))
	}
	place := func(axis []string, bands tracestore.ScoreBands, side tracestore.PairSide) int {
		if bands.Type == model.Numeric {
			return side.Band
		}
		return slices.Index(axis, side.Text)
	}
	for _, cell := range cells {
		m.Counts[place(a, bandsA, cell.A)][place(b, bandsB, cell.B)] += cell.Count
	}
	return m
}

// apart is how much a pair of categories disagrees, by their places in the order.
type apart func(i, j int) float64

func apartAtAll(i, j int) float64 {
	if i == j {
		return 0
	}
	return 1
}

func apartSquared(i, j int) float64 { return float64((i - j) * (i - j)) }

// margins are the sums of rows and columns of a square matrix, and of all.
func margins(counts [][]uint64) (rows, columns []float64, all float64) {
	rows, columns = make([]float64, len(counts)), make([]float64, len(counts))
	for i, row := range counts {
		for j, n := range row {
			rows[i] += float64(n)
			columns[j] += float64(n)
			all += float64(n)
		}
	}
	return rows, columns, all
}

// kappa is Cohen's: 1 less the disagreement there is, by the disagreement that chance would give. NaN when chance
// gives none.
func kappa(counts [][]uint64, weight apart) float64 {
	rows, columns, all := margins(counts)
	var observed, expected float64
	for i, row := range counts {
		for j, n := range row {
			observed += weight(i, j) * float64(n)
			expected += weight(i, j) * rows[i] * columns[j] / all
		}
	}
	return 1 - observed/expected
}

// shares are those of equal pairs: that there is, and that chance would give.
func shares(counts [][]uint64) (observed, expected float64) {
	rows, columns, all := margins(counts)
	for i := range counts {
		observed += float64(counts[i][i]) / all
		expected += rows[i] / all * columns[i] / all
	}
	return observed, expected
}
