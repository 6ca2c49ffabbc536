package dashboards

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
)

// The bounds of a dashboard.
const (
	columns        = 12
	maxTiles       = 40
	maxHeight      = 20
	maxRow         = 1000
	maxName        = 200
	maxDescription = 2000
	maxText        = 10_000
)

// kindRule is what the query of a kind must be like so that it can show the answer.
type kindRule struct {
	dimensions [2]int // at least and at most
	metrics    int    // at most
	histogram  bool   // takes histograms, and nothing else
}

var kindRules = map[model.TileKind]kindRule{
	model.NumberTile:    {metrics: 1},
	model.LineTile:      {dimensions: [2]int{0, 1}, metrics: 8},
	model.AreaTile:      {dimensions: [2]int{0, 1}, metrics: 8},
	model.BarsTile:      {dimensions: [2]int{0, 1}, metrics: 8},
	model.BarListTile:   {dimensions: [2]int{1, 1}, metrics: 1},
	model.HistogramTile: {metrics: 1, histogram: true},
	model.HeatMapTile:   {dimensions: [2]int{1, 1}, metrics: 1},
	model.TableTile:     {dimensions: [2]int{1, 2}, metrics: 8},
}

// checked refuses with fault.Invalid a dashboard that cannot be shown, and trims its names.
func (s *Service) checked(d *model.Dashboard) error {
	d.Name, d.Description = strings.TrimSpace(d.Name), strings.TrimSpace(d.Description)
	if n := utf8.RuneCountInString(d.Name); n < 1 || n > maxName {
		return fault.Invalidf("name", "must have 1 to %d characters without the spaces around it, got %d", maxName, n)
	}
	if utf8.RuneCountInString(d.Description) > maxDescription {
		return fault.Invalidf("description", "must not have more than %d characters", maxDescription)
	}
	if len(d.Tiles) > maxTiles {
		return fault.Invalidf("tiles", "must not be more than %d, got %d", maxTiles, len(d.Tiles)).Hint("put some on another dashboard")
	}
	var ids []string
	for i := range d.Tiles {
		at := fmt.Sprintf("tiles.%d.", i)
		if slices.Contains(ids, d.Tiles[i].ID) {
			return fault.Invalidf(at+"id", "must be different from those of other tiles")
		}
		ids = append(ids, d.Tiles[i].ID)
		if err := s.checkTile(&d.Tiles[i], at); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) checkTile(t *model.Tile, at string) error {
	t.Title = strings.TrimSpace(t.Title)
	rule, charted := kindRules[t.Kind]
	switch {
	case t.ID == "" || len(t.ID) > 100:
		return fault.Invalidf(at+"id", "must have 1 to 100 bytes")
	case utf8.RuneCountInString(t.Title) > maxName:
		return fault.Invalidf(at+"title", "must not have more than %d characters", maxName)
	case !slices.Contains(model.TileKinds, t.Kind):
		return fault.Invalidf(at+"kind", "must be one of %s", kindNames())
	}
	if err := checkPlace(t, at); err != nil {
		return err
	}
	switch {
	case utf8.RuneCountInString(t.Text) > maxText:
		return fault.Invalidf(at+"text", "must not have more than %d characters", maxText)
	case !charted && len(t.Query) > 0:
		return fault.Invalidf(at+"query", "must not be given on a tile of text")
	case charted && t.Text != "":
		return fault.Invalidf(at+"text", "must be given on a tile of text only")
	case !charted:
		return nil
	}
	return s.checkQuery(t, rule, at+"query")
}

// checkPlace refuses a tile that is not on the grid.
func checkPlace(t *model.Tile, at string) error {
	switch {
	case t.W < 1 || t.W > columns || t.X < 0 || t.X+t.W > columns:
		return fault.Invalidf(at+"x", "and w must keep the tile within %d columns", columns)
	case t.H < 1 || t.H > maxHeight || t.Y < 0 || t.Y > maxRow:
		return fault.Invalidf(at+"y", "must be 0 to %d, and h 1 to %d", maxRow, maxHeight)
	}
	return nil
}

// shape is what the kind of a tile depends on.
type shape struct {
	Metrics []struct {
		Aggregation string `json:"aggregation"`
	} `json:"metrics"`
	Dimensions []json.RawMessage `json:"dimensions"`
}

func (s *Service) checkQuery(t *model.Tile, rule kindRule, at string) error {
	var members map[string]json.RawMessage
	var q shape
	if json.Unmarshal(t.Query, &members) != nil || members == nil || json.Unmarshal(t.Query, &q) != nil {
		return fault.Invalidf(at, "must be a metrics query, a JSON object with view, metrics, dimensions and filters")
	}
	for _, name := range []string{"fromTimestamp", "toTimestamp"} {
		if _, given := members[name]; given {
			return fault.Invalidf(at, "must not have %s", name).Hint("the range of the page decides")
		}
	}
	if n := len(q.Dimensions); n < rule.dimensions[0] || n > rule.dimensions[1] {
		return fault.Invalidf(at, "must have %d to %d dimensions on a tile of kind %s, got %d", rule.dimensions[0], rule.dimensions[1], t.Kind, n)
	}
	if n := len(q.Metrics); n < 1 || n > rule.metrics {
		return fault.Invalidf(at, "must have 1 to %d metrics on a tile of kind %s, got %d", rule.metrics, t.Kind, n)
	}
	for _, m := range q.Metrics {
		if (m.Aggregation == "histogram") != rule.histogram {
			return fault.Invalidf(at, "and kind do not fit: histograms are shown by tiles of kind %s, and only by them", model.HistogramTile)
		}
	}
	members["fromTimestamp"], members["toTimestamp"] = json.RawMessage(`"2026-01-01T00:00:00Z"`), json.RawMessage(`"2026-01-02T00:00:00Z"`)
	text, err := json.Marshal(members)
	if err != nil {
		return fmt.Errorf("encode the query of a tile: %w", err)
	}
	if err := s.check(string(text)); err != nil {
		if f, ok := errors.AsType[*fault.Fault](err); ok && f.Kind == fault.Invalid {
			return fault.Invalidf(at, "cannot be answered: %s", f.Public())
		}
		return err
	}
	return nil
}

func kindNames() string {
	var names []string
	for _, k := range model.TileKinds {
		names = append(names, string(k))
	}
	return strings.Join(names, ", ")
}
