package tracestoretest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// Metrics looks at every row, group by group.
func (m *Memory) Metrics(ctx context.Context, q tracestore.MetricsQuery) ([]tracestore.MetricsRow, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("read metrics: %w", err)
	}
	subjects, err := m.subjects(ctx, q)
	if q.View == tracestore.TracesView {
		subjects, err = m.traceSubjects(ctx, q)
	}
	if err != nil {
		return nil, err
	}
	type group struct {
		row      tracestore.MetricsRow
		subjects []subject
	}
	groups := map[string]*group{}
	if len(q.Dimensions) == 0 && q.Bucket == tracestore.NoBucket {
		groups[""] = &group{}
	}
	for _, s := range subjects {
		var row tracestore.MetricsRow
		var keys []string
		for _, column := range q.Dimensions {
			value := s.dimension(column)
			row.Dimensions = append(row.Dimensions, value)
			keys = append(keys, fmt.Sprintf("%q", fmt.Sprint(value)))
		}
		if q.Bucket != tracestore.NoBucket {
			row.Bucket = bucketOf(s.at(), q.Bucket)
			keys = append(keys, row.Bucket.String())
		}
		key := strings.Join(keys, " ")
		if groups[key] == nil {
			groups[key] = &group{row: row}
		}
		groups[key].subjects = append(groups[key].subjects, s)
	}
	var rows []tracestore.MetricsRow
	for _, g := range groups {
		for _, metric := range q.Metrics {
			g.row.Metrics = append(g.row.Metrics, aggregateOf(g.subjects, metric))
		}
		rows = append(rows, g.row)
	}
	slices.SortFunc(rows, func(a, b tracestore.MetricsRow) int { return CompareMetricsRows(q.Order, a, b) })
	return rows[:min(len(rows), q.Limit)], nil
}

func bucketOf(at time.Time, width tracestore.Bucket) time.Time {
	day := time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, time.UTC)
	switch width {
	case tracestore.Minute:
		return at.Truncate(time.Minute)
	case tracestore.Hour:
		return at.Truncate(time.Hour)
	case tracestore.Week:
		return day.AddDate(0, 0, -(int(day.Weekday())+6)%7)
	case tracestore.Month:
		return day.AddDate(0, 0, 1-day.Day())
	default:
		return day
	}
}

// subject is one row of a view, or one element of it: what dimensions and measures look at.
type subject struct {
	o *model.Observation // in the view of observations
	s *model.Score       // in the views of scores

	trace *model.Observation // what the trace of s lends, with the version of its root
	about *model.Observation // what s is about

	tool, call, costKey, usageKey string
	scores                        int64 // on o
	rows                          int64 // of the trace that o stands for, in the view of traces
}

func (s subject) at() time.Time {
	if s.o != nil {
		return s.o.StartTime
	}
	return s.s.Timestamp
}

// subjects returns what the query counts.
func (m *Memory) subjects(ctx context.Context, q tracestore.MetricsQuery) ([]subject, error) {
	columns := slices.Clone(q.Dimensions)
	var where, ours []filter.Condition
	for _, c := range q.Where {
		columns = append(columns, c.On())
		if q.View.OfScores() || slices.Contains([]filter.Column{tracestore.StartTimeMonth, tracestore.CostType, tracestore.UsageType}, c.On()) {
			ours = append(ours, c)
			continue
		}
		where = append(where, c)
	}
	for _, metric := range q.Metrics {
		columns = append(columns, map[tracestore.Measure]filter.Column{
			tracestore.CostByType: tracestore.CostType, tracestore.UsageByType: tracestore.UsageType,
			tracestore.CountScores: countsScores,
		}[metric.Measure])
	}
	all, err := m.observationSubjects(ctx, q, where, q.Dimensions, columns)
	if q.View.OfScores() {
		all, err = m.scoreSubjects(ctx, q, columns)
	}
	if err != nil {
		return nil, err
	}
	var kept []subject
	for _, s := range all {
		ok, err := s.meetsAll(ours)
		if err != nil {
			return nil, err
		}
		if ok {
			kept = append(kept, s)
		}
	}
	return kept, nil
}

// countsScores stands for the measure among the columns that a query looks at.
const countsScores filter.Column = "countScores"

func window(column filter.Column, q tracestore.MetricsQuery) []filter.Condition {
	return []filter.Condition{
		filter.Time{Column: column, Op: filter.AtLeast, At: q.From}, filter.Time{Column: column, Op: filter.AtMost, At: q.To},
	}
}

func (m *Memory) observationSubjects(ctx context.Context, q tracestore.MetricsQuery, where []filter.Condition, dimensions, columns []filter.Column) ([]subject, error) {
	rows, err := m.matching(q.ProjectID, append(window(filter.StartTime, q), where...), false)
	if err != nil {
		return nil, err
	}
	scores, err := m.Scores(ctx, tracestore.ScoreQuery{ProjectID: q.ProjectID, Where: window(filter.Timestamp, q), Limit: everything})
	if err != nil {
		return nil, err
	}
	count := map[[2]string]map[string]bool{}
	for _, s := range scores {
		on := [2]string{s.TraceID, s.ObservationID}
		if count[on] == nil {
			count[on] = map[string]bool{}
		}
		count[on][s.ID] = true
	}
	var subjects []subject
	for _, o := range rows {
		s := subject{o: o, scores: int64(len(count[[2]string{o.TraceID, o.ID}]))}
		if s.scores == 0 && slices.Contains(columns, countsScores) {
			continue
		}
		subjects = append(subjects, exploded(s, dimensions, columns)...)
	}
	return subjects, nil
}

// exploded makes a subject of every combination of the elements that the query looks at.
func exploded(s subject, dimensions, columns []filter.Column) []subject {
	list := []subject{s}
	each := func(wanted bool, elements []string, set func(*subject, string)) {
		if !wanted {
			return
		}
		var next []subject
		for _, s := range list {
			for _, element := range elements {
				set(&s, element)
				next = append(next, s)
			}
		}
		list = next
	}
	each(slices.Contains(dimensions, filter.ToolNames), toolNames(s.o.ToolDefinitions), func(s *subject, v string) { s.tool = v })
	each(slices.Contains(dimensions, filter.CalledToolNames), toolNames(s.o.ToolCalls), func(s *subject, v string) { s.call = v })
	each(slices.Contains(columns, tracestore.CostType), keysOf(s.o.CostDetails), func(s *subject, v string) { s.costKey = v })
	each(slices.Contains(columns, tracestore.UsageType), keysOf(s.o.UsageDetails), func(s *subject, v string) { s.usageKey = v })
	return list
}

func toolNames(tools []model.Tooling) []string {
	var names []string
	for _, tool := range tools {
		names = append(names, tool.Name)
	}
	return names
}

func keysOf[V any](m map[string]V) []string {
	var keys []string
	for key := range m {
		keys = append(keys, key)
	}
	return keys
}

var (
	ofTrace = []filter.Column{filter.TraceName, filter.UserID, filter.Tags, tracestore.TraceRelease, tracestore.TraceVersion}
	ofAbout = []filter.Column{
		tracestore.ObservationName, tracestore.ObservationModel, tracestore.ObservationPrompt, tracestore.ObservationPromptNum,
		filter.ExperimentID, filter.ExperimentName,
	}
	viewTypes = map[tracestore.View][]model.ScoreType{
		tracestore.NumericScoresView: {model.Numeric, model.Boolean}, tracestore.BooleanScoresView: {model.Boolean},
		tracestore.CategoricalScoresView: {model.Categorical},
	}
)

func (m *Memory) scoreSubjects(ctx context.Context, q tracestore.MetricsQuery, columns []filter.Column) ([]subject, error) {
	scores, err := m.Scores(ctx, tracestore.ScoreQuery{
		ProjectID: q.ProjectID, Where: window(filter.Timestamp, q), Limit: everything, Metadata: true,
	})
	if err != nil {
		return nil, err
	}
	rows, err := m.matching(q.ProjectID, window(filter.StartTime, q), false)
	if err != nil {
		return nil, err
	}
	traces := m.lentInWindow(q.ProjectID, rows)
	about := map[[2]string]*model.Observation{}
	for _, o := range rows {
		on := [2]string{o.TraceID, o.ID}
		if held := about[on]; held == nil || held.Version < o.Version || held.Version == o.Version && held.StartTime.Before(o.StartTime) {
			about[on] = o
		}
	}
	looksAt := func(among []filter.Column) bool {
		return slices.ContainsFunc(columns, func(c filter.Column) bool { return slices.Contains(among, c) })
	}
	var subjects []subject
	for _, s := range scores {
		x := subject{s: s, trace: traces[s.TraceID], about: about[[2]string{s.TraceID, s.ObservationID}]}
		if !slices.Contains(viewTypes[q.View], s.Type) || x.trace == nil && looksAt(ofTrace) || x.about == nil && looksAt(ofAbout) {
			continue
		}
		subjects = append(subjects, x)
	}
	return subjects, nil
}

// lentInWindow returns, for traces with a parentless root among rows, what the trace lends to a row that
// has nothing, and the version of its first such root.
func (m *Memory) lentInWindow(projectID string, rows []*model.Observation) map[string]*model.Observation {
	roots := map[string]*model.Observation{}
	for _, o := range rows {
		if held := roots[o.TraceID]; o.ParentID == "" && (held == nil || newestFirst(filter.Position{StartTime: o.StartTime, ID: o.ID},
			filter.Position{StartTime: held.StartTime, ID: held.ID}) > 0) {
			roots[o.TraceID] = o
		}
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	lent := map[string]*model.Observation{}
	for trace, root := range roots {
		blank := &model.Observation{ProjectID: projectID, TraceID: trace, ParentID: "none", StartTime: root.StartTime, CodeVersion: root.CodeVersion}
		m.inherit(blank)
		lent[trace] = blank
	}
	return lent
}
