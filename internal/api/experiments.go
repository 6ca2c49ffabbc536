package api

import (
	"net/http"
	"slices"
	"strings"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/query"
)

// The field groups of experiments and of items; core is always shown.
var (
	experimentFields = []string{"core", "metadata", "scores"}
	itemFields       = []string{"core", "dataset", "io", "metadata", "itemMetadata", "experimentMetadata", "scores"}
)

// experiments serves GET /api/public/experiments.
func (s *server) experiments(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	p, err := readParams(r)
	if err != nil {
		return err
	}
	groups := p.groups(experimentFields, nil)
	req := experimentRequest(p, filter.Experiments)
	req.Metadata, req.Scores = groups["metadata"], groups["scores"]
	if err := p.err(); err != nil {
		return err
	}
	page, err := s.Query.Experiments(r.Context(), caller.Project.ID, req)
	if err != nil {
		return err
	}
	return writePage(w, len(page.Rows), func(i int) any { return experimentRow(page.Rows[i], groups) }, page.Cursor)
}

// experimentItems serves GET /api/public/experiment-items.
func (s *server) experimentItems(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	p, err := readParams(r)
	if err != nil {
		return err
	}
	groups := p.groups(itemFields, []string{"dataset"})
	req := experimentRequest(p, filter.ExperimentItems)
	req.IO, req.Scores = groups["io"], groups["scores"]
	req.Metadata = groups["metadata"] || groups["itemMetadata"] || groups["experimentMetadata"]
	if err := p.err(); err != nil {
		return err
	}
	page, err := s.Query.ExperimentItems(r.Context(), caller.Project.ID, req)
	if err != nil {
		return err
	}
	return writePage(w, len(page.Rows), func(i int) any { return itemRow(page.Rows[i], groups) }, page.Cursor)
}

// experimentRequest reads the parameters that both lists have; p collects whatever is wrong with any of
// them. Every column is a parameter, too.
func experimentRequest(p *params, columns filter.Catalog) query.ExperimentRequest {
	req := query.ExperimentRequest{
		Limit:      p.within("limit", query.DefaultExperimentLimit, query.MaxExperimentLimit),
		ScoreLimit: p.within("scoreLimit", query.MaxExperimentScores, query.MaxExperimentScores),
	}
	req.Filter, _ = p.text("filter")
	req.Cursor, _ = p.text("cursor")
	from, present := p.time("fromStartTime")
	if _, sent := p.values["fromStartTime"]; !present && !sent {
		p.invalid("fromStartTime", "is required: an ISO 8601 date-time with a zone, such as 2026-05-01T10:00:00.000Z")
	}
	req.Window.From = from
	req.Window.To, _ = p.time("toStartTime")
	for _, field := range columns {
		text, _ := p.text(string(field.Column))
		if values := query.SplitList(text); len(values) > 0 {
			req.Fixed = append(req.Fixed, filter.OneOf{Column: field.Column, Values: values})
		}
	}
	return req
}

// within returns the whole number under key, which must lie between 1 and most.
func (p *params) within(key string, fallback, most int) int {
	n := p.number(key, fallback)
	if n < 1 || n > most {
		p.invalid(key, "must be between 1 and %d, got %d", most, n)
	}
	return n
}

// groups reads the list of field groups, which must be among known; without one there are the fallbacks.
func (p *params) groups(known, fallback []string) map[string]bool {
	text, _ := p.text("fields")
	names := query.SplitList(text)
	if len(names) == 0 {
		names = fallback
	}
	groups := map[string]bool{}
	for _, name := range names {
		if !slices.Contains(known, name) {
			p.invalid("fields", "must be a list of %s, got %q", strings.Join(known, ", "), name)
			break
		}
		groups[name] = true
	}
	return groups
}
