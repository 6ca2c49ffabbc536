package usage_test

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/usage"
)

// fixture is usage as a provider or an instrumentation reports it, and what has to be stored.
type fixture struct {
	ID       string
	Channel  string
	Scope    string
	Raw      json.RawMessage
	Expected struct{ UsageDetails map[string]uint64 }
}

func fixtures(t testing.TB) []fixture {
	t.Helper()
	text, err := os.ReadFile("testdata/usage_fixtures.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Fixtures []fixture }
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Fixtures) < 60 {
		t.Fatalf("read %d fixtures", len(file.Fixtures))
	}
	return file.Fixtures
}

// TestProviderResponses reads usage as OpenAI (chat, responses, realtime, images), Anthropic,
// Gemini, Bedrock, Mistral, Cohere and others report it, and as instrumentations put it on spans.
// Spans of the Vercel AI SDK need more than their usage attributes; whoever maps spans tests them.
func TestProviderResponses(t *testing.T) {
	t.Parallel()
	for _, f := range fixtures(t) {
		if f.Scope == "ai" {
			continue
		}
		t.Run(f.ID, func(t *testing.T) {
			t.Parallel()
			var got map[string]uint64
			if f.Channel == "attributes" {
				got = usage.FromCounts(attributes(t, f.Raw))
			} else {
				got = usage.FromJSON(string(f.Raw))
			}
			if diff := cmp.Diff(f.Expected.UsageDetails, got); diff != "" {
				t.Errorf("usage details (-want +got):\n%s", diff)
			}
		})
	}
}

// The parts of a row add up to the total that the provider reported: no token is lost, and none is
// counted twice.
func TestPartsAddUpToTheProvidersTotal(t *testing.T) {
	t.Parallel()
	reported := 0
	for _, f := range fixtures(t) {
		var raw map[string]any
		if err := json.Unmarshal(f.Raw, &raw); err != nil {
			t.Fatal(err)
		}
		details := usage.FromJSON(string(f.Raw))
		for _, name := range []string{"total_tokens", "totalTokens", "totalTokenCount", "total_token_count"} {
			total, ok := raw[name].(float64)
			if !ok || raw["citation_tokens"] != nil { // Perplexity's total leaves out reasoning and citations
				continue
			}
			reported++
			var sum uint64
			for key, n := range details {
				if key != "total" {
					sum += n
				}
			}
			if details["total"] != uint64(total) || sum != uint64(total) {
				t.Errorf("%s: total is %d, parts add up to %d, the provider says %v", f.ID, details["total"], sum, total)
			}
		}
	}
	if reported < 25 {
		t.Errorf("only %d reports have a total", reported)
	}
}

// attributes returns the usage attributes of a span in their order, without prefix.
func attributes(t *testing.T, raw json.RawMessage) (counts []usage.Count) {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(string(raw)))
	if _, err := dec.Token(); err != nil {
		t.Fatal(err)
	}
	for dec.More() {
		var value float64
		name, err := dec.Token()
		if err == nil {
			err = dec.Decode(&value)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, prefix := range []string{"gen_ai.usage.", "llm.token_count."} {
			if short, ok := strings.CutPrefix(name.(string), prefix); ok {
				counts = append(counts, usage.Count{Name: short, Value: value})
			}
		}
	}
	return counts
}

func TestFromJSON(t *testing.T) {
	t.Parallel()
	type details = map[string]uint64
	many := `{"a":1` + strings.Repeat(`,"a":1`, 300) + `}`
	for name, tt := range map[string]struct {
		text string
		want details
	}{
		"empty":              {``, nil},
		"not JSON":           {`{"input":1`, nil},
		"trailing text":      {`{"input":1} x`, nil},
		"bad member":         {`{"input":1,"x":nope}`, nil},
		"no name":            {`{1:1}`, nil},
		"control character":  {"{\"a\x01\":1}", nil},
		"array":              {`[1]`, nil},
		"number":             {`3`, nil},
		"null":               {`null`, nil},
		"no counts":          {`{"a":null,"b":"x","c":-1,"d":0.5,"e":true}`, nil},
		"empty object":       {` { } `, nil},
		"spaces":             {" {\n\"input\" : 1 , \"output\"\t: 2 } ", details{"input": 1, "output": 2, "total": 3}},
		"total is kept":      {`{"input":7,"total":3}`, details{"input": 7, "total": 3}},
		"zero":               {`{"input":0}`, details{"input": 0, "total": 0}},
		"whole float":        {`{"input":1e3,"output":2.0}`, details{"input": 1000, "output": 2, "total": 1002}},
		"leading digits":     {`{"input":" 12 tokens","output":"none"}`, details{"input": 12, "total": 12}},
		"last of a name":     {`{"input":1,"input":2}`, details{"input": 2, "total": 2}},
		"last of a name, no": {`{"input":1,"input":null,"output":1}`, details{"output": 1, "total": 1}},
		"escaped name":       {`{"inp\u0075t":4,"\ud83d\ude00":1}`, details{"input": 4, "\U0001F600": 1, "total": 5}},
		"bad escape":         {`{"\x":4}`, nil},
		"too large a count":  {`{"input":18446744073709551616,"output":1}`, details{"output": 1, "total": 1}},
		"sum does not wrap":  {`{"a":18446744073709551615,"b":2}`, details{"a": math.MaxUint64, "b": 2, "total": math.MaxUint64}},
		"too many keys":      {many, nil},
		"too deep":           {`{"a":1,"b":` + strings.Repeat("[", 100000/2) + strings.Repeat("]", 100000/2) + `}`, nil},
		"too deep, short":    {`{"a":1,"b":` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + `}`, nil},
		"too long":           {`{"a":1,"b":"` + strings.Repeat("x", 70000) + `"}`, nil},
		"long key":           {`{"a":1,"` + strings.Repeat("x", 300) + `":5}`, details{"a": 1, "total": 1}},
		"stored form wins":   {`{"input":1,"prompt_tokens":2}`, details{"input": 1, "prompt_tokens": 2, "total": 3}},
		"chat, text numbers": {`{"prompt_tokens":"5","completion_tokens":"2"}`, details{"input": 5, "output": 2, "total": 7}},
		"cached more than all": {
			`{"prompt_tokens":10,"completion_tokens":1,"total_tokens":11,"prompt_tokens_details":{"cached_tokens":20}}`,
			details{"input": 10, "output": 1, "input_cached_tokens": 20, "total": 11},
		},
		"details are no object": {
			`{"prompt_tokens":10,"completion_tokens":1,"total_tokens":11,"prompt_tokens_details":[1]}`,
			details{"input": 10, "output": 1, "total": 11},
		},
		"langchain": {
			`{"input_tokens":350,"output_tokens":240,"total_tokens":590,"input_token_details":{"cache_creation":200,"cache_read":100},"output_token_details":{"reasoning":200}}`,
			details{"input": 50, "output": 40, "input_cache_creation": 200, "input_cache_read": 100, "output_reasoning": 200, "total": 590},
		},
		"vercel": {
			`{"inputTokens":20,"outputTokens":7,"totalTokens":27,"reasoningTokens":2,"cachedInputTokens":8}`,
			details{"input": 12, "output": 5, "input_cached_tokens": 8, "output_reasoning_tokens": 2, "total": 27},
		},
		"router with cache writes": {
			`{"prompt_tokens":100,"completion_tokens":5,"total_tokens":105,"cache_creation_input_tokens":30,"cache_read_input_tokens":50}`,
			details{"input": 20, "output": 5, "input_cached_tokens": 50, "input_cache_creation": 30, "total": 105},
		},
		"gemini cached audio": {
			`{"promptTokenCount":100,"cachedContentTokenCount":60,"totalTokenCount":100,"promptTokensDetails":[{"modality":"AUDIO","tokenCount":70},{"modality":"TEXT","tokenCount":30}],"cacheTokensDetails":[{"modality":"AUDIO","tokenCount":50}]}`,
			details{"input": 20, "input_audio_tokens": 20, "input_cached_tokens": 10, "input_cached_audio_tokens": 50, "total": 100},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, usage.FromJSON(tt.text)); diff != "" {
				t.Errorf("usage details (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFromCounts(t *testing.T) {
	t.Parallel()
	type details = map[string]uint64
	type counts = []usage.Count
	for name, tt := range map[string]struct {
		counts counts
		want   details
	}{
		"none":      {nil, nil},
		"no counts": {counts{{"input_tokens", -1}, {"output_tokens", math.NaN()}, {"x", 0.5}, {"y", math.Inf(1)}}, nil},
		"cost":      {counts{{"cost", 1}, {"cost.total", 2}}, nil},
		"a zero hides": {
			counts{{"cache_read_input_tokens", 5}, {"cache_read.input_tokens", 0}, {"input_tokens", 9}},
			details{"input": 9, "input_cached_tokens": 0, "total": 9},
		},
		"first source in any order": {
			counts{{"prompt", 1}, {"input_tokens", 2}, {"prompt_tokens", 3}, {"input_tokens", 4}},
			details{"input": 3, "total": 3},
		},
		"others": {
			counts{{"custom", 4}, {"details.audio", 2}, {"prompt_tokens", 11}},
			details{"custom": 4, "audio": 2, "input": 11, "total": 17},
		},
		"reasoning outside": {
			counts{{"input_tokens", 10}, {"output_tokens", 5}, {"reasoning_tokens", 7}, {"total_tokens", 22}},
			details{"input": 10, "output": 5, "output_reasoning_tokens": 7, "total": 22},
		},
		"too many": {make(counts, 300), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, usage.FromCounts(tt.counts)); diff != "" {
				t.Errorf("usage details (-want +got):\n%s", diff)
			}
		})
	}
}

func FuzzFromJSON(f *testing.F) {
	for _, fixture := range fixtures(f) {
		f.Add(string(fixture.Raw))
	}
	f.Add(`{"inp\u0075t":4,"a":[{"b":[1,2.5e3]}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		got := usage.FromJSON(text)
		if got == nil {
			return
		}
		if _, ok := got["total"]; !ok {
			t.Errorf("%v has no total", got)
		}
		var object map[string]json.RawMessage
		if err := json.Unmarshal([]byte(text), &object); err != nil && !strings.Contains(text, `\`) {
			t.Errorf("read %v from what is no object: %v", got, err)
		}
	})
}

func BenchmarkFromJSON(b *testing.B) {
	for name, text := range map[string]string{
		"flat":      `{"input":1200,"output":300}`,
		"flat5":     `{"input": 12, "output": 3, "total": 25, "input_cache_read": 8, "output_reasoning": 2}`,
		"chat":      `{"prompt_tokens":2048,"completion_tokens":700,"total_tokens":2748,"prompt_tokens_details":{"cached_tokens":1024,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":512,"audio_tokens":0}}`,
		"anthropic": `{"input_tokens":10,"cache_creation_input_tokens":2000,"cache_read_input_tokens":0,"output_tokens":100}`,
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				usage.FromJSON(text)
			}
		})
	}
}

func BenchmarkFromCounts(b *testing.B) {
	counts := []usage.Count{{"input_tokens", 1200}, {"output_tokens", 300}, {"cache_read.input_tokens", 1000}}
	b.ReportAllocs()
	for b.Loop() {
		usage.FromCounts(counts)
	}
}
