package demo

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Programs of the demo's evaluators. The second one fails where the answer is no message.
const (
	answerLength = `function evaluate(ctx: EvaluationContext): EvaluationResult {
  const text = JSON.stringify(ctx.observation.output ?? "");
  return { scores: [{ name: "answer-length", value: text.length }] };
}
`
	namesSource = `function evaluate(ctx: EvaluationContext): EvaluationResult {
  const answer = ctx.observation.output.content;
  if (answer.includes("refund")) throw new Error("refunds are judged by people");
  return { scores: [{ name: "names-a-source", value: answer.includes("Source:") }] };
}
`
)

// sendEvaluators makes two evaluators and a rule, and applies it to the first day. The rule is off, so that what is sent later is
// evaluated only by who turns it on. What is there already by name is left as it is.
func (d *demo) sendEvaluators(ctx context.Context) error {
	const evaluators, rules = "/api/public/v2/evaluators", "/api/public/v2/evaluation-rules"
	known, err := d.client.list(ctx, rules)
	if err != nil || known["Support answers"] != "" {
		return err
	}
	used := []map[string]any{}
	for _, one := range []map[string]any{
		{"name": "Length of answers", "description": "Long answers are not read", "sourceCode": answerLength},
		{"name": "Names a source", "sourceCode": namesSource},
	} {
		one["type"], one["sourceCodeLanguage"] = "code", "TYPESCRIPT"
		id, err := d.named(ctx, evaluators, one)
		if err != nil {
			return err
		}
		used = append(used, map[string]any{"evaluatorId": id})
	}
	// Quotes around a text are no part of the answer, so there is a second version.
	second := map[string]any{"type": "code", "sourceCode": strings.Replace(answerLength, "text.length", "text.length - 2", 1), "sourceCodeLanguage": "TYPESCRIPT"}
	if err := d.client.change(ctx, fmt.Sprintf("%s/%s", evaluators, used[0]["evaluatorId"]), second); err != nil {
		return err
	}
	rule, err := d.client.create(ctx, rules, map[string]any{
		"name": "Support answers", "enabled": false, "sampling": 0.5, "maxRunsPerDay": 1000, "evaluatorAssignments": used,
		"filter": []map[string]any{
			{"type": "null", "column": "experimentId", "operator": "is null", "value": ""},
			{"type": "stringOptions", "column": "type", "operator": "any of", "value": []string{"GENERATION"}},
		},
	})
	if err != nil {
		return err
	}
	from := d.Until.AddDate(0, 0, -d.Days)
	return d.client.post(ctx, "/api/public/jobs", map[string]any{
		"kind": "evaluate", "ruleId": rule, "from": from.UTC().Format(time.RFC3339), "to": from.Add(24 * time.Hour).UTC().Format(time.RFC3339),
	})
}

// change sends what changes of something.
func (c *client) change(ctx context.Context, path string, body any) error {
	_, err := c.send(ctx, http.MethodPatch, path, []byte(jsonText(body)), "identity")
	return err
}
