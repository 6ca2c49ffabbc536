package demo

import (
	"context"
	"fmt"
	"math"
	"time"
)

const demoDataset = "support-questions"

// experimentRun is one version of the agent that the questions of the dataset are run through.
type experimentRun struct {
	name, model string
	quality     float64 // the share of answers that are right
	source      string  // what answers end with
	input       int     // tokens
	latency     time.Duration
}

var experimentRuns = []experimentRun{
	{name: "gpt-4o-mini, first prompt", model: "gpt-4o-mini", quality: 0.55, input: 120, latency: 1200 * time.Millisecond},
	{name: "gpt-4o, first prompt", model: "gpt-4o", quality: 0.7, input: 120, latency: 1800 * time.Millisecond},
	{name: "gpt-4o, sources", model: "gpt-4o", quality: 0.8, source: " Source: the help center.", input: 900, latency: 2400 * time.Millisecond},
	{name: "claude-sonnet-4-5, sources", model: "claude-sonnet-4-5", quality: 0.9, source: " Source: the help center.", input: 900, latency: 2100 * time.Millisecond},
	{name: "claude-sonnet-4-5, sources, reranked", model: "claude-sonnet-4-5", quality: 0.95, source: " Source: the help center, reranked.", input: 700, latency: 2600 * time.Millisecond},
}

// Planted regressions: what one run answers right, every later run does, and no score falls, but for every 12th question,
// which all runs answer right except the third one, "gpt-4o, sources". So compared with any run before it, the third one has
// exactly these regressions, and so has every other run none.
const (
	plantedRun   = 2
	plantedEvery = 12
)

func isPlanted(item int) bool { return (item+1)%plantedEvery == 0 }

// sendExperiments runs the questions of a dataset through versions of the agent.
func (d *demo) sendExperiments(ctx context.Context) error {
	dataset, err := d.client.create(ctx, "/api/public/v2/datasets", map[string]any{"name": demoDataset, "description": "Questions that customers really asked"})
	if err != nil {
		return err
	}
	// How hard a question is, and how far its answer is from what is expected, is the same in every run.
	hardness, distance := make([]float64, d.Volume.ExperimentItems), make([]float64, d.Volume.ExperimentItems)
	for i := range d.Volume.ExperimentItems {
		hardness[i], distance[i] = d.rand.Float64(), d.rand.Float64()
		item := map[string]any{"datasetName": demoDataset, "id": itemID(i), "input": map[string]any{"question": questions[i%len(questions)]}, "expectedOutput": answers[i%len(answers)]}
		if err := d.client.post(ctx, "/api/public/dataset-items", item); err != nil {
			return err
		}
	}
	runs := experimentRuns[:min(d.Volume.Experiments, len(experimentRuns))]
	for n, run := range runs {
		right := make([]bool, d.Volume.ExperimentItems)
		similarity := make([]float64, d.Volume.ExperimentItems)
		for i := range right {
			right[i] = hardness[i] < run.quality
			if isPlanted(i) {
				right[i] = n != plantedRun
			}
			similarity[i] = 0.2 + 0.04*float64(n) + 0.05*distance[i]
			if right[i] {
				similarity[i] += 0.55
			}
		}
		if err := d.runExperiment(ctx, dataset, run, d.Until.Add(time.Duration(n-8)*time.Hour), right, similarity); err != nil {
			return err
		}
		d.report(n+1, len(runs))
	}
	return nil
}

func (d *demo) runExperiment(ctx context.Context, dataset string, run experimentRun, at time.Time, right []bool, similarity []float64) error {
	id := randomHex(d.rand, 8)
	var spans []*span
	for i := range right {
		t := newTree(d.rand, traceFacts{name: "experiment-item-run", environment: "sdk-experiment", release: releases[2]})
		took := run.latency + d.between(0, time.Second)
		root := t.add(nil, "chain", "experiment-item-run", at.Add(time.Duration(i)*3*time.Second), took)
		output := answers[i%len(answers)] + run.source
		if !right[i] {
			output = answers[(i+1+d.rand.IntN(len(answers)-1))%len(answers)] + run.source
		}
		root.io(questions[i%len(questions)], output)
		call := t.add(root, "generation", "answer", root.start.Add(10*time.Millisecond), took-200*time.Millisecond)
		call.io([]any{message("user", questions[i%len(questions)])}, message("assistant", output)).model(run.model, run.input+d.rand.IntN(40), 40+d.rand.IntN(40), 400*time.Millisecond)
		for _, s := range t.spans {
			s.attributes["langfuse.experiment.id"], s.attributes["langfuse.experiment.name"] = id, run.name
			s.attributes["langfuse.experiment.dataset.id"], s.attributes["langfuse.experiment.item.id"] = dataset, itemID(i)
			s.attributes["langfuse.experiment.item.root_observation_id"] = root.id
			s.attributes["langfuse.experiment.item.expected_output"] = answers[i%len(answers)]
		}
		correct := 0
		if right[i] {
			correct = 1
		}
		d.scores = append(d.scores, score{trace: t.id, observation: root.id, name: "correct", value: correct, kind: "BOOLEAN"},
			score{trace: t.id, observation: root.id, name: "similarity", value: math.Round(1000*similarity[i]) / 1000, kind: "NUMERIC"})
		spans = append(spans, t.spans...)
	}
	d.summary.Traces += len(right)
	return d.send(ctx, spans)
}

func itemID(i int) string { return fmt.Sprintf("support-question-%02d", i+1) }
