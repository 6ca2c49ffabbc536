package query

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// The number of buckets of a histogram over time.
const (
	DefaultBuckets = 60
	MaxBuckets     = 200
)

// bucketWidths is the ladder that widths are taken from. Buckets begin at multiples of their width since 1970, so
// the same width has the same edges whatever range is asked for.
var bucketWidths = func() []time.Duration {
	var ladder []time.Duration
	for _, seconds := range []int{1, 2, 5, 10, 15, 30} {
		ladder = append(ladder, time.Duration(seconds)*time.Second)
	}
	for _, minutes := range []int{1, 2, 5, 10, 15, 30} {
		ladder = append(ladder, time.Duration(minutes)*time.Minute)
	}
	for _, hours := range []int{1, 2, 3, 6, 12} {
		ladder = append(ladder, time.Duration(hours)*time.Hour)
	}
	for days := 1; days <= 10_000; days *= 10 {
		for _, step := range []int{1, 2, 5} {
			ladder = append(ladder, time.Duration(days*step)*24*time.Hour)
		}
	}
	return append(ladder, 100_000*24*time.Hour) // nearly the longest duration there is
}()

// bucketWidth is the smallest width of the ladder with which so many buckets are as long as the range.
func bucketWidth(s span, buckets int) time.Duration {
	for _, width := range bucketWidths {
		// Durations end at 292 years, so the range is divided, not the width multiplied.
		if s.To.Sub(s.From)/time.Duration(buckets) <= width {
			return width
		}
	}
	return bucketWidths[len(bucketWidths)-1]
}

// HistogramRequest asks how many observations started when.
type HistogramRequest struct {
	RowFilter
	Buckets int // about how many, 1 to MaxBuckets
	Latency bool
}

// HistogramBucket is what started from Start on.
type HistogramBucket struct {
	Start  time.Time
	Total  uint64
	Levels map[model.Level]uint64 // unless latencies are asked for
	Bands  []uint64               // along tracestore.LatencyBands, if they are
}

// Histogram has every bucket of the range, empty ones included. Of a sampled one the first is that of Reach.Since:
// what lies before was not read.
type Histogram struct {
	tracestore.Reach
	Width   time.Duration
	Buckets []HistogramBucket
}

// Histogram counts observations over time. There is at most one bucket more than asked for, because a range may
// begin and end within one; two more for a range of centuries.
func (s *Service) Histogram(ctx context.Context, projectID string, req HistogramRequest) (Histogram, error) {
	if req.Buckets < 1 || req.Buckets > MaxBuckets {
		return Histogram{}, fault.Invalidf("buckets", "must be between 1 and %d, got %d", MaxBuckets, req.Buckets)
	}
	where, err := req.where()
	if err != nil {
		return Histogram{}, err
	}
	asked := spanOf(where)
	if err := asked.bounded(); err != nil {
		return Histogram{}, err
	}
	width := bucketWidth(asked, req.Buckets)
	timeline, err := s.store.Timeline(ctx, tracestore.TimelineQuery{ProjectID: projectID, Where: where, Width: width, Latency: req.Latency, MaxRows: MaxFacetRows})
	if err != nil {
		return Histogram{}, readFault(fmt.Errorf("read a histogram of project %s: %w", projectID, err), shorterRange)
	}
	if timeline.Sampled && timeline.Since.After(asked.From) {
		asked.From = timeline.Since
	}
	return Histogram{Reach: timeline.Reach, Width: width, Buckets: filledBuckets(asked, width, timeline.Cells, req.Latency)}, nil
}

// filledBuckets puts cells into all buckets of a range.
func filledBuckets(s span, width time.Duration, cells []tracestore.TimelineCell, latency bool) []HistogramBucket {
	var buckets []HistogramBucket
	place := map[int64]int{}
	for at := startOfBucket(s.From, width); at.Before(s.To); at = at.Add(width) {
		bucket := HistogramBucket{Start: at, Levels: map[model.Level]uint64{}}
		if latency {
			bucket.Levels, bucket.Bands = nil, make([]uint64, len(tracestore.LatencyBands))
		}
		place[at.Unix()] = len(buckets)
		buckets = append(buckets, bucket)
	}
	for _, cell := range cells {
		i, ok := place[cell.Start.Unix()]
		if !ok {
			continue
		}
		buckets[i].Total += cell.Count
		if latency {
			buckets[i].Bands[slices.Index(tracestore.LatencyBands, cell.Band)] += cell.Count
			continue
		}
		buckets[i].Levels[model.Level(cell.Level)] += cell.Count
	}
	return buckets
}

func startOfBucket(at time.Time, width time.Duration) time.Time {
	seconds, each := at.Unix(), int64(width/time.Second)
	return time.Unix(seconds-((seconds%each)+each)%each, 0).UTC()
}
