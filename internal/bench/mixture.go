package bench

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// The mixture in percent of traces: agents of 1 to 100 turns, questions to documents, the rest a
// few tool calls. An agent is long: half of the spans are agents', a quarter is of each other kind.
const (
	agentPercent = 9
	ragPercent   = 38
	// At any moment half of the traces that run are agents, a long one as often as a short one.
	agentPercentRunning = 50

	cjkPercent    = 5 // of traces
	base64Percent = 2 // of spans
	mostTurns     = 100
	documents     = 1_000
)

// mixture makes traces as different as those of a company with several applications.
type mixture struct {
	*corpus
	library  []string
	popular  *rand.Zipf
	ideogram *rand.Zipf
}

func newMixture(c *corpus) *mixture {
	m := &mixture{corpus: c, popular: rand.NewZipf(c.rand, 1.1, 20, documents-1), ideogram: rand.NewZipf(c.rand, 1.1, 30, 2_999)}
	for range documents {
		m.library = append(m.library, c.text(150+c.rand.IntN(450)))
	}
	return m
}

func (m *mixture) begin(at time.Time, inMiddle bool) *lane {
	text := m.text
	if m.rand.IntN(100) < cjkPercent {
		text = m.cjk
	}
	var l *lane
	switch dice := m.rand.IntN(100); {
	case inMiddle && dice < agentPercentRunning:
		l = m.agent(at, 1+m.rand.IntN(mostTurns), true, text)
	case !inMiddle && dice < agentPercent:
		l = m.agent(at, m.turnsBetween(1, mostTurns+1), false, text)
	case m.rand.IntN(100-agentPercent) < ragPercent:
		l = m.once(at, m.rag)
	default:
		l = m.once(at, m.tools)
	}
	plain := l.step
	l.step = func() ([]span, time.Time, bool) {
		spans, next, over := plain()
		for i := range spans {
			if m.rand.IntN(100) < base64Percent {
				spans[i].output = m.image()
			}
		}
		return spans, next, over
	}
	return l
}

// once is a lane with a trace that is made in one step.
func (m *mixture) once(at time.Time, spans func(*conversation) []span) *lane {
	return &lane{at: at, step: func() ([]span, time.Time, bool) {
		v := m.converse(at, m.text)
		list := spans(v)
		return list, v.at, true
	}}
}

// rag answers one to three questions from documents that many traces find.
func (m *mixture) rag(v *conversation) []span {
	v.root.name = "ask-docs"
	var spans []span
	for range 1 + m.rand.IntN(3) {
		question := m.text(12)
		retriever := v.child(&v.root, "retriever", "find-documents", v.at, m.about(80*time.Millisecond))
		var found []map[string]any
		var context strings.Builder
		for range 3 + m.rand.IntN(4) {
			id := m.popular.Uint64()
			found = append(found, map[string]any{"id": fmt.Sprintf("doc-%04d", id), "score": m.rand.Float64(), "content": m.library[id]})
			fmt.Fprintf(&context, "[doc-%04d]\n%s\n\n", id, m.library[id])
		}
		retriever.input, retriever.output = jsonText(question), jsonText(found)
		generation := v.child(&v.root, "generation", "answer", retriever.end, m.about(1500*time.Millisecond))
		generation.input = jsonText([]message{{"system", "Answer from these documents.\n\n" + context.String()}, {"user", question}})
		generation.output = jsonText(message{"assistant", m.text(60)})
		v.root.input, v.root.output = question, generation.output
		generation.attributes = append(generation.attributes, m.modelAttributes(&generation)...)
		spans = append(spans, retriever, generation)
		v.at = generation.end
	}
	return append(spans, v.end())
}

// tools is a short trace of small calls.
func (m *mixture) tools(v *conversation) []span {
	v.root.name = "nightly-sync"
	var spans []span
	for range 1 + m.rand.IntN(4) {
		tool := v.child(&v.root, "tool", fmt.Sprintf("tool-%d", m.rand.IntN(30)), v.at, m.about(60*time.Millisecond))
		tool.input = jsonText(map[string]any{"ticket": fmt.Sprintf("T-%08d", m.rand.IntN(1e8)), "limit": m.rand.IntN(50)})
		tool.output = jsonText(map[string]any{"ok": true, "rows": m.rand.IntN(1000), "etag": fmt.Sprintf("%016x", m.rand.Uint64())})
		spans = append(spans, tool)
		v.at = tool.end
	}
	return append(spans, v.end())
}

// cjk makes about as much text as n words, in ideograms and without spaces.
func (m *mixture) cjk(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 && m.rand.IntN(8) == 0 {
			b.WriteRune('，')
		}
		b.WriteRune(rune(0x4e00 + m.ideogram.Uint64()))
		b.WriteRune(rune(0x4e00 + m.ideogram.Uint64()))
	}
	return b.String()
}

// image is what nothing makes smaller.
func (m *mixture) image() string {
	data := make([]byte, 1_000+m.rand.IntN(3_000))
	for i := range data {
		data[i] = byte(m.rand.Uint32())
	}
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(data)
}
