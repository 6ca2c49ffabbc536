// Package savedviews keeps names for what people look at: the search parameters of lists, shared with a
// project or of one person.
package savedviews

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// Tables are the lists that have views.
func Tables() []string {
	return []string{"traces", "observations", "sessions", "users", "scores", "experiments", "datasets", "prompts", "dashboards"}
}

// maxName is the length of a name in characters.
const maxName = 200

// Service keeps saved views. A private view is there for its owner only; to all others it is not found.
type Service struct{ store metastore.SavedViews }

// New makes a service.
func New(store metastore.SavedViews) *Service { return &Service{store} }

// Create adds a view of a project, owned by somebody or, with an empty id, by nobody, and returns it.
func (s *Service) Create(ctx context.Context, v model.SavedView) (model.SavedView, error) {
	if !slices.Contains(Tables(), v.Table) {
		return model.SavedView{}, fault.Invalidf("tableName", "must be one of %s", strings.Join(Tables(), ", "))
	}
	if err := checkName(&v); err != nil {
		return model.SavedView{}, err
	}
	v.ID, v.CreatedAt = uuid.NewString(), now()
	v.UpdatedAt = v.CreatedAt
	return v, s.store.CreateSavedView(ctx, v)
}

// Get returns a view that somebody may see. fault.NotFound.
func (s *Service) Get(ctx context.Context, projectID, id, userID string) (model.SavedView, error) {
	v, err := s.store.SavedView(ctx, projectID, id)
	if errors.Is(err, metastore.ErrNotFound) || err == nil && !v.Shared && v.OwnerID != userID {
		return model.SavedView{}, notFound()
	}
	return v, err
}

// List returns a part of the views that somebody may see, of one table or, with an empty name, of all.
func (s *Service) List(ctx context.Context, projectID, table, userID string, part metastore.Range) ([]model.SavedView, int, error) {
	return s.store.SavedViews(ctx, projectID, metastore.SavedViewQuery{Table: table, OwnerID: userID}, part)
}

// Defaults names the view that each list of these projects begins with for somebody, by project, then table: their own
// goes before that of the project.
func (s *Service) Defaults(ctx context.Context, projectIDs []string, userID string) (map[string]map[string]string, error) {
	list, err := s.store.DefaultViews(ctx, projectIDs, userID)
	byProject := map[string]map[string]string{}
	for _, v := range list {
		tables := byProject[v.ProjectID]
		if tables == nil {
			tables = map[string]string{}
			byProject[v.ProjectID] = tables
		}
		if tables[v.Table] == "" || !v.Shared {
			tables[v.Table] = v.ID
		}
	}
	return byProject, err
}

// Change is what can be changed about a view.
type Change struct {
	Name, State     string
	Shared, Default bool
}

// Update changes a view that somebody may see and returns it. fault.NotFound, fault.Forbidden for making
// the shared view of another private.
func (s *Service) Update(ctx context.Context, projectID, id, userID string, c Change) (model.SavedView, error) {
	v, err := s.Get(ctx, projectID, id, userID)
	if err != nil {
		return model.SavedView{}, err
	}
	if !c.Shared && v.OwnerID != userID {
		return model.SavedView{}, fault.New(fault.Forbidden, "Only its owner can make a view private").Hint("save it under another name")
	}
	v.Name, v.State, v.Shared, v.Default, v.UpdatedAt = c.Name, c.State, c.Shared, c.Default, now()
	if err := checkName(&v); err != nil {
		return model.SavedView{}, err
	}
	return v, gone(s.store.UpdateSavedView(ctx, v))
}

// Delete removes a view that somebody may see. fault.NotFound.
func (s *Service) Delete(ctx context.Context, projectID, id, userID string) error {
	if _, err := s.Get(ctx, projectID, id, userID); err != nil {
		return err
	}
	return gone(s.store.DeleteSavedView(ctx, projectID, id))
}

func notFound() error { return fault.New(fault.NotFound, "No such saved view in this project") }

// gone is for a view that went between two questions.
func gone(err error) error {
	if errors.Is(err, metastore.ErrNotFound) {
		return notFound()
	}
	return err
}

func checkName(v *model.SavedView) error {
	v.Name = strings.TrimSpace(v.Name)
	if n := utf8.RuneCountInString(v.Name); n < 1 || n > maxName {
		return fault.Invalidf("name", "must have 1 to %d characters without the spaces around it, got %d", maxName, n)
	}
	return nil
}

// now is the time as databases keep it.
func now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }
