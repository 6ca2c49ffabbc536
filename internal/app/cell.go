package app

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/sondehq/sonde/internal/cells"
	"github.com/sondehq/sonde/internal/eventlog"
)

// cellPath is where a process says to whoever moves a project what is going on for it.
const cellPath = "/cell"

// unfinishedShown bounds the jobs of a project that are looked at; it has fewer unfinished ones.
const unfinishedShown = 200

// serveCell answers on the operator's listener. It shows no data of projects.
func (n *node) serveCell(w http.ResponseWriter, r *http.Request) {
	work, err := n.cellWork(r.Context(), r.URL.Query().Get("project"))
	if err != nil {
		n.logger.WarnContext(r.Context(), "the work of the cell is not known", "error", err)
		http.Error(w, "the log, the store or the jobs do not answer; try again", http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(work) // fails when the caller is gone
}

func (n *node) cellWork(ctx context.Context, projectID string) (work cells.Work, err error) {
	work = cells.Work{Cell: n.config.Cell, Now: time.Now().UTC(), Jobs: []string{}}
	if work.Store, err = n.store.Identity(ctx); err != nil {
		return work, err
	}
	status, err := n.logStatus()(ctx)
	if err != nil {
		return work, err
	}
	work.Settled = time.Now().UTC()
	if status.Pending > 0 && status.OldestPending.Before(work.Settled) {
		work.Settled = status.OldestPending.UTC()
	}
	list, err := n.jobs.List(ctx, projectID, unfinishedShown)
	if err != nil {
		return work, err
	}
	for _, job := range list {
		if !job.State.Final() {
			work.Jobs = append(work.Jobs, job.Kind+" "+job.ID)
		}
	}
	letters, err := n.anyLog().DeadLetters(ctx, eventlog.DeadLetterQuery{ProjectID: projectID, Limit: unfinishedShown})
	work.DeadLetters = len(letters)
	return work, err
}
