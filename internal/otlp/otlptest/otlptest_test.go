package otlptest

import (
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
		"name": "n", "model": "m", "scopeName": "s", "input": "in", "providedUsageDetails": map[string]any{"input": 1.0}, "providedCostDetails": nil,
		"metadata": map[string]any{"k": 1.0, "long": strings.Repeat("é", 201)}, "toolCallNames": []any{"t"}, "experimentId": "e",
	}
	text := `{"name":"n","model":"m","input":"in","output":null,"usageDetails":{"input":1,"total":1},` +
		`"metadata":{"scope.name":"s","k":1,"long":"` + strings.Repeat("é", 201) + `"}}`
	answer, err := Answer([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	shown, hidden := want.Split()
	if len(hidden) != 3 || len(shown)+len(hidden) != len(want) {
		t.Errorf("hidden: %v", hidden)
	}
	if diff := Diff(shown, answer); diff != nil {
		t.Error(diff)
	}
	ordered := Row{"metadataFlat": []any{[]any{"scope.name", "s"}, []any{"k", "1"}, []any{"long", strings.Repeat("é", 201)}}}
	if diff := Diff(ordered, answer); diff != nil {
		t.Error(diff)
	}
	if long := want.LongMetadata(); !slices.Equal(long, []string{"long"}) {
		t.Errorf("long: %q", long)
	}
	answer["input"] = "other"
	if diff := Diff(shown, answer); len(diff) != 1 {
		t.Error(diff)
	}
}

func TestTracesLendToWantedRows(t *testing.T) {
	t.Parallel()
	rows := []Row{
		{"traceId": "t", "id": "c", "parentObservationId": "r", "startTime": "1", "name": "early", "userId": "u", "traceName": ""},
		{"traceId": "t", "id": "d", "parentObservationId": "r", "startTime": "2", "userId": "", "tags": []any{}, "traceName": "own", "release": "1"},
		{"traceId": "t", "id": "r", "startTime": "3", "name": "root", "tags": []any{"x"}, "traceName": ""},
		{"traceId": "other", "id": "o", "userId": ""},
	}
	Inherit(rows)
	for i, want := range []Row{
		{"userId": "u", "traceName": "root"},
		{"userId": "u", "tags": []any{"x"}, "traceName": "own", "release": "1"},
		{"tags": []any{"x"}, "traceName": "root"},
		{"userId": ""},
	} {
		if diff := Diff(want, rows[i]); diff != nil {
			t.Errorf("row %d: %s", i, diff)
		}
	}
	if _, wanted := rows[0]["release"]; wanted {
		t.Error("a field is wanted that was not")
	}
}

func TestEveryGoldenValueIsCounted(t *testing.T) {
	t.Parallel()
	count := func(convention string, row Row) {
		if !slices.Contains(Conventions, convention) {
			t.Errorf("convention %q is not in the list", convention)
		}
		for field := range row {
			if column := Column(field); !slices.Contains(Columns, column) {
				t.Errorf("column %q is not in the list", column)
			}
		}
	}
	for _, c := range Cases() {
		count(c.Convention(), c.Want)
	}
	for _, c := range UsageCases() {
		count(c.Convention(), nil)
	}
	for _, c := range Captures() {
		if len(c.Headers) == 0 {
			t.Errorf("capture %s has no headers", c.Name)
		}
		for _, row := range c.Want {
			count(row.Convention(), row)
		}
	}
}
