package api

import (
	"encoding/json"
	"time"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/query"
)

// observationJSON is a row of the v2 shape. A group that was not asked for is a nil pointer: its
// keys are absent, not null.
type observationJSON struct {
	coreGroup
	*basicGroup
	*timeGroup
	*ioGroup
	*metadataGroup
	*modelGroup
	*usageGroup
	*promptGroup
	*metricsGroup
	*traceContextGroup

	// These four are in every row; only the model group fills them.
	ModelID     *string `json:"modelId"`
	InputPrice  *string `json:"inputPrice"`
	OutputPrice *string `json:"outputPrice"`
	TotalPrice  *string `json:"totalPrice"`
}

type coreGroup struct {
	ID                  string     `json:"id"`
	TraceID             *string    `json:"traceId"`
	StartTime           string     `json:"startTime"`
	EndTime             *string    `json:"endTime"`
	ProjectID           string     `json:"projectId"`
	ParentObservationID *string    `json:"parentObservationId"`
	Type                model.Type `json:"type"`
}

type basicGroup struct {
	Name              *string     `json:"name"`
	Level             model.Level `json:"level"`
	StatusMessage     *string     `json:"statusMessage"`
	Version           *string     `json:"version"`
	Environment       string      `json:"environment"`
	Bookmarked        bool        `json:"bookmarked"`
	Public            bool        `json:"public"`
	UserID            *string     `json:"userId"`
	SessionID         *string     `json:"sessionId"`
	IsRootObservation bool        `json:"isRootObservation"`
}

type timeGroup struct {
	CompletionStartTime *string `json:"completionStartTime"`
	CreatedAt           string  `json:"createdAt"`
	UpdatedAt           string  `json:"updatedAt"`
}

type ioGroup struct {
	Input  *string `json:"input"`
	Output *string `json:"output"`
}

type metadataGroup struct {
	Metadata json.RawMessage `json:"metadata"`
}

type modelGroup struct {
	Model             *string `json:"model"`
	ProvidedModelName *string `json:"providedModelName"` // older SDKs read the model under this name
	InternalModelID   *string `json:"internalModelId"`
	ModelParameters   any     `json:"modelParameters"`
}

type usageGroup struct {
	UsageDetails         map[string]uint64      `json:"usageDetails"`
	InputUsage           uint64                 `json:"inputUsage"`
	OutputUsage          uint64                 `json:"outputUsage"`
	TotalUsage           uint64                 `json:"totalUsage"`
	CostDetails          map[string]json.Number `json:"costDetails"`
	InputCost            *json.Number           `json:"inputCost"`
	OutputCost           *json.Number           `json:"outputCost"`
	TotalCost            json.Number            `json:"totalCost"`
	UsagePricingTierID   *string                `json:"usagePricingTierId"`
	UsagePricingTierName *string                `json:"usagePricingTierName"`
}

type promptGroup struct {
	PromptID      *string `json:"promptId"`
	PromptName    *string `json:"promptName"`
	PromptVersion *uint32 `json:"promptVersion"`
}

type metricsGroup struct {
	Latency          *float64 `json:"latency"`
	TimeToFirstToken *float64 `json:"timeToFirstToken"`
}

type traceContextGroup struct {
	Tags      []string `json:"tags"`
	Release   *string  `json:"release"`
	TraceName *string  `json:"traceName"`
}

// rowForm says what of a row to show.
type rowForm struct {
	groups query.Groups
	expand []string // metadata keys shown whole
	// prices adds the model definition and its prices; nil: rows show none
	prices func(row *observationJSON, o *model.Observation)
	// promptID finds the id of the prompt that a row names; nil: rows show the one they came with
	promptID func(o *model.Observation) string
}

func (f rowForm) row(o *model.Observation) observationJSON {
	row := observationJSON{coreGroup: coreGroup{
		ID: o.ID, TraceID: orNull(o.TraceID), StartTime: stamp(o.StartTime), EndTime: stampOrNull(o.EndTime),
		ProjectID: o.ProjectID, ParentObservationID: orNull(o.ParentID), Type: o.Type,
	}}
	if f.groups.Has(query.Basic) {
		row.basicGroup = &basicGroup{
			Name: orNull(o.Name), Level: o.Level, StatusMessage: orNull(o.StatusMessage), Version: orNull(o.CodeVersion),
			Environment: o.Environment, Bookmarked: o.Bookmarked, Public: o.Public,
			UserID: orNull(o.UserID), SessionID: orNull(o.SessionID), IsRootObservation: o.Root(),
		}
	}
	if f.groups.Has(query.Time) {
		row.timeGroup = &timeGroup{stampOrNull(o.CompletionStartTime), stamp(o.CreatedAt), stamp(model.AcceptedAt(o.Version))}
	}
	if f.groups.Has(query.IO) {
		row.ioGroup = &ioGroup{orNull(o.Input), orNull(o.Output)}
	}
	if f.groups.Has(query.Metadata) {
		row.metadataGroup = &metadataGroup{metadataJSON(o.Metadata, f.expand)}
	}
	if f.groups.Has(query.Model) {
		row.modelGroup = &modelGroup{orNull(o.Model), orNull(o.Model), orNull(o.ModelID), parsed(o.ModelParameters)}
		if f.prices != nil {
			f.prices(&row, o)
		}
	}
	if f.groups.Has(query.Usage) {
		row.usageGroup = usageOf(o)
	}
	if f.groups.Has(query.Prompt) {
		row.promptGroup = &promptGroup{PromptID: orNull(o.PromptID), PromptName: orNull(o.PromptName)}
		if f.promptID != nil {
			row.PromptID = orNull(f.promptID(o))
		}
		if o.PromptVersion != 0 {
			row.PromptVersion = &o.PromptVersion
		}
	}
	if f.groups.Has(query.Metrics) {
		row.metricsGroup = &metricsGroup{seconds(o.StartTime, o.EndTime), seconds(o.StartTime, o.CompletionStartTime)}
	}
	if f.groups.Has(query.TraceContext) {
		row.traceContextGroup = &traceContextGroup{append([]string{}, o.Tags...), orNull(o.Release), orNull(o.TraceName)}
	}
	return row
}

func usageOf(o *model.Observation) *usageGroup {
	tokens, costs := o.Tokens(), o.Costs()
	group := &usageGroup{
		UsageDetails: o.UsageDetails, InputUsage: tokens.Input, OutputUsage: tokens.Output, TotalUsage: tokens.Total,
		CostDetails: make(map[string]json.Number, len(o.CostDetails)),
		InputCost:   amountOrNull(costs.Input), OutputCost: amountOrNull(costs.Output),
		TotalCost:            json.Number(costs.Total.Decimal.String()),
		UsagePricingTierID:   orNull(o.PricingTierID),
		UsagePricingTierName: orNull(o.PricingTier),
	}
	if group.UsageDetails == nil {
		group.UsageDetails = map[string]uint64{}
	}
	for key, amount := range o.CostDetails {
		group.CostDetails[key] = json.Number(amount.String())
	}
	return group
}

func amountOrNull(d decimal.NullDecimal) *json.Number {
	if !d.Valid {
		return nil
	}
	n := json.Number(d.Decimal.String())
	return &n
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

func stampOrNull(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	s := stamp(t)
	return &s
}

// seconds is the time from start to end with the precision of stored times.
func seconds(start, end time.Time) *float64 {
	if end.IsZero() {
		return nil
	}
	s := float64(end.Sub(start).Milliseconds()) / 1000
	return &s
}

// parsed is the JSON value that text holds, text itself when it holds none, null for no text.
func parsed(text string) any {
	switch {
	case text == "":
		return nil
	case json.Valid([]byte(text)):
		return json.RawMessage(text)
	}
	return text
}
