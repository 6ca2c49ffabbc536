package chstore

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"
	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

var _ tracestore.Baselines = (*Store)(nil)

// itemRun is a run of an item, with the number of its experiment in the query.
type itemRun struct {
	experiment uint8
	item       string
	tracestore.ItemRun
}

// itemRuns reads the newest run of every item. A trace can have several runs, and an item several traces.
func (s *Store) itemRuns(ctx context.Context, q tracestore.Compared, match func(*params) string) ([]itemRun, error) {
	var p params
	ids := p.texts(q.IDs)
	rows := experimentRows(&p, q.ProjectID, q.Window, " AND "+experimentPlace(experimentID)+" IN "+ids+match(&p))
	block := newRunBlock()
	names, results := resultOf(block.columns)
	var runs []itemRun
	err := s.reads.do(ctx, ch.Query{
		Body: "SELECT " + names + " FROM (SELECT toUInt8(indexOf(" + ids + ", " + experimentPlace(experimentID) + ") - 1) AS x, " +
			experimentPlace(experimentItem) + " AS item, trace_id AS trace, countIf(" + isItemRoot + ") AS roots, maxIf(" + pagePlace + ", " + isItemRoot + ") AS place," +
			" argMaxIf((span_id, start_time, end_time, CAST(level, 'String')), " + pagePlace + ", " + isItemRoot + ") AS root," +
			" root.1 AS span, root.2 AS start, root.3 AS end, root.4 AS reached, sum(total_cost) AS sum_cost, count(total_cost) > 0 AS priced, ifNull(toString(sum_cost), '') AS cost" +
			" FROM observations FINAL WHERE " + rows + " GROUP BY x, item, trace HAVING roots > 0)" +
			fmt.Sprintf(" ORDER BY place DESC LIMIT 1 BY x, item LIMIT %d", tracestore.MaxComparedRuns+1),
		Parameters: p.list,
		Result:     results,
		OnResult: func(context.Context, proto.Block) error {
			for i := range block.item.Rows() {
				run, err := block.row(i)
				if err != nil {
					return err
				}
				run.ExperimentID = q.IDs[run.experiment]
				runs = append(runs, run)
			}
			return nil
		},
	})
	if err == nil && len(runs) > tracestore.MaxComparedRuns {
		err = fmt.Errorf("%w: more than %d runs of items", tracestore.ErrTooExpensive, tracestore.MaxComparedRuns)
	}
	return runs, err
}

// anyItem is a match that holds for all.
func anyItem(*params) string { return "" }

// runBlock is one block of runs.
type runBlock struct {
	x                              proto.ColUInt8
	item, trace, span, level, cost proto.ColStr
	start, end                     proto.ColDateTime64
	priced                         proto.ColUInt8
	columns                        []namedColumn
}

func newRunBlock() *runBlock {
	b := &runBlock{}
	b.start.WithPrecision(proto.PrecisionMicro).WithLocation(time.UTC)
	b.end.WithPrecision(proto.PrecisionMicro).WithLocation(time.UTC)
	b.columns = []namedColumn{
		{"x", &b.x},
		{"item", &b.item},
		{"trace", &b.trace},
		{"span", &b.span},
		{"start", &b.start},
		{"end", &b.end},
		{"reached", &b.level},
		{"priced", &b.priced},
		{"cost", &b.cost},
	}
	return b
}

func (b *runBlock) row(i int) (itemRun, error) {
	run := itemRun{experiment: b.x.Row(i), item: b.item.Row(i), ItemRun: tracestore.ItemRun{
		TraceID: b.trace.Row(i), ID: b.span.Row(i), Level: model.Level(b.level.Row(i)), StartTime: timeOf(b.start.Data[i]), EndTime: timeOf(b.end.Data[i]),
	}}
	if b.priced.Row(i) != 0 {
		cost, err := decimal.NewFromString(b.cost.Row(i))
		if err != nil {
			return run, fmt.Errorf("read the cost of item %q: %w", run.item, err)
		}
		run.Cost = decimal.NewNullDecimal(cost)
	}
	return run, nil
}

// runTable has runs as a table that travels with a statement.
func runTable(runs []itemRun) proto.Input {
	var x proto.ColUInt8
	var item, trace, span proto.ColStr
	var start proto.ColInt64
	var latency, cost proto.ColFloat64
	var ended, priced proto.ColBool
	for _, r := range runs {
		x.Append(r.experiment)
		item.Append(r.item)
		trace.Append(r.TraceID)
		span.Append(r.ID)
		start.Append(r.StartTime.UnixMicro())
		ended.Append(!r.EndTime.IsZero())
		latency.Append(r.EndTime.Sub(r.StartTime).Seconds())
		priced.Append(r.Cost.Valid)
		cost.Append(r.Cost.Decimal.InexactFloat64())
	}
	return inputOf([]namedColumn{
		{"x", &x},
		{"item", &item},
		{"trace", &trace},
		{"span", &span},
		{"start", &start},
		{"latency", &latency},
		{"ended", &ended},
		{"cost", &cost},
		{"priced", &priced},
	})
}

// figures renders every figure of the runs that travel with the statement: x, item, kind, figure, type, number, text.
// Scores are folded as those of items are, see NewestScores. They are joined outside of the read of scores, so
// that every shard reads its own.
func figures(p *params, projectID string) string {
	project := "project_id = " + p.text(projectID)
	match := project + " AND session_id = '' AND experiment_id = '' AND data_type IN ('NUMERIC', 'BOOLEAN', 'CATEGORICAL') AND trace_id IN (SELECT trace FROM runs)"
	scores := "SELECT trace_id, observation_id, CAST(name, 'String') AS score, CAST(data_type, 'String') AS score_type, number_value, text_value, timestamp, id" +
		" FROM scores FINAL WHERE timestamp IN (SELECT timestamp FROM scores WHERE " + match + ") AND " + match + notDeleted +
		" AND " + traceStands(project) + " AND " + hiddenBy(project, tracestore.ScoreTombstone).alive("id", "version")
	return "(SELECT x, item, 'score' AS kind, figure, type, if(type = 'CATEGORICAL', 0, newest.1) AS number, if(type = 'CATEGORICAL', newest.2, '') AS text" +
		" FROM (SELECT r.x AS x, r.item AS item, s.score AS figure, s.score_type AS type, argMax((s.number_value, s.text_value), (s.timestamp, s.id, s.trace_id)) AS newest" +
		" FROM (" + scores + ") AS s INNER JOIN runs AS r ON r.trace = s.trace_id WHERE s.observation_id = '' OR s.observation_id = r.span" +
		" GROUP BY x, item, figure, type)" +
		" UNION ALL SELECT x, item, 'latency' AS kind, 'latency' AS figure, 'NUMERIC' AS type, latency AS number, '' AS text FROM runs WHERE ended" +
		" UNION ALL SELECT x, item, 'cost' AS kind, 'cost' AS figure, 'NUMERIC' AS type, cost AS number, '' AS text FROM runs WHERE priced)"
}

// sameWithin is tracestore.SameWithin in SQL.
var sameWithin = strconv.FormatFloat(tracestore.SameWithin, 'g', -1, 64)

// CompareExperiments has the engine pair and sum what the runs say. The runs travel back to it as a table: they are few
// beside the rows they were found among.
func (s *Store) CompareExperiments(ctx context.Context, q tracestore.Compared) ([]tracestore.FigureSummary, error) {
	ctx, cancel := context.WithTimeout(ctx, s.config.ReadWithin)
	defer cancel()
	runs, err := s.itemRuns(ctx, q, anyItem)
	if err != nil {
		return nil, readError("read runs of items", err)
	}
	if len(runs) == 0 {
		return nil, nil
	}
	var p params
	block := newSummaryBlock()
	names, results := resultOf(block.columns)
	var list []tracestore.FigureSummary
	err = s.reads.do(ctx, ch.Query{
		Body: "SELECT " + names + " FROM (SELECT kind, figure, type, each.1 AS x, count() AS n, avg(each.2) AS mean, countIf(paired) AS pairs," +
			" countIf(paired AND if(type = 'CATEGORICAL', each.3 != base.3, difference > " + sameWithin + ")) AS rose," +
			" countIf(paired AND type != 'CATEGORICAL' AND difference < -" + sameWithin + ") AS fell," +
			" avgIf(difference, paired) AS delta, sqrt(varSampStableIf(difference, paired)) AS deviation," +
			" sumMapIf([each.3], [toUInt64(1)], type = 'CATEGORICAL') AS counts," +
			fmt.Sprintf(" arraySlice(arraySort(v -> (-toInt64(v.2), v.1), arrayZip(counts.1, counts.2)), 1, %d) AS frequent,", tracestore.MaxFigureValues) +
			" frequent.1 AS texts, frequent.2 AS times, dense_rank() OVER (ORDER BY kind, figure, type) AS place" +
			" FROM (SELECT kind, figure, type, each, arrayFirst(v -> v.1 = 0, given) AS base, arrayExists(v -> v.1 = 0, given) AS paired, each.2 - base.2 AS difference" +
			" FROM (SELECT kind, figure, type, item, groupArray((x, number, text)) AS given FROM " + figures(&p, q.ProjectID) + " GROUP BY kind, figure, type, item)" +
			" ARRAY JOIN given AS each) GROUP BY kind, figure, type, x)" +
			fmt.Sprintf(" WHERE place <= %d ORDER BY kind, figure, type, x", tracestore.MaxFigures),
		Parameters:    p.list,
		ExternalTable: "runs",
		ExternalData:  runTable(runs),
		Result:        results,
		OnResult: func(context.Context, proto.Block) error {
			for i := range block.kind.Rows() {
				list = append(list, block.row(i, q.IDs))
			}
			return nil
		},
	})
	if err != nil {
		return nil, readError("compare experiments", err)
	}
	return list, nil
}

// summaryBlock is one block of summaries.
type summaryBlock struct {
	kind, figure, scoreType proto.ColStr
	x                       proto.ColUInt8
	count, pairs            proto.ColUInt64
	rose, fell              proto.ColUInt64
	mean, delta, deviation  proto.ColFloat64
	texts                   *proto.ColArr[string]
	times                   *proto.ColArr[uint64]
	columns                 []namedColumn
}

func newSummaryBlock() *summaryBlock {
	b := &summaryBlock{texts: new(proto.ColStr).Array(), times: new(proto.ColUInt64).Array()}
	b.columns = []namedColumn{
		{"kind", &b.kind},
		{"figure", &b.figure},
		{"type", &b.scoreType},
		{"x", &b.x},
		{"n", &b.count},
		{"mean", &b.mean},
		{"pairs", &b.pairs},
		{"rose", &b.rose},
		{"fell", &b.fell},
		{"delta", &b.delta},
		{"deviation", &b.deviation},
		{"texts", b.texts},
		{"times", b.times},
	}
	return b
}

func (b *summaryBlock) row(i int, ids []string) tracestore.FigureSummary {
	f := tracestore.FigureSummary{
		Figure:       tracestore.Figure{Kind: tracestore.FigureKind(b.kind.Row(i)), Name: b.figure.Row(i), Type: model.ScoreType(b.scoreType.Row(i))},
		ExperimentID: ids[b.x.Row(i)], Count: b.count.Row(i), Paired: b.pairs.Row(i), Rose: b.rose.Row(i), Fell: b.fell.Row(i),
	}
	f.Stayed = f.Paired - f.Rose - f.Fell
	if f.Ordered() {
		f.Mean, f.Delta, f.Deviation = known(b.mean.Row(i)), known(b.delta.Row(i)), known(b.deviation.Row(i))
	}
	times := b.times.Row(i)
	for j, value := range b.texts.Row(i) {
		f.Values = append(f.Values, tracestore.ValueCount{Value: value, Count: times[j]})
	}
	return f
}

// known is 0 where the engine had too little to compute with.
func known(v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	return v
}
