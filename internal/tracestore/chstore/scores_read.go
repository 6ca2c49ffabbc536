package chstore

import (
	"context"
	"fmt"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

var _ tracestore.Scores = (*Store)(nil)

// scoreOrder is newest first; its ascending form is the table's own order.
const scoreOrder = "timestamp DESC, id DESC, trace_id DESC"

// Scores reads one page: candidates first, by their keys, then all versions of those in one statement, of which
// the newest decides; and goes on below the last candidate where too many were stale.
//
// Candidates are in the order of the table alone, without the version: with it the engine would read all rows
// of the project to sort them, without it the first granules do.
func (s *Store) Scores(ctx context.Context, q tracestore.ScoreQuery) ([]*model.Score, error) {
	if q.Limit <= 0 {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.config.ReadWithin)
	defer cancel()
	dead, err := s.scoreGraves(ctx, q.ProjectID)
	if err != nil {
		return nil, readError("read tombstones", err)
	}
	page, err := s.verifiedScores(ctx, q, dead)
	if err != nil {
		return nil, readError("read scores", err)
	}
	return page[:min(len(page), q.Limit)], nil
}

// pageWhere is what a statement of a page asks for: conditions and "strictly below the cursor", whose
// first part feeds the primary key.
func (d scoreGraves) pageWhere(p *params, q tracestore.ScoreQuery) (string, error) {
	where, err := d.where(p, q)
	if at := q.After; at != nil {
		stamp := p.scoreTime(at.StartTime)
		where += " AND timestamp <= " + stamp + " AND (timestamp, id, trace_id) < (" + stamp + ", " + p.text(at.ID) + ", " + p.text(at.TraceID) + ")"
	}
	return where, err
}

func (s *Store) verifiedScores(ctx context.Context, q tracestore.ScoreQuery, dead scoreGraves) ([]*model.Score, error) {
	var page []*model.Score
	for fetch := fetchFor(q.Limit); ; fetch = nextFetch(fetch) {
		wanted, err := s.scoreCandidates(ctx, q, dead, fetch)
		if err != nil || wanted.id.Rows() == 0 {
			return page, err
		}
		scores, err := s.verifyScores(ctx, wanted, q, dead)
		if err != nil {
			return nil, err
		}
		page = append(page, scores...)
		last := wanted.id.Rows() - 1
		if len(page) >= q.Limit || last+1 < fetch {
			return page, nil
		}
		q.After = &filter.Position{StartTime: wanted.timestamp.Row(last), TraceID: wanted.traceID.Row(last), ID: wanted.id.Row(last)}
	}
}

// scoreKeys are the keys of scores, as a table that travels with a statement.
type scoreKeys struct {
	id, traceID proto.ColStr
	timestamp   proto.ColDateTime64
	columns     []namedColumn
}

func newScoreKeys() *scoreKeys {
	k := &scoreKeys{}
	k.timestamp.WithPrecision(proto.PrecisionMilli).WithLocation(time.UTC)
	k.columns = []namedColumn{{"timestamp", &k.timestamp}, {"id", &k.id}, {"trace_id", &k.traceID}}
	return k
}

// scoreCandidates finds the keys of the newest versions that match, at most fetch, without looking whether
// they are the newest of their scores.
func (s *Store) scoreCandidates(ctx context.Context, q tracestore.ScoreQuery, dead scoreGraves, fetch int) (*scoreKeys, error) {
	var p params
	where, err := dead.pageWhere(&p, q)
	if err != nil {
		return nil, err
	}
	read, wanted := newScoreKeys(), newScoreKeys()
	names, results := resultOf(read.columns)
	err = s.reads.do(ctx, ch.Query{
		Body:       fmt.Sprintf("SELECT %s FROM scores WHERE %s ORDER BY %s LIMIT %d", names, where+notDeleted, scoreOrder, fetch),
		Parameters: p.list,
		Result:     results,
		OnResult: func(context.Context, proto.Block) error {
			for i := range read.id.Rows() {
				wanted.id.Append(read.id.Row(i))
				wanted.traceID.Append(read.traceID.Row(i))
				wanted.timestamp.AppendRaw(read.timestamp.Data[i])
			}
			return nil
		},
	})
	return wanted, err
}

// verifyScores reads the scores with the given keys whose newest version matches, in page order.
func (s *Store) verifyScores(ctx context.Context, wanted *scoreKeys, q tracestore.ScoreQuery, dead scoreGraves) ([]*model.Score, error) {
	var p params
	where, err := dead.where(&p, q)
	if err != nil {
		return nil, err
	}
	var scores []*model.Score
	var newest *model.Score
	var matches proto.ColUInt8
	block := newScoreBlock(q.Metadata)
	names, results := resultOf(block.columns)
	err = s.reads.do(ctx, ch.Query{
		Body: "SELECT " + names + ", toUInt8(" + where + notDeleted + ") AS matches FROM scores WHERE project_id = " + p.text(q.ProjectID) +
			" AND (timestamp, id, trace_id) IN (SELECT timestamp, id, trace_id FROM wanted) ORDER BY " + scoreOrder + ", version DESC",
		Parameters:    p.list,
		ExternalTable: "wanted",
		ExternalData:  inputOf(wanted.columns),
		Result:        append(results, proto.ResultColumn{Name: "matches", Data: &matches}),
		OnResult: func(context.Context, proto.Block) error {
			for i := range block.id.Rows() {
				score := block.row(i)
				if newest != nil && sameScore(newest, score) {
					continue
				}
				if newest = score; matches.Row(i) != 0 {
					scores = append(scores, score)
				}
			}
			return nil
		},
	})
	return scores, err
}

func sameScore(a, b *model.Score) bool {
	return a.ID == b.ID && a.TraceID == b.TraceID && a.Timestamp.Equal(b.Timestamp)
}
