package tracestoretest

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// decisionKey is what makes two decisions the same.
type decisionKey struct {
	project, rule string
	ruleVersion   int
	row           rowKey
	evaluator     string
}

func decided(d model.Decision) decisionKey {
	return decisionKey{d.ProjectID, d.RuleID, d.RuleVersion, rowKey{d.TraceID, d.ObservationID, d.StartTime.UnixMicro()}, d.EvaluatorID}
}

// InsertDecisions keeps the last decision.
func (m *Memory) InsertDecisions(ctx context.Context, list []model.Decision) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.decisions == nil {
		m.decisions = map[decisionKey]model.Decision{}
	}
	for _, d := range list {
		if held, ok := m.decisions[decided(d)]; !ok || !d.At.Before(held.At) {
			d.ScoreIDs = slices.Clone(d.ScoreIDs)
			m.decisions[decided(d)] = d
		}
	}
	return nil
}

// Undecided returns rows that a rule did not decide.
func (m *Memory) Undecided(ctx context.Context, q tracestore.UndecidedQuery) (list []tracestore.Candidate, err error) {
	rows, err := m.Observations(ctx, tracestore.ObservationQuery{ProjectID: q.ProjectID, After: q.After, Limit: everything, Metadata: true})
	if err != nil {
		return nil, err
	}
	for _, o := range rows {
		at := model.RowVersion(o.StartTime, 0)
		if !q.ByStart {
			at = o.Version
		}
		if at < model.RowVersion(q.From, 0) || at >= model.RowVersion(q.To, 0) || m.settled(q, keyOf(o)) {
			continue
		}
		matches, err := meetsAll(o, q.Where)
		if err != nil {
			return nil, err
		}
		list = append(list, tracestore.Candidate{
			TraceID: o.TraceID, ObservationID: o.ID, StartTime: o.StartTime, Matches: matches,
			Sampled: inSample(q.RuleID, o.TraceID, o.ID, q.Sampling),
		})
	}
	return list[:min(len(list), q.Limit)], nil
}

// inSample reports whether a row belongs to the fraction that a rule evaluates.
func inSample(ruleID, traceID, observationID string, fraction float64) bool {
	hash := xxhash.Sum64String(strings.Join([]string{ruleID, traceID, observationID}, "/"))
	return hash>>(64-tracestore.SampleBits) < tracestore.SampleBelow(fraction)
}

// settled reports whether a rule's decisions on a row stand.
func (m *Memory) settled(q tracestore.UndecidedQuery, row rowKey) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	found, better := false, false
	for key, d := range m.decisions {
		if key.project != q.ProjectID || key.rule != q.RuleID || key.row != row || q.RuleVersion > 0 && key.ruleVersion != q.RuleVersion {
			continue
		}
		found = true
		better = better || d.Outcome == model.FailedEvaluation || slices.Contains(tracestore.BetterReasons, d.Reason)
	}
	return found && (!q.Again || !better)
}

// CountCandidates counts what Undecided finds.
func (m *Memory) CountCandidates(ctx context.Context, q tracestore.UndecidedQuery) (rows, matching, sampled uint64, err error) {
	q.Limit = everything
	list, err := m.Undecided(ctx, q)
	for _, c := range list {
		rows++
		if c.Matches {
			matching++
		}
		if c.Matches && c.Sampled {
			sampled++
		}
	}
	return rows, matching, sampled, err
}

// ofRule lists the decisions of a rule that no tombstone hides, those about the latest rows first.
func (m *Memory) ofRule(projectID, ruleID string) (list []model.Decision) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	for key, d := range m.decisions {
		if key.project == projectID && key.rule == ruleID && model.RowVersion(d.At, 0) >= m.hiddenBelow(projectID, d.TraceID) {
			list = append(list, d)
		}
	}
	slices.SortFunc(list, func(a, b model.Decision) int { return -compareDecisions(a, b) })
	return list
}

func compareDecisions(a, b model.Decision) int {
	return cmp.Or(a.StartTime.Compare(b.StartTime), strings.Compare(a.TraceID, b.TraceID), strings.Compare(a.ObservationID, b.ObservationID),
		strings.Compare(a.EvaluatorID, b.EvaluatorID), cmp.Compare(a.RuleVersion, b.RuleVersion))
}

// Decisions returns one page.
func (m *Memory) Decisions(ctx context.Context, q tracestore.DecisionQuery) (list []model.Decision, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, d := range m.ofRule(q.ProjectID, q.RuleID) {
		if q.Outcome != "" && d.Outcome != q.Outcome || q.Reason != "" && d.Reason != q.Reason || q.TraceID != "" && d.TraceID != q.TraceID ||
			q.Evaluator != "" && d.EvaluatorID != q.Evaluator {
			continue
		}
		if at := q.After; at != nil && compareDecisions(d, model.Decision{
			StartTime: at.StartTime, TraceID: at.TraceID, ObservationID: at.ObservationID, EvaluatorID: at.EvaluatorID, RuleVersion: at.RuleVersion,
		}) >= 0 {
			continue
		}
		if len(list) < q.Limit {
			list = append(list, d)
		}
	}
	return list, nil
}

func decisionCost(d model.Decision) decimal.Decimal {
	cost, err := decimal.NewFromString(cmp.Or(d.Cost, "0"))
	if err != nil {
		panic(err) // no store takes such a decision
	}
	return cost
}

// CountDecisions counts by evaluator, outcome and reason.
func (m *Memory) CountDecisions(ctx context.Context, projectID, ruleID string, since time.Time) (list []tracestore.DecisionCount, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, d := range m.ofRule(projectID, ruleID) {
		if d.At.Before(since) {
			continue
		}
		i := slices.IndexFunc(list, func(c tracestore.DecisionCount) bool {
			return c.EvaluatorID == d.EvaluatorID && c.Outcome == d.Outcome && c.Reason == d.Reason
		})
		if i < 0 {
			i = len(list)
			list = append(list, tracestore.DecisionCount{EvaluatorID: d.EvaluatorID, Outcome: d.Outcome, Reason: d.Reason})
		}
		list[i].Count++
		list[i].Cost = list[i].Cost.Add(decisionCost(d))
	}
	slices.SortFunc(list, func(a, b tracestore.DecisionCount) int {
		return cmp.Or(strings.Compare(a.EvaluatorID, b.EvaluatorID), strings.Compare(a.Outcome, b.Outcome), strings.Compare(a.Reason, b.Reason))
	})
	return list, nil
}

// SpentSince sums what a rule ran.
func (m *Memory) SpentSince(ctx context.Context, projectID, ruleID string, since time.Time) (spent tracestore.Spent, err error) {
	if err := ctx.Err(); err != nil {
		return spent, err
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	for key, d := range m.decisions {
		if key.project == projectID && key.rule == ruleID && d.Outcome != model.Skipped && d.JobID == "" && !d.At.Before(since) {
			spent.Runs++
			spent.Cost = spent.Cost.Add(decisionCost(d))
		}
	}
	return spent, nil
}
