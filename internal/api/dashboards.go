package api

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/dashboards"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
)

const (
	dashboardsPath = "/api/public/dashboards"
	dashboardPath  = dashboardsPath + "/{dashboardId}"
	// maxDashboardBody has room for the largest dashboard, written with spaces and escapes.
	maxDashboardBody = 1 << 20
)

func (s *server) dashboardRoutes() []route {
	return []route{
		{method: http.MethodGet, path: dashboardsPath, handle: s.listDashboards},
		{method: http.MethodPost, path: dashboardsPath, handle: s.createDashboard},
		{method: http.MethodGet, path: dashboardPath, handle: s.getDashboard},
		{method: http.MethodPut, path: dashboardPath, handle: s.replaceDashboard},
		{method: http.MethodDelete, path: dashboardPath, handle: s.deleteDashboard},
	}
}

// dashboardHead is a dashboard in a list.
type dashboardHead struct {
	ID          string  `json:"id"`
	ProjectID   string  `json:"projectId"`
	Name        string  `json:"name"`
	Description string  `json:"description"`
	BuiltIn     bool    `json:"builtIn"`
	Revision    int64   `json:"revision"`
	TileCount   int     `json:"tileCount"`
	CreatedAt   *string `json:"createdAt"` // null: nothing of it is stored
	UpdatedAt   *string `json:"updatedAt"`
}

// dashboardJSON is a dashboard as clients read it.
type dashboardJSON struct {
	dashboardHead
	Tiles []tileJSON `json:"tiles"`
}

// tileJSON is a tile as clients read and write it.
type tileJSON struct {
	ID    string          `json:"id"`
	Title string          `json:"title"`
	Kind  string          `json:"kind"`
	X     int             `json:"x"`
	Y     int             `json:"y"`
	W     int             `json:"w"`
	H     int             `json:"h"`
	Query json.RawMessage `json:"query,omitempty"`
	Text  *string         `json:"text"`
}

func headOf(d model.Dashboard) dashboardHead {
	return dashboardHead{
		ID: d.ID, ProjectID: d.ProjectID, Name: d.Name, Description: d.Description, BuiltIn: dashboards.IsBuiltIn(d.ID),
		Revision: d.Revision, TileCount: d.TileCount, CreatedAt: stampOrNull(d.CreatedAt), UpdatedAt: stampOrNull(d.UpdatedAt),
	}
}

func dashboardOf(d model.Dashboard) dashboardJSON {
	shown := dashboardJSON{dashboardHead: headOf(d), Tiles: make([]tileJSON, len(d.Tiles))}
	for i, t := range d.Tiles {
		shown.Tiles[i] = tileJSON{ID: t.ID, Title: t.Title, Kind: string(t.Kind), X: t.X, Y: t.Y, W: t.W, H: t.H, Query: t.Query}
		if t.Kind == model.TextTile {
			shown.Tiles[i].Query, shown.Tiles[i].Text = nil, &t.Text
		}
	}
	return shown
}

// dashboardBody is a dashboard as clients write it.
type dashboardBody struct {
	Name        string            `json:"name"`
	Description string            `json:"description"`
	Tiles       []json.RawMessage `json:"tiles"`
}

// dashboardChange names what it was made from.
type dashboardChange struct {
	Name        string            `json:"name"`
	Description string            `json:"description"`
	Tiles       []json.RawMessage `json:"tiles"`
	Revision    *int64            `json:"revision"`
}

// tilesOf reads tiles, each of which has the members of one and no others.
func tilesOf(raw []json.RawMessage) ([]model.Tile, error) {
	tiles := make([]model.Tile, len(raw))
	for i, text := range raw {
		var members map[string]json.RawMessage
		if err := json.Unmarshal(text, &members); err != nil || members == nil {
			return nil, fault.Invalidf(fmt.Sprintf("tiles.%d", i), "must be an object")
		}
		var t tileJSON
		if err := exactly(members, &t, "a tile"); err != nil {
			return nil, err
		}
		tiles[i] = model.Tile{ID: t.ID, Title: t.Title, Kind: model.TileKind(t.Kind), X: t.X, Y: t.Y, W: t.W, H: t.H, Text: valueOf(t.Text)}
		if string(t.Query) != "null" {
			tiles[i].Query = t.Query
		}
	}
	return tiles, nil
}

// listDashboards serves GET /api/public/dashboards.
func (s *server) listDashboards(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	list, err := s.Dashboards.List(r.Context(), caller.Project.ID)
	if err != nil {
		return err
	}
	heads := make([]dashboardHead, len(list))
	for i, d := range list {
		heads[i] = headOf(d)
	}
	writeJSON(w, http.StatusOK, map[string]any{"data": heads})
	return nil
}

// createDashboard serves POST /api/public/dashboards.
func (s *server) createDashboard(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	var body dashboardBody
	if err := readExactly(w, r, maxDashboardBody, &body, "a dashboard"); err != nil {
		return err
	}
	tiles, err := tilesOf(body.Tiles)
	if err != nil {
		return err
	}
	made, err := s.Dashboards.Create(r.Context(), model.Dashboard{ProjectID: caller.Project.ID, Name: body.Name, Description: body.Description, Tiles: tiles})
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusCreated, dashboardOf(made))
	return nil
}

// getDashboard serves GET /api/public/dashboards/{dashboardId}.
func (s *server) getDashboard(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	d, err := s.Dashboards.Get(r.Context(), caller.Project.ID, r.PathValue("dashboardId"))
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, dashboardOf(d))
	return nil
}

// replaceDashboard serves PUT /api/public/dashboards/{dashboardId}.
func (s *server) replaceDashboard(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	var body dashboardChange
	if err := readExactly(w, r, maxDashboardBody, &body, "a dashboard"); err != nil {
		return err
	}
	if body.Revision == nil {
		return fault.Invalidf("revision", "is missing").Hint("send the one that you read the dashboard with")
	}
	tiles, err := tilesOf(body.Tiles)
	if err != nil {
		return err
	}
	changed, err := s.Dashboards.Replace(r.Context(), model.Dashboard{
		ProjectID: caller.Project.ID, ID: r.PathValue("dashboardId"), Name: body.Name, Description: body.Description, Tiles: tiles, Revision: *body.Revision,
	})
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, dashboardOf(changed))
	return nil
}

// deleteDashboard serves DELETE /api/public/dashboards/{dashboardId}.
func (s *server) deleteDashboard(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	if err := s.Dashboards.Delete(r.Context(), caller.Project.ID, r.PathValue("dashboardId")); err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, errorBody{Message: "Dashboard deleted"})
	return nil
}
