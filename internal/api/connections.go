package api

import (
	"encoding/json"
	"net/http"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/connections"
	"github.com/sondehq/sonde/internal/model"
)

// maxConnectionBody bounds the body of a connection.
const maxConnectionBody = 1 << 20

// connectionRoutes are the routes of connections to LLM providers.
func (s *server) connectionRoutes() []route {
	return []route{
		{method: http.MethodGet, path: "/api/public/llm-connections", handle: s.listConnections, admin: true},
		{method: http.MethodPut, path: "/api/public/llm-connections", handle: s.putConnection, admin: true, least: model.Admin},
		{method: http.MethodDelete, path: "/api/public/llm-connections/{id}", handle: s.deleteConnection, admin: true, least: model.Admin},
	}
}

// connectionJSON is a connection as clients read it: without secrets.
type connectionJSON struct {
	ID                string          `json:"id"`
	Provider          string          `json:"provider"`
	Adapter           string          `json:"adapter"`
	DisplaySecretKey  string          `json:"displaySecretKey"`
	BaseURL           *string         `json:"baseURL"`
	CustomModels      []string        `json:"customModels"`
	WithDefaultModels bool            `json:"withDefaultModels"`
	ExtraHeaderKeys   []string        `json:"extraHeaderKeys"`
	Config            json.RawMessage `json:"config"`
	CreatedAt         string          `json:"createdAt"`
	UpdatedAt         string          `json:"updatedAt"`
}

func connectionOf(c model.Connection) connectionJSON {
	body := connectionJSON{
		ID: c.ID, Provider: c.Provider, Adapter: c.Adapter, DisplaySecretKey: c.DisplayKey, BaseURL: orNull(c.BaseURL),
		CustomModels: c.Models, WithDefaultModels: c.DefaultModels, ExtraHeaderKeys: c.HeaderNames,
		CreatedAt: stamp(c.CreatedAt), UpdatedAt: stamp(c.UpdatedAt),
	}
	if c.Config != "" {
		body.Config = json.RawMessage(c.Config)
	}
	if body.CustomModels == nil {
		body.CustomModels = []string{}
	}
	if body.ExtraHeaderKeys == nil {
		body.ExtraHeaderKeys = []string{}
	}
	return body
}

type connectionPage struct {
	Data []connectionJSON `json:"data"`
	Meta pageMeta         `json:"meta"`
}

// connectionBody is a connection as clients write it. Null is not given.
type connectionBody struct {
	Provider          *string           `json:"provider"`
	Adapter           *string           `json:"adapter"`
	SecretKey         *string           `json:"secretKey"`
	BaseURL           *string           `json:"baseURL"`
	CustomModels      []string          `json:"customModels"`
	WithDefaultModels *bool             `json:"withDefaultModels"`
	ExtraHeaders      map[string]string `json:"extraHeaders"`
	Config            map[string]any    `json:"config"`
}

// listConnections serves GET /api/public/llm-connections.
func (s *server) listConnections(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	p, err := readParams(r)
	if err != nil {
		return err
	}
	p.nothingBut("page", "limit")
	page, limit, part := p.listPart()
	if err := p.err(); err != nil {
		return err
	}
	list, total, err := s.Connections.List(r.Context(), caller.Project.ID, part)
	if err != nil {
		return err
	}
	body := connectionPage{Data: []connectionJSON{}, Meta: metaOf(page, limit, total)}
	for _, c := range list {
		body.Data = append(body.Data, connectionOf(c))
	}
	writeJSON(w, http.StatusOK, body)
	return nil
}

// putConnection serves PUT /api/public/llm-connections.
func (s *server) putConnection(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	var body connectionBody
	if err := readExactly(w, r, maxConnectionBody, &body, "an LLM connection"); err != nil {
		return err
	}
	c, created, err := s.Connections.Put(r.Context(), caller.Project.ID, connections.Definition{
		Provider: valueOf(body.Provider), Adapter: valueOf(body.Adapter), Key: valueOf(body.SecretKey), Headers: body.ExtraHeaders,
		BaseURL: valueOf(body.BaseURL), Models: body.CustomModels, Config: body.Config,
		DefaultModels: body.WithDefaultModels == nil || *body.WithDefaultModels,
	})
	if err != nil {
		return err
	}
	*noted(r) = note{object: c.ID, name: c.Provider, detail: c.Adapter + " " + c.BaseURL}
	status := http.StatusOK
	if created {
		status = http.StatusCreated
	}
	writeJSON(w, status, connectionOf(c))
	return nil
}

// deleteConnection serves DELETE /api/public/llm-connections/{id}.
func (s *server) deleteConnection(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	if err := s.Connections.Delete(r.Context(), caller.Project.ID, r.PathValue("id")); err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, map[string]string{"message": "LLM connection deleted"})
	return nil
}
