package metastore

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
)

const (
	// MaxOrganizations is how many an installation may have. Lists of them have no pages.
	MaxOrganizations = 1_000
	// MaxProjects is how many all organizations together may have, those that are being erased included.
	MaxProjects = 10_000
	// MaxKeys is how many valid keys a project, and an organization beside its projects, may have.
	MaxKeys = 1_000
	// MaxMetadata bounds the metadata of an organization or a project, in bytes.
	MaxMetadata = 8 << 10
	// MaxRetentionDays is the longest retention that is not for ever.
	MaxRetentionDays = 36_500
)

// ErrInUse is returned for something that others still need.
var ErrInUse = errors.New("still in use")

// Tenancy keeps organizations, their projects, keys, users and memberships. The bounds on numbers
// are counted before a write, so some writes at once may go past them; reads have the bounds of
// their own.
type Tenancy interface {
	Organizations
	Projects
	Keys
	Users
	Members
}

// Organizations keeps the organizations of an installation.
type Organizations interface {
	// CreateOrganization adds an organization. ErrExists for a taken id, fault.Invalid when there are MaxOrganizations.
	CreateOrganization(ctx context.Context, organization model.Organization) error
	// Organization returns one organization. ErrNotFound.
	Organization(ctx context.Context, id string) (model.Organization, error)
	// Organizations returns all organizations, the oldest first, then by id.
	Organizations(ctx context.Context) ([]model.Organization, error)
	// UpdateOrganization replaces name, metadata and time of change. ErrNotFound.
	UpdateOrganization(ctx context.Context, organization model.Organization) error
	// DeleteOrganization removes an organization with its keys, memberships and invitations; users stay.
	// ErrInUse while it has projects, ErrNotFound.
	DeleteOrganization(ctx context.Context, id string) error
}

// Projects keeps the projects of all organizations.
type Projects interface {
	// Project returns one project, also while it is being erased. ErrNotFound.
	Project(ctx context.Context, id string) (model.Project, error)
	// Projects returns all projects of the installation, those that are being erased included, the
	// oldest first, then by id.
	Projects(ctx context.Context) ([]model.Project, error)
	// ProjectsOf returns the projects of an organization in that order, without those that are being erased.
	ProjectsOf(ctx context.Context, organizationID string) ([]model.Project, error)
	// UpdateProject replaces name, metadata, retention and time of change of a project of the given
	// organization. ErrNotFound, also while it is being erased; ErrExists when the name is taken.
	UpdateProject(ctx context.Context, project model.Project) error
	// MarkProjectDeleted gives a project up: its keys are refused from now on and its name is free. Marking
	// twice is marking once. ErrNotFound.
	MarkProjectDeleted(ctx context.Context, projectID string) error
	// ForgetProject removes a project that was given up with everything that metadata knows of it, keys and
	// roles included. Forgetting twice is forgetting once. ErrInUse for a project that lives.
	ForgetProject(ctx context.Context, projectID string) error
	// Retention returns how long the data of a project is kept. ErrNotFound.
	Retention(ctx context.Context, projectID string) (model.Retention, error)
	// SetRetention changes how long the data of a project is kept. ErrNotFound.
	SetRetention(ctx context.Context, projectID string, retention model.Retention) error
}

// Keys keeps the keys of projects and organizations, beside what Store says of them. A key never comes
// back once it is revoked, and its public half stays taken as long as there is its owner.
type Keys interface {
	// KeysOf returns the keys of a project, or with an empty project id those of the organization
	// itself, the oldest first, then by id; without revoked ones, secrets and details of the project.
	KeysOf(ctx context.Context, organizationID, projectID string) ([]model.Key, error)
	// RevokeKeyOf revokes a key of a project, or with an empty project id one of the organization
	// itself. ErrNotFound, also for a key that is revoked already.
	RevokeKeyOf(ctx context.Context, organizationID, projectID, keyID string, at time.Time) error
	// RotateKey gives a key, as RevokeKeyOf finds it, the secret of another: its hash, salt and display. The secret that it had stays
	// beside it until the given time; the one before that is gone. It returns the key without secrets. ErrNotFound.
	RotateKey(ctx context.Context, organizationID, projectID, keyID string, secret model.Key, oldUntil time.Time) (model.Key, error)
	// TouchKey remembers that a key was used, unless it was so less than UsedWithin ago.
	TouchKey(ctx context.Context, keyID string, at time.Time) error
}

// UsedWithin is how exactly the last use of a key is known. It keeps hot keys from being written all the time.
const UsedWithin = time.Minute

// CheckRotation refuses with fault.Invalid a secret that a key cannot have.
func CheckRotation(organizationID, projectID, keyID string, secret model.Key) error {
	if len(secret.SecretHash) == 0 || len(secret.Salt) == 0 {
		return fault.Invalidf("key", "needs a secret hash and a salt")
	}
	return first(CheckKeys(organizationID, projectID), CheckID("key id", keyID), checkText("key display", secret.Display))
}

// CheckOrganization refuses with fault.Invalid an organization that cannot be stored.
func CheckOrganization(o model.Organization) error {
	return first(
		CheckID("organization id", o.ID),
		checkText("name", o.Name),
		checkMetadata(o.Metadata),
	)
}

// CheckRetention refuses with fault.Invalid a retention that makes no sense.
func CheckRetention(r model.Retention) error {
	switch {
	case r.Days < 0 || r.Days > MaxRetentionDays:
		return fault.Invalidf("retention", "must be between 0 and %d days", MaxRetentionDays)
	case r.PayloadDays < 0 || r.PayloadDays > MaxRetentionDays:
		return fault.Invalidf("payloadRetention", "must be between 0 and %d days", MaxRetentionDays)
	case r.Days > 0 && r.PayloadDays > r.Days:
		return fault.Invalidf("payloadRetention", "must not be longer than retention")
	}
	return nil
}

func checkMetadata(text string) error {
	if len(text) > MaxMetadata {
		return fault.Invalidf("metadata", "must not be larger than %d bytes", MaxMetadata)
	}
	var object map[string]json.RawMessage
	if text != "" && json.Unmarshal([]byte(text), &object) != nil {
		return fault.Invalidf("metadata", "must be a JSON object")
	}
	return checkDocument("metadata", text)
}

// CheckKeys is the check of a list of keys.
func CheckKeys(organizationID, projectID string) error {
	return first(CheckID("organization id", organizationID), checkText("project id", projectID))
}

// TooMany is the fault of a bound that is reached; what names the things in the plural.
func TooMany(most int, what string) error {
	return fault.New(fault.Invalid, "There can be at most %d %s", most, what).Hint("delete one that is not needed any more")
}
