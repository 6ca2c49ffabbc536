package evaluation

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/shopspring/decimal"
	"golang.org/x/sync/errgroup"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/partial"
	"github.com/sondehq/sonde/internal/tracestore"
)

const (
	// pageRows is how many rows are decided at once: what a crash makes a rule look at again.
	pageRows = 1000
	// loadRows is how many rows with their texts are in memory at once.
	loadRows = 25
	// atOnce is how many evaluators run at the same time for one rule.
	atOnce = 4

	maxMessage = 500
)

// decider decides rows, live and in backfills.
type decider struct {
	meta   Meta
	store  Store
	accept Acceptor
	run    *evaluating
}

// plan is a rule that is ready to be applied.
type plan struct {
	rule       model.EvaluationRule
	where      []filter.Condition
	evaluators []*loaded
	job        string
	budget     budget
}

// budget is what may still be run. A nil bound is none.
type budget struct {
	runs *int
	cost *decimal.Decimal
}

// take asks for one run and says why there is none.
func (b *budget) take() (reason, message string) {
	if b.cost != nil && !b.cost.IsPositive() {
		return reasonBudgetCost, "the costs of the budget are used up"
	}
	if b.runs == nil {
		return "", ""
	}
	if *b.runs <= 0 {
		return reasonBudgetRuns, "the runs of the budget are used up"
	}
	*b.runs--
	return "", ""
}

func (b *budget) spend(cost string) {
	if amount, err := decimal.NewFromString(cost); err == nil && b.cost != nil {
		left := b.cost.Sub(amount)
		b.cost = &left
	}
}

// plan reads what a rule is made of.
func (d *decider) plan(ctx context.Context, rule model.EvaluationRule) (plan, error) {
	where, err := filter.Parse(rule.Filter, filter.EvaluationRules)
	if err != nil {
		return plan{}, fmt.Errorf("read the filter of a rule: %w", err)
	}
	p := plan{rule: rule, where: where}
	for _, used := range rule.Evaluators {
		e, err := d.meta.Evaluator(ctx, rule.ProjectID, used.EvaluatorID)
		if errors.Is(err, metastore.ErrNotFound) {
			continue // it was deleted this moment, and the rule has another version
		}
		if err != nil {
			return plan{}, err
		}
		one, err := load(e, used.Mapping)
		if err != nil {
			return plan{}, err
		}
		p.evaluators = append(p.evaluators, one)
	}
	return p, nil
}

// dailyBudget is what a rule may still run on the day of at, by what its decisions say.
func (d *decider) dailyBudget(ctx context.Context, rule model.EvaluationRule, at time.Time) (b budget, err error) {
	if rule.RunsPerDay == 0 && rule.CostPerDay == "" {
		return budget{}, nil
	}
	at = at.UTC()
	spent, err := d.store.SpentSince(ctx, rule.ProjectID, rule.ID, time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, time.UTC))
	if err != nil {
		return b, err
	}
	if rule.RunsPerDay > 0 {
		left := max(rule.RunsPerDay-int(min(spent.Runs, uint64(rule.RunsPerDay))), 0)
		b.runs = &left
	}
	if rule.CostPerDay != "" {
		most, err := decimal.NewFromString(rule.CostPerDay)
		if err != nil {
			return b, fmt.Errorf("read the budget of a rule: %w", err)
		}
		left := most.Sub(spent.Cost)
		b.cost = &left
	}
	return b, nil
}

// tally counts what became of rows.
type tally struct{ Evaluated, Skipped, Failed uint64 }

// page decides rows: scores first, then the decisions. What happened before an error is done again later, to the same end.
func (d *decider) page(ctx context.Context, p *plan, rows []tracestore.Candidate) (tally, error) {
	var decisions []model.Decision
	var chosen []tracestore.Candidate
	for _, c := range rows {
		switch {
		case !c.Matches:
			decisions = append(decisions, p.skip(c, reasonFilter, ""))
		case !c.Sampled:
			decisions = append(decisions, p.skip(c, reasonSampling, ""))
		default:
			chosen = append(chosen, c)
		}
	}
	var events []partial.Event
	for len(chosen) > 0 {
		chunk := chosen[:min(loadRows, len(chosen))]
		chosen = chosen[len(chunk):]
		made, scores, err := d.chunk(ctx, p, chunk)
		if err != nil {
			return tally{}, err
		}
		decisions, events = append(decisions, made...), append(events, scores...)
	}
	if len(events) > 0 {
		if err := d.accept.AcceptScores(ctx, p.rule.ProjectID, events); err != nil {
			return tally{}, fmt.Errorf("accept scores: %w", err)
		}
	}
	at := now()
	for i := range decisions {
		decisions[i].At = at
	}
	if err := d.store.InsertDecisions(ctx, decisions); err != nil {
		return tally{}, fmt.Errorf("store decisions: %w", err)
	}
	return count(decisions), d.pause(ctx, p, decisions)
}

func count(decisions []model.Decision) (t tally) {
	for _, one := range decisions {
		switch one.Outcome {
		case model.Evaluated:
			t.Evaluated++
		case model.Skipped:
			t.Skipped++
		default:
			t.Failed++
		}
	}
	return t
}

// task is one run of an evaluator.
type task struct {
	candidate tracestore.Candidate
	evaluator *loaded
	row       *model.Observation
	decision  model.Decision
	events    []partial.Event
}

// chunk evaluates a few rows by every evaluator of the rule.
func (d *decider) chunk(ctx context.Context, p *plan, rows []tracestore.Candidate) (decisions []model.Decision, events []partial.Event, err error) {
	found, err := d.rows(ctx, p.rule.ProjectID, rows)
	if err != nil {
		return nil, nil, err
	}
	var tasks []*task
	for _, c := range rows {
		row := found[keyOf(c.TraceID, c.ObservationID, c.StartTime)]
		if row == nil {
			decisions = append(decisions, p.skip(c, reasonGone, "the observation was deleted before it was evaluated"))
			continue
		}
		for _, e := range p.evaluators {
			if !e.PausedAt.IsZero() {
				decisions = append(decisions, p.by(e, p.skip(c, reasonPaused, e.PausedMessage)))
				continue
			}
			tasks = append(tasks, &task{candidate: c, evaluator: e, row: row})
		}
	}
	for len(tasks) > 0 {
		some := tasks[:min(atOnce, len(tasks))]
		tasks = tasks[len(some):]
		if err := d.tasks(ctx, p, some); err != nil {
			return nil, nil, err
		}
		for _, t := range some {
			decisions, events = append(decisions, t.decision), append(events, t.events...)
		}
	}
	return decisions, events, nil
}

// tasks runs some evaluators at once, as far as the budget goes.
func (d *decider) tasks(ctx context.Context, p *plan, some []*task) error {
	var group errgroup.Group
	for _, t := range some {
		if reason, message := p.budget.take(); reason != "" {
			t.decision = p.by(t.evaluator, p.skip(t.candidate, reason, message))
			continue
		}
		group.Go(func() error { return d.one(ctx, p, t) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for _, t := range some {
		p.budget.spend(t.decision.Cost)
	}
	return nil
}

// one runs an evaluator on a row.
func (d *decider) one(ctx context.Context, p *plan, t *task) error {
	out, err := d.run.evaluate(ctx, t.evaluator, t.row)
	t.decision = p.by(t.evaluator, p.about(t.candidate))
	t.decision.Cost, t.decision.Duration, t.decision.Outcome = out.cost, out.took, model.Evaluated
	for _, r := range out.results {
		id := scoreID(p.rule.ID, t.evaluator.ID, t.row, r.Name)
		event, wrong := r.event(id, p.rule, t.evaluator, t.row)
		if wrong != nil && err == nil {
			err = &failure{reasonOutput, wrong.Error()}
			break
		}
		t.events, t.decision.ScoreIDs = append(t.events, event), append(t.decision.ScoreIDs, id)
	}
	if f, ok := errors.AsType[*failure](err); ok {
		t.events, t.decision.ScoreIDs = nil, nil
		t.decision.Outcome, t.decision.Reason, t.decision.Message = model.FailedEvaluation, f.reason, cut(f.message, maxMessage)
		return nil
	}
	return err
}

func (p *plan) about(c tracestore.Candidate) model.Decision {
	return model.Decision{
		ProjectID: p.rule.ProjectID, RuleID: p.rule.ID, RuleVersion: p.rule.Version, TraceID: c.TraceID, ObservationID: c.ObservationID,
		StartTime: c.StartTime, JobID: p.job,
	}
}

func (p *plan) skip(c tracestore.Candidate, reason, message string) model.Decision {
	decision := p.about(c)
	decision.Outcome, decision.Reason, decision.Message = model.Skipped, reason, cut(message, maxMessage)
	return decision
}

func (p *plan) by(e *loaded, decision model.Decision) model.Decision {
	decision.EvaluatorID, decision.EvaluatorVersion = e.ID, e.Latest.Number
	return decision
}

func keyOf(traceID, id string, start time.Time) string {
	return fmt.Sprintf("%q %q %d", traceID, id, start.UnixMicro())
}

// rows reads rows with their texts, by key.
func (d *decider) rows(ctx context.Context, projectID string, wanted []tracestore.Candidate) (map[string]*model.Observation, error) {
	first, last := wanted[0].StartTime, wanted[0].StartTime
	var ids, traces []string
	for _, c := range wanted {
		if c.StartTime.Before(first) {
			first = c.StartTime
		}
		if c.StartTime.After(last) {
			last = c.StartTime
		}
		ids, traces = append(ids, c.ObservationID), append(traces, c.TraceID)
	}
	where := []filter.Condition{
		filter.Time{Column: filter.StartTime, Op: filter.AtLeast, At: first},
		filter.Time{Column: filter.StartTime, Op: filter.AtMost, At: last},
		filter.OneOf{Column: filter.TraceID, Values: traces},
		filter.OneOf{Column: filter.ID, Values: ids},
	}
	found := map[string]*model.Observation{}
	for after := (*filter.Position)(nil); ; {
		page, err := d.store.Observations(ctx, tracestore.ObservationQuery{ProjectID: projectID, Where: where, After: after, Limit: loadRows, IO: true, Metadata: true})
		if err != nil {
			return nil, err
		}
		for _, o := range page {
			found[keyOf(o.TraceID, o.ID, o.StartTime)] = o
			after = &filter.Position{StartTime: o.StartTime, TraceID: o.TraceID, ID: o.ID}
		}
		if len(page) < loadRows {
			return found, nil
		}
	}
}

// pause stops an evaluator whose model cannot be reached: every further row would fail alike.
func (d *decider) pause(ctx context.Context, p *plan, decisions []model.Decision) error {
	for _, e := range p.evaluators {
		for _, one := range decisions {
			if one.EvaluatorID != e.ID || one.Reason != reasonNoModel || !e.PausedAt.IsZero() {
				continue
			}
			e.PausedAt, e.PausedReason, e.PausedMessage = now(), reasonNoModel, one.Message
			err := d.meta.UpdateEvaluator(ctx, e.EvaluatorEntity)
			if err != nil && !errors.Is(err, metastore.ErrChanged) && !errors.Is(err, metastore.ErrNotFound) {
				return err
			}
		}
	}
	return nil
}
