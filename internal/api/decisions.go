package api

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// outcomes are what becomes of a row.
var outcomes = []string{model.Evaluated, model.Skipped, model.FailedEvaluation}

// decisionJSON is what a rule did with a row, and why.
type decisionJSON struct {
	RuleVersion      int      `json:"ruleVersion"`
	TraceID          string   `json:"traceId"`
	ObservationID    string   `json:"observationId"`
	StartTime        string   `json:"startTime"`
	EvaluatorID      *string  `json:"evaluatorId"`
	EvaluatorVersion *int     `json:"evaluatorVersion"`
	Outcome          string   `json:"outcome"`
	Reason           *string  `json:"reason"`
	Message          *string  `json:"message"`
	ScoreIDs         []string `json:"scoreIds"`
	Cost             *string  `json:"cost"`
	DurationMS       float64  `json:"durationMs"`
	JobID            *string  `json:"jobId"`
	DecidedAt        string   `json:"decidedAt"`
}

func decisionOf(d model.Decision) decisionJSON {
	body := decisionJSON{
		RuleVersion: d.RuleVersion, TraceID: d.TraceID, ObservationID: d.ObservationID, StartTime: stamp(d.StartTime),
		EvaluatorID: orNull(d.EvaluatorID), Outcome: d.Outcome, Reason: orNull(d.Reason), Message: orNull(d.Message),
		ScoreIDs: append([]string{}, d.ScoreIDs...), Cost: orNull(d.Cost), DurationMS: float64(d.Duration.Microseconds()) / 1000,
		JobID: orNull(d.JobID), DecidedAt: stamp(d.At),
	}
	if d.EvaluatorID != "" {
		body.EvaluatorVersion = &d.EvaluatorVersion
	}
	return body
}

// decisionMark separates the parts of a position that the common cursor has no members for. No id has a NUL.
const decisionMark = "\x00"

func decisionCursor(d model.Decision) *string {
	text := filter.EncodeCursor(filter.Position{
		StartTime: d.StartTime, TraceID: d.TraceID, ID: strings.Join([]string{d.ObservationID, d.EvaluatorID, strconv.Itoa(d.RuleVersion)}, decisionMark),
	})
	return &text
}

func decisionAfter(p *params, at *filter.Position) *tracestore.DecisionPosition {
	if at == nil {
		return nil
	}
	parts := strings.Split(at.ID, decisionMark)
	version := 0
	if len(parts) == 3 {
		version, _ = strconv.Atoi(parts[2])
	}
	if version <= 0 {
		p.invalid("cursor", "is not of this list")
		return nil
	}
	return &tracestore.DecisionPosition{StartTime: at.StartTime, TraceID: at.TraceID, ObservationID: parts[0], EvaluatorID: parts[1], RuleVersion: version}
}

// listDecisions serves GET /api/public/v2/evaluation-rules/{evaluationRuleId}/decisions.
func (s *server) listDecisions(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	p, err := readParams(r)
	if err != nil {
		return err
	}
	q := tracestore.DecisionQuery{ProjectID: caller.Project.ID, RuleID: r.PathValue("evaluationRuleId")}
	q.Outcome, _ = p.choice("outcome", outcomes)
	q.Reason, _ = p.text("reason")
	q.TraceID, _ = p.text("traceId")
	q.Evaluator, _ = p.text("evaluatorId")
	after, limit := p.cursorLimit()
	q.After, q.Limit = decisionAfter(p, after), limit+1
	if err := p.err(); err != nil {
		return err
	}
	list, err := s.Evaluations.Decisions(r.Context(), q)
	if err != nil {
		return err
	}
	page := cursorPage{Data: []any{}}
	for i, d := range list {
		if i == limit {
			page.Meta.Cursor = decisionCursor(list[i-1])
			break
		}
		page.Data = append(page.Data, decisionOf(d))
	}
	writeJSON(w, http.StatusOK, page)
	return nil
}

// decisionCount is how many decisions ended alike.
type decisionCount struct {
	EvaluatorID *string `json:"evaluatorId"`
	Outcome     string  `json:"outcome"`
	Reason      *string `json:"reason"`
	Count       uint64  `json:"count"`
	Cost        string  `json:"cost"`
}

// countedFor is how far back decisions are counted unless a time is given; they are kept about as long.
const countedFor = 90 * 24 * time.Hour

// countDecisions serves GET /api/public/v2/evaluation-rules/{evaluationRuleId}/decision-counts.
func (s *server) countDecisions(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	p, err := readParams(r)
	if err != nil {
		return err
	}
	since, there := p.time("from")
	if !there {
		since = time.Now().Add(-countedFor)
	}
	if err := p.err(); err != nil {
		return err
	}
	counts, err := s.Evaluations.Counts(r.Context(), caller.Project.ID, r.PathValue("evaluationRuleId"), since)
	if err != nil {
		return err
	}
	data := []decisionCount{}
	for _, c := range counts {
		data = append(data, decisionCount{orNull(c.EvaluatorID), c.Outcome, orNull(c.Reason), c.Count, c.Cost.String()})
	}
	writeJSON(w, http.StatusOK, map[string]any{"data": data})
	return nil
}

// estimateJSON is what a backfill would do.
type estimateJSON struct {
	Rows     uint64  `json:"rows"`
	Matching uint64  `json:"matching"`
	Sampled  uint64  `json:"sampled"`
	Runs     uint64  `json:"runs"`
	Cost     *string `json:"cost"`
}

// estimateBackfill serves GET /api/public/v2/evaluation-rules/{evaluationRuleId}/estimate.
func (s *server) estimateBackfill(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	p, err := readParams(r)
	if err != nil {
		return err
	}
	from, first := p.time("from")
	to, last := p.time("to")
	if !first || !last || !from.Before(to) {
		p.invalid("from", "must be a time before to, and both must be given")
	}
	if err := p.err(); err != nil {
		return err
	}
	e, err := s.Evaluations.Estimate(r.Context(), caller.Project.ID, r.PathValue("evaluationRuleId"), from, to)
	if err != nil {
		return err
	}
	body := estimateJSON{Rows: e.Rows, Matching: e.Matching, Sampled: e.Sampled, Runs: e.Runs}
	if e.Cost != nil {
		text := e.Cost.String()
		body.Cost = &text
	}
	writeJSON(w, http.StatusOK, body)
	return nil
}
