package otlp

import (
	"math"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/usage"
)

const (
	total = "total"
	// costPlaces is how many decimal places a cost is stored with.
	costPlaces = 12
	// maxNumberText is how long a number may be written before its exact digits are given up.
	maxNumberText = 64
)

// maxCost is the largest cost the store holds.
var maxCost = decimal.RequireFromString("999999.999999")

// costs are amounts in US dollars by kind.
type costs = map[string]decimal.Decimal

func (m *mapper) setUsage(o *model.Observation) {
	if m.aggregate() {
		return
	}
	for i := range usageSources {
		if !m.follows(usageSources[i].of) {
			continue
		}
		if d, found := usageSources[i].source(m); found {
			if len(d) > 0 {
				o.UsageDetails, o.UsageOrigin = d, model.Provided
			}
			break
		}
	}
	for i := range costSources {
		s := &costSources[i]
		if !m.follows(s.of) {
			continue
		}
		if c := s.source(m); len(c) > 0 && (s.trustZero || o.UsageDetails[total] == 0 || !allZero(c)) {
			o.CostDetails, o.CostOrigin = c, model.Provided
			return
		}
	}
}

func allZero(c costs) bool {
	for _, d := range c {
		if !d.IsZero() {
			return false
		}
	}
	return true
}

// ownUsage reads an object in the shape of any provider. Text that is no JSON says nothing; JSON
// without counts says that there is none.
func ownUsage(m *mapper) (map[string]uint64, bool) {
	if !m.span.attributes.has(observationUsage) {
		return nil, false
	}
	text := m.text(&m.span.attributes, observationUsage)
	d := usage.FromJSON(text)
	return d, d != nil || validJSON(text)
}

// countedUsage reads attributes that hold a count each. Google's ADK gives one only in a response.
func countedUsage(m *mapper) (map[string]uint64, bool) {
	a := &m.span.attributes
	if !a.hasGroup(usageCounts) && !a.hasGroup(tokenCounts) {
		return nil, false
	}
	m.counts = m.counts[:0]
	cached := false
	for _, i := range m.members(usageCounts, tokenCounts) {
		if n, ok := m.p.number(a.list[i].value); ok {
			m.counts = append(m.counts, usage.Count{Name: a.list[i].class.name, Value: n})
			cached = cached || strings.Contains(a.list[i].class.name, "cache")
		}
	}
	if m.follows(adk) && !cached {
		if n, ok := m.adkCached(); ok {
			m.counts = append(m.counts, usage.Count{Name: "cache_read.input_tokens", Value: n})
		}
	}
	d := usage.FromCounts(m.counts)
	return d, d != nil
}

// firstCount reads the first of several counts of GenAI.
func (m *mapper) firstCount(names ...string) (n float64, ok bool) {
	a := &m.span.attributes
	for _, name := range names {
		for i := range a.list {
			if a.list[i].class.group == usageCounts && a.list[i].class.name == name {
				n, ok = m.p.number(a.list[i].value)
			}
		}
		if ok {
			return n, true
		}
	}
	return 0, false
}

// numberIn reads a number, also one in a string.
func (m *mapper) numberIn(k key) (float64, bool) { return m.p.number(m.span.attributes.get(k)) }

// details are counts in the form they are stored in. The zero value is usable.
type details map[string]uint64

// set stores a count; what is none is left out.
func (d *details) set(name string, n float64) {
	if !(n >= 0) || n >= 1<<64 {
		return
	}
	if *d == nil {
		*d = make(details, 6)
	}
	(*d)[name] = uint64(n)
}

// withTotal adds the sum as total where there is none.
func (d details) withTotal() map[string]uint64 {
	if d == nil {
		return nil
	}
	if _, has := d[total]; !has {
		var sum uint64
		for _, n := range d {
			if sum += n; sum < n {
				sum = math.MaxUint64
			}
		}
		d[total] = sum
	}
	return d
}

// less takes parts out of a whole. Parts that are larger show that it does not contain them.
func less(whole, parts float64) float64 {
	if parts > whole {
		return whole
	}
	return whole - parts
}

func ownCost(m *mapper) costs {
	if !m.span.attributes.has(observationCost) {
		return nil
	}
	return m.cost(m.text(&m.span.attributes, observationCost))
}

// costIn reads a total from one attribute.
func costIn(k key) func(*mapper) costs {
	return func(m *mapper) costs {
		d, ok := m.amountIn(k)
		if !ok {
			return nil
		}
		return costs{total: d}
	}
}

func (m *mapper) amountIn(k key) (decimal.Decimal, bool) {
	if !m.span.attributes.has(k) {
		return decimal.Zero, false
	}
	return amount(m.text(&m.span.attributes, k))
}

// cost reads a JSON object of amounts. Only input and output can be added up to a total: among
// other keys some may be contained in others.
func (m *mapper) cost(text string) costs {
	var amounts costs
	ok := eachMember(text, func(name, value string) {
		if d, ok := amount(strings.Trim(value, `"`)); ok {
			if amounts == nil {
				amounts = make(costs, 4)
			}
			amounts[name] = d
		}
	})
	if !ok || amounts == nil {
		return nil
	}
	sum := decimal.Zero
	for name, d := range amounts {
		if name != "input" && name != "output" {
			return amounts
		}
		sum = sum.Add(d)
	}
	amounts[total] = decimal.Min(sum, maxCost)
	return amounts
}

// amount reads a decimal number that is not negative. The size of a number is looked at before its
// digits: an exponent of a billion would take the memory of a billion digits.
func amount(text string) (decimal.Decimal, bool) {
	f, err := strconv.ParseFloat(text, 64)
	switch {
	case math.IsNaN(f) || f < 0 || (err == nil) == math.IsInf(f, 1):
		return decimal.Zero, false // not a number, or infinity itself; 1e999 is just large
	case f >= maxCost.InexactFloat64():
		return maxCost, true
	case f < 1e-13:
		return decimal.Zero, true
	case len(text) > maxNumberText:
		return decimal.NewFromFloat(f).Round(costPlaces), true
	}
	d, err := decimal.NewFromString(text)
	return d.Round(costPlaces), err == nil
}
