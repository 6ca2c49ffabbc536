package evaluation

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/sondehq/sonde/internal/model"
)

// verdict is what a judge answers.
type verdict struct {
	Reasoning string          `json:"reasoning"`
	Score     json.RawMessage `json:"score"`
}

// schema is the JSON schema of a verdict.
func (o *Output) schema() json.RawMessage {
	score := map[string]any{}
	switch o.DataType {
	case model.Boolean:
		score["type"] = "boolean"
	case model.Categorical:
		score["type"], score["enum"] = "string", o.Categories
		if o.multiple() {
			score = map[string]any{"type": "array", "items": score}
		}
	default:
		score["type"] = "number"
		if o.Min != nil {
			score["minimum"] = *o.Min
		}
		if o.Max != nil {
			score["maximum"] = *o.Max
		}
	}
	reasoning := map[string]any{"type": "string", "description": orElse(o.Reasoning, "Why this score, in one or two sentences")}
	score["description"] = orElse(o.Value, "The score")
	text, err := json.Marshal(map[string]any{
		"type": "object", "additionalProperties": false, "required": []string{"reasoning", "score"},
		"properties": map[string]any{"reasoning": reasoning, "score": score},
	})
	if err != nil {
		panic(err) // texts and numbers that were read from JSON
	}
	return text
}

func orElse(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

func (o *Output) multiple() bool { return o.Multiple != nil && *o.Multiple }

// read makes scores of a verdict. Some models put JSON into a fence, and some write beside it: what stands between the first and
// the last brace counts.
func (o *Output) read(text string) ([]Result, error) {
	begin, end := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}')
	var v verdict
	if begin < 0 || end < begin || json.Unmarshal([]byte(text[begin:end+1]), &v) != nil || v.Score == nil {
		return nil, fmt.Errorf("the model did not answer with reasoning and score: %s", cut(text, 200))
	}
	one := Result{Type: o.DataType, Comment: cut(v.Reasoning, maxComment)}
	if o.DataType == model.Categorical {
		return o.categories(v.Score, one)
	}
	one, err := one.withValue(v.Score)
	switch {
	case err != nil:
		return nil, fmt.Errorf("the score of the model %w", err)
	case o.Min != nil && one.Number < *o.Min || o.Max != nil && one.Number > *o.Max:
		return nil, fmt.Errorf("the score of the model, %v, is out of range", one.Number)
	}
	return []Result{one}, nil
}

func (o *Output) categories(raw json.RawMessage, one Result) ([]Result, error) {
	var names []string
	if o.multiple() {
		if err := json.Unmarshal(raw, &names); err != nil || len(names) == 0 {
			return nil, fmt.Errorf("the model gave no list of categories: %s", cut(string(raw), 200))
		}
	} else {
		var name string
		if err := json.Unmarshal(raw, &name); err != nil {
			return nil, fmt.Errorf("the model gave no category: %s", cut(string(raw), 200))
		}
		names = []string{name}
	}
	for _, name := range names {
		if !slices.Contains(o.Categories, name) {
			return nil, fmt.Errorf("the model gave the category %q, which is none of %s", cut(name, 100), strings.Join(o.Categories, ", "))
		}
	}
	slices.Sort(names)
	one.Text = strings.Join(slices.Compact(names), ", ")
	return []Result{one}, nil
}
