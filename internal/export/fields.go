package export

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/model"
)

// form is how the values of a field look in a file with types. Every field may be null.
type form int

const (
	text     form = iota // string
	document             // json.RawMessage
	moment               // time.Time, milliseconds
	whole                // int64
	number               // float64
	money                // decimal.Decimal, 12 digits behind the point
	truth                // bool
)

// field is a column of a file. Names are those of the API's answers.
type field struct {
	name  string
	group string // of exportFieldGroups; empty: always there
	form  form
	of    func(r record) any // a value of the form, or nil
}

// Groups are the names that exportFieldGroups may have.
var Groups = []string{"core", "basic", "time", "io", "metadata", "model", "usage", "prompt", "metrics", "trace_context", "tools"}

// fieldsOf are the columns of files of a kind of rows, in order. The groups select among those of observations.
func fieldsOf(kind string, groups []string) []field {
	switch kind {
	case scores:
		return scoreFields
	case experiments:
		return experimentFields
	}
	if len(groups) == 0 {
		return observationFields
	}
	return slices.DeleteFunc(slices.Clone(observationFields), func(f field) bool {
		return f.group != "core" && !slices.Contains(groups, f.group)
	})
}

// onO makes a column of a function on observations, onS of one on scores.
func onO(of func(o *model.Observation) any) func(record) any {
	return func(r record) any { return of(r.observation) }
}

func onS(of func(s *model.Score) any) func(record) any {
	return func(r record) any { return of(r.score) }
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func at(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t
}

func finite(n float64) any {
	if math.IsNaN(n) || math.IsInf(n, 0) {
		return nil
	}
	return n
}

func amount(d decimal.NullDecimal) any {
	if !d.Valid {
		return nil
	}
	return d.Decimal
}

// seconds is the time from start to end with the precision of stored times.
func seconds(start, end time.Time) any {
	if end.IsZero() {
		return nil
	}
	return float64(end.Sub(start).Milliseconds()) / 1000
}

// encoded is any of our own values as JSON.
func encoded(value any) any {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(value) != nil {
		return nil // texts, numbers, lists and maps of them: never
	}
	return json.RawMessage(bytes.TrimRight(out.Bytes(), "\n"))
}

// parsed is text as JSON: as it is when it is JSON, else as a string.
func parsed(text string) any {
	switch {
	case text == "":
		return nil
	case json.Valid([]byte(text)):
		return json.RawMessage(text)
	}
	return encoded(text)
}

// metadata renders entries as a flat object in stored order. Values keep their type, whole.
func metadata(entries []model.MetadataEntry) any {
	out := []byte{'{'}
	for i, entry := range entries {
		if i > 0 {
			out = append(out, ',')
		}
		name, _ := encoded(entry.Name).(json.RawMessage)
		value, _ := metadataValue(entry).(json.RawMessage)
		out = append(append(append(out, name...), ':'), value...)
	}
	return json.RawMessage(append(out, '}'))
}

func metadataValue(entry model.MetadataEntry) any {
	switch entry.Type {
	case model.MetadataNull:
		return json.RawMessage("null")
	case model.MetadataNumber, model.MetadataBool, model.MetadataJSON:
		if json.Valid([]byte(entry.Value)) {
			return json.RawMessage(entry.Value)
		}
	case model.MetadataString:
	}
	return encoded(entry.Value)
}

// tooling renders tools as a list of their names and what is known of them.
func tooling(tools []model.Tooling) any {
	type tool struct {
		Name string `json:"name"`
		JSON any    `json:"json"`
	}
	list := make([]tool, len(tools))
	for i, t := range tools {
		list[i] = tool{t.Name, parsed(t.JSON)}
	}
	return encoded(list)
}

func costs(o *model.Observation) any {
	amounts := make(map[string]json.Number, len(o.CostDetails))
	for key, cost := range o.CostDetails {
		amounts[key] = json.Number(cost.String())
	}
	return encoded(amounts)
}

func usage(o *model.Observation) any {
	if o.UsageDetails == nil {
		return json.RawMessage("{}")
	}
	return encoded(o.UsageDetails)
}

// count is a number of tokens; more than a signed number holds were never counted.
func count(n uint64) any { return int64(min(n, math.MaxInt64)) }
