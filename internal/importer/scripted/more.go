package scripted

import (
	"fmt"
	"maps"
	"strconv"
	"time"
)

// Sizes of what there is beside rows.
const (
	Items    = 130
	RunItems = 40
	// Versions are those of all prompts; one in the middle was deleted.
	Versions = 5
	Models   = 1
	Configs  = 3
	Datasets = 2
)

const runName = "first try / 100%"

func (d *Data) scoreTime(k int) time.Time { return d.At(k * perTrace).Add(time.Second) }

// score is a score in the older shape, with every kind of value and subject in turn.
func (d *Data) score(k int) map[string]any {
	s := map[string]any{
		"id": fmt.Sprintf("score-%07d", k), "projectId": "source", "name": "quality", "source": []string{"API", "EVAL"}[k%2], "timestamp": stamp(d.scoreTime(k)),
		"environment": "production", "comment": nil, "configId": nil, "queueId": nil, "authorUserId": nil, "metadata": map[string]any{"judge": k % 3},
		"traceId": d.TraceID(k), "observationId": nil, "sessionId": nil, "datasetRunId": nil, "stringValue": nil,
		"createdAt": stamp(d.scoreTime(k)), "updatedAt": stamp(d.scoreTime(k)),
	}
	switch k % 6 {
	case 0:
		s["dataType"], s["value"], s["observationId"] = "NUMERIC", float64(k%100)/100, d.ObservationID(k*perTrace)
	case 1:
		s["dataType"], s["value"], s["stringValue"] = "BOOLEAN", k%4/2, []string{"False", "True"}[k%4/2]
	case 2:
		s["name"], s["dataType"], s["value"], s["stringValue"], s["configId"] = "tone", "CATEGORICAL", 1, "kind", "config-tone"
	case 3:
		s["name"], s["dataType"], s["value"], s["configId"], s["source"] = "stars", "NUMERIC", 1+k%5, "config-stars", "ANNOTATION"
	case 4:
		s["dataType"], s["value"], s["stringValue"], s["comment"] = "TEXT", 0, "a note", "by hand"
	case 5:
		s["dataType"], s["value"], s["traceId"] = "NUMERIC", 0.5, nil
		if k%12 == 5 {
			s["sessionId"] = fmt.Sprintf("session-%d", k/8)
		} else {
			s["datasetRunId"] = "run-1"
		}
	}
	return s
}

// newerScore is a score in the newer shape.
func newerScore(s map[string]any) map[string]any {
	switch {
	case s["datasetRunId"] != nil:
		s["subject"] = map[string]any{"kind": "experiment", "id": s["datasetRunId"]}
	case s["observationId"] != nil:
		s["subject"] = map[string]any{"kind": "observation", "id": s["observationId"], "traceId": s["traceId"]}
	case s["sessionId"] != nil:
		s["subject"] = map[string]any{"kind": "session", "id": s["sessionId"]}
	default:
		s["subject"] = map[string]any{"kind": "trace", "id": s["traceId"]}
	}
	switch s["dataType"] {
	case "BOOLEAN":
		s["value"] = s["value"] == 1
	case "CATEGORICAL", "TEXT":
		s["value"] = s["stringValue"]
	}
	for _, name := range []string{"traceId", "observationId", "sessionId", "datasetRunId", "stringValue"} {
		delete(s, name)
	}
	return s
}

func configs() []map[string]any {
	config := func(id, name, dataType string, more map[string]any) map[string]any {
		c := map[string]any{"id": id, "projectId": "source", "name": name, "dataType": dataType, "isArchived": false, "description": nil, "minValue": nil, "maxValue": nil, "categories": nil}
		maps.Copy(c, more)
		return c
	}
	return []map[string]any{
		config("config-tone", "tone", "CATEGORICAL", map[string]any{"categories": []any{map[string]any{"label": "rude", "value": 0}, map[string]any{"label": "kind", "value": 1}}}),
		config("config-stars", "stars", "NUMERIC", map[string]any{"minValue": 1, "maxValue": 5, "isArchived": true}),
		config("config-right", "right", "BOOLEAN", map[string]any{"categories": []any{map[string]any{"label": "True", "value": 1}, map[string]any{"label": "False", "value": 0}}}),
	}
}

func models() []map[string]any {
	return []map[string]any{
		{"id": "built-in", "modelName": "gpt-4o", "matchPattern": "(?i)^gpt-4o$", "unit": "TOKENS", "isLangfuseManaged": true, "prices": map[string]any{}},
		{
			"id": "own-model", "modelName": "house-7b", "matchPattern": "(?i)^house-7b$", "unit": "TOKENS", "isLangfuseManaged": false, "startDate": nil, "inputPrice": 0.000001,
			"outputPrice": 0.000002, "totalPrice": nil, "tokenizerId": nil, "tokenizerConfig": nil, "prices": map[string]any{"input": map[string]any{"price": 0.000001}},
			"pricingTiers": []any{map[string]any{
				"id": "tier-1", "name": "Standard", "isDefault": true, "priority": 0, "conditions": []any{},
				"prices": map[string]any{"input": 0.000001, "output": 0.000002},
			}},
		},
	}
}

// prompts are by name and version. One includes another that comes later in the list, and one lost a version.
var prompts = map[string]map[int]map[string]any{
	"a/nested greeting": {1: {"type": "text", "prompt": "@@@langfusePrompt:name=greeting|label=production@@@ and more", "labels": []string{"production", "latest"}}},
	"greeting": {
		1: {"type": "text", "prompt": "Hi {{name}}", "labels": []string{"old"}},
		3: {"type": "text", "prompt": "Hello {{name}} <&>", "labels": []string{"production", "latest"}, "commitMessage": "kinder"},
	},
	"talk": {
		1: {"type": "chat", "prompt": []any{map[string]any{"role": "system", "content": "Be brief."}, map[string]any{"type": "placeholder", "name": "history"}}, "labels": []string{"production"}},
		2: {"type": "chat", "prompt": []any{map[string]any{"role": "system", "content": "Be kind."}}, "labels": []string{"latest"}, "config": map[string]any{"temperature": 0.1}},
	},
}

func datasetRows() []map[string]any {
	return []map[string]any{
		{"id": "ds-1", "name": "questions/daily", "description": "asked every day", "metadata": map[string]any{"owner": "support"}, "inputSchema": nil, "expectedOutputSchema": nil},
		{"id": "ds-2", "name": "empty", "description": nil, "metadata": nil, "inputSchema": nil, "expectedOutputSchema": nil},
	}
}

func datasetItem(i int) map[string]any {
	item := map[string]any{
		"id": fmt.Sprintf("item-%03d", i), "datasetId": "ds-1", "datasetName": "questions/daily", "status": "ACTIVE", "input": map[string]any{"q": i}, "expectedOutput": strconv.Itoa(i * i),
		"metadata": nil, "sourceTraceId": nil, "sourceObservationId": nil, "mediaReferences": []any{},
	}
	if i == Items { // only the run knows it
		item["status"] = "ARCHIVED"
	}
	return item
}

// runItem is the run of an item by the first observation of a trace. The last one ran an item that is archived now.
func (d *Data) runItem(i int) map[string]any {
	at := i
	if i == RunItems-1 {
		at = Items
	}
	k := i % d.Traces()
	return map[string]any{
		"id": fmt.Sprintf("run-item-%d", i), "datasetRunId": "run-1", "datasetRunName": runName, "datasetItemId": fmt.Sprintf("item-%03d", at),
		"traceId": d.TraceID(k), "observationId": d.ObservationID(k * perTrace),
	}
}
