package query

import (
	"context"
	"fmt"
	"slices"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/tracestore"
)

// The bounds of facets.
const (
	DefaultFacetLimit = 20
	MaxFacetLimit     = 100
	// MaxFacetRows is how many rows are read at most; beyond, the newest stand for all.
	MaxFacetRows = 5_000_000
)

// FacetFields are the columns whose values can be asked for.
var FacetFields = []filter.Column{
	filter.Type, filter.Name, filter.Level, filter.Environment, filter.Model, filter.Tags, filter.UserID, filter.SessionID,
	filter.TraceName, filter.Release, filter.CodeVersion, filter.PromptName, filter.ExperimentName, filter.ToolNames, filter.CalledToolNames,
	tracestore.Prompt, tracestore.MetadataKeys, tracestore.ScoreNames,
}

// maxFacetFields bounds how many columns one request asks for: those above, and a few keys of metadata.
const maxFacetFields = 30

// DefaultFacetFields are those of a request that names none.
var DefaultFacetFields = FacetFields[:6]

// FacetRequest asks for the most frequent values of columns.
type FacetRequest struct {
	RowFilter
	Fields []string // of FacetFields, or metadata. and a key; empty: DefaultFacetFields
	Limit  int      // values per field, 1 to MaxFacetLimit
}

// FacetAnswer is the values of fields.
type FacetAnswer struct {
	Fields []filter.Column
	tracestore.Facets
}

// Facets counts the values of columns of a project's observations.
func (s *Service) Facets(ctx context.Context, projectID string, req FacetRequest) (FacetAnswer, error) {
	if req.Limit < 1 || req.Limit > MaxFacetLimit {
		return FacetAnswer{}, fault.Invalidf("limit", "must be between 1 and %d, got %d", MaxFacetLimit, req.Limit)
	}
	fields := slices.Clone(DefaultFacetFields)
	if len(req.Fields) > 0 {
		fields = nil
	}
	for _, name := range req.Fields {
		column := filter.Column(name)
		if _, ofMetadata := tracestore.MetadataKey(column); !ofMetadata && !slices.Contains(FacetFields, column) {
			return FacetAnswer{}, fault.Invalidf("fields", "has the unknown field %s; use some of %s, or metadata. followed by a key", shown(name), join(FacetFields))
		}
		if !slices.Contains(fields, column) {
			fields = append(fields, column)
		}
	}
	if len(fields) > maxFacetFields {
		return FacetAnswer{}, fault.Invalidf("fields", "must not name more than %d fields, got %d", maxFacetFields, len(fields))
	}
	where, err := req.where()
	if err != nil {
		return FacetAnswer{}, err
	}
	facets, err := s.store.Facets(ctx, tracestore.FacetQuery{
		ProjectID: projectID, Where: where, Fields: fields, Limit: req.Limit, MaxRows: MaxFacetRows,
	})
	if err != nil {
		return FacetAnswer{}, readFault(fmt.Errorf("read facets of project %s: %w", projectID, err),
			"set fromStartTime and toStartTime to a shorter range, or ask for fewer fields")
	}
	return FacetAnswer{Fields: fields, Facets: facets}, nil
}
