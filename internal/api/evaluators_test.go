package api_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/evaluation"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/sandbox"
)

const (
	evaluatorsPath = "/api/public/v2/evaluators"
	rulesPath      = "/api/public/v2/evaluation-rules"
	trialsPath     = "/api/public/v2/evaluator-trials"
)

// interpreter is shared: it is compiled when the first evaluator is.
var interpreter = sync.OnceValue(func() *sandbox.Sandbox { return sandbox.New(sandbox.Limits{}) })

// judge reaches the provider "mine" only.
type judge struct{}

func (judge) Ready(_ context.Context, _ string, c *evaluation.ModelConfig) error {
	if c == nil || c.Provider != "mine" {
		return fault.New(fault.Precondition, "no model connection")
	}
	return nil
}

func (judge) Complete(_ context.Context, c evaluation.Completion) (evaluation.Answer, error) {
	return evaluation.Answer{Text: fmt.Sprintf(`{"reasoning":"%d bytes","score":0.5}`, len(c.Messages[0].Content)), Cost: "0.001"}, nil
}

const lengthEvaluator = `{"type":"code","name":" Length ","description":null,"sourceCode":"function evaluate(ctx: any) { return { scores: [{ name: 'length', value: String(ctx.observation.output).length }] } }","sourceCodeLanguage":"TYPESCRIPT"}`

// newLengthEvaluator makes an evaluator of project A.
func newLengthEvaluator(t *testing.T, f *fixture) (made map[string]any, path string) {
	t.Helper()
	status, made := f.callStatus(t, "POST", evaluatorsPath, keyA, lengthEvaluator)
	if status != http.StatusCreated || made["name"] != "Length" || fmt.Sprint(made["version"]) != "1" || made["status"] != "active" || made["description"] != nil {
		t.Fatalf("%d %v", status, made)
	}
	return made, evaluatorsPath + "/" + fmt.Sprint(made["id"])
}

func TestVersionsOfEvaluators(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	made, one := newLengthEvaluator(t, f)
	_, described := f.callStatus(t, "PATCH", one, keyA, `{"description":"counts"}`)
	if fmt.Sprint(described["version"]) != "1" || described["description"] != "counts" {
		t.Errorf("a new description made %v", described)
	}
	status, changed := f.callStatus(t, "PATCH", one, keyA, `{"type":"code","sourceCode":"const evaluate = () => true","sourceCodeLanguage":"TYPESCRIPT"}`)
	if status != http.StatusOK || fmt.Sprint(changed["version"]) != "2" || changed["id"] != made["id"] || changed["versionId"] == made["versionId"] || changed["description"] != "counts" {
		t.Errorf("%d %v", status, changed)
	}
	_, versions := f.callStatus(t, "GET", one+"/versions?limit=1", keyA, "")
	meta, _ := versions["meta"].(map[string]any)
	_, older := f.callStatus(t, "GET", one+"/versions?limit=1&cursor="+fmt.Sprint(meta["cursor"]), keyA, "")
	list, _ := older["data"].([]any)
	if first, _ := list[0].(map[string]any); len(list) != 1 || fmt.Sprint(first["version"]) != "1" || first["id"] != made["versionId"] {
		t.Errorf("the second page of versions: %v", older)
	}
}

func TestPausedAndDeletedEvaluators(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	made, one := newLengthEvaluator(t, f)
	_, paused := f.callStatus(t, "PATCH", one, keyA, `{"status":"paused"}`)
	_, again := f.callStatus(t, "PATCH", one, keyA, `{"status":"active"}`)
	if paused["status"] != "paused" || paused["pausedAt"] == nil || again["status"] != "active" || again["pausedAt"] != nil {
		t.Errorf("paused %v, then %v", paused, again)
	}
	for _, method := range []string{"GET", "DELETE"} {
		if status, got := f.callStatus(t, method, one, keyB, ""); status != http.StatusNotFound || got["code"] != "resource_not_found" {
			t.Errorf("%s of another project: %d %v", method, status, got)
		}
	}
	if status, got := f.callStatus(t, "DELETE", one, keyA, ""); status != http.StatusOK || got["id"] != made["id"] {
		t.Errorf("delete: %d %v", status, got)
	}
}

func TestRefusedEvaluators(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	judged := func(more string) string {
		return `{"type":"llm_as_judge","name":"j","prompt":"Rate {{output}}","modelConfig":{"provider":"mine","model":"m"},` + more + `}`
	}
	numeric := `"outputDefinition":{"dataType":"NUMERIC"}`
	for body, want := range map[string]string{
		`{}`: "400 invalid_body", `null`: "400 invalid_body", `{"type":"code","name":"x"}`: "400 invalid_body",
		`{"type":"planet","name":"x"}`: "400 invalid_body", strings.Replace(lengthEvaluator, " Length ", " ", 1): "400 invalid_body",
		strings.Replace(lengthEvaluator, "TYPESCRIPT", "PYTHON", 1):          "412 invalid_request",
		strings.Replace(lengthEvaluator, "function", "function function", 1): "412 invalid_request",
		strings.Replace(lengthEvaluator, `"code"`, `"llm_as_judge"`, 1):      "400 invalid_body",
		judged(numeric): "201 ", strings.Replace(judged(numeric), "mine", "yours", 1): "412 invalid_request",
		judged(`"outputDefinition":{"dataType":"NUMERIC","minValue":2,"maxValue":1}`):                  "400 invalid_body",
		judged(`"outputDefinition":{"dataType":"CATEGORICAL","categories":["a"]}`):                     "400 invalid_body",
		judged(`"variableMapping":[{"variable":"none","source":"input"}],` + numeric):                  "400 invalid_body",
		judged(`"variableMapping":[{"variable":"output","source":"sky"}],` + numeric):                  "400 invalid_body",
		judged(`"variableMapping":[{"variable":"output","source":"input","jsonPath":"x"}],` + numeric): "400 invalid_body",
	} {
		status, got := f.callStatus(t, "POST", evaluatorsPath, keyA, body)
		code, _ := got["code"].(string)
		if fmt.Sprint(status, " ", code) != want {
			t.Errorf("%.120s: %d %v, want %s", body, status, got, want)
		}
	}
	for target, want := range map[string]string{"?limit=0": "400 invalid_query", "?cursor=%25": "400 invalid_query", "/none": "404 resource_not_found"} {
		status, got := f.callStatus(t, "GET", evaluatorsPath+target, keyA, "")
		if fmt.Sprint(status, " ", got["code"]) != want {
			t.Errorf("%s: %d %v", target, status, got)
		}
	}
	if status, got := f.callStatus(t, "GET", evaluatorsPath, "", ""); status != http.StatusUnauthorized || got["code"] != "authentication_failed" {
		t.Errorf("without a key: %d %v", status, got)
	}
	if status, got := f.callStatus(t, "PUT", evaluatorsPath, keyA, ""); status != http.StatusMethodNotAllowed || got["code"] != "method_not_allowed" {
		t.Errorf("a wrong method: %d %v", status, got)
	}
}

func TestEvaluationRules(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	plantEvaluator(t, f, "e1")
	body := `{"name":"r","enabled":true,"filter":[{"type":"stringOptions","column":"datasetId","operator":"any of","value":["d"]}],"evaluatorAssignments":[{"evaluatorId":"e1","variableMapping":null}],"maxRunsPerDay":5,"maxCostPerDay":"0.10"}`
	status, made := f.callStatus(t, "POST", rulesPath, keyA, body)
	if status != http.StatusCreated || fmt.Sprint(made["sampling"]) != "1" || fmt.Sprint(made["version"]) != "1" || fmt.Sprint(made["maxRunsPerDay"]) != "5" || made["maxCostPerDay"] != "0.10" {
		t.Fatalf("%d %v", status, made)
	}
	one := rulesPath + "/" + fmt.Sprint(made["id"])
	_, changed := f.callStatus(t, "PATCH", one, keyA, `{"sampling":0.25,"maxRunsPerDay":null}`)
	if fmt.Sprint(changed["sampling"]) != "0.25" || changed["maxRunsPerDay"] != nil || changed["maxCostPerDay"] != "0.10" || fmt.Sprint(changed["version"]) != "2" || changed["enabled"] != true {
		t.Errorf("changed to %v", changed)
	}
	_, bare := f.callStatus(t, "PATCH", one, keyA, `{"evaluatorAssignments":[]}`)
	if bare["enabled"] != false {
		t.Errorf("without evaluators it is %v", bare)
	}
	for body, want := range map[string]int{
		`{"enabled":true}`: 400, `{"enabled":true,"evaluatorAssignments":[]}`: 400, `{"sampling":null}`: 400, `{"sampling":1.5}`: 400, `{}`: 400,
		`{"filter":[{"type":"string","column":"input","operator":"=","value":"x"}]}`: 400, `{"filter":{}}`: 400, `{"planet":1}`: 400,
		`{"evaluatorAssignments":[{"evaluatorId":"none"}]}`: 404, `{"maxCostPerDay":"-1"}`: 400,
		`{"evaluatorAssignments":[{"evaluatorId":"e1","variableMapping":[{"variable":"x","source":"input"}]}]}`: 400,
	} {
		if status, got := f.callStatus(t, "PATCH", one, keyA, body); status != want {
			t.Errorf("%s: %d %v, want %d", body, status, got, want)
		}
	}
	if status, got := f.callStatus(t, "PATCH", one, keyA, `{"enabled":true,"evaluatorAssignments":[{"evaluatorId":"e1"}]}`); status != http.StatusOK || got["enabled"] != true {
		t.Errorf("enabled again: %d %v", status, got)
	}
	if status, _ := f.callStatus(t, "PATCH", one, keyB, `{"enabled":false}`); status != http.StatusNotFound {
		t.Errorf("changed by another project: %d", status)
	}
	if status, _ := f.callStatus(t, "DELETE", one, keyA, ""); status != http.StatusOK {
		t.Errorf("delete: %d", status)
	}
}

func TestTryEvaluator(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.insert(t, row("project-a", "t", "o", 1))
	status, got := f.callStatus(t, "POST", trialsPath, keyA, strings.TrimSuffix(lengthEvaluator, "}")+`,"traceId":"t","observationId":"o"}`)
	scores, _ := got["scores"].([]any)
	if score, _ := scores[0].(map[string]any); status != http.StatusOK || score["name"] != "length" || score["dataType"] != "NUMERIC" || got["reason"] != nil {
		t.Errorf("%d %v", status, got)
	}
	status, got = f.callStatus(t, "POST", trialsPath, keyA, `{"type":"code","name":"x","sourceCode":"function evaluate() { throw new Error('no') }","sourceCodeLanguage":"TYPESCRIPT","traceId":"t","observationId":"o"}`)
	if status != http.StatusOK || got["reason"] != "threw" || got["message"] != "Error: no" {
		t.Errorf("%d %v", status, got)
	}
	if status, _ := f.callStatus(t, "POST", trialsPath, keyB, strings.TrimSuffix(lengthEvaluator, "}")+`,"traceId":"t","observationId":"o"}`); status != http.StatusNotFound {
		t.Errorf("the observation of another project: %d", status)
	}
}

func plantEvaluator(t *testing.T, f *fixture, id string) {
	t.Helper()
	at := time.Now()
	err := f.views.CreateEvaluator(t.Context(), model.EvaluatorEntity{
		ProjectID: foreignProject, ID: id, Name: "zqxsecret", Kind: model.CodeEvaluator, CreatedAt: at, UpdatedAt: at,
		Latest: model.EvaluatorVersion{ID: id + "-1", Number: 1, Definition: `{"sourceCode":"zqxsecret","sourceCodeLanguage":"TYPESCRIPT"}`, CreatedAt: at},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// addEvaluationValues gives project A evaluators, rules and decisions.
func (f *fixture) addEvaluationValues(t *testing.T, v *foreignValues) {
	t.Helper()
	plantEvaluator(t, f, "foreign-evaluator")
	_, rule := f.call(t, "POST", rulesPath, keyA, `{"name":"zqxsecret","enabled":false,"evaluatorAssignments":[{"evaluatorId":"foreign-evaluator"}]}`)
	id := fmt.Sprint(rule["id"])
	err := f.store.InsertDecisions(t.Context(), []model.Decision{{
		ProjectID: foreignProject, RuleID: id, RuleVersion: 1, TraceID: "foreign-traceId", ObservationID: "zqxsecret", StartTime: noon,
		EvaluatorID: "foreign-evaluator", EvaluatorVersion: 1, Outcome: model.FailedEvaluation, Reason: "zqxsecret", Message: "zqxsecret", At: time.Now(),
	}})
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(v.parameters, map[string][]string{
		"evaluatorId": {"foreign-evaluator"}, "evaluationRuleId": {id}, "outcome": {"failed"}, "reason": {"zqxsecret"}, "from": {"2026-01-01T00:00:00Z"}, "to": {"2027-01-01T00:00:00Z"},
	})
	v.always["GET "+rulesPath+"/{evaluationRuleId}/estimate"] = "from=2026-01-01T00:00:00Z&to=2027-01-01T00:00:00Z"
	v.bodies["POST "+evaluatorsPath] = []string{`{"type":"code","name":"x","sourceCode":"x","sourceCodeLanguage":"PYTHON"}`}
	v.bodies["POST "+trialsPath] = []string{`{"type":"llm_as_judge","name":"x","prompt":"{{output}}","modelConfig":{"provider":"mine","model":"m"},"outputDefinition":{"dataType":"NUMERIC"},"traceId":"foreign-traceId","observationId":"foreign-id"}`}
	v.bodies["PATCH "+evaluatorsPath+"/{evaluatorId}"] = []string{`{"name":"mine"}`}
	v.bodies["POST "+rulesPath] = []string{`{"name":"mine","enabled":true,"evaluatorAssignments":[{"evaluatorId":"foreign-evaluator"}]}`}
	v.bodies["PATCH "+rulesPath+"/{evaluationRuleId}"] = []string{`{"name":"mine","enabled":true}`}
}
