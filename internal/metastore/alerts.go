package metastore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
)

// ErrAlertChanged is returned when an alert is not any more as the caller read it.
var ErrAlertChanged = errors.New("the alert changed meanwhile")

// Bounds of alerts.
const (
	MaxAlerts       = 200 // of a project
	MaxAlertTargets = 50  // of a project
	MaxAlertChanges = 200 // of an alert; the oldest go first
	maxAlertText    = 64 << 10
)

// Alerts keeps what projects watch. Ids are unique within a project. What cannot be stored is refused with
// fault.Invalid.
type Alerts interface {
	// CreateAlert adds an alert with revision 1. ErrExists, ErrNotFound for the project; fault.Invalid when the
	// project has MaxAlerts.
	CreateAlert(ctx context.Context, alert model.Alert) error
	// Alert returns one alert of a project. ErrNotFound.
	Alert(ctx context.Context, projectID, id string) (model.Alert, error)
	// Alerts returns all alerts of a project, by time of creation, then by id.
	Alerts(ctx context.Context, projectID string) ([]model.Alert, error)
	// UpdateAlert sets settings, mute, state, what targets know, and times, if the alert has still the revision given,
	// together with the change and the deliveries that follow from it: all of it or nothing. Change may be nil. Of
	// several that update the same revision exactly one does; the others, and one that is gone, get ErrAlertChanged.
	UpdateAlert(ctx context.Context, alert model.Alert, change *model.AlertChange, deliveries []model.AlertDelivery) (revision int64, err error)
	// DeleteAlert removes an alert with its history and messages. ErrNotFound.
	DeleteAlert(ctx context.Context, projectID, id string) error
	// AlertChanges returns the newest changes of an alert with their deliveries, newest first.
	AlertChanges(ctx context.Context, projectID, alertID string, limit int) ([]model.AlertChange, error)
}

// AlertWork is what is to be done for all projects that are not being erased.
type AlertWork interface {
	// DueAlerts returns enabled alerts that are to be evaluated by a time, the longest due first.
	DueAlerts(ctx context.Context, by time.Time, limit int) ([]model.Alert, error)
	// DueDeliveries returns pending deliveries whose next attempt is due by a time, the longest due first.
	DueDeliveries(ctx context.Context, by time.Time, limit int) ([]model.AlertDelivery, error)
	// SettleDelivery sets state, attempts, last error and times of a delivery that is pending. ErrNotFound.
	SettleDelivery(ctx context.Context, delivery model.AlertDelivery) error
}

// AlertTargets keeps where alerts are told.
type AlertTargets interface {
	// CreateAlertTarget adds a target. ErrExists, ErrNotFound for the project; fault.Invalid when the project has
	// MaxAlertTargets.
	CreateAlertTarget(ctx context.Context, target model.AlertTarget) error
	// AlertTarget returns one target of a project. ErrNotFound.
	AlertTarget(ctx context.Context, projectID, id string) (model.AlertTarget, error)
	// AlertTargets returns all targets of a project, by time of creation, then by id.
	AlertTargets(ctx context.Context, projectID string) ([]model.AlertTarget, error)
	// DeleteAlertTarget removes a target. ErrNotFound.
	DeleteAlertTarget(ctx context.Context, projectID, id string) error
}

// AlertText renders settings as they are kept, or refuses with fault.Invalid an alert that cannot be.
func AlertText(a model.Alert) (string, error) {
	text, err := json.Marshal(a.Settings)
	if err != nil {
		return "", fmt.Errorf("encode alert settings: %w", err)
	}
	if len(text) > maxAlertText {
		return "", fault.Invalidf("query", "must not be larger than %d bytes with all other settings", maxAlertText)
	}
	return string(text), first(
		CheckID("project id", a.ProjectID),
		CheckID("alertId", a.ID),
		checkDocument("settings", string(text)),
		checkText("value", a.Value),
		checkDocument("reason", a.Reason),
	)
}

// CheckAlertTarget refuses with fault.Invalid a target that cannot be stored.
func CheckAlertTarget(t model.AlertTarget) error {
	if len(t.Sealed) > maxSealed {
		return fault.Invalidf("address", "must not be longer than %d bytes", maxSealed/2)
	}
	return first(
		CheckID("project id", t.ProjectID),
		CheckID("targetId", t.ID),
		CheckID("name", t.Name),
		CheckID("kind", string(t.Kind)),
		checkText("address", t.Display),
	)
}
