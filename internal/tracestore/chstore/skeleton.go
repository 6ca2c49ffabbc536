package chstore

import (
	"context"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

var _ tracestore.Skeletons = (*Store)(nil)

// Skeleton reads the trace once, in the order of the table, which for one trace is start time, then id: so versions
// of a row are neighbors, children are in order, and making a tree of them needs no sorting.
func (s *Store) Skeleton(ctx context.Context, projectID, traceID string) (*tracestore.Skeleton, error) {
	ctx, cancel := context.WithTimeout(ctx, s.config.ReadWithin)
	defer cancel()
	dead, err := s.graves(ctx, projectID, tracestore.TraceTombstone)
	if err != nil {
		return nil, readError("read tombstones", err)
	}
	rows, err := s.skeletonRows(ctx, projectID, traceID, dead)
	if err != nil {
		return nil, readError("read a trace", err)
	}
	if !rows.root.there {
		return nil, nil
	}
	skeleton := rows.skeleton()
	if err := s.describe(ctx, projectID, skeleton, rows.root, dead); err != nil {
		return nil, readError("read the facts of a trace", err)
	}
	return skeleton, nil
}

// ofTrace is the condition that rows belong to one trace.
func ofTrace(traceID string) filter.Condition {
	return filter.OneOf{Column: filter.TraceID, Values: []string{traceID}}
}

func (s *Store) skeletonRows(ctx context.Context, projectID, traceID string, dead graves) (*skeletonRows, error) {
	var p params
	where, err := pageWhere(&p, tracestore.ObservationQuery{ProjectID: projectID, Where: []filter.Condition{ofTrace(traceID)}}, dead)
	if err != nil {
		return nil, err
	}
	block, rows := newSkeletonBlock(), newSkeletonRows(traceID)
	err = s.reads.do(ctx, ch.Query{
		Body:       "SELECT " + skeletonSelection + " FROM observations WHERE " + where + " ORDER BY start_time, xxHash32(trace_id), span_id, trace_id",
		Parameters: p.list,
		Result:     block.results(),
		OnResult: func(context.Context, proto.Block) error {
			for i := range block.id.Rows() {
				rows.add(block, i)
			}
			return nil
		},
	})
	rows.settle()
	return rows, err
}

// describe adds what the root of the trace says and what the trace lends.
func (s *Store) describe(ctx context.Context, projectID string, skeleton *tracestore.Skeleton, root rootOf, dead graves) error {
	at := time.UnixMicro(root.start).UTC()
	found, err := s.page(ctx, tracestore.ObservationQuery{
		ProjectID: projectID, Limit: 1, Brief: true,
		Where: []filter.Condition{
			ofTrace(skeleton.TraceID),
			filter.OneOf{Column: filter.ID, Values: []string{root.id}},
			filter.Time{Column: filter.StartTime, Op: filter.AtLeast, At: at},
			filter.Time{Column: filter.StartTime, Op: filter.AtMost, At: at},
		},
	}, dead)
	if err != nil {
		return err
	}
	if len(found) == 0 { // deleted since the rows were read
		found = []*model.Observation{{Environment: model.DefaultEnvironment}}
	}
	skeleton.Environment, skeleton.CodeVersion = found[0].Environment, found[0].CodeVersion
	skeleton.Public, skeleton.Bookmarked = found[0].Public, found[0].Bookmarked
	facts, err := s.facts(ctx, projectID, []string{skeleton.TraceID}, dead)
	if err != nil {
		return err
	}
	lent := facts[skeleton.TraceID]
	skeleton.Name, skeleton.UserID, skeleton.SessionID = lent.name, lent.userID, lent.sessionID
	skeleton.Release, skeleton.Tags = lent.release, lent.tags
	return nil
}
