package query

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// The bounds of score analytics.
const (
	DefaultScoreKinds   = 200
	MaxScoreKinds       = 500
	DefaultScoreBuckets = 30
	// maxScoreBands is about how many bands numbers are divided into.
	maxScoreBands = 20
	// maxCategories is how many categories a choice may have.
	maxCategories = 50
)

// ScoreRange is the time that scores are looked at.
type ScoreRange struct{ From, To time.Time }

func (r ScoreRange) where(text, field string) ([]filter.Condition, error) {
	conditions, err := filter.ParseField(text, field, filter.Scores)
	return within(append(conditions,
		filter.Time{Column: filter.Timestamp, Op: filter.AtLeast, At: r.From}, filter.Time{Column: filter.Timestamp, Op: filter.Below, At: r.To})), err
}

// ScoreKinds lists which scores a project has in a range of time.
func (s *Service) ScoreKinds(ctx context.Context, projectID string, r ScoreRange, text string, limit int) ([]tracestore.ScoreKind, error) {
	if limit < 1 || limit > MaxScoreKinds {
		return nil, fault.Invalidf("limit", "must be between 1 and %d, got %d", MaxScoreKinds, limit)
	}
	where, err := r.where(text, "filter")
	if err != nil {
		return nil, err
	}
	kinds, err := s.store.ScoreKinds(ctx, projectID, where, limit)
	return kinds, scoreFault(projectID, err)
}

func scoreFault(projectID string, err error) error {
	if err == nil {
		return nil
	}
	return readFault(fmt.Errorf("look at scores of project %s: %w", projectID, err), "set fromTimestamp and toTimestamp to a shorter range")
}

// AnalyticsRequest asks for the figures of one or two choices of scores.
type AnalyticsRequest struct {
	Range   ScoreRange
	A, B    string // conditions, as in the filter parameter; B empty: one choice
	Buckets int    // about how many, 1 to MaxBuckets
}

// ScoreBand is one entry of a distribution: a band of numbers, or a value.
type ScoreBand struct {
	Label    string
	From, To *float64
	Count    uint64
}

// ScoreBucket is what was given in a bucket of time.
type ScoreBucket struct {
	Start  time.Time
	Count  uint64
	Mean   *float64
	Counts []uint64 // by entry of the distribution
}

// ScoreSide is what one choice of scores looks like. Without scores its type is empty.
type ScoreSide struct {
	Type                   model.ScoreType
	Count                  uint64
	Mean, Median, Min, Max *float64
	Distribution           []ScoreBand
	Trend                  []ScoreBucket
}

// Analytics is the answer to an AnalyticsRequest.
type Analytics struct {
	A         ScoreSide
	B         *ScoreSide
	Agreement *Agreement
	Width     time.Duration
}

// scoreChoice is one side of a request on its way.
type scoreChoice struct {
	where []filter.Condition
	bands tracestore.ScoreBands
	sum   tracestore.ScoreSum
}

// ScoreAnalytics looks at one or two choices of scores.
func (s *Service) ScoreAnalytics(ctx context.Context, projectID string, req AnalyticsRequest) (Analytics, error) {
	if req.Buckets < 1 || req.Buckets > MaxBuckets {
		return Analytics{}, fault.Invalidf("buckets", "must be between 1 and %d, got %d", MaxBuckets, req.Buckets)
	}
	asked := span{bound(req.Range.From), bound(req.Range.To)}
	if !asked.From.Before(asked.To) {
		return Analytics{}, fault.Invalidf("toTimestamp", "must be after fromTimestamp")
	}
	answer := Analytics{Width: bucketWidth(asked, req.Buckets)}
	a, err := s.choose(ctx, projectID, req.Range, "a", req.A)
	if err != nil {
		return answer, err
	}
	if answer.A, err = s.scoreSide(ctx, projectID, asked, "a", a, answer.Width); err != nil || req.B == "" {
		return answer, err
	}
	b, err := s.choose(ctx, projectID, req.Range, "b", req.B)
	if err != nil {
		return answer, err
	}
	side, err := s.scoreSide(ctx, projectID, asked, "b", b, answer.Width)
	if answer.B = &side; err != nil || answer.A.Count == 0 || side.Count == 0 {
		return answer, err
	}
	pairs, err := s.store.ScorePairs(ctx, tracestore.ScorePairQuery{ProjectID: projectID, A: a.where, B: b.where, BandsA: a.bands, BandsB: b.bands})
	if err != nil {
		return answer, scoreFault(projectID, err)
	}
	agreement := agreementOf(pairs, a.bands, b.bands)
	answer.Agreement = &agreement
	return answer, nil
}

// choose finds out what a choice of scores is. Those of several data types have nothing in common.
func (s *Service) choose(ctx context.Context, projectID string, r ScoreRange, field, text string) (c scoreChoice, err error) {
	if c.where, err = r.where(text, field); err != nil {
		return c, err
	}
	sums, err := s.store.ScoreSums(ctx, projectID, c.where)
	if err != nil {
		return c, scoreFault(projectID, err)
	}
	if len(sums) > 1 {
		return c, fault.Invalidf(field, "must choose scores of one data type, but there are %s and %s; add a condition on dataType", sums[0].Type, sums[1].Type)
	}
	if len(sums) == 0 {
		return c, nil
	}
	c.sum = sums[0]
	if !slices.Contains([]model.ScoreType{model.Numeric, model.Boolean, model.Categorical}, c.sum.Type) {
		return c, fault.Invalidf(field, "must choose NUMERIC, BOOLEAN or CATEGORICAL scores; %s is text", c.sum.Type)
	}
	c.bands = bandsOf(c.sum)
	return c, nil
}

// bandsOf divides numbers into bands that begin at multiples of a round width.
func bandsOf(sum tracestore.ScoreSum) tracestore.ScoreBands {
	if sum.Type != model.Numeric {
		return tracestore.ScoreBands{Type: sum.Type}
	}
	step := roundStep((sum.Max - sum.Min) / maxScoreBands)
	low := math.Floor(sum.Min/step) * step
	count := int(min(2*maxScoreBands, math.Floor((sum.Max-low)/step)+1))
	return tracestore.ScoreBands{Type: sum.Type, Low: low, Step: step, Count: max(1, count)}
}

// roundStep is the smallest of 1, 2, 5, 10, ... times a power of ten that is not below the given width.
func roundStep(width float64) float64 {
	if width <= 0 || math.IsInf(width, 0) {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(width)))
	for _, factor := range []float64{1, 2, 5} {
		if factor*power >= width {
			return factor * power
		}
	}
	return 10 * power
}

// scoreSide reads the cells of a choice and adds them up by value and by time.
func (s *Service) scoreSide(ctx context.Context, projectID string, asked span, field string, c scoreChoice, width time.Duration) (ScoreSide, error) {
	side := ScoreSide{Type: c.sum.Type, Count: c.sum.Count}
	if side.Count == 0 {
		return side, nil
	}
	if side.Type != model.Categorical {
		side.Mean, side.Median, side.Min, side.Max = &c.sum.Mean, &c.sum.Median, &c.sum.Min, &c.sum.Max
	}
	cells, err := s.store.ScoreCells(ctx, tracestore.ScoreCellQuery{ProjectID: projectID, Where: c.where, Bands: c.bands, Width: width})
	if err != nil {
		return side, scoreFault(projectID, err)
	}
	place := side.distribute(c.bands, cells)
	if len(side.Distribution) > maxCategories && side.Type == model.Categorical {
		return side, fault.Invalidf(field, "chooses scores with %d categories; at most %d can be looked at", len(side.Distribution), maxCategories)
	}
	side.addTrend(asked, width, cells, place)
	return side, nil
}

// distribute adds cells up by value. It returns where in the distribution a cell counts.
func (s *ScoreSide) distribute(bands tracestore.ScoreBands, cells []tracestore.ScoreCell) func(tracestore.ScoreCell) int {
	if s.Type == model.Numeric {
		for i := range bands.Count {
			from, to := bands.Low+float64(i)*bands.Step, bands.Low+float64(i+1)*bands.Step
			s.Distribution = append(s.Distribution, ScoreBand{Label: bandLabel(bands, i), From: &from, To: &to})
		}
		for _, cell := range cells {
			s.Distribution[cell.Band].Count += cell.Count
		}
		return func(cell tracestore.ScoreCell) int { return cell.Band }
	}
	counts := map[string]uint64{}
	for _, cell := range cells {
		counts[cell.Text] += cell.Count
	}
	for text, count := range counts {
		s.Distribution = append(s.Distribution, ScoreBand{Label: text, Count: count})
	}
	slices.SortFunc(s.Distribution, func(a, b ScoreBand) int { return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Label, b.Label)) })
	places := map[string]int{}
	for i, band := range s.Distribution {
		places[band.Label] = i
	}
	return func(cell tracestore.ScoreCell) int { return places[cell.Text] }
}

// bandLabel names a band by where it begins and ends, without the noise of floats.
func bandLabel(bands tracestore.ScoreBands, i int) string {
	number := func(k int) string {
		return strconv.FormatFloat(bands.Low+float64(k)*bands.Step, 'g', 12, 64)
	}
	return number(i) + " to " + number(i+1)
}

// addTrend puts cells into all buckets of a range.
func (s *ScoreSide) addTrend(asked span, width time.Duration, cells []tracestore.ScoreCell, place func(tracestore.ScoreCell) int) {
	sums, at := map[int64]float64{}, map[int64]int{}
	for start := startOfBucket(asked.From, width); start.Before(asked.To); start = start.Add(width) {
		at[start.Unix()] = len(s.Trend)
		s.Trend = append(s.Trend, ScoreBucket{Start: start, Counts: make([]uint64, len(s.Distribution))})
	}
	for _, cell := range cells {
		i, known := at[cell.Start.Unix()]
		if !known {
			continue
		}
		s.Trend[i].Count += cell.Count
		s.Trend[i].Counts[place(cell)] += cell.Count
		sums[cell.Start.Unix()] += cell.Sum
	}
	if s.Type == model.Categorical {
		return
	}
	for i, bucket := range s.Trend {
		if bucket.Count > 0 {
			mean := sums[bucket.Start.Unix()] / float64(bucket.Count)
			s.Trend[i].Mean = &mean
		}
	}
}
