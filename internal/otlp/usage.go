package otlp

import (
	"math"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/model"
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

func (m *mapper) setUsage(o *model.Observation) {
	if m.aggregate() {
		return
	}
	a := &m.span.attributes
	if a.has(observationUsage) {
		o.UsageDetails = m.usage(m.text(a, observationUsage))
	}
	if a.has(observationCost) {
		o.CostDetails = m.cost(m.text(a, observationCost))
	}
}

// usage reads a JSON object of counts. What is no count is dropped; total is added as the sum.
func (m *mapper) usage(text string) map[string]uint64 {
	var counts map[string]uint64
	var sum uint64
	ok := m.members(text, func(name, value string) {
		n, ok := count(value)
		if !ok {
			return
		}
		if counts == nil {
			counts = make(map[string]uint64, 4)
		}
		sum -= counts[name] // of a name that comes twice the last counts
		counts[name] = n
		if sum += n; sum < n {
			sum = math.MaxUint64
		}
	})
	if !ok || counts == nil {
		return nil
	}
	if _, has := counts[total]; !has {
		counts[total] = sum
	}
	return counts
}

// count reads a whole number that is not negative, also at the start of a string.
func count(text string) (uint64, bool) {
	if strings.HasPrefix(text, `"`) {
		text = strings.TrimLeft(text[1:], " ")
		text = text[:len(text)-len(strings.TrimLeft(text, "0123456789"))]
	}
	if n, err := strconv.ParseUint(text, 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f < 0 || f != math.Trunc(f) || f >= 1<<64 {
		return 0, false
	}
	return uint64(f), true
}

// cost reads a JSON object of amounts. Only input and output can be added up to a total: among
// other keys some may be contained in others.
func (m *mapper) cost(text string) map[string]decimal.Decimal {
	var amounts map[string]decimal.Decimal
	ok := m.members(text, func(name, value string) {
		if d, ok := amount(strings.Trim(value, `"`)); ok {
			if amounts == nil {
				amounts = make(map[string]decimal.Decimal, 4)
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

// members calls member with the name and the JSON text of every member of an object, and reports
// whether text is one.
func (m *mapper) members(text string, member func(name, value string)) bool {
	s := scanner{text: text}
	more, ok := s.open('{', '}')
	for ok && more {
		raw, escaped, value, good := s.member()
		if !good {
			return false
		}
		member(m.unescaped(raw, escaped), value)
		more, ok = s.more('}')
	}
	return ok && s.atEnd()
}
