package llm

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sondehq/sonde/internal/fault"
)

// fixture is a stream in the shape that a provider documents, and what must come of it.
type fixture struct {
	file, adapter string
	bySchema      bool
	want          Answer
	fails         string // in the words of the fault
}

var fixtures = []fixture{
	{file: "openai-text", adapter: "openai", want: Answer{Text: "Grüße aus Oslo 🌧", Model: "gpt-4o-mini-2024-07-18", Stop: "stop", Usage: openAIUsage}},
	{file: "openai-tools", adapter: "openai", want: Answer{Model: "gpt-4o-mini-2024-07-18", Stop: "tool_calls", Usage: openAIUsage, ToolCalls: []ToolCall{
		{"call_DdmO9pD3xa9XTPNJ32zg2hcA", "get_weather", `{"city":"Oslo"}`}, {"call_GTEmbJNFRnuMBHfNkdBHCTgp", "get_time", "{}"},
	}}},
	{file: "openai-refusal", adapter: "openai", bySchema: true, want: Answer{Text: "I'm sorry, I cannot help with that.", Model: "gpt-4o-mini-2024-07-18", Stop: "stop", Usage: openAIUsage}},
	{file: "openai-error", adapter: "openai", want: Answer{Text: "Grü", Model: "gpt-4o-mini-2024-07-18"}, fails: "the provider ended its answer: The server had an error processing your request for key …. Sorry about that!"},
	{file: "azure-text", adapter: "azure", want: Answer{Text: "Hello", Model: "gpt-4o-mini-2024-07-18", Stop: "stop", Usage: openAIUsage}},
	{file: "gateway-tools", adapter: "openai", want: Answer{Model: "gpt-4o-mini-2024-07-18", Stop: "tool_calls", Usage: openAIUsage, ToolCalls: []ToolCall{
		{"a", "get_weather", `{"city":"Oslo"}`}, {"b", "get_time", "{}"},
	}}},
	{file: "anthropic-text", adapter: "anthropic", want: Answer{Text: "Grüße aus Oslo 🌧", Model: "claude-sonnet-4-5-20250929", Stop: "end_turn", Usage: anthropicUsage(15)}},
	{file: "anthropic-thinking-and-tools", adapter: "anthropic", want: Answer{Text: "Let me look.", Model: "claude-sonnet-4-5-20250929", Stop: "tool_use", Usage: anthropicUsage(89), ToolCalls: []ToolCall{
		{"toolu_01T1x1fJ34qAmk2tNTrN7Up6", "get_weather", `{"city": "Oslo"}`}, {"toolu_01D7FLrfh4GYq7yT1ULFeyMV", "answer", "{}"},
	}}},
	{file: "anthropic-schema", adapter: "anthropic", bySchema: true, want: Answer{Text: `{"score": 1}`, Model: "claude-sonnet-4-5-20250929", Stop: "tool_use", Usage: anthropicUsage(12)}},
	{file: "anthropic-error", adapter: "anthropic", want: Answer{Text: "Grü", Model: "claude-sonnet-4-5-20250929", Usage: anthropicUsage(1)}, fails: "the provider ended its answer: Overloaded"},
	{file: "gemini-text", adapter: "google-ai-studio", want: Answer{Text: "Grüße aus Oslo 🌧", Model: "gemini-2.5-flash", Stop: "STOP", Usage: geminiUsage}},
	{file: "gemini-tools", adapter: "google-ai-studio", want: Answer{Model: "gemini-2.5-flash", Stop: "STOP", Usage: geminiUsage, ToolCalls: []ToolCall{
		{"call_1", "get_weather", `{"city":"Oslo"}`}, {"fc-2", "get_time", "{}"},
	}}},
	{file: "gemini-blocked", adapter: "google-ai-studio", want: Answer{Model: "gemini-2.5-flash", Stop: "PROHIBITED_CONTENT", Usage: map[string]uint64{"input": 11, "total": 11}}},
	{file: "gemini-error", adapter: "google-ai-studio", want: Answer{Text: "Grü", Model: "gemini-2.5-flash", Usage: map[string]uint64{"input": 11, "total": 11}}, fails: "the provider ended its answer: The model is overloaded. Please try again later"},
}

var (
	openAIUsage = map[string]uint64{
		"input": 11, "input_cached_tokens": 8, "input_audio_tokens": 0, "output": 6, "output_reasoning_tokens": 4, "output_audio_tokens": 0,
		"output_accepted_prediction_tokens": 0, "output_rejected_prediction_tokens": 0, "total": 29,
	}
	geminiUsage = map[string]uint64{"input": 7, "input_cached_tokens": 4, "output": 9, "output_reasoning_tokens": 37, "total": 57}
)

func anthropicUsage(output uint64) map[string]uint64 {
	return map[string]uint64{"input": 25, "input_cache_creation_5m": 3, "input_cache_creation_1h": 0, "input_cached_tokens": 7, "output": output, "total": 35 + output}
}

// readStream is what comes of a stream, and whether it was whole.
func readStream(f fixture, from io.Reader) (answer Answer, whole bool, err error) {
	to := target{key: "sk-fixture-0001"}
	a := &assembly{tell: func(Delta) {}, bySchema: f.bySchema, hide: to.hide}
	err = readEvents(from, func() {}, func(data []byte) error { return formats[f.adapter].read(a, data) })
	return a.answer(), a.done, err
}

func recorded(t *testing.T, f fixture) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "streams", f.file+".sse"))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// However a network cuts a stream, the same comes of it.
func TestStreamsOfProviders(t *testing.T) {
	t.Parallel()
	for _, f := range fixtures {
		t.Run(f.file, func(t *testing.T) {
			t.Parallel()
			raw := recorded(t, f)
			check := func(how string, from io.Reader) {
				answer, whole, err := readStream(f, from)
				if diff := cmp.Diff(f.want, answer, cmpopts.IgnoreFields(Answer{}, "FirstWord")); diff != "" {
					t.Fatalf("%s: %s", how, diff)
				}
				if f.fails == "" && (err != nil || !whole) {
					t.Fatalf("%s: whole %t, %v", how, whole, err)
				}
				if f.fails != "" && (!fault.Is(err, fault.Unavailable) || !strings.HasPrefix(err.Error(), f.fails)) {
					t.Fatalf("%s: %v", how, err)
				}
			}
			check("at once", bytes.NewReader(raw))
			check("by bytes", iotest.OneByteReader(bytes.NewReader(raw)))
			for cut := range raw {
				check("in two", io.MultiReader(bytes.NewReader(raw[:cut]), bytes.NewReader(raw[cut:])))
			}
		})
	}
}

// A stream that ends before its provider said that it does is told from a whole one.
func TestStreamsThatBreakOff(t *testing.T) {
	t.Parallel()
	for _, f := range fixtures {
		if f.fails != "" || f.want.Text == "" {
			continue
		}
		raw := recorded(t, f)
		half := raw[:bytes.Index(raw, []byte(f.want.Text[:3]))+40]
		if answer, whole, _ := readStream(f, bytes.NewReader(half)); whole {
			t.Errorf("%s: %q is taken for whole", f.file, answer.Text)
		}
		_, whole, err := readStream(f, io.MultiReader(bytes.NewReader(half), iotest.ErrReader(io.ErrUnexpectedEOF)))
		if whole || err == nil {
			t.Errorf("%s: a broken connection: whole %t, %v", f.file, whole, err)
		}
	}
}

// repeat is a stream without an end.
type repeat struct {
	text string
	at   int
}

func (r *repeat) Read(p []byte) (int, error) {
	n := copy(p, r.text[r.at:])
	r.at = (r.at + n) % len(r.text)
	return n, nil
}

func TestStreamsAreBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("on and ", 2000)
	for name, tt := range map[string]struct {
		from io.Reader
		want error
	}{
		"a line without an end":   {&repeat{text: "data: " + long}, errBigEvent},
		"an event without an end": {&repeat{text: "data: " + long + "\n"}, errBigEvent},
		"signs of life only":      {&repeat{text: ": " + long + "\n\n"}, errBigStream},
		"thoughts only":           {&repeat{text: `data: {"candidates":[{"content":{"parts":[{"text":"` + long + `","thought":true}]}}]}` + "\n\n"}, errBigStream},
		"calls without an end":    {&repeat{text: `data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"` + long + `"}}]}}]}` + "\n\n"}, errTooLong},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, _, err := readStream(fixture{adapter: "google-ai-studio"}, tt.from); err != tt.want { //nolint:errorlint // the very one
				t.Errorf("got %v", err)
			}
		})
	}
}
