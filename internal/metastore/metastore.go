// Package metastore is the port to relational metadata: organizations,
// projects, keys, users, media, score configs.
package metastore

import (
	"context"
	"errors"
	"time"

	"github.com/sondehq/sonde/internal/model"
)

// ErrNotFound is returned for an id or key that does not exist.
var ErrNotFound = errors.New("not found")

// ErrExists is returned when an id or public key is taken.
var ErrExists = errors.New("already exists")

// Seed is what a first start creates.
type Seed struct {
	Organization model.Organization
	Project      model.Project // its Organization is ignored
	Key          model.Key     // its Project is ignored
}

// Store keeps metadata. Every write is durable when it returns nil, and visible to every
// later read on every node that shares the database. Times are kept in UTC and to the
// microsecond. A text that not every database can hold is refused with fault.Invalid, and a
// database that does not answer is fault.Unavailable.
//
// Cells share one database. A store is that of one cell: projects that it creates belong to the cell, and what it lists as
// due or enabled across projects (alerts, messages, rules, exports, run items) is of projects of the cell that are not held.
type Store interface {
	// Ping fails when the database does not answer.
	Ping(ctx context.Context) error
	// Plant creates the seed in one transaction if there is no organization yet, and reports
	// whether it did. Of several nodes that plant at once, exactly one does.
	Plant(ctx context.Context, seed Seed) (bool, error)
	// CreateProject adds a project to an existing organization. ErrExists for an id that is taken, or a
	// name that another of its projects has; ErrNotFound; fault.Invalid when there are MaxProjects.
	CreateProject(ctx context.Context, project model.Project) error
	// CreateKey adds a key to an existing project, or to an organization when no project is named.
	// ErrExists, ErrNotFound, also for a project that is being erased; fault.Invalid when the owner has MaxKeys.
	CreateKey(ctx context.Context, key model.Key) error
	// KeyByPublic returns the key, revoked, expired or not, with the ids and names of its project and
	// organization and whether the project is being erased. ErrNotFound.
	KeyByPublic(ctx context.Context, publicKey string) (model.Key, error)
	// RevokeKey marks a key as revoked at the given time; revoking twice keeps the first time. ErrNotFound.
	RevokeKey(ctx context.Context, keyID string, at time.Time) error
	Secrets
	Models
	MediaStore
	ScoreConfigs
	Datasets
	Prompts
	Annotations
	Reviews
	Connections
	Tenancy
	Exports
	Erasures
	MediaAges
	SavedViews
	Dashboards
	Alerts
	AlertWork
	AlertTargets
	Evaluators
	EvaluationRules
	Sessions
	Standings
	Invitations
	Setups
	Identities
	Attempts
	AuditLog
	Cells
}

// SecretBytes is the length of a secret.
const SecretBytes = 32

// Secrets keeps random bytes that all nodes of an installation share, such as those that seal
// receipts.
type Secrets interface {
	// Secret returns the secret of that name, which is made at random when it is first asked for.
	// Every caller on every node gets the same bytes, for ever.
	Secret(ctx context.Context, name string) ([]byte, error)
}
