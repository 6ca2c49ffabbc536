package tracestoretest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// Activities adds up rows by user or session.
func (m *Memory) Activities(ctx context.Context, q tracestore.ActivityQuery) (tracestore.Activities, error) {
	if err := ctx.Err(); err != nil {
		return tracestore.Activities{}, fmt.Errorf("read activities: %w", err)
	}
	rows, reach, err := m.reached(q.ProjectID, q.Where, q.MaxRows)
	if err != nil {
		return tracestore.Activities{}, err
	}
	page := tracestore.Activities{Reach: reach}
	page.Rows = 0
	groups := map[string][]*model.Observation{}
	for _, o := range rows {
		id := o.UserID
		if q.By == filter.SessionID {
			id = o.SessionID
		}
		if id != "" && strings.HasPrefix(id, q.Prefix) {
			groups[id] = append(groups[id], o)
			page.Rows++
		}
	}
	for id, group := range groups {
		page.List = append(page.List, activityOf(q.By, id, group))
	}
	page.Total = uint64(len(page.List))
	slices.SortFunc(page.List, func(a, b tracestore.Activity) int {
		outcome := cmp.Or(compareActivities(q.Order, a, b), strings.Compare(a.ID, b.ID))
		if !q.Asc {
			outcome = -outcome
		}
		return outcome
	})
	page.List = page.List[min(q.Offset, len(page.List)):]
	page.List = page.List[:min(q.Limit, len(page.List))]
	return page, nil
}

func activityOf(by filter.Column, id string, rows []*model.Observation) tracestore.Activity {
	a := tracestore.Activity{ID: id, FirstSeen: rows[0].StartTime, LastSeen: rows[0].StartTime}
	traces, users, sessions := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, o := range rows {
		if o.StartTime.Before(a.FirstSeen) {
			a.FirstSeen = o.StartTime
		}
		for _, at := range []time.Time{o.StartTime, o.EndTime} {
			if at.After(a.LastSeen) {
				a.LastSeen = at
			}
		}
		traces[o.TraceID], users[o.UserID], sessions[o.SessionID] = true, true, true
		if !o.StandsForTrace() {
			a.Observations++
		}
		if o.Level == model.Error {
			a.Errors++
		}
		tokens, costs := o.Tokens(), o.Costs()
		a.InputTokens = a.InputTokens.Add(decimal.NewFromUint64(tokens.Input))
		a.OutputTokens = a.OutputTokens.Add(decimal.NewFromUint64(tokens.Output))
		if tokens.HasTotal {
			a.TotalTokens = a.TotalTokens.Add(decimal.NewFromUint64(tokens.Total))
		}
		if costs.Total.Valid {
			a.TotalCost = a.TotalCost.Add(costs.Total.Decimal)
		}
	}
	a.Traces, a.UserCount, a.SessionCount = uint64(len(idsIn(traces))), uint64(len(idsIn(users))), uint64(len(idsIn(sessions)))
	if by == filter.SessionID {
		a.Users = idsIn(users)
		a.Users = a.Users[:min(len(a.Users), tracestore.MaxActivityUsers)]
	}
	a.FirstSeen, a.LastSeen = a.FirstSeen.UTC(), a.LastSeen.UTC()
	return a
}

// idsIn are the ids of a set but the empty one, sorted.
func idsIn(set map[string]bool) []string {
	var ids []string
	for id := range set {
		if id != "" {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

func compareActivities(by tracestore.ActivityOrder, a, b tracestore.Activity) int {
	switch by {
	case tracestore.ByFirstSeen:
		return a.FirstSeen.Compare(b.FirstSeen)
	case tracestore.ByTraces:
		return cmp.Compare(a.Traces, b.Traces)
	case tracestore.ByObservations:
		return cmp.Compare(a.Observations, b.Observations)
	case tracestore.ByErrors:
		return cmp.Compare(a.Errors, b.Errors)
	case tracestore.ByTotalTokens:
		return a.TotalTokens.Cmp(b.TotalTokens)
	case tracestore.ByTotalCost:
		return a.TotalCost.Cmp(b.TotalCost)
	case tracestore.ByDuration:
		return cmp.Compare(a.LastSeen.Sub(a.FirstSeen), b.LastSeen.Sub(b.FirstSeen))
	default:
		return a.LastSeen.Compare(b.LastSeen)
	}
}
