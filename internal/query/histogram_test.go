package query_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/query"
	"github.com/sondehq/sonde/internal/tracestore"
	"github.com/sondehq/sonde/internal/tracestore/tracestoretest"
)

func histogramOf(t *testing.T, store query.Store, from, to time.Time, buckets int) query.Histogram {
	t.Helper()
	histogram, err := query.New(store).Histogram(t.Context(), "p", query.HistogramRequest{Buckets: buckets, RowFilter: query.RowFilter{Fixed: []filter.Condition{
		filter.Time{Column: filter.StartTime, Op: filter.AtLeast, At: from}, filter.Time{Column: filter.StartTime, Op: filter.Below, At: to},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	return histogram
}

// Buckets cover the range without gaps, are about as many as asked for, and have the edges that a range of the same
// length a little later has.
func TestHistogramBuckets(t *testing.T) {
	t.Parallel()
	from := time.Date(2026, 5, 1, 9, 17, 23, 456e6, time.UTC)
	for _, length := range []time.Duration{
		time.Millisecond, time.Second, 15 * time.Minute, time.Hour, 24 * time.Hour, 7 * 24 * time.Hour, 30 * 24 * time.Hour, 400 * 24 * time.Hour, 80 * 365 * 24 * time.Hour,
	} {
		for _, buckets := range []int{1, 7, 60, 200} {
			t.Run(fmt.Sprint(length, " in ", buckets), func(t *testing.T) {
				t.Parallel()
				got := histogramOf(t, &tracestoretest.Memory{}, from, from.Add(length), buckets)
				n := len(got.Buckets)
				if n < 1 || n > buckets+1 {
					t.Fatalf("%d buckets of %s, asked for %d", n, got.Width, buckets)
				}
				if first, end := got.Buckets[0].Start, got.Buckets[n-1].Start.Add(got.Width); first.After(from) || end.Before(from.Add(length)) {
					t.Errorf("buckets from %s to %s leave something out", first, end)
				}
				for i := 1; i < n; i++ {
					if got.Buckets[i].Start.Sub(got.Buckets[i-1].Start) != got.Width {
						t.Errorf("bucket %d is not beside its neighbor", i)
					}
				}
				later := histogramOf(t, &tracestoretest.Memory{}, from.Add(got.Width), from.Add(length+got.Width), buckets)
				if later.Width != got.Width || later.Buckets[0].Start != got.Buckets[0].Start.Add(got.Width) {
					t.Errorf("edges move with the range: %s, then %s", got.Buckets[0].Start, later.Buckets[0].Start)
				}
			})
		}
	}
}

// sampledStore says that it read the newest hour only.
type sampledStore struct{ tracestoretest.Memory }

var newestHour = time.Date(2026, 5, 1, 11, 0, 0, 0, time.UTC)

func (*sampledStore) reach() tracestore.Reach {
	return tracestore.Reach{Rows: 1, Sampled: true, Since: newestHour}
}

func (s *sampledStore) Timeline(ctx context.Context, q tracestore.TimelineQuery) (tracestore.Timeline, error) {
	timeline, err := s.Memory.Timeline(ctx, q)
	timeline.Reach = s.reach()
	return timeline, err
}

// What was not read is no empty bucket.
func TestSampledHistogram(t *testing.T) {
	t.Parallel()
	store := &sampledStore{}
	if err := store.Insert(t.Context(), []*model.Observation{
		{ProjectID: "p", TraceID: "t", ID: "a", StartTime: newestHour.Add(time.Minute), Level: model.Error, Version: 1},
	}); err != nil {
		t.Fatal(err)
	}
	got := histogramOf(t, store, newestHour.Add(-23*time.Hour), newestHour.Add(time.Hour), 24)
	if !got.Sampled || len(got.Buckets) != 1 || got.Buckets[0].Levels[model.Error] != 1 {
		t.Errorf("got %+v, want the last hour alone", got)
	}
}
