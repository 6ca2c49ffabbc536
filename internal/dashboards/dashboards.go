// Package dashboards keeps pages of tiles. Every project has a set of built-in ones that nobody stored: they are
// there from the first look on, become the project's own with their first change, and are as they were again
// once that is deleted.
package dashboards

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// CheckQuery refuses with fault.Invalid the text of a metrics query that cannot be answered.
type CheckQuery func(text string) error

// Service keeps the dashboards of projects.
type Service struct {
	store metastore.Dashboards
	check CheckQuery
}

// New makes a service.
func New(store metastore.Dashboards, check CheckQuery) *Service { return &Service{store, check} }

// List returns the dashboards of a project without their tiles: the built-in ones first, as they are or as the
// project has them, then all others by time of creation.
func (s *Service) List(ctx context.Context, projectID string) ([]model.Dashboard, error) {
	stored, err := s.store.Dashboards(ctx, projectID)
	if err != nil {
		return nil, err
	}
	list := builtIn(projectID)
	for i, d := range list {
		list[i].Tiles, list[i].TileCount = nil, len(d.Tiles)
		if own := slices.IndexFunc(stored, func(s model.Dashboard) bool { return s.ID == d.ID }); own >= 0 {
			list[i] = stored[own]
			stored = slices.Delete(stored, own, own+1)
		}
	}
	return append(list, stored...), nil
}

// Get returns a dashboard. fault.NotFound.
func (s *Service) Get(ctx context.Context, projectID, id string) (model.Dashboard, error) {
	d, err := s.store.Dashboard(ctx, projectID, id)
	if !errors.Is(err, metastore.ErrNotFound) {
		return d, err
	}
	for _, d := range builtIn(projectID) {
		if d.ID == id {
			return d, nil
		}
	}
	return model.Dashboard{}, notFound()
}

// IsBuiltIn reports whether a dashboard is there without being stored.
func IsBuiltIn(id string) bool {
	return slices.ContainsFunc(builtIn(""), func(d model.Dashboard) bool { return d.ID == id })
}

// Create adds a dashboard under a new id and returns it. fault.Invalid.
func (s *Service) Create(ctx context.Context, d model.Dashboard) (model.Dashboard, error) {
	d.ID, d.CreatedAt, d.Revision = uuid.NewString(), now(), 0
	return s.save(ctx, d)
}

// Replace gives a dashboard another name, description and tiles, if it still has the revision that the caller
// read, and returns it. fault.NotFound, fault.Conflict, fault.Invalid.
func (s *Service) Replace(ctx context.Context, d model.Dashboard) (model.Dashboard, error) {
	old, err := s.Get(ctx, d.ProjectID, d.ID)
	if err != nil {
		return model.Dashboard{}, err
	}
	if old.Revision != d.Revision {
		return model.Dashboard{}, changed()
	}
	d.CreatedAt = old.CreatedAt
	if old.Revision == 0 {
		d.CreatedAt = now()
	}
	return s.save(ctx, d)
}

func (s *Service) save(ctx context.Context, d model.Dashboard) (_ model.Dashboard, err error) {
	if err := s.checked(&d); err != nil {
		return model.Dashboard{}, err
	}
	d.UpdatedAt, d.TileCount = now(), len(d.Tiles)
	d.Revision, err = s.store.SaveDashboard(ctx, d)
	if errors.Is(err, metastore.ErrDashboardChanged) {
		return model.Dashboard{}, changed()
	}
	return d, err
}

// Delete removes what is stored of a dashboard; a built-in one is as it was then. fault.NotFound, fault.Conflict
// for a built-in one of which nothing is stored.
func (s *Service) Delete(ctx context.Context, projectID, id string) error {
	err := s.store.DeleteDashboard(ctx, projectID, id)
	switch {
	case !errors.Is(err, metastore.ErrNotFound):
		return err
	case IsBuiltIn(id):
		return fault.New(fault.Conflict, "This dashboard is built in and unchanged; there is nothing to delete")
	}
	return notFound()
}

func notFound() error {
	return fault.New(fault.NotFound, "No such dashboard in this project").Hint("it may have been deleted")
}

func changed() error {
	return fault.New(fault.Conflict, "The dashboard changed meanwhile").Hint("read it again and repeat the change")
}

// now is the time as databases keep it.
func now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }
