package api

import (
	"context"
	"encoding/json"
	"math"
	"net/http"
	"slices"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/query"
)

// oldScoreJSON is a score of the shapes before v3: number and text beside each other.
type oldScoreJSON struct {
	ID               string            `json:"id"`
	ProjectID        string            `json:"projectId"`
	Name             string            `json:"name"`
	DataType         model.ScoreType   `json:"dataType"`
	Value            *float64          `json:"value,omitempty"` // TEXT has none
	StringValue      *string           `json:"stringValue"`
	Source           model.ScoreSource `json:"source"`
	TraceID          *string           `json:"traceId"`
	ObservationID    *string           `json:"observationId"`
	SessionID        *string           `json:"sessionId"`
	DatasetRunID     *string           `json:"datasetRunId"`
	AuthorUserID     *string           `json:"authorUserId"`
	Comment          *string           `json:"comment"`
	Metadata         json.RawMessage   `json:"metadata"`
	ConfigID         *string           `json:"configId"`
	QueueID          *string           `json:"queueId"`
	ExecutionTraceID *string           `json:"executionTraceId"`
	Environment      string            `json:"environment"`
	Timestamp        string            `json:"timestamp"`
	CreatedAt        string            `json:"createdAt"`
	UpdatedAt        string            `json:"updatedAt"`
	Trace            *scoredTrace      `json:"trace,omitempty"`
}

// scoredTrace is what a score in a list shows of its trace.
type scoredTrace struct {
	UserID      *string  `json:"userId"`
	Tags        []string `json:"tags"`
	Environment *string  `json:"environment"`
	SessionID   *string  `json:"sessionId"`
}

func oldScoreOf(s *model.Score) oldScoreJSON {
	row := oldScoreJSON{
		ID: s.ID, ProjectID: s.ProjectID, Name: s.Name, DataType: s.Type, Source: s.Source, TraceID: orNull(s.TraceID), ObservationID: orNull(s.ObservationID),
		SessionID: orNull(s.SessionID), DatasetRunID: orNull(s.ExperimentID), AuthorUserID: orNull(s.AuthorUserID), Comment: orNull(s.Comment),
		Metadata: flatObject(s.Metadata, typedValue), ConfigID: orNull(s.ConfigID), QueueID: orNull(s.QueueID), ExecutionTraceID: orNull(s.ExecutionTraceID),
		Environment: s.Environment, Timestamp: stamp(s.Timestamp), CreatedAt: stamp(s.CreatedAt), UpdatedAt: stamp(model.AcceptedAt(s.Version)),
	}
	if s.Type != model.TextScore && !math.IsNaN(s.Number) && !math.IsInf(s.Number, 0) {
		row.Value = &s.Number
	}
	if s.Type != model.Numeric {
		row.StringValue = &s.Text
	}
	return row
}

// oldScores serves GET /api/public/scores: scores of traces, without corrections.
func (s *server) oldScores(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	return s.listOldScores(w, r, caller, query.OldScores(), nil)
}

// scoresV2 serves GET /api/public/v2/scores.
func (s *server) scoresV2(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	return s.listOldScores(w, r, caller, nil, map[string]filter.Column{
		"sessionId": filter.SessionID, "traceId": filter.TraceID, "datasetRunId": filter.ExperimentID,
	})
}

// listOldScores answers with scores that meet the given conditions beside those of the request; exact are
// parameters of its own.
func (s *server) listOldScores(w http.ResponseWriter, r *http.Request, caller auth.Principal, where []filter.Condition, exact map[string]filter.Column) error {
	p, number, err := readNumbered(r)
	if err != nil {
		return err
	}
	advanced, _ := p.text("filter")
	req := query.NumberedRequest{Fixed: append(p.oldScoreConditions(), p.equals(exact)...), Filter: advanced, Number: number, Always: where}
	if exact != nil {
		req.Fixed = append(req.Fixed, p.anyOf("observationId", filter.ObservationID)...)
	}
	withTrace := p.oldScoreFields()
	if err := p.err(); err != nil {
		return err
	}
	scores, total, err := s.Query.NumberedScores(r.Context(), caller.Project.ID, req)
	if err != nil {
		return err
	}
	rows := make([]oldScoreJSON, len(scores))
	for i, score := range scores {
		rows[i] = oldScoreOf(score)
	}
	if withTrace {
		if err := s.addTraces(r.Context(), caller.Project.ID, rows); err != nil {
			return err
		}
	}
	return writeNumbered(w, len(rows), func(i int) any { return rows[i] }, metaOf(number.Page, number.Limit, int(total)))
}

// oldScoreFields reads whether traces are shown, too.
func (p *params) oldScoreFields() (withTrace bool) {
	text, present := p.text("fields")
	fields := query.SplitList(text)
	if !present || len(fields) == 0 {
		return true
	}
	for _, field := range fields {
		if field != "score" && field != "trace" {
			p.invalid("fields", "must be a list of score and trace, got %q", field)
			return false
		}
	}
	if !slices.Contains(fields, "score") {
		p.invalid("fields", "must hold score")
	}
	withTrace = slices.Contains(fields, "trace")
	for _, key := range []string{"userId", "traceTags"} {
		if len(p.values[key]) > 0 && !withTrace {
			p.invalid(key, "needs trace among the fields")
		}
	}
	return withTrace
}

// scoreOperators are the comparisons of the parameter value.
var scoreOperators = map[string]filter.Order{"<": filter.Below, ">": filter.Above, "<=": filter.AtMost, ">=": filter.AtLeast, "=": filter.Same}

// oldScoreConditions reads the parameters that all older lists of scores have.
func (p *params) oldScoreConditions() []filter.Condition {
	where := p.equals(map[string]filter.Column{
		"userId": filter.UserID, "name": filter.Name, "configId": filter.ConfigID, "queueId": filter.QueueID,
	})
	if dataType, present := p.choice("dataType", texts(model.ScoreTypes)); present {
		where = append(where, filter.OneOf{Column: filter.DataType, Values: []string{dataType}})
	}
	if source, present := p.choice("source", texts(model.ScoreSources)); present {
		where = append(where, filter.OneOf{Column: filter.Source, Values: []string{source}})
	}
	where = append(where, p.allTags("traceTags")...)
	where = append(where, p.anyOf("environment", filter.Environment)...)
	where = append(where, p.anyOf("scoreIds", filter.ID)...)
	where = append(where, p.timestamps(filter.Timestamp)...)
	operator, compared := p.choice("operator", []string{"<", ">", "<=", ">=", "!=", "="})
	text, present := p.text("value")
	if !present {
		return where
	}
	number, ok := p.finite("value", text)
	switch {
	case !ok:
	case operator == "!=":
		where = append(where, filter.NumberOneOf{Column: filter.Value, Values: []float64{number}, Not: true})
	case compared:
		where = append(where, filter.Number{Column: filter.Value, Op: scoreOperators[operator], Value: number})
	default:
		where = append(where, filter.Number{Column: filter.Value, Op: filter.Same, Value: number})
	}
	return where
}

// addTraces shows what the traces of scores are. One that is not there, or not yet, is shown empty.
func (s *server) addTraces(ctx context.Context, projectID string, rows []oldScoreJSON) error {
	names := make([]*string, len(rows))
	for i, row := range rows {
		names[i] = row.TraceID
	}
	traces, err := s.tracesNamed(ctx, projectID, names)
	if err != nil {
		return err
	}
	for i, row := range rows {
		if row.TraceID == nil {
			continue
		}
		rows[i].Trace = &scoredTrace{Tags: []string{}}
		if t := traces[*row.TraceID]; t != nil {
			rows[i].Trace = &scoredTrace{orNull(t.UserID), append([]string{}, t.Tags...), orNull(t.Environment), orNull(t.SessionID)}
		}
	}
	return nil
}

// oldScore serves GET /api/public/scores/{scoreId}.
func (s *server) oldScore(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	return s.oneOldScore(w, r, caller, query.OldScores()...)
}

// scoreV2 serves GET /api/public/v2/scores/{scoreId}.
func (s *server) scoreV2(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	return s.oneOldScore(w, r, caller)
}

func (s *server) oneOldScore(w http.ResponseWriter, r *http.Request, caller auth.Principal, where ...filter.Condition) error {
	score, err := s.Query.Score(r.Context(), caller.Project.ID, r.PathValue("scoreId"), where...)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, oldScoreOf(score))
	return nil
}
