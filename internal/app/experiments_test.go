package app

import (
	"errors"
	"strings"
	"testing"
)

func TestFailRules(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]failRule{
		"accuracy<-0.02":     {name: "accuracy", bound: -0.02},
		" latency > 0.5 ":    {name: "latency", above: true, bound: 0.5},
		"a<b score<-1e-3":    {name: "a<b score", bound: -0.001},
		"correct, strict>+1": {name: "correct, strict", above: true, bound: 1},
	} {
		var got failRule
		err := got.UnmarshalText([]byte(text))
		want.text = strings.TrimSpace(text)
		if err != nil || got != want {
			t.Errorf("%q: %+v, %v; want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "accuracy", "accuracy<", "<0.1", "accuracy<low", "accuracy<NaN", "accuracy>Inf", "accuracy<=0.1"} {
		if err := new(failRule).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is taken for a rule", text)
		}
	}
}

func side(delta float64) diffSide {
	s := diffSide{}
	s.Change = &struct {
		Paired, Improved, Regressed, Changed, Same int
		Delta, PValue                              *float64
		Interval                                   *struct{ Low, High float64 }
		Summary                                    string
	}{Paired: 3, Delta: &delta, Summary: "it moved"}
	return s
}

func TestWhatCannotBeJudgedDoesNotPass(t *testing.T) {
	t.Parallel()
	gap := side(0)
	gap.Change.Delta = nil
	figures := []diffFigure{
		{Kind: "cost", Name: "cost", DataType: "NUMERIC", Experiments: []diffSide{{}, side(0.5)}},
		{Kind: "latency", Name: "latency", DataType: "NUMERIC", Experiments: []diffSide{{}, side(2)}},
		{Kind: "score", Name: "accuracy", DataType: "NUMERIC", Experiments: []diffSide{{}, side(-0.02)}},
		{Kind: "score", Name: "both", DataType: "BOOLEAN", Experiments: []diffSide{{}, side(0)}},
		{Kind: "score", Name: "both", DataType: "NUMERIC", Experiments: []diffSide{{}, side(0)}},
		{Kind: "score", Name: "gap", DataType: "NUMERIC", Experiments: []diffSide{{}, gap}},
		{Kind: "score", Name: "gone", DataType: "NUMERIC", Experiments: []diffSide{{}}},
		{Kind: "score", Name: "latency", DataType: "NUMERIC", Experiments: []diffSide{{}, side(-1)}},
		{Kind: "score", Name: "tone", DataType: "CATEGORICAL", Experiments: []diffSide{{}, side(0)}},
	}
	for text, want := range map[string]string{
		"accuracy<-0.02": "ok", "accuracy<-0.019": "failed", "cost>0.4": "failed", "cost>0.5": "ok", "latency<0": "failed", // the score, not the time
		"accuracies<0": "there are accuracy, both, cost, gap, gone, latency", "both<0": "several types", "gap<0": "no item has a number", "gone<0": "no item has a number", "tone<0": "no such score",
		"regressions>0": "failed", "regressions>1": "failed", "regressions>2": "ok", "regression>0": "and regressions for",
	} {
		var rule failRule
		if err := rule.UnmarshalText([]byte(text)); err != nil {
			t.Fatal(err)
		}
		verdicts, err := judge([]failRule{rule}, figures, 2)
		got := "ok"
		if err != nil {
			got = err.Error()
		} else if verdicts[0].failed {
			got = "failed"
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func TestRegressionsAreJudgedByPairsOfScores(t *testing.T) {
	t.Parallel()
	rule := []failRule{{name: regressionsName, above: true, text: "regressions>0"}}
	for name, figures := range map[string][]diffFigure{
		"nothing":      nil,
		"only latency": {{Kind: "latency", Name: "latency", DataType: "NUMERIC", Experiments: []diffSide{{}, side(2)}}},
		"only texts":   {{Kind: "score", Name: "tone", DataType: "CATEGORICAL", Experiments: []diffSide{{}, side(0)}}},
		"one side":     {{Kind: "score", Name: "accuracy", DataType: "NUMERIC", Experiments: []diffSide{{}}}},
	} {
		if _, err := judge(rule, figures, 0); err == nil {
			t.Errorf("%s: judged without a pair", name)
		}
	}
	// A score of this name is what the rule means.
	verdicts, err := judge(rule, []diffFigure{{Kind: "score", Name: regressionsName, DataType: "NUMERIC", Experiments: []diffSide{{}, side(-1)}}}, 5)
	if err != nil || verdicts[0].failed {
		t.Errorf("%+v, %v; want the score, which fell", verdicts, err)
	}
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		command string
		err     error
		want    int
	}{{"experiments", errGateFailed, 1}, {"experiments", errors.New("no server"), 2}, {"demo", errors.New("no server"), 1}} {
		if got := exitCodeOf([]string{c.command}, c.err); got != c.want {
			t.Errorf("%s, %v: %d, want %d", c.command, c.err, got, c.want)
		}
	}
}

func TestRefusalText(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"message":"Invalid request data","error":[{"message":"c must differ"},{"message":"q is too long"}]}`: "Invalid request data: c must differ: q is too long",
		`{"message":"Not found","error":"LangfuseNotFoundError"}`:                                              "Not found",
		`{"message":"Not found"}`: "Not found", `<html>`: "", `{}`: "",
	} {
		if got := refusalText([]byte(body)); got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}
