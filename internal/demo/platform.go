package demo

import (
	"context"
	"fmt"
	"time"
)

// score is a judgment that waits until its trace is there.
type score struct {
	trace, observation, name string
	at                       time.Time // zero: when it is sent
	value                    any
	kind, comment            string
}

// judge notes what people and evaluators thought of a trace.
func (d *demo) judge(t *tree) {
	root := t.spans[0]
	at := root.start.Add(time.Minute) // late enough for most traces to be over
	if d.chance(3) {
		d.scores = append(d.scores, score{trace: t.id, observation: root.id, at: at, name: "helpfulness", value: 1 - d.rand.Float64()*d.rand.Float64(), kind: "NUMERIC"})
	}
	if d.chance(8) {
		s := score{trace: t.id, at: at, name: "user-feedback", value: pick(d.rand, []string{"good", "good", "good", "bad"}), kind: "CATEGORICAL"}
		if s.value == "bad" {
			s.comment = "That did not answer my question."
		}
		d.scores = append(d.scores, s)
	}
	if d.chance(12) {
		d.scores = append(d.scores, score{trace: t.id, observation: root.id, at: at, name: "grounded", value: d.rand.IntN(5)/4 ^ 1, kind: "BOOLEAN"})
	}
}

func (d *demo) sendScores(ctx context.Context) error {
	for i, s := range d.scores {
		body := map[string]any{
			"id":      fmt.Sprintf("demo-%d-%s-%s", d.Seed, s.trace, s.name),
			"traceId": s.trace, "name": s.name, "value": s.value, "dataType": s.kind, "environment": "production",
		}
		if s.observation != "" {
			body["observationId"] = s.observation
		}
		if s.comment != "" {
			body["comment"] = s.comment
		}
		if !s.at.IsZero() {
			body["timestamp"] = s.at.UTC().Format(time.RFC3339)
		}
		if err := d.client.post(ctx, "/api/public/scores", body); err != nil {
			return err
		}
		d.summary.Scores++
		d.report(i+1, len(d.scores))
	}
	return nil
}

// sendSettings makes what traces refer to. Running the demo again adds prompt versions.
func (d *demo) sendSettings(ctx context.Context) error {
	texts := []string{
		"You are the support assistant of {{company}}. Answer the question: {{question}}",
		"You are the support assistant of {{company}}. Answer briefly, in the customer's language: {{question}}",
		"You are the support assistant of {{company}}. Answer briefly, in the customer's language, and name your sources: {{question}}",
	}
	versions := d.Volume.PromptVersions
	for i := range versions {
		text := texts[min(i, len(texts)-1)]
		if i >= len(texts) {
			text += fmt.Sprintf("\n\nUse at most %d sentences.", i)
		}
		prompt := map[string]any{"name": "support/answer", "type": "text", "prompt": text, "tags": []string{"support"}, "config": map[string]any{"model": "gpt-4o"}, "commitMessage": promptReasons[i%len(promptReasons)]}
		if i == versions-1 {
			prompt["labels"] = []string{"production"}
		}
		if err := d.client.post(ctx, "/api/public/v2/prompts", prompt); err != nil {
			return err
		}
		d.report(i+1, versions)
	}
	// One prompt that another includes, and a chat.
	for _, prompt := range []map[string]any{
		{"name": "shared/tone", "prompt": "Be friendly, brief and exact.", "labels": []string{"production"}, "tags": []string{"shared"}, "commitMessage": "How we speak"},
		{"name": "support/triage", "type": "chat", "labels": []string{"production", "staging"}, "tags": []string{"support"}, "config": map[string]any{"model": "gpt-4o-mini", "temperature": 0.2}, "prompt": []map[string]string{
			{"role": "system", "content": "You sort the questions of customers of {{company}}. @@@langfusePrompt:name=shared/tone|label=production@@@"},
			{"type": "placeholder", "name": "history"},
			{"role": "user", "content": "{{question}}"},
		}},
	} {
		if err := d.client.post(ctx, "/api/public/v2/prompts", prompt); err != nil {
			return err
		}
	}
	return nil
}

// promptReasons say why versions of a prompt were made.
var promptReasons = []string{"First version", "Answers in the customer's language", "Answers name their sources", "Shorter answers", "Shorter still"}
