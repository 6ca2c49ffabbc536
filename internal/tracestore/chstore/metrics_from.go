package chstore

import (
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/tracestore"
)

// metricsView is how SQL sees a view.
type metricsView struct {
	time       string
	dimensions map[filter.Column]metricsColumn
	measures   map[tracestore.Measure]metricsMeasure
	// from renders everything between FROM and GROUP BY.
	from func(p *params, q tracestore.MetricsQuery, needs relation, dead buried) (string, error)
}

func viewOf(v tracestore.View) metricsView {
	if v == tracestore.TracesView {
		return metricsView{"start_time", traceDimensions, traceMeasures, fromTraces}
	}
	if v.OfScores() {
		return metricsView{"timestamp", scoreDimensions, scoreMeasures, fromScores}
	}
	return metricsView{"start_time", observationDimensions, observationMeasures, fromObservations}
}

// window is the condition on start times; both ends are in it.
func window(q tracestore.MetricsQuery) []filter.Condition {
	return []filter.Condition{
		filter.Time{Column: filter.StartTime, Op: filter.AtLeast, At: q.From},
		filter.Time{Column: filter.StartTime, Op: filter.AtMost, At: q.To},
	}
}

// unknownToRows are columns of metrics that observations as such do not have.
var unknownToRows = map[filter.Column]bool{tracestore.StartTimeMonth: true, tracestore.CostType: true, tracestore.UsageType: true}

func fromObservations(p *params, q tracestore.MetricsQuery, needs relation, dead buried) (string, error) {
	rows := window(q)
	r := dead.conditions(p, q.ProjectID)
	var extra []string
	for _, c := range q.Where {
		if !unknownToRows[c.On()] {
			rows = append(rows, c)
			continue
		}
		column := observationDimensions[c.On()]
		needs |= column.needs
		clause, err := r.on(column, c)
		if err != nil {
			return "", err
		}
		extra = append(extra, " AND "+clause)
	}
	clauses, err := r.within(rows).all(rows)
	if err != nil {
		return "", err
	}
	joins := r.joinFacts(needs, q.From, q.To)
	if needs&scoreCounts != 0 {
		joins += " INNER JOIN (SELECT trace_id AS score_trace, observation_id AS score_observation, uniqExact(id) AS score_count FROM scores FINAL WHERE " +
			r.scoresOf(q, dead) + " AND observation_id != '' GROUP BY trace_id, observation_id) AS s" +
			" ON s.score_trace = o.trace_id AND s.score_observation = o.span_id"
	}
	return "observations AS o FINAL" + joins + explode(needs) + " WHERE " + clauses + notDeleted + strings.Join(extra, ""), nil
}

// explode makes a row of every element.
func explode(needs relation) string {
	var joins []string
	for _, array := range []struct {
		needs relation
		sql   string
	}{
		{eachTool, "tool_names AS each_tool"},
		{eachCall, "called_tool_names AS each_call"},
		{eachCostKey, "cost_details AS each_cost"},
		{eachUsageKey, "usage_details AS each_usage"},
	} {
		if needs&array.needs != 0 {
			joins = append(joins, " ARRAY JOIN "+array.sql)
		}
	}
	return strings.Join(joins, "")
}

// joinFacts joins what traces lend, as far as it is needed. Only traces that reach into the given time
// are held in memory.
func (r conditions) joinFacts(needs relation, from, to time.Time) string {
	if needs&lentByTrace == 0 {
		return ""
	}
	columns := []string{"trace_id AS lent_trace"}
	for _, fact := range []struct {
		needs  relation
		column filter.Column
		lent   string
	}{
		{traceUser, filter.UserID, "lent_user"},
		{traceSession, filter.SessionID, "lent_session"},
		{traceNames, filter.TraceName, "lent_name"},
		{traceRelease, filter.Release, "lent_release"},
		{traceTags, filter.Tags, "lent_tags"},
	} {
		if needs&fact.needs != 0 {
			columns = append(columns, r.lent(inheritedColumns[fact.column])+" AS "+fact.lent)
		}
	}
	return " LEFT JOIN (SELECT " + strings.Join(columns, ", ") + " FROM traces WHERE " + r.project + " GROUP BY trace_id HAVING max(last_start) >= " +
		r.micros(from.UnixMicro()) + " AND min(first_start) <= " + r.micros(to.UnixMicro()) + ") AS t ON t.lent_trace = o.trace_id"
}

// scoresOf is the condition on the scores of a project that count in a window.
func (r conditions) scoresOf(q tracestore.MetricsQuery, dead buried) string {
	clauses := r.project + " AND timestamp >= " + r.scoreTime(q.From) + " AND timestamp <= " + r.scoreTime(q.To) + notDeleted
	if !dead.traces.none() {
		clauses += " AND " + r.hidden.alive("trace_id", "version")
	}
	if !dead.scores.none() {
		clauses += " AND " + dead.scores.bind(r.params).alive("id", "version")
	}
	return clauses
}

// viewTypes are the types of scores in a view.
var viewTypes = map[tracestore.View]string{
	tracestore.NumericScoresView: "('NUMERIC', 'BOOLEAN')", tracestore.BooleanScoresView: "('BOOLEAN')", tracestore.CategoricalScoresView: "('CATEGORICAL')",
}

func fromScores(p *params, q tracestore.MetricsQuery, needs relation, dead buried) (string, error) {
	r := dead.conditions(p, q.ProjectID)
	clauses := []string{r.scoresOf(q, dead), "data_type IN " + viewTypes[q.View]}
	for _, c := range q.Where {
		clause, more, err := r.onScore(c)
		if err != nil {
			return "", err
		}
		needs |= more
		clauses = append(clauses, clause)
	}
	var joins string
	if needs&(traceRoot|scored) != 0 {
		parents, err := r.all(window(q))
		if err != nil {
			return "", err
		}
		// Only what scores are about is held in memory.
		parents += notDeleted + " AND trace_id IN (SELECT trace_id FROM scores WHERE " + r.project +
			" AND timestamp >= " + r.scoreTime(q.From) + " AND timestamp <= " + r.scoreTime(q.To) + ")"
		if needs&traceRoot != 0 {
			joins += " INNER JOIN (SELECT trace_id AS root_trace, argMin(CAST(code_version, 'String'), (start_time, span_id)) AS root_version" +
				" FROM observations FINAL WHERE " + parents + " AND parent_span_id = '' GROUP BY trace_id) AS r ON r.root_trace = o.trace_id"
		}
		if needs&scored != 0 {
			// An observation that was sent again with another start time is there twice: the later version counts.
			joins += " INNER JOIN (SELECT trace_id AS scored_trace, span_id AS scored_id, argMax((CAST(name, 'String'), CAST(model, 'String'), CAST(prompt_name, 'String')," +
				" prompt_version, experiment['id'], experiment['name']), (version, start_time)) AS scored FROM observations FINAL WHERE " + parents +
				" GROUP BY trace_id, span_id) AS p ON p.scored_trace = o.trace_id AND p.scored_id = o.observation_id"
		}
	}
	return "scores AS o FINAL" + joins + r.joinFacts(needs, q.From, q.To) + " WHERE " + strings.Join(clauses, " AND "), nil
}

// onScore renders a condition on a score, and says what it must be joined with.
func (r conditions) onScore(c filter.Condition) (string, relation, error) {
	column, ok := scoreDimensions[c.On()]
	if !ok { // metadata lies in scores as it does in observations
		sql, err := r.clause(c)
		return sql, 0, err
	}
	sql, err := r.on(column, c)
	return sql, column.needs, err
}
