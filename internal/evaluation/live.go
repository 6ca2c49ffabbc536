package evaluation

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

const (
	lookEvery = 2 * time.Second
	// turn is how long a rule is worked on before others are looked at.
	turn = 20 * time.Second
	// holdsFor is how long the rules of a node that died wait; one that lives says so more often.
	holdsFor  = 30 * time.Second
	holdEvery = 10 * time.Second
	rulesPage = 100
	// rulesAtOnce is how many rules a node works on at the same time.
	rulesAtOnce = 3
)

// Live decides rows as they come. Any number of nodes may run one: a rule is held by one at a time. Two that hold the same rule,
// because one slept longer than its hold, do no harm but work done twice: decisions and scores of a row are the same.
type Live struct {
	decider
	horizon Horizon
	holder  string
	logger  *slog.Logger
	open    map[string]*window // windows that were begun, by rule
}

// window is a range of acceptance times that is being decided. After is behind the last row that was.
type window struct {
	from, to time.Time
	after    *filter.Position
}

// NewLive makes the part of a node that applies rules.
func NewLive(meta Meta, store Store, accept Acceptor, code Code, models Models, horizon Horizon, logger *slog.Logger) *Live {
	return &Live{
		decider: decider{meta: meta, store: store, accept: accept, run: newEvaluating(code, models)},
		horizon: horizon, holder: uuid.NewString(), logger: logger, open: map[string]*window{},
	}
}

// Run applies rules until ctx ends.
func (l *Live) Run(ctx context.Context) {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		if err := l.Look(ctx); err != nil && ctx.Err() == nil {
			l.logger.WarnContext(ctx, "evaluation rules cannot be applied now", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// Look works on every enabled rule for a turn.
func (l *Live) Look(ctx context.Context) error {
	horizon, err := l.horizon.Settled(ctx)
	if err != nil {
		return err
	}
	horizon = horizon.Truncate(time.Millisecond)
	for project, id := "", ""; ; {
		rules, err := l.meta.EnabledEvaluationRules(ctx, project, id, rulesPage)
		if err != nil {
			return err
		}
		var group errgroup.Group
		group.SetLimit(rulesAtOnce)
		for _, rule := range rules {
			project, id = rule.ProjectID, rule.ID
			w := l.window(rule, horizon)
			group.Go(func() error {
				if err := l.apply(ctx, rule, w); err != nil && ctx.Err() == nil {
					l.logger.WarnContext(ctx, "an evaluation rule cannot be applied now", "project", rule.ProjectID, "rule", rule.ID, "error", err)
				}
				return nil
			})
		}
		_ = group.Wait() // what went wrong with one rule is logged
		if len(rules) < rulesPage {
			return nil
		}
	}
}

// window is what is to be decided next of a rule: what was begun, or everything up to the horizon.
func (l *Live) window(rule model.EvaluationRule, horizon time.Time) *window {
	key := rule.ProjectID + "/" + rule.ID
	w := l.open[key]
	if w == nil || !w.from.Equal(rule.Until) || !w.from.Before(w.to) {
		w = &window{from: rule.Until, to: horizon}
		l.open[key] = w
	}
	return w
}

// apply decides rows of a window for a turn.
func (l *Live) apply(ctx context.Context, rule model.EvaluationRule, w *window) error {
	if !w.from.Before(w.to) {
		return nil
	}
	began := time.Now()
	held, err := l.hold(ctx, rule)
	if err != nil || !held {
		return err
	}
	ctx, letGo := context.WithCancel(ctx)
	var holding sync.WaitGroup
	defer holding.Wait()
	defer letGo()
	holding.Go(func() { l.keepHold(ctx, letGo, rule) })
	p, err := l.plan(ctx, rule)
	if err != nil {
		return err
	}
	for time.Since(began) < turn {
		rows, err := l.store.Undecided(ctx, tracestore.UndecidedQuery{
			ProjectID: rule.ProjectID, RuleID: rule.ID, From: w.from, To: w.to, Where: p.where, Sampling: rule.Sampling, After: w.after, Limit: pageRows,
		})
		if err != nil {
			return err
		}
		if len(rows) > 0 {
			if p.budget, err = l.dailyBudget(ctx, rule, began); err != nil {
				return err
			}
			done, err := l.page(ctx, &p, rows, began.Add(turn))
			if done.rows > 0 {
				w.after = positionOf(rows[done.rows-1])
			}
			if err != nil || done.rows < len(rows) {
				return err
			}
		}
		if len(rows) < pageRows {
			return l.end(ctx, rule, w)
		}
	}
	return nil
}

// hold takes a rule for this node, or keeps it, and reports whether it has it.
func (l *Live) hold(ctx context.Context, rule model.EvaluationRule) (bool, error) {
	at := time.Now()
	return l.meta.HoldEvaluationRule(ctx, rule.ProjectID, rule.ID, l.holder, at, at.Add(holdsFor))
}

// keepHold keeps a rule until ctx ends, and lets go of the work when the rule is somebody else's. A metadata store that does
// not answer is no reason to stop: who takes the rule meanwhile does the same.
func (l *Live) keepHold(ctx context.Context, letGo context.CancelFunc, rule model.EvaluationRule) {
	ticker := time.NewTicker(holdEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if held, err := l.hold(ctx, rule); err == nil && !held {
				letGo()
			}
		}
	}
}

func positionOf(c tracestore.Candidate) *filter.Position {
	return &filter.Position{StartTime: c.StartTime, TraceID: c.TraceID, ID: c.ObservationID}
}

// end closes a window.
func (l *Live) end(ctx context.Context, rule model.EvaluationRule, w *window) error {
	err := l.meta.AdvanceEvaluationRule(ctx, rule.ProjectID, rule.ID, l.holder, w.from, w.to)
	if err != nil && !errors.Is(err, metastore.ErrChanged) {
		return err
	}
	w.from = w.to // when it was enabled anew, or is somebody else's by now, the rule says where it goes on
	return nil
}
