package chstore

import (
	"context"
	"strings"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"github.com/sondehq/sonde/internal/tracestore"
)

// Effects tests every condition on every row once. A row that fails none counts for all, a row that fails one
// condition would be there without it.
func (s *Store) Effects(ctx context.Context, q tracestore.EffectQuery) (tracestore.Effects, error) {
	ctx, cancel := context.WithTimeout(ctx, s.config.ReadWithin)
	defer cancel()
	effects := tracestore.Effects{Without: make([]uint64, len(q.Each))}
	dead, err := s.buried(ctx, q.ProjectID, false)
	if err != nil {
		return effects, readError("read tombstones", err)
	}
	rows, err := s.sampled(ctx, q.ProjectID, q.Where, q.MaxRows)
	if err != nil || rows.none {
		return effects, err
	}
	effects.Reach = rows.Reach
	sql, p, err := effectsSQL(q, rows, dead)
	if err != nil {
		return effects, err
	}
	var failed proto.ColUInt32
	var count proto.ColUInt64
	err = s.reads.do(ctx, ch.Query{
		Body:       sql,
		Parameters: p.list,
		Result:     proto.Results{{Name: "only", Data: &failed}, {Name: "n", Data: &count}},
		OnResult: func(context.Context, proto.Block) error {
			for i := range failed.Rows() {
				if place := failed.Row(i); place > 0 {
					effects.Without[place-1] = count.Row(i)
				} else {
					effects.Rows = count.Row(i)
				}
			}
			return nil
		},
	})
	if err != nil {
		return effects, readError("count what conditions take away", err)
	}
	for i := range effects.Without {
		effects.Without[i] += effects.Rows
	}
	return effects, nil
}

func effectsSQL(q tracestore.EffectQuery, rows sample, dead buried) (string, params, error) {
	var p params
	r := dead.conditions(&p, q.ProjectID).within(rows.where)
	always, err := r.all(rows.where)
	if err != nil {
		return "", p, err
	}
	fails := make([]string, len(q.Each))
	for i, c := range q.Each {
		clause, err := r.clause(c)
		if err != nil {
			return "", p, err
		}
		fails[i] = "toUInt8(NOT (" + clause + "))"
	}
	list := "CAST([" + strings.Join(fails, ", ") + "], 'Array(UInt8)')"
	return "SELECT toUInt32(indexOf(fails, 1)) AS only, count() AS n FROM (SELECT " + list + " AS fails FROM observations AS o FINAL WHERE " + always + notDeleted +
		") WHERE arraySum(fails) <= 1 GROUP BY only", p, nil
}
