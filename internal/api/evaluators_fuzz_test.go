package api_test

import (
	"net/http"
	"strings"
	"testing"
)

// FuzzEvaluators: whatever is sent to evaluators and rules is taken, or refused with a status that the description has.
func FuzzEvaluators(f *testing.F) {
	targets := []struct{ method, path string }{
		{"POST", evaluatorsPath},
		{"PATCH", evaluatorsPath + "/mine"},
		{"POST", trialsPath},
		{"POST", rulesPath},
		{"PATCH", rulesPath + "/{rule}"},
		{"GET", rulesPath + "/{rule}/decisions"},
		{"GET", rulesPath + "/{rule}/estimate"},
		{"GET", evaluatorsPath},
		{"GET", evaluatorsPath + "/mine/versions"},
	}
	for i, seed := range []string{
		lengthEvaluator, `{"status":"paused"}`, `{"type":"llm_as_judge","name":"x","prompt":"{{output}}","modelConfig":{"provider":"mine","model":"m"},"outputDefinition":{"dataType":"NUMERIC"},"traceId":"t","observationId":"bare"}`,
		`{"name":"r","enabled":true,"sampling":0.5,"filter":[{"type":"string","column":"name","operator":"=","value":"x"}],"evaluatorAssignments":[{"evaluatorId":"mine"}]}`,
		`{"maxRunsPerDay":null,"maxCostPerDay":"1e9"}`, "outcome=failed&reason=threw&cursor=e30&limit=1", "from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z", "limit=1&cursor=x", "limit=0",
	} {
		f.Add(i, seed)
	}
	for i := range targets {
		for _, seed := range []string{
			"", "null", "[]", "{}", `{"type":"llm_as_judge","name":"x","prompt":[{"role":"user","content":"{{a}}"}],"variableMapping":[{"variable":"a","source":"input","jsonPath":"$['"}],"outputDefinition":{"dataType":"CATEGORICAL","categories":["a","a"]}}`,
			`{"type":"code","name":"x","sourceCode":"function evaluate( {","sourceCodeLanguage":"TYPESCRIPT"}`, `{"name":1e400,"sampling":NaN}`, `{"name":"\u0000\ud800","enabled":true,"evaluatorAssignments":[{"evaluatorId":""}]}`,
		} {
			f.Add(i, seed)
		}
	}
	f.Fuzz(func(t *testing.T, which int, text string) {
		fx := newFixture(t)
		fx.insert(t, row("project-a", "t", "bare", 0))
		plantEvaluator(t, fx, "mine")
		_, rule := fx.call(t, "POST", rulesPath, keyA, `{"name":"r","enabled":false,"evaluatorAssignments":[{"evaluatorId":"mine"}]}`)
		id, _ := rule["id"].(string)
		to := targets[uint(which)%uint(len(targets))]
		path := strings.Replace(to.path, "{rule}", id, 1)
		sent := request(to.method, path, keyA, strings.NewReader(text), "Content-Type", "application/json")
		if to.method == http.MethodGet {
			sent = rawQuery(request(to.method, path, keyA, nil), text)
		}
		a := fx.send(t, sent)
		switch a.status {
		case http.StatusOK, http.StatusCreated, http.StatusBadRequest, http.StatusNotFound, http.StatusPreconditionFailed, http.StatusRequestEntityTooLarge:
		default:
			t.Errorf("status %d for %s %s with %q: %s", a.status, to.method, path, text, a.body)
		}
	})
}
