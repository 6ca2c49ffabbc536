package api

import (
	"encoding/json"
	"net/http"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/query"
	"github.com/sondehq/sonde/internal/tracestore"
)

// listRoutes are what pages with lists ask for beside the rows.
func (s *server) listRoutes() []route {
	return []route{
		{method: http.MethodGet, path: "/api/public/histogram", handle: s.histogram, role: readNode},
		{method: http.MethodGet, path: "/api/public/filter-counts", handle: s.filterCounts, role: readNode},
		{method: http.MethodPost, path: "/api/public/compare", handle: s.compare, role: readNode, needs: model.ScopeRead, least: model.Viewer},
		{method: http.MethodGet, path: "/api/public/users", handle: s.users, role: readNode},
		{method: http.MethodGet, path: "/api/public/session-summaries", handle: s.sessionSummaries, role: readNode},
		{method: http.MethodDelete, path: "/api/public/queries/{requestId}", handle: s.cancelRead, needs: model.ScopeRead, least: model.Viewer},
		{method: http.MethodPatch, path: "/api/public/traces/{traceId}", handle: s.flagTrace, role: flagNode},
	}
}

// rowFilter reads the parameters that say which observations a read beside their list is about: those of the
// list but the search, which would have to read every text.
func (p *params) rowFilter() query.RowFilter {
	if text, _ := p.text("search"); text != "" {
		p.invalid("search", "is not supported here: these counts look at no input and output; leave it out")
	}
	advanced, _ := p.text("filter")
	return query.RowFilter{Fixed: fixedConditions(p), Filter: advanced}
}

// reachJSON says which rows an answer is made of.
type reachJSON struct {
	Rows    uint64  `json:"rows"`
	Sampled bool    `json:"sampled"`
	Since   *string `json:"since,omitempty"`
}

func reachOf(r tracestore.Reach) reachJSON {
	return reachJSON{Rows: r.Rows, Sampled: r.Sampled, Since: stampOrNull(r.Since)}
}

// histogramBucket has levels, or bands of latency.
type histogramBucket struct {
	Time   string                 `json:"time"`
	Count  uint64                 `json:"count"`
	Levels map[model.Level]uint64 `json:"levels,omitempty"`
	Bands  []uint64               `json:"bands,omitempty"`
}

// histogram serves GET /api/public/histogram.
func (s *server) histogram(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	p, err := readParams(r)
	if err != nil {
		return err
	}
	measure, _ := p.choice("measure", []string{"count", "latency"})
	req := query.HistogramRequest{RowFilter: p.rowFilter(), Buckets: p.number("buckets", query.DefaultBuckets), Latency: measure == "latency"}
	if err := p.err(); err != nil {
		return err
	}
	answer, err := s.Query.Histogram(r.Context(), caller.Project.ID, req)
	if err != nil {
		return err
	}
	data := make([]histogramBucket, len(answer.Buckets))
	for i, b := range answer.Buckets {
		data[i] = histogramBucket{Time: stamp(b.Start), Count: b.Total, Bands: b.Bands}
		if !req.Latency {
			data[i].Levels = map[model.Level]uint64{}
			for _, level := range model.Levels {
				data[i].Levels[level] = b.Levels[level]
			}
		}
	}
	meta := struct {
		reachJSON
		BucketSeconds int64   `json:"bucketSeconds"`
		BandMillis    []int64 `json:"bandMilliseconds,omitempty"`
	}{reachJSON: reachOf(answer.Reach), BucketSeconds: int64(answer.Width.Seconds())}
	if req.Latency {
		meta.BandMillis = tracestore.LatencyBands
	}
	writeJSON(w, http.StatusOK, map[string]any{"data": data, "meta": meta})
	return nil
}

// conditionCount is a condition of the filter parameter by its index, or a parameter, with how many rows there
// would be without it.
type conditionCount struct {
	Column  filter.Column `json:"column"`
	Index   *int          `json:"index"`
	Without uint64        `json:"countWithout"`
}

// filterCounts serves GET /api/public/filter-counts.
func (s *server) filterCounts(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	p, err := readParams(r)
	if err != nil {
		return err
	}
	req := p.rowFilter()
	if err := p.err(); err != nil {
		return err
	}
	answer, err := s.Query.FilterCounts(r.Context(), caller.Project.ID, req)
	if err != nil {
		return err
	}
	conditions := make([]conditionCount, len(answer.Conditions))
	for i, c := range answer.Conditions {
		conditions[i] = conditionCount{Column: c.Column, Without: c.Without}
		if c.Index >= 0 {
			conditions[i].Index = &c.Index
		}
	}
	writeJSON(w, http.StatusOK, map[string]any{
		"count": answer.Rows, "conditions": conditions, "newestOutside": stampOrNull(answer.NewestOutside), "meta": reachOf(answer.Reach),
	})
	return nil
}

// maxCompareBody bounds two filters of the largest size.
const maxCompareBody = 2*filter.MaxBytes + 4<<10

// compare serves POST /api/public/compare.
func (s *server) compare(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	var body struct {
		Filter    []json.RawMessage `json:"filter"`
		Selection []json.RawMessage `json:"selection"`
		From      *string           `json:"fromStartTime"`
		To        *string           `json:"toStartTime"`
		Limit     *int              `json:"limit"`
	}
	if err := readExactly(w, r, maxCompareBody, &body, "a comparison"); err != nil {
		return err
	}
	req := query.CompareRequest{Filter: body.Filter, Selection: body.Selection, Values: query.DefaultComparedValues}
	for _, bound := range []struct {
		name string
		text *string
		op   filter.Order
	}{{"fromStartTime", body.From, filter.AtLeast}, {"toStartTime", body.To, filter.Below}} {
		if bound.text == nil {
			continue
		}
		at, err := query.ParseTime(*bound.text)
		if err != nil {
			return fault.Invalidf(bound.name, "must be an ISO 8601 date-time with a zone, such as 2026-05-01T10:00:00.000Z")
		}
		req.Fixed = append(req.Fixed, filter.Time{Column: filter.StartTime, Op: bound.op, At: at})
	}
	if body.Limit != nil {
		req.Values = *body.Limit
	}
	answer, err := s.Query.Compare(r.Context(), caller.Project.ID, req)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, comparisonBody(answer))
	return nil
}

// comparedValue is how many selected rows, and how many of the rest, have a value; null: rows that have none.
type comparedValue struct {
	Value         *string `json:"value"`
	Selected      uint64  `json:"selected"`
	Rest          uint64  `json:"rest"`
	SelectedShare float64 `json:"selectedShare"`
	RestShare     float64 `json:"restShare"`
}

type comparedField struct {
	Field      filter.Column   `json:"field"`
	Difference float64         `json:"difference"`
	Values     []comparedValue `json:"values"`
}

func comparisonBody(answer query.Comparison) any {
	data := make([]comparedField, len(answer.Fields))
	for i, field := range answer.Fields {
		data[i] = comparedField{Field: field.Field, Difference: field.Difference, Values: make([]comparedValue, len(field.Values))}
		for j, v := range field.Values {
			selected, rest := answer.Share(v)
			data[i].Values[j] = comparedValue{orNull(v.Value), v.Selected, v.Rest, selected, rest}
		}
	}
	return map[string]any{"data": data, "meta": struct {
		reachJSON
		Selected uint64 `json:"selected"`
	}{reachOf(answer.Reach), answer.Selected}}
}
