// Package scoring keeps the score configs of projects and holds scores to them when they come.
package scoring

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/partial"
)

// Service knows the score configs of all projects.
type Service struct {
	store metastore.ScoreConfigs
	known known
}

// New makes a service.
func New(store metastore.ScoreConfigs) *Service {
	return &Service{store: store, known: known{projects: map[string]project{}}}
}

// Configure holds the scores of a batch to the configs they name; see partial.Batch.Configure. It
// fails only when configs cannot be read now, and then has changed nothing. What another node
// changed counts within a second; what is not known here is always looked for.
func (s *Service) Configure(ctx context.Context, projectID string, batch *partial.Batch) error {
	ids := batch.ConfigIDs()
	if len(ids) == 0 {
		return nil
	}
	configs, fresh := s.known.get(projectID, time.Now())
	for _, id := range ids {
		if fresh && configs[id] == nil {
			fresh = false
		}
	}
	if !fresh {
		var err error
		if configs, err = s.read(ctx, projectID); err != nil {
			return err
		}
	}
	batch.Configure(configs)
	return nil
}

func (s *Service) read(ctx context.Context, projectID string) (map[string]*model.ScoreConfig, error) {
	began, changes := time.Now(), s.known.changes()
	list, err := s.store.ScoreConfigs(ctx, projectID)
	if err != nil {
		return nil, err
	}
	configs := map[string]*model.ScoreConfig{}
	for i := range list {
		configs[list[i].ID] = &list[i]
	}
	s.known.put(projectID, project{configs, began}, changes)
	return configs, nil
}

// List returns all configs of a project, the newest first.
func (s *Service) List(ctx context.Context, projectID string) ([]model.ScoreConfig, error) {
	return s.store.ScoreConfigs(ctx, projectID)
}

// Get returns one config of a project. fault.NotFound.
func (s *Service) Get(ctx context.Context, projectID, id string) (model.ScoreConfig, error) {
	c, err := s.store.ScoreConfig(ctx, projectID, id)
	if errors.Is(err, metastore.ErrNotFound) {
		return c, noConfig()
	}
	return c, err
}

// Create adds a config to a project under an id of ours. One that cannot be used is fault.Invalid.
func (s *Service) Create(ctx context.Context, projectID string, c model.ScoreConfig) (model.ScoreConfig, error) {
	if c.Type == model.Boolean {
		if c.Categories != nil {
			return c, booleanCategories()
		}
		c.Categories = []model.ScoreCategory{{Label: "True", Value: 1}, {Label: "False", Value: 0}}
	}
	if err := check(c); err != nil {
		return c, err
	}
	c.ProjectID, c.ID = projectID, uuid.NewString()
	c.CreatedAt = time.Now().UTC().Truncate(time.Microsecond)
	c.UpdatedAt = c.CreatedAt
	defer s.known.forget(projectID)
	return c, s.store.CreateScoreConfig(ctx, c)
}

// Change is what to change of a config; nil is left as it is.
type Change struct {
	Archived    *bool
	Name        *string
	Description *string
	Min, Max    *float64
	Categories  []model.ScoreCategory
}

// changeTries is how often a change is tried again because another one came first.
const changeTries = 10

// Change changes a config of a project and returns what became of it. fault.NotFound, fault.Invalid.
func (s *Service) Change(ctx context.Context, projectID, id string, change Change) (model.ScoreConfig, error) {
	defer s.known.forget(projectID)
	for range changeTries {
		c, err := s.Get(ctx, projectID, id)
		if err != nil {
			return c, err
		}
		before := c.UpdatedAt
		if err := change.apply(&c); err != nil {
			return c, err
		}
		c.UpdatedAt = time.Now().UTC().Truncate(time.Microsecond)
		if !c.UpdatedAt.After(before) {
			c.UpdatedAt = before.Add(time.Microsecond)
		}
		err = s.store.UpdateScoreConfig(ctx, c, before)
		if !errors.Is(err, metastore.ErrNotFound) {
			return c, err
		}
	}
	return model.ScoreConfig{}, fault.Unavailablef("The score config is being changed by others").Hint("try again")
}

func (change *Change) apply(c *model.ScoreConfig) error {
	if change.Archived != nil {
		c.Archived = *change.Archived
	}
	if change.Name != nil {
		c.Name = *change.Name
	}
	if change.Description != nil {
		c.Description = *change.Description
	}
	if change.Min != nil {
		c.Min = change.Min
	}
	if change.Max != nil {
		c.Max = change.Max
	}
	if change.Categories != nil {
		if c.Type == model.Boolean {
			return booleanCategories()
		}
		c.Categories = change.Categories
	}
	return check(*c)
}

func noConfig() error {
	return fault.New(fault.NotFound, "No score config with this id in this project")
}
