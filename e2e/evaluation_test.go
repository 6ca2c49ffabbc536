package e2e_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/llm/llmtest"
)

const (
	evaluatorsPath = "/api/public/v2/evaluators"
	rulesPath      = "/api/public/v2/evaluation-rules"
)

// ask sends JSON and reads JSON; every status below 300 is fine.
func (c *client) ask(method, path, body string) (got map[string]any) {
	c.t.Helper()
	a, err := c.do(method, path, []byte(body), "Content-Type", "application/json")
	if err == nil && a.status >= http.StatusMultipleChoices {
		err = fmt.Errorf("status %d: %.1000s", a.status, a.body)
	}
	if err == nil {
		err = json.Unmarshal([]byte(a.body), &got)
	}
	if err != nil {
		c.t.Fatalf("%s %s: %v", method, path, err)
	}
	return got
}

// TestJudgesScoreAfterKill: a rule asks a model about every row while the server dies. Each row has one decision and one score,
// calls are traced, and no call is judged.
func TestJudgesScoreAfterKill(t *testing.T) {
	t.Parallel()
	provider := llmtest.New(t)
	s := startNode(t, "--outbound-endpoints="+provider.URL, "--evaluation-lag=1s")
	c := s.client()
	c.ask("PUT", "/api/public/llm-connections", fmt.Sprintf(`{"provider":"gateway","adapter":"openai","secretKey":%q,"baseURL":%q,"customModels":[%q]}`, llmtest.Key, provider.URL, llmtest.Echo))
	if a, err := c.do("POST", evaluatorsPath, []byte(`{"type":"code","name":"x","sourceCode":"x = 1","sourceCodeLanguage":"PYTHON"}`), "Content-Type", "application/json"); err != nil || a.status != http.StatusPreconditionFailed || !strings.Contains(a.body, "TYPESCRIPT") {
		t.Errorf("an evaluator in Python: %d %s, %v", a.status, a.body, err)
	}
	judge := c.ask("POST", evaluatorsPath, `{"type":"llm_as_judge","name":"quality","prompt":"Rate {{output}}","outputDefinition":{"dataType":"NUMERIC","minValue":0,"maxValue":1}}`)
	rule := c.ask("POST", rulesPath, fmt.Sprintf(`{"name":"all","enabled":true,"evaluatorAssignments":[{"evaluatorId":%q}]}`, judge["id"]))
	const rows = 60
	spans := newSpans(rows)
	c.send(inJSON(t, spans...))
	counts := func() (list map[string]int) {
		list = map[string]int{}
		data, _ := c.ask("GET", fmt.Sprintf("%s/%s/decision-counts", rulesPath, rule["id"]), "")["data"].([]any)
		for _, one := range data {
			count, _ := one.(map[string]any)
			list[strings.TrimSuffix(fmt.Sprint(count["outcome"], " ", count["reason"]), " <nil>")] += int(number(count["count"]))
		}
		return list
	}
	eventually(t, 2*time.Minute, "some rows are judged", func() error {
		if got := counts(); got["evaluated"] == 0 {
			return fmt.Errorf("decisions %v", got)
		}
		return nil
	})
	s.signal(s.pid(), syscall.SIGKILL)
	s.waitExit(time.Minute)
	s.start()
	eventually(t, 3*time.Minute, "every row is judged once, and every call left alone", func() error {
		got := counts()
		if got["evaluated"] != rows || got["skipped own_call"] < rows || len(got) != 2 {
			return fmt.Errorf("decisions %v", got)
		}
		return nil
	})
	scores, _ := c.ask("GET", "/api/public/v3/scores?"+url.Values{"source": {"EVAL"}, "limit": {"100"}, "fields": {"subject,details"}}.Encode(), "")["data"].([]any)
	if len(scores) != rows {
		t.Errorf("%d scores, want %d", len(scores), rows)
	}
	for _, one := range scores {
		if text := fmt.Sprint(one); !strings.Contains(text, "as asked") || !strings.Contains(text, "executionTraceId") {
			t.Fatalf("the score %s has no reasoning, or does not name its call", text)
		}
	}
	calls, err := c.walk(url.Values{"environment": {"sonde-evaluation"}}, 100)
	// What the server died in the middle of is asked again: at most a part of a page.
	if most := rows + 25; err != nil || len(calls) < rows || len(calls) > most {
		t.Errorf("%d calls are traced, want %d to %d; %v", len(calls), rows, most, err)
	}
}

func number(value any) float64 {
	n, _ := value.(float64)
	return n
}
