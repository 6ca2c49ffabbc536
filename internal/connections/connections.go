// Package connections keeps how LLM providers are reached, with secrets sealed.
package connections

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/seal"
)

// Service keeps connections. Key and headers leave it by Secrets only, never by what it lists or says.
type Service struct {
	store metastore.Connections
	box   *seal.Box
}

// New makes a service that seals with box.
func New(store metastore.Connections, box *seal.Box) *Service {
	return &Service{store: store, box: box}
}

// Definition is a connection as somebody writes it.
type Definition struct {
	Provider      string
	Adapter       string
	Key           string
	Headers       map[string]string
	BaseURL       string
	Models        []string
	DefaultModels bool
	Config        map[string]any // nil: none
}

// putTries is how often a put is tried again because another one made the same provider meanwhile.
const putTries = 5

// Put creates or replaces whole the connection to a provider, and reports whether there was none. fault.Invalid.
func (s *Service) Put(ctx context.Context, projectID string, d Definition) (model.Connection, bool, error) {
	if err := d.check(); err != nil {
		return model.Connection{}, false, err
	}
	for range putTries {
		c, err := s.store.ConnectionByProvider(ctx, projectID, d.Provider)
		if err != nil && !errors.Is(err, metastore.ErrNotFound) {
			return c, false, err
		}
		at := time.Now().UTC().Truncate(time.Microsecond)
		if err != nil {
			c = model.Connection{ProjectID: projectID, ID: uuid.NewString(), CreatedAt: at}
		}
		c.UpdatedAt = at
		if err := s.fill(&c, d); err != nil {
			return c, false, err
		}
		created, err := s.store.PutConnection(ctx, c)
		if !errors.Is(err, metastore.ErrExists) {
			return c, created, err
		}
	}
	return model.Connection{}, false, fault.Unavailablef("The connection is being changed by others").Hint("try again")
}

// fill gives a row what is wanted of it, with secrets that open in this row and field only.
func (s *Service) fill(c *model.Connection, d Definition) (err error) {
	c.Provider, c.Adapter, c.BaseURL, c.Models, c.DefaultModels = d.Provider, d.Adapter, d.BaseURL, d.Models, d.DefaultModels
	c.HeaderNames, c.SealedHeaders, c.Config, c.DisplayKey = slices.Sorted(maps.Keys(d.Headers)), nil, "", display(d.Key)
	if d.Config != nil {
		text, err := json.Marshal(d.Config)
		if err != nil {
			return fmt.Errorf("encode config: %w", err)
		}
		c.Config = string(text)
	}
	if c.SealedKey, err = s.box.Seal([]byte(d.Key), place(*c, "key")); err != nil || len(d.Headers) == 0 {
		return err
	}
	text, err := json.Marshal(d.Headers)
	if err != nil {
		return fmt.Errorf("encode headers: %w", err)
	}
	c.SealedHeaders, err = s.box.Seal(text, place(*c, "headers"))
	return err
}

func place(c model.Connection, field string) []byte {
	return seal.Place("llm_connections", c.ProjectID, c.ID, field)
}

// display shows the end of a key that is long enough to stay secret without it.
func display(key string) string {
	const shown, enough = 4, 16
	if runes := []rune(key); len(runes) >= enough {
		return "..." + string(runes[len(runes)-shown:])
	}
	return "..."
}

// List returns a part of the connections of a project, the newest first, and how many there are.
func (s *Service) List(ctx context.Context, projectID string, part metastore.Range) ([]model.Connection, int, error) {
	return s.store.Connections(ctx, projectID, part)
}

// ByProvider returns the connection that a project gave a name. fault.NotFound.
func (s *Service) ByProvider(ctx context.Context, projectID, provider string) (model.Connection, error) {
	c, err := s.store.ConnectionByProvider(ctx, projectID, provider)
	if errors.Is(err, metastore.ErrNotFound) {
		return c, fault.New(fault.NotFound, "No LLM connection of this name in this project").Hint("make one in the project's settings, or with PUT /api/public/llm-connections")
	}
	return c, err
}

// Delete removes a connection and its secrets. fault.NotFound.
func (s *Service) Delete(ctx context.Context, projectID, id string) error {
	err := s.store.DeleteConnection(ctx, projectID, id)
	if errors.Is(err, metastore.ErrNotFound) {
		return fault.New(fault.NotFound, "No LLM connection with this id in this project")
	}
	return err
}

// Secrets opens the key and the headers of a connection, for whoever calls the provider. It fails when they were
// sealed with another key or for another row.
func (s *Service) Secrets(c model.Connection) (key string, headers map[string]string, err error) {
	plain, err := s.box.Open(c.SealedKey, place(c, "key"))
	if err != nil {
		return "", nil, fmt.Errorf("open the key of connection %s: %w", c.ID, err)
	}
	if len(c.SealedHeaders) == 0 {
		return string(plain), nil, nil
	}
	text, err := s.box.Open(c.SealedHeaders, place(c, "headers"))
	if err == nil && json.Unmarshal(text, &headers) != nil { // whose error could show the text
		err = seal.ErrBroken
	}
	if err != nil {
		return "", nil, fmt.Errorf("open the headers of connection %s: %w", c.ID, err)
	}
	return string(plain), headers, nil
}
