package price_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/price"
)

const small = `{"asOf":"2026-08-22","currency":"USD","keyAliases":{"x":{"in":"input"}},"models":[
	{"name":"a","matchPattern":"^a$","startDate":null,"dialect":"x","tokenizerId":null,"pricingTiers":[{"name":"Standard","kind":"default","priority":0,"conditions":[],"prices":{"input":"0.5"}}]},
	{"name":"a","matchPattern":"^a$","startDate":"2026-08-01","dialect":null,"pricingTiers":[{"name":"Standard","kind":"default","priority":0,"conditions":[],"prices":{"input":"0.25"}}]}]}`

func TestReadReplacesTheList(t *testing.T) {
	t.Parallel()
	l, err := price.Read(strings.NewReader(small))
	if err != nil {
		t.Fatal(err)
	}
	july, august := day(t, "2026-07-31"), day(t, "2026-08-01")
	old := l.Match("a", july)
	if got := old.Default().Prices; got["input"].String() != "0.5" || got["in"].String() != "0.5" {
		t.Errorf("prices before August are %v, want aliases too", got)
	}
	if got := l.Match("a", august).Default().Prices["input"].String(); got != "0.25" {
		t.Errorf("price from August on is %s", got)
	}
	if l.Match("gpt-4o", august) != nil {
		t.Error("the built-in list is still there")
	}
	again, err := price.Read(strings.NewReader(small))
	if err != nil {
		t.Fatal(err)
	}
	if again.Match("a", july).ID != old.ID || old.ID == l.Match("a", august).ID {
		t.Error("an id must belong to a name and a start")
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ old, new, want string }{
		"no JSON":         {`{"asOf"`, `{asOf`, "invalid character"},
		"no date":         {"2026-08-22", "yesterday", "asOf"},
		"other currency":  {"USD", "EUR", "USD"},
		"bad pattern":     {`"^a$"`, `"^(a$"`, "matchPattern"},
		"look-ahead":      {`"^a$"`, `"a(?=b)"`, "matchPattern"},
		"bad start":       {"2026-08-01", "August", "startDate"},
		"the same twice":  {`"2026-08-01"`, `null`, "same name and startDate"},
		"no dialect":      {`"dialect":"x"`, `"dialect":"y"`, "dialect"},
		"no default":      {`"kind":"default"`, `"kind":"context"`, "conditions"},
		"negative price":  {`"0.5"`, `"-0.5"`, "prices from 0"},
		"price bomb":      {`"0.5"`, `"1e-9999"`, "prices from 0"},
		"huge price":      {`"0.5"`, `"1e9999"`, "prices from 0"},
		"bad tokenizer":   {`"tokenizerId":null`, `"tokenizerId":"x"`, "tokenizerId"},
		"price is a word": {`"0.5"`, `"free"`, "free"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := strings.Replace(small, tt.old, tt.new, 1)
			if text == small {
				t.Fatal("the case changes nothing")
			}
			_, err := price.Read(strings.NewReader(text))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want an error about %q", err, tt.want)
			}
		})
	}
}

func TestPrepareRefuses(t *testing.T) {
	t.Parallel()
	prices := amounts(map[string]string{"input": "1"})
	for name, spoil := range map[string]func(*price.Definition){
		"no name":         func(d *price.Definition) { d.Name = "" },
		"long pattern":    func(d *price.Definition) { d.Pattern = strings.Repeat("a", 3000) },
		"unit":            func(d *price.Definition) { d.Unit = "WORDS" },
		"no tiers":        func(d *price.Definition) { d.Tiers = nil },
		"no prices":       func(d *price.Definition) { d.Tiers[0].Prices = nil },
		"default not 0":   func(d *price.Definition) { d.Tiers[0].Priority = 1 },
		"same name":       func(d *price.Definition) { d.Tiers[1].Name = d.Tiers[0].Name },
		"same priority":   func(d *price.Definition) { d.Tiers[1].Priority = 0 },
		"priority":        func(d *price.Definition) { d.Tiers[1].Priority = 1000 },
		"two defaults":    func(d *price.Definition) { d.Tiers[1].Default, d.Tiers[1].Conditions = true, nil },
		"no conditions":   func(d *price.Definition) { d.Tiers[1].Conditions = nil },
		"bad usage regex": func(d *price.Definition) { d.Tiers[1].Conditions[0].UsagePattern = "(" },
		"bad operator":    func(d *price.Definition) { d.Tiers[1].Conditions[0].Operator = "in" },
		"negative value":  func(d *price.Definition) { d.Tiers[1].Conditions[0].Value = -1 },
		"both kinds":      func(d *price.Definition) { d.Tiers[1].Conditions[0].Source = "metadata" },
		"unknown source": func(d *price.Definition) {
			d.Tiers[1].Conditions[0] = price.Condition{Source: "x", Key: "k", Operator: "in", Values: []string{"v"}}
		},
		"no values": func(d *price.Definition) {
			d.Tiers[1].Conditions[0] = price.Condition{Source: "metadata", Key: "k", Operator: "in"}
		},
		"text compared": func(d *price.Definition) {
			d.Tiers[1].Conditions[0] = price.Condition{Source: "metadata", Key: "k", Operator: "gt", Values: []string{"v"}}
		},
		"no key": func(d *price.Definition) {
			d.Tiers[1].Conditions[0] = price.Condition{Source: "metadata", Operator: "in", Values: []string{"v"}}
		},
		"empty condition":  func(d *price.Definition) { d.Tiers[1].Conditions[0] = price.Condition{} },
		"tier has no name": func(d *price.Definition) { d.Tiers[1].Name = "" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := definition(t, map[string]string{"input": "1"}, price.Tier{
				Name: "more", Priority: 1, Prices: prices, Conditions: []price.Condition{{UsagePattern: "x", Operator: "gt"}},
			})
			spoil(d)
			if err := d.Prepare(); !fault.Is(err, fault.Invalid) {
				t.Errorf("got %v, want fault.Invalid", err)
			}
		})
	}
}

func TestConditionsKeepTheirForm(t *testing.T) {
	t.Parallel()
	const text = `[{"usageDetailPattern":"^input","operator":"gt","value":0,"caseSensitive":false},` +
		`{"source":"metadata","key":"plan","operator":"in","values":["gold"]}]`
	var conditions []price.Condition
	if err := json.Unmarshal([]byte(text), &conditions); err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(conditions)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(text, string(got)); diff != "" {
		t.Errorf("conditions (-want +got):\n%s", diff)
	}
	want := price.Condition{UsagePattern: "^input", Operator: "gt"}
	if diff := cmp.Diff(want, conditions[0], cmpopts.IgnoreUnexported(price.Condition{})); diff != "" {
		t.Errorf("condition (-want +got):\n%s", diff)
	}
}

// The list must be usable before anything else is: it is read at each start.
func TestBuiltinIsTheFile(t *testing.T) {
	t.Parallel()
	file, err := os.Open("lists/2026-08-22.json")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	fromFile, err := price.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(fromFile.All()) != len(list(t).All()) || len(fromFile.All()) < 390 {
		t.Errorf("%d entries in the file, %d built in", len(fromFile.All()), len(list(t).All()))
	}
	if scheduled := fromFile.Match("gpt-4o", time.Time{}); scheduled == nil {
		t.Error("a row without a start time finds no definition")
	}
}

func FuzzMatch(f *testing.F) {
	f.Add(`(?i)^(openai/)?gpt-4o(-mini)?$`, "GPT-4o")
	f.Add(`(?i)^moonshot$`, "mooN\u017fhot")
	f.Add(`(?i)kimi`, "\u212aimi")
	f.Add(`^(?-i:Aa)+x{2,3}$`, "AaAaxx")
	f.Add(`é|b`, "É")
	f.Fuzz(func(t *testing.T, pattern, name string) {
		expression, err := regexp.Compile(pattern)
		if err != nil || len(pattern) > 100 || len(name) > 100 {
			return
		}
		if fast, slow := price.MatchesFast(pattern, name), expression.MatchString(name); fast != slow {
			t.Errorf("%q on %q: %v, want %v", pattern, name, fast, slow)
		}
	})
}
