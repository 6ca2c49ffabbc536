package evaluation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/jobs"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// Kind is the name of the job that applies a rule to rows of the past.
const Kind = "evaluate"

// Handler applies rules to rows of the past.
type Handler struct{ decider }

// NewHandler makes the handler of the job.
func NewHandler(meta Meta, store Store, accept Acceptor, code Code, models Models) *Handler {
	return &Handler{decider{meta: meta, store: store, accept: accept, run: newEvaluating(code, models)}}
}

// parameters of a backfill.
type parameters struct {
	Kind    string    `json:"kind,omitempty"`
	RuleID  string    `json:"ruleId"`
	From    time.Time `json:"from"` // of starts, inclusive
	To      time.Time `json:"to"`   // exclusive
	MaxRuns *int      `json:"maxRuns,omitempty"`
	MaxCost *string   `json:"maxCost,omitempty"`
}

// Check implements jobs.Handler.
func (h *Handler) Check(raw json.RawMessage) (json.RawMessage, error) {
	var p parameters
	if err := json.Unmarshal(raw, &p); err != nil {
		return nil, fault.New(fault.Invalid, "The parameters of a backfill cannot be read").
			Hint(`send {"kind":"evaluate","ruleId":"…","from":"2026-05-01T00:00:00Z","to":"2026-05-02T00:00:00Z"}`).Because(err)
	}
	switch {
	case p.RuleID == "":
		return nil, fault.Invalidf("ruleId", "must be given")
	case p.From.IsZero() || !p.From.Before(p.To) || p.From.Year() < 1970 || p.To.Year() > 2200:
		return nil, fault.Invalidf("from", "must be a time before to, both between 1970 and 2200")
	case p.MaxRuns != nil && *p.MaxRuns < 0:
		return nil, fault.Invalidf("maxRuns", "must not be negative")
	}
	if p.MaxCost != nil {
		if cost, err := decimal.NewFromString(*p.MaxCost); err != nil || cost.IsNegative() {
			return nil, fault.Invalidf("maxCost", "must be a decimal number as text that is not negative")
		}
	}
	p.Kind, p.From, p.To = "", p.From.UTC(), p.To.UTC()
	return json.Marshal(p)
}

// progress is the checkpoint of a backfill.
type progress struct {
	RuleVersion int              `json:"ruleVersion"`
	Total       uint64           `json:"total"`
	Rows        uint64           `json:"rows"`
	Tally       tally            `json:"tally"`
	After       *filter.Position `json:"after,omitempty"`
	Runs        int              `json:"runs"`
	Cost        decimal.Decimal  `json:"cost"`
}

// backfillTurn is how long a backfill works before other jobs do.
const backfillTurn = time.Minute

// Run implements jobs.Handler.
func (h *Handler) Run(ctx context.Context, work jobs.Task) (json.RawMessage, error) {
	var p parameters
	var at progress
	if err := json.Unmarshal(work.Job().Parameters, &p); err != nil {
		return nil, fmt.Errorf("read the parameters: %w", err)
	}
	if text := work.Job().Checkpoint; text != nil {
		if err := json.Unmarshal(text, &at); err != nil {
			return nil, fmt.Errorf("read the checkpoint: %w", err)
		}
	}
	rule, err := h.meta.EvaluationRule(ctx, work.Job().ProjectID, p.RuleID)
	switch {
	case errors.Is(err, metastore.ErrNotFound):
		return nil, fault.New(fault.NotFound, "The evaluation rule is not there any more")
	case err != nil:
		return nil, waits(err)
	case at.RuleVersion != 0 && at.RuleVersion != rule.Version:
		return nil, fault.New(fault.Conflict, "The evaluation rule changed meanwhile").Hint("start another backfill")
	}
	done, err := h.backfill(ctx, work, rule, p, &at)
	if err != nil {
		return nil, waits(err)
	}
	if !done {
		return nil, fault.Unavailablef("other jobs have their turn; this one goes on in a moment")
	}
	return json.Marshal(map[string]any{
		"rows": at.Rows, "evaluated": at.Tally.Evaluated, "skipped": at.Tally.Skipped, "failed": at.Tally.Failed, "cost": at.Cost,
	})
}

// waits makes a job wait for what may pass. What is wrong with a row or an evaluator is a decision, not an error.
func waits(err error) error {
	if _, known := errors.AsType[*fault.Fault](err); known || errors.Is(err, context.Canceled) {
		return err
	}
	return fault.Unavailablef("the store or the log does not answer").Because(err)
}

// backfill works for a turn and reports whether everything is done.
func (h *Handler) backfill(ctx context.Context, work jobs.Task, rule model.EvaluationRule, p parameters, at *progress) (bool, error) {
	plan, err := h.plan(ctx, rule)
	if err != nil {
		return false, err
	}
	plan.job = work.Job().ID
	q := backfillQuery(rule, plan.where, p.From, p.To)
	if at.RuleVersion == 0 {
		at.RuleVersion = rule.Version
		if at.Total, _, _, err = h.store.CountCandidates(ctx, q); err != nil {
			return false, err
		}
	}
	q.Limit = pageRows
	began := time.Now()
	for time.Since(began) < backfillTurn {
		q.After = at.After
		rows, err := h.store.Undecided(ctx, q)
		if err != nil || len(rows) == 0 {
			return err == nil, err
		}
		plan.budget = p.left(at)
		done, failed := h.page(ctx, &plan, rows, began.Add(backfillTurn))
		if done.rows > 0 {
			at.After = positionOf(rows[done.rows-1])
			at.add(done)
			if err := checkpoint(ctx, work, at); err != nil {
				return false, err
			}
		}
		if failed != nil || done.rows < len(rows) {
			return false, failed
		}
		if len(rows) < pageRows {
			return true, nil
		}
	}
	return false, nil
}

// add counts what was done.
func (at *progress) add(done work) {
	at.Rows, at.Cost, at.Tally = at.Rows+uint64(done.rows), at.Cost.Add(done.cost), at.Tally.plus(done.tally)
	at.Runs += int(done.tally.Evaluated + done.tally.Failed)
}

// left is what a backfill may still run.
func (p parameters) left(at *progress) (b budget) {
	if p.MaxRuns != nil {
		left := max(*p.MaxRuns-at.Runs, 0)
		b.runs = &left
	}
	if p.MaxCost != nil {
		most, _ := decimal.NewFromString(*p.MaxCost) // Check read it
		left := most.Sub(at.Cost)
		b.cost = &left
	}
	return b
}

func checkpoint(ctx context.Context, work jobs.Task, at *progress) error {
	text, err := json.Marshal(at)
	if err != nil {
		return fmt.Errorf("write progress: %w", err)
	}
	work.Progress(jobs.Progress{
		Done: at.Rows, Total: max(at.Total, at.Rows),
		Text: fmt.Sprintf("%d evaluated, %d skipped, %d failed", at.Tally.Evaluated, at.Tally.Skipped, at.Tally.Failed),
	})
	return work.Checkpoint(ctx, text)
}

// backfillQuery asks for rows of a range of starts that the rule as it is has not settled.
func backfillQuery(rule model.EvaluationRule, where []filter.Condition, from, to time.Time) tracestore.UndecidedQuery {
	return tracestore.UndecidedQuery{
		ProjectID: rule.ProjectID, RuleID: rule.ID, RuleVersion: rule.Version, Again: true, ByStart: true, From: from, To: to,
		Where: where, Sampling: rule.Sampling,
	}
}
