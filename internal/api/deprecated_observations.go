package api

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/sondehq/sonde/internal/auth"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/query"
)

// oldObservationJSON is an observation as older clients read it: whole, with texts decoded and prices as numbers.
type oldObservationJSON struct {
	ID                  string      `json:"id"`
	TraceID             *string     `json:"traceId"`
	ProjectID           string      `json:"projectId"`
	Type                model.Type  `json:"type"`
	Name                *string     `json:"name"`
	Environment         string      `json:"environment"`
	StartTime           string      `json:"startTime"`
	EndTime             *string     `json:"endTime"`
	CompletionStartTime *string     `json:"completionStartTime"`
	Level               model.Level `json:"level"`
	StatusMessage       *string     `json:"statusMessage"`
	Version             *string     `json:"version"`
	ParentObservationID *string     `json:"parentObservationId"`

	Input    any             `json:"input"`
	Output   any             `json:"output"`
	Metadata json.RawMessage `json:"metadata"`

	Model           *string `json:"model"`
	ModelParameters any     `json:"modelParameters"`
	ModelID         *string `json:"modelId"`
	PromptID        *string `json:"promptId"`
	PromptName      *string `json:"promptName"`
	PromptVersion   *uint32 `json:"promptVersion"`

	UsageDetails     map[string]uint64      `json:"usageDetails"`
	CostDetails      map[string]json.Number `json:"costDetails"`
	Usage            oldUsage               `json:"usage"`
	Unit             string                 `json:"unit"`
	PromptTokens     uint64                 `json:"promptTokens"`
	CompletionTokens uint64                 `json:"completionTokens"`
	TotalTokens      uint64                 `json:"totalTokens"`

	InputPrice           *json.Number `json:"inputPrice"`
	OutputPrice          *json.Number `json:"outputPrice"`
	TotalPrice           *json.Number `json:"totalPrice"`
	CalculatedInputCost  *json.Number `json:"calculatedInputCost"`
	CalculatedOutputCost *json.Number `json:"calculatedOutputCost"`
	CalculatedTotalCost  *json.Number `json:"calculatedTotalCost"`
	UsagePricingTierID   *string      `json:"usagePricingTierId"`
	UsagePricingTierName *string      `json:"usagePricingTierName"`

	Latency          *float64 `json:"latency"`
	TimeToFirstToken *float64 `json:"timeToFirstToken"`
	CreatedAt        string   `json:"createdAt"`
	UpdatedAt        string   `json:"updatedAt"`
}

type oldUsage struct {
	Input  uint64 `json:"input"`
	Output uint64 `json:"output"`
	Total  uint64 `json:"total"`
	Unit   string `json:"unit"`
}

// tokensUnit is what usage is counted in.
const tokensUnit = "TOKENS"

func oldObservationOf(o *model.Observation) oldObservationJSON {
	tokens, costs, usage := o.Tokens(), o.Costs(), usageOf(o)
	if !tokens.HasTotal {
		tokens.Total = tokens.Input + tokens.Output
	}
	row := oldObservationJSON{
		ID: o.ID, TraceID: orNull(o.TraceID), ProjectID: o.ProjectID, Type: o.Type, Name: orNull(o.Name), Environment: o.Environment,
		StartTime: stamp(o.StartTime), EndTime: stampOrNull(o.EndTime), CompletionStartTime: stampOrNull(o.CompletionStartTime),
		Level: o.Level, StatusMessage: orNull(o.StatusMessage), Version: orNull(o.CodeVersion),
		Input: parsed(o.Input), Output: parsed(o.Output), Metadata: flatObject(o.Metadata, typedValue),
		Model: orNull(o.Model), ModelParameters: parsed(o.ModelParameters), PromptID: orNull(o.PromptID), PromptName: orNull(o.PromptName),
		UsageDetails: usage.UsageDetails, CostDetails: usage.CostDetails, Unit: tokensUnit,
		Usage:        oldUsage{tokens.Input, tokens.Output, tokens.Total, tokensUnit},
		PromptTokens: tokens.Input, CompletionTokens: tokens.Output, TotalTokens: tokens.Total,
		CalculatedInputCost: usage.InputCost, CalculatedOutputCost: usage.OutputCost, CalculatedTotalCost: amountOrNull(costs.Total),
		UsagePricingTierID: usage.UsagePricingTierID, UsagePricingTierName: usage.UsagePricingTierName,
		Latency: seconds(o.StartTime, o.EndTime), TimeToFirstToken: seconds(o.StartTime, o.CompletionStartTime),
		CreatedAt: stamp(o.CreatedAt), UpdatedAt: stamp(model.AcceptedAt(o.Version)),
	}
	if o.ParentID != model.TraceRowID(o.TraceID) {
		row.ParentObservationID = orNull(o.ParentID)
	}
	if o.PromptVersion != 0 {
		row.PromptVersion = &o.PromptVersion
	}
	return row
}

// oldRows returns what renders rows of a project, with what is looked up elsewhere.
func (s *server) oldRows(ctx context.Context, projectID string) func(*model.Observation) oldObservationJSON {
	promptID := s.promptIDs(ctx, projectID)
	return func(o *model.Observation) oldObservationJSON {
		row := oldObservationOf(o)
		var priced observationJSON
		priced.addPrices(ctx, s.Prices, o)
		row.ModelID = priced.ModelID
		row.InputPrice, row.OutputPrice, row.TotalPrice = asNumber(priced.InputPrice), asNumber(priced.OutputPrice), asNumber(priced.TotalPrice)
		row.PromptID = orNull(promptID(o))
		return row
	}
}

func asNumber(text *string) *json.Number {
	if text == nil {
		return nil
	}
	n := json.Number(*text)
	return &n
}

// oldObservations serves GET /api/public/observations.
func (s *server) oldObservations(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	p, number, err := readNumbered(r)
	if err != nil {
		return err
	}
	for _, newer := range []string{"sessionId", "isRootObservation"} { // parameters of the newer read, not of this one
		delete(p.values, newer)
	}
	advanced, _ := p.text("filter")
	req := query.NumberedRequest{Fixed: fixedConditions(p), Filter: advanced, Number: number}
	if err := p.err(); err != nil {
		return err
	}
	found, total, err := s.Query.NumberedObservations(r.Context(), caller.Project.ID, req)
	if err != nil {
		return err
	}
	form := s.oldRows(r.Context(), caller.Project.ID)
	return writeNumbered(w, len(found), func(i int) any { return form(found[i]) }, metaOf(number.Page, number.Limit, int(total)))
}

// oldObservation serves GET /api/public/observations/{observationId}.
func (s *server) oldObservation(w http.ResponseWriter, r *http.Request, caller auth.Principal) error {
	o, err := s.Query.Observation(r.Context(), caller.Project.ID, r.PathValue("observationId"))
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, s.oldRows(r.Context(), caller.Project.ID)(o))
	return nil
}
