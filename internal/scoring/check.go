package scoring

import (
	"regexp"
	"strings"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
)

// configName is what a config may be called.
var configName = regexp.MustCompile(`^[\p{L}\p{Nd}_ .()-]{1,35}$`)

// check refuses a config that no score could be held to.
func check(c model.ScoreConfig) error {
	if !configName.MatchString(c.Name) || strings.TrimSpace(c.Name) == "" {
		return fault.Invalidf("name", "must have 1 to 35 characters: letters, digits, spaces and _.()-")
	}
	switch c.Type {
	case model.Numeric, model.TextScore:
		if c.Categories != nil {
			return fault.Invalidf("categories", "must not be given for %s", c.Type)
		}
	case model.Categorical:
		if err := checkCategories(c.Categories); err != nil {
			return err
		}
	case model.Boolean:
	default:
		return fault.Invalidf("dataType", "must be one of NUMERIC, CATEGORICAL, BOOLEAN, TEXT")
	}
	if c.Type == model.Numeric {
		if c.Min != nil && c.Max != nil && *c.Max <= *c.Min {
			return fault.Invalidf("maxValue", "must be greater than minValue")
		}
		return nil
	}
	for field, bound := range map[string]*float64{"minValue": c.Min, "maxValue": c.Max} {
		if bound != nil {
			return fault.Invalidf(field, "must not be given for %s", c.Type)
		}
	}
	return nil
}

func checkCategories(list []model.ScoreCategory) error {
	if len(list) == 0 {
		return fault.Invalidf("categories", "must be given for CATEGORICAL: a list of objects with label and value")
	}
	labels, values := map[string]bool{}, map[float64]bool{}
	for _, c := range list {
		switch {
		case c.Label == "":
			return fault.Invalidf("categories", "must each have a label")
		case labels[c.Label]:
			return fault.Invalidf("categories", "must have different labels, and %q is there twice", c.Label)
		case values[c.Value]:
			return fault.Invalidf("categories", "must have different values, and %v is there twice", c.Value)
		}
		labels[c.Label], values[c.Value] = true, true
	}
	return nil
}

func booleanCategories() error {
	return fault.Invalidf("categories", "must not be given for BOOLEAN: they are True and False")
}
