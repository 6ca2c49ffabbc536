package price

import (
	"crypto/sha256"
	_ "embed" // for the built-in list
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/shopspring/decimal"
)

// builtin is the list of its date; docs/operate/prices.md describes the form.
//
//go:embed lists/2026-08-22.json
var builtin []byte

// maxFile bounds a price list.
const maxFile = 32 << 20

// file is a price list.
type file struct {
	AsOf       string
	Currency   string
	KeyAliases map[string]map[string]string // dialect, alias, canonical key
	Models     []fileModel
}

type fileModel struct {
	Name            string
	MatchPattern    string
	StartDate       string
	Unit            string
	TokenizerID     string
	TokenizerFamily string
	Dialect         string
	PricingTiers    []fileTier
}

type fileTier struct {
	Name       string
	Kind       string
	Priority   int
	Conditions []Condition
	Prices     map[string]decimal.Decimal
}

// Builtin returns the list that is part of the program. Each call reads it anew.
func Builtin() (*List, error) {
	return parse(builtin)
}

// Read reads a price list from a file.
func Read(r io.Reader) (*List, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("read price list: %w", err)
	}
	if len(text) > maxFile {
		return nil, fmt.Errorf("read price list: larger than %d bytes", maxFile)
	}
	return parse(text)
}

func parse(text []byte) (*List, error) {
	var f file
	if err := json.Unmarshal(text, &f); err != nil {
		return nil, fmt.Errorf("read price list: %w", err)
	}
	asOf, err := time.Parse(time.DateOnly, f.AsOf)
	if err != nil {
		return nil, fmt.Errorf("read price list: asOf: %w", err)
	}
	if f.Currency != "USD" || len(f.Models) == 0 {
		return nil, fmt.Errorf("read price list: want models with prices in USD, got %d models in %q", len(f.Models), f.Currency)
	}
	definitions, seen := make([]*Definition, 0, len(f.Models)), map[string]bool{}
	for i := range f.Models {
		d, err := f.definition(&f.Models[i], asOf)
		if err == nil && seen[d.ID] {
			err = errors.New("another entry has the same name and startDate")
		}
		if err == nil {
			err = d.Prepare()
		}
		if err != nil {
			return nil, fmt.Errorf("read price list: model %q: %w", f.Models[i].Name, err)
		}
		seen[d.ID] = true
		definitions = append(definitions, d)
	}
	return listOf(definitions), nil
}

func (f *file) definition(m *fileModel, asOf time.Time) (*Definition, error) {
	d := &Definition{
		ID:   stableID(m.Name, m.StartDate),
		Name: m.Name, Pattern: m.MatchPattern, Unit: m.Unit,
		Tokenizer: m.TokenizerID, Encoding: m.TokenizerFamily, CreatedAt: asOf,
	}
	if m.StartDate != "" {
		var err error
		if d.Start, err = time.Parse(time.DateOnly, m.StartDate); err != nil {
			return nil, fmt.Errorf("startDate: %w", err)
		}
	}
	aliases, known := f.KeyAliases[m.Dialect]
	if m.Dialect != "" && !known {
		return nil, fmt.Errorf("keyAliases has no dialect %q", m.Dialect)
	}
	for _, t := range m.PricingTiers {
		for alias, key := range aliases {
			if price, ok := t.Prices[key]; ok {
				t.Prices[alias] = price
			}
		}
		d.Tiers = append(d.Tiers, Tier{
			ID: stableID(m.Name, m.StartDate, t.Name), Name: t.Name, Default: t.Kind == "default",
			Priority: t.Priority, Conditions: t.Conditions, Prices: t.Prices,
		})
	}
	return d, nil
}

// stableID makes an id that the same entry has in every list.
func stableID(parts ...string) string {
	h := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}
