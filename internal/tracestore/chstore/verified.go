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

// verifiedRows finds candidates and verifies them, and goes on below the last candidate where too many
// were versions of the same rows or stale.
//
// It misses nothing: the newest version of a row that matches is a candidate. It shows nothing stale: of
// every candidate all versions are read in one statement, and the newest decides.
func (s *Store) verifiedRows(ctx context.Context, q tracestore.ObservationQuery, dead graves) ([]*model.Observation, error) {
	var page []*model.Observation
	for fetch := fetchFor(q.Limit); ; fetch = nextFetch(fetch) {
		wanted, found, err := s.candidates(ctx, q, dead, fetch)
		if err != nil || found == 0 {
			return page, err
		}
		rows, err := s.verify(ctx, wanted, q, dead)
		if err != nil {
			return nil, err
		}
		page = append(page, rows...)
		if len(page) >= q.Limit || found < fetch {
			return page[:min(len(page), q.Limit)], nil
		}
		last := wanted.traceID.Rows() - 1
		q.After = &filter.Position{StartTime: wanted.start.Row(last), TraceID: wanted.traceID.Row(last), ID: wanted.spanID.Row(last)}
	}
}

// keys are the keys of rows, as a table that travels with a statement.
type keys struct {
	traceID, spanID proto.ColStr
	start           proto.ColDateTime64
	columns         []namedColumn
}

func newKeys() *keys {
	k := &keys{}
	k.start.WithPrecision(proto.PrecisionMicro).WithLocation(time.UTC)
	k.columns = []namedColumn{{"trace_id", &k.traceID}, {"start_time", &k.start}, {"span_id", &k.spanID}}
	return k
}

// candidates finds the newest versions that match, at most fetch, without looking whether they are the
// newest of their rows. It returns their keys, each once, and how many versions there were.
func (s *Store) candidates(ctx context.Context, q tracestore.ObservationQuery, dead graves, fetch int) (*keys, int, error) {
	var p params
	where, err := pageWhere(&p, q, dead)
	if err != nil {
		return nil, 0, err
	}
	read, wanted, found := newKeys(), newKeys(), 0
	names, results := resultOf(read.columns)
	err = s.reads.do(ctx, ch.Query{
		Body:       fmt.Sprintf("SELECT %s FROM observations WHERE %s ORDER BY %s LIMIT %d", names, where+notDeleted, pageOrder, fetch),
		Parameters: p.list,
		Result:     results,
		OnResult: func(context.Context, proto.Block) error {
			for i := range read.traceID.Rows() {
				found++
				wanted.add(read, i)
			}
			return nil
		},
	})
	return wanted, found, err
}

// add appends row i of from unless it is the last one here.
func (k *keys) add(from *keys, i int) {
	trace, span, start := from.traceID.Row(i), from.spanID.Row(i), from.start.Data[i]
	if last := k.traceID.Rows() - 1; last >= 0 && k.start.Data[last] == start && k.spanID.Row(last) == span && k.traceID.Row(last) == trace {
		return
	}
	k.traceID.Append(trace)
	k.spanID.Append(span)
	k.start.AppendRaw(start)
}

// verify reads the rows with the given keys whose newest version matches, in page order.
func (s *Store) verify(ctx context.Context, wanted *keys, q tracestore.ObservationQuery, dead graves) ([]*model.Observation, error) {
	var p params
	r := conditions{params: &p, project: "project_id = " + p.text(q.ProjectID), hidden: dead.bind(&p), wanted: true}
	where, err := r.all(q.Where)
	if err != nil {
		return nil, err
	}
	var matches proto.ColUInt8
	block := newSpine(partsOf(q))
	names, results := resultOf(block.columns)
	var rows []*model.Observation
	var newest *model.Observation
	err = s.reads.do(ctx, ch.Query{
		Body: "SELECT " + names + ", toUInt8(" + where + notDeleted + ") AS matches FROM observations WHERE " + r.project +
			" AND (start_time, trace_id, span_id) IN (SELECT start_time, trace_id, span_id FROM wanted)" +
			" ORDER BY " + pageOrder + ", version DESC",
		Parameters:    p.list,
		ExternalTable: "wanted",
		ExternalData:  inputOf(wanted.columns),
		Result:        append(results, proto.ResultColumn{Name: "matches", Data: &matches}),
		OnResult: func(context.Context, proto.Block) error {
			for i := range block.traceID.Rows() {
				o := block.row(i)
				if newest != nil && sameRow(newest, o) {
					continue
				}
				newest = o
				if matches.Row(i) != 0 {
					rows = append(rows, o)
				}
			}
			return nil
		},
	})
	return rows, err
}
