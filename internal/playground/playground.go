// Package playground runs prompts that people write: it asks a model, tells the answer as it comes, and traces the call
// into the project like any other generation.
package playground

import (
	"context"
	"encoding/json"
	"log/slog"
	"math"
	"sync"
	"time"

	"github.com/shopspring/decimal"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/llm"
)

// Environment is the environment of what is run here, so that lists of an application's traces can leave it out.
const Environment = "sonde-playground"

// How many runs there are at once: each is a connection to a provider, and costs money.
const (
	runsPerProject = 8
	runsPerNode    = 64
)

// Models asks models.
type Models interface {
	Stream(ctx context.Context, projectID string, r llm.Request, tell func(llm.Delta)) (llm.Answer, error)
}

// Tracer takes a trace in, on the way of all others. It returns once the trace is durable.
type Tracer interface {
	Trace(ctx context.Context, projectID string, export []byte) error
}

// Service runs prompts. It is safe for concurrent use.
type Service struct {
	models Models
	tracer Tracer
	prices llm.Pricer
	log    *slog.Logger

	mu   sync.Mutex
	all  int
	runs map[string]int // by project
}

// New makes a service.
func New(models Models, tracer Tracer, prices llm.Pricer, log *slog.Logger) *Service {
	return &Service{models: models, tracer: tracer, prices: prices, log: log, runs: map[string]int{}}
}

// Run is what somebody wants to try.
type Run struct {
	llm.Request
	PromptName    string // what it was made of; empty: nothing that is kept
	PromptVersion int
}

// Result is what came of it. One that failed has what came before.
type Result struct {
	llm.Answer
	TraceID, ObservationID string           // empty: it was not traced
	Cost                   *decimal.Decimal // in USD; nil: nobody knows a price
	Start, End             time.Time
}

// traceWithin bounds how long a run waits for its trace to be durable.
const traceWithin = 10 * time.Second

// Run asks the model and tells the answer as it comes. A run that was stopped is traced, too. fault.Limited when the project
// has too many, fault.Invalid, fault.NotFound, fault.Unavailable as the model's connection has them.
func (s *Service) Run(ctx context.Context, projectID string, run Run, tell func(llm.Delta)) (Result, error) {
	if err := run.check(); err != nil {
		return Result{}, err
	}
	leave, err := s.enter(projectID)
	if err != nil {
		return Result{}, err
	}
	defer leave()
	result := Result{Start: time.Now()}
	result.Answer, err = s.models.Stream(ctx, projectID, run.Request, tell)
	result.End = time.Now()
	if fault.Is(err, fault.NotFound) { // nobody was asked
		return result, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), traceWithin)
	defer cancel()
	call := llm.Call{
		TraceID: llm.NewTraceID(), SpanID: llm.NewSpanID(), Name: "playground", Environment: Environment, Request: run.Request, Answer: result.Answer,
		Failed: err, Start: result.Start, End: result.End, PromptName: run.PromptName, PromptVersion: run.PromptVersion,
	}
	result.Cost = call.Cost(ctx, projectID, s.prices)
	s.trace(ctx, projectID, call, &result)
	return result, err
}

// Test asks a model for next to nothing, and traces nothing. It fails as Run does.
func (s *Service) Test(ctx context.Context, projectID, provider, model string) (llm.Answer, error) {
	leave, err := s.enter(projectID)
	if err != nil {
		return llm.Answer{}, err
	}
	defer leave()
	const words = 16 // which reasoning models need to begin with
	return s.models.Stream(ctx, projectID, llm.Request{
		Provider: provider, Model: model, MaxTokens: words, Messages: []llm.Message{{Role: llm.User, Content: "Say OK."}},
	}, func(llm.Delta) {})
}

// trace never fails a run: its answer is there already.
func (s *Service) trace(ctx context.Context, projectID string, call llm.Call, result *Result) {
	export, err := call.OTLP()
	if err == nil {
		err = s.tracer.Trace(ctx, projectID, export)
	}
	if err != nil {
		s.log.WarnContext(ctx, "playground run not traced", "project_id", projectID, "error", err)
		return
	}
	result.TraceID, result.ObservationID = call.TraceID, call.SpanID
}

// enter makes room for one more run, or refuses it.
func (s *Service) enter(projectID string) (leave func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.runs[projectID] >= runsPerProject:
		return nil, fault.New(fault.Limited, "This project has %d runs under way", runsPerProject).Hint("wait for one to end, or stop one")
	case s.all >= runsPerNode:
		return nil, fault.Unavailablef("This node has %d runs under way", runsPerNode).Hint("try again in a moment")
	}
	s.all++
	s.runs[projectID]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.all--
		if s.runs[projectID]--; s.runs[projectID] == 0 {
			delete(s.runs, projectID)
		}
	}, nil
}

// Bounds of what is asked.
const (
	maxMessages      = 500
	maxTools         = 128
	maxPromptVersion = math.MaxUint16 // as of a span
)

func (r Run) check() error {
	switch {
	case r.Model == "":
		return fault.Invalidf("model", "must be given")
	case len(r.Messages) == 0 || len(r.Messages) > maxMessages:
		return fault.Invalidf("messages", "must be between 1 and %d", maxMessages)
	case len(r.Tools) > maxTools:
		return fault.Invalidf("tools", "must be at most %d", maxTools)
	case r.PromptVersion < 0 || r.PromptVersion > maxPromptVersion:
		return fault.Invalidf("prompt.version", "must be between 0 and %d", maxPromptVersion)
	}
	if err := r.checkParameters(); err != nil {
		return err
	}
	if r.Schema != nil && !isObject(r.Schema) {
		return fault.Invalidf("schema", "must be a JSON schema: an object")
	}
	for _, m := range r.Messages {
		if err := checkMessage(m); err != nil {
			return err
		}
	}
	for _, tool := range r.Tools {
		if tool.Name == "" || tool.Parameters != nil && !isObject(tool.Parameters) {
			return fault.Invalidf("tools", "must each have a name, and parameters that are a JSON schema: an object")
		}
	}
	return nil
}

func (r Run) checkParameters() error {
	switch {
	case r.Temperature != nil && (*r.Temperature < 0 || *r.Temperature > 2):
		return fault.Invalidf("parameters.temperature", "must be between 0 and 2")
	case r.TopP != nil && (*r.TopP < 0 || *r.TopP > 1):
		return fault.Invalidf("parameters.topP", "must be between 0 and 1")
	case r.MaxTokens < 0:
		return fault.Invalidf("parameters.maxTokens", "must not be negative")
	}
	return nil
}

func checkMessage(m llm.Message) error {
	switch m.Role {
	case llm.System, llm.User, llm.Assistant, llm.ToolRole:
	default:
		return fault.Invalidf("messages", "must have roles among system, user, assistant and tool, not %q", m.Role)
	}
	for _, call := range m.ToolCalls {
		if call.Name == "" || !isObject([]byte(call.Arguments)) {
			return fault.Invalidf("messages", "must have tool calls with a name, and arguments that are a JSON object as text")
		}
	}
	return nil
}

func isObject(text []byte) bool {
	var object map[string]json.RawMessage
	return json.Unmarshal(text, &object) == nil && object != nil
}
