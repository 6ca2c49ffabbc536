package reprice

import (
	"cmp"
	"maps"
	"slices"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/filter"
)

// Bounds on what a result names: model names are the client's.
const (
	maxModels    = 300
	maxModelName = 200
	// OtherModels stands for the models beyond those bounds.
	OtherModels = "(other models)"
)

// Sum is what re-pricing means for some rows. Costs are in US dollars, exact.
type Sum struct {
	Rows       uint64          `json:"rows"`    // looked at: those whose cost no client provided
	Changed    uint64          `json:"changed"` // of them, those that get another cost, or the same from another price
	Before     decimal.Decimal `json:"before"`
	After      decimal.Decimal `json:"after"`
	Difference decimal.Decimal `json:"difference"`
}

func (s *Sum) add(p priced) {
	s.Rows++
	if p.changed() {
		s.Changed++
	}
	s.Before = s.Before.Add(p.before.Costs().Total.Decimal)
	s.After = s.After.Add(p.after.Costs().Total.Decimal)
	s.Difference = s.After.Sub(s.Before)
}

// ModelSum is the sum of one model, by the name that clients gave; empty for rows without one.
type ModelSum struct {
	Model string `json:"model"`
	Sum
}

// Result is what a finished job tells, models with the largest difference first.
type Result struct {
	Preview bool       `json:"preview"`
	Total   Sum        `json:"total"`
	Models  []ModelSum `json:"models"`
}

// checkpoint is where a walk is. The rows after After, up to and including Until, are counted in the
// sums, and may or may not be written; everything before is both.
type checkpoint struct {
	After  *filter.Position `json:"after,omitempty"`
	Until  *filter.Position `json:"until,omitempty"`
	Seen   uint64           `json:"seen"`
	Total  uint64           `json:"total"`
	Sum    Sum              `json:"sum"`
	Models map[string]*Sum  `json:"models,omitempty"`
}

// count adds a row. Rows that have no cost before and after are left out: most are no generations.
func (c *checkpoint) count(p priced) {
	if len(p.before.CostDetails) == 0 && len(p.after.CostDetails) == 0 && p.before.Model == "" {
		return
	}
	c.Sum.add(p)
	name := p.before.Model
	if len(name) > maxModelName || c.Models[name] == nil && len(c.Models) >= maxModels {
		name = OtherModels
	}
	if c.Models == nil {
		c.Models = map[string]*Sum{}
	}
	if c.Models[name] == nil {
		c.Models[name] = &Sum{}
	}
	c.Models[name].add(p)
}

func (c *checkpoint) result(preview bool) Result {
	r := Result{Preview: preview, Total: c.Sum, Models: []ModelSum{}}
	for _, name := range slices.Sorted(maps.Keys(c.Models)) {
		r.Models = append(r.Models, ModelSum{name, *c.Models[name]})
	}
	slices.SortStableFunc(r.Models, func(a, b ModelSum) int {
		return cmp.Or(b.Difference.Abs().Cmp(a.Difference.Abs()), cmp.Compare(b.Rows, a.Rows))
	})
	return r
}

// changed reports whether a row gets another cost, or the same cost from elsewhere.
func (p priced) changed() bool {
	b, a := p.before, p.after
	return b.ModelID != a.ModelID || b.PricingTierID != a.PricingTierID || b.PricingTier != a.PricingTier ||
		b.CostOrigin != a.CostOrigin || !maps.EqualFunc(b.CostDetails, a.CostDetails, decimal.Decimal.Equal)
}
