package api

import (
	"context"
	"net/http"
	"sync"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/fault"
)

// errReadCanceled is the answer to a read that its project canceled.
var errReadCanceled = refusal{http.StatusUnprocessableEntity, "RequestCanceledError", "The read was canceled by DELETE /api/public/queries/{requestId}"}

// runningReads are the reads that this node works on, by project and request id.
type runningReads struct {
	mu   sync.Mutex
	next uint64
	byID map[readID]map[uint64]context.CancelCauseFunc
}

// readID names reads; several at once if their client gave them one id.
type readID struct{ project, request string }

func newRunningReads() *runningReads {
	return &runningReads{byID: map[readID]map[uint64]context.CancelCauseFunc{}}
}

// begin notes a read until done is called.
func (r *runningReads) begin(ctx context.Context, project, request string) (_ context.Context, done func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	id := readID{project, request}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.next++
	number := r.next
	if r.byID[id] == nil {
		r.byID[id] = map[uint64]context.CancelCauseFunc{}
	}
	r.byID[id][number] = cancel
	return ctx, func() {
		cancel(nil)
		r.mu.Lock()
		defer r.mu.Unlock()
		if delete(r.byID[id], number); len(r.byID[id]) == 0 {
			delete(r.byID, id)
		}
	}
}

// cancel ends the reads with an id and says how many there were.
func (r *runningReads) cancel(project, request string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	reads := r.byID[readID{project, request}]
	for _, cancel := range reads {
		cancel(errReadCanceled)
	}
	return len(reads)
}

// cancelRead serves DELETE /api/public/queries/{requestId}.
func (s *server) cancelRead(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	canceled := s.reads.cancel(caller.Project.ID, r.PathValue("requestId"))
	if canceled == 0 {
		return fault.New(fault.NotFound, "No read with this request id is running here").
			Hint("it may have ended, or another node works on it; closing its connection cancels it, too")
	}
	writeJSON(w, http.StatusOK, map[string]int{"canceled": canceled})
	return nil
}
