package importer

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
)

// reader takes the rows of a list that is not read by time.
type reader struct {
	tally Tally // of the page, counted by row
	row   func(json.RawMessage) error
	// done, if it is given, is called after each page with its number and what it held.
	done func(page int, rows Tally) error
}

// page reads one page. When the answer breaks off it is read again, and its rows are handed out again.
func (r *reader) page(ctx context.Context, c *client, path string, query url.Values) (m meta, err error) {
	err = c.stream(ctx, path, query, func(body io.Reader) (err error) {
		r.tally = Tally{}
		m, err = readPage(body, func(raw json.RawMessage) error {
			r.tally.Rows++
			return r.row(raw)
		})
		return err
	})
	return m, err
}

// numbered reads a list by the numbers of its pages, from one on.
func (r *reader) numbered(ctx context.Context, c *client, path string, query url.Values, from int) error {
	for number := from; ; number++ {
		asked := maps.Clone(query)
		if asked == nil {
			asked = url.Values{}
		}
		asked.Set("page", strconv.Itoa(number))
		asked.Set("limit", strconv.Itoa(maxPage))
		m, err := r.page(ctx, c, path, asked)
		if err == nil && r.done != nil {
			err = r.done(number, r.tally)
		}
		if err != nil || number >= m.TotalPages {
			return err
		}
	}
}

// byCursor reads a list by cursors.
func (r *reader) byCursor(ctx context.Context, c *client, path string, query url.Values) error {
	for number := 1; ; number++ {
		m, err := r.page(ctx, c, path, query)
		if err == nil && r.done != nil {
			err = r.done(number, r.tally)
		}
		if err != nil || m.Cursor == "" {
			return err
		}
		query.Set("cursor", m.Cursor)
	}
}

// collect reads rows of one type; each has an id or name of its own, so that one that comes twice counts once.
func collect[T any](c *client, path string, name func(*T) string, read func(*reader) error) (list []T, err error) {
	at := map[string]int{}
	err = read(&reader{row: func(raw json.RawMessage) error {
		var one T
		if err := json.Unmarshal(raw, &one); err != nil {
			return fmt.Errorf("%s answers to %s with something that cannot be read: %w", c.server.URL, path, err)
		}
		if i, known := at[name(&one)]; known {
			list[i] = one
			return nil
		}
		at[name(&one)] = len(list)
		list = append(list, one)
		return nil
	}})
	return list, err
}

// all reads a list of few things that are found by the number of a page.
func all[T any](ctx context.Context, c *client, path string, query url.Values, name func(*T) string) ([]T, error) {
	return collect(c, path, name, func(r *reader) error { return r.numbered(ctx, c, path, query, 1) })
}

const configsPath = "/api/public/score-configs"

// scoreConfig is a score config as both sides show it.
type scoreConfig struct {
	ID          string          `json:"id,omitempty"`
	Name        string          `json:"name"`
	DataType    string          `json:"dataType"`
	IsArchived  bool            `json:"isArchived,omitempty"`
	Description *string         `json:"description,omitempty"`
	MinValue    json.RawMessage `json:"minValue,omitempty"`
	MaxValue    json.RawMessage `json:"maxValue,omitempty"`
	Categories  []category      `json:"categories,omitempty"`
}

func (c *scoreConfig) id() string { return c.ID }

type category struct {
	Label string  `json:"label"`
	Value float64 `json:"value"`
}

// same reports whether two configs ask for the same scores.
func (c *scoreConfig) same(other *scoreConfig) bool {
	return c.Name == other.Name && c.DataType == other.DataType && slices.Equal(c.Categories, other.Categories) &&
		number(text(c.MinValue)) == number(text(other.MinValue)) && number(text(c.MaxValue)) == number(text(other.MaxValue))
}

// configs makes the score configs and notes which id each has in the target. Those that are archived take scores until all
// are there.
func (im *importer) configs(ctx context.Context, s *Step) error {
	given, err := all(ctx, im.source, configsPath, nil, (*scoreConfig).id)
	if err != nil {
		return err
	}
	have, err := all(ctx, im.target, configsPath, nil, (*scoreConfig).id)
	if err != nil {
		return err
	}
	s.Tally = Tally{Rows: len(given)}
	for i := range given {
		c := &given[i]
		at := slices.IndexFunc(have, func(h scoreConfig) bool { return h.same(c) })
		if at >= 0 {
			im.state.Configs[c.ID] = have[at].ID
			continue
		}
		body := *c
		body.ID, body.IsArchived = "", false
		if body.DataType != "CATEGORICAL" {
			body.Categories = nil // the target knows those of booleans
		}
		var made scoreConfig
		if err := im.target.send(ctx, http.MethodPost, configsPath, body, &made); err != nil {
			if err := s.refusal(c.Name, err); err != nil {
				return err
			}
			continue
		}
		im.state.Configs[c.ID] = made.ID
	}
	return nil
}

// archive archives configs that are archived in the source.
func (im *importer) archive(ctx context.Context, s *Step) error {
	given, err := all(ctx, im.source, configsPath, nil, (*scoreConfig).id)
	if err != nil {
		return err
	}
	for _, c := range given {
		id := im.state.Configs[c.ID]
		if !c.IsArchived || id == "" {
			continue
		}
		if err := im.target.send(ctx, http.MethodPatch, configsPath+"/"+url.PathEscape(id), map[string]bool{"isArchived": true}, nil); err != nil {
			return err
		}
	}
	s.Tally = Tally{}
	return nil
}

// refusal notes that the target does not take something, and passes on every other error.
func (s *Step) refusal(name string, err error) error {
	if refusedWith(err, http.StatusBadRequest, http.StatusNotFound, http.StatusConflict, http.StatusUnprocessableEntity, http.StatusRequestEntityTooLarge) {
		s.refuse(name, err.Error())
		return nil
	}
	return err
}

const modelsPath = "/api/public/models"

// modelDefinition is a definition of a model as both sides show it.
type modelDefinition struct {
	ID                string                     `json:"id,omitempty"`
	ModelName         string                     `json:"modelName"`
	MatchPattern      string                     `json:"matchPattern"`
	StartDate         *string                    `json:"startDate,omitempty"`
	Unit              string                     `json:"unit"`
	TokenizerID       *string                    `json:"tokenizerId,omitempty"`
	TokenizerConfig   json.RawMessage            `json:"tokenizerConfig,omitempty"`
	PricingTiers      []json.RawMessage          `json:"pricingTiers,omitempty"`
	InputPrice        json.RawMessage            `json:"inputPrice,omitempty"`
	OutputPrice       json.RawMessage            `json:"outputPrice,omitempty"`
	TotalPrice        json.RawMessage            `json:"totalPrice,omitempty"`
	IsLangfuseManaged bool                       `json:"isLangfuseManaged,omitempty"`
	Prices            map[string]json.RawMessage `json:"prices,omitempty"`
}

func (m *modelDefinition) id() string { return m.ID }

// models writes the project's own definitions under the ids they have.
func (im *importer) models(ctx context.Context, s *Step) error {
	given, err := all(ctx, im.source, modelsPath, nil, (*modelDefinition).id)
	if err != nil {
		return err
	}
	s.Tally = Tally{}
	for _, m := range given {
		if m.IsLangfuseManaged {
			continue
		}
		s.Tally.Rows++
		path := modelsPath + "/" + url.PathEscape(m.ID)
		m.ID, m.Prices = "", nil
		if m.Unit == "" {
			m.Unit = "TOKENS"
		}
		if len(m.PricingTiers) > 0 {
			m.InputPrice, m.OutputPrice, m.TotalPrice = nil, nil, nil
		}
		if err := im.target.send(ctx, http.MethodPut, path, m, nil); err != nil {
			if err := s.refusal(m.ModelName, err); err != nil {
				return err
			}
		}
	}
	return nil
}
