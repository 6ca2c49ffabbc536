package api

import (
	"context"
	"net/http"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/ingest"
)

// LogAcceptor takes log records in.
type LogAcceptor interface {
	// AcceptLogs returns nil once every record that carries messages of a span is durable. Other
	// records are not kept and not counted as rejected.
	AcceptLogs(ctx context.Context, in ingest.Submission) (ingest.Outcome, error)
}

// logs serves POST /api/public/otel/v1/logs: instrumentations that send the messages of a span as
// events beside it.
func (s *server) logs(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	return s.export(w, r, caller, s.Logs.AcceptLogs, rejectedLogs)
}
