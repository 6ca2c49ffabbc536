package evaluation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/sondehq/sonde/internal/model"
)

func sortedKeys[T any](object map[string]T) []string { return slices.Sorted(maps.Keys(object)) }

// valueOf is a text as JSON, if it is some, else the text itself.
func valueOf(text string) any {
	trimmed := strings.TrimSpace(text)
	if trimmed == "" {
		return nil
	}
	decoder := json.NewDecoder(strings.NewReader(trimmed))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil || decoder.More() {
		return text
	}
	return value
}

// textOf is a value as a prompt shows it: a text as it is, everything else as JSON.
func textOf(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return ""
	}
	return strings.TrimSpace(out.String())
}

// metadataOf is metadata as an object. A name that is both a value and the beginning of others keeps its dots.
func metadataOf(entries []model.MetadataEntry) map[string]any {
	object := map[string]any{}
	for _, e := range entries {
		at, steps := object, strings.Split(e.Name, ".")
		for _, name := range steps[:len(steps)-1] {
			next, ok := at[name].(map[string]any)
			if !ok {
				if _, taken := at[name]; taken {
					at = nil
					break
				}
				next = map[string]any{}
				at[name] = next
			}
			at = next
		}
		last := steps[len(steps)-1]
		if at == nil {
			object[e.Name] = entryValue(e)
		} else if _, taken := at[last]; taken {
			object[e.Name] = entryValue(e)
		} else {
			at[last] = entryValue(e)
		}
	}
	return object
}

func entryValue(e model.MetadataEntry) any {
	switch e.Type {
	case model.MetadataNumber:
		return json.Number(e.Value)
	case model.MetadataBool:
		return e.Value == "true"
	case model.MetadataNull:
		return nil
	case model.MetadataJSON:
		return valueOf(e.Value)
	default:
		return e.Value
	}
}

// toolCalls lists what the model asked for.
func toolCalls(o *model.Observation) []any {
	list := []any{}
	for i, call := range o.ToolCalls {
		object := map[string]any{}
		if about, ok := valueOf(call.JSON).(map[string]any); ok {
			object = about
		}
		object["name"] = call.Name
		if _, ok := object["index"]; !ok {
			object["index"] = i
		}
		list = append(list, object)
	}
	return list
}

// sourceOf is the value that a mapping takes from a row.
func sourceOf(o *model.Observation, source string) any {
	switch source {
	case "input":
		return valueOf(o.Input)
	case "output":
		return valueOf(o.Output)
	case "metadata":
		return metadataOf(o.Metadata)
	case "tool_calls":
		return toolCalls(o)
	}
	if o.Experiment == nil {
		return nil
	}
	if source == "expected_output" {
		return valueOf(o.Experiment.ItemExpectedOutput)
	}
	return metadataOf(o.Experiment.ItemMetadata)
}

// mapped is the text of a variable.
func mapped(o *model.Observation, m Mapping) (string, error) {
	steps, err := parsePath(m.JSONPath)
	if err != nil {
		return "", fmt.Errorf("the path of %s %w", m.Variable, err)
	}
	value, ok := follow(sourceOf(o, m.Source), steps)
	if !ok {
		return "", fmt.Errorf("the variable %s finds nothing at %s in the %s of the observation", m.Variable, m.JSONPath, strings.ReplaceAll(m.Source, "_", " "))
	}
	return textOf(value), nil
}

// contextOf is what a program is given of a row.
func contextOf(o *model.Observation) ([]byte, error) {
	row := map[string]any{
		"id": o.ID, "traceId": o.TraceID, "parentObservationId": orNil(o.ParentID), "type": o.Type, "name": o.Name, "level": o.Level,
		"statusMessage": orNil(o.StatusMessage), "environment": o.Environment, "startTime": isoTime(o.StartTime), "endTime": isoTime(o.EndTime),
		"userId": orNil(o.UserID), "sessionId": orNil(o.SessionID), "traceName": orNil(o.TraceName), "tags": append([]string{}, o.Tags...),
		"model": orNil(o.Model), "usageDetails": o.UsageDetails, "input": valueOf(o.Input), "output": valueOf(o.Output),
		"metadata": metadataOf(o.Metadata), "toolCalls": toolCalls(o),
	}
	given := map[string]any{"observation": row, "experiment": nil}
	if e := o.Experiment; e != nil {
		given["experiment"] = map[string]any{
			"id": e.ID, "name": e.Name, "datasetId": orNil(e.DatasetID), "itemId": orNil(e.ItemID),
			"itemExpectedOutput": valueOf(e.ItemExpectedOutput), "itemMetadata": metadataOf(e.ItemMetadata),
		}
	}
	return json.Marshal(given)
}

func orNil(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func isoTime(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}
