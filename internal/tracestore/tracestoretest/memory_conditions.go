package tracestoretest

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
)

func meetsAll(o *model.Observation, where []filter.Condition) (bool, error) {
	for _, c := range where {
		ok, err := meets(o, c)
		if err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

// meets tests one row, which has what it inherits.
func meets(o *model.Observation, c filter.Condition) (bool, error) {
	switch c := c.(type) {
	case filter.OneOf:
		value, err := textOf(o, c.Column)
		return slices.Contains(c.Values, value) != c.Not, err
	case filter.Text:
		return meetsText(o, c)
	case filter.List:
		return meetsList(o, c)
	case filter.Number:
		return meetsNumber(o, c)
	case filter.Time:
		if c.Column == filter.AcceptedAt {
			return acceptedMeets(o.Version, c), nil
		}
		at, err := timeOf(o, c.Column)
		return !at.IsZero() && ordered(c.Op, cmp.Compare(at.UnixMicro(), c.At.UnixMicro())), err
	case filter.IsTrue:
		truth, err := truthOf(o, c.Column)
		return truth == c.Want, err
	case filter.IsSet:
		set, err := isSet(o, c.Column)
		return set == c.Want, err
	case filter.MetadataText, filter.MetadataNumber, filter.MetadataSet:
		return meetsMetadata(o, c), nil
	case filter.Search:
		return meetsSearch(o, c)
	}
	return false, fmt.Errorf("unknown condition %T", c)
}

func acceptedMeets(version uint64, c filter.Time) bool {
	return ordered(c.Op, cmp.Compare(version, model.RowVersion(c.At, 0)))
}

func meetsMetadata(o *model.Observation, c filter.Condition) bool {
	switch c := c.(type) {
	case filter.MetadataText:
		entry := entryOf(o, c.Key)
		return entry != nil && compareText(c.Op, entry.Value, c.Value)
	case filter.MetadataNumber:
		entry := entryOf(o, c.Key)
		if entry == nil || entry.Type != model.MetadataNumber {
			return false
		}
		number, err := strconv.ParseFloat(entry.Value, 64)
		return err == nil && !math.IsInf(number, 0) && !math.IsNaN(number) && ordered(c.Op, cmp.Compare(number, c.Value))
	case filter.MetadataSet:
		return (entryOf(o, c.Key) != nil) == c.Want
	}
	return false
}

// ordered reports whether a comparison with the given outcome meets op.
func ordered(op filter.Order, outcome int) bool {
	switch op {
	case filter.Above:
		return outcome > 0
	case filter.Below:
		return outcome < 0
	case filter.AtLeast:
		return outcome >= 0
	case filter.AtMost:
		return outcome <= 0
	default:
		return outcome == 0
	}
}

func meetsText(o *model.Observation, c filter.Text) (bool, error) {
	text, err := textOf(o, c.Column)
	payload := c.Column == filter.Input || c.Column == filter.Output
	if err == nil && payload != (c.Op == filter.Matches) && c.Op != filter.Equal {
		return false, fmt.Errorf("operator %d does not apply to column %q", c.Op, c.Column)
	}
	if c.Op == filter.Matches {
		return compareText(c.Op, filter.LowerASCII(text), filter.LowerASCII(c.Value)), err
	}
	return compareText(c.Op, text, c.Value), err
}

// compareText minds letter case.
func compareText(op filter.TextOp, text, value string) bool {
	switch op {
	case filter.Contains:
		return strings.Contains(text, value)
	case filter.NotContains:
		return !strings.Contains(text, value)
	case filter.StartsWith:
		return strings.HasPrefix(text, value)
	case filter.EndsWith:
		return strings.HasSuffix(text, value)
	case filter.Matches:
		has := allWords(text)
		return strings.Contains(text, value) && !slices.ContainsFunc(filter.Words(value), func(word string) bool { return !has[word] })
	default:
		return text == value
	}
}

// allWords are the words of a text, by the rule of filter.Words but without its bound.
func allWords(text string) map[string]bool {
	words := map[string]bool{}
	for _, word := range bytes.FieldsFunc([]byte(text), func(r rune) bool {
		return r < 0x80 && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) {
		words[string(word)] = true
	}
	return words
}

func meetsList(o *model.Observation, c filter.List) (bool, error) {
	list, err := listOf(o, c.Column)
	has := func(value string) bool { return slices.Contains(list, value) }
	switch c.Op {
	case filter.AnyOf:
		return slices.ContainsFunc(c.Values, has), err
	case filter.NoneOf:
		return !slices.ContainsFunc(c.Values, has), err
	default:
		return !slices.ContainsFunc(c.Values, func(value string) bool { return !has(value) }), err
	}
}

// meetsNumber compares costs as decimal numbers and others as floats.
func meetsNumber(o *model.Observation, c filter.Number) (bool, error) {
	costs := o.Costs()
	for column, cost := range map[filter.Column]decimal.NullDecimal{filter.InputCost: costs.Input, filter.OutputCost: costs.Output, filter.TotalCost: costs.Total} {
		if c.Column == column {
			return cost.Valid && ordered(c.Op, cost.Decimal.Cmp(decimal.NewFromFloat(c.Value))), nil
		}
	}
	number, set, err := numberOf(o, c.Column)
	return set && ordered(c.Op, cmp.Compare(number, c.Value)), err
}

// isSet reports whether a column has a value; those that always have one are set.
func isSet(o *model.Observation, column filter.Column) (bool, error) {
	if column == filter.Input || column == filter.Output {
		return false, fmt.Errorf("whether column %q is set is asked by another one", column)
	}
	if text, err := textOf(o, column); err == nil {
		return text != "", nil
	}
	if list, err := listOf(o, column); err == nil {
		return len(list) > 0, nil
	}
	if _, set, err := numberOf(o, column); err == nil {
		return set, nil
	}
	if at, err := timeOf(o, column); err == nil {
		return !at.IsZero(), nil
	}
	if _, err := truthOf(o, column); err == nil {
		return true, nil
	}
	costs := o.Costs()
	switch column {
	case filter.InputCost:
		return costs.Input.Valid, nil
	case filter.OutputCost:
		return costs.Output.Valid, nil
	case filter.TotalCost:
		return costs.Total.Valid, nil
	case filter.Metadata:
		return len(o.Metadata) > 0, nil
	default:
		return false, fmt.Errorf("unknown column %q", column)
	}
}

func timeOf(o *model.Observation, column filter.Column) (time.Time, error) {
	switch column {
	case filter.StartTime:
		return o.StartTime, nil
	case filter.EndTime:
		return o.EndTime, nil
	default:
		return time.Time{}, fmt.Errorf("column %q holds no time", column)
	}
}

// entryOf is the first entry under a key.
func entryOf(o *model.Observation, key string) *model.MetadataEntry {
	for i := range o.Metadata {
		if o.Metadata[i].Name == key {
			return &o.Metadata[i]
		}
	}
	return nil
}
