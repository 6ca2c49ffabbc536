package api

import (
	"context"
	"encoding/json"
	"time"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/price"
	"github.com/sondehq/sonde/internal/query"
)

type modelPage struct {
	Data []modelJSON `json:"data"`
	Meta pageMeta    `json:"meta"`
}

// modelJSON is a definition as clients read it. The flat prices are those of the default tier.
type modelJSON struct {
	ID                string               `json:"id"`
	ModelName         string               `json:"modelName"`
	MatchPattern      string               `json:"matchPattern"`
	StartDate         *string              `json:"startDate"`
	Unit              *string              `json:"unit"`
	InputPrice        *json.Number         `json:"inputPrice"`
	OutputPrice       *json.Number         `json:"outputPrice"`
	TotalPrice        *json.Number         `json:"totalPrice"`
	TokenizerID       *string              `json:"tokenizerId"`
	TokenizerConfig   any                  `json:"tokenizerConfig"`
	IsLangfuseManaged bool                 `json:"isLangfuseManaged"`
	CreatedAt         string               `json:"createdAt"`
	Prices            map[string]priceJSON `json:"prices"`
	PricingTiers      []tierJSON           `json:"pricingTiers"`
}

type priceJSON struct {
	Price json.Number `json:"price"`
}

type tierJSON struct {
	ID         string                 `json:"id"`
	Name       string                 `json:"name"`
	IsDefault  bool                   `json:"isDefault"`
	Priority   int                    `json:"priority"`
	Conditions []price.Condition      `json:"conditions"`
	Prices     map[string]json.Number `json:"prices"`
}

func modelOf(d *price.Definition) modelJSON {
	m := modelJSON{
		ID: d.ID, ModelName: d.Name, MatchPattern: d.Pattern, StartDate: stampOrNull(d.Start), Unit: orNull(d.Unit),
		TokenizerID: orNull(d.Tokenizer), TokenizerConfig: parsed(d.TokenizerConfig),
		IsLangfuseManaged: d.ProjectID == "", CreatedAt: stamp(d.CreatedAt),
		Prices: map[string]priceJSON{}, PricingTiers: []tierJSON{},
	}
	for i := range d.Tiers {
		t := &d.Tiers[i]
		tier := tierJSON{
			ID: t.ID, Name: t.Name, IsDefault: t.Default, Priority: t.Priority,
			Conditions: append([]price.Condition{}, t.Conditions...), Prices: map[string]json.Number{},
		}
		for key, amount := range t.Prices {
			tier.Prices[key] = json.Number(amount.String())
		}
		m.PricingTiers = append(m.PricingTiers, tier)
	}
	for key, amount := range defaultPrices(d) {
		n := json.Number(amount.String())
		m.Prices[key] = priceJSON{n}
		switch key {
		case "input":
			m.InputPrice = &n
		case "output":
			m.OutputPrice = &n
		case model.TotalKey:
			m.TotalPrice = &n
		}
	}
	return m
}

func defaultPrices(d *price.Definition) map[string]decimal.Decimal {
	if t := d.Default(); t != nil {
		return t.Prices
	}
	return nil
}

// modelBody is a definition as clients write it.
type modelBody struct {
	ModelName       string           `json:"modelName"`
	MatchPattern    string           `json:"matchPattern"`
	StartDate       *string          `json:"startDate"`
	Unit            string           `json:"unit"`
	InputPrice      *decimal.Decimal `json:"inputPrice"`
	OutputPrice     *decimal.Decimal `json:"outputPrice"`
	TotalPrice      *decimal.Decimal `json:"totalPrice"`
	TokenizerID     string           `json:"tokenizerId"`
	TokenizerConfig json.RawMessage  `json:"tokenizerConfig"`
	PricingTiers    []price.Tier     `json:"pricingTiers"`
}

func (b *modelBody) definition() (price.Definition, error) {
	d := price.Definition{
		Name: b.ModelName, Pattern: b.MatchPattern, Unit: b.Unit, Tokenizer: b.TokenizerID, Tiers: b.PricingTiers,
	}
	if config := string(b.TokenizerConfig); config != "null" {
		d.TokenizerConfig = config
	}
	if b.StartDate != nil {
		start, err := startDate(*b.StartDate)
		if err != nil {
			return d, fault.Invalidf("startDate", "must be an ISO 8601 date or date-time, such as 2026-05-01T00:00:00Z")
		}
		d.Start = start
	}
	flat := b.flat()
	switch {
	case len(flat) > 0 && len(b.PricingTiers) > 0:
		return d, fault.Invalidf("pricingTiers", "must not come together with inputPrice, outputPrice or totalPrice")
	case len(flat) == 0 && len(b.PricingTiers) == 0:
		return d, fault.Invalidf("pricingTiers", "must be given, or else inputPrice, outputPrice or totalPrice")
	case b.TotalPrice != nil && len(flat) > 1:
		return d, fault.Invalidf("totalPrice", "must not come together with inputPrice or outputPrice")
	case len(flat) > 0:
		d.Tiers = []price.Tier{{Name: "Standard", Default: true, Prices: flat}}
	}
	return d, nil
}

// flat returns the prices that stand outside of tiers.
func (b *modelBody) flat() map[string]decimal.Decimal {
	prices := map[string]decimal.Decimal{}
	for key, amount := range map[string]*decimal.Decimal{"input": b.InputPrice, "output": b.OutputPrice, model.TotalKey: b.TotalPrice} {
		if amount != nil {
			prices[key] = *amount
		}
	}
	return prices
}

func startDate(text string) (time.Time, error) {
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return day, nil
	}
	at, err := query.ParseTime(text)
	return at.UTC().Truncate(time.Microsecond), err
}

// Prices finds the model definition of a row.
type Prices interface {
	// Definition returns the definition with an id that a project sees, nil when there is none.
	Definition(ctx context.Context, projectID, id string) *price.Definition
}

// rowPrices returns what fills the fields that are looked up when a row is read.
func (s *server) rowPrices(ctx context.Context) func(*observationJSON, *model.Observation) {
	return func(row *observationJSON, o *model.Observation) { row.addPrices(ctx, s.Prices, o) }
}

// addPrices sets the definition, when it still exists, and the prices of its default tier.
func (row *observationJSON) addPrices(ctx context.Context, prices Prices, o *model.Observation) {
	row.ModelID = orNull(o.ModelID)
	if prices == nil || o.ModelID == "" {
		return
	}
	d := prices.Definition(ctx, o.ProjectID, o.ModelID)
	if d == nil {
		row.ModelID = nil
		return
	}
	amounts := defaultPrices(d)
	row.InputPrice = amountText(amounts, "input")
	row.OutputPrice = amountText(amounts, "output")
	row.TotalPrice = amountText(amounts, model.TotalKey)
}

func amountText(amounts map[string]decimal.Decimal, key string) *string {
	amount, ok := amounts[key]
	if !ok {
		return nil
	}
	text := amount.String()
	return &text
}
