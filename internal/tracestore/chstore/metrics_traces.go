package chstore

import (
	"strings"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// traceDimensions are the dimensions of the view of traces.
var traceDimensions = map[filter.Column]metricsColumn{
	filter.TraceID:            textColumn("trace_id"),
	filter.TraceName:          textColumn("lent_name", traceNames),
	filter.UserID:             textColumn("lent_user", traceUser),
	filter.SessionID:          textColumn("lent_session", traceSession),
	filter.Release:            textColumn("lent_release", traceRelease),
	filter.Tags:               newColumn("lent_tags", listForm, []relation{traceTags}),
	filter.Environment:        textColumn("environment"),
	filter.CodeVersion:        textColumn("code_version"),
	tracestore.TimestampMonth: textColumn("formatDateTime(start_time, '%Y-%m')"),
}

// traceMeasures are the measures of the view of traces.
var traceMeasures = map[tracestore.Measure]metricsMeasure{
	tracestore.Count:             {sql: "1", amount: whole},
	tracestore.Latency:           {sql: "dateDiff('millisecond', start_time, end_time)", amount: whole},
	tracestore.InputTokens:       {sql: "toInt128(input_tokens)", amount: whole},
	tracestore.OutputTokens:      {sql: "toInt128(output_tokens)", amount: whole},
	tracestore.TotalTokens:       {sql: "toInt128(total_tokens)", amount: whole},
	tracestore.TotalCost:         {sql: "total_cost", amount: dollars},
	tracestore.ObservationsCount: {sql: "observation_count", amount: whole, needs: rowCounts},
	tracestore.ScoresCount:       {sql: "score_count", amount: whole, needs: scoreCounts},
	tracestore.UniqueUsers:       {sql: "nullIf(lent_user, '')", amount: word, needs: traceUser},
	tracestore.UniqueSessions:    {sql: "nullIf(lent_session, '')", amount: word, needs: traceSession},
}

// fromTraces folds traces and joins what they lend and how many scores they have.
func fromTraces(p *params, q tracestore.MetricsQuery, needs relation, dead buried) (string, error) {
	where := window(q)
	var months []filter.Condition
	for _, c := range q.Where {
		if c.On() == tracestore.TimestampMonth {
			months = append(months, c)
			continue
		}
		where = append(where, c)
	}
	scope, err := newTraceScope(p, q.ProjectID, where, dead.traces)
	if err != nil {
		return "", err
	}
	columns := []string{"start_time", "end_time", "environment", "code_version", "input_tokens", "output_tokens", "total_tokens", "total_cost"}
	if needs&rowCounts != 0 {
		columns = append(columns, "observation_count")
	}
	traces, err := scope.folded(columns...)
	if err != nil {
		return "", err
	}
	var extra []string
	for _, c := range months {
		clause, err := scope.on(traceDimensions[c.On()], c)
		if err != nil {
			return "", err
		}
		extra = append(extra, clause)
	}
	joins := scope.joinFacts(needs, q.From, q.To)
	if needs&scoreCounts != 0 {
		joins += " LEFT JOIN (SELECT trace_id AS score_trace, uniqExact(id) AS score_count FROM scores FINAL WHERE " + scope.project + notDeleted +
			" AND data_type != '" + string(model.Correction) + "' AND " + scope.hidden.alive("trace_id", "version") +
			" AND " + dead.scores.bind(p).alive("id", "version") + " GROUP BY trace_id) AS s ON s.score_trace = o.trace_id"
	}
	if len(extra) > 0 {
		joins += " WHERE " + strings.Join(extra, " AND ")
	}
	return traces + " AS o" + joins, nil
}
