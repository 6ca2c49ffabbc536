// Package usage turns what providers and instrumentations report about consumption into the
// usage details that a row stores: units by kind, no unit counted twice, and a total.
//
// Stored keys name disjoint parts. Where a report contains a part in a whole (cached tokens in
// the input, reasoning in the output), the part is taken out of the whole. Where the parts are
// larger than the whole, the whole cannot contain them and is kept as it is.
package usage

import (
	"math"
	"strings"
	"unicode/utf8"
)

// Keys of stored usage details that more than one shape leads to.
const (
	input        = "input"
	output       = "output"
	total        = "total"
	cached       = "input_cached_tokens"
	cacheWrite   = "input_cache_creation"
	cacheWrite5m = "input_cache_creation_5m"
	cacheWrite1h = "input_cache_creation_1h"
	inputAudio   = "input_audio_tokens"
	outputAudio  = "output_audio_tokens"
	reasoning    = "output_reasoning_tokens"
	citations    = "output_citation_tokens"
)

const (
	fewKeys     = 8 // as many as a map holds in one piece
	maxKeyBytes = 200
)

// FromJSON reads a usage object in the shape of any known provider, or in stored form already.
// The result has a total. It is nil when text is no object, holds no count, or is larger than any
// honest report (64 KiB, 256 keys, 32 levels): no usage is better than a part of it.
//
// The result keeps no reference to text.
func FromJSON(text string) map[string]uint64 {
	var buf [fewKeys]member
	o, ok := parse(text, buf[:0])
	if !ok {
		return nil
	}
	var d map[string]uint64
	switch shapeOf(o) {
	case chatShape:
		d = openAI(o, &chatNames)
	case responsesShape:
		d = openAI(o, &responsesNames)
	case anthropicShape:
		d = anthropic(o)
	case camelShape:
		d = camel(o)
	case geminiShape:
		d = gemini(o)
	case cohereShape:
		d = cohere(o)
	default:
		d = plain(o)
	}
	return withTotal(d)
}

// shape is a form of usage object.
type shape uint8

const (
	plainShape     shape = iota // keys are stored as they are
	chatShape                   // OpenAI chat completions, and all who imitate them
	responsesShape              // OpenAI responses and realtime; Anthropic without cache
	anthropicShape              // Anthropic messages with cache counters
	camelShape                  // Bedrock Converse, Genkit, Vercel AI SDK
	geminiShape
	cohereShape
)

// seen are the telling keys of an object.
type seen struct {
	stored, prompt, in, out, whole, cache, camelIn, camelOut, gemini, cohere bool
}

func shapeOf(o object) shape {
	s := look(o)
	switch {
	case s.stored:
		return plainShape
	case s.prompt:
		return chatShape
	case s.in && s.out && s.cache:
		return anthropicShape
	case s.in && (s.out || s.whole):
		return responsesShape
	case s.gemini:
		return geminiShape
	case s.camelIn && s.camelOut:
		return camelShape
	case s.cohere:
		return cohereShape
	}
	return plainShape
}

func look(o object) (s seen) {
	for i := range o {
		switch m := &o[i]; m.name {
		case input, output, total:
			s.stored = true
		case "prompt_tokens":
			s.prompt = m.isCount()
		case "input_tokens":
			s.in = m.isCount()
		case "output_tokens":
			s.out = m.isCount()
		case "total_tokens":
			s.whole = m.isCount()
		case "cache_read_input_tokens", "cache_creation_input_tokens", "cache_creation":
			s.cache = true
		case "inputTokens":
			s.camelIn = m.isCount()
		case "outputTokens", "totalTokens":
			s.camelOut = s.camelOut || m.isCount()
		case "promptTokenCount", "prompt_token_count":
			s.gemini = m.isCount()
		case "billed_units":
			s.cohere = true
		}
	}
	return s
}

// plain keeps every count under its own key.
func plain(o object) map[string]uint64 {
	d := make(map[string]uint64, min(len(o)+1, fewKeys))
	for i := range o {
		m := &o[i]
		if n, ok := m.count(); ok && m.name != "" && len(m.name) <= maxKeyBytes {
			d[kept(m.name)] = n
		} else {
			delete(d, m.name) // of a name that comes twice the last counts
		}
	}
	return d
}

// withTotal adds the sum as total when there is none. Of no counts it makes nil.
func withTotal(d map[string]uint64) map[string]uint64 {
	if len(d) == 0 {
		return nil
	}
	if _, ok := d[total]; !ok {
		d[total] = sum(d)
	}
	return d
}

func sum(d map[string]uint64) (s uint64) {
	for name, n := range d {
		if name != total {
			s = plus(s, n)
		}
	}
	return s
}

// plus adds without wrapping around.
func plus(a, b uint64) uint64 {
	if a+b < a {
		return math.MaxUint64
	}
	return a + b
}

// less takes parts out of a whole that contains them.
func less(whole, parts uint64) uint64 {
	if parts > whole {
		return whole
	}
	return whole - parts
}

// kept returns a key that shares no memory with the text it was read from, and is valid UTF-8.
func kept(name string) string {
	switch name {
	case input:
		return input
	case output:
		return output
	case total:
		return total
	case cached:
		return cached
	case cacheWrite:
		return cacheWrite
	case reasoning:
		return reasoning
	}
	if !utf8.ValidString(name) {
		return strings.ToValidUTF8(name, "\uFFFD")
	}
	return strings.Clone(name)
}
