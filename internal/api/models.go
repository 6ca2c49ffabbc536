package api

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/fault"
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

const (
	maxModelBody   = 1 << 20
	modelPageLimit = 100
)

// listModels serves GET /api/public/models.
func (s *server) listModels(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	p, err := readParams(r)
	if err != nil {
		return err
	}
	page, limit := p.number("page", 1), p.number("limit", 50)
	if page < 1 {
		p.invalid("page", "must be at least 1")
	}
	if limit < 1 || limit > modelPageLimit {
		p.invalid("limit", "must be between 1 and %d", modelPageLimit)
	}
	if err := p.err(); err != nil {
		return err
	}
	all, err := s.Models.List(r.Context(), caller.Project.ID)
	if err != nil {
		return err
	}
	body := modelPage{Data: []modelJSON{}, Meta: pageMeta{
		Page: page, Limit: limit, TotalItems: len(all), TotalPages: (len(all) + limit - 1) / limit,
	}}
	if page <= body.Meta.TotalPages { // a page far out must not overflow
		for _, d := range all[(page-1)*limit : min(page*limit, len(all))] {
			body.Data = append(body.Data, modelOf(d))
		}
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
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxModelBody))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return price.Definition{}, fault.New(fault.TooLarge, "The request body is larger than %d bytes", maxModelBody)
	}
	if err != nil {
		return price.Definition{}, fault.New(fault.Invalid, "Failed to read request body").Because(err)
	}
	var body modelBody
	if err := json.Unmarshal(text, &body); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
			return price.Definition{}, fault.Invalidf(wrong.Field, "must not be a JSON %s", wrong.Value)
		}
		return price.Definition{}, fault.New(fault.Invalid, "The request body is no JSON object of a model").
			Hint("send modelName, matchPattern, and prices or pricingTiers").Because(err)
	}
	return body.definition()
}
