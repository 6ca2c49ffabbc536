package api_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"

	"github.com/sondehq/sonde/internal/api"
	"github.com/sondehq/sonde/internal/testkit"
)

func TestDescriptionIsServed(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, path := range []string{"/api/openapi.yaml", "/generated/api/openapi.yml"} {
		a := f.send(t, request("GET", path, "", nil))
		if a.status != http.StatusOK || a.body != string(api.Description("")) || a.header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s: status %d, %d bytes, %v", path, a.status, len(a.body), a.header)
		}
	}
}

func TestDescriptionHasEveryRoute(t *testing.T) {
	t.Parallel()
	var described, served []string
	document := testkit.LoadOpenAPI(t, api.Description("")).Document
	if document.Info.Version != api.CompatibleVersion {
		t.Errorf("described version %s, reported %s", document.Info.Version, api.CompatibleVersion)
	}
	for path, item := range document.Paths.Map() {
		for method, operation := range item.Operations() {
			described = append(described, method+" "+path)
			if operation.Summary == "" || operation.OperationID == "" || len(operation.Tags) != 1 {
				t.Errorf("%s %s needs a summary, an operationId and a tag", method, path)
			}
		}
	}
	for _, r := range api.Routes() {
		served = append(served, r.Method+" "+r.Path)
	}
	slices.Sort(described)
	slices.Sort(served)
	if diff := cmp.Diff(served, described); diff != "" {
		t.Errorf("routes (-served +described):\n%s", diff)
	}
}

// TestDescriptionIsClosed fails for a response object that lets unknown or missing keys pass.
func TestDescriptionIsClosed(t *testing.T) {
	t.Parallel()
	var document map[string]any
	if err := yaml.Unmarshal(api.Description(""), &document); err != nil {
		t.Fatal(err)
	}
	checked := 0
	walkResponses(document, func(at string, schema map[string]any) {
		checked++
		for _, problem := range openEnds(schema) {
			t.Errorf("%s %s", at, problem)
		}
	})
	if checked < 20 {
		t.Errorf("only %d response schemas were found", checked)
	}
}

func TestOpenEnds(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"{type: string}": 0,
		"{type: object, additionalProperties: false, required: [], properties: {}}":                 0,
		"{type: object, required: [a], properties: {a: {}}}":                                        1,
		"{type: object, additionalProperties: false, properties: {a: {}}}":                          1,
		"{type: object, properties: {a: {}}}":                                                       2,
		"{type: [object, \"null\"]}":                                                                2,
		"{properties: {a: {}}}":                                                                     2,
		"{type: object, additionalProperties: true, required: []}":                                  1,
		"{type: object, additionalProperties: {type: integer}}":                                     0,
		"{type: object, x-free-json: true}":                                                         0,
		"{type: object, additionalProperties: false, required: [b], properties: {a: {}}}":           1,
		"{type: object, additionalProperties: {type: integer}, properties: {a: {}}, required: [a]}": 1,
	} {
		var schema map[string]any
		if err := yaml.Unmarshal([]byte(text), &schema); err != nil {
			t.Fatal(err)
		}
		if got := openEnds(schema); len(got) != want {
			t.Errorf("%s: %q, want %d problems", text, got, want)
		}
	}
}

// openEnds says what a schema leaves open. Free JSON is marked by x-free-json; an object whose
// keys are data has a schema for their values.
func openEnds(schema map[string]any) (problems []string) {
	properties, hasProperties := schema["properties"].(map[string]any)
	isObject := hasProperties || strings.Contains(fmt.Sprint(schema["type"]), "object")
	if !isObject || schema["x-free-json"] == true {
		return nil
	}
	if _, isMap := schema["additionalProperties"].(map[string]any); isMap && !hasProperties {
		return nil
	}
	if schema["additionalProperties"] != false {
		problems = append(problems, "does not say additionalProperties: false")
	}
	required, ok := schema["required"].([]any)
	if !ok {
		problems = append(problems, "does not say which properties are required")
	}
	for _, name := range required {
		if _, ok := properties[fmt.Sprint(name)]; !ok {
			problems = append(problems, fmt.Sprintf("requires %v, which it does not describe", name))
		}
	}
	return problems
}

// walkResponses visits every schema that a response reaches: those of components, and those
// written in place. Schemas called SomethingBody are of requests, where keys that nobody knows are skipped.
func walkResponses(document map[string]any, visit func(at string, schema map[string]any)) {
	components := document["components"].(map[string]any)
	for name, schema := range components["schemas"].(map[string]any) {
		if !strings.HasSuffix(name, "Body") {
			walkSchema("schema "+name, schema, visit)
		}
	}
	for name, response := range components["responses"].(map[string]any) {
		walkContent("response "+name, response, visit)
	}
	for path, item := range document["paths"].(map[string]any) {
		for method, operation := range item.(map[string]any) {
			for status, response := range operation.(map[string]any)["responses"].(map[string]any) {
				walkContent(method+" "+path+" "+status, response, visit)
			}
		}
	}
}

func walkContent(at string, response any, visit func(string, map[string]any)) {
	content, _ := response.(map[string]any)["content"].(map[string]any)
	for _, media := range content {
		walkSchema(at, media.(map[string]any)["schema"], visit)
	}
}

func walkSchema(at string, node any, visit func(string, map[string]any)) {
	schema, ok := node.(map[string]any)
	if !ok {
		return
	}
	visit(at, schema)
	properties, _ := schema["properties"].(map[string]any)
	for name, property := range properties {
		walkSchema(at+"."+name, property, visit)
	}
	for _, keyword := range []string{"items", "additionalProperties", "not"} {
		walkSchema(at+"."+keyword, schema[keyword], visit)
	}
	for _, keyword := range []string{"oneOf", "anyOf", "allOf"} {
		list, _ := schema[keyword].([]any)
		for i, member := range list {
			walkSchema(fmt.Sprintf("%s.%s[%d]", at, keyword, i), member, visit)
		}
	}
}

// TestRecorderFinds proves that the recorder that checks all answers can find something.
func TestRecorderFinds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		target, contentType, body string
		status                    int
		want                      bool
	}{
		"fine":                 {"/api/public/projects", "application/json", `{"data":[{"id":"a","name":"b","organization":{"id":"c","name":"d"},"metadata":{}}]}`, 200, true},
		"a key too many":       {"/api/public/projects", "application/json", `{"data":[{"id":"a","name":"b","organization":{"id":"c","name":"d"},"metadata":{}, "x":1}]}`, 200, false},
		"a key too few":        {"/api/public/projects", "application/json", `{"data":[{"id":"a","organization":{"id":"c","name":"d"},"metadata":{}}]}`, 200, false},
		"no JSON":              {"/api/public/projects", "application/json", `{`, 200, false},
		"other type":           {"/api/public/projects", "text/html", `{}`, 200, false},
		"other status":         {"/api/public/projects", "application/json", `{"message":"x"}`, 418, false},
		"half a group":         {observations, "application/json", `{"data":[{"id":"a","traceId":null,"startTime":"2026-05-01T10:00:00.000Z","endTime":null,"projectId":"p","parentObservationId":null,"type":"SPAN","modelId":null,"inputPrice":null,"outputPrice":null,"totalPrice":null,"input":"x"}],"meta":{}}`, 200, false},
		"a date without zone":  {observations, "application/json", `{"data":[{"id":"a","traceId":null,"startTime":"2026-05-01T10:00:00","endTime":null,"projectId":"p","parentObservationId":null,"type":"SPAN","modelId":null,"inputPrice":null,"outputPrice":null,"totalPrice":null}],"meta":{}}`, 200, false},
		"an unknown path":      {"/nothing", "application/json", `{"message":"x","error":"y"}`, 404, true},
		"an unknown path, 200": {"/nothing", "application/json", `{"message":"x","error":"y"}`, 200, false},
		"an odd 404":           {"/nothing", "application/json", `{"message":"x"}`, 404, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report := &errorCounter{TB: t}
			handler := loadDescription().Handler(report, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("X-Request-Id", "1")
				w.Header().Set("Content-Type", c.contentType)
				w.WriteHeader(c.status)
				_, _ = w.Write([]byte(c.body))
			}))
			(&fixture{Handler: handler}).get(t, c.target)
			if (report.errors == 0) != c.want {
				t.Errorf("%d errors reported, fine is %v", report.errors, c.want)
			}
		})
	}
}

type errorCounter struct {
	testing.TB
	errors int
}

func (c *errorCounter) Errorf(string, ...any) { c.errors++ }
