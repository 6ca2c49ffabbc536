package chstore

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/tracestore"
)

// scoreTexts are the text columns of scores.
var scoreTexts = map[filter.Column]string{
	filter.ID:            "id",
	filter.Name:          "name",
	filter.Source:        "source",
	filter.DataType:      "data_type",
	filter.Environment:   "environment",
	filter.ConfigID:      "config_id",
	filter.QueueID:       "queue_id",
	filter.AuthorUserID:  "author_user_id",
	filter.TraceID:       "trace_id",
	filter.SessionID:     "session_id",
	filter.ObservationID: "observation_id",
	filter.ExperimentID:  "experiment_id",
	filter.StringValue:   "text_value",
}

// scoreGraves are the tombstones that hide scores, read before anything else: nearly always there are none.
type scoreGraves struct{ traces, scores graves }

func (s *Store) scoreGraves(ctx context.Context, projectID string) (dead scoreGraves, err error) {
	if dead.traces, err = s.graves(ctx, projectID, tracestore.TraceTombstone); err == nil {
		dead.scores, err = s.graves(ctx, projectID, tracestore.ScoreTombstone)
	}
	return dead, err
}

// where renders the conditions of a query of scores. Values are bound, never spliced.
func (d scoreGraves) where(p *params, q tracestore.ScoreQuery) (string, error) {
	r := conditions{params: p, project: "project_id = " + p.text(q.ProjectID), hidden: d.traces.bind(p)}
	clauses := []string{r.project}
	if !d.traces.none() {
		clauses = append(clauses, r.hidden.alive("trace_id", "version"))
	}
	if hidden := d.scores.bind(p); !d.scores.none() {
		clauses = append(clauses, hidden.alive("id", "version"))
	}
	for _, c := range q.Where {
		clause, err := r.scoreClause(c)
		if err != nil {
			return "", err
		}
		clauses = append(clauses, clause)
	}
	return strings.Join(clauses, " AND "), nil
}

func (r conditions) scoreClause(c filter.Condition) (string, error) {
	if column, ok := scoreTexts[c.On()]; ok {
		return r.on(textColumn(column), c)
	}
	switch c := c.(type) {
	case filter.Number:
		if c.Column == filter.Value {
			return "number_value " + comparisons[c.Op] + " " + r.float(c.Value), nil
		}
	case filter.NumberOneOf:
		if c.Column == filter.Value {
			list := make([]string, len(c.Values))
			for i, v := range c.Values {
				list[i] = r.float(v)
			}
			return negated("number_value IN ("+strings.Join(list, ", ")+")", c.Not), nil
		}
	case filter.Time:
		if c.Column == filter.Timestamp {
			return "timestamp " + comparisons[c.Op] + " " + r.scoreTime(c.At), nil
		}
		if c.Column == filter.AcceptedAt && (c.Op == filter.AtLeast || c.Op == filter.Below) {
			return accepted(r.params, c), nil
		}
	case filter.IsSet:
		if c.Column == filter.Value || c.Column == filter.Timestamp { // every score has them
			return strconv.FormatBool(c.Want), nil
		}
	}
	if c.On() == filter.UserID || c.On() == filter.Tags {
		return r.onLent(inheritedColumns[c.On()], c)
	}
	if c.On() == filter.Metadata { // which lies in scores as it does in observations
		return r.clause(c)
	}
	return "", fault.New(fault.Internal, "condition %#v on scores has no SQL", c)
}

// scoreTime binds a time in milliseconds and returns an expression of the columns' type.
func (p *params) scoreTime(at time.Time) string {
	return "fromUnixTimestamp64Milli(" + p.bind("Int64", strconv.FormatInt(at.UnixMilli(), 10)) + ", 'UTC')"
}
