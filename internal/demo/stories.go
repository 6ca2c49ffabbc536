package demo

import (
	"context"
	"fmt"
	"strconv"
	"time"
)

// spansPerRequest keeps requests at about a megabyte.
const spansPerRequest = 500

// sendStories sends the ordinary traces, the oldest first.
func (d *demo) sendStories(ctx context.Context) error {
	stories := []func(at time.Time) *tree{d.support, d.support, d.search, d.search, d.classify, d.research}
	var waiting []*span
	step := time.Duration(d.Days) * 24 * time.Hour / time.Duration(max(d.Traces, 1))
	for i := range d.Traces {
		at := d.Until.Add(-time.Duration(d.Days) * 24 * time.Hour).Add(time.Duration(i) * step).Add(d.between(0, step))
		t := pick(d.rand, stories)(at)
		d.judge(t)
		waiting = append(waiting, t.spans...)
		d.summary.Traces++
		if len(waiting) >= spansPerRequest || i == d.Traces-1 {
			if err := d.send(ctx, waiting); err != nil {
				return err
			}
			waiting = waiting[:0]
			d.report(i+1, d.Traces)
		}
	}
	return nil
}

// sendSessions sends conversations whose ids can be told in advance, spread like the ordinary traces.
func (d *demo) sendSessions(ctx context.Context) error {
	const turns = 2
	count := d.Volume.Sessions
	var waiting []*span
	for i := range count {
		begin := d.Until.Add(-time.Duration(d.Days) * 24 * time.Hour * time.Duration(count-i) / time.Duration(count))
		for turn := range turns {
			topic := (i + turn) % len(questions)
			facts := traceFacts{name: "chat", user: fmt.Sprintf("guest-%02d", i%40), session: fmt.Sprintf("visit-%04d", i+1), release: releases[2], environment: "production", tags: []string{"chat"}}
			t := newTree(d.rand, facts)
			root := t.add(nil, "agent", "chat", begin.Add(time.Duration(turn)*time.Minute), 2*time.Second).io(questions[topic], answers[topic])
			call := t.add(root, "generation", "answer", root.start.Add(10*time.Millisecond), 1900*time.Millisecond)
			call.io([]any{message("user", questions[topic])}, message("assistant", answers[topic])).model("gpt-4o-mini", 40, 30, 300*time.Millisecond)
			waiting = append(waiting, t.spans...)
			d.summary.Traces++
		}
		if len(waiting) >= spansPerRequest || i == count-1 {
			if err := d.send(ctx, waiting); err != nil {
				return err
			}
			waiting = waiting[:0]
			d.report(i+1, count)
		}
	}
	return nil
}

func (d *demo) send(ctx context.Context, spans []*span) error {
	d.summary.Observations += len(spans)
	return d.client.sendSpans(ctx, spans)
}

func (d *demo) facts(name string) traceFacts {
	user := 1 + d.rand.IntN(80)*d.rand.IntN(80)/40
	return traceFacts{
		name: name, user: fmt.Sprintf("user-%03d", user), session: fmt.Sprintf("chat-%03d-%d", user, d.rand.IntN(3)),
		release: pick(d.rand, releases), environment: pick(d.rand, environments), tags: []string{name},
		metadata: map[string]string{"plan": pick(d.rand, plans), "region": pick(d.rand, regions)},
	}
}

// support is an agent that calls tools until it can answer.
func (d *demo) support(at time.Time) *tree {
	t := newTree(d.rand, d.facts("support-agent"))
	topic := d.rand.IntN(len(questions))
	root := t.add(nil, "agent", "support-agent", at, 0).io(map[string]any{"question": questions[topic]}, "")
	messages := []any{message("system", systemPrompt), message("user", questions[topic])}
	now := at.Add(d.between(5*time.Millisecond, 30*time.Millisecond))
	for range 1 + d.rand.IntN(4) {
		now = d.callWithTool(t, root, now, &messages)
	}
	failed := d.chance(25)
	call := d.generate(t, root, "answer", now, messages, answers[topic])
	if failed {
		call.fail(pick(d.rand, failures)).set("output", "")
		root.fail("The agent gave up: " + call.failure)
	} else {
		root.set("output", jsonText(map[string]any{"answer": answers[topic]}))
		guard := t.add(root, "guardrail", "no-personal-data", call.end, d.between(8*time.Millisecond, 60*time.Millisecond))
		guard.io(answers[topic], map[string]any{"passed": true})
	}
	root.end = t.spans[len(t.spans)-1].end.Add(d.between(time.Millisecond, 20*time.Millisecond))
	return t
}

// callWithTool is one turn: the model asks for a tool, the tool answers.
func (d *demo) callWithTool(t *tree, root *span, now time.Time, messages *[]any) time.Time {
	tool := pick(d.rand, []string{"lookup_order", "search_help", "get_invoice"})
	arguments := map[string]any{"lookup_order": map[string]any{"orderId": 40000 + d.rand.IntN(9999)}, "search_help": map[string]any{"query": "refund policy"}, "get_invoice": map[string]any{"number": 4000 + d.rand.IntN(999)}}[tool]
	id := "call_" + randomHex(d.rand, 6)
	asks := map[string]any{"role": "assistant", "content": nil, "tool_calls": []any{map[string]any{"id": id, "type": "function", "function": map[string]any{"name": tool, "arguments": jsonText(arguments)}}}}
	call := d.generate(t, root, "plan", now, *messages, asks)
	run := t.add(root, "tool", tool, call.end.Add(2*time.Millisecond), d.between(30*time.Millisecond, 1800*time.Millisecond))
	result := map[string]any{"status": "ok", "found": pick(d.rand, passages)}
	run.io(arguments, result)
	if d.chance(30) {
		run.set("level", "WARNING").set("status_message", "answered from a stale cache")
	}
	*messages = append(*messages, asks, map[string]any{"role": "tool", "tool_call_id": id, "content": jsonText(result)})
	return run.end.Add(time.Millisecond)
}

// generate is one call of a model whose prompt is the conversation so far.
func (d *demo) generate(t *tree, parent *span, name string, at time.Time, messages []any, answer any) *span {
	took := d.between(300*time.Millisecond, 6*time.Second)
	s := t.add(parent, "generation", name, at, took)
	if text, ok := answer.(string); ok {
		answer = message("assistant", text)
	}
	s.io(messages, answer)
	tokens := len(textOf(messages)) / 4
	s.model(pick(d.rand, []string{"gpt-4o", "gpt-4o-mini", "claude-sonnet-4-5"}), tokens, 20+len(textOf(answer))/4, took/4)
	if name == "answer" {
		s.set("prompt.name", "support/answer").set("prompt.version", strconv.Itoa(1+d.rand.IntN(3)))
	}
	return s
}

// search answers from documents.
func (d *demo) search(at time.Time) *tree {
	t := newTree(d.rand, d.facts("docs-search"))
	topic := d.rand.IntN(len(questions))
	root := t.add(nil, "chain", "docs-search", at, 0)
	embed := t.add(root, "embedding", "embed-question", at.Add(3*time.Millisecond), d.between(20*time.Millisecond, 200*time.Millisecond))
	embed.io(questions[topic], "[1536 numbers]").set("model.name", "text-embedding-3-small").set("usage_details", `{"input":14,"total":14}`)
	found := t.add(root, "retriever", "vector-search", embed.end, d.between(10*time.Millisecond, 300*time.Millisecond))
	documents := []any{}
	for i := range 3 {
		documents = append(documents, map[string]any{"id": fmt.Sprintf("doc-%02d", d.rand.IntN(60)), "score": 0.92 - 0.07*float64(i), "text": pick(d.rand, passages)})
	}
	found.io(questions[topic], documents)
	messages := []any{message("system", "Answer only from the documents."), message("user", questions[topic]+"\n\nDocuments:\n"+textOf(documents))}
	call := d.generate(t, root, "answer", found.end, messages, answers[topic])
	if d.chance(40) {
		call.fail(pick(d.rand, failures)).set("output", "")
	}
	root.io(questions[topic], answers[topic])
	root.end = call.end.Add(time.Millisecond)
	return t
}

// classify is a single call, as batch jobs make many of.
func (d *demo) classify(at time.Time) *tree {
	facts := d.facts("review-classifier")
	facts.user, facts.session = "", ""
	t := newTree(d.rand, facts)
	took := d.between(150*time.Millisecond, 900*time.Millisecond)
	s := t.add(nil, "generation", "classify-review", at, took)
	s.io([]any{message("system", "Classify the review as positive, neutral or negative. Answer as JSON."), message("user", pick(d.rand, reviews))},
		map[string]any{"sentiment": pick(d.rand, []string{"positive", "neutral", "negative"}), "confidence": 0.8})
	s.model(pick(d.rand, []string{"gpt-4o-mini", "acme-tiny-classifier"}), 62, 12, took/3)
	return t
}

// research is an agent with agents below it.
func (d *demo) research(at time.Time) *tree {
	t := newTree(d.rand, d.facts("research"))
	root := t.add(nil, "agent", "research", at, 0).io("Compare our refund policy with those of two competitors.", "")
	now := at.Add(10 * time.Millisecond)
	for _, name := range []string{"planner", "reader", "writer"} {
		agent := t.add(root, "agent", name, now, 0)
		messages := []any{message("system", "You are the "+name+"."), message("user", "Compare the refund policies.")}
		for range 1 + d.rand.IntN(3) {
			now = d.callWithTool(t, agent, now, &messages)
		}
		now = d.generate(t, agent, "answer", now, messages, pick(d.rand, passages)).end
		agent.end = now
		agent.io("Compare the refund policies.", pick(d.rand, passages))
	}
	judge := t.add(root, "evaluator", "grounded", now, d.between(100*time.Millisecond, time.Second))
	judge.io(pick(d.rand, passages), map[string]any{"grounded": !d.chance(5)})
	root.end = judge.end
	root.set("output", "Ours is the only one that refunds shipping for damaged items.")
	return t
}

func message(role, content string) map[string]any {
	return map[string]any{"role": role, "content": content}
}
