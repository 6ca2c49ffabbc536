package tracestoretest

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/filter"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/tracestore"
)

// foreignConditions: what another project stores under the same ids changes no answer, by whatever column
// and operator one asks. The answers without it are those of a store in memory that never had it. A
// condition that looks at rows, traces or texts of all projects fails here.
func foreignConditions(t *testing.T, store Stores) {
	mine, theirs := newProject(), newProject()
	rows := []*model.Observation{newRow(mine, "t", "root", 0, asRoot), newRow(mine, "t", "child", 1), newRow(mine, "u", "single", 2, named("mine"))}
	alone := &Memory{}
	insert(t, alone, rows...)
	insert(t, store, rows...)
	insert(t, store, theirRow(theirs, "t", "root", asRoot), theirRow(theirs, "t", "child"), theirRow(theirs, "u", "single"))
	for _, c := range everyCondition(t) {
		q := tracestore.ObservationQuery{ProjectID: mine, Where: []filter.Condition{c}, Limit: everything}
		want, err := alone.Observations(t.Context(), q)
		if err != nil {
			t.Errorf("%#v: %v", c, err)
			continue
		}
		got, err := store.Observations(t.Context(), q)
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Errorf("%#v sees another project (-alone +got, %v):\n%s", c, err, diff)
		}
	}
}

// theirRow has the text "theirs" in every column that takes one, 7 in every number, and the key "theirs".
func theirRow(project, trace, id string, edits ...func(*model.Observation)) *model.Observation {
	const text = "theirs"
	o := newRow(project, trace, id, 0)
	o.Name, o.StatusMessage, o.Environment, o.CodeVersion, o.Release = text, text, text, text, text
	o.UserID, o.SessionID, o.TraceName, o.Tags = text, text, text, []string{text}
	o.Model, o.ModelID, o.PromptName, o.PromptVersion = text, text, text, 7
	o.EndTime, o.CompletionStartTime = o.StartTime.Add(7e9), o.StartTime.Add(7e9)
	o.UsageDetails = map[string]uint64{"input": 7, "output": 7, "total": 7}
	o.CostDetails = map[string]decimal.Decimal{"input": decimal.New(7, 0), "output": decimal.New(7, 0), "total": decimal.New(7, 0)}
	o.Input, o.Output = text, text
	o.Metadata = []model.MetadataEntry{{Name: text, Value: text, Type: model.MetadataString}, {Name: "number", Value: "7", Type: model.MetadataNumber}}
	o.ToolDefinitions, o.ToolCalls = []model.Tooling{{Name: text}}, []model.Tooling{{Name: text}}
	o.Experiment = &model.Experiment{ID: text, Name: text, DatasetID: text, ItemID: text, ItemRootID: id}
	for _, edit := range edits {
		edit(o)
	}
	return o
}

// alike are operators that differ from another one of their type in one word of their SQL.
var alike = []string{"starts with", "ends with", ">", "<", "<="}

// everyCondition has a condition for every column and type that clients can write, and all operators but
// those that are alike, with the values of theirRow.
func everyCondition(t *testing.T) []filter.Condition {
	t.Helper()
	values := map[string]any{
		"string": "theirs", "stringObject": "theirs", "stringOptions": []string{"theirs"}, "arrayOptions": []string{"theirs"},
		"number": 7, "numberObject": 7, "datetime": noon, "boolean": true, "null": nil,
	}
	keys := map[string]string{"stringObject": "theirs", "numberObject": "number"}
	var all []filter.Condition
	for _, field := range filter.Observations {
		for _, kind := range field.Types() {
			for _, operator := range field.Operators(kind) {
				if slices.Contains(alike, operator) && kind != "datetime" {
					continue
				}
				text, err := json.Marshal([]map[string]any{{"type": kind, "column": field.Column, "operator": operator, "key": keys[kind], "value": values[kind]}})
				if err != nil {
					t.Fatal(err)
				}
				parsed, err := filter.Parse(string(text), filter.Observations)
				if err != nil || len(parsed) != 1 {
					t.Fatal(fmt.Errorf("%s: %w", text, err))
				}
				all = append(all, parsed[0])
			}
		}
	}
	return all
}
