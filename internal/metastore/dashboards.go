package metastore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
)

// ErrDashboardChanged is returned by SaveDashboard when the dashboard is not any more as the caller read it.
var ErrDashboardChanged = errors.New("the dashboard changed meanwhile")

// Bounds of dashboards.
const (
	MaxDashboards     = 200 // of a project
	MaxDashboardTiles = 256 << 10
)

// Dashboards keeps dashboards. Ids are unique within a project. What cannot be stored is refused with
// fault.Invalid.
type Dashboards interface {
	// SaveDashboard replaces a dashboard, its time of creation apart, if its revision is still the one given, and
	// makes it when that is zero; it returns the new revision. Of several that replace the same revision exactly
	// one does, the others get ErrDashboardChanged. ErrNotFound for the project; fault.Invalid when the project
	// has MaxDashboards.
	SaveDashboard(ctx context.Context, dashboard model.Dashboard) (revision int64, err error)
	// Dashboard returns one dashboard of a project. ErrNotFound.
	Dashboard(ctx context.Context, projectID, id string) (model.Dashboard, error)
	// Dashboards returns all dashboards of a project without their tiles, by time of creation, then by id.
	Dashboards(ctx context.Context, projectID string) ([]model.Dashboard, error)
	// DeleteDashboard removes a dashboard for ever. ErrNotFound.
	DeleteDashboard(ctx context.Context, projectID, id string) error
}

// TilesText renders tiles as they are kept, or refuses with fault.Invalid a dashboard that cannot be.
func TilesText(d model.Dashboard) (string, error) {
	tiles := d.Tiles
	if tiles == nil {
		tiles = []model.Tile{}
	}
	text, err := json.Marshal(tiles)
	if err != nil {
		return "", fmt.Errorf("encode tiles: %w", err)
	}
	if len(text) > MaxDashboardTiles {
		return "", fault.Invalidf("tiles", "must not be larger than %d bytes together", MaxDashboardTiles)
	}
	return string(text), first(
		CheckID("project id", d.ProjectID),
		CheckID("dashboardId", d.ID),
		CheckID("name", d.Name),
		checkDocument("description", d.Description),
		checkDocument("tiles", string(text)),
	)
}
