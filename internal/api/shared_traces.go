package api

import (
	"context"
	"net/http"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/flagging"
	"github.com/sondehq/sonde/internal/tracestore"
)

// sharedAtOnce is how many skeletons are sent at once to people whom nobody knows; those of projects have other places.
const sharedAtOnce = 2

// sharedTraceRoutes are what the page of a public trace asks for. They answer everybody, and nothing but the trace itself.
func (s *server) sharedTraceRoutes() []route {
	const trace = "/api/public/shared-traces/{traceId}"
	return []route{
		{method: http.MethodGet, path: trace + "/skeleton", handle: s.sharedSkeleton, role: sharedNode, open: true},
		{method: http.MethodGet, path: trace + "/observations/{observationId}/io", handle: s.sharedText, role: sharedNode, open: true},
	}
}

// sharedSkeleton serves GET /api/public/shared-traces/{traceId}/skeleton.
func (s *server) sharedSkeleton(w http.ResponseWriter, r *http.Request, _ auth.Principal) error {
	p, err := readParams(r)
	if err != nil {
		return err
	}
	r, projectID, err := s.sharedTrace(r, p)
	if err != nil {
		return err
	}
	return s.answerSkeleton(w, r, s.shared, projectID)
}

// sharedText serves GET /api/public/shared-traces/{traceId}/observations/{observationId}/io.
func (s *server) sharedText(w http.ResponseWriter, r *http.Request, _ auth.Principal) error {
	p, err := readParams(r)
	if err != nil {
		return err
	}
	part := textPart(p)
	r, projectID, err := s.sharedTrace(r, p)
	if err != nil {
		return err
	}
	return s.answerText(w, r, projectID, part, []filter.Condition{
		filter.OneOf{Column: filter.ID, Values: []string{r.PathValue("observationId")}},
		filter.OneOf{Column: filter.TraceID, Values: []string{r.PathValue("traceId")}},
	})
}

// sharedTrace finds whose trace the address means. All that strangers read waits for the turns of one project that is
// nobody's, so that they never take those of the project whose trace it is.
func (s *server) sharedTrace(r *http.Request, p *params) (*http.Request, string, error) {
	projectID, _ := p.text("projectId")
	if err := p.err(); err != nil {
		return nil, "", err
	}
	if err := checkTraceID("traceId", r.PathValue("traceId")); err != nil {
		return nil, "", err
	}
	ctx := forStrangers(r.Context())
	projectID, err := s.Flags.Shared(ctx, r.PathValue("traceId"), projectID)
	if err == nil && s.Cells != nil {
		if err = s.Cells.Serves(ctx, projectID); fault.Is(err, fault.Misdirected) {
			err = flagging.ErrNotShared // rows that a project left behind here are not its trace
		}
	}
	return r.WithContext(ctx), projectID, err
}

func forStrangers(ctx context.Context) context.Context { return tracestore.ForProject(ctx, "") }
