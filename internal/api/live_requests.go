package api

import (
	"context"
	"net/http"
	"time"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/eventlog"
	"github.com/sondehq/sonde/internal/live"
)

// ingestRequestsJSON is what nodes remember of a project's requests, and how far the store is behind.
type ingestRequestsJSON struct {
	Data        []ingestRequestJSON `json:"data"`
	Queue       *backlogJSON        `json:"queue"` // nil while the log does not answer
	Nodes       int                 `json:"nodes"`
	UnknownKeys []unknownKeyJSON    `json:"unknownKeys"`
}

type ingestRequestJSON struct {
	At            string  `json:"at"`
	Path          string  `json:"path"`
	Method        string  `json:"method"`
	Status        int     `json:"status"`
	Code          *string `json:"code"`
	Reason        *string `json:"reason"`
	Bytes         int64   `json:"bytes"`
	SpansAccepted int     `json:"spansAccepted"`
	SpansRejected int     `json:"spansRejected"`
	SDKName       *string `json:"sdkName"`
	SDKVersion    *string `json:"sdkVersion"`
	Version4      bool    `json:"ingestionVersion4"`
	PublicKey     *string `json:"publicKey"`
	Proved        bool    `json:"proved"`
}

// backlogJSON is about the log that all projects share; only its dead letters are the project's own.
type backlogJSON struct {
	PendingRecords  uint64  `json:"pendingRecords"`
	OldestPendingAt *string `json:"oldestPendingAt"`
	LagSeconds      float64 `json:"lagSeconds"`
	DeadLetters     *int    `json:"deadLetters"` // nil where this node cannot tell
	DeadLettersMore bool    `json:"deadLettersMore"`
}

type unknownKeyJSON struct {
	At     string `json:"at"`
	Prefix string `json:"publicKeyPrefix"`
	Path   string `json:"path"`
	Count  int    `json:"count"`
}

// queueWithin bounds the look at the log.
const queueWithin = 2 * time.Second

// ingestRequests serves GET /api/public/ingest-requests.
func (s *server) ingestRequests(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	recent, nodes := s.Live.Recent(r.Context(), caller.Project.ID)
	answer := ingestRequestsJSON{Data: []ingestRequestJSON{}, Nodes: nodes, UnknownKeys: []unknownKeyJSON{}}
	for _, one := range recent.Requests() {
		answer.Data = append(answer.Data, ingestRequestOf(one))
	}
	if s.hearsInstallation(r, caller) {
		for _, u := range recent.Unknown {
			answer.UnknownKeys = append(answer.UnknownKeys, unknownKeyJSON{stamp(u.At), u.Prefix, u.Path, u.Count})
		}
	}
	answer.Queue = s.backlog(r.Context(), caller.Project.ID)
	w.Header().Set("Cache-Control", "no-store")
	writeJSON(w, http.StatusOK, answer)
	return nil
}

func ingestRequestOf(r live.Request) ingestRequestJSON {
	return ingestRequestJSON{
		At: stamp(r.At), Path: r.Path, Method: r.Method, Status: r.Status, Code: orNull(string(r.Code)), Reason: orNull(r.Reason),
		Bytes: r.Bytes, SpansAccepted: r.Accepted, SpansRejected: r.Rejected, SDKName: orNull(r.SDKName), SDKVersion: orNull(r.SDKVersion),
		Version4: r.Version4, PublicKey: orNull(r.PublicKey), Proved: r.Proved,
	}
}

// backlog is nil while the log does not answer: what is known of requests is shown all the same.
func (s *server) backlog(ctx context.Context, projectID string) *backlogJSON {
	if s.LogStatus == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, queueWithin)
	defer cancel()
	status, err := s.LogStatus(ctx)
	if err != nil {
		return nil
	}
	q := &backlogJSON{PendingRecords: status.Pending}
	if oldest := status.OldestPending; !oldest.IsZero() {
		at := stamp(oldest)
		q.OldestPendingAt, q.LagSeconds = &at, max(0, time.Since(oldest).Seconds())
	}
	if s.DeadLetters == nil {
		return q
	}
	letters, err := s.DeadLetters.DeadLetters(ctx, eventlog.DeadLetterQuery{ProjectID: projectID, Limit: maxLetters + 1})
	if err != nil {
		return q
	}
	count := min(len(letters), maxLetters)
	q.DeadLetters, q.DeadLettersMore = &count, len(letters) > maxLetters
	return q
}
