package query

import (
	"fmt"
	"math"
	"strconv"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// units stand behind numbers of figures that have one.
var units = map[tracestore.FigureKind]string{tracestore.LatencyFigure: " s", tracestore.CostFigure: " USD"}

// sentence says how a figure differs from the baseline, such as "accuracy fell by 0.031 (95 % CI -0.052 to -0.010),
// p = 0.004, paired over 197 items".
func sentence(c FigureChange) string {
	switch {
	case c.Paired == 0:
		return c.Name + " cannot be compared: no item has it in both"
	case c.Type == model.Categorical:
		return fmt.Sprintf("%s differs for %d of %s", c.Name, c.Rose, counted(c.Paired))
	case c.Rose == 0 && c.Fell == 0:
		return fmt.Sprintf("%s did not change, paired over %s", c.Name, counted(c.Paired))
	}
	text := c.Name + " " + moved(c)
	if c.Interval != nil {
		places := decimals(c.Delta)
		text += fmt.Sprintf(" (95 %% CI %s to %s)", fixed(c.Interval.Low, places), fixed(c.Interval.High, places))
	}
	if c.P != nil {
		text += ", " + chance(*c.P)
	}
	if c.Interval == nil && c.P == nil && c.Paired > 1 {
		return text + " on each of " + counted(c.Paired)
	}
	return text + ", paired over " + counted(c.Paired)
}

func moved(c FigureChange) string {
	by := fixed(math.Abs(c.Delta), decimals(c.Delta)) + units[c.Kind]
	switch {
	case math.Abs(c.Delta) <= tracestore.SameWithin:
		return "is the same on average"
	case c.Delta < 0:
		return "fell by " + by
	}
	return "rose by " + by
}

func counted(items uint64) string {
	if items == 1 {
		return "1 item"
	}
	return strconv.FormatUint(items, 10) + " items"
}

// chance words a p value.
func chance(p float64) string {
	if p < 0.001 {
		return "p < 0.001"
	}
	return fmt.Sprintf("p = %.3f", p)
}

// decimals is how many places a number needs to show two digits that are not zero, three at least.
func decimals(v float64) int {
	if v == 0 {
		return 3
	}
	const rounded = 1e-9 // a thousandth that was computed may be a little less
	return min(max(3, 1-int(math.Floor(math.Log10(math.Abs(v))+rounded))), 12)
}

func fixed(v float64, places int) string {
	text := strconv.FormatFloat(v, 'f', places, 64)
	if n, err := strconv.ParseFloat(text, 64); err == nil && n == 0 {
		return strconv.FormatFloat(0, 'f', places, 64) // not -0.000
	}
	return text
}
