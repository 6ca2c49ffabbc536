package query

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/tracestore"
)

// activityOrders are what users and sessions can be ordered by.
var activityOrders = []tracestore.ActivityOrder{
	tracestore.ByLastSeen, tracestore.ByFirstSeen, tracestore.ByTraces, tracestore.ByObservations, tracestore.ByErrors, tracestore.ByTotalTokens,
	tracestore.ByTotalCost, tracestore.ByDuration,
}

// MaxActivitySkip is how many users or sessions may come before a page.
const MaxActivitySkip = 100_000

// ActivityRequest asks for a page of users or sessions that were active in a range of start times.
type ActivityRequest struct {
	RowFilter
	By     filter.Column // UserID or SessionID
	Prefix string        // of the id
	Order  string        // such as lastSeen.desc; empty: that
	Number PageNumber
}

// Activities returns a page of users or sessions.
func (s *Service) Activities(ctx context.Context, projectID string, req ActivityRequest) (tracestore.Activities, error) {
	q := tracestore.ActivityQuery{ProjectID: projectID, By: req.By, Prefix: req.Prefix, Limit: req.Number.Limit, MaxRows: MaxFacetRows}
	if req.Order == "" {
		req.Order = string(tracestore.ByLastSeen) + ".desc"
	}
	name, direction, _ := strings.Cut(req.Order, ".")
	q.Order, q.Asc = tracestore.ActivityOrder(name), direction == "asc"
	if !slices.Contains(activityOrders, q.Order) || !q.Asc && direction != "desc" {
		return tracestore.Activities{}, fault.Invalidf("orderBy", "must be one of %s, followed by .asc or .desc, such as lastSeen.desc", join(activityOrders))
	}
	if req.Number.Page-1 > MaxActivitySkip/req.Number.Limit {
		return tracestore.Activities{}, fault.Invalidf("page", "must not begin behind %d rows; use a shorter range, a prefix or another order", MaxActivitySkip)
	}
	q.Offset = (req.Number.Page - 1) * req.Number.Limit
	var err error
	if q.Where, err = req.where(); err != nil {
		return tracestore.Activities{}, err
	}
	if err := spanOf(q.Where).boundedBelow(); err != nil {
		return tracestore.Activities{}, err
	}
	page, err := s.store.Activities(ctx, q)
	if err != nil {
		return page, readFault(fmt.Errorf("read activities of project %s: %w", projectID, err), shorterRange)
	}
	return page, nil
}
