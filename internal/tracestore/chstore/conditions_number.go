package chstore

import (
	"strings"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/filter"
)

// numberColumn is a number as an expression that is never null, and the condition under which it is set.
type numberColumn struct {
	value, set string
	cost       bool // compared as a decimal number
}

// Times are compared in whole milliseconds and shown in seconds, as answers show them.
const (
	milliseconds = "intDiv(toUnixTimestamp64Micro(TO) - toUnixTimestamp64Micro(start_time), 1000)"
	isSetTime    = "toUnixTimestamp64Micro(TO) != 0"
)

func secondsTo(column string) numberColumn {
	return numberColumn{value: upTo(milliseconds, column) + " / 1000", set: upTo(isSetTime, column)}
}

func upTo(format, column string) string { return strings.ReplaceAll(format, "TO", column) }

func plainNumber(expression string) numberColumn {
	return numberColumn{value: "toFloat64(" + expression + ")", set: "true"}
}

func costColumn(column string) numberColumn {
	return numberColumn{value: "assumeNotNull(" + column + ")", set: column + " IS NOT NULL", cost: true}
}

var numberColumns = map[filter.Column]numberColumn{
	filter.Latency:          secondsTo("end_time"),
	filter.TimeToFirstToken: secondsTo("completion_start_time"),
	filter.TokensPerSecond: {
		value: "toFloat64(output_tokens) / (" + secondsTo("end_time").value + ")",
		set:   upTo(isSetTime, "end_time") + " AND " + upTo(milliseconds, "end_time") + " != 0",
	},
	filter.InputTokens:     plainNumber("input_tokens"),
	filter.OutputTokens:    plainNumber("output_tokens"),
	filter.TotalTokens:     {value: "toFloat64(assumeNotNull(total_tokens))", set: "total_tokens IS NOT NULL"},
	filter.InputCost:       costColumn("input_cost"),
	filter.OutputCost:      costColumn("output_cost"),
	filter.TotalCost:       costColumn("total_cost"),
	filter.PromptVersion:   {value: "toFloat64(prompt_version)", set: "prompt_version != 0"},
	filter.ToolDefinitions: plainNumber("length(tool_names)"),
	filter.ToolCalls:       plainNumber("length(called_tool_names)"),
}

func (r conditions) onNumber(c filter.Number) string {
	column, ok := numberColumns[c.Column]
	if !ok || comparisons[c.Op] == "" {
		return ""
	}
	var value string
	if column.cost {
		value = r.bind(boundCostType, boundCost(c.Value))
	} else {
		value = r.float(c.Value)
	}
	return "(" + column.set + " AND " + column.value + " " + comparisons[c.Op] + " " + value + ")"
}

// boundCostType has one digit more than costs: enough to lie between two of them.
const boundCostType = "Decimal(38, 13)"

// boundCost is a number that compares with every cost as the decimal text of v does, and fits
// boundCostType: a value between two costs becomes the middle between them, one beyond all costs the bound.
func boundCost(v float64) string {
	exact := decimal.NewFromFloat(v)
	largest := decimal.New(1, 19-costDigits) // above 2^63 at the scale of costs
	if exact.Abs().GreaterThan(largest) {
		exact = largest.Mul(decimal.NewFromInt(int64(exact.Sign())))
	}
	bound := exact.Truncate(costDigits)
	if !bound.Equal(exact) {
		bound = bound.Add(decimal.New(5*int64(exact.Sign()), -costDigits-1))
	}
	return bound.String()
}
