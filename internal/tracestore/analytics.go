package tracestore

import (
	"context"
	"math"
	"time"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
)

// ScoreKind is how many scores have one name, data type, source and author.
type ScoreKind struct {
	Name         string
	Type         model.ScoreType
	Source       model.ScoreSource
	AuthorUserID string
	Count        uint64
}

// ScoreSum is what scores of one data type have in common. Their numbers mean something for NUMERIC and BOOLEAN only.
type ScoreSum struct {
	Type                   model.ScoreType
	Count                  uint64
	Min, Max, Mean, Median float64
}

// ScoreBands divides scores by their value: NUMERIC ones into bands of equal width, others by their text.
type ScoreBands struct {
	Type      model.ScoreType
	Low, Step float64 // of NUMERIC: where the first band begins, and how wide each is
	Count     int     // of bands; the last one has everything above it, too
}

// BandOf is the band of a NUMERIC value: at the edges the rounding of 64-bit floats decides.
func (b ScoreBands) BandOf(value float64) int {
	return int(max(0, min(float64(b.Count-1), math.Floor((value-b.Low)/b.Step))))
}

// ScoreCell is how many scores of a bucket of time lie in one band, or have one text.
type ScoreCell struct {
	Start time.Time
	Band  int
	Text  string
	Count uint64
	Sum   float64 // of their numbers
}

// ScoreCellQuery asks for the cells of some scores.
type ScoreCellQuery struct {
	ProjectID string
	Where     []filter.Condition
	Bands     ScoreBands
	Width     time.Duration // of a bucket, in whole seconds; buckets begin at its multiples since 1970
}

// MaxScoreCells bounds the cells of one answer: more are ErrTooExpensive.
const MaxScoreCells = 20_000

// ScorePairQuery asks how two choices of scores go together on what they are about.
type ScorePairQuery struct {
	ProjectID      string
	A, B           []filter.Condition
	BandsA, BandsB ScoreBands
}

// PairSide is what a pair, or some pairs alike, have on one side.
type PairSide struct {
	Band   int
	Text   string
	Number float64 // the greatest of them
}

// PairCell is how many subjects have these values.
type PairCell struct {
	A, B       PairSide
	HasA, HasB bool
	Count      uint64
}

// ScorePairs is the answer: subjects by their values, and the correlation of the numbers of those that have both. Of
// fewer than two pairs, or when one side is constant, correlations are NaN; of none the error is, too.
type ScorePairs struct {
	Cells                                []PairCell // those of both first, then by values
	Pearson, Spearman, MeanAbsoluteError float64
}

// ScoreAnalytics looks at many scores at once. Scores whose number is not finite count nowhere. Conditions are those of
// ScoreQuery.
//
// Two scores are about the same when trace, observation, session and experiment are. Of several scores of one choice
// about the same the newest counts, by timestamp, then id.
type ScoreAnalytics interface {
	// ScoreKinds returns the most frequent kinds, those as frequent by name, type, source and author.
	ScoreKinds(ctx context.Context, projectID string, where []filter.Condition, limit int) ([]ScoreKind, error)
	// ScoreSums returns what there is, by data type.
	ScoreSums(ctx context.Context, projectID string, where []filter.Condition) ([]ScoreSum, error)
	// ScoreCells returns the cells that are not empty, by start, band and text.
	ScoreCells(ctx context.Context, q ScoreCellQuery) ([]ScoreCell, error)
	// ScorePairs compares. Ties have the mean of their ranks.
	ScorePairs(ctx context.Context, q ScorePairQuery) (ScorePairs, error)
}
