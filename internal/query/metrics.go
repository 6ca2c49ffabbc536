package query

import (
	"context"
	"fmt"
	"time"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/tracestore"
)

// MetricsAnswer is the rows of a metrics query with their keys.
type MetricsAnswer struct {
	Plan MetricsPlan
	Rows []tracestore.MetricsRow
}

// Metrics answers a metrics query of a project.
func (s *Service) Metrics(ctx context.Context, projectID, text string) (MetricsAnswer, error) {
	plan, err := ParseMetrics(text)
	if err != nil {
		return MetricsAnswer{}, err
	}
	return s.answerMetrics(ctx, projectID, plan)
}

// OldMetrics answers a query of the first metrics read, which knows traces, too.
func (s *Service) OldMetrics(ctx context.Context, projectID, text string) (MetricsAnswer, error) {
	plan, err := ParseOldMetrics(text)
	if err != nil {
		return MetricsAnswer{}, err
	}
	return s.answerMetrics(ctx, projectID, plan)
}

func (s *Service) answerMetrics(ctx context.Context, projectID string, plan MetricsPlan) (MetricsAnswer, error) {
	plan.Query.ProjectID = projectID
	rows, err := s.store.Metrics(ctx, plan.Query)
	if err != nil {
		return MetricsAnswer{}, readFault(fmt.Errorf("read metrics of project %s: %w", projectID, err),
			"set fromTimestamp and toTimestamp to a shorter range, or use fewer dimensions and percentiles")
	}
	if plan.Fill {
		rows = fill(plan.Query, rows)
	}
	return MetricsAnswer{Plan: plan, Rows: rows}, nil
}

// fill adds a row of zeros for every bucket of the window that has none, but for its last one, and cuts
// the answer again. Rows are in the order of their buckets.
func fill(q tracestore.MetricsQuery, rows []tracestore.MetricsRow) []tracestore.MetricsRow {
	var filled []tracestore.MetricsRow
	end := q.Bucket.Start(q.To)
	next := 0
	for at := q.Bucket.Start(q.From); at.Before(end) && len(filled) < q.Limit; at = q.Bucket.Next(at) {
		if next == len(rows) || rows[next].Bucket.After(at) {
			filled = append(filled, zeros(q, at))
		}
		for ; next < len(rows) && !rows[next].Bucket.After(at); next++ {
			filled = append(filled, rows[next])
		}
	}
	filled = append(filled, rows[next:]...)
	return filled[:min(len(filled), q.Limit)]
}

func zeros(q tracestore.MetricsQuery, at time.Time) tracestore.MetricsRow {
	row := tracestore.MetricsRow{Bucket: at, Dimensions: make([]any, len(q.Dimensions)), Metrics: make([]any, len(q.Metrics))}
	for i, m := range q.Metrics {
		row.Metrics[i] = decimal.Zero
		if m.Aggregation == tracestore.Histogram {
			row.Metrics[i] = []tracestore.Bin{}
		}
	}
	return row
}

// CheckMetrics refuses with fault.Invalid the text of a query that Metrics would not answer.
func CheckMetrics(text string) error {
	_, err := ParseMetrics(text)
	return err
}
