package tracestoretest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// Timeline puts every row into its cell.
func (m *Memory) Timeline(ctx context.Context, q tracestore.TimelineQuery) (tracestore.Timeline, error) {
	if err := ctx.Err(); err != nil {
		return tracestore.Timeline{}, fmt.Errorf("read a timeline: %w", err)
	}
	rows, reach, err := m.reached(q.ProjectID, q.Where, q.MaxRows)
	if err != nil {
		return tracestore.Timeline{}, err
	}
	timeline, cells := tracestore.Timeline{Reach: reach}, map[tracestore.TimelineCell]uint64{}
	timeline.Rows = 0
	for _, o := range rows {
		micros, width := o.StartTime.UnixMicro(), q.Width.Microseconds()
		start := micros - ((micros%width)+width)%width
		cell := tracestore.TimelineCell{Start: time.UnixMicro(start).UTC(), Level: string(o.Level)}
		if q.Latency {
			latency, ended := (subject{o: o}).measure(tracestore.Latency).(decimal.Decimal)
			if !ended {
				continue
			}
			cell.Level = ""
			for _, from := range tracestore.LatencyBands {
				if latency.IntPart() >= from {
					cell.Band = from
				}
			}
		}
		timeline.Rows++
		cells[cell]++
	}
	for cell, count := range cells {
		cell.Count = count
		timeline.Cells = append(timeline.Cells, cell)
	}
	slices.SortFunc(timeline.Cells, func(a, b tracestore.TimelineCell) int {
		return cmp.Or(a.Start.Compare(b.Start), strings.Compare(a.Level, b.Level), cmp.Compare(a.Band, b.Band))
	})
	return timeline, nil
}

// Effects counts anew without each condition.
func (m *Memory) Effects(ctx context.Context, q tracestore.EffectQuery) (tracestore.Effects, error) {
	if err := ctx.Err(); err != nil {
		return tracestore.Effects{}, fmt.Errorf("count what conditions take away: %w", err)
	}
	rows, reach, err := m.reached(q.ProjectID, q.Where, q.MaxRows)
	if err != nil {
		return tracestore.Effects{}, err
	}
	effects := tracestore.Effects{Reach: reach, Without: make([]uint64, len(q.Each))}
	if effects.Rows, err = countMeeting(rows, q.Each); err != nil {
		return effects, err
	}
	for i := range q.Each {
		if effects.Without[i], err = countMeeting(rows, slices.Delete(slices.Clone(q.Each), i, i+1)); err != nil {
			return effects, err
		}
	}
	return effects, nil
}

func countMeeting(rows []*model.Observation, where []filter.Condition) (n uint64, err error) {
	for _, o := range rows {
		ok, err := meetsAll(o, where)
		if err != nil {
			return 0, err
		}
		if ok {
			n++
		}
	}
	return n, nil
}

// Compare counts the values of selected rows and of the rest.
func (m *Memory) Compare(ctx context.Context, q tracestore.CompareQuery) (tracestore.Comparison, error) {
	if err := ctx.Err(); err != nil {
		return tracestore.Comparison{}, fmt.Errorf("compare: %w", err)
	}
	rows, reach, err := m.reached(q.ProjectID, q.Where, q.MaxRows)
	if err != nil || len(rows) == 0 {
		return tracestore.Comparison{}, err
	}
	result := tracestore.Comparison{Reach: reach}
	if result.Selected, err = countMeeting(rows, q.Selection); err != nil {
		return result, err
	}
	var keys []filter.Column
	for _, field := range q.Fields {
		values := m.comparedValues(rows, q, field, result)
		for _, v := range values[:min(len(values), max(q.Values, q.Keys))] {
			if field == tracestore.MetadataKeys && v.Value != "" && len(keys) < q.Keys {
				keys = append(keys, tracestore.MetadataField(v.Value))
			}
		}
		result.Fields = append(result.Fields, tracestore.ComparedField{Field: field, Values: values[:min(len(values), q.Values)]})
	}
	for _, field := range keys {
		values := m.comparedValues(rows, q, field, result)
		result.Fields = append(result.Fields, tracestore.ComparedField{Field: field, Values: values[:min(len(values), q.Values)]})
	}
	return result, nil
}

// comparedValues are all values of a field, those that differ most first.
func (m *Memory) comparedValues(rows []*model.Observation, q tracestore.CompareQuery, field filter.Column, of tracestore.Comparison) []tracestore.ComparedValue {
	counts := map[string]*tracestore.ComparedValue{}
	for _, o := range rows {
		selected, _ := meetsAll(o, q.Selection) // an error was one when they were counted
		for _, value := range m.facetValues(o, field, q.Where) {
			if counts[value] == nil {
				counts[value] = &tracestore.ComparedValue{Value: value}
			}
			if selected {
				counts[value].Selected++
			} else {
				counts[value].Rest++
			}
		}
	}
	var values []tracestore.ComparedValue
	for _, v := range counts {
		values = append(values, *v)
	}
	difference := func(v tracestore.ComparedValue) int64 {
		d := int64(v.Selected)*int64(of.Rows-of.Selected) - int64(v.Rest)*int64(of.Selected)
		return max(d, -d)
	}
	slices.SortFunc(values, func(a, b tracestore.ComparedValue) int {
		return cmp.Or(cmp.Compare(difference(b), difference(a)), cmp.Compare(b.Selected+b.Rest, a.Selected+a.Rest), strings.Compare(a.Value, b.Value))
	})
	return values
}
