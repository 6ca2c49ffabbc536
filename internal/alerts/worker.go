package alerts

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/jobs"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/selfobs"
)

// Kind is the kind of the one job that looks after all alerts. It ends with the process that runs it, and another
// one goes on.
const Kind = "alerts"

// instance is the project of jobs that belong to none.
const instance = ""

const (
	evaluationsAtOnce = 4
	deliveriesAtOnce  = 8
	batch             = 100
	lookEvery         = time.Second
	checkpointEvery   = time.Minute
	evaluateWithin    = 30 * time.Second
	// firstRetry doubles with every attempt up to maxRetry; giveUpAfter ends it.
	firstRetry  = 5 * time.Second
	maxRetry    = time.Hour
	giveUpAfter = 24 * time.Hour
	// putOff is how long an alert waits when the store is away.
	putOff = 15 * time.Second
)

// Worker evaluates alerts that are due and delivers messages that are pending. Several at once do no harm: states
// change by revision, and a message that is sent twice has the same id.
type Worker struct {
	store   metastore.AlertWork
	alerts  metastore.Alerts
	judge   *Judge
	targets *Targets
	logger  *slog.Logger
	metrics *selfobs.Metrics
}

// NewWorker makes a worker.
func NewWorker(store metastore.AlertWork, alerts metastore.Alerts, judge *Judge, targets *Targets, logger *slog.Logger, metrics *selfobs.Metrics) *Worker {
	return &Worker{store, alerts, judge, targets, logger, metrics}
}

// Start makes the job unless there is one. Nodes that start one at the same time make two.
func Start(ctx context.Context, store jobs.Store) error {
	list, err := store.List(ctx, instance, jobs.MaxListed)
	if err != nil {
		return fmt.Errorf("list jobs: %w", err)
	}
	for _, job := range list {
		if job.Kind == Kind && !job.State.Final() {
			return nil
		}
	}
	at := time.Now().UTC().Truncate(time.Millisecond)
	job := jobs.Job{ID: jobs.NewID(), Kind: Kind, ProjectID: instance, State: jobs.Queued, CreatedAt: at, UpdatedAt: at}
	if err := store.Create(ctx, job); err != nil {
		return fmt.Errorf("create job: %w", err)
	}
	return nil
}

// Check implements jobs.Handler.
func (w *Worker) Check(json.RawMessage) (json.RawMessage, error) {
	return nil, fault.Invalidf("kind", "is not started by clients")
}

// Run implements jobs.Handler: it works until the process stops, or the job is taken away.
func (w *Worker) Run(ctx context.Context, task jobs.Task) (json.RawMessage, error) {
	kept := time.Now()
	for {
		if err := w.Look(ctx); err != nil && ctx.Err() == nil {
			w.logger.WarnContext(ctx, "alerts cannot be looked after now", "error", err)
		}
		if time.Since(kept) > checkpointEvery { // a sign that the job does well, see jobs.Job.Orphaned
			if err := task.Checkpoint(ctx, nil); err != nil {
				return nil, err
			}
			kept = time.Now()
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(lookEvery):
		}
	}
}

// Look evaluates and delivers what is due.
func (w *Worker) Look(ctx context.Context) error {
	due, err := w.store.DueAlerts(ctx, time.Now(), batch)
	if err != nil {
		return err
	}
	var evaluating errgroup.Group
	evaluating.SetLimit(evaluationsAtOnce)
	for _, a := range due {
		evaluating.Go(func() error { return w.evaluate(ctx, a) })
	}
	failed := evaluating.Wait()
	pending, err := w.store.DueDeliveries(ctx, time.Now(), batch)
	if err != nil {
		return errors.Join(failed, err)
	}
	var delivering errgroup.Group
	delivering.SetLimit(deliveriesAtOnce)
	for _, d := range pending {
		delivering.Go(func() error { return w.deliver(ctx, d) })
	}
	return errors.Join(failed, delivering.Wait())
}

// evaluate judges one alert and stores how it stands with all that follows from it.
func (w *Worker) evaluate(ctx context.Context, a model.Alert) error {
	bounded, cancel := context.WithTimeout(ctx, evaluateWithin)
	defer cancel()
	at := now()
	outcome, err := w.judge.Evaluate(bounded, a, at)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	every := time.Duration(a.Settings.EveryMinutes) * time.Minute
	if err != nil {
		w.logger.WarnContext(ctx, "an alert cannot be evaluated now", "project", a.ProjectID, "alert", a.ID, "error", err)
		if last := cmp.Or(a.EvaluatedAt, a.CreatedAt); at.Sub(last) < max(maxBehind, 3*every) {
			a.NextAt = at.Add(putOff)
			_, err := w.alerts.UpdateAlert(ctx, a, nil, nil)
			return changedMeanwhile(err)
		}
		outcome = Outcome{State: model.AlertError, Reason: "it could not be evaluated for a while; the server's log has the cause"}
	} else {
		a.EvaluatedAt = at
	}
	a.NextAt = at.Add(every)
	change, messages, err := w.next(&a, outcome, at)
	if err != nil {
		return err
	}
	_, err = w.alerts.UpdateAlert(ctx, a, change, messages)
	return changedMeanwhile(err)
}

// changedMeanwhile lets whoever changed the alert win: it is due again at once.
func changedMeanwhile(err error) error {
	if errors.Is(err, metastore.ErrAlertChanged) {
		return nil
	}
	return err
}

// next moves an alert to what an evaluation found, and says what has to be kept and told. Targets are told when they
// know another state than it has: once for each change, and after a mute only what still holds.
func (w *Worker) next(a *model.Alert, o Outcome, at time.Time) (*model.AlertChange, []model.AlertDelivery, error) {
	var change *model.AlertChange
	muted := a.MutedUntil.After(at)
	tell := o.State != a.Told && !muted
	before := a.State
	if o.State != a.State || tell {
		change = &model.AlertChange{
			ProjectID: a.ProjectID, AlertID: a.ID, ID: uuid.Must(uuid.NewV7()).String(), At: at, From: a.State, To: o.State, Value: o.Value, Reason: o.Reason, Muted: muted,
		}
	}
	if o.State != a.State || a.Since.IsZero() {
		a.State, a.Since = o.State, at
	}
	a.Value, a.Reason = o.Value, o.Reason
	if !tell {
		return change, nil, nil
	}
	a.Told = o.State
	var messages []model.AlertDelivery
	for _, target := range a.Settings.TargetIDs {
		id := change.ID + "." + target
		text, err := json.Marshal(w.targets.message(*a, before, o, id, at))
		if err != nil {
			return nil, nil, fmt.Errorf("encode a message: %w", err)
		}
		messages = append(messages, model.AlertDelivery{
			ProjectID: a.ProjectID, ID: id, AlertID: a.ID, ChangeID: change.ID, TargetID: target, State: model.DeliveryPending,
			Message: text, NextAt: at, CreatedAt: at, UpdatedAt: at,
		})
	}
	return change, messages, nil
}

// deliver tries one message once, and stores how that went.
func (w *Worker) deliver(ctx context.Context, d model.AlertDelivery) error {
	err := w.targets.deliver(ctx, d)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	at := now()
	d.Attempts++
	d.UpdatedAt = at
	switch {
	case err == nil:
		w.metrics.Delivery("delivered")
		d.State, d.LastError = model.DeliveryDone, ""
	case errors.Is(err, errGone), at.Sub(d.CreatedAt) > giveUpAfter:
		w.metrics.Delivery("abandoned")
		d.State, d.LastError = model.DeliveryAbandoned, publicReason(err)
	default:
		w.metrics.Delivery("failed")
		w.logger.WarnContext(ctx, "a message of an alert was not delivered", "project", d.ProjectID, "alert", d.AlertID, "attempt", d.Attempts, "reason", publicReason(err))
		d.LastError, d.NextAt = publicReason(err), at.Add(min(firstRetry<<min(d.Attempts-1, 12), maxRetry))
	}
	if err := w.store.SettleDelivery(ctx, d); !errors.Is(err, metastore.ErrNotFound) {
		return err
	}
	return nil
}
