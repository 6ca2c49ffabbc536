package api

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/query"
	"github.com/sondehq/sonde/internal/tracestore"
)

// queryMetrics serves GET /api/public/v2/metrics.
func (s *server) queryMetrics(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	return s.answerMetrics(w, r, caller, s.Query.Metrics)
}

// answerMetrics answers the text of a query in the way of the given read.
func (s *server) answerMetrics(w http.ResponseWriter, r *http.Request, caller auth.Principal,
	read func(ctx context.Context, projectID, text string) (query.MetricsAnswer, error),
) error {
	p, err := readParams(r)
	if err != nil {
		return err
	}
	text, present := p.text("query")
	if !present && p.err() == nil {
		p.invalid("query", "must be given: a JSON object with view, metrics, fromTimestamp and toTimestamp")
	}
	if err := p.err(); err != nil {
		return err
	}
	answer, err := read(r.Context(), caller.Project.ID, text)
	if err != nil {
		return err
	}
	rows := make([]map[string]any, len(answer.Rows))
	for i, row := range answer.Rows {
		rows[i] = metricsRow(answer.Plan, row)
	}
	writeJSON(w, http.StatusOK, map[string]any{"data": rows})
	return nil
}

// metricsRow is a row under its keys.
func metricsRow(plan query.MetricsPlan, row tracestore.MetricsRow) map[string]any {
	shown := make(map[string]any, len(plan.Dimensions)+len(plan.Metrics)+1)
	for i, key := range plan.Dimensions {
		shown[key] = metricsValue(row.Dimensions[i])
	}
	for i, key := range plan.Metrics {
		shown[key] = metricsValue(row.Metrics[i])
	}
	switch plan.Query.Bucket {
	case tracestore.NoBucket:
	case tracestore.Minute, tracestore.Hour:
		shown["time_dimension"] = row.Bucket.Format("2006-01-02T15:04:05Z")
	default:
		shown["time_dimension"] = row.Bucket.Format(time.DateOnly)
	}
	return shown
}

// metricsValue shows numbers with all their digits.
func metricsValue(value any) any {
	switch value := value.(type) {
	case decimal.Decimal:
		return json.Number(value.String())
	case []string:
		if value == nil {
			return []string{}
		}
	case []tracestore.Bin:
		triples := make([][3]float64, len(value))
		for i, bin := range value {
			triples[i] = [3]float64{bin.Lower, bin.Upper, bin.Height}
		}
		return triples
	}
	return value
}

// facets serves GET /api/public/facets.
func (s *server) facets(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	p, err := readParams(r)
	if err != nil {
		return err
	}
	fields, _ := p.text("fields")
	req := query.FacetRequest{RowFilter: p.rowFilter(), Fields: query.SplitList(fields), Limit: p.number("limit", query.DefaultFacetLimit)}
	if err := p.err(); err != nil {
		return err
	}
	answer, err := s.Query.Facets(r.Context(), caller.Project.ID, req)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, facetsBody(answer))
	return nil
}

// facetValue is a value and how many rows have it; null: rows that have none.
type facetValue struct {
	Value *string `json:"value"`
	Count uint64  `json:"count"`
}

func facetsBody(answer query.FacetAnswer) any {
	data := map[filter.Column][]facetValue{}
	for i, field := range answer.Fields {
		data[field] = []facetValue{}
		for _, v := range answer.Values[i] {
			shown := facetValue{Count: v.Count}
			if v.Value != "" {
				shown.Value = &v.Value
			}
			data[field] = append(data[field], shown)
		}
	}
	return map[string]any{"data": data, "meta": reachOf(answer.Reach)}
}
