package api

import (
	"cmp"
	"context"
	"errors"
	"net/http"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/ingest"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/partial"
)

// maxEventsBytes bounds a request of events, decompressed: 4.5 MiB.
const maxEventsBytes = 9 << 19

// EventAcceptor takes partial events in.
type EventAcceptor interface {
	// AcceptEvents returns nil once every event is durable.
	AcceptEvents(ctx context.Context, in ingest.EventSubmission) (ingest.Outcome, error)
}

// eventsJSON is the answer to a request of events. Older clients fail without either list.
type eventsJSON struct {
	Successes []eventSuccess `json:"successes"`
	Errors    []eventError   `json:"errors"`
}

type eventSuccess struct {
	ID     string `json:"id"`
	Status int    `json:"status"`
}

// eventError has all its members always: some clients fail without one.
type eventError struct {
	ID      string `json:"id"`
	Status  int    `json:"status"`
	Message string `json:"message"`
	Error   string `json:"error"`
}

// ingestion serves POST /api/public/ingestion, the way in of older clients and of scores.
func (s *server) ingestion(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	var batch partial.Batch
	size := 0
	err := s.bodies.read(w, r, func(body []byte) (err error) {
		if len(body) > maxEventsBytes {
			return fault.New(fault.TooLarge, "The request body is larger than %d bytes", maxEventsBytes).Hint("send fewer events at once")
		}
		size = len(body)
		batch, err = partial.Parse(body, partial.Policy{ScoresOnly: s.ScoresOnly, PublicKey: caller.Scope == model.ScopeScores})
		return err
	})
	if err != nil {
		return err
	}
	if err := s.Scoring.Configure(r.Context(), caller.Project.ID, &batch); err != nil {
		return err
	}
	batch.NameAuthor(caller.User.ID)
	in := ingest.EventSubmission{ProjectID: caller.Project.ID, Events: batch.Events, Rejected: len(batch.Problems), Notes: batch.Notes, Bytes: size}
	client := ingest.ReadSDK(r.Header.Get)
	in.SDKName, in.SDKVersion = cmp.Or(client.SDKName, batch.SDKName), cmp.Or(client.SDKVersion, batch.SDKVersion)
	out, err := s.Events.AcceptEvents(r.Context(), in)
	if err != nil {
		return err
	}
	if len(batch.Problems) > 0 {
		out.Reason = batch.Problems[0].Message
	}
	infoOf(r).account.outcome = out
	if out.Receipt != "" {
		w.Header().Set(receiptHeader, out.Receipt)
	}
	answer := eventsJSON{Successes: []eventSuccess{}, Errors: []eventError{}}
	for _, id := range batch.Accepted {
		answer.Successes = append(answer.Successes, eventSuccess{id, http.StatusCreated})
	}
	for _, p := range batch.Problems {
		answer.Errors = append(answer.Errors, eventError(p))
	}
	writeJSON(w, http.StatusMultiStatus, answer)
	return nil
}

// eventsFailure is the body for a request that failed as a whole.
type eventsFailure struct {
	Message string   `json:"message"`
	Errors  []string `json:"errors"`
}

// failEvents answers for a whole request. Older clients send again after 500 and know no 503.
func (s *server) failEvents(w http.ResponseWriter, r *http.Request, err error) {
	status, body := s.failed(w, r, err)
	switch _, ofAuth := errors.AsType[authError](err); {
	case ofAuth && status == http.StatusUnauthorized:
		body.Error = kinds[fault.Unauthenticated].name
		writeJSON(w, status, body)
	case ofAuth:
		writeJSON(w, status, body)
	case status == http.StatusBadRequest:
		writeJSON(w, status, eventsFailure{"Invalid request data", []string{body.Message}})
	case status >= http.StatusInternalServerError:
		writeJSON(w, http.StatusInternalServerError, eventsFailure{"Invalid request data", []string{body.Message}})
	default:
		writeJSON(w, status, body)
	}
}
