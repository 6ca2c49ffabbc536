package demo

import (
	"context"
	"fmt"
	"time"
)

// score is a judgment that waits until its trace is there.
type score struct {
	trace, observation, name string
	value                    any
	kind, comment            string
}

// judge notes what people and evaluators thought of a trace.
func (d *demo) judge(t *tree) {
	root := t.spans[0]
	if d.chance(3) {
		d.scores = append(d.scores, score{trace: t.id, observation: root.id, name: "helpfulness", value: 1 - d.rand.Float64()*d.rand.Float64(), kind: "NUMERIC"})
	}
	if d.chance(8) {
		s := score{trace: t.id, name: "user-feedback", value: pick(d.rand, []string{"good", "good", "good", "bad"}), kind: "CATEGORICAL"}
		if s.value == "bad" {
			s.comment = "That did not answer my question."
		}
		d.scores = append(d.scores, s)
	}
	if d.chance(12) {
		d.scores = append(d.scores, score{trace: t.id, observation: root.id, name: "grounded", value: d.rand.IntN(5)/4 ^ 1, kind: "BOOLEAN"})
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

const demoDataset = "support-questions"

// sendExperiments runs the questions of a dataset through versions of the agent, each better than the one before in most
// cases.
func (d *demo) sendExperiments(ctx context.Context) error {
	dataset, err := d.client.create(ctx, "/api/public/v2/datasets", map[string]any{"name": demoDataset, "description": "Questions that customers really asked"})
	if err != nil {
		return err
	}
	for i := range d.Volume.ExperimentItems {
		item := map[string]any{"datasetName": demoDataset, "id": itemID(i), "input": map[string]any{"question": questions[i%len(questions)]}, "expectedOutput": answers[i%len(answers)]}
		if err := d.client.post(ctx, "/api/public/dataset-items", item); err != nil {
			return err
		}
	}
	runs := []string{"gpt-4o-mini, first prompt", "gpt-4o, first prompt", "gpt-4o, sources", "claude-sonnet-4-5, sources", "claude-sonnet-4-5, sources, reranked"}
	runs = runs[:min(d.Volume.Experiments, len(runs))]
	for i, name := range runs {
		quality := min(0.55+0.15*float64(i), 0.95)
		if err := d.runExperiment(ctx, dataset, name, quality, d.Until.Add(time.Duration(i-8)*time.Hour)); err != nil {
			return err
		}
		d.report(i+1, len(runs))
	}
	return nil
}

func (d *demo) runExperiment(ctx context.Context, dataset, name string, quality float64, at time.Time) error {
	id := randomHex(d.rand, 8)
	var spans []*span
	for i := range d.Volume.ExperimentItems {
		t := newTree(d.rand, traceFacts{name: "experiment-item-run", environment: "sdk-experiment", release: releases[2]})
		root := t.add(nil, "chain", "experiment-item-run", at.Add(time.Duration(i)*3*time.Second), 2*time.Second)
		right := d.rand.Float64() < quality
		output := answers[i%len(answers)]
		if !right {
			output = pick(d.rand, answers)
		}
		root.io(questions[i%len(questions)], output)
		call := t.add(root, "generation", "answer", root.start.Add(10*time.Millisecond), 1800*time.Millisecond)
		call.io([]any{message("user", questions[i%len(questions)])}, message("assistant", output)).model("gpt-4o", 120, 60, 400*time.Millisecond)
		for _, s := range t.spans {
			s.attributes["langfuse.experiment.id"], s.attributes["langfuse.experiment.name"] = id, name
			s.attributes["langfuse.experiment.dataset.id"], s.attributes["langfuse.experiment.item.id"] = dataset, itemID(i)
			s.attributes["langfuse.experiment.item.root_observation_id"] = root.id
			s.attributes["langfuse.experiment.item.expected_output"] = answers[i%len(answers)]
		}
		value := 0
		if right {
			value = 1
		}
		d.scores = append(d.scores, score{trace: t.id, observation: root.id, name: "correct", value: value, kind: "BOOLEAN"})
		spans = append(spans, t.spans...)
	}
	d.summary.Traces += d.Volume.ExperimentItems
	return d.send(ctx, spans)
}

func itemID(i int) string { return fmt.Sprintf("support-question-%02d", i+1) }
