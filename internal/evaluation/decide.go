package evaluation

import (
	"context"
	"errors"
	"fmt"
	"slices"
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

// asks reports whether a model is asked.
func (p *plan) asks() bool {
	return slices.ContainsFunc(p.evaluators, func(e *loaded) bool { return e.Kind == model.LLMJudge })
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
		one.ruleID = rule.ID
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

func (t tally) plus(o tally) tally {
	return tally{t.Evaluated + o.Evaluated, t.Skipped + o.Skipped, t.Failed + o.Failed}
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

// work is what was done with a page, also when an error ended it.
type work struct {
	rows  int // that are decided, from the beginning of the page on
	tally tally
	cost  decimal.Decimal
}

// page decides rows in their order until the time is up or a provider wants to be left alone, one part at least. Scores are
// accepted first, then the decisions stored: what happened in between an error is done again later, to the same end.
func (d *decider) page(ctx context.Context, p *plan, rows []tracestore.Candidate, until time.Time) (done work, err error) {
	var made batch
	for len(rows) > 0 && !made.ended {
		n := partOf(rows)
		if err := d.part(ctx, p, rows[:n], until, &made); err != nil {
			return done, err
		}
		rows = rows[n:]
		// What a model was asked for is kept soon: asking again costs money.
		if p.asks() || made.ended || len(rows) == 0 {
			if err := d.keep(ctx, p, &made, &done); err != nil {
				return done, err
			}
		}
	}
	return done, nil
}

// partOf is how many rows are worked on together: as many as have loadRows to be evaluated among them.
func partOf(rows []tracestore.Candidate) int {
	chosen := 0
	for i, c := range rows {
		if c.Matches && c.Sampled {
			chosen++
		}
		if chosen == loadRows {
			return i + 1
		}
	}
	return len(rows)
}

// batch is what is to be kept.
type batch struct {
	rows      int
	decisions []model.Decision
	events    []partial.Event
	ended     bool // the page shall not go on now
}

// keep makes a batch durable and empties it.
func (d *decider) keep(ctx context.Context, p *plan, made *batch, done *work) error {
	if len(made.events) > 0 {
		if err := d.accept.AcceptScores(ctx, p.rule.ProjectID, made.events); err != nil {
			return fmt.Errorf("accept scores: %w", err)
		}
	}
	at := now()
	for i := range made.decisions {
		made.decisions[i].At = at
	}
	if err := d.store.InsertDecisions(ctx, made.decisions); err != nil {
		return fmt.Errorf("store decisions: %w", err)
	}
	done.rows += made.rows
	done.tally = done.tally.plus(count(made.decisions))
	for _, one := range made.decisions {
		if cost, err := decimal.NewFromString(one.Cost); err == nil {
			done.cost = done.cost.Add(cost)
		}
	}
	err := d.pause(ctx, p, made.decisions)
	*made = batch{ended: made.ended}
	return err
}

// task is one run of an evaluator.
type task struct {
	candidate tracestore.Candidate
	evaluator *loaded
	row       *model.Observation
	decision  model.Decision
	events    []partial.Event
	done      bool
}

// decided is a row with what the rule does with it.
type decided struct {
	skipped []model.Decision
	tasks   []*task
}

// part decides some rows, and adds those to a batch whose evaluators all have run.
func (d *decider) part(ctx context.Context, p *plan, rows []tracestore.Candidate, until time.Time, into *batch) error {
	list, err := d.lookAt(ctx, p, rows)
	if err != nil {
		return err
	}
	var tasks []*task
	least := 0 // so many run in any case, or a row with slow evaluators would never be done
	for _, row := range list {
		tasks = append(tasks, row.tasks...)
		if least == 0 {
			least = len(tasks)
		}
	}
	for ran := 0; ran < len(tasks) && (!into.ended || ran < least); {
		some := tasks[ran:min(ran+atOnce, len(tasks))]
		ran += len(some)
		if err := d.tasks(ctx, p, some); err != nil {
			return err
		}
		limited := slices.ContainsFunc(some, func(t *task) bool { return t.decision.Reason == reasonLimited })
		into.ended = into.ended || limited || time.Now().After(until)
	}
	for _, row := range list {
		if slices.ContainsFunc(row.tasks, func(t *task) bool { return !t.done }) {
			return nil // this row and those behind it are found again
		}
		into.rows++
		into.decisions = append(into.decisions, row.skipped...)
		for _, t := range row.tasks {
			into.decisions, into.events = append(into.decisions, t.decision), append(into.events, t.events...)
		}
	}
	return nil
}

// lookAt reads the rows that are to be evaluated, and says what is to be done with each.
func (d *decider) lookAt(ctx context.Context, p *plan, rows []tracestore.Candidate) ([]decided, error) {
	chosen := slices.DeleteFunc(slices.Clone(rows), func(c tracestore.Candidate) bool { return !c.Matches || !c.Sampled })
	found, err := d.rows(ctx, p.rule.ProjectID, chosen)
	if err != nil {
		return nil, err
	}
	list := make([]decided, len(rows))
	for i, c := range rows {
		row := found[keyOf(c.TraceID, c.ObservationID, c.StartTime)]
		switch {
		case !c.Matches:
			list[i].skipped = []model.Decision{p.skip(c, reasonFilter, "")}
		case !c.Sampled:
			list[i].skipped = []model.Decision{p.skip(c, reasonSampling, "")}
		case row == nil:
			list[i].skipped = []model.Decision{p.skip(c, reasonGone, "the observation was deleted before it was evaluated")}
		case row.Environment == Environment:
			list[i].skipped = []model.Decision{p.skip(c, reasonOwn, "the observation is the call of an evaluator")}
		default:
			p.assign(&list[i], c, row)
		}
	}
	return list, nil
}

// assign gives a row to every evaluator of the rule that runs.
func (p *plan) assign(to *decided, c tracestore.Candidate, row *model.Observation) {
	for _, e := range p.evaluators {
		if !e.PausedAt.IsZero() {
			to.skipped = append(to.skipped, p.by(e, p.skip(c, reasonPaused, e.PausedMessage)))
			continue
		}
		to.tasks = append(to.tasks, &task{candidate: c, evaluator: e, row: row})
	}
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
		t.done = true
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
		event, wrong := r.event(id, p.rule, t.evaluator, t.row, out.traceID)
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
	if len(wanted) == 0 {
		return nil, nil
	}
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
