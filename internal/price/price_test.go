package price_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/price"
)

var builtin = sync.OnceValues(price.Builtin)

func list(t testing.TB) *price.List {
	t.Helper()
	l, err := builtin()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func read(t testing.TB, name string, into any) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func day(t testing.TB, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.DateOnly, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func TestBuiltinCoversKnownModels(t *testing.T) {
	t.Parallel()
	var known struct {
		AsOf      string
		IDs       []struct{ ID, Model string }
		Unmatched []string
	}
	read(t, "known_ids.json", &known)
	l, at := list(t), day(t, known.AsOf)
	if len(known.IDs) < 1600 || len(known.Unmatched) < 40 {
		t.Fatalf("read %d ids and %d that match nothing", len(known.IDs), len(known.Unmatched))
	}
	for _, id := range known.IDs {
		d := l.Match(id.ID, at)
		if d == nil || d.Name != id.Model {
			t.Errorf("%q matches %v, want %s", id.ID, d, id.Model)
		}
		// Exactly one: no other name's entry may match as well.
		for _, other := range price.Candidates(l, id.ID) {
			if other.Name != id.Model {
				t.Errorf("%q matches %s as well as %s", id.ID, other.Name, id.Model)
			}
		}
	}
	for _, id := range known.Unmatched {
		if d := l.Match(id, at); d != nil {
			t.Errorf("%q matches %s, want nothing", id, d.Name)
		}
	}
}

// fixture is what a provider or an instrumentation reported, and what it costs.
type fixture struct {
	ID, Model, ReportedModel, Day string
	ModelParameters               json.RawMessage
	ProvidedCost                  map[string]any
	Expected                      struct {
		UsageDetails map[string]uint64
		Tier         string
		CostDetails  map[string]decimal.Decimal
	}
}

// TestRecordedResponsesCostPriceTimesTokens takes the recorded usage of OpenAI (chat, responses),
// Anthropic, Gemini, Bedrock, Mistral, Cohere and others, with cached and reasoning tokens, and
// compares the cost with the one computed from the vendor's price, to the last decimal. That the
// stored tokens are the provider's own count is shown by TestProviderResponses of package usage,
// on the same file.
func TestRecordedResponsesCostPriceTimesTokens(t *testing.T) {
	t.Parallel()
	var file struct{ Fixtures []fixture }
	read(t, "usage_fixtures.json", &file)
	if len(file.Fixtures) != 67 {
		t.Fatalf("read %d fixtures, want 67", len(file.Fixtures))
	}
	for _, f := range file.Fixtures {
		if f.ProvidedCost != nil {
			continue // nothing to compute: see package pricing
		}
		t.Run(f.ID, func(t *testing.T) {
			t.Parallel()
			name := f.Model
			if f.ReportedModel != "" {
				name = f.ReportedModel
			}
			d := byName(list(t), f.Model, day(t, f.Day))
			if f.ReportedModel != "" && list(t).Match(name, day(t, f.Day)) != d {
				t.Errorf("%s does not match %s", name, f.Model)
			}
			costs, tier := d.Price(price.Subject{Usage: f.Expected.UsageDetails, Parameters: string(f.ModelParameters)})
			if len(f.Expected.UsageDetails) == 0 {
				if tier != nil || costs != nil {
					t.Errorf("no usage costs %v in tier %v", costs, tier)
				}
				return
			}
			if tier.Name != f.Expected.Tier {
				t.Errorf("tier is %q, want %q", tier.Name, f.Expected.Tier)
			}
			if diff := cmp.Diff(texts(f.Expected.CostDetails), texts(costs)); diff != "" {
				t.Errorf("cost (-want +got):\n%s", diff)
			}
		})
	}
}

// byName finds the version of a model that is in force.
func byName(l *price.List, name string, at time.Time) (best *price.Definition) {
	for _, d := range l.All() {
		if d.Name == name && !d.Start.After(at) && (best == nil || d.Start.After(best.Start)) {
			best = d
		}
	}
	return best
}

func texts(costs map[string]decimal.Decimal) map[string]string {
	m := map[string]string{}
	for key, cost := range costs {
		m[key] = cost.String()
	}
	return m
}

// definition makes a prepared one of a default tier's prices and further tiers.
func definition(t testing.TB, prices map[string]string, tiers ...price.Tier) *price.Definition {
	t.Helper()
	tiers = append(tiers, price.Tier{Name: "Standard", Default: true, Prices: amounts(prices)})
	d := &price.Definition{ID: "d", Name: "m", Pattern: "^m$", Tiers: tiers}
	if err := d.Prepare(); err != nil {
		t.Fatal(err)
	}
	return d
}

func amounts(prices map[string]string) map[string]decimal.Decimal {
	m := map[string]decimal.Decimal{}
	for key, text := range prices {
		m[key] = decimal.RequireFromString(text)
	}
	return m
}

func TestCosts(t *testing.T) {
	t.Parallel()
	type usage = map[string]uint64
	type prices = map[string]string
	for name, tt := range map[string]struct {
		usage  usage
		prices prices
		want   map[string]string
	}{
		"P01":                 {usage{"input": 10, "output": 5, "total": 15}, prices{"input": "0.0000025", "output": "0.00001"}, prices{"input": "0.000025", "output": "0.00005", "total": "0.000075"}},
		"P04":                 {usage{"total": 100}, prices{"total": "0.01"}, prices{"total": "1"}},
		"P05":                 {usage{"foo": 3, "total": 3}, prices{"input": "1"}, prices{}},
		"P11, no binary dust": {usage{"a": 1, "b": 1, "c": 3}, prices{"a": "0.1", "b": "0.2", "c": "1e-7"}, prices{"a": "0.1", "b": "0.2", "c": "0.0000003", "total": "0.3000003"}},
		"total has a price":   {usage{"input": 5, "total": 7}, prices{"input": "1", "total": "3"}, prices{"input": "5", "total": "21"}},
		"finest amount":       {usage{"input": 1}, prices{"input": "0.000000000001"}, prices{"input": "0.000000000001", "total": "0.000000000001"}},
		"finer is rounded":    {usage{"input": 15}, prices{"input": "0.0000000000001"}, prices{"input": "0.000000000002", "total": "0.000000000002"}},
		"finer adds up":       {usage{"input": 10_000_000_000_001}, prices{"input": "0.0000000000001"}, prices{"input": "1", "total": "1"}},
		"free":                {usage{"input": 5}, prices{"input": "0"}, prices{"input": "0", "total": "0"}},
		"more than is stored": {usage{"input": 1 << 63, "output": 1}, prices{"input": "1000000", "output": "1"}, prices{"input": "999999.999999", "output": "1", "total": "999999.999999"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			costs, tier := definition(t, tt.prices).Price(price.Subject{Usage: tt.usage})
			if tier == nil || tier.Name != "Standard" {
				t.Errorf("tier is %v", tier)
			}
			if diff := cmp.Diff(tt.want, texts(costs)); diff != "" {
				t.Errorf("cost (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTiers(t *testing.T) {
	t.Parallel()
	prices := amounts(map[string]string{"input": "1"})
	usage := func(pattern, operator string, value float64) price.Condition {
		return price.Condition{UsagePattern: pattern, Operator: operator, Value: value}
	}
	in := func(source, key string, values ...string) price.Condition {
		return price.Condition{Source: source, Key: key, Operator: "in", Values: values}
	}
	metadata := []model.MetadataEntry{
		{Name: "plan", Value: "gold", Type: model.MetadataString}, {Name: "n", Value: "1", Type: model.MetadataNumber},
	}
	for name, tt := range map[string]struct {
		condition price.Condition
		usage     map[string]uint64
		params    string
		want      bool
	}{
		"P06 sum of keys":        {usage("(input|prompt|cached)", "gt", 200000), map[string]uint64{"input": 150000, "input_cached_tokens": 60000, "output": 1}, "", true},
		"at the threshold":       {usage("input", "gt", 5), map[string]uint64{"input": 5, "total": 5}, "", false},
		"gte":                    {usage("input", "gte", 5), map[string]uint64{"input": 5}, "", true},
		"lt":                     {usage("input", "lt", 5), map[string]uint64{"input": 4, "output": 9}, "", true},
		"lte":                    {usage("input", "lte", 5), map[string]uint64{"input": 6}, "", false},
		"eq":                     {usage("input", "eq", 5), map[string]uint64{"input": 5}, "", true},
		"neq":                    {usage("input", "neq", 5), map[string]uint64{"input": 5}, "", false},
		"any letter case":        {usage("^INPUT$", "gt", 1), map[string]uint64{"input": 5}, "", true},
		"this letter case":       {price.Condition{UsagePattern: "^INPUT$", Operator: "gt", Value: 1, CaseSensitive: true}, map[string]uint64{"input": 5}, "", false},
		"P07 parameter":          {in("model_parameters", "service_tier", "fast", "priority"), map[string]uint64{"input": 1}, `{"service_tier":"priority"}`, true},
		"other parameter":        {in("model_parameters", "service_tier", "fast"), map[string]uint64{"input": 1}, `{"x":{"service_tier":"fast"}}`, false},
		"parameter is no text":   {in("model_parameters", "a", "1"), map[string]uint64{"input": 1}, `{"a":1}`, false},
		"parameters are no JSON": {in("model_parameters", "a", "1"), map[string]uint64{"input": 1}, `{"a":"1"`, false},
		"no parameters":          {in("model_parameters", "a", "1"), map[string]uint64{"input": 1}, "", false},
		"metadata":               {in("metadata", "plan", "gold"), map[string]uint64{"input": 1}, "", true},
		"metadata is no text":    {in("metadata", "n", "1"), map[string]uint64{"input": 1}, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := definition(t, map[string]string{"input": "2"}, price.Tier{Name: "special", Priority: 1, Conditions: []price.Condition{tt.condition}, Prices: prices})
			_, tier := d.Price(price.Subject{Usage: tt.usage, Parameters: tt.params, Metadata: metadata})
			if got := tier.Name == "special"; got != tt.want {
				t.Errorf("tier is %q", tier.Name)
			}
			if d.Default().Name != "Standard" {
				t.Errorf("default tier is %q", d.Default().Name)
			}
		})
	}
}

func TestTierOrder(t *testing.T) {
	t.Parallel()
	always := []price.Condition{{UsagePattern: ".", Operator: "gte"}}
	prices := amounts(map[string]string{"input": "1"})
	d := definition(t, map[string]string{"input": "2"},
		price.Tier{Name: "second", Priority: 7, Conditions: always, Prices: prices},
		price.Tier{Name: "first", Priority: 3, Conditions: always, Prices: prices})
	if _, tier := d.Price(price.Subject{Usage: map[string]uint64{"input": 1}}); tier.Name != "first" {
		t.Errorf("tier is %q, want the one with the lower number", tier.Name)
	}
}

func TestVersions(t *testing.T) {
	t.Parallel()
	at := func(d int) time.Time { return time.Date(2026, 1, d, 0, 0, 0, 0, time.UTC) }
	var definitions []*price.Definition
	for i, start := range []time.Time{at(10), {}, at(20)} {
		d := definition(t, map[string]string{"input": "1"})
		d.ID, d.Start = strconv.Itoa(i), start
		definitions = append(definitions, d)
	}
	l, err := price.NewList(definitions)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		at   time.Time
		want string
	}{
		"before all": {at(1), "1"}, "a moment before": {at(10).Add(-1), "1"}, "at the start": {at(10), "0"},
		"between": {at(15), "0"}, "after all": {at(25), "2"}, "no time": {time.Time{}, "1"},
	} {
		if d := l.Match("m", tt.at); d == nil || d.ID != tt.want {
			t.Errorf("%s: got %v, want %s", name, d, tt.want)
		}
	}
	if l.Match("x", at(15)) != nil || l.Match("", at(15)) != nil || l.Match(strings.Repeat("m", 600), at(15)) != nil {
		t.Error("a name that is none matches")
	}
	if l.ByID("2") != definitions[2] || l.ByID("3") != nil {
		t.Error("ByID finds something else")
	}
}

func TestManyNames(t *testing.T) {
	t.Parallel()
	l, err := price.NewList([]*price.Definition{definition(t, map[string]string{"input": "1"})})
	if err != nil {
		t.Fatal(err)
	}
	at := day(t, "2026-08-22")
	want := l.Match("m", at)
	var all sync.WaitGroup
	for worker := range 4 {
		all.Go(func() {
			for i := range 3000 {
				if d := l.Match(fmt.Sprintf("unknown-%d-%d", worker, i), at); d != nil {
					t.Errorf("an unknown name matches %s", d.Name)
					return
				}
			}
			if want == nil || l.Match("m", at) != want {
				t.Error("another definition after many names")
			}
		})
	}
	all.Wait()
	if n := price.Cached(l); n > 4096 {
		t.Errorf("%d names are remembered", n)
	}
}

func BenchmarkMatch(b *testing.B) {
	l, at := list(b), time.Now()
	b.Run("known", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			l.Match("gpt-4o-mini", at)
		}
	})
	b.Run("unknown", func(b *testing.B) {
		i := 0
		for b.Loop() {
			i++
			l.Match(fmt.Sprintf("acme/gpt-%d", i), at)
		}
	})
}

func BenchmarkPrice(b *testing.B) {
	d := list(b).Match("gpt-5.6-sol", time.Now())
	s := price.Subject{
		Usage:      map[string]uint64{"input": 1200, "output": 300, "input_cached_tokens": 512, "total": 2012},
		Parameters: `{"temperature":0.2,"max_tokens":500}`,
	}
	b.ReportAllocs()
	for b.Loop() {
		d.Price(s)
	}
}

func BenchmarkBuiltin(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := price.Builtin(); err != nil {
			b.Fatal(err)
		}
	}
}
