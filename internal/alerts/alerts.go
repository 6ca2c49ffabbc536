// Package alerts watches numbers of projects and tells people when they change.
//
// A change of an alert's state and the messages about it are stored in one step (an outbox); a durable job
// evaluates what is due and delivers what is pending, so that every change is told to every target at least once,
// whenever the process dies.
package alerts

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// Store is what is kept of alerts.
type Store interface {
	metastore.Alerts
	metastore.AlertTargets
}

// Metrics answers the text of a metrics query with one metric and no dimension: its value, or nil when there was
// nothing to aggregate. A query that cannot be answered is a fault.
type Metrics interface {
	Value(ctx context.Context, projectID, query string) (*decimal.Decimal, error)
}

// Service is what people do with alerts.
type Service struct {
	store   Store
	check   func(query string) error
	judge   *Judge
	targets *Targets
}

// New makes a service. Check refuses with fault.Invalid the text of a metrics query that cannot be answered.
func New(store Store, check func(query string) error, judge *Judge, targets *Targets) *Service {
	return &Service{store, check, judge, targets}
}

// List returns the alerts of a project.
func (s *Service) List(ctx context.Context, projectID string) ([]model.Alert, error) {
	return s.store.Alerts(ctx, projectID)
}

// Get returns an alert. fault.NotFound.
func (s *Service) Get(ctx context.Context, projectID, id string) (model.Alert, error) {
	a, err := s.store.Alert(ctx, projectID, id)
	return a, found(err)
}

// History returns the newest changes of an alert. fault.NotFound.
func (s *Service) History(ctx context.Context, projectID, id string) ([]model.AlertChange, error) {
	if _, err := s.Get(ctx, projectID, id); err != nil {
		return nil, err
	}
	return s.store.AlertChanges(ctx, projectID, id, metastore.MaxAlertChanges)
}

// Create adds an alert that is evaluated at once. fault.Invalid.
func (s *Service) Create(ctx context.Context, projectID string, settings model.AlertSettings) (model.Alert, error) {
	at := now()
	a := model.Alert{
		ProjectID: projectID, ID: uuid.NewString(), Settings: settings, CreatedAt: at, UpdatedAt: at, NextAt: at,
		State: model.AlertOK, Told: model.AlertOK, Revision: 1,
	}
	if err := s.checked(ctx, &a); err != nil {
		return model.Alert{}, err
	}
	return a, s.store.CreateAlert(ctx, a)
}

// Replace gives an alert other settings; it is evaluated at once. fault.NotFound, fault.Invalid.
func (s *Service) Replace(ctx context.Context, projectID, id string, settings model.AlertSettings) (model.Alert, error) {
	return s.change(ctx, projectID, id, func(a *model.Alert) error {
		a.Settings, a.NextAt = settings, now()
		return s.checked(ctx, a)
	})
}

// Mute keeps an alert from telling anybody until a time; the zero time ends that. What still holds then is told.
// fault.NotFound.
func (s *Service) Mute(ctx context.Context, projectID, id string, until time.Time) (model.Alert, error) {
	return s.change(ctx, projectID, id, func(a *model.Alert) error {
		a.MutedUntil = until
		return nil
	})
}

// changeTries is how often a change competes with evaluations.
const changeTries = 5

func (s *Service) change(ctx context.Context, projectID, id string, change func(*model.Alert) error) (model.Alert, error) {
	for range changeTries {
		a, err := s.Get(ctx, projectID, id)
		if err != nil {
			return model.Alert{}, err
		}
		if err := change(&a); err != nil {
			return model.Alert{}, err
		}
		a.UpdatedAt = now()
		revision, err := s.store.UpdateAlert(ctx, a, nil, nil)
		if errors.Is(err, metastore.ErrAlertChanged) {
			continue
		}
		a.Revision = revision
		return a, err
	}
	return model.Alert{}, fault.Unavailablef("The alert is being changed by others").Hint("try again")
}

// Delete removes an alert with its history. fault.NotFound.
func (s *Service) Delete(ctx context.Context, projectID, id string) error {
	return found(s.store.DeleteAlert(ctx, projectID, id))
}

// Trial is what an alert would say now, and whether its targets could be reached.
type Trial struct {
	Outcome Outcome
	Sent    []Attempt
}

// Attempt is a message that was sent to try a target.
type Attempt struct {
	TargetID string
	Error    string // empty: it arrived
}

// Try evaluates an alert and sends what it finds to its targets as a test. Nothing of it is kept. fault.NotFound.
func (s *Service) Try(ctx context.Context, projectID, id string) (Trial, error) {
	a, err := s.Get(ctx, projectID, id)
	if err != nil {
		return Trial{}, err
	}
	outcome, err := s.judge.Evaluate(ctx, a, now())
	if err != nil {
		return Trial{}, err
	}
	trial := Trial{Outcome: outcome}
	message := s.targets.message(a, a.State, outcome, uuid.NewString(), now())
	message.Type = testMessage
	for _, target := range a.Settings.TargetIDs {
		trial.Sent = append(trial.Sent, Attempt{TargetID: target, Error: s.targets.try(ctx, projectID, target, message)})
	}
	return trial, nil
}

func (s *Service) checked(ctx context.Context, a *model.Alert) error {
	if err := checkSettings(&a.Settings, s.check); err != nil {
		return err
	}
	known, err := s.store.AlertTargets(ctx, a.ProjectID)
	if err != nil {
		return err
	}
	for i, id := range a.Settings.TargetIDs {
		if !slices.ContainsFunc(known, func(t model.AlertTarget) bool { return t.ID == id }) {
			return fault.Invalidf(fmt.Sprintf("targetIds.%d", i), "is no target of this project")
		}
	}
	return nil
}

func found(err error) error {
	if errors.Is(err, metastore.ErrNotFound) {
		return fault.New(fault.NotFound, "No such alert in this project").Hint("it may have been deleted")
	}
	return err
}

// now is the time as databases keep it.
func now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }
