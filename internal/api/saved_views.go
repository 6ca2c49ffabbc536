package api

import (
	"net/http"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/savedviews"
)

const (
	savedViewsPath = "/api/public/saved-views"
	savedViewPath  = savedViewsPath + "/{id}"
	// maxSavedViewBody has room for a state whose every byte is escaped.
	maxSavedViewBody = 128 << 10
)

func (s *server) savedViewRoutes() []route {
	return []route{
		{method: http.MethodGet, path: savedViewsPath, handle: s.listSavedViews},
		{method: http.MethodPost, path: savedViewsPath, handle: s.createSavedView},
		{method: http.MethodGet, path: savedViewPath, handle: s.getSavedView},
		{method: http.MethodPut, path: savedViewPath, handle: s.updateSavedView},
		{method: http.MethodDelete, path: savedViewPath, handle: s.deleteSavedView},
	}
}

// ownerOf is the user on whose behalf a request comes; empty for keys, which own nothing.
func ownerOf(caller auth.Principal) string { return caller.User.ID }

// savedViewJSON is a saved view as clients read it.
type savedViewJSON struct {
	ID        string  `json:"id"`
	ProjectID string  `json:"projectId"`
	Table     string  `json:"tableName"`
	Name      string  `json:"name"`
	Shared    bool    `json:"shared"`
	Default   bool    `json:"isDefault"`
	OwnerID   *string `json:"ownerUserId"`
	State     string  `json:"state"`
	CreatedAt string  `json:"createdAt"`
	UpdatedAt string  `json:"updatedAt"`
}

func savedViewOf(v model.SavedView) savedViewJSON {
	return savedViewJSON{
		ID: v.ID, ProjectID: v.ProjectID, Table: v.Table, Name: v.Name, Shared: v.Shared, Default: v.Default,
		OwnerID: orNull(v.OwnerID), State: v.State, CreatedAt: stamp(v.CreatedAt), UpdatedAt: stamp(v.UpdatedAt),
	}
}

type savedViewPage struct {
	Data []savedViewJSON `json:"data"`
	Meta pageMeta        `json:"meta"`
}

// savedViewBody is a saved view as clients write it.
type savedViewBody struct {
	Table   *string `json:"tableName"`
	Name    *string `json:"name"`
	State   *string `json:"state"`
	Shared  *bool   `json:"shared"`
	Default *bool   `json:"isDefault"`
}

// savedViewChange has all that can change: what is left out would be taken away unseen.
type savedViewChange struct {
	Name    *string `json:"name"`
	State   *string `json:"state"`
	Shared  *bool   `json:"shared"`
	Default *bool   `json:"isDefault"`
}

func (c savedViewChange) check() error {
	for field, given := range map[string]bool{"name": c.Name != nil, "state": c.State != nil, "shared": c.Shared != nil, "isDefault": c.Default != nil} {
		if !given {
			return fault.Invalidf(field, "is missing").Hint("send name, state, shared and isDefault")
		}
	}
	return nil
}

// createSavedView serves POST /api/public/saved-views.
func (s *server) createSavedView(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	var body savedViewBody
	if err := readExactly(w, r, maxSavedViewBody, &body, "a saved view"); err != nil {
		return err
	}
	owner := ownerOf(caller)
	shared := owner == ""
	if body.Shared != nil {
		shared = *body.Shared
	}
	made, err := s.SavedViews.Create(r.Context(), model.SavedView{
		ProjectID: caller.Project.ID, Table: valueOf(body.Table), Name: valueOf(body.Name), State: valueOf(body.State),
		OwnerID: owner, Shared: shared, Default: valueOf(body.Default),
	})
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusCreated, savedViewOf(made))
	return nil
}

// listSavedViews serves GET /api/public/saved-views.
func (s *server) listSavedViews(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	p, err := readParams(r)
	if err != nil {
		return err
	}
	table, _ := p.choice("tableName", savedviews.Tables())
	page, limit, part := p.listPart()
	if err := p.err(); err != nil {
		return err
	}
	list, total, err := s.SavedViews.List(r.Context(), caller.Project.ID, table, ownerOf(caller), part)
	if err != nil {
		return err
	}
	body := savedViewPage{Data: []savedViewJSON{}, Meta: metaOf(page, limit, total)}
	for _, v := range list {
		body.Data = append(body.Data, savedViewOf(v))
	}
	writeJSON(w, http.StatusOK, body)
	return nil
}

// getSavedView serves GET /api/public/saved-views/{id}.
func (s *server) getSavedView(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	v, err := s.SavedViews.Get(r.Context(), caller.Project.ID, r.PathValue("id"), ownerOf(caller))
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, savedViewOf(v))
	return nil
}

// updateSavedView serves PUT /api/public/saved-views/{id}.
func (s *server) updateSavedView(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	var body savedViewChange
	if err := readExactly(w, r, maxSavedViewBody, &body, "a saved view"); err != nil {
		return err
	}
	if err := body.check(); err != nil {
		return err
	}
	v, err := s.SavedViews.Update(r.Context(), caller.Project.ID, r.PathValue("id"), ownerOf(caller), savedviews.Change{
		Name: valueOf(body.Name), State: valueOf(body.State), Shared: valueOf(body.Shared), Default: valueOf(body.Default),
	})
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, savedViewOf(v))
	return nil
}

// deleteSavedView serves DELETE /api/public/saved-views/{id}.
func (s *server) deleteSavedView(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	if err := s.SavedViews.Delete(r.Context(), caller.Project.ID, r.PathValue("id"), ownerOf(caller)); err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, errorBody{Message: "Saved view deleted"})
	return nil
}
