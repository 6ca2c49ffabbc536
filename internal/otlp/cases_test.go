package otlp

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/model"
)

// pendingCases are the golden cases whose conventions are not mapped yet. A case that begins to
// pass must leave this list, and no case may come back to it.
var pendingCases = map[string]string{
	"M33": "AI SDK names", "M47": "AI SDK", "M48": "AI SDK", "M107": "AI SDK usage", "M116": "AI SDK prompt",
	"M35": "Genkit", "M36": "LiveKit", "M37": "LiveKit", "M40": "Flue", "M89": "Google ADK", "M110": "Google ADK",
	"M81": "events", "M82": "events", "M83": "events",
	"M84": "indexed keys", "M85": "indexed keys", "M86": "indexed keys", "M95": "indexed keys",
	"M87": "system instructions", "M92": "Pydantic AI", "M93": "Logfire",
	"M97": "gen_ai.request.*", "M99": "llm.invocation_parameters", "M118": "time to first chunk",
	"M101": "OpenAI usage", "M102": "OpenAI usage", "M104": "gen_ai.usage.*", "M105": "llm.token_count.*",
	"M106": "gen_ai.usage.*", "M112": "gen_ai.usage.cost", "M113": "llm.cost.total",
	"M119": "tools", "M120": "tools", "M121": "tools", "M122": "experiments", "M123": "experiments",
}

// passingCases is how many golden cases pass; it only ever rises.
const passingCases = 87

type mappingCase struct {
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Spans    json.RawMessage `json:"resourceSpans"`
	Observed map[string]any  `json:"observed_v4_16"`
	Contract struct {
		Expected map[string]any `json:"expected"`
	} `json:"contract"`
}

// expected is what the reference does, overridden by what the contract asks for.
func (c mappingCase) expected() map[string]any {
	want := map[string]any{}
	maps.Copy(want, c.Observed)
	maps.Copy(want, c.Contract.Expected)
	if _, ok := want["metadata"]; ok {
		delete(want, "metadataFlat") // the typed form says more
	}
	delete(want, "note")
	return want
}

func TestMappingCases(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/mapping_cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []mappingCase
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	passed := 0
	for _, c := range cases {
		row := mapAll(t, parseJSON(t, object{"resourceSpans": c.Spans}))[0]
		diff := caseDiff(row, c.expected())
		_, pending := pendingCases[c.ID]
		switch {
		case diff == "" && pending:
			t.Errorf("%s (%s) passes now: take it off the list of pending cases", c.ID, c.Name)
		case diff != "" && !pending:
			t.Errorf("%s (%s):\n%s", c.ID, c.Name, diff)
		}
		if diff == "" {
			passed++
		}
	}
	t.Logf("%d of %d golden cases pass", passed, len(cases))
	if passed < passingCases {
		t.Errorf("%d golden cases pass, %d did before", passed, passingCases)
	}
}

// caseDiff compares a row with what a case expects of some of its fields.
func caseDiff(o *model.Observation, want map[string]any) string {
	got := map[string]any{}
	expected := map[string]any{}
	for k, v := range want {
		field := caseField(o, k)
		if details, ok := field.(map[string]any); ok && !hasTotal(v) {
			delete(details, total) // the server added it to what was provided
		}
		got[k] = normal(field)
		expected[k] = normal(v)
		if list, ok := v.([]any); ok && k == "metadata" {
			got[k], expected[k] = typedMetadata(o, list), list
		}
	}
	return cmp.Diff(expected, got)
}

func hasTotal(v any) bool {
	details, ok := v.(map[string]any)
	return ok && details[total] != nil
}

// typedMetadata gives the leaves a case names, in its notation: name, value, sometimes the type.
func typedMetadata(o *model.Observation, want []any) []any {
	var got []any
	for _, w := range want {
		leaf := w.([]any)
		for _, e := range o.Metadata {
			if e.Name != leaf[0] {
				continue
			}
			g := []any{e.Name, leafValue(e)}
			if len(leaf) == 3 {
				g = append(g, typeWords[e.Type])
			}
			got = append(got, g)
		}
	}
	return got
}

var typeWords = map[model.MetadataType]string{
	model.MetadataString: "string", model.MetadataNumber: "number", model.MetadataBool: "boolean",
	model.MetadataNull: "null", model.MetadataJSON: "array",
}

// leafValue is what a leaf means in JSON.
func leafValue(e model.MetadataEntry) any {
	if e.Type == model.MetadataString {
		return e.Value
	}
	var v any
	if err := json.Unmarshal([]byte(e.Value), &v); err != nil {
		return fmt.Sprintf("not JSON: %s", e.Value)
	}
	return v
}

// normal makes the ways of saying nothing equal, and JSON text equal to its meaning.
func normal(v any) any {
	switch x := v.(type) {
	case string:
		var parsed any
		if err := json.Unmarshal([]byte(x), &parsed); err == nil {
			return parsed
		}
		if x == "" || x == "<unset>" {
			return nil
		}
	case map[string]any:
		if len(x) == 0 {
			return nil
		}
	case []any:
		if len(x) == 0 {
			return nil
		}
	}
	return v
}

// caseField gives a field under the name the cases use for it.
func caseField(o *model.Observation, name string) any {
	switch name {
	case "traceId":
		return o.TraceID
	case "spanId", "id":
		return o.ID
	case "parentSpanId", "parentObservationId":
		return o.ParentID
	case "type":
		return string(o.Type)
	case "name":
		return o.Name
	case "level":
		return string(o.Level)
	case "statusMessage":
		return o.StatusMessage
	case "startTimeISO", "startTime":
		return isoTime(o.StartTime)
	case "endTimeISO", "endTime":
		return isoTime(o.EndTime)
	case "completionStartTime":
		return isoTime(o.CompletionStartTime)
	case "isAppRoot":
		return o.AppRoot
	case "isRootObservation":
		return o.Root()
	case "public":
		return o.Public
	}
	return caseText(o, name)
}

func caseText(o *model.Observation, name string) any {
	switch name {
	case "environment":
		return o.Environment
	case "version":
		return o.CodeVersion
	case "release":
		return o.Release
	case "userId":
		return o.UserID
	case "sessionId":
		return o.SessionID
	case "traceName":
		return o.TraceName
	case "tags":
		return anyList(o.Tags)
	case "input":
		return o.Input
	case "output":
		return o.Output
	case "modelName", "model":
		return o.Model
	case "modelParameters":
		return o.ModelParameters
	case "scopeName":
		return o.ScopeName
	case "scopeVersion":
		return o.ScopeVersion
	case "serviceName":
		return o.ServiceName
	}
	return caseDetails(o, name)
}

func caseDetails(o *model.Observation, name string) any {
	switch name {
	case "promptName":
		return o.PromptName
	case "promptVersion":
		if o.PromptVersion == 0 {
			return nil
		}
		return float64(o.PromptVersion)
	case "usageDetails":
		m := map[string]any{}
		for k, v := range o.UsageDetails {
			m[k] = float64(v)
		}
		return m
	case "providedUsageDetails", "providedCostDetails":
		return provided(o, name)
	case "metadataFlat":
		var flat []any
		for _, e := range o.Metadata {
			flat = append(flat, []any{e.Name, e.Value})
		}
		return flat
	}
	return "no such field yet: " + name
}

func provided(o *model.Observation, name string) map[string]any {
	m := map[string]any{}
	if name == "providedUsageDetails" {
		for k, v := range o.UsageDetails {
			m[k] = float64(v)
		}
		return m
	}
	for k, v := range o.CostDetails {
		m[k] = v.InexactFloat64()
	}
	return m
}

func anyList(s []string) []any {
	var out []any
	for _, x := range s {
		out = append(out, x)
	}
	return out
}

func isoTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format("2006-01-02T15:04:05.000Z")
}
