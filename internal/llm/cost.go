package llm

import (
	"cmp"
	"context"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/model"
)

// Pricer sets the cost of rows.
type Pricer interface {
	Apply(ctx context.Context, rows []*model.Observation) error
}

// Cost is what the row of the call will cost, too, in USD; nil: the provider told no usage, or nobody knows a price.
func (c Call) Cost(ctx context.Context, projectID string, prices Pricer) *decimal.Decimal {
	row := &model.Observation{
		ProjectID: projectID, Type: model.Generation, Level: model.Error, Model: cmp.Or(c.Answer.Model, c.Request.Model), StartTime: c.Start, UsageDetails: c.Answer.Usage,
	}
	if len(row.UsageDetails) == 0 || prices.Apply(ctx, []*model.Observation{row}) != nil || len(row.CostDetails) == 0 {
		return nil
	}
	if total, known := row.CostDetails["total"]; known {
		return &total
	}
	var sum decimal.Decimal
	for _, part := range row.CostDetails {
		sum = sum.Add(part)
	}
	return &sum
}
