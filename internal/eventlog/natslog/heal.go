package natslog

import (
	"context"
	"net/http"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// healEvery keeps a disk that fails for good from restarting the server all the time.
const healEvery = 5 * time.Second

// heal looks after the embedded server when a write got no answer.
func (l *Log) heal(ctx context.Context) {
	if l.embedded != nil {
		l.embedded.heal(ctx)
	}
}

// heal restarts the server after a failed write. The server stops a stream at its first write
// error, a full disk for one, and answers no append to it from then on: what it stored is
// safe, but only a restart makes it take records again.
//
// It runs in the call that noticed, and does nothing while the disk is still full.
// Deliveries in hand stay valid: the consumers' state survives.
func (e *embedded) heal(ctx context.Context) {
	if !e.mu.TryLock() {
		return // another call is at it, or the log is being closed
	}
	defer e.mu.Unlock()
	old := e.server.Load()
	if e.stopped || time.Since(e.healed) < healEvery || healthy(ctx, old) || e.disk.check() != nil {
		return
	}
	e.healed = time.Now()
	e.cfg.Logger.Error("log could not write, restarting its server")
	old.Shutdown()
	old.WaitForShutdown()
	if err := e.start(context.WithoutCancel(ctx)); err != nil {
		e.cfg.Logger.Error("log server does not restart", "error", err)
	}
}

// healthy asks the server's health check, which knows streams with a write error.
func healthy(ctx context.Context, s *server.Server) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "/healthz", nil)
	if err != nil {
		return true
	}
	answer := statusOnly{header: http.Header{}, status: http.StatusOK}
	s.HandleHealthz(&answer, request)
	return answer.status == http.StatusOK
}

// statusOnly is a response of which only the status matters.
type statusOnly struct {
	header http.Header
	status int
}

func (r *statusOnly) Header() http.Header            { return r.header }
func (r *statusOnly) WriteHeader(status int)         { r.status = status }
func (r *statusOnly) Write(body []byte) (int, error) { return len(body), nil }
