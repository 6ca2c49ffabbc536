package api

import (
	"context"
	"net/http"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/price"
)

// Models keeps model definitions. A project sees its own and the built-in ones, and changes its own.
type Models interface {
	// List returns all that a project sees, by name.
	List(ctx context.Context, projectID string) ([]*price.Definition, error)
	// Get returns one that a project sees. fault.NotFound.
	Get(ctx context.Context, projectID, id string) (*price.Definition, error)
	// Create adds one under a new id. fault.Invalid.
	Create(ctx context.Context, projectID string, d price.Definition) (*price.Definition, error)
	// Put creates or replaces the one with that id. fault.Invalid.
	Put(ctx context.Context, projectID, id string, d price.Definition) (*price.Definition, error)
	// Delete removes one of the project's own. fault.NotFound.
	Delete(ctx context.Context, projectID, id string) error
}

const maxModelBody = 1 << 20

// listModels serves GET /api/public/models.
func (s *server) listModels(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	p, err := readParams(r)
	if err != nil {
		return err
	}
	page, limit := p.page()
	if err := p.err(); err != nil {
		return err
	}
	all, err := s.Models.List(r.Context(), caller.Project.ID)
	if err != nil {
		return err
	}
	some, meta := pageOf(all, page, limit)
	body := modelPage{Data: []modelJSON{}, Meta: meta}
	for _, d := range some {
		body.Data = append(body.Data, modelOf(d))
	}
	writeJSON(w, http.StatusOK, body)
	return nil
}

// createModel serves POST /api/public/models.
func (s *server) createModel(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	d, err := readModel(w, r)
	if err != nil {
		return err
	}
	made, err := s.Models.Create(r.Context(), caller.Project.ID, d)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, modelOf(made))
	return nil
}

// getModel serves GET /api/public/models/{modelId}.
func (s *server) getModel(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	d, err := s.Models.Get(r.Context(), caller.Project.ID, r.PathValue("modelId"))
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, modelOf(d))
	return nil
}

// putModel serves PUT /api/public/models/{modelId}.
func (s *server) putModel(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	d, err := readModel(w, r)
	if err != nil {
		return err
	}
	made, err := s.Models.Put(r.Context(), caller.Project.ID, r.PathValue("modelId"), d)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, modelOf(made))
	return nil
}

// deleteModel serves DELETE /api/public/models/{modelId}.
func (s *server) deleteModel(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	if err := s.Models.Delete(r.Context(), caller.Project.ID, r.PathValue("modelId")); err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, map[string]string{"message": "Model successfully deleted"})
	return nil
}

// readModel reads a definition as clients write it.
func readModel(w http.ResponseWriter, r *http.Request) (price.Definition, error) {
	var body modelBody
	if err := readJSON(w, r, maxModelBody, &body, "a model; send modelName, matchPattern, and prices or pricingTiers"); err != nil {
		return price.Definition{}, err
	}
	return body.definition()
}
