package api

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/fault"
)

const (
	// probeWithin bounds the answer to a probe; orchestrators wait for seconds.
	probeWithin = 3 * time.Second
	// recentWithin is how new an event must be to count as recent.
	recentWithin = 3 * time.Minute
)

type probeBody struct {
	Status  string `json:"status"`
	Version string `json:"version"`
	Sonde   string `json:"sonde"`
	Reason  string `json:"reason,omitempty"`
}

//nolint:unparam // an error, so that handlers can return it
func (s *server) probe(w http.ResponseWriter, status int, text string) error {
	writeJSON(w, status, probeBody{Status: text, Version: CompatibleVersion, Sonde: s.Version})
	return nil
}

// health serves GET /api/public/health: the process is up, and what the flags ask for holds.
func (s *server) health(w http.ResponseWriter, r *http.Request, _ auth.Principal) error {
	ctx, cancel := context.WithTimeout(r.Context(), probeWithin)
	defer cancel()
	flags := r.URL.Query()
	if flags.Get("failIfDatabaseUnavailable") == "true" {
		if err := s.Health.Database(ctx); err != nil {
			return s.probe(w, http.StatusServiceUnavailable, "Database not available")
		}
	}
	if flags.Get("failIfNoRecentEvents") == "true" {
		recent, err := s.Health.RecentEvents(ctx, time.Now().Add(-recentWithin))
		switch {
		case err != nil:
			return s.probe(w, http.StatusServiceUnavailable, "Recent events cannot be looked up")
		case !recent:
			return s.probe(w, http.StatusServiceUnavailable, "No observation within the last 3 minutes")
		}
	}
	return s.probe(w, http.StatusOK, "OK")
}

// ready serves GET /api/public/ready: whether to send requests here.
func (s *server) ready(w http.ResponseWriter, r *http.Request, _ auth.Principal) error {
	if s.Health.Draining() {
		return s.probe(w, http.StatusInternalServerError, "Shutting down")
	}
	ctx, cancel := context.WithTimeout(r.Context(), probeWithin)
	defer cancel()
	if err := s.Health.Ready(ctx); err != nil {
		body := probeBody{Status: "Not ready", Version: CompatibleVersion, Sonde: s.Version}
		if f, ok := errors.AsType[*fault.Fault](err); ok && f.Kind != fault.Internal {
			body.Reason = f.Public()
		}
		writeJSON(w, http.StatusServiceUnavailable, body)
		return nil
	}
	return s.probe(w, http.StatusOK, "OK")
}
