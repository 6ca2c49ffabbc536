package chstore

import (
	"context"
	"fmt"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/tracestore"
)

var _ tracestore.Places = (*Store)(nil)

// ObservationPlace folds what comes before it.
func (s *Store) ObservationPlace(ctx context.Context, projectID string, conditions []filter.Condition, n int) (*filter.Position, error) {
	var p params
	where, err := foldedWhere(&p, projectID, conditions)
	if err != nil {
		return nil, err
	}
	key := newKeys()
	names, results := resultOf(key.columns)
	var at *filter.Position
	err = s.reads.do(ctx, ch.Query{
		Body:       fmt.Sprintf("SELECT %s FROM observations FINAL WHERE %s ORDER BY %s LIMIT 1 OFFSET %d", names, where, pageOrder, n-1),
		Parameters: p.list,
		Result:     results,
		OnResult: func(context.Context, proto.Block) error {
			if key.traceID.Rows() > 0 {
				at = &filter.Position{StartTime: time.UnixMicro(int64(key.start.Data[0])).UTC(), TraceID: key.traceID.Row(0), ID: key.spanID.Row(0)}
			}
			return nil
		},
	})
	if err != nil {
		return nil, readError("find the place of an observation", err)
	}
	return at, nil
}

// ScorePlace folds what comes before it.
func (s *Store) ScorePlace(ctx context.Context, projectID string, conditions []filter.Condition, n int) (*filter.Position, error) {
	var p params
	from, err := s.foldedScores(ctx, &p, projectID, conditions)
	if err != nil {
		return nil, err
	}
	key := newScoreKeys()
	names, results := resultOf(key.columns)
	var at *filter.Position
	err = s.reads.do(ctx, ch.Query{
		Body:       fmt.Sprintf("SELECT %s FROM %s ORDER BY %s LIMIT 1 OFFSET %d", names, from, scoreOrder, n-1),
		Parameters: p.list,
		Result:     results,
		OnResult: func(context.Context, proto.Block) error {
			if key.id.Rows() > 0 {
				at = &filter.Position{StartTime: time.UnixMilli(int64(key.timestamp.Data[0])).UTC(), TraceID: key.traceID.Row(0), ID: key.id.Row(0)}
			}
			return nil
		},
	})
	if err != nil {
		return nil, readError("find the place of a score", err)
	}
	return at, nil
}

// CountScores counts folded scores.
func (s *Store) CountScores(ctx context.Context, projectID string, conditions []filter.Condition) (uint64, error) {
	var p params
	from, err := s.foldedScores(ctx, &p, projectID, conditions)
	if err != nil {
		return 0, err
	}
	return s.count(ctx, "count scores", from, p)
}

func (s *Store) foldedScores(ctx context.Context, p *params, projectID string, conditions []filter.Condition) (string, error) {
	dead, err := s.scoreGraves(ctx, projectID)
	if err != nil {
		return "", readError("read tombstones", err)
	}
	where, err := dead.where(p, tracestore.ScoreQuery{ProjectID: projectID, Where: conditions})
	return "scores FINAL WHERE " + where + notDeleted, err
}
