package api

import (
	"net/http"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/flagging"
	"github.com/sondehq/sonde/internal/partial"
)

// maxFlagsBody bounds the body that flags a trace.
const maxFlagsBody = 1 << 10

// flagTrace serves PATCH /api/public/traces/{traceId}.
func (s *server) flagTrace(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	id := r.PathValue("traceId")
	if err := checkTraceID("traceId", id); err != nil {
		return err
	}
	var body struct {
		Public     *bool `json:"public"`
		Bookmarked *bool `json:"bookmarked"`
	}
	if err := readExactly(w, r, maxFlagsBody, &body, "flags"); err != nil {
		return err
	}
	if body.Public == nil && body.Bookmarked == nil {
		return fault.New(fault.Invalid, "The request body changes nothing").Hint("send public, bookmarked or both, each true or false")
	}
	event, err := s.Flags.Set(r.Context(), caller.Project.ID, id, flagging.Flags{Public: body.Public, Bookmarked: body.Bookmarked})
	if err == nil && event != nil {
		err = s.acceptEvents(w, r, caller, partial.Batch{Events: []partial.Event{*event}})
	}
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusAccepted, struct {
		ID         string `json:"id"`
		Public     *bool  `json:"public,omitempty"`
		Bookmarked *bool  `json:"bookmarked,omitempty"`
	}{id, body.Public, body.Bookmarked})
	return nil
}
