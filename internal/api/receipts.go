package api

import (
	"context"
	"net/http"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/ingest"
)

// ReceiptReader says what became of the spans that a receipt names.
type ReceiptReader interface {
	// State fails with a fault of kind NotFound for everything that is no receipt of the project.
	State(ctx context.Context, projectID, id string) (ingest.ReceiptState, error)
}

type receiptJSON struct {
	ID         string               `json:"id"`
	Status     ingest.ReceiptStatus `json:"status"`
	AcceptedAt string               `json:"acceptedAt"`
	Spans      receiptSpans         `json:"spans"`
	Pending    int                  `json:"pending"`
	Rejections []rejectionJSON      `json:"rejections"`
	Omitted    int                  `json:"rejectionsOmitted"`
}

type receiptSpans struct {
	Accepted int `json:"accepted"`
	Rejected int `json:"rejected"`
}

type rejectionJSON struct {
	Item          int     `json:"item"`
	TraceID       *string `json:"traceId"`
	ObservationID *string `json:"observationId"`
	Reason        string  `json:"reason"`
}

// receipt serves GET /api/public/receipts/{id}.
func (s *server) receipt(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	id := r.PathValue("id")
	state, err := s.Receipts.State(r.Context(), caller.Project.ID, id)
	if err != nil {
		return err
	}
	answer := receiptJSON{
		ID: id, Status: state.Status, AcceptedAt: stamp(state.AcceptedAt),
		Spans: receiptSpans{state.Accepted, state.Rejected}, Pending: state.Pending,
		Rejections: []rejectionJSON{}, Omitted: state.Omitted,
	}
	for _, rejection := range state.Rejections {
		answer.Rejections = append(answer.Rejections, rejectionJSON{
			rejection.Item, orNull(rejection.TraceID), orNull(rejection.ObservationID), rejection.Reason,
		})
	}
	writeJSON(w, http.StatusOK, answer)
	return nil
}
