package query

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/tracestore"
)

// The bounds of comparisons.
const (
	DefaultComparedValues = 5
	MaxComparedValues     = 20
	// MaxComparedRows is how many rows are compared; beyond, the newest stand for all. Each of them is looked at by every
	// field, and fields such as users may have as many values as there are rows.
	MaxComparedRows = 500_000
	// comparedKeys is for how many keys of metadata values are compared.
	comparedKeys = 16
)

// comparedFields are the fields that are compared.
var comparedFields = []filter.Column{
	filter.Type, filter.Level, filter.Name, filter.TraceName, filter.Model, filter.PromptName, tracestore.Prompt, filter.Environment,
	filter.Release, filter.CodeVersion, filter.UserID, filter.Tags, filter.CalledToolNames, tracestore.ScoreNames, tracestore.MetadataKeys,
}

// CompareRequest asks in what a selection differs from the rest.
type CompareRequest struct {
	Fixed     []filter.Condition // bounds on start times
	Filter    []json.RawMessage  // which observations are compared
	Selection []json.RawMessage  // which of them are selected
	Values    int                // per field, 1 to MaxComparedValues
}

// Difference is a field with how much it differs: the largest difference of shares among its values.
type Difference struct {
	tracestore.ComparedField
	Difference float64
}

// Comparison has fields by their difference, the largest first.
type Comparison struct {
	tracestore.Reach
	Selected uint64
	Fields   []Difference
}

// Share is which part of selected rows, and of the rest, has a value; 0 of none.
func (c Comparison) Share(v tracestore.ComparedValue) (selected, rest float64) {
	if c.Selected > 0 {
		selected = float64(v.Selected) / float64(c.Selected)
	}
	if others := c.Rows - c.Selected; others > 0 {
		rest = float64(v.Rest) / float64(others)
	}
	return selected, rest
}

// Compare ranks fields by how much a selection differs in them. Fields that the selection tests are left out:
// that they differ is known.
func (s *Service) Compare(ctx context.Context, projectID string, req CompareRequest) (Comparison, error) {
	if req.Values < 1 || req.Values > MaxComparedValues {
		return Comparison{}, fault.Invalidf("limit", "must be between 1 and %d, got %d", MaxComparedValues, req.Values)
	}
	base, baseErr := filter.ParseConditions(req.Filter, "filter", spineFilters)
	selection, selectionErr := filter.ParseConditions(req.Selection, "selection", spineFilters)
	if err := errors.Join(baseErr, selectionErr); err != nil {
		return Comparison{}, err
	}
	where := within(merge(req.Fixed, base))
	if err := spanOf(where).bounded(); err != nil {
		return Comparison{}, err
	}
	if len(selection) == 0 {
		return Comparison{}, fault.Invalidf("selection", "must have at least one condition")
	}
	found, err := s.store.Compare(ctx, tracestore.CompareQuery{
		ProjectID: projectID, Where: where, Selection: within(selection), Keys: comparedKeys, Values: req.Values, MaxRows: MaxComparedRows,
		Fields: slices.DeleteFunc(slices.Clone(comparedFields), func(f filter.Column) bool { return tests(selection, f) }),
	})
	if err != nil {
		return Comparison{}, readFault(fmt.Errorf("compare observations of project %s: %w", projectID, err), shorterRange)
	}
	result := Comparison{Reach: found.Reach, Selected: found.Selected}
	for _, field := range found.Fields {
		if tests(selection, field.Field) || len(field.Values) == 0 {
			continue
		}
		selected, rest := result.Share(field.Values[0]) // values come by their difference
		result.Fields = append(result.Fields, Difference{field, math.Abs(selected - rest)})
	}
	slices.SortStableFunc(result.Fields, func(a, b Difference) int { return cmp.Compare(b.Difference, a.Difference) })
	return result, nil
}

// tests reports whether conditions look at a field.
func tests(conditions []filter.Condition, field filter.Column) bool {
	return slices.ContainsFunc(conditions, func(c filter.Condition) bool {
		key, ofMetadata := tracestore.MetadataKey(field)
		switch c := c.(type) {
		case filter.MetadataText:
			return ofMetadata && c.Key == key
		case filter.MetadataNumber:
			return ofMetadata && c.Key == key
		case filter.MetadataSet:
			return ofMetadata && c.Key == key
		}
		ofPrompt := field == tracestore.Prompt && (c.On() == filter.PromptName || c.On() == filter.PromptVersion)
		return c.On() == field || ofPrompt
	})
}
