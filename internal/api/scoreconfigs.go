package api

import (
	"net/http"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/scoring"
)

// maxConfigBody bounds the body of a score config.
const maxConfigBody = 1 << 20

type scoreConfigPage struct {
	Data []scoreConfigJSON `json:"data"`
	Meta pageMeta          `json:"meta"`
}

// scoreConfigJSON is a score config as clients read it.
type scoreConfigJSON struct {
	ID          string                `json:"id"`
	ProjectID   string                `json:"projectId"`
	Name        string                `json:"name"`
	DataType    model.ScoreType       `json:"dataType"`
	IsArchived  bool                  `json:"isArchived"`
	Description *string               `json:"description"`
	MinValue    *float64              `json:"minValue"`
	MaxValue    *float64              `json:"maxValue"`
	Categories  []model.ScoreCategory `json:"categories"`
	CreatedAt   string                `json:"createdAt"`
	UpdatedAt   string                `json:"updatedAt"`
}

func scoreConfigOf(c model.ScoreConfig) scoreConfigJSON {
	return scoreConfigJSON{
		ID: c.ID, ProjectID: c.ProjectID, Name: c.Name, DataType: c.Type, IsArchived: c.Archived,
		Description: orNull(c.Description), MinValue: c.Min, MaxValue: c.Max, Categories: c.Categories,
		CreatedAt: stamp(c.CreatedAt), UpdatedAt: stamp(c.UpdatedAt),
	}
}

// scoreConfigBody is a score config, or a change of one, as clients write it. Null is not given.
type scoreConfigBody struct {
	Name        *string         `json:"name"`
	DataType    model.ScoreType `json:"dataType"`
	IsArchived  *bool           `json:"isArchived"`
	Description *string         `json:"description"`
	MinValue    *float64        `json:"minValue"`
	MaxValue    *float64        `json:"maxValue"`
	Categories  []categoryBody  `json:"categories"`
}

type categoryBody struct {
	Label string   `json:"label"`
	Value *float64 `json:"value"`
}

func (b *scoreConfigBody) categories() ([]model.ScoreCategory, error) {
	if b.Categories == nil {
		return nil, nil
	}
	list := []model.ScoreCategory{}
	for _, c := range b.Categories {
		if c.Value == nil {
			return nil, fault.Invalidf("categories", "must each have a value, a number")
		}
		list = append(list, model.ScoreCategory{Label: c.Label, Value: *c.Value})
	}
	return list, nil
}

// listScoreConfigs serves GET /api/public/score-configs.
func (s *server) listScoreConfigs(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	p, err := readParams(r)
	if err != nil {
		return err
	}
	page, limit := p.page()
	if err := p.err(); err != nil {
		return err
	}
	all, err := s.Scoring.List(r.Context(), caller.Project.ID)
	if err != nil {
		return err
	}
	some, meta := pageOf(all, page, limit)
	body := scoreConfigPage{Data: []scoreConfigJSON{}, Meta: meta}
	for _, c := range some {
		body.Data = append(body.Data, scoreConfigOf(c))
	}
	writeJSON(w, http.StatusOK, body)
	return nil
}

// createScoreConfig serves POST /api/public/score-configs.
func (s *server) createScoreConfig(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	body, err := readScoreConfig(w, r)
	if err != nil {
		return err
	}
	categories, err := body.categories()
	if err != nil {
		return err
	}
	made, err := s.Scoring.Create(r.Context(), caller.Project.ID, model.ScoreConfig{
		Name: valueOf(body.Name), Type: body.DataType, Description: valueOf(body.Description),
		Min: body.MinValue, Max: body.MaxValue, Categories: categories,
	})
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, scoreConfigOf(made))
	return nil
}

// getScoreConfig serves GET /api/public/score-configs/{configId}.
func (s *server) getScoreConfig(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	c, err := s.Scoring.Get(r.Context(), caller.Project.ID, r.PathValue("configId"))
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, scoreConfigOf(c))
	return nil
}

// changeScoreConfig serves PATCH /api/public/score-configs/{configId}.
func (s *server) changeScoreConfig(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	body, err := readScoreConfig(w, r)
	if err != nil {
		return err
	}
	change := scoring.Change{
		Archived: body.IsArchived, Name: body.Name, Description: body.Description, Min: body.MinValue, Max: body.MaxValue,
	}
	if change.Categories, err = body.categories(); err != nil {
		return err
	}
	if body.IsArchived == nil && body.Name == nil && body.Description == nil && body.MinValue == nil && body.MaxValue == nil && body.Categories == nil {
		return fault.New(fault.Invalid, "The request body changes nothing").
			Hint("send any of isArchived, name, description, minValue, maxValue, categories")
	}
	changed, err := s.Scoring.Change(r.Context(), caller.Project.ID, r.PathValue("configId"), change)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, scoreConfigOf(changed))
	return nil
}

// valueOf is what is given, the zero value when nothing is.
func valueOf[T any](given *T) (value T) {
	if given != nil {
		value = *given
	}
	return value
}

func readScoreConfig(w http.ResponseWriter, r *http.Request) (body scoreConfigBody, err error) {
	err = readJSON(w, r, maxConfigBody, &body, "a score config")
	return body, err
}
