package price

import (
	"encoding/json"
	"math/bits"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/model"
)

const (
	// places is how many decimal places of a dollar a cost is stored with.
	places = 12
	// maxPlaces bounds the decimal places of a price.
	maxPlaces = 24
	// maxAmount is the largest cost that the store holds, 999999.999999 dollars, in picodollars.
	maxAmount = 999_999_999_999_000_000
	// maxParameters is up to which size model parameters are searched for the keys of conditions.
	maxParameters = 64 << 10
)

var picodollars = decimal.New(1, places)

// rate is a price in the form that is fast to multiply.
type rate struct {
	price decimal.Decimal
	pico  uint64 // picodollars per unit
	exact bool   // pico is the whole price
}

// newRate checks a price. The exponent is looked at before anything is computed: one of a billion
// would take the memory of a billion digits.
func newRate(price decimal.Decimal) (rate, bool) {
	if price.Exponent() > 6 || price.Exponent() < -maxPlaces || price.NumDigits() > maxPlaces+7 || price.IsNegative() {
		return rate{}, false
	}
	if price.GreaterThan(decimal.New(1, 6)) {
		return rate{}, false
	}
	pico := price.Mul(picodollars)
	return rate{price: price, pico: uint64(pico.IntPart()), exact: pico.IsInteger()}, true
}

// times is the cost of n units in picodollars. What is finer than a picodollar is rounded, half
// up, once per usage key; what is more than the store holds is cut to its limit.
func (r rate) times(n uint64) uint64 {
	hi, lo := bits.Mul64(r.pico, n)
	if hi != 0 || lo >= maxAmount {
		return maxAmount
	}
	if r.exact {
		return lo
	}
	exact := r.price.Mul(decimal.NewFromUint64(n)).Mul(picodollars).Round(0)
	return min(uint64(exact.IntPart()), maxAmount)
}

// Subject is what a tier is chosen by.
type Subject struct {
	Usage      map[string]uint64
	Parameters string // model parameters as JSON text
	Metadata   []model.MetadataEntry

	all float64 // the sum of all usage keys
}

// Price returns what the usage costs, in US dollars by usage key, and the tier it was priced with.
//
// Each usage key that the tier has a price for costs price times units, exactly and to 12 decimal
// places. The total is the cost of the key "total" if that has a price, else the sum of the other
// costs. Without a priced key there is no cost, and without usage no tier either. The definition
// must have been prepared.
func (d *Definition) Price(s Subject) (map[string]decimal.Decimal, *Tier) {
	if len(s.Usage) == 0 {
		return nil, nil
	}
	if len(d.Tiers) > 1 {
		s.all = sumOf(s.Usage, nil)
	}
	tier := d.tier(&s)
	if tier == nil {
		return nil, nil
	}
	var costs map[string]decimal.Decimal
	var sum uint64
	for key, n := range s.Usage {
		r, ok := tier.rates[key]
		if !ok {
			continue
		}
		if costs == nil {
			costs = make(map[string]decimal.Decimal, len(s.Usage))
		}
		amount := r.times(n)
		sum = min(sum+amount, maxAmount)
		costs[key] = dollars(amount)
	}
	if _, has := costs[model.TotalKey]; costs != nil && !has {
		costs[model.TotalKey] = dollars(sum)
	}
	return costs, tier
}

func dollars(pico uint64) decimal.Decimal { return decimal.New(int64(pico), -places) }

// tier returns the first tier by priority whose conditions all hold, else the default one.
func (d *Definition) tier(s *Subject) *Tier {
	for i := range d.Tiers {
		if t := &d.Tiers[i]; !t.Default && t.holds(s) {
			return t
		}
	}
	for i := range d.Tiers {
		if d.Tiers[i].Default {
			return &d.Tiers[i]
		}
	}
	return nil
}

func (t *Tier) holds(s *Subject) bool {
	for i := range t.Conditions {
		if !t.Conditions[i].holds(s) {
			return false
		}
	}
	return true
}

func (c *Condition) holds(s *Subject) bool {
	switch c.Source {
	case "":
		return c.compare(s)
	case "metadata":
		for i := range s.Metadata {
			if m := &s.Metadata[i]; m.Name == c.Key && m.Type == model.MetadataString {
				return slices.Contains(c.Values, m.Value)
			}
		}
		return false
	default:
		value, ok := parameter(s.Parameters, c.Key)
		return ok && slices.Contains(c.Values, value)
	}
}

// compare sums the usage keys that match the pattern and compares the sum.
func (c *Condition) compare(s *Subject) bool {
	more := c.Operator == "gt" || c.Operator == "gte"
	if more && s.all < c.Value {
		return false // not even all keys reach the value: most observations end here
	}
	sum := sumOf(s.Usage, c)
	switch c.Operator {
	case "gt":
		return sum > c.Value
	case "gte":
		return sum >= c.Value
	case "lt":
		return sum < c.Value
	case "lte":
		return sum <= c.Value
	case "eq":
		return sum == c.Value
	}
	return sum != c.Value
}

// sumOf adds up the keys that match the condition's pattern; without a condition, all of them.
func sumOf(usage map[string]uint64, c *Condition) (sum float64) {
	for key, n := range usage {
		if c == nil || c.keys.MatchString(key) {
			sum += float64(n)
		}
	}
	return sum
}

// parameter returns a top-level string of a JSON object.
func parameter(text, key string) (string, bool) {
	if !strings.Contains(text, key) || len(text) > maxParameters {
		return "", false
	}
	var all map[string]json.RawMessage
	var value string
	if json.Unmarshal([]byte(text), &all) != nil || json.Unmarshal(all[key], &value) != nil {
		return "", false
	}
	return value, true
}
