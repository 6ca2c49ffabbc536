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
	b.Grow(8 * n)
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

// trace makes one agent run of the given number of turns, beginning at start.
func (c *corpus) trace(start time.Time, turns int) []span {
	v := c.converse(start, c.text)
	spans := []span{v.root}
	for range turns {
		spans = append(spans, v.turn()...)
	}
	spans[0] = v.end()
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
	compressed []byte // nil: plain is sent
	plain      []byte // kept only when asked for
	ids        []string
	lastTrace  string
	rawBytes   int
}

// encodeBody renders spans as a gzipped ExportTraceServiceRequest.
func encodeBody(spans []span, keepPlain bool) body {
	b := body{ids: make([]string, len(spans))}
	for i := range spans {
		b.ids[i] = spans[i].traceHex() + spans[i].idHex()
	}
	plain := encodeRequest(spans)
	b.compressed, b.lastTrace, b.rawBytes = compress(plain), spans[len(spans)-1].traceHex(), len(plain)
	if keepPlain {
		b.plain = plain
	}
	return b
}

func compress(plain []byte) []byte {
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
	return out.Bytes()
}

// encodeRequest renders spans as an ExportTraceServiceRequest.
func encodeRequest(spans []span) []byte {
	size := 0
	for i := range spans {
		size += spans[i].size()
	}
	scope := appendMessage(make([]byte, 0, size), 1, appendText(appendText(nil, 1, "langfuse-sdk"), 2, "5.0.4"))
	var one []byte
	for i := range spans {
		one = appendSpan(one[:0], &spans[i])
		scope = appendMessage(scope, 2, one)
	}
	resource := appendAttribute(nil, 1, "service.name", "support")
	resource = appendAttribute(resource, 1, "telemetry.sdk.language", "python")
	resource = appendAttribute(resource, 1, "langfuse.environment", "production")
	return appendMessage(nil, 1, appendMessage(appendMessage(nil, 1, resource), 2, scope))
}

// size is about what the span takes when it is encoded, and rather more.
func (s *span) size() int {
	n := 128 + len(s.name) + len(s.input) + len(s.output)
	for _, a := range s.attributes {
		n += 16 + len(a[0]) + len(a[1])
	}
	return n
}

func appendSpan(out []byte, s *span) []byte {
	out = appendMessage(out, 1, s.traceID[:])
	out = appendMessage(out, 2, s.id[:])
	if s.parent != ([8]byte{}) {
		out = appendMessage(out, 4, s.parent[:])
	}
	out = appendText(out, 5, s.name)
	out = protowire.AppendVarint(protowire.AppendTag(out, 6, protowire.VarintType), 1)
	out = protowire.AppendFixed64(protowire.AppendTag(out, 7, protowire.Fixed64Type), uint64(s.start.UnixNano()))
	out = protowire.AppendFixed64(protowire.AppendTag(out, 8, protowire.Fixed64Type), uint64(s.end.UnixNano()))
	for _, a := range s.attributes {
		out = appendAttribute(out, 9, a[0], a[1])
	}
	if s.input != "" {
		out = appendAttribute(out, 9, "langfuse.observation.input", s.input)
	}
	if s.output != "" {
		out = appendAttribute(out, 9, "langfuse.observation.output", s.output)
	}
	return out
}

// appendAttribute writes a KeyValue with a text without building its parts first: a span has many.
func appendAttribute(out []byte, field protowire.Number, key, value string) []byte {
	anyValue := protowire.SizeTag(1) + protowire.SizeBytes(len(value))
	keyValue := protowire.SizeTag(1) + protowire.SizeBytes(len(key)) + protowire.SizeTag(2) + protowire.SizeBytes(anyValue)
	out = protowire.AppendVarint(protowire.AppendTag(out, field, protowire.BytesType), uint64(keyValue))
	out = appendText(out, 1, key)
	out = protowire.AppendVarint(protowire.AppendTag(out, 2, protowire.BytesType), uint64(anyValue))
	return appendText(out, 1, value)
}

func appendMessage(out []byte, field protowire.Number, message []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(out, field, protowire.BytesType), message)
}

func appendText(out []byte, field protowire.Number, text string) []byte {
	return protowire.AppendString(protowire.AppendTag(out, field, protowire.BytesType), text)
}

// corpusAge is how long before now the first span of a corpus starts.
const corpusAge = 10 * time.Second

// bodies makes requests of spansPerBody spans until there are at least total spans. Traces run
// side by side as they do in production, so a body holds spans of several.
func (c *corpus) bodies(total int, keepPlain bool) []body {
	const turns = 5
	start := time.Now().Add(-corpusAge)
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
