package model

import (
	"strings"

	"github.com/shopspring/decimal"
)

// TotalKey is the usage and cost key that holds the whole.
const TotalKey = "total"

// Tokens are the sums that lists, filters and metrics show.
type Tokens struct {
	Input, Output uint64
	Total         uint64
	HasTotal      bool // a missing total is not a total of zero
}

// Tokens sums the usage keys that contain "input" and "output", in any letter case.
func (o *Observation) Tokens() Tokens {
	var t Tokens
	for key, n := range o.UsageDetails {
		in, out := side(key)
		if in {
			t.Input += n
		}
		if out {
			t.Output += n
		}
	}
	t.Total, t.HasTotal = o.UsageDetails[TotalKey], has(o.UsageDetails, TotalKey)
	return t
}

// Costs are the cost sums in US dollars; an invalid one means that no key gave it.
type Costs struct {
	Input, Output, Total decimal.NullDecimal
}

// Costs sums the cost keys that contain "input" and "output", in any letter case.
func (o *Observation) Costs() Costs {
	var c Costs
	for key, amount := range o.CostDetails {
		in, out := side(key)
		if in {
			c.Input = add(c.Input, amount)
		}
		if out {
			c.Output = add(c.Output, amount)
		}
	}
	if total, ok := o.CostDetails[TotalKey]; ok {
		c.Total = decimal.NewNullDecimal(total)
	}
	return c
}

func side(key string) (input, output bool) {
	lower := strings.ToLower(key)
	return strings.Contains(lower, "input"), strings.Contains(lower, "output")
}

func add(sum decimal.NullDecimal, amount decimal.Decimal) decimal.NullDecimal {
	return decimal.NewNullDecimal(sum.Decimal.Add(amount))
}

func has[V any](m map[string]V, key string) bool {
	_, ok := m[key]
	return ok
}
