package api

import (
	"net/http"
	"time"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/tracestore"
)

const ndjsonType = "application/x-ndjson"

// The bounds of skeletons, which are held while they are sent: how many at once, how long a caller waits for a place,
// and how long it may take to read one.
const (
	skeletonsAtOnce = 4
	skeletonWait    = 10 * time.Second
	skeletonWithin  = 2 * time.Minute
)

// skeleton serves GET /api/public/traces/{traceId}/skeleton, see docs/formats/trace-skeleton.md.
func (s *server) skeleton(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	return s.answerSkeleton(w, r, s.skeletons, caller.Project.ID)
}

// answerSkeleton sends the trace that the path names once there is a place for it.
func (s *server) answerSkeleton(w http.ResponseWriter, r *http.Request, places chan struct{}, projectID string) error {
	patience := time.NewTimer(skeletonWait)
	defer patience.Stop()
	select {
	case places <- struct{}{}:
		defer func() { <-places }()
	case <-r.Context().Done():
		return r.Context().Err()
	case <-patience.C:
		return fault.Unavailablef("Too many traces are being read").Hint("try again in a moment")
	}
	skeleton, err := s.Query.Skeleton(r.Context(), projectID, r.PathValue("traceId"))
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", ndjsonType)
	connection := http.NewResponseController(w)
	_ = connection.SetWriteDeadline(time.Now().Add(skeletonWithin)) // a recorder of tests has none
	return sendSkeleton(w, connection, skeleton)
}

// sendSkeleton sends line by line. The first rows are on their way before the last are written.
func sendSkeleton(w http.ResponseWriter, connection *http.ResponseController, skeleton *tracestore.Skeleton) error {
	lines := newSkeletonLines(skeleton)
	if _, err := w.Write(lines.trace()); err != nil { //nolint:gosec // JSON, and its type says so
		return err
	}
	send := func() error {
		if _, err := w.Write(lines.rows()); err != nil { //nolint:gosec // as above
			return err
		}
		if lines.from > linesFlushed {
			return nil
		}
		return connection.Flush()
	}
	for row := range skeleton.Rows {
		if lines.add(row); lines.count == linesRows {
			if err := send(); err != nil {
				return err
			}
		}
	}
	if lines.count > 0 {
		if err := send(); err != nil {
			return err
		}
	}
	_, err := w.Write(lines.end()) //nolint:gosec // as above
	return err
}
