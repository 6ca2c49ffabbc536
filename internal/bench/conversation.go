package bench

import (
	"fmt"
	"strconv"
	"time"
)

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// conversation is an agent run in progress. It is made turn by turn, so that many run side by
// side in little memory: only the history is kept.
type conversation struct {
	corpus  *corpus
	text    func(words int) string
	shared  [][2]string
	root    span
	history []message
	turns   int
	at      time.Time // when the next turn begins
}

// converse begins a run; text makes what is said in it.
func (c *corpus) converse(start time.Time, text func(words int) string) *conversation {
	v := &conversation{corpus: c, text: text, shared: c.traceAttributes(), at: start}
	v.root = c.newSpan([16]byte{}, "agent", "support-agent", start)
	v.root.attributes = append(v.root.attributes, v.shared...)
	v.history = []message{{"system", "You are a careful assistant. " + text(40)}}
	return v
}

// usualAttributes is how many a span has at most, mostly.
const usualAttributes = 18

// newSpan makes a span with ids of its own; a zero trace id means that it begins a trace.
func (c *corpus) newSpan(traceID [16]byte, kind, name string, start time.Time) span {
	s := span{traceID: traceID, name: name, start: start, attributes: make([][2]string, 1, usualAttributes)}
	s.attributes[0] = [2]string{"langfuse.observation.type", kind}
	if traceID == ([16]byte{}) {
		c.fill(s.traceID[:])
	}
	c.fill(s.id[:])
	return s
}

// child is a span of the run below parent.
func (v *conversation) child(parent *span, kind, name string, start time.Time, took time.Duration) span {
	s := v.corpus.newSpan(parent.traceID, kind, name, start)
	s.parent, s.end = parent.id, start.Add(took)
	s.attributes = append(s.attributes, v.shared...)
	return s
}

// turn makes the next generation, whose input is the whole conversation so far, and its tool call.
func (v *conversation) turn() []span {
	v.history = append(v.history, message{"user", v.text(25)})
	answer := message{"assistant", v.text(35)}
	generation := v.child(&v.root, "generation", "chat", v.at, v.corpus.about(900*time.Millisecond))
	generation.input, generation.output = jsonText(v.history), jsonText(answer)
	generation.attributes = append(generation.attributes, v.corpus.modelAttributes(&generation)...)
	generation.attributes = append(generation.attributes, [2]string{"langfuse.observation.metadata.turn", strconv.Itoa(v.turns)})
	result := message{"tool", v.text(45)}
	tool := v.child(&generation, "tool", "search", generation.end, v.corpus.about(300*time.Millisecond))
	tool.input, tool.output = jsonText(map[string]string{"query": v.text(6)}), result.Content
	v.history = append(v.history, answer, result)
	v.turns++
	v.at = tool.end.Add(v.corpus.about(100 * time.Millisecond))
	return []span{generation, tool}
}

// end is the root with the first question and the last answer.
func (v *conversation) end() span {
	root := v.root
	root.end = v.at
	if v.turns > 0 {
		root.input, root.output = v.history[1].Content, v.history[len(v.history)-2].Content
	}
	return root
}

// about is d, give or take a half: spans of different traces do not keep step.
func (c *corpus) about(d time.Duration) time.Duration {
	return d/2 + time.Duration(c.rand.Int64N(int64(d)))
}

func (c *corpus) modelAttributes(generation *span) [][2]string {
	return [][2]string{
		{"langfuse.observation.model.name", "gpt-4o-mini"},
		{"langfuse.observation.model.parameters", `{"temperature":0.2,"max_tokens":800}`},
		{"langfuse.observation.usage_details", fmt.Sprintf(`{"input":%d,"output":%d}`, len(generation.input)/4, len(generation.output)/4)},
	}
}
