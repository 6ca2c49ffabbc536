package model

import (
	"encoding/json"
	"time"
)

// Alert watches one number of a project and tells its targets when it changes for the worse or the better.
type Alert struct {
	ProjectID  string
	ID         string
	Settings   AlertSettings
	MutedUntil time.Time // zero: not muted
	CreatedAt  time.Time
	UpdatedAt  time.Time

	State       AlertState
	Since       time.Time  // of the state
	Told        AlertState // what the targets know
	Value       string     // a decimal, when it was evaluated last; empty: none
	Reason      string     // why the state is AlertNoData or AlertError
	EvaluatedAt time.Time  // zero: never
	NextAt      time.Time  // when it is evaluated next

	Revision int64 // changes with every change
}

// AlertSettings are what people decide about an alert.
type AlertSettings struct {
	Name    string `json:"name"`
	Enabled bool   `json:"enabled"`
	// DashboardID and TileID say where it was made; they may be gone by now.
	DashboardID string `json:"dashboard,omitempty"`
	TileID      string `json:"tile,omitempty"`
	// Query is a metrics query with one metric, without dimensions and times.
	Query         json.RawMessage `json:"query"`
	Condition     AlertCondition  `json:"condition"`
	WindowMinutes int             `json:"window"` // the time that is looked at, up to now
	EveryMinutes  int             `json:"every"`
	TargetIDs     []string        `json:"targets"`
}

// AlertCondition is when an alert fires.
type AlertCondition struct {
	Kind     AlertKind `json:"kind"`
	Operator string    `json:"operator,omitempty"` // of a threshold: >, >=, < or <=
	Limit    string    `json:"limit,omitempty"`    // of a threshold, a decimal; of a change, percent
	// Direction is that of a change: up, down or any.
	Direction string `json:"direction,omitempty"`
}

// AlertKind is what an alert compares.
type AlertKind string

// The kinds. Their texts are stored and shown: never change one.
const (
	Threshold  AlertKind = "threshold"
	Absence    AlertKind = "absence"     // no row at all
	WeekChange AlertKind = "week-change" // against the same time a week ago
)

// AlertState is how an alert stands.
type AlertState string

// The states. Their texts are stored and shown: never change one.
const (
	AlertOK     AlertState = "ok"
	AlertFiring AlertState = "firing"
	AlertNoData AlertState = "no-data"
	AlertError  AlertState = "error" // it cannot be evaluated
)

// AlertChange is one change of an alert's state.
type AlertChange struct {
	ProjectID string
	AlertID   string
	ID        string // sorts by time
	At        time.Time
	From, To  AlertState
	Value     string
	Reason    string
	Muted     bool // nobody was told, at first
	// Deliveries are what became of its messages, in lists.
	Deliveries []AlertDelivery
}

// AlertDelivery is a message about a change for one target.
type AlertDelivery struct {
	ProjectID string
	ID        string // the idempotency key
	AlertID   string
	ChangeID  string
	TargetID  string
	State     DeliveryState
	Message   json.RawMessage // the same in every attempt
	Attempts  int
	NextAt    time.Time // of the next attempt
	LastError string
	CreatedAt time.Time
	UpdatedAt time.Time
}

// DeliveryState is what became of a message.
type DeliveryState string

// The states of deliveries.
const (
	DeliveryPending   DeliveryState = "pending"
	DeliveryDone      DeliveryState = "delivered"
	DeliveryAbandoned DeliveryState = "failed"
)

// AlertTarget is where alerts are told.
type AlertTarget struct {
	ProjectID string
	ID        string
	Name      string
	Kind      TargetKind
	Display   string // the address, without what is secret in it
	Sealed    []byte // address and secret
	CreatedAt time.Time
}

// TargetKind is how a target is told.
type TargetKind string

// The kinds of targets. Their texts are stored and shown: never change one.
const (
	WebhookTarget TargetKind = "webhook"
	SlackTarget   TargetKind = "slack"
	EmailTarget   TargetKind = "email"
)

// TargetKinds lists every kind.
var TargetKinds = []TargetKind{WebhookTarget, SlackTarget, EmailTarget}
