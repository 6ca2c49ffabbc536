package query

import (
	"context"
	"fmt"
	"time"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/tracestore"
)

// The bounds of daily metrics: as many days as stored times can have, and models on the days of a page.
const (
	maxDays      = 150_000
	maxDayModels = 10_000
)

// Day is what happened on one day, in UTC. A trace is of the day it started on, an observation of its own.
type Day struct {
	Date         time.Time
	Traces       decimal.Decimal
	Observations decimal.Decimal
	TotalCost    decimal.Decimal
	Models       []DayModel
}

// DayModel is the share of one model, or of observations without any.
type DayModel struct {
	Model                           string // empty: none
	Input, Output, Total            decimal.Decimal
	Observations, Traces, TotalCost decimal.Decimal
}

// DailyRequest asks for a page of days, newest first.
type DailyRequest struct {
	From, To time.Time // zero: no bound; To is exclusive
	Where    []filter.Condition
	Number   PageNumber
}

// Daily returns a page of the days that have observations and how many there are.
func (s *Service) Daily(ctx context.Context, projectID string, req DailyRequest) ([]Day, uint64, error) {
	q := tracestore.MetricsQuery{
		ProjectID: projectID, View: tracestore.ObservationsView, From: earliest, To: latest, Bucket: tracestore.Day,
		Where: append(req.Where, notTheTrace), Order: []tracestore.MetricsOrder{{Desc: true}}, Bins: DefaultBins, Limit: maxDays,
		Metrics: []tracestore.Metric{{Measure: tracestore.Count, Aggregation: tracestore.CountOf}, {Measure: tracestore.TotalCost, Aggregation: tracestore.Sum}},
	}
	if !req.From.IsZero() {
		q.From = bound(req.From)
	}
	if !req.To.IsZero() {
		q.To = bound(req.To).Add(-time.Millisecond) // times have milliseconds
	}
	rows, err := s.store.Metrics(ctx, q)
	if err != nil {
		return nil, 0, dailyFault(projectID, err)
	}
	skipped, ok := req.Number.skipped(uint64(len(rows)))
	if !ok {
		return nil, uint64(len(rows)), nil
	}
	total := uint64(len(rows))
	rows = rows[skipped:min(skipped+req.Number.Limit, len(rows))]
	days := make([]Day, len(rows))
	for i, row := range rows {
		days[i] = Day{Date: row.Bucket, Observations: amountOf(row.Metrics[0]), TotalCost: amountOf(row.Metrics[1])}
	}
	// The rest only of the days of the page.
	if first := days[len(days)-1].Date; first.After(q.From) {
		q.From = first
	}
	if last := days[0].Date.AddDate(0, 0, 1).Add(-time.Millisecond); last.Before(q.To) {
		q.To = last
	}
	return days, total, s.addToDays(ctx, q, req.Where, days)
}

func dailyFault(projectID string, err error) error {
	return readFault(fmt.Errorf("read daily metrics of project %s: %w", projectID, err), "set fromTimestamp and toTimestamp to a shorter range")
}

// addToDays adds models and traces.
func (s *Service) addToDays(ctx context.Context, q tracestore.MetricsQuery, where []filter.Condition, days []Day) error {
	byDate := make(map[time.Time]*Day, len(days))
	for i := range days {
		byDate[days[i].Date] = &days[i]
	}
	q.Limit, q.Dimensions = maxDayModels, []filter.Column{filter.Model}
	q.Metrics = []tracestore.Metric{
		{Measure: tracestore.InputTokens, Aggregation: tracestore.Sum},
		{Measure: tracestore.OutputTokens, Aggregation: tracestore.Sum},
		{Measure: tracestore.TotalTokens, Aggregation: tracestore.Sum},
		{Measure: tracestore.Count, Aggregation: tracestore.CountOf},
		{Measure: tracestore.TraceIDs, Aggregation: tracestore.Uniq},
		{Measure: tracestore.TotalCost, Aggregation: tracestore.Sum},
	}
	rows, err := s.store.Metrics(ctx, q)
	if err != nil {
		return dailyFault(q.ProjectID, err)
	}
	for _, row := range rows {
		name, _ := row.Dimensions[0].(string)
		if day := byDate[row.Bucket]; day != nil {
			day.Models = append(day.Models, DayModel{
				Model: name, Input: amountOf(row.Metrics[0]), Output: amountOf(row.Metrics[1]), Total: amountOf(row.Metrics[2]),
				Observations: amountOf(row.Metrics[3]), Traces: amountOf(row.Metrics[4]), TotalCost: amountOf(row.Metrics[5]),
			})
		}
	}
	q.View, q.Dimensions, q.Limit, q.Where = tracestore.TracesView, nil, maxDays, where
	q.Metrics = []tracestore.Metric{{Measure: tracestore.Count, Aggregation: tracestore.CountOf}}
	if rows, err = s.store.Metrics(ctx, q); err != nil {
		return dailyFault(q.ProjectID, err)
	}
	for _, row := range rows {
		if day := byDate[row.Bucket]; day != nil {
			day.Traces = amountOf(row.Metrics[0])
		}
	}
	return nil
}

func amountOf(value any) decimal.Decimal {
	amount, _ := value.(decimal.Decimal)
	return amount
}
