package api

import (
	"fmt"
	"net/http"
	"time"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/ingest"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/partial"
)

// scoreRoutes are the ways in and out of scores, and their configs.
func (s *server) scoreRoutes() []route {
	return []route{
		{method: http.MethodPost, path: "/api/public/scores", handle: s.createScores, role: intakeNode, needs: model.ScopeScores},
		{method: http.MethodDelete, path: "/api/public/scores/{scoreId}", handle: s.deleteScore, role: intakeNode},
		{method: http.MethodGet, path: "/api/public/score-kinds", handle: s.scoreKinds, role: readNode},
		{method: http.MethodGet, path: "/api/public/score-analytics", handle: s.scoreAnalytics, role: readNode},
		{method: http.MethodGet, path: "/api/public/score-configs", handle: s.listScoreConfigs},
		{method: http.MethodPost, path: "/api/public/score-configs", handle: s.createScoreConfig},
		{method: http.MethodGet, path: "/api/public/score-configs/{configId}", handle: s.getScoreConfig},
		{method: http.MethodPatch, path: "/api/public/score-configs/{configId}", handle: s.changeScoreConfig},
	}
}

// scoresJSON is the answer to a list of scores of which some were refused.
type scoresJSON struct {
	Accepted int         `json:"accepted"`
	Rejected int         `json:"rejected"`
	Errors   []scoreFlaw `json:"errors"`
}

type scoreFlaw struct {
	Message string `json:"message"`
}

// maxNamedScore cuts ids in messages: a client may send anything as one.
const maxNamedScore = 100

// createScores serves POST /api/public/scores. A refused score of a list takes no other with it.
func (s *server) createScores(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	var batch partial.Batch
	var many bool
	err := s.bodies.read(w, r, func(body []byte) (err error) {
		if len(body) > maxEventsBytes {
			return fault.New(fault.TooLarge, "The request body is larger than %d bytes", maxEventsBytes).Hint("send fewer scores at once")
		}
		batch, many, err = partial.ParseScores(body, time.Now())
		return err
	})
	if err != nil {
		return err
	}
	if err := s.Scoring.Configure(r.Context(), caller.Project.ID, &batch); err != nil {
		return err
	}
	if !many && len(batch.Problems) > 0 {
		return batch.Problems[0].Fault()
	}
	if err := s.acceptEvents(w, r, caller, batch); err != nil {
		return err
	}
	switch {
	case !many:
		_, id := batch.Events[0].Entity()
		writeJSON(w, http.StatusOK, map[string]string{"id": id})
	case len(batch.Problems) == 0:
		writeJSON(w, http.StatusAccepted, map[string]string{"message": "Accepted"}) // clients compare the text
	default:
		answer := scoresJSON{Accepted: len(batch.Events), Rejected: len(batch.Problems)}
		for _, p := range batch.Problems {
			answer.Errors = append(answer.Errors, scoreFlaw{fmt.Sprintf("score %.*s: %s", maxNamedScore, p.ID, p.Error)})
		}
		writeJSON(w, http.StatusMultiStatus, answer)
	}
	return nil
}

// deleteScore serves DELETE /api/public/scores/{scoreId}. Whether there is such a score is for the
// writer to find out.
func (s *server) deleteScore(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	event, err := partial.NewScoreDelete(r.PathValue("scoreId"), time.Now())
	if err != nil {
		return err
	}
	if err := s.acceptEvents(w, r, caller, partial.Batch{Events: []partial.Event{event}}); err != nil {
		return err
	}
	writeJSON(w, http.StatusAccepted, map[string]string{"message": "Score deletion queued successfully"})
	return nil
}

// acceptEvents makes events durable and puts their receipt into the answer's header.
func (s *server) acceptEvents(w http.ResponseWriter, r *http.Request, caller auth.Principal, batch partial.Batch) error {
	batch.NameAuthor(caller.User.ID)
	client := ingest.ReadSDK(r.Header.Get)
	out, err := s.Events.AcceptEvents(r.Context(), ingest.EventSubmission{
		ProjectID: caller.Project.ID, Events: batch.Events, Rejected: len(batch.Problems),
		SDKName: client.SDKName, SDKVersion: client.SDKVersion,
	})
	if err != nil {
		return err
	}
	if out.Receipt != "" {
		w.Header().Set(receiptHeader, out.Receipt)
	}
	return nil
}
