package api

import (
	"net/http"
	"strconv"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/digest"
	"github.com/sondehq/sonde/internal/model"
)

// digestJSON is a trace told in so many tokens.
type digestJSON struct {
	TraceID      string `json:"traceId"`
	Text         string `json:"text"`
	Tokens       uint64 `json:"tokens"`
	Observations int    `json:"observations"`
	Shown        int    `json:"shown"` // observations that the text tells of
}

// traceDigest serves GET /api/public/traces/{traceId}/digest.
func (s *server) traceDigest(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	p, err := readParams(r)
	if err != nil {
		return err
	}
	most := p.number("maxTokens", digest.DefaultTokens)
	if most < digest.LeastTokens || most > digest.MostTokens {
		p.invalid("maxTokens", "must be between %d and %d, got %d", digest.LeastTokens, digest.MostTokens, most)
	}
	if err := p.err(); err != nil {
		return err
	}
	trace, err := s.Query.Trace(r.Context(), caller.Project.ID, r.PathValue("traceId"))
	if err != nil {
		return err
	}
	scores, err := s.Query.TraceScores(r.Context(), caller.Project.ID, trace.ID)
	if err != nil {
		return err
	}
	head := digest.Head{
		ID: trace.ID, Name: trace.Name, UserID: trace.UserID, SessionID: trace.SessionID, Release: trace.Release, Environment: trace.Environment, Tags: trace.Tags,
		Start: trace.Start, Latency: trace.Latency(), Cost: trace.TotalCost, InputTokens: trace.InputTokens, OutputTokens: trace.OutputTokens,
		Input: trace.Input, Output: trace.Output,
	}
	for _, score := range scores {
		head.Scores = append(head.Scores, digest.Score{Name: score.Name, Value: scoreText(score), Comment: score.Comment})
	}
	d := digest.New(head)
	err = s.Query.TraceObservations(r.Context(), caller.Project.ID, trace.ID, func(rows []*model.Observation) error {
		for _, o := range rows {
			d.Add(o)
		}
		return nil
	})
	if err != nil {
		return err
	}
	text := d.Fit(most)
	writeJSON(w, http.StatusOK, digestJSON{TraceID: trace.ID, Text: text.Text, Tokens: text.Tokens, Observations: text.All, Shown: text.Shown})
	return nil
}

// scoreText is the value of a score for people.
func scoreText(s *model.Score) string {
	if s.Type == model.Numeric {
		return strconv.FormatFloat(s.Number, 'g', -1, 64)
	}
	return s.Text
}
