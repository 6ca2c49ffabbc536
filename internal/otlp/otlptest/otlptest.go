// Package otlptest holds the golden data of the mapping from spans to observations: cases of single
// spans, and bodies recorded from real clients with the rows they must become. It says which
// recorded expectations the contract overrides, and compares rows in a neutral form, so that the
// mapping and the API can be held against the same data.
package otlptest

import (
	"embed"
	"encoding/json"
	"fmt"
	"time"

	"github.com/sondehq/sonde/internal/model"
)

//go:embed testdata
var files embed.FS

// Row is an observation in a neutral form: the fields of the v2 API under their names there, and
// what the API does not show under names of their own. JSON text stays text, numbers are float64,
// times are text with milliseconds. metadata maps the path of a leaf to its value; metadataFlat
// lists name, value and type of every leaf in order.
type Row map[string]any

// Of makes a row of an observation.
func Of(o *model.Observation) Row {
	r := Row{
		"traceId": o.TraceID, "id": o.ID, "parentObservationId": o.ParentID,
		"type": string(o.Type), "name": o.Name, "level": string(o.Level), "statusMessage": o.StatusMessage,
		"startTime": stamp(o.StartTime), "endTime": stamp(o.EndTime), "completionStartTime": stamp(o.CompletionStartTime),
		"environment": o.Environment, "version": o.CodeVersion, "release": o.Release,
		"userId": o.UserID, "sessionId": o.SessionID, "traceName": o.TraceName, "tags": list(o.Tags),
		"public": o.Public, "isAppRoot": o.AppRoot, "isRootObservation": o.Root(),
		"input": o.Input, "output": o.Output,
		"model": o.Model, "modelParameters": o.ModelParameters,
		"promptName": o.PromptName, "promptVersion": orNil(float64(o.PromptVersion), o.PromptVersion != 0),
		"scopeName": o.ScopeName, "scopeVersion": o.ScopeVersion, "serviceName": o.ServiceName,
	}
	usage, cost := map[string]any{}, map[string]any{}
	for k, v := range o.UsageDetails {
		usage[k] = float64(v)
	}
	for k, v := range o.CostDetails {
		cost[k] = v.InexactFloat64()
	}
	r["usageDetails"], r["costDetails"] = usage, cost
	r["metadata"], r["metadataFlat"] = leaves(o.Metadata)
	r.addTools(o)
	r.addExperiment(o.Experiment)
	return r
}

func (r Row) addTools(o *model.Observation) {
	definitions := map[string]any{}
	for _, d := range o.ToolDefinitions {
		definitions[d.Name] = d.JSON
	}
	var calls, names []any
	for _, c := range o.ToolCalls {
		calls, names = append(calls, c.JSON), append(names, c.Name)
	}
	r["toolDefinitions"], r["toolCalls"], r["toolCallNames"] = definitions, calls, names
}

func (r Row) addExperiment(e *model.Experiment) {
	if e == nil {
		e = &model.Experiment{}
	}
	r["experimentId"], r["experimentName"], r["experimentDescription"] = e.ID, e.Name, e.Description
	r["experimentDatasetId"], r["experimentItemId"] = e.DatasetID, e.ItemID
	r["experimentItemRootSpanId"], r["experimentItemExpectedOutput"] = e.ItemRootID, e.ItemExpectedOutput
	r["experimentItemVersion"] = stamp(e.ItemVersion)
	r["experimentMetadata"], _ = leaves(e.Metadata)
	r["experimentItemMetadata"], _ = leaves(e.ItemMetadata)
}

// leaves gives metadata by path, and in order.
func leaves(entries []model.MetadataEntry) (byPath map[string]any, flat []any) {
	byPath = map[string]any{}
	for _, e := range entries {
		byPath[e.Name] = leaf(e)
		flat = append(flat, []any{e.Name, e.Value, typeWords[e.Type]})
	}
	return byPath, flat
}

var typeWords = map[model.MetadataType]string{
	model.MetadataString: "string", model.MetadataNumber: "number", model.MetadataBool: "boolean",
	model.MetadataNull: "null", model.MetadataJSON: "array",
}

// leaf is what a leaf means in JSON.
func leaf(e model.MetadataEntry) any {
	if e.Type == model.MetadataString {
		return e.Value
	}
	var v any
	if err := json.Unmarshal([]byte(e.Value), &v); err != nil {
		return fmt.Sprintf("not JSON: %s", e.Value)
	}
	return v
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}

func list(texts []string) []any {
	var out []any
	for _, x := range texts {
		out = append(out, x)
	}
	return out
}

func orNil(v any, ok bool) any {
	if !ok {
		return nil
	}
	return v
}

// load reads a golden file; golden data that cannot be read is a broken build.
func load(name string, into any) {
	data, err := files.ReadFile("testdata/" + name)
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		panic(fmt.Sprintf("golden file %s: %v", name, err))
	}
}
