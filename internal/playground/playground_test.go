package playground_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/llm"
	"github.com/sondehq/sonde/internal/llm/llmtest"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/otlp"
	"github.com/sondehq/sonde/internal/outbound"
	"github.com/sondehq/sonde/internal/playground"
)

// connections has one, at a provider.
type connections struct{ base string }

func (c connections) ByProvider(_ context.Context, _, provider string) (model.Connection, error) {
	if provider != "gateway" {
		return model.Connection{}, fault.New(fault.NotFound, "no such connection")
	}
	return model.Connection{Provider: provider, Adapter: "openai", BaseURL: c.base}, nil
}

func (connections) Secrets(model.Connection) (key string, headers map[string]string, err error) {
	return llmtest.Key, nil, nil
}

// tracer maps what it gets as the writer does.
type tracer struct {
	mu   sync.Mutex
	rows []*model.Observation
	fail error
}

func (t *tracer) Trace(_ context.Context, projectID string, export []byte) error {
	if t.fail != nil {
		return t.fail
	}
	request, err := otlp.ParseJSON(export)
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, part := range request.Split(1 << 20) {
		rows, err := otlp.Map(part.Payload, otlp.Source{ProjectID: projectID, AcceptedAt: time.Now()})
		if err != nil {
			return err
		}
		t.rows = append(t.rows, rows...)
	}
	return nil
}

// cents prices a token at a cent.
type cents struct{}

func (cents) Apply(_ context.Context, rows []*model.Observation) error {
	for _, row := range rows {
		row.CostDetails = map[string]decimal.Decimal{"total": decimal.New(int64(row.UsageDetails["total"]), -2)}
	}
	return nil
}

func setup(t *testing.T) (*playground.Service, *tracer) {
	t.Helper()
	provider := llmtest.New(t)
	guard := outbound.NewGuard([]string{provider.URL})
	t.Cleanup(guard.Close)
	kept := &tracer{}
	return playground.New(llm.New(connections{provider.URL}, guard), kept, cents{}, slog.New(slog.DiscardHandler)), kept
}

func runOf(name string) playground.Run {
	return playground.Run{
		Request:    llm.Request{Provider: "gateway", Model: name, Messages: []llm.Message{{Role: llm.User, Content: "hello there"}}},
		PromptName: "greeting", PromptVersion: 3,
	}
}

func TestRunIsToldPricedAndTraced(t *testing.T) {
	t.Parallel()
	service, kept := setup(t)
	var told strings.Builder
	result, err := service.Run(t.Context(), "p", runOf(llmtest.Echo), func(d llm.Delta) { told.WriteString(d.Text) })
	if err != nil || told.String() != "You said: hello there" || result.Text != told.String() || result.Cost == nil || result.Cost.String() != "0.17" {
		t.Fatalf("%+v, %v, told %q", result, err, told.String())
	}
	if len(kept.rows) != 1 {
		t.Fatalf("traced %d rows", len(kept.rows))
	}
	row := kept.rows[0]
	if row.TraceID != result.TraceID || row.ID != result.ObservationID || row.Type != model.Generation || row.Environment != playground.Environment ||
		row.PromptName != "greeting" || row.PromptVersion != 3 || row.Model != "echo-2026" || row.UsageDetails["total"] != 17 || row.CompletionStartTime.IsZero() ||
		row.Input != `[{"role":"user","content":"hello there"}]` || row.Output != `{"role":"assistant","content":"You said: hello there"}` {
		t.Errorf("row %+v", row)
	}
}

func TestFailedAndStoppedRunsAreTraced(t *testing.T) {
	t.Parallel()
	service, kept := setup(t)
	if _, err := service.Run(t.Context(), "p", runOf(llmtest.Refuses), func(llm.Delta) {}); !fault.Is(err, fault.Invalid) {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	result, err := service.Run(ctx, "p", runOf(llmtest.Silent), func(llm.Delta) { stop() })
	if !errors.Is(err, context.Canceled) || result.TraceID == "" || len(kept.rows) != 2 {
		t.Fatalf("%+v, %v", result, err)
	}
	if row := kept.rows[0]; row.Level != model.Error || !strings.Contains(row.StatusMessage, "temperature is not for this model") {
		t.Errorf("refused: %+v", row)
	}
	if row := kept.rows[1]; row.StatusMessage != "stopped" || !strings.Contains(row.Output, "You ") {
		t.Errorf("stopped: %+v", row)
	}
}

func TestAnAnswerIsWorthMoreThanItsTrace(t *testing.T) {
	t.Parallel()
	service, kept := setup(t)
	kept.fail = errors.New("no room")
	result, err := service.Run(t.Context(), "p", runOf(llmtest.Echo), func(llm.Delta) {})
	if err != nil || result.TraceID != "" || result.Text == "" {
		t.Errorf("%+v, %v", result, err)
	}
}

func TestRefusedRuns(t *testing.T) {
	t.Parallel()
	service, kept := setup(t)
	hot := 3.0
	for name, change := range map[string]func(*playground.Run){
		"model":       func(r *playground.Run) { r.Model = "" },
		"messages":    func(r *playground.Run) { r.Messages = nil },
		"role":        func(r *playground.Run) { r.Messages[0].Role = "narrator" },
		"arguments":   func(r *playground.Run) { r.Messages[0].ToolCalls = []llm.ToolCall{{Name: "f", Arguments: "x"}} },
		"temperature": func(r *playground.Run) { r.Temperature = &hot },
		"top":         func(r *playground.Run) { r.TopP = &hot },
		"tokens":      func(r *playground.Run) { r.MaxTokens = -1 },
		"schema":      func(r *playground.Run) { r.Schema = []byte("[]") },
		"tools":       func(r *playground.Run) { r.Tools = []llm.Tool{{}} },
		"version":     func(r *playground.Run) { r.PromptVersion = 65536 },
		"connection":  func(r *playground.Run) { r.Provider = "nobody" },
	} {
		run := runOf(llmtest.Echo)
		change(&run)
		if _, err := service.Run(t.Context(), "p", run, func(llm.Delta) {}); !fault.Is(err, fault.Invalid) && !fault.Is(err, fault.NotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(kept.rows) != 0 {
		t.Errorf("traced %+v", kept.rows)
	}
}

// patient answers when it is told to.
type patient struct{ wait chan struct{} }

func (p patient) Stream(context.Context, string, llm.Request, func(llm.Delta)) (llm.Answer, error) {
	<-p.wait
	return llm.Answer{}, nil
}

func TestRunsAtOnceAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		models := patient{make(chan struct{})}
		service := playground.New(models, &tracer{}, cents{}, slog.New(slog.DiscardHandler))
		var running sync.WaitGroup
		for range 8 {
			running.Go(func() {
				if _, err := service.Run(t.Context(), "p", runOf("m"), func(llm.Delta) {}); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		if _, err := service.Run(t.Context(), "p", runOf("m"), func(llm.Delta) {}); !fault.Is(err, fault.Limited) {
			t.Errorf("the ninth: %v", err)
		}
		close(models.wait)
		running.Wait()
		if _, err := service.Run(t.Context(), "p", runOf("m"), func(llm.Delta) {}); err != nil {
			t.Errorf("after them: %v", err)
		}
	})
}
