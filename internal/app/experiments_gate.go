package app

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// regressionsName is what a rule calls the number of items of which a score got worse. Means hide these: a candidate that is
// better on the whole may have lost what worked before.
const regressionsName = "regressions"

// failRule is a difference to the baseline that must not be, such as accuracy<-0.02, or a number of regressions.
type failRule struct {
	name  string
	above bool // fails above the bound, otherwise below
	bound float64
	text  string
}

// UnmarshalText reads a rule. The last < or > divides it: names may have any characters.
func (r *failRule) UnmarshalText(text []byte) error {
	r.text = strings.TrimSpace(string(text))
	at := strings.LastIndexAny(r.text, "<>")
	if at < 0 {
		return fmt.Errorf("a rule must look like accuracy<-0.02 or latency>0.5, got %q", r.text)
	}
	bound, err := strconv.ParseFloat(strings.TrimSpace(r.text[at+1:]), 64)
	r.name, r.above, r.bound = strings.TrimSpace(r.text[:at]), r.text[at] == '>', bound
	if err != nil || r.name == "" || math.IsNaN(bound) || math.IsInf(bound, 0) {
		return fmt.Errorf("a rule must look like accuracy<-0.02 or latency>0.5, got %q", r.text)
	}
	return nil
}

func (r *failRule) broken(delta float64) bool {
	if r.above {
		return delta > r.bound
	}
	return delta < r.bound
}

// verdict is what became of a rule.
type verdict struct {
	rule    failRule
	failed  bool
	summary string
}

// judge holds the candidate against the rules. What cannot be judged is an error: a gate that nobody notices to be open is
// worse than none.
func judge(rules []failRule, figures []diffFigure, regressions int) ([]verdict, error) {
	var verdicts []verdict
	for _, rule := range rules {
		if rule.name == regressionsName && !slices.ContainsFunc(figures, func(f diffFigure) bool { return f.Name == regressionsName }) {
			v, err := judgeRegressions(rule, figures, regressions)
			if err != nil {
				return nil, err
			}
			verdicts = append(verdicts, v)
			continue
		}
		figure, err := figureFor(rule, figures)
		if err != nil {
			return nil, err
		}
		change := figure.candidate()
		if change == nil || change.Change == nil || change.Change.Delta == nil {
			return nil, fmt.Errorf("%q cannot be judged: no item has a number for %s in both experiments", rule.text, rule.name)
		}
		verdicts = append(verdicts, verdict{rule, rule.broken(*change.Change.Delta), change.Change.Summary})
	}
	return verdicts, nil
}

// judgeRegressions needs at least one item with a score in both experiments.
func judgeRegressions(rule failRule, figures []diffFigure, regressions int) (verdict, error) {
	pairs := 0
	for _, f := range figures {
		if side := f.candidate(); side != nil && f.Kind == "score" && f.DataType != "CATEGORICAL" {
			pairs = max(pairs, side.Change.Paired)
		}
	}
	if pairs == 0 {
		return verdict{}, fmt.Errorf("%q cannot be judged: no item has a score that is a number or a boolean in both experiments", rule.text)
	}
	return verdict{rule, rule.broken(float64(regressions)), fmt.Sprintf("items with a score that got worse: %d", regressions)}, nil
}

// figureFor finds the figure of a rule: a score by its name, and latency and cost when no score is called so.
func figureFor(rule failRule, figures []diffFigure) (*diffFigure, error) {
	var names []string
	var found *diffFigure
	for i := range figures {
		f := &figures[i]
		if f.DataType == "CATEGORICAL" {
			continue
		}
		names = append(names, f.Name)
		if f.Name != rule.name || found != nil && f.Kind != "score" {
			continue
		}
		if found != nil && found.Kind == "score" {
			return nil, fmt.Errorf("%q cannot be judged: there are scores of several types with this name", rule.text)
		}
		found = f
	}
	if found == nil && len(names) == 0 {
		return nil, errors.New("there is nothing to judge: neither experiment has scores that are numbers or booleans")
	}
	if found == nil {
		slices.Sort(names)
		return nil, fmt.Errorf("%q cannot be judged: there is no such score; there are %s, and regressions for the number of items that got worse", rule.text, strings.Join(slices.Compact(names), ", "))
	}
	return found, nil
}
