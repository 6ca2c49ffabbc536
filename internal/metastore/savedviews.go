package metastore

import (
	"context"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
)

// Bounds of saved views.
const (
	MaxSavedViews     = 1000 // of a project
	MaxSavedViewState = 16 << 10
)

// SavedViewQuery says which saved views are wanted.
type SavedViewQuery struct {
	Table   string // empty: any
	OwnerID string // whose private ones; empty: only shared ones
}

// SavedViews keeps saved views. Ids are unique within a project. Of the shared views of a table at most one
// is the default, and of the private ones of each owner: whoever becomes it takes it from the other in the
// same step. What cannot be stored is refused with fault.Invalid.
type SavedViews interface {
	// CreateSavedView adds a view. ErrExists for its id, ErrNotFound for the project; fault.Invalid when the
	// project has MaxSavedViews.
	CreateSavedView(ctx context.Context, view model.SavedView) error
	// SavedView returns one view of a project, whoever owns it. ErrNotFound.
	SavedView(ctx context.Context, projectID, id string) (model.SavedView, error)
	// SavedViews returns a part of the views that match, the newest first, then by id, and how many there are.
	SavedViews(ctx context.Context, projectID string, q SavedViewQuery, part Range) ([]model.SavedView, int, error)
	// DefaultViews returns the defaults of these projects, shared ones and those of an owner, by project, table and id,
	// without what they keep.
	DefaultViews(ctx context.Context, projectIDs []string, ownerID string) ([]model.SavedView, error)
	// UpdateSavedView sets name, state, whether it is shared and the default, and the time of the change. ErrNotFound.
	UpdateSavedView(ctx context.Context, view model.SavedView) error
	// DeleteSavedView removes a view for ever. ErrNotFound.
	DeleteSavedView(ctx context.Context, projectID, id string) error
}

// CheckSavedView refuses with fault.Invalid a view that cannot be stored. A private one without an owner would
// be seen by nobody.
func CheckSavedView(v model.SavedView) error {
	switch {
	case len(v.State) > MaxSavedViewState:
		return fault.Invalidf("state", "must not be larger than %d bytes", MaxSavedViewState)
	case !v.Shared && v.OwnerID == "":
		return fault.Invalidf("shared", "must be true unless a person owns the view")
	}
	return first(
		CheckID("project id", v.ProjectID),
		CheckID("id", v.ID),
		CheckID("tableName", v.Table),
		CheckID("name", v.Name),
		checkText("owner", v.OwnerID),
		checkDocument("state", v.State),
	)
}

// Check refuses with fault.Invalid a query that no row can match because no database holds such texts.
func (q SavedViewQuery) Check() error {
	return first(checkText("tableName", q.Table), checkText("owner", q.OwnerID))
}
