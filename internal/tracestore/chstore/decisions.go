package chstore

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"
	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// decisionBlock is one block of the table decisions, for inserts and for reads.
type decisionBlock struct {
	projectID, ruleID, evaluatorID, outcome, reason, jobID *proto.ColLowCardinality[string]
	ruleVersion, evaluatorVersion                          proto.ColUInt32
	traceID, spanID, message                               proto.ColStr
	start, at                                              proto.ColDateTime64
	scoreIDs                                               *proto.ColArr[string]
	cost                                                   *proto.ColNullable[proto.Decimal64]
	duration, version                                      proto.ColUInt64
}

func newDecisionBlock() *decisionBlock {
	b := &decisionBlock{
		projectID: lowCardinality(), ruleID: lowCardinality(), evaluatorID: lowCardinality(), outcome: lowCardinality(), reason: lowCardinality(),
		jobID: lowCardinality(), scoreIDs: new(proto.ColStr).Array(), cost: proto.NewColNullable[proto.Decimal64](new(money)),
	}
	b.start.WithPrecision(proto.PrecisionMicro).WithLocation(time.UTC)
	b.at.WithPrecision(proto.PrecisionMicro).WithLocation(time.UTC)
	return b
}

func (b *decisionBlock) columns() []namedColumn {
	return []namedColumn{
		{"project_id", b.projectID},
		{"rule_id", b.ruleID},
		{"rule_version", &b.ruleVersion},
		{"trace_id", &b.traceID},
		{"span_id", &b.spanID},
		{"start_time", &b.start},
		{"evaluator_id", b.evaluatorID},
		{"evaluator_version", &b.evaluatorVersion},
		{"outcome", b.outcome},
		{"reason", b.reason},
		{"message", &b.message},
		{"score_ids", b.scoreIDs},
		{"cost", b.cost},
		{"duration_us", &b.duration},
		{"job_id", b.jobID},
		{"at", &b.at},
		{"version", &b.version},
	}
}

func (b *decisionBlock) append(d model.Decision) error {
	cost := proto.Null[proto.Decimal64]()
	if d.Cost != "" {
		amount, err := decimal.NewFromString(d.Cost)
		if err != nil {
			return fmt.Errorf("read the cost of a decision: %w", err)
		}
		cost = proto.NewNullable(proto.Decimal64(amount.Shift(costDigits).IntPart()))
	}
	b.projectID.Append(d.ProjectID)
	b.ruleID.Append(d.RuleID)
	b.ruleVersion.Append(uint32(d.RuleVersion))
	b.traceID.Append(d.TraceID)
	b.spanID.Append(d.ObservationID)
	b.start.AppendRaw(proto.DateTime64(d.StartTime.UnixMicro()))
	b.evaluatorID.Append(d.EvaluatorID)
	b.evaluatorVersion.Append(uint32(d.EvaluatorVersion))
	b.outcome.Append(d.Outcome)
	b.reason.Append(d.Reason)
	b.message.Append(d.Message)
	b.scoreIDs.Append(d.ScoreIDs)
	b.cost.Append(cost)
	b.duration.Append(uint64(d.Duration.Microseconds()))
	b.jobID.Append(d.JobID)
	b.at.AppendRaw(proto.DateTime64(d.At.UnixMicro()))
	b.version.Append(model.RowVersion(d.At, 0))
	return nil
}

func (b *decisionBlock) row(i int) model.Decision {
	d := model.Decision{
		ProjectID: b.projectID.Row(i), RuleID: b.ruleID.Row(i), RuleVersion: int(b.ruleVersion.Row(i)),
		TraceID: b.traceID.Row(i), ObservationID: b.spanID.Row(i), StartTime: time.UnixMicro(int64(b.start.Data[i])).UTC(),
		EvaluatorID: b.evaluatorID.Row(i), EvaluatorVersion: int(b.evaluatorVersion.Row(i)),
		Outcome: b.outcome.Row(i), Reason: b.reason.Row(i), Message: b.message.Row(i), ScoreIDs: b.scoreIDs.Row(i),
		Duration: time.Duration(b.duration.Row(i)) * time.Microsecond, JobID: b.jobID.Row(i), At: time.UnixMicro(int64(b.at.Data[i])).UTC(),
	}
	if cost := b.cost.Row(i); cost.Set {
		d.Cost = decimal.New(int64(cost.Value), -costDigits).String()
	}
	return d
}

// InsertDecisions stores decisions; those that are made again fold.
func (s *Store) InsertDecisions(ctx context.Context, list []model.Decision) error {
	block := newDecisionBlock()
	for _, d := range list {
		if err := block.append(d); err != nil {
			return err
		}
	}
	return s.insertBlock(ctx, newTableBlock("decisions", block.columns()))
}

// Decisions reads one page of a rule.
func (s *Store) Decisions(ctx context.Context, q tracestore.DecisionQuery) ([]model.Decision, error) {
	ctx, cancel := context.WithTimeout(ctx, s.config.ReadWithin)
	defer cancel()
	var p params
	var clauses strings.Builder
	clauses.WriteString(decisionsOf(&p, q.ProjectID, q.RuleID))
	for column, value := range map[string]string{"outcome": q.Outcome, "reason": q.Reason, "trace_id": q.TraceID, "evaluator_id": q.Evaluator} {
		if value != "" {
			clauses.WriteString(" AND " + column + " = " + p.text(value))
		}
	}
	if at := q.After; at != nil {
		clauses.WriteString(" AND (start_time, trace_id, span_id, evaluator_id, rule_version) < (" + p.micros(at.StartTime.UnixMicro()) + ", " + p.text(at.TraceID) + ", " +
			p.text(at.ObservationID) + ", " + p.text(at.EvaluatorID) + ", " + strconv.Itoa(at.RuleVersion) + ")")
	}
	block := newDecisionBlock()
	names, results := resultOf(block.columns())
	var list []model.Decision
	err := s.reads.do(ctx, ch.Query{
		Body: "SELECT " + names + " FROM decisions FINAL WHERE " + clauses.String() +
			" ORDER BY start_time DESC, trace_id DESC, span_id DESC, evaluator_id DESC, rule_version DESC" + fmt.Sprintf(" LIMIT %d", q.Limit),
		Parameters: p.list,
		Result:     results,
		OnResult: func(context.Context, proto.Block) error {
			for i := range block.traceID.Rows() {
				list = append(list, block.row(i))
			}
			return nil
		},
	})
	if err != nil {
		return nil, readError("read decisions", err)
	}
	return list, nil
}

// decisionsOf is the condition on the decisions of a rule that no tombstone hides.
func decisionsOf(p *params, projectID, ruleID string) string {
	project := "project_id = " + p.text(projectID)
	return project + " AND rule_id = " + p.text(ruleID) + " AND " + hiddenBy(project, tracestore.TraceTombstone).alive("trace_id", "version")
}

// CountDecisions counts by evaluator, outcome and reason.
func (s *Store) CountDecisions(ctx context.Context, projectID, ruleID string, since time.Time) ([]tracestore.DecisionCount, error) {
	ctx, cancel := context.WithTimeout(ctx, s.config.ReadWithin)
	defer cancel()
	var p params
	evaluator, outcome, reason := lowCardinality(), lowCardinality(), lowCardinality()
	var count proto.ColUInt64
	var cost sumOfMoney
	var list []tracestore.DecisionCount
	err := s.reads.do(ctx, ch.Query{
		Body: "SELECT evaluator_id, outcome, reason, count() AS n, ifNull(sum(cost), toDecimal128(0, 12)) AS spent FROM decisions FINAL WHERE " +
			decisionsOf(&p, projectID, ruleID) + " AND at >= " + p.micros(since.UnixMicro()) +
			" GROUP BY evaluator_id, outcome, reason ORDER BY evaluator_id, outcome, reason",
		Parameters: p.list,
		Result: proto.Results{
			{Name: "evaluator_id", Data: evaluator},
			{Name: "outcome", Data: outcome},
			{Name: "reason", Data: reason},
			{Name: "n", Data: &count},
			{Name: "spent", Data: &cost},
		},
		OnResult: func(context.Context, proto.Block) error {
			for i := range count.Rows() {
				list = append(list, tracestore.DecisionCount{
					EvaluatorID: evaluator.Row(i), Outcome: outcome.Row(i), Reason: reason.Row(i), Count: count.Row(i), Cost: cost.decimal(i),
				})
			}
			return nil
		},
	})
	if err != nil {
		return nil, readError("count decisions", err)
	}
	return list, nil
}

// SpentSince sums what a rule ran.
func (s *Store) SpentSince(ctx context.Context, projectID, ruleID string, since time.Time) (tracestore.Spent, error) {
	ctx, cancel := context.WithTimeout(ctx, s.config.ReadWithin)
	defer cancel()
	var p params
	var count proto.ColUInt64
	var cost sumOfMoney
	var spent tracestore.Spent
	err := s.reads.do(ctx, ch.Query{
		Body: "SELECT count() AS n, ifNull(sum(cost), toDecimal128(0, 12)) AS spent FROM decisions FINAL WHERE project_id = " + p.text(projectID) +
			" AND rule_id = " + p.text(ruleID) + " AND outcome != '" + model.Skipped + "' AND job_id = '' AND at >= " + p.micros(since.UnixMicro()),
		Parameters: p.list,
		Result:     proto.Results{{Name: "n", Data: &count}, {Name: "spent", Data: &cost}},
		OnResult: func(context.Context, proto.Block) error {
			if count.Rows() > 0 {
				spent = tracestore.Spent{Runs: count.Row(0), Cost: cost.decimal(0)}
			}
			return nil
		},
	})
	if err != nil {
		return tracestore.Spent{}, readError("sum what a rule ran", err)
	}
	return spent, nil
}

// settledReasons is the condition that a decision cannot be made better.
func settledReasons() string {
	return "(outcome = '" + model.Evaluated + "' OR outcome = '" + model.Skipped + "' AND reason NOT IN ('" + strings.Join(tracestore.BetterReasons, "', '") + "'))"
}
