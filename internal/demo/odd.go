package demo

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"time"
)

// sendOddTraces sends traces that break a picture drawn too simply.
func (d *demo) sendOddTraces(ctx context.Context) error {
	at := d.Until.Add(-2 * time.Hour)
	makers := []struct {
		what string
		make func(time.Time) *tree
	}{
		{"1,400 levels deep", d.deep},
		{"two roots", d.twoRoots},
		{"no root", d.noRoot},
		{"unfinished, and one that ended before it began", d.unfinished},
		{"every kind of observation", d.everyKind},
		{"an image", d.image},
		{"right to left, emoji and markup", d.scripts},
	}
	if d.Large {
		makers = append(makers, []struct {
			what string
			make func(time.Time) *tree
		}{
			{"10,000 observations", func(at time.Time) *tree { return d.wide(at, 10_000) }},
			{"50,000 observations", func(at time.Time) *tree { return d.wide(at, 50_000) }},
			{"an input of 20 MB", d.heavy},
		}...)
	}
	for i, m := range makers {
		t := m.make(at.Add(time.Duration(i) * time.Minute))
		for begin := 0; begin < len(t.spans); begin += spansPerRequest {
			if err := d.send(ctx, t.spans[begin:min(begin+spansPerRequest, len(t.spans))]); err != nil {
				return fmt.Errorf("%s: %w", m.what, err)
			}
		}
		d.summary.Traces++
		d.summary.Odd = append(d.summary.Odd, OddTrace{m.what, t.id})
		d.report(i+1, len(makers))
	}
	return nil
}

func (d *demo) oddTree(name string) *tree {
	return newTree(d.rand, traceFacts{name: name, user: "user-odd", release: releases[0], environment: "staging", tags: []string{"odd"}})
}

func (d *demo) deep(at time.Time) *tree {
	t := d.oddTree("recursive-agent")
	var parent *span
	const levels = 1400
	for i := range levels {
		parent = t.add(parent, "span", fmt.Sprintf("level %d", i+1), at.Add(time.Duration(i)*time.Millisecond), time.Duration(2*levels-i)*time.Millisecond)
	}
	return t
}

func (d *demo) twoRoots(at time.Time) *tree {
	t := d.oddTree("two-roots")
	t.add(t.add(nil, "chain", "first", at, time.Second), "tool", "below first", at, 500*time.Millisecond)
	t.add(t.add(nil, "chain", "second", at.Add(2*time.Second), time.Second), "tool", "below second", at.Add(2*time.Second), 300*time.Millisecond)
	return t
}

func (d *demo) noRoot(at time.Time) *tree {
	t := d.oddTree("no-root")
	elsewhere := &span{id: randomHex(d.rand, 8)}
	t.add(t.add(elsewhere, "span", "called by another service", at, time.Second), "tool", "local work", at.Add(100*time.Millisecond), 400*time.Millisecond)
	return t
}

func (d *demo) unfinished(at time.Time) *tree {
	t := d.oddTree("unfinished")
	root := t.add(nil, "agent", "still running", at, 0)
	root.end = time.Time{}
	t.add(root, "tool", "done", at.Add(time.Second), time.Second)
	t.add(root, "generation", "never answered", at.Add(2*time.Second), 0).end = time.Time{}
	t.add(root, "span", "clock went backwards", at.Add(4*time.Second), -time.Second)
	return t
}

func (d *demo) everyKind(at time.Time) *tree {
	t := d.oddTree("every-kind")
	root := t.add(nil, "chain", "every kind", at, 3*time.Second)
	for i, kind := range []string{"span", "generation", "event", "agent", "tool", "chain", "retriever", "evaluator", "embedding", "guardrail"} {
		took := 200 * time.Millisecond
		if kind == "event" {
			took = 0
		}
		s := t.add(root, kind, "a "+kind, at.Add(time.Duration(i)*250*time.Millisecond), took).io("in", "out")
		s.set("level", []string{"DEFAULT", "DEBUG", "WARNING"}[i%3])
	}
	return t
}

// dot is a PNG of one pixel.
const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="

func (d *demo) image(at time.Time) *tree {
	t := d.oddTree("look-at-picture")
	content := []any{map[string]any{"type": "text", "text": "What is broken on this lamp?"}, map[string]any{"type": "image_url", "image_url": map[string]any{"url": "data:image/png;base64," + dot}}}
	s := t.add(nil, "generation", "describe-picture", at, 2*time.Second)
	s.io([]any{map[string]any{"role": "user", "content": content}}, message("assistant", "The plug is bent."))
	s.model("gpt-4o", 800, 9, time.Second)
	return t
}

func (d *demo) scripts(at time.Time) *tree {
	t := d.oddTree("scripts-and-markup")
	hostile := "<script>alert(1)</script><img src=x onerror=alert(1)> [click](javascript:alert(1)) **bold** `code`"
	s := t.add(nil, "generation", "مرحبا 👩‍🚀 עברית", at, time.Second)
	s.io([]any{message("user", "أين طلبي؟ 📦 "+hostile)}, message("assistant", "طلبك في الطريق 🚚\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n"+hostile))
	s.model("gpt-4o-mini", 40, 30, 200*time.Millisecond)
	return t
}

// wide is a long run: steps with a handful of observations each, one after the other.
func (d *demo) wide(at time.Time, size int) *tree {
	t := d.oddTree(fmt.Sprintf("long-run-%dk", size/1000))
	root := t.add(nil, "agent", "long run", at, 0)
	now := at
	for len(t.spans) < size {
		step := t.add(root, "chain", fmt.Sprintf("step %d", len(t.spans)), now, 0)
		for _, kind := range []string{"generation", "tool", "retriever", "span"} {
			if len(t.spans) == size {
				break
			}
			s := t.add(step, kind, kind+" "+pick(d.rand, regions), now, d.between(time.Millisecond, 80*time.Millisecond)).io("in", "out")
			if d.chance(400) {
				s.fail(pick(d.rand, failures))
			}
			now = s.end
		}
		step.end = now
	}
	root.end = now
	return t
}

func (d *demo) heavy(at time.Time) *tree {
	t := d.oddTree("heavy-input")
	const size = 20 << 20
	rows := make([]any, 0, 100_000)
	for bytes := 0; bytes < size/2; {
		text := pick(d.rand, passages)
		rows = append(rows, map[string]any{"row": len(rows), "text": text})
		bytes += len(text) + 30
	}
	blob := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("sonde", size/2/7)))
	t.add(nil, "span", "import", at, time.Minute).io(map[string]any{"rows": rows, "blob": blob}, "done")
	return t
}
