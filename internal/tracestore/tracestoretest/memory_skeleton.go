package tracestoretest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// Skeleton draws the tree by its definition.
func (m *Memory) Skeleton(ctx context.Context, projectID, traceID string) (*tracestore.Skeleton, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("read a trace: %w", err)
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	var all, rows []*model.Observation
	for _, o := range m.visible(projectID) {
		if o.TraceID != traceID {
			continue
		}
		if all = append(all, o); !o.StandsForTrace() {
			rows = append(rows, o)
		}
	}
	if len(all) == 0 {
		return nil, nil
	}
	slices.SortFunc(rows, func(a, b *model.Observation) int {
		return cmp.Or(a.StartTime.Compare(b.StartTime), strings.Compare(a.ID, b.ID))
	})
	facts := m.foldTrace(projectID, traceID, all)
	s := &tracestore.Skeleton{
		TraceID: traceID, Name: facts.Name, UserID: facts.UserID, SessionID: facts.SessionID, Release: facts.Release, Tags: facts.Tags,
		Environment: facts.Environment, CodeVersion: facts.CodeVersion, Public: facts.Public, Bookmarked: facts.Bookmarked,
		Start: facts.RootStart, End: facts.RootStart, SyntheticRoot: tracestore.NoRow,
	}
	if len(rows) > 0 {
		s.Start, s.End = rows[0].StartTime, rows[0].StartTime
	}
	for _, o := range rows {
		sumUp(s, o)
	}
	draw(s, rows)
	return s, nil
}

func sumUp(s *tracestore.Skeleton, o *model.Observation) {
	s.End = later(s.End, endOf(o))
	switch o.Level { //nolint:exhaustive // the others are not counted
	case model.Error:
		s.Errors++
	case model.Warning:
		s.Warnings++
	}
	if o.EndTime.IsZero() && o.Type != model.Event {
		s.Unfinished++
	}
	tokens := o.Tokens()
	s.Tokens.Input, s.Tokens.Output, s.Tokens.Total = s.Tokens.Input+tokens.Input, s.Tokens.Output+tokens.Output, s.Tokens.Total+tokens.Total
	s.Tokens.HasTotal = s.Tokens.HasTotal || tokens.HasTotal
	if cost := o.Costs().Total; cost.Valid {
		s.TotalCost = decimal.NewNullDecimal(s.TotalCost.Decimal.Add(cost.Decimal))
	}
}

// endOf is the end of a row, or its start if that is all there is or later.
func endOf(o *model.Observation) time.Time { return later(o.StartTime, o.EndTime) }

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// The parents of rows that hang on none.
const (
	ofNobody    = -1
	ofSynthetic = -2
)

// draw adds the rows, which are in order of start time and id, in pre-order.
func draw(s *tracestore.Skeleton, rows []*model.Observation) {
	parents := parentsOf(rows)
	children := map[int][]int{}
	for i, parent := range parents {
		children[parent] = append(children[parent], i)
	}
	var drawn []tracestore.SkeletonRow
	var below func(parent, shown, depth int)
	below = func(parent, shown, depth int) {
		for _, i := range children[parent] {
			s.Depth = max(s.Depth, depth)
			drawn = append(drawn, skeletonRow(s, rows[i], shown))
			below(i, len(drawn)-1, depth+1)
		}
	}
	below(ofNobody, tracestore.NoRow, 1)
	s.Roots, s.Detached = len(children[ofNobody]), len(children[ofSynthetic])
	if s.Detached > 0 {
		s.SyntheticRoot = len(drawn)
		first := rows[children[ofSynthetic][0]]
		drawn = append(drawn, skeletonRow(s, &model.Observation{StartTime: first.StartTime, Type: model.Span, Level: model.Default}, tracestore.NoRow))
		below(ofSynthetic, s.SyntheticRoot, 2)
		root := &drawn[s.SyntheticRoot]
		root.Duration = 0
		for _, row := range drawn[s.SyntheticRoot+1:] {
			root.Duration = max(root.Duration, row.Start+max(0, row.Duration)-root.Start)
		}
	}
	s.Count, s.Rows = len(drawn), slices.Values(drawn)
}

// parentsOf finds the row that each row hangs on.
func parentsOf(rows []*model.Observation) []int {
	parents, first := make([]int, len(rows)), map[string]int{}
	for i, o := range slices.Backward(rows) {
		first[o.ID] = i
	}
	for i, o := range rows {
		found, there := first[o.ParentID]
		switch {
		case o.ParentID == "" || o.ParentID == model.TraceRowID(o.TraceID):
			parents[i] = ofNobody
		case there:
			parents[i] = found
		case o.AppRoot:
			parents[i] = ofNobody
		default:
			parents[i] = ofSynthetic
		}
	}
	for i := range rows { // the first of a circle comes first
		at := parents[i]
		for steps := 0; steps < len(rows) && at >= 0 && at != i; steps++ {
			at = parents[at]
		}
		if at == i {
			parents[i] = ofSynthetic
		}
	}
	return parents
}

func skeletonRow(s *tracestore.Skeleton, o *model.Observation, parent int) tracestore.SkeletonRow {
	row := tracestore.SkeletonRow{
		ID: o.ID, Parent: parent, Name: numbered(&s.Names, o.Name), Model: tracestore.NoRow, Type: o.Type, Level: o.Level,
		Start: o.StartTime.Sub(s.Start), Duration: sinceStart(o, o.EndTime), FirstToken: sinceStart(o, o.CompletionStartTime),
		Tokens: o.Tokens(), Cost: o.Costs().Total, HasStatusMessage: o.StatusMessage != "", AppRoot: o.AppRoot,
	}
	if o.Model != "" {
		row.Model = numbered(&s.Models, o.Model)
	}
	return row
}

func numbered(texts *[]string, text string) int {
	if i := slices.Index(*texts, text); i >= 0 {
		return i
	}
	*texts = append(*texts, text)
	return len(*texts) - 1
}

func sinceStart(o *model.Observation, at time.Time) time.Duration {
	if at.IsZero() {
		return -1
	}
	return max(0, at.Sub(o.StartTime))
}
