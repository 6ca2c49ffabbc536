package partial

import (
	"encoding/json"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/usage"
)

type costs = map[string]decimal.Decimal

// usageKeys are the members of "usage" that count something. Other members repeat details that
// usageDetails has, or say what is counted.
var usageKeys = []struct{ key, from, older string }{
	{"input", "input", "promptTokens"}, {"output", "output", "completionTokens"}, {model.TotalKey, "total", "totalTokens"},
}

// usageOf is what one event counts: its usageDetails, else its usage.
func usageOf(given, details json.RawMessage) map[string]uint64 {
	if counts := usage.FromJSON(string(details)); len(counts) > 0 {
		return counts
	}
	r := newReader(given)
	counts := map[string]json.RawMessage{}
	for _, k := range usageKeys {
		if raw := r.raw(k.from); raw != nil {
			counts[k.key] = raw
		} else if raw := r.raw(k.older); raw != nil {
			counts[k.key] = raw
		}
	}
	if len(counts) == 0 {
		return nil
	}
	text, err := json.Marshal(counts)
	if err != nil {
		return nil
	}
	return usage.FromJSON(string(text))
}

// costPlaces is how many decimal places a cost is stored with.
const costPlaces = 12

// maxCost is the largest cost the store holds.
var maxCost = decimal.RequireFromString("999999.999999")

// costOf is what one event says it cost: its costDetails, else the costs in its usage.
func costOf(given, details json.RawMessage) costs {
	var amounts costs
	set := func(key string, raw json.RawMessage) {
		var f float64
		if raw == nil || json.Unmarshal(raw, &f) != nil || f < 0 {
			return // what is no amount is dropped
		}
		if amounts == nil {
			amounts = costs{}
		}
		amounts[key] = amount(string(raw), f)
	}
	r := newReader(details)
	for key := range r.members {
		set(key, r.raw(key))
	}
	if amounts == nil {
		r := newReader(given)
		set("input", r.raw("inputCost"))
		set("output", r.raw("outputCost"))
		set(model.TotalKey, r.raw("totalCost"))
	}
	return withTotal(amounts)
}

// amount is a decimal number; its size is looked at before its digits, because an exponent of a
// billion would take the memory of a billion digits.
func amount(text string, f float64) decimal.Decimal {
	switch {
	case f >= maxCost.InexactFloat64():
		return maxCost
	case f < 1e-13:
		return decimal.Zero
	}
	if d, err := decimal.NewFromString(strings.TrimSpace(text)); err == nil {
		return d.Round(costPlaces)
	}
	return decimal.NewFromFloat(f).Round(costPlaces)
}

// withTotal adds up input and output: among other keys some may be contained in others.
func withTotal(amounts costs) costs {
	sum := decimal.Zero
	for key, amount := range amounts {
		if key != "input" && key != "output" {
			return amounts
		}
		sum = sum.Add(amount)
	}
	if len(amounts) > 0 {
		amounts[model.TotalKey] = decimal.Min(sum, maxCost)
	}
	return amounts
}
