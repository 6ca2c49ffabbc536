package bench

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
	"google.golang.org/protobuf/encoding/protowire"
)

// corpus makes agent traces: a root, and per turn a generation whose input is the whole
// conversation so far and a tool call. Words follow a Zipf law over a made-up vocabulary, so
// text compresses about as prose does. The same seed gives the same traces.
type corpus struct {
	rand  *rand.Rand
	words []string
	zipf  *rand.Zipf
}

func newCorpus(seed uint64) *corpus {
	r := rand.New(rand.NewPCG(seed, 1))
	vocabulary := make([]string, 20_000)
	for i := range vocabulary {
		vocabulary[i] = word(r)
	}
	return &corpus{rand: r, words: vocabulary, zipf: rand.NewZipf(r, 1.1, 3, uint64(len(vocabulary)-1))}
}

func word(r *rand.Rand) string {
	const consonants, vowels = "bcdfghklmnprstvw", "aeiou"
	var b strings.Builder
	for range 1 + r.IntN(4) {
		b.WriteByte(consonants[r.IntN(len(consonants))])
		b.WriteByte(vowels[r.IntN(len(vowels))])
		if r.IntN(3) == 0 {
			b.WriteByte(consonants[r.IntN(len(consonants))])
		}
	}
	return b.String()
}

// text makes about n words, with a number here and there that occurs nowhere else.
func (c *corpus) text(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(' ')
		}
		if c.rand.IntN(40) == 0 {
			fmt.Fprintf(&b, "T-%06d", c.rand.IntN(1_000_000))
			continue
		}
		b.WriteString(c.words[c.zipf.Uint64()])
	}
	return b.String()
}

// span is one span before it is encoded.
type span struct {
	traceID       [16]byte
	id, parent    [8]byte
	name          string
	start, end    time.Time
	input, output string
	attributes    [][2]string
}

func (s *span) idHex() string    { return hex.EncodeToString(s.id[:]) }
func (s *span) traceHex() string { return hex.EncodeToString(s.traceID[:]) }

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// trace makes one agent run of the given number of turns, beginning at start.
func (c *corpus) trace(start time.Time, turns int) []span {
	var traceID [16]byte
	c.fill(traceID[:])
	shared := c.traceAttributes()
	newSpan := func(parent [8]byte, kind, name string, at time.Time, took time.Duration) span {
		s := span{traceID: traceID, parent: parent, name: name, start: at, end: at.Add(took)}
		c.fill(s.id[:])
		s.attributes = append([][2]string{{"langfuse.observation.type", kind}}, shared...)
		return s
	}
	root := newSpan([8]byte{}, "agent", "support-agent", start, time.Duration(turns)*2*time.Second)
	history := []message{{"system", "You are a careful assistant. " + c.text(40)}}
	spans := []span{root}
	at := start
	for turn := range turns {
		history = append(history, message{"user", c.text(25)})
		answer := message{"assistant", c.text(35)}
		generation := newSpan(root.id, "generation", "chat", at, 900*time.Millisecond)
		generation.input, generation.output = jsonText(history), jsonText(answer)
		generation.attributes = append(generation.attributes,
			[2]string{"langfuse.observation.model.name", "gpt-4o-mini"},
			[2]string{"langfuse.observation.model.parameters", `{"temperature":0.2,"max_tokens":800}`},
			[2]string{"langfuse.observation.usage_details", fmt.Sprintf(`{"input":%d,"output":%d}`, len(generation.input)/4, len(generation.output)/4)},
			[2]string{"langfuse.observation.metadata.turn", fmt.Sprint(turn)})
		result := message{"tool", c.text(45)}
		tool := newSpan(generation.id, "tool", "search", at.Add(900*time.Millisecond), 300*time.Millisecond)
		tool.input, tool.output = jsonText(map[string]string{"query": c.text(6)}), result.Content
		spans = append(spans, generation, tool)
		history = append(history, answer, result)
		at = at.Add(1300 * time.Millisecond)
	}
	spans[0].input, spans[0].output = history[1].Content, history[len(history)-2].Content
	return spans
}

func (c *corpus) traceAttributes() [][2]string {
	return [][2]string{
		{"user.id", fmt.Sprintf("user-%d", c.rand.IntN(5_000))},
		{"session.id", fmt.Sprintf("session-%08x", c.rand.Uint32())},
		{"langfuse.trace.name", "support"},
		{"langfuse.version", "2.14.0"},
		{"langfuse.trace.metadata.tenant", fmt.Sprintf(`"acme-%d"`, c.rand.IntN(200))},
		{"langfuse.trace.metadata.plan", `"enterprise"`},
		{"langfuse.trace.metadata.region", `"eu-west-1"`},
		{"langfuse.trace.metadata.request", fmt.Sprintf(`"req-%012x"`, c.rand.Uint64()>>16)},
		{"langfuse.trace.metadata.attempt", "1"},
		{"langfuse.trace.metadata.beta", "true"},
	}
}

func (c *corpus) fill(id []byte) {
	for i := range id {
		id[i] = byte(c.rand.Uint32())
	}
	id[0] |= 1 // an id of zeros is no id
}

func jsonText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // plain strings always marshal
	}
	return string(text)
}

// body is one request, ready to send.
type body struct {
	compressed []byte
	plain      []byte // kept only when asked for
	ids        []string
	lastTrace  string
	rawBytes   int
}

// encodeBody renders spans as a gzipped ExportTraceServiceRequest.
func encodeBody(spans []span, keepPlain bool) body {
	var scope []byte
	scope = appendMessage(scope, 1, appendText(appendText(nil, 1, "langfuse-sdk"), 2, "5.0.4"))
	b := body{ids: make([]string, len(spans))}
	for i := range spans {
		scope = appendMessage(scope, 2, encodeSpan(&spans[i]))
		b.ids[i] = spans[i].traceHex() + spans[i].idHex()
	}
	resource := appendMessage(nil, 1, attribute("service.name", "support"))
	resource = appendMessage(resource, 1, attribute("telemetry.sdk.language", "python"))
	resource = appendMessage(resource, 1, attribute("langfuse.environment", "production"))
	resourceSpans := appendMessage(appendMessage(nil, 1, resource), 2, scope)
	plain := appendMessage(nil, 1, resourceSpans)

	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	if err == nil {
		_, err = z.Write(plain)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		panic(err) // memory does not fail
	}
	b.compressed, b.lastTrace, b.rawBytes = out.Bytes(), spans[len(spans)-1].traceHex(), len(plain)
	if keepPlain {
		b.plain = plain
	}
	return b
}

func encodeSpan(s *span) []byte {
	out := appendMessage(nil, 1, s.traceID[:])
	out = appendMessage(out, 2, s.id[:])
	if s.parent != ([8]byte{}) {
		out = appendMessage(out, 4, s.parent[:])
	}
	out = appendText(out, 5, s.name)
	out = protowire.AppendVarint(protowire.AppendTag(out, 6, protowire.VarintType), 1)
	out = protowire.AppendFixed64(protowire.AppendTag(out, 7, protowire.Fixed64Type), uint64(s.start.UnixNano()))
	out = protowire.AppendFixed64(protowire.AppendTag(out, 8, protowire.Fixed64Type), uint64(s.end.UnixNano()))
	for _, a := range s.attributes {
		out = appendMessage(out, 9, attribute(a[0], a[1]))
	}
	if s.input != "" {
		out = appendMessage(out, 9, attribute("langfuse.observation.input", s.input))
	}
	if s.output != "" {
		out = appendMessage(out, 9, attribute("langfuse.observation.output", s.output))
	}
	return out
}

func attribute(key, value string) []byte {
	return appendMessage(appendText(nil, 1, key), 2, appendText(nil, 1, value))
}

func appendMessage(out []byte, field protowire.Number, message []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(out, field, protowire.BytesType), message)
}

func appendText(out []byte, field protowire.Number, text string) []byte {
	return protowire.AppendString(protowire.AppendTag(out, field, protowire.BytesType), text)
}

// bodies makes requests of spansPerBody spans until there are at least total spans. Traces run
// side by side as they do in production, so a body holds spans of several.
func (c *corpus) bodies(total, spansPerBody int, keepPlain bool) []body {
	const turns = 4
	start := time.Now().Add(-10 * time.Second)
	var list []body
	var waiting []span
	for made := 0; made < total; {
		waiting = append(waiting, c.trace(start.Add(time.Duration(made)*20*time.Microsecond), turns)...)
		for len(waiting) >= spansPerBody {
			list = append(list, encodeBody(waiting[:spansPerBody], keepPlain))
			waiting = waiting[spansPerBody:]
			made += spansPerBody
		}
	}
	return list
}
