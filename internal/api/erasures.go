package api

import (
	"context"
	"net/http"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// Erasures reads what was asked to be deleted, and what became of it.
type Erasures interface {
	ErasuresAsked(ctx context.Context, q metastore.ErasureQuery) ([]model.Erasure, error)
}

// erasureRoutes are the routes of reports on deletes: of a project to itself, and of all to the organization, which has those
// of projects that are no more.
func (s *server) erasureRoutes() []route {
	return []route{
		{method: http.MethodGet, path: "/api/public/erasures", handle: s.erasures, least: model.Admin},
		{method: http.MethodGet, path: "/api/public/organizations/erasures", handle: s.erasures, level: organizationLevel, least: model.Owner},
	}
}

// requester is who sends a request, for the report on what it asks for.
func requester(r *http.Request, caller auth.Principal) model.Requester {
	kind, id, name := actorOf(caller, model.User{})
	return model.Requester{OrganizationID: caller.Project.Organization.ID, Kind: kind, ID: id, Name: name, RequestID: infoOf(r).id}
}

// erasureJSON is a request to delete as auditors read it.
type erasureJSON struct {
	ID          string               `json:"id"`
	ProjectID   string               `json:"projectId"`
	Kind        string               `json:"kind"`
	TraceIDs    []string             `json:"traceIds"`
	State       string               `json:"state"`
	RequestedAt string               `json:"requestedAt"`
	RequestedBy auditActor           `json:"requestedBy"`
	RequestID   *string              `json:"requestId"`
	FinishedAt  *string              `json:"finishedAt"`
	Report      *model.ErasureReport `json:"report"`
	Verified    *string              `json:"verified"`
	Stays       []stayJSON           `json:"stays"`
}

// stayJSON is something that a delete does not reach.
type stayJSON struct {
	What  string `json:"what"`
	Until string `json:"until"`
}

// verifiedHow says what a finished job has done to know that nothing is left.
const verifiedHow = "The ingest log was purged up to the delete. The rows of every table of the trace store that the delete hides were counted before " +
	"and after their parts were rewritten, by the same conditions, and the replaced files were gone from the disk. Media and large spans that nothing else " +
	"uses were deleted, and what the metadata had deleted was overwritten."

// stays are what a delete does not reach, whoever asks.
func stays(e model.Erasure) []stayJSON {
	list := []stayJSON{
		{"The ids of what was deleted, with times, so that no replay brings it back", "for ever"},
		{"Backups that were made before the delete", "until they are deleted; restored with a later list of deletes, they bring nothing back"},
		{"Exports that were made before the delete", "until they are deleted where they were written"},
		{"This report, and the audit log's event", "the report for ever, the event as long as the audit log is kept"},
	}
	if e.Kind == model.ErasureOfTraces {
		list = append(list, stayJSON{"Comments, items of datasets and items of annotation queues that name a deleted trace", "until they or their project are deleted"})
	}
	if e.Report.UnreadableDeadLetters > 0 {
		list = append(list, stayJSON{"Dead letters that nobody can read, and so nobody knows what they hold", "until they are deleted"})
	}
	return list
}

func erasureOf(e model.Erasure) erasureJSON {
	out := erasureJSON{
		ID: e.ID, ProjectID: e.ProjectID, Kind: e.Kind, TraceIDs: orEmpty(e.TraceIDs), State: "HIDDEN", RequestedAt: stamp(e.AskedAt),
		RequestedBy: auditActor{e.By.Kind, orNull(e.By.ID), orNull(e.By.Name)}, RequestID: orNull(e.By.RequestID),
		FinishedAt: stampOrNull(e.FinishedAt), Stays: stays(e),
	}
	if !e.FinishedAt.IsZero() {
		how := verifiedHow
		out.State, out.Report, out.Verified = "ERASED", &e.Report, &how
		if out.Report.Rows == nil {
			out.Report.Rows = map[string]uint64{}
		}
	}
	return out
}

// erasures serves GET /api/public/erasures and GET /api/public/organizations/erasures.
func (s *server) erasures(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	p, err := readParams(r)
	if err != nil {
		return err
	}
	q := metastore.ErasureQuery{Organization: caller.Project.Organization.ID, Project: caller.Project.ID, Limit: p.number("limit", 50)}
	if q.Project == "" {
		q.Project, _ = p.text("projectId")
	}
	q.Before, _ = p.text("cursor")
	if q.Limit < 1 || q.Limit > maxPage {
		p.invalid("limit", "must be between 1 and %d", maxPage)
	}
	if q.Before != "" && metastore.CheckID("cursor", q.Before) != nil {
		p.invalid("cursor", "must be that of the page before")
	}
	if err := p.err(); err != nil {
		return err
	}
	limit := q.Limit
	q.Limit++ // whether there are more
	list, err := s.Erasures.ErasuresAsked(r.Context(), q)
	if err != nil {
		return err
	}
	meta := map[string]any{"limit": limit}
	if len(list) > limit {
		list = list[:limit]
		meta["cursor"] = list[limit-1].ID
	}
	rows := make([]erasureJSON, 0, len(list))
	for _, e := range list {
		rows = append(rows, erasureOf(e))
	}
	writeJSON(w, http.StatusOK, map[string]any{"data": rows, "meta": meta})
	return nil
}
