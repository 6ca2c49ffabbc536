package otlptest

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/sondehq/sonde/internal/model"
)

func TestDiffFindsEveryKindOfDifference(t *testing.T) {
	t.Parallel()
	row := Of(&model.Observation{
		Name: "n", Input: `{"a": 1}`, UsageDetails: map[string]uint64{"input": 1, "total": 1},
		Metadata: []model.MetadataEntry{{Name: "k", Value: "1", Type: model.MetadataNumber}, {Name: "scope.name", Value: "s", Type: model.MetadataString}},
	})
	for name, c := range map[string]struct {
		want  Row
		found int
	}{
		"equal": {Row{
			"name": "n", "input": map[string]any{"a": 1.0}, "output": nil, "statusMessage": "<unset>", "traceName": "",
			"providedUsageDetails": map[string]any{"input": 1.0}, "usageDetails": map[string]any{"input": 1.0, "total": 1.0},
			"metadata": map[string]any{"k": 1.0}, "metadataBuckets": []any{[]any{"scope.name", "s"}},
			"metadataFlat": []any{[]any{"k", "1"}, []any{"scope.name", "s"}},
		}, 0},
		"text":           {Row{"name": "m"}, 1},
		"JSON":           {Row{"input": `{"a":2}`}, 1},
		"usage":          {Row{"providedUsageDetails": map[string]any{"input": 2.0}}, 1},
		"total":          {Row{"providedUsageDetails": map[string]any{"input": 1.0, "total": 2.0}}, 1},
		"metadata value": {Row{"metadata": map[string]any{"k": "1"}}, 1},
		"metadata type":  {Row{"metadata": []any{[]any{"k", 1.0, "string"}}}, 1},
		"metadata order": {Row{"metadataFlat": []any{[]any{"scope.name", "s"}, []any{"k", "1"}}}, 1},
		"bucket":         {Row{"metadataBuckets": []any{}}, 1},
		"unknown field":  {Row{"surprise": nil}, 1},
		"two":            {Row{"name": "m", "level": "ERROR"}, 2},
	} {
		if diff := Diff(c.want, row); len(diff) != c.found {
			t.Errorf("%s: %q", name, diff)
		}
	}
}

func TestEveryOverrideHasARow(t *testing.T) {
	t.Parallel()
	rows := map[[2]string]bool{}
	for _, c := range Captures() {
		if len(c.Bodies) == 0 {
			t.Errorf("capture %s has no body", c.Name)
		}
		for _, row := range c.Want {
			rows[[2]string{c.Name, row["id"].(string)}] = true
		}
	}
	for _, o := range captureOverrides {
		if !rows[[2]string{o.capture, o.id}] || o.reason == "" {
			t.Errorf("override of %s of row %s in %s has no row or no reason", o.key, o.id, o.capture)
		}
	}
	for _, o := range caseOverrides {
		if o.reason == "" {
			t.Errorf("override of case %s has no reason", o.id)
		}
	}
}

func TestAnswersCanBeCompared(t *testing.T) {
	t.Parallel()
	want := Row{
		"name": "n", "scopeName": "s", "input": "in", "providedUsageDetails": map[string]any{"input": 1.0},
		"metadata": map[string]any{"k": 1.0, "long": strings.Repeat("é", 201)},
	}
	var answer Row
	text := `{"name":"n","input":"in","output":null,"usageDetails":{"input":1,"total":1},` +
		`"metadata":{"scope.name":"s","k":1,"long":"` + strings.Repeat("é", 201) + `"}}`
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		t.Fatal(err)
	}
	if diff := Diff(want.Shown(), answer); diff != nil {
		t.Error(diff)
	}
	if long := want.LongMetadata(); !slices.Equal(long, []string{"long"}) {
		t.Errorf("long: %q", long)
	}
	answer["input"] = "other"
	if diff := Diff(want.Shown(), answer); len(diff) != 1 {
		t.Error(diff)
	}
	if shown := (Row{"metadata": []any{}}).Shown(); len(shown) != 0 {
		t.Error(shown)
	}
}
