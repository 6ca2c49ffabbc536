package api

import (
	"net/http"
	"time"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/partial"
)

// firstWrites are the ways in of the first clients: each request is one event of those that
// POST /api/public/ingestion takes.
func (s *server) firstWrites() []route {
	var routes []route
	for _, w := range []struct {
		method, path string
		kind         partial.Kind
		idKey        string
	}{
		{http.MethodPost, "/api/public/traces", partial.Trace, "id"},
		{http.MethodPost, "/api/public/spans", "span-create", "id"},
		{http.MethodPatch, "/api/public/spans", "span-update", "spanId"},
		{http.MethodPost, "/api/public/generations", "generation-create", "id"},
		{http.MethodPatch, "/api/public/generations", "generation-update", "generationId"},
		{http.MethodPost, "/api/public/events", "event-create", "id"},
	} {
		routes = append(routes, route{
			method: w.method, path: w.path, handle: s.firstWrite(w.kind, w.idKey), role: intakeNode, deprecated: true,
		})
	}
	return routes
}

// firstWrite takes the body of one event and answers with the id of what it tells about.
func (s *server) firstWrite(kind partial.Kind, idKey string) handler {
	return func(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
		if s.ScoresOnly {
			return errDeprecated
		}
		var event partial.Event
		var id string
		err := s.bodies.read(w, r, func(body []byte) (err error) {
			if len(body) > maxEventsBytes {
				return fault.New(fault.TooLarge, "The request body is larger than %d bytes", maxEventsBytes)
			}
			event, id, err = partial.ParseSingle(body, kind, idKey, time.Now())
			return err
		})
		if err != nil {
			return err
		}
		if err := s.acceptEvents(w, r, caller, partial.Batch{Events: []partial.Event{event}}); err != nil {
			return err
		}
		writeJSON(w, http.StatusOK, map[string]string{"id": id})
		return nil
	}
}
