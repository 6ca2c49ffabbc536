// Package price knows what units of models cost: which definition a model's name belongs to on a
// given day, which of its tiers applies to an observation, and what the usage costs, exactly.
//
// It is pure: definitions come from a list that is part of the program, from a file that
// replaces the list, or from a project of its own.
package price

import (
	"encoding/json"
	"regexp"
	"regexp/syntax"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/fault"
)

// Definition says for which models, and from when on, which prices hold. It is made by a list or
// by hand and must not change once it is part of a List.
type Definition struct {
	ID        string
	ProjectID string // empty: built in, for every project
	Name      string
	Pattern   string    // RE2, matched against the model name of an observation
	Start     time.Time // zero: from the beginning
	Unit      string    // one of Units, or empty
	Tokenizer string    // "openai", "claude", or empty
	// TokenizerConfig is JSON text of the client's; we keep it and do not look into it.
	TokenizerConfig string
	Encoding        string // vocabulary of the tokenizer, empty: the one of its newest models
	Tiers           []Tier // the default one first, then by priority
	CreatedAt       time.Time
}

// Tier is one set of prices of a definition.
type Tier struct {
	ID         string      `json:"id"`
	Name       string      `json:"name"`
	Default    bool        `json:"isDefault"`
	Priority   int         `json:"priority"`
	Conditions []Condition `json:"conditions"`
	// Prices are US dollars per unit by usage key.
	Prices map[string]decimal.Decimal `json:"prices"`

	rates map[string]rate
}

// Condition is what has to hold for a tier: either the sum of some usage keys compares to a value,
// or a model parameter or metadata value is one of some texts.
type Condition struct {
	UsagePattern  string
	Operator      string // gt, gte, lt, lte, eq, neq; in for texts
	Value         float64
	CaseSensitive bool

	Source string // model_parameters or metadata
	Key    string
	Values []string

	keys *regexp.Regexp
}

type usageCondition struct {
	UsagePattern  string  `json:"usageDetailPattern"`
	Operator      string  `json:"operator"`
	Value         float64 `json:"value"`
	CaseSensitive bool    `json:"caseSensitive"`
}

type textCondition struct {
	Source   string   `json:"source"`
	Key      string   `json:"key"`
	Operator string   `json:"operator"`
	Values   []string `json:"values"`
}

// MarshalJSON writes the form that the API and price lists have.
func (c Condition) MarshalJSON() ([]byte, error) {
	if c.Source != "" {
		return json.Marshal(textCondition{c.Source, c.Key, c.Operator, c.Values})
	}
	return json.Marshal(usageCondition{c.UsagePattern, c.Operator, c.Value, c.CaseSensitive})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (c *Condition) UnmarshalJSON(text []byte) error {
	var all struct {
		usageCondition
		Source string   `json:"source"`
		Key    string   `json:"key"`
		Values []string `json:"values"`
	}
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	u := all.usageCondition
	*c = Condition{
		UsagePattern: u.UsagePattern, Operator: u.Operator, Value: u.Value, CaseSensitive: u.CaseSensitive,
		Source: all.Source, Key: all.Key, Values: all.Values,
	}
	return nil
}

// Default returns the tier that holds when no other does, nil for a definition without tiers.
func (d *Definition) Default() *Tier {
	if len(d.Tiers) == 0 {
		return nil
	}
	return &d.Tiers[0]
}

// Units are what a definition may count.
var Units = []string{"TOKENS", "CHARACTERS", "MILLISECONDS", "SECONDS", "REQUESTS", "IMAGES"}

// Tokenizers are the names a definition may give.
var Tokenizers = []string{"openai", "claude"}

// Bounds of a definition that a client may send.
const (
	maxName     = 200
	maxPattern  = 1000
	maxTiers    = 50
	maxTierName = 100
	maxKeys     = 200
	maxRules    = 20 // conditions of a tier
	maxValues   = 100
	maxPriority = 999
)

// Prepare checks the definition, sorts its tiers and readies it for pricing. What is wrong is a
// fault.Invalid that names the field.
func (d *Definition) Prepare() error {
	switch {
	case d.Name == "" || len(d.Name) > maxName:
		return fault.Invalidf("modelName", "must have 1 to %d bytes", maxName)
	case d.Pattern == "" || len(d.Pattern) > maxPattern:
		return fault.Invalidf("matchPattern", "must have 1 to %d bytes", maxPattern)
	case d.Unit != "" && !slices.Contains(Units, d.Unit):
		return fault.Invalidf("unit", "must be one of %v", Units)
	case d.Tokenizer != "" && !slices.Contains(Tokenizers, d.Tokenizer):
		return fault.Invalidf("tokenizerId", "must be one of %v", Tokenizers)
	}
	// Parsing finds all that is wrong with an expression; compiling can wait until it is needed.
	if _, err := syntax.Parse(d.Pattern, syntax.Perl); err != nil {
		return fault.Invalidf("matchPattern", "is not a regular expression in RE2 syntax: %v", err)
	}
	return d.prepareTiers()
}

func (d *Definition) prepareTiers() error {
	if len(d.Tiers) == 0 || len(d.Tiers) > maxTiers {
		return wrongTier("must have 1 to %d entries", maxTiers)
	}
	slices.SortStableFunc(d.Tiers, func(a, b Tier) int { return a.Priority - b.Priority })
	names, priorities, defaults := map[string]bool{}, map[int]bool{}, 0
	for i := range d.Tiers {
		t := &d.Tiers[i]
		if names[t.Name] || priorities[t.Priority] {
			return wrongTier("must differ in name and in priority; see %q", t.Name)
		}
		names[t.Name], priorities[t.Priority] = true, true
		if t.Default {
			defaults++
		}
		if err := t.prepare(); err != nil {
			return err
		}
	}
	if defaults != 1 {
		return wrongTier("must have exactly one default tier, not %d", defaults)
	}
	return nil
}

// wrongTier says what is wrong with the tiers of a definition.
func wrongTier(format string, args ...any) error {
	return fault.Invalidf("pricingTiers", format, args...)
}

func (t *Tier) prepare() error {
	switch {
	case t.Name == "" || len(t.Name) > maxTierName:
		return wrongTier("must have names of 1 to %d bytes", maxTierName)
	case t.Priority < 0 || t.Priority > maxPriority:
		return wrongTier("must have priorities from 0 to %d; see %q", maxPriority, t.Name)
	case t.Default && (t.Priority != 0 || len(t.Conditions) > 0):
		return wrongTier("must have a default tier with priority 0 and no conditions; see %q", t.Name)
	case !t.Default && (len(t.Conditions) == 0 || len(t.Conditions) > maxRules):
		return wrongTier("must have 1 to %d conditions unless they are the default; see %q", maxRules, t.Name)
	case len(t.Prices) == 0 || len(t.Prices) > maxKeys:
		return wrongTier("must have 1 to %d prices; see %q", maxKeys, t.Name)
	}
	if err := t.prepareRates(); err != nil {
		return err
	}
	for i := range t.Conditions {
		if err := t.Conditions[i].prepare(); err != nil {
			return err
		}
	}
	return nil
}

func (t *Tier) prepareRates() error {
	t.rates = make(map[string]rate, len(t.Prices))
	for key, price := range t.Prices {
		r, ok := newRate(price)
		if !ok || key == "" || len(key) > maxName {
			return wrongTier("must have prices from 0 to 1000000 with at most %d decimal places; see %q of %q", maxPlaces, key, t.Name)
		}
		t.rates[key] = r
	}
	return nil
}

var comparisons = []string{"gt", "gte", "lt", "lte", "eq", "neq"}

func (c *Condition) prepare() (err error) {
	if c.Source != "" || c.Key != "" || c.Values != nil {
		return c.prepareTexts()
	}
	switch {
	case c.UsagePattern == "" || len(c.UsagePattern) > maxName:
		return wrongTier("must have conditions with a usageDetailPattern of 1 to %d bytes, or with a source", maxName)
	case !slices.Contains(comparisons, c.Operator):
		return wrongTier("must have conditions on usage with an operator of %v", comparisons)
	case !(c.Value >= 0):
		return wrongTier("must have conditions with a value that is not negative")
	}
	pattern := c.UsagePattern
	if !c.CaseSensitive {
		pattern = "(?i)" + pattern
	}
	if c.keys, err = regexp.Compile(pattern); err != nil {
		return wrongTier("must have a usageDetailPattern in RE2 syntax: %v", err)
	}
	return nil
}

func (c *Condition) prepareTexts() error {
	switch {
	case c.Source != "model_parameters" && c.Source != "metadata":
		return wrongTier("must have conditions with the source model_parameters or metadata")
	case c.Operator != "in":
		return wrongTier("must have conditions on %s with the operator in", c.Source)
	case c.Key == "" || len(c.Key) > maxName:
		return wrongTier("must have conditions with a key of 1 to %d bytes", maxName)
	case len(c.Values) == 0 || len(c.Values) > maxValues:
		return wrongTier("must have conditions on %s with 1 to %d values", c.Source, maxValues)
	case c.UsagePattern != "":
		return wrongTier("must have conditions with either a usageDetailPattern or a source")
	}
	return nil
}
