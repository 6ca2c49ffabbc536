package tracestoretest

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// memoryRun is a run with whole texts.
type memoryRun struct {
	item string
	tracestore.ItemRun
}

// itemRuns returns the newest run of every item, by experiment in the order of the query.
func (m *Memory) itemRuns(ctx context.Context, q tracestore.Compared) ([]memoryRun, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("compare experiments: %w", err)
	}
	rows := m.experimentRows(q.ProjectID, q.Window)
	var runs []memoryRun
	for _, id := range q.IDs {
		seen := map[string]bool{}
		for _, o := range rows { // newest first
			if x := o.Experiment; x.ID != id || !tracestore.IsExperimentItem(o) || seen[x.ItemID] {
				continue
			}
			seen[o.Experiment.ItemID] = true
			run := memoryRun{o.Experiment.ItemID, tracestore.ItemRun{
				ExperimentID: id, TraceID: o.TraceID, ID: o.ID, StartTime: o.StartTime, EndTime: o.EndTime, Level: o.Level, Cost: costOf(rows, o),
				Input: o.Input, Output: o.Output, Expected: o.Experiment.ItemExpectedOutput,
			}}
			var err error
			if run.Figures, err = m.figures(ctx, q.ProjectID, &run.ItemRun); err != nil {
				return nil, err
			}
			runs = append(runs, run)
		}
	}
	return runs, nil
}

// costOf sums what the rows of a run cost.
func costOf(rows []*model.Observation, root *model.Observation) (sum decimal.NullDecimal) {
	for _, o := range rows {
		ofRun := o.TraceID == root.TraceID && o.Experiment.ID == root.Experiment.ID && o.Experiment.ItemID == root.Experiment.ItemID
		if cost := o.Costs().Total; ofRun && cost.Valid {
			sum = decimal.NewNullDecimal(sum.Decimal.Add(cost.Decimal))
		}
	}
	return sum
}

// figures returns those of a run: its cost, its latency and its newest scores.
func (m *Memory) figures(ctx context.Context, projectID string, run *tracestore.ItemRun) ([]tracestore.FigureValue, error) {
	var list []tracestore.FigureValue
	if run.Cost.Valid {
		list = append(list, numericFigure(tracestore.CostFigure, run.Cost.Decimal.InexactFloat64()))
	}
	if !run.EndTime.IsZero() {
		list = append(list, numericFigure(tracestore.LatencyFigure, run.EndTime.Sub(run.StartTime).Seconds()))
	}
	subjects := []tracestore.ScoreSubject{{TraceID: run.TraceID}, {TraceID: run.TraceID, ObservationID: run.ID}}
	scores, err := m.NewestScores(ctx, projectID, subjects, everything)
	if err != nil {
		return nil, err
	}
	seen := map[tracestore.Figure]bool{}
	for _, s := range scores {
		v := tracestore.FigureValue{Figure: tracestore.Figure{Kind: tracestore.ScoreFigure, Name: s.Name, Type: s.Type}, Number: s.Number}
		if s.Type == model.Categorical {
			v.Number, v.Text = 0, s.Text
		}
		if s.Type != model.TextScore && !seen[v.Figure] {
			seen[v.Figure] = true
			list = append(list, v)
		}
	}
	slices.SortFunc(list, func(a, b tracestore.FigureValue) int { return byFigure(a.Figure, b.Figure) })
	return list, nil
}

func numericFigure(kind tracestore.FigureKind, number float64) tracestore.FigureValue {
	return tracestore.FigureValue{Figure: tracestore.Figure{Kind: kind, Name: string(kind), Type: model.Numeric}, Number: number}
}

func byFigure(a, b tracestore.Figure) int {
	return cmp.Or(strings.Compare(string(a.Kind), string(b.Kind)), strings.Compare(a.Name, b.Name), strings.Compare(string(a.Type), string(b.Type)))
}

// valueOf returns the value of a figure among those of a run.
func valueOf(values []tracestore.FigureValue, f tracestore.Figure) (tracestore.FigureValue, bool) {
	i := slices.IndexFunc(values, func(v tracestore.FigureValue) bool { return v.Figure == f })
	if i < 0 {
		return tracestore.FigureValue{}, false
	}
	return values[i], true
}

// CompareExperiments sums up run by run.
func (m *Memory) CompareExperiments(ctx context.Context, q tracestore.Compared) ([]tracestore.FigureSummary, error) {
	runs, err := m.itemRuns(ctx, q)
	if err != nil {
		return nil, err
	}
	baseline := map[string][]tracestore.FigureValue{}
	var all []tracestore.Figure
	for _, run := range runs {
		if run.ExperimentID == q.IDs[0] {
			baseline[run.item] = run.Figures
		}
		for _, v := range run.Figures {
			all = append(all, v.Figure)
		}
	}
	slices.SortFunc(all, byFigure)
	all = slices.Compact(all)
	var list []tracestore.FigureSummary
	for _, figure := range all[:min(len(all), tracestore.MaxFigures)] {
		for _, id := range q.IDs {
			ofExperiment := slices.DeleteFunc(slices.Clone(runs), func(r memoryRun) bool { return r.ExperimentID != id })
			if s := summaryOf(figure, ofExperiment, baseline); s.Count > 0 {
				s.ExperimentID = id
				list = append(list, s)
			}
		}
	}
	return list, nil
}

// summaryOf sums up one figure of the runs of one experiment.
func summaryOf(figure tracestore.Figure, runs []memoryRun, baseline map[string][]tracestore.FigureValue) tracestore.FigureSummary {
	s := tracestore.FigureSummary{Figure: figure}
	var differences []float64
	for _, run := range runs {
		v, ok := valueOf(run.Figures, figure)
		if !ok {
			continue
		}
		s.Count++
		s.Mean += v.Number
		s.Values = countValue(s.Values, v)
		base, ok := valueOf(baseline[run.item], figure)
		if !ok {
			continue
		}
		s.Paired++
		delta, sign := v.Change(base)
		differences = append(differences, delta)
		switch {
		case sign > 0:
			s.Rose++
		case sign < 0:
			s.Fell++
		default:
			s.Stayed++
		}
	}
	if s.Count > 0 {
		s.Mean /= float64(s.Count)
	}
	s.Delta, s.Deviation = meanAndDeviation(differences)
	slices.SortFunc(s.Values, func(a, b tracestore.ValueCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Value, b.Value))
	})
	s.Values = s.Values[:min(len(s.Values), tracestore.MaxFigureValues)]
	return s
}

func countValue(counts []tracestore.ValueCount, v tracestore.FigureValue) []tracestore.ValueCount {
	if v.Ordered() {
		return counts
	}
	for i := range counts {
		if counts[i].Value == v.Text {
			counts[i].Count++
			return counts
		}
	}
	return append(counts, tracestore.ValueCount{Value: v.Text, Count: 1})
}

func meanAndDeviation(values []float64) (mean, deviation float64) {
	for _, v := range values {
		mean += v / float64(len(values))
	}
	if len(values) < 2 {
		return mean, 0
	}
	for _, v := range values {
		deviation += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(deviation / float64(len(values)-1))
}

// ComparedItems looks at every item.
func (m *Memory) ComparedItems(ctx context.Context, q tracestore.ComparedItemQuery) (tracestore.ComparedItems, error) {
	runs, err := m.itemRuns(ctx, q.Compared)
	if err != nil {
		return tracestore.ComparedItems{}, err
	}
	byItem := map[string][]tracestore.ItemRun{}
	for _, run := range runs {
		byItem[run.item] = append(byItem[run.item], run.ItemRun)
	}
	var list []tracestore.ComparedItem
	for item, runs := range byItem {
		if i := (tracestore.ComparedItem{ItemID: item, Runs: runs}); isShown(q, i) {
			list = append(list, i)
		}
	}
	slices.SortFunc(list, func(a, b tracestore.ComparedItem) int { return itemsFirst(q, a, b) })
	page := tracestore.ComparedItems{Total: uint64(len(list))}
	page.List = list[min(q.Offset, len(list)):min(q.Offset+q.Limit, len(list))]
	for _, item := range page.List {
		for i := range item.Runs {
			r := &item.Runs[i]
			r.Cut = false
			for _, text := range []*string{&r.Input, &r.Output, &r.Expected} {
				var more bool
				*text, more = beginning(*text, q.Characters)
				r.Cut = r.Cut || more && q.Characters > 0
			}
		}
	}
	return page, nil
}

func isShown(q tracestore.ComparedItemQuery, item tracestore.ComparedItem) bool {
	became, paired := becameOf(q, item)
	has := func(text string) bool {
		return strings.Contains(filter.LowerASCII(text), filter.LowerASCII(q.Search))
	}
	found := has(item.ItemID) || slices.ContainsFunc(item.Runs, func(r tracestore.ItemRun) bool { return has(r.Input) || has(r.Output) || has(r.Expected) })
	return found && (q.ItemID == "" || q.ItemID == item.ItemID) && (!q.InBaseline || item.Runs[0].ExperimentID == q.IDs[0]) &&
		(!q.Regressed || paired && became < -tracestore.SameWithin)
}

// becameOf is the lowest change for the better.
func becameOf(q tracestore.ComparedItemQuery, item tracestore.ComparedItem) (lowest float64, paired bool) {
	if item.Runs[0].ExperimentID != q.IDs[0] {
		return 0, false
	}
	for _, run := range item.Runs[1:] {
		for _, v := range run.Figures {
			base, ok := valueOf(item.Runs[0].Figures, v.Figure)
			if !ok || v.Kind != tracestore.ScoreFigure || !v.Ordered() || q.Score != "" && v.Name != q.Score {
				continue
			}
			change, _ := v.Change(base)
			if q.Lower(v.Figure) {
				change = -change
			}
			if !paired || change < lowest {
				lowest, paired = change, true
			}
		}
	}
	return lowest, paired
}

func itemsFirst(q tracestore.ComparedItemQuery, a, b tracestore.ComparedItem) int {
	if q.WorstFirst {
		ofA, pairedA := becameOf(q, a)
		ofB, pairedB := becameOf(q, b)
		if pairedA != pairedB {
			return falseLast(pairedA)
		}
		if ofA != ofB {
			return cmp.Compare(ofA, ofB)
		}
	}
	inA, inB := a.Runs[0].ExperimentID == q.IDs[0], b.Runs[0].ExperimentID == q.IDs[0]
	if inA != inB {
		return falseLast(inA)
	}
	return cmp.Or(firstStart(a, inA).Compare(firstStart(b, inB)), strings.Compare(a.ItemID, b.ItemID))
}

// falseLast orders two that differ in what the first one has.
func falseLast(first bool) int {
	if first {
		return -1
	}
	return 1
}

// firstStart is when the baseline's run started, or the first of all when it has none.
func firstStart(item tracestore.ComparedItem, inBaseline bool) time.Time {
	first := item.Runs[0].StartTime
	for _, run := range item.Runs[1:] {
		if !inBaseline && run.StartTime.Before(first) {
			first = run.StartTime
		}
	}
	return first
}
