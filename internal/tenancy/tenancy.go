// Package tenancy manages organizations, projects, keys, users and memberships.
//
// Everything is asked for in the name of an organization and finds only what belongs to it; what
// belongs to another is not there. Users are the exception: an account is one of the whole
// installation, and organizations share it by membership.
package tenancy

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// Store is what the service keeps its things in; a metastore.Store is one.
type Store interface {
	metastore.Tenancy
	CreateProject(ctx context.Context, project model.Project) error
	CreateKey(ctx context.Context, key model.Key) error
}

// Service manages who may do what. It is safe for concurrent use.
type Service struct{ store Store }

// New makes a service.
func New(store Store) *Service { return &Service{store} }

// The bounds of names of projects and organizations, in characters.
const (
	minName = 3
	maxName = 60
)

// minRetention is the least retention in days that a project can set: data may be underway for a while.
const minRetention = 3

// known translates what a store says into faults; what names the thing.
func known(err error, what string) error {
	switch {
	case errors.Is(err, metastore.ErrNotFound):
		return fault.New(fault.NotFound, "%s not found", what).Because(err)
	case errors.Is(err, metastore.ErrExists):
		return fault.New(fault.Conflict, "%s exists already", what).Because(err)
	default:
		return err
	}
}

func checkName(name string) error {
	if n := utf8.RuneCountInString(name); n < minName || n > maxName || strings.TrimSpace(name) == "" {
		return fault.Invalidf("name", "must have %d to %d characters", minName, maxName)
	}
	return nil
}

func checkRetention(r model.Retention) error {
	for field, days := range map[string]int{"retention": r.Days, "payloadRetention": r.PayloadDays} {
		if days > 0 && days < minRetention {
			return fault.Invalidf(field, "must be 0, which leaves it to the server, or at least %d days", minRetention)
		}
	}
	return nil
}

func now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

// Project returns a project of any organization that is not being erased. fault.NotFound.
func (s *Service) Project(ctx context.Context, id string) (model.Project, error) {
	p, err := s.store.Project(ctx, id)
	if err == nil && !p.ErasingAt.IsZero() {
		err = metastore.ErrNotFound
	}
	return p, known(err, "Project")
}

// own returns a project of an organization. fault.NotFound, also for those of others.
func (s *Service) own(ctx context.Context, organizationID, projectID string) (model.Project, error) {
	p, err := s.Project(ctx, projectID)
	if err == nil && p.Organization.ID != organizationID {
		return model.Project{}, known(metastore.ErrNotFound, "Project")
	}
	return p, err
}

// Projects returns the projects of an organization, the oldest first.
func (s *Service) Projects(ctx context.Context, organizationID string) ([]model.Project, error) {
	return s.store.ProjectsOf(ctx, organizationID)
}

// CreateProject adds a project to an organization under an id of ours. fault.Invalid, and
// fault.Conflict when the organization has one of that name.
func (s *Service) CreateProject(ctx context.Context, organizationID string, p model.Project) (model.Project, error) {
	if err := errors.Join(checkName(p.Name), checkRetention(p.Retention)); err != nil {
		return p, err
	}
	p.ID, p.CreatedAt = uuid.NewString(), now()
	p.Organization, p.UpdatedAt = model.Organization{ID: organizationID}, p.CreatedAt
	if err := s.store.CreateProject(ctx, p); err != nil {
		return p, known(err, "Project with this name")
	}
	return s.own(ctx, organizationID, p.ID)
}

// ProjectChange is what to change of a project; nil is left as it is.
type ProjectChange struct {
	Name          *string
	Metadata      *string
	RetentionDays *int
	PayloadDays   *int
}

// ChangeProject changes a project of an organization. Of two changes at once the later wins whole.
// fault.Invalid, fault.NotFound, fault.Conflict for a name that is taken.
func (s *Service) ChangeProject(ctx context.Context, organizationID, projectID string, change ProjectChange) (model.Project, error) {
	p, err := s.own(ctx, organizationID, projectID)
	if err != nil {
		return p, err
	}
	if change.Name != nil {
		p.Name = *change.Name
	}
	if change.Metadata != nil {
		p.Metadata = *change.Metadata
	}
	if change.RetentionDays != nil {
		p.Retention.Days = *change.RetentionDays
	}
	if change.PayloadDays != nil {
		p.Retention.PayloadDays = *change.PayloadDays
	}
	if err := errors.Join(checkName(p.Name), checkRetention(p.Retention)); err != nil {
		return p, err
	}
	p.UpdatedAt = now()
	err = s.store.UpdateProject(ctx, p)
	if errors.Is(err, metastore.ErrExists) {
		return p, known(err, "Project with this name")
	}
	return p, known(err, "Project")
}

// GiveUpProject marks a project of an organization as being erased; from then on its keys are refused.
// It may be called again, in case the erasing could not be started. fault.NotFound.
func (s *Service) GiveUpProject(ctx context.Context, organizationID, projectID string) error {
	p, err := s.store.Project(ctx, projectID)
	if err == nil && p.Organization.ID != organizationID {
		err = metastore.ErrNotFound
	}
	if err != nil {
		return known(err, "Project")
	}
	return known(s.store.MarkProjectDeleted(ctx, projectID), "Project")
}

// Keys returns the valid keys of a project of an organization, or with an empty project id those of the
// organization itself. fault.NotFound.
func (s *Service) Keys(ctx context.Context, organizationID, projectID string) ([]model.Key, error) {
	if projectID != "" {
		if _, err := s.own(ctx, organizationID, projectID); err != nil {
			return nil, err
		}
	}
	return s.store.KeysOf(ctx, organizationID, projectID)
}

// AddKey gives a key to a project of an organization, or with an empty project id to the organization
// itself. fault.Invalid, fault.NotFound, fault.Conflict for a public key that is taken.
func (s *Service) AddKey(ctx context.Context, organizationID, projectID string, key model.Key) error {
	if !key.ExpiresAt.IsZero() && !key.ExpiresAt.After(time.Now()) {
		return fault.Invalidf("expiresAt", "must be in the future")
	}
	key.Project = model.Project{Organization: model.Organization{ID: organizationID}}
	if projectID != "" {
		project, err := s.own(ctx, organizationID, projectID)
		if err != nil {
			return err
		}
		key.Project = project
	}
	err := s.store.CreateKey(ctx, key)
	if errors.Is(err, metastore.ErrExists) {
		return known(err, "API key with this public key")
	}
	return known(err, "Project or organization")
}

// RevokeKey revokes a key of a project of an organization, or with an empty project id one of the
// organization itself. fault.NotFound.
func (s *Service) RevokeKey(ctx context.Context, organizationID, projectID, keyID string) error {
	return known(s.store.RevokeKeyOf(ctx, organizationID, projectID, keyID, now()), "API key")
}

// RotateKey gives a key of a project of an organization, or with an empty project id one of the organization itself, the secret of
// a fresh one. The old secret stays good for the grace. fault.NotFound.
func (s *Service) RotateKey(ctx context.Context, organizationID, projectID, keyID string, fresh model.Key, grace time.Duration) (model.Key, error) {
	key, err := s.store.RotateKey(ctx, organizationID, projectID, keyID, fresh, now().Add(grace))
	return key, known(err, "API key")
}
