package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/llm"
	"github.com/sondehq/sonde/internal/llm/llmtest"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/outbound"
)

// adapters are those that can be called.
var adapters = []string{"openai", "azure", "anthropic", "google-ai-studio"}

// connections has one of each adapter, called like it, at a provider.
type connections struct {
	base, key string
	config    string
}

func (c connections) ByProvider(_ context.Context, _, provider string) (model.Connection, error) {
	if provider == "nobody" {
		return model.Connection{}, fault.New(fault.NotFound, "no such connection")
	}
	return model.Connection{Provider: provider, Adapter: provider, BaseURL: c.base, Config: c.config}, nil
}

func (c connections) Secrets(model.Connection) (key string, headers map[string]string, err error) {
	return c.key, map[string]string{"X-Team": "search"}, nil
}

func setup(t *testing.T) (*llm.Client, *llmtest.Provider) {
	t.Helper()
	provider := llmtest.New(t)
	return clientOf(t, provider.URL, connections{base: provider.URL, key: llmtest.Key}), provider
}

func clientOf(t *testing.T, allowed string, known connections) *llm.Client {
	t.Helper()
	guard := outbound.NewGuard([]string{allowed})
	t.Cleanup(guard.Close)
	return llm.New(known, guard)
}

func ask(provider, name string) llm.Request {
	return llm.Request{Provider: provider, Model: name, Messages: []llm.Message{
		{Role: llm.System, Content: "Be short."}, {Role: llm.User, Content: "hello there"},
	}}
}

var weather = llm.Tool{Name: "weather", Description: "of a city", Parameters: json.RawMessage(`{"type":"object"}`)}

func TestAnswers(t *testing.T) {
	t.Parallel()
	for _, adapter := range adapters {
		t.Run(adapter, func(t *testing.T) {
			t.Parallel()
			client, provider := setup(t)
			var told []string
			answer, err := client.Stream(t.Context(), "p", ask(adapter, llmtest.Echo), func(d llm.Delta) { told = append(told, d.Text) })
			if err != nil {
				t.Fatal(err)
			}
			if answer.Text != "You said: hello there" || strings.Join(told, "") != answer.Text || len(told) < 3 {
				t.Errorf("text %q in pieces %q", answer.Text, told)
			}
			usage := map[string]uint64{"input": 8, "input_cached_tokens": 4, "output": 5, "total": 17}
			if diff := cmp.Diff(usage, answer.Usage); diff != "" {
				t.Errorf("usage: %s", diff)
			}
			if answer.Model != llmtest.Echo+"-2026" && adapter != "azure" || answer.Stop == "" || answer.FirstWord.IsZero() {
				t.Errorf("answer %+v", answer)
			}
			if provider.Last().Header.Get("X-Team") != "search" {
				t.Error("an extra header is missing")
			}
		})
	}
}

func TestToolsAndSchemas(t *testing.T) {
	t.Parallel()
	for _, adapter := range adapters {
		t.Run(adapter, func(t *testing.T) {
			t.Parallel()
			client, _ := setup(t)
			request := ask(adapter, llmtest.Tools)
			request.Tools = []llm.Tool{weather}
			answer, err := client.Complete(t.Context(), "p", request)
			if err != nil {
				t.Fatal(err)
			}
			if len(answer.ToolCalls) != 1 || answer.ToolCalls[0].Name != "weather" || answer.ToolCalls[0].Arguments != `{"city":"Oslo"}` || answer.ToolCalls[0].ID == "" {
				t.Errorf("calls %+v", answer.ToolCalls)
			}
			// What came of a call is taken back, whatever the format calls it.
			request.Messages = append(request.Messages, llm.Message{Role: llm.Assistant, ToolCalls: answer.ToolCalls},
				llm.Message{Role: llm.ToolRole, ToolCallID: answer.ToolCalls[0].ID, Name: "weather", Content: "rain"})
			request.Tools, request.Schema = nil, json.RawMessage(`{"type":"object"}`)
			if answer, err = client.Complete(t.Context(), "p", request); err != nil || !json.Valid([]byte(answer.Text)) || !strings.Contains(answer.Text, "as asked") || answer.ToolCalls != nil {
				t.Errorf("by schema: %+v, %v", answer, err)
			}
		})
	}
}

func TestRequests(t *testing.T) {
	t.Parallel()
	client, provider := setup(t)
	warm, likely := 0.5, 0.9
	for adapter, want := range map[string]string{
		"openai":           `{"max_tokens":7,"messages":[{"content":"Be short.","role":"system"},{"content":"hello there","role":"user"}],"model":"echo","stream":true,"stream_options":{"include_usage":true},"temperature":0.5,"tools":[{"function":{"description":"of a city","name":"weather","parameters":{"type":"object"}},"type":"function"}],"top_p":0.9}`,
		"anthropic":        `{"max_tokens":7,"messages":[{"content":[{"text":"hello there","type":"text"}],"role":"user"}],"model":"echo","stream":true,"system":"Be short.","temperature":0.5,"tools":[{"description":"of a city","input_schema":{"type":"object"},"name":"weather"}],"top_p":0.9}`,
		"google-ai-studio": `{"contents":[{"parts":[{"text":"hello there"}],"role":"user"}],"generationConfig":{"maxOutputTokens":7,"temperature":0.5,"topP":0.9},"systemInstruction":{"parts":[{"text":"Be short."}]},"tools":[{"functionDeclarations":[{"description":"of a city","name":"weather","parametersJsonSchema":{"type":"object"}}]}]}`,
	} {
		request := ask(adapter, llmtest.Echo)
		request.Temperature, request.TopP, request.MaxTokens, request.Tools = &warm, &likely, 7, []llm.Tool{weather}
		if _, err := client.Complete(t.Context(), "p", request); err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(provider.Last().Body)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("%s: %s", adapter, diff)
		}
	}
}

// What goes wrong says who can do what about it, and has no key in it.
func TestFailures(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct {
		kind  fault.Kind
		words string
		text  string // that came before
	}{
		llmtest.Refuses:  {fault.Invalid, "refused the request: temperature is not for this model", ""},
		llmtest.Limited:  {fault.Limited, "Rate limit reached; wait", ""},
		llmtest.Unknown:  {fault.Invalid, "does not know the model unknown", ""},
		llmtest.Fails:    {fault.Unavailable, "failed: 500", ""},
		llmtest.Page:     {fault.Unavailable, "instead of a stream", ""},
		llmtest.Moved:    {fault.Invalid, "redirect", ""},
		llmtest.Broken:   {fault.Unavailable, "broke off; try again", "You "},
		llmtest.Garbage:  {fault.Unavailable, "cannot be read", "You "},
		llmtest.Complain: {fault.Unavailable, "ended its answer: Overloaded", "You "},
		llmtest.Endless:  {fault.Invalid, "longer than 4 MiB", ""},
	} {
		for _, adapter := range []string{"openai", "anthropic", "google-ai-studio"} {
			t.Run(name+" "+adapter, func(t *testing.T) {
				t.Parallel()
				client, _ := setup(t)
				answer, err := client.Complete(t.Context(), "p", ask(adapter, name))
				f, ok := errors.AsType[*fault.Fault](err)
				if !ok || f.Kind != want.kind || !strings.Contains(f.Public(), want.words) {
					t.Fatalf("got %v, want %d with %q", err, want.kind, want.words)
				}
				if name != llmtest.Endless && answer.Text != want.text {
					t.Errorf("came before: %q", answer.Text)
				}
			})
		}
	}
}

func TestKeysAreNotRepeated(t *testing.T) {
	t.Parallel()
	provider := llmtest.New(t)
	client := clientOf(t, provider.URL, connections{base: provider.URL, key: "sk-wrong"})
	_, err := client.Complete(t.Context(), "p", ask("openai", llmtest.Echo))
	if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "refused the key") || strings.Contains(err.Error(), "sk-wrong") {
		t.Errorf("got %v", err)
	}
	// Nor in an event of a stream, nor are the headers, which are sealed like the key.
	client = clientOf(t, provider.URL, connections{base: provider.URL, key: llmtest.Key})
	_, err = client.Complete(t.Context(), "p", ask("openai", llmtest.Blurts))
	if !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), "your key") || strings.Contains(err.Error(), llmtest.Key) || strings.Contains(err.Error(), "search") {
		t.Errorf("got %v", err)
	}
}

func TestSilence(t *testing.T) {
	t.Parallel()
	client, _ := setup(t)
	answer, err := llm.WithQuiet(client, 50*time.Millisecond).Complete(t.Context(), "p", ask("openai", llmtest.Silent))
	if !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), "fell silent") || answer.Text != "You " {
		t.Errorf("%+v, %v", answer, err)
	}
}

// Whoever stops asking has the provider stop answering: what nobody reads is not paid for.
func TestStop(t *testing.T) {
	t.Parallel()
	for _, adapter := range adapters {
		t.Run(adapter, func(t *testing.T) {
			t.Parallel()
			client, provider := setup(t)
			ctx, stop := context.WithCancel(t.Context())
			answer, err := client.Stream(ctx, "p", ask(adapter, llmtest.Silent), func(llm.Delta) { stop() })
			if !errors.Is(err, context.Canceled) || answer.Text != "You " {
				t.Errorf("%+v, %v", answer, err)
			}
			eventually(t, func() bool { return provider.Open() == 0 })
		})
	}
}

// An answer that grew too long is ended at the provider, too.
func TestTooLongAnswersAreHungUpOn(t *testing.T) {
	t.Parallel()
	client, provider := setup(t)
	if _, err := client.Complete(t.Context(), "p", ask("openai", llmtest.Endless)); !fault.Is(err, fault.Invalid) {
		t.Error(err)
	}
	eventually(t, func() bool { return provider.Open() == 0 })
}

func eventually(t *testing.T, holds func() bool) {
	t.Helper()
	deadline, tick := time.After(20*time.Second), time.NewTicker(5*time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-deadline:
			t.Fatal("it never came to be")
		case <-tick.C:
		}
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	provider := llmtest.New(t)
	at := connections{base: provider.URL, key: llmtest.Key}
	for name, tt := range map[string]struct {
		known   connections
		allowed string
		request llm.Request
		kind    fault.Kind
		words   string
	}{
		"nobody":      {at, provider.URL, ask("nobody", "m"), fault.NotFound, ""},
		"no model":    {at, provider.URL, ask("openai", ""), fault.Invalid, "model"},
		"no messages": {at, provider.URL, llm.Request{Provider: "openai", Model: "m"}, fault.Invalid, "messages"},
		"bedrock":     {at, provider.URL, ask("bedrock", "m"), fault.Invalid, "gateway"},
		"azure":       {connections{key: "k"}, provider.URL, ask("azure", "m"), fault.Invalid, "baseURL"},
		"responses":   {connections{base: provider.URL, config: `{"useResponsesApi":true}`}, provider.URL, ask("openai", "m"), fault.Invalid, "useResponsesApi"},
		"private":     {at, "", ask("openai", "m"), fault.Invalid, "outbound-endpoints"},
		"nowhere":     {connections{base: "http://127.0.0.1:1"}, "http://127.0.0.1:1", ask("openai", "m"), fault.Unavailable, "cannot be reached"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := clientOf(t, tt.allowed, tt.known).Complete(t.Context(), "p", tt.request)
			if !fault.Is(err, tt.kind) || !strings.Contains(err.Error(), tt.words) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestModels(t *testing.T) {
	t.Parallel()
	got := llm.Models(model.Connection{Adapter: "anthropic", Models: []string{"own"}, DefaultModels: true})
	if len(got) < 2 || got[0] != "own" {
		t.Errorf("got %v", got)
	}
	if got := llm.Models(model.Connection{Adapter: "anthropic"}); len(got) != 0 {
		t.Errorf("none wanted, got %v", got)
	}
}
