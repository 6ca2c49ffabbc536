package filter_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/filter"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// uiTestdata is where the query language of the Web UI keeps what both sides must agree on.
const uiTestdata = "../../ui/src/shared/filter/testdata"

type uiField struct {
	Column   filter.Column `json:"column"`
	Kind     string        `json:"kind"`
	Nullable bool          `json:"nullable,omitempty"`
	Values   []string      `json:"values,omitempty"`
	Aliases  []string      `json:"aliases,omitempty"`
	// Operators that each type of condition may have on the column.
	Operators map[string][]string `json:"operators"`
}

var kindNames = map[filter.Kind]string{
	filter.KindText: "text", filter.KindList: "list", filter.KindNumber: "number", filter.KindTime: "time",
	filter.KindBool: "bool", filter.KindPayload: "payload", filter.KindMetadata: "metadata", filter.KindConfig: "config",
}

// The Web UI completes and checks queries by the catalogs as they are here.
func TestCatalogsOfTheUI(t *testing.T) {
	t.Parallel()
	for file, catalog := range map[string]filter.Catalog{"catalog.json": filter.Observations, "scores.json": filter.Scores} {
		fields := make([]uiField, len(catalog))
		for i, f := range catalog {
			fields[i] = uiField{f.Column, kindNames[f.Kind], f.Nullable, f.Values, f.Aliases, map[string][]string{}}
			for _, kind := range f.Types() {
				fields[i].Operators[kind] = f.Operators(kind)
			}
		}
		got, err := json.MarshalIndent(fields, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, '\n')
		golden := filepath.Join(uiTestdata, file)
		if *update {
			if err := os.WriteFile(golden, got, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("the catalog has changed; run this test with -update (-want +got):\n%s", diff)
		}
	}
}

// What the Web UI makes of a query is a filter that the API takes.
func TestQueriesOfTheUI(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(uiTestdata, "queries.json"))
	if err != nil {
		t.Fatal(err)
	}
	var queries []struct {
		Query  string            `json:"q"`
		Filter []json.RawMessage `json:"filter"`
	}
	if err := json.Unmarshal(text, &queries); err != nil || len(queries) == 0 {
		t.Fatalf("%d queries (%v)", len(queries), err)
	}
	for _, q := range queries {
		got, err := filter.ParseConditions(q.Filter, "filter", filter.Observations)
		if err != nil || len(got) != len(q.Filter) {
			t.Errorf("%s gives %d conditions of %d: %v", q.Query, len(got), len(q.Filter), err)
		}
	}
}
